"""Layout steps: which subscripts and strides they make, which they refuse, and that values stay."""

from __future__ import annotations

import numpy as np
import pytest

from fortrancl.analysis.bounds import copy_ranges
from fortrancl.diagnostics import StepError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.divide import divide
from fortrancl.ir.interpret import interpret
from fortrancl.ir.layout import as_declared, constant, keeps_memory, strides
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.text import expr_text, parse_expression
from fortrancl.ir.verify import verify
from fortrancl.poly import Set
from fortrancl.schedule.build import finalise, plan
from fortrancl.schedule.execute import execute
from fortrancl.schedule.plan import launches
from fortrancl.target.opencl import generate
from fortrancl.transform import TRANSFORMATIONS as lp

FIELDS = ("k", "n; q(n,8,n); r(n,8,n)", [("r[i,f,e]", "q[i,f,e] + q[i,5,e]", {"e": "n", "f": "8", "i": "n"})])


def fields(order="F"):
    kernel = lp["set_array_axis_names"](build_kernel(*FIELDS), "q,r", "i,field,e")
    return lp["split_array_axis"](kernel, "q,r", "field", 4, order=order)


def refusal(name, *args, **keywords):
    with pytest.raises(StepError) as refused:
        lp[name](*args, **keywords)
    return refused.value


def memory(kernel, name):
    return [constant(stride) for stride in strides(kernel.declaration(name))]


@pytest.mark.parametrize(
    ("index", "context", "expected"),
    [
        ("i_inner + 4*i_outer", "0 <= i_inner < 4", ("i_outer", "i_inner")),
        ("4*i_outer + i_inner + 8", "0 <= i_inner < 4", ("i_outer + 2", "i_inner")),
        ("i_inner + 4", "0 <= i_inner < 4", ("1", "i_inner")),
        ("i_inner + 2", "2 <= i_inner < 6", ("1", "i_inner - 2")),
        ("7", "0 <= i_inner", ("1", "3")),
        ("8*i_outer", "0 <= i_inner", ("2*i_outer", "0")),
        ("i_inner", "0 <= i_inner < 5", ("i_inner/4", "mod(i_inner, 4)")),
        ("i_inner - 1", "0 <= i_inner < 5", ("(i_inner + 3)/4 - 1", "mod(i_inner + 3, 4)")),
        ("i_inner - 1", "i_inner < 5", ("floordiv(i_inner - 1, 4)", "floormod(i_inner - 1, 4)")),
    ],
)
def test_division_of_subscripts(index, context, expected):
    kernel = build_kernel("k", "x(99)", [("x[i_inner]", "0", {"i_inner": "4", "i_outer": "4"})])
    parts = divide(parse_expression(index, kernel), 4, lambda name: True, Set.parse(context, ["i_inner"]))
    assert tuple(map(expr_text, parts)) == expected


def test_orders_of_a_split():
    assert "r[i, mod(f, 4), f/4, e] = q[i, mod(f, 4), f/4, e] + q[i, 1, 1, e]" in dump_tree(fields("F"))
    assert "r[i, f/4, mod(f, 4), e] = q[i, f/4, mod(f, 4), e] + q[i, 1, 1, e]" in dump_tree(fields("C"))
    assert fields("F").argument_by_name["q"].axis_names == ("i", "field_inner", "field_outer", "e")
    assert fields("C").argument_by_name["q"].axis_names == ("i", "field_outer", "field_inner", "e")


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_split_alone_moves_no_element(order):
    kernel = fields(order)
    verify(kernel)
    assert keeps_memory(kernel.argument_by_name["q"])
    (launch,) = launches(plan(kernel).body)
    assert [p.name for p in launch.parameters] == ["n", "q", "r"]


def test_padding_between_moves_elements():
    kernel = build_kernel("k", "x(6,5)", [("x[i,j]", "0", {"j": "5", "i": "6"})])
    assert keeps_memory(lp["split_array_axis"](kernel, "x", 1, 4).argument_by_name["x"])
    assert keeps_memory(lp["split_array_axis"](kernel, "x", 0, 3).argument_by_name["x"])
    assert not keeps_memory(lp["split_array_axis"](kernel, "x", 0, 4).argument_by_name["x"])


def test_splits_are_undone_exactly():
    kernel = lp["split_array_axis"](build_kernel(*FIELDS), "q,r", 1, 4)
    kernel = lp["split_array_axis"](kernel, "r", 0, 3, order="F")
    back = as_declared(kernel)
    verify(kernel)
    assert dump_tree(back) == dump_tree(build_kernel(*FIELDS))
    assert back.arguments == build_kernel(*FIELDS).arguments


def test_data_in_subscripts_come_back():
    text = ("k", "n; int map(n); x(n)", [("x[map[i] - 1]", "0", {"i": "n"})])
    kernel = lp["split_array_axis"](build_kernel(*text), "x", 0, 4)
    assert "x[floordiv(map[i] - 1, 4), floormod(map[i] - 1, 4)] = 0" in dump_tree(kernel)
    assert dump_tree(as_declared(kernel)) == dump_tree(build_kernel(*text))


def test_constants_in_rules_are_simplified_at_the_end():
    kernel = build_kernel("k", "n; q(n,8); r(n)", [("r[i]", "q[i,3] + q[i,6]", {"i": "n"})])
    kernel = lp["extract_subst"](kernel, "field", "q[i,f]", parameters="f")
    kernel = lp["split_array_axis"](kernel, "q", 1, 4)
    assert "q[i, 0, 3] + q[i, 1, 2]" in dump_tree(finalise(kernel))


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("N0,N2,N1", [1, 15, 3]),
        ("f", [1, 3, 12]),
        ("c", [20, 5, 1]),
        ("N1,vec,N0", [20, 1, 4]),
        ("N7,N9,N3", [5, 15, 1]),
        ("N3?,N2,N1,N0", [20, 5, 1]),
        ("N9?,N1,vec?,N0,N2", [4, 1, 12]),
        ("c,vec,c", [20, 1, 4]),
        ("N0,stride:8,stride:32", [1, 8, 32]),
        ("stride:7,N0,stride:40", [7, 1, 40]),
    ],
)
def test_strides(tags, expected):
    kernel = build_kernel("k", "temp t(3,4,5)", [("t[i,j,l]", "0", {"l": "5", "j": "4", "i": "3"})])
    tagged = lp["tag_array_axes"](kernel, "T", tags)
    verify(tagged)
    assert memory(tagged, "t") == expected
    assert memory(lp["tag_data_axes"](kernel, "t", tags.split(",")), "t") == expected


@pytest.mark.parametrize(
    ("tags", "code"),
    [
        ("N0,N1", "FCL272"),
        ("N0,N1,N1", "FCL272"),
        ("N0,N1,c", "FCL272"),
        ("vec,vec,N0", "FCL272"),
        ("N0,N1,sep", "FCL272"),
        ("N0,N1,M2", "FCL272"),
        ("vec,N0,N1", "FCL271"),
        ("N0,stride:2,stride:30", "FCL274"),
        ("stride:5,vec,stride:20", "FCL274"),
    ],
)
def test_tags_that_are_refused(tags, code):
    kernel = build_kernel("k", "temp t(3,4,5)", [("t[i,j,l]", "0", {"l": "5", "j": "4", "i": "3"})])
    refused = refusal("tag_array_axes", kernel, "t", tags)
    assert refused.code == code


def test_assumed_size_varies_slowest():
    kernel = build_kernel("k", "n; x(n,*)", [("x[i,j]", "0", {"j": "n", "i": "n"})])
    assert refusal("tag_array_axes", kernel, "x", "N1,N0").code == "FCL273"
    assert refusal("split_array_axis", kernel, "x", 1, 4).code == "FCL273"
    assert lp["tag_array_axes"](kernel, "x", "N0,N1") == kernel


def test_padding():
    kernel = build_kernel("k", "n; temp t(16,16); x(n,n)", [("t[i,j]", "0", {"j": "16", "i": "16"})])
    assert memory(lp["add_padding"](kernel, "t", 1, 8 * 17), "t") == [1, 17]
    assert memory(lp["add_padding"](lp["add_padding"](kernel, "t", 1, 48), "t", 1, 72), "t") == [1, 18]
    assert refusal("add_padding", kernel, "t", 1, 12).code == "FCL275"
    assert refusal("add_padding", kernel, "x", 1, 64).code == "FCL275"
    assert refusal("add_padding", kernel, "t", 2, 64).code == "FCL270"
    told = lp["tag_array_axes"](kernel, "t", "N0,stride:17")
    assert memory(lp["add_padding"](told, "t", 1, 64), "t") == [1, 24]
    vector = lp["split_array_axis"](kernel, "t", 0, 4)
    vector = lp["tag_array_axes"](vector, "t", "N0,vec,N1")
    assert memory(lp["add_padding"](vector, "t", 2, 8 * 18), "t") == [4, 1, 36]


def test_loops_are_split_with_their_axes():
    kernel = build_kernel(*FIELDS)
    both = lp["split_array_dim"](kernel, [("q", 1, "F"), (["r"], 1, "F")], 4)
    assert "r[i, f_inner, f_outer, e] = q[i, f_inner, f_outer, e] + q[i, 1, 1, e]" in dump_tree(both)
    named = lp["split_array_dim"](kernel, ("q", 1), 4, split_kwargs={"inner_iname": "v", "outer_iname": "w"})
    assert "q[i, w, v, e]" in dump_tree(named) and "r[i, v + 4*w, e]" in dump_tree(named)
    without = lp["split_array_dim"](kernel, ("q", 1), 4, auto_split_inames=False)
    assert "q[i, f/4, mod(f, 4), e]" in dump_tree(without)
    assert refusal("split_array_dim", kernel, ["q"], 4).code == "FCL270"


def test_a_vector_is_split_before_it_is_tagged():
    kernel = lp["tag_array_axes"](fields(), "q", "N0,vec,N2,N1")
    assert refusal("split_array_axis", kernel, "q", 1, 2).code == "FCL271"


def tagged_fields():
    kernel = lp["tag_array_axes"](fields(), "q,r", "N0,vec,N2,N1")
    return lp["tag_inames"](kernel, {"e": "g.0"})


def test_element_numbers_follow_the_layout():
    text = " ".join(generate(plan(tagged_fields())).text.split())
    assert "q_packed[f%4 + 4*(i + n*(e + n*(f/4)))]" in text
    assert "q_packed[1 + 4*(i + n*(e + n))]" in text
    names = [launch.function for launch in launches(plan(tagged_fields()).body)]
    assert names == ["k_pack_q", "k_kernel", "k_unpack_r"]


def test_copies_speak_of_declared_elements():
    plain, packed = copy_ranges(build_kernel(*FIELDS)), copy_ranges(tagged_fields())
    assert plain == packed


@pytest.mark.parametrize("n", [0, 1, 3])
def test_values_stay(n):
    rng = np.random.default_rng(n)
    arrays = {name: np.asfortranarray(rng.random((n, 8, n))) for name in ("q", "r")}
    expected = interpret(build_kernel(*FIELDS), arrays, {"n": n})
    for found in (
        interpret(tagged_fields(), arrays, {"n": n}),
        execute(plan(tagged_fields()), arrays, {"n": n}),
        interpret(lp["split_array_axis"](fields(), "q,r", 0, 2), arrays, {"n": n}),
        execute(plan(lp["split_array_axis"](fields(), "q,r", 0, 2)), arrays, {"n": n}),
    ):
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name], values)
