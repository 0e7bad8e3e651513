"""Chunks, distribution, affine maps of loops, and wishes about order: decisions and numbers."""

from __future__ import annotations

import pytest

from fortrancl.ir.kernel import Kernel
from fortrancl.ir.tree import Loop, walk
from fortrancl.schedule.build import plan
from fortrancl.schedule.plan import launches
from fortrancl.script.library import find_one_rule_matching, find_rules_matching
from fortrancl.target.opencl import generate
from fortrancl.transform import TRANSFORMATIONS as lp
from tests.support.scripts import refusal as refused_script
from tests.support.scripts import run
from tests.unit.test_transform_vocabulary import made, refusal, same

TABLE = made("n; x(n,n); y(n,n)", ("x[i,j]", "x[i,j] + y[i,j]", {"j": "n", "i": "n"}))


def loops(kernel: Kernel) -> list[str]:
    return [node.iname for _, _, node in walk(kernel.tree) if isinstance(node, Loop)]


# -- chunks -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("length", "chunks"), [(7, 2), (10, 4), (8, 4), (3, 5), (1, 1), (11, 3)])
def test_chunks_run_through_all_iterations_in_order(length, chunks):
    kernel = made(f"x({length})", ("x[i]", "x[i] + x[0]", {"i": str(length)}))
    parted = lp["chunk_iname"](kernel, "i", chunks)
    assert loops(parted) == ["i_outer", "i_inner"]
    same(kernel, parted)


def test_chunks_become_work_groups():
    kernel = made("x(10); y(10)", ("x[i]", "y[i]", {"i": "10"}))
    same(kernel, lp["chunk_iname"](kernel, "i", 4, outer_tag="g.0", inner_tag="l.0"))


def test_what_cannot_be_chunked():
    assert refusal("chunk_iname", TABLE, "i", 4).code == "FCL257"
    assert refusal("chunk_iname", TABLE, "k", 4).code == "FCL251"
    assert refusal("chunk_iname", lp["fix_parameters"](TABLE, n=8), "i", 0).code == "FCL252"
    assert refusal("chunk_iname", lp["tag_inames"](TABLE, {"i": "l.0"}), "i", 4).code == "FCL254"


# -- distribution -----------------------------------------------------------------------------------------------
THREE = (
    ("x[i]", "y[i]", {"e": "n", "i": "n"}),
    ("z[i]", "x[i] + z[i]", {"e": "n", "i": "n"}),
    ("w[i]", "z[i] + w[i]", {"e": "n", "i": "n"}),
)


def test_loops_part_in_the_order_of_the_text():
    kernel = made("n; x(n); y(n); z(n); w(n)", *THREE)
    parted = lp["distribute_loops"](kernel, "writes:z", "e")
    assert loops(parted) == ["e", "i", "i", "i"]
    same(kernel, parted)
    last = lp["distribute_loops"](kernel, "writes:w", {"e"})
    assert loops(last) == ["e", "i", "i"]
    same(kernel, last)


def test_outer_loops_part_too_unless_a_dependence_goes_back():
    free = made("n; x(n,n); y(n)", ("x[i,e]", "i", {"e": "n", "i": "n"}), ("y[i]", "x[i,e]", {"e": "n", "i": "n"}))
    assert loops(lp["distribute_loops"](free, "writes:y", "")) == ["e", "i", "e", "i"]
    same(free, lp["distribute_loops"](free, "writes:y", ""))
    kernel = made("n; x(n); y(n); z(n); w(n)", *THREE)
    # The next e reads what this one wrote.
    back = made("n; x(n); y(n)", ("x[i]", "y[i]", {"e": "n", "i": "n"}), ("y[i]", "x[i] + 1", {"e": "n", "i": "n"}))
    assert refusal("distribute_loops", back, "writes:y", "").code == "FCL301"
    assert refusal("distribute_loops", kernel, "writes:q", "e").code == "FCL261"
    assert refusal("distribute_loops", kernel, "writes:x or writes:z or writes:w", "e").code == "FCL261"


def test_values_between_the_parts_need_cells():
    kernel = made("x(8); y(8); temp t", ("t", "x[i]", {"i": "8"}), ("y[i]", "t + 1", {"i": "8"}))
    assert refusal("distribute_loops", kernel, "writes:y", "").code == "FCL306"
    apart = lp["privatize_temporaries_with_inames"](kernel, "i")
    same(kernel, lp["distribute_loops"](apart, "writes:y", ""))


# -- maps -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "text",
    [
        "{ [j, i] -> [t, k] : t = i + j and k = i }",
        "[n] -> { [J, I] -> [b, a] : a = n - 1 - I and b = J }",
        "{ [j, i] -> [a, b] : a = i and b = j }",
        "{ [j, i] -> [ii, jj] : ii = i + 2*j and jj = j }",
        "{ [j, i] -> [u, a, v] : i = 4*u + v and 0 <= v and v < 4 and a = j }",
    ],
)
def test_maps_visit_each_iteration_once(text):
    after = lp["map_domain"](TABLE, text)
    assert "i" not in after.iname_by_name
    same(TABLE, after)


def test_a_map_may_make_a_recurrence_parallel_in_its_inner_loop():
    wave = made("x(8,8)", ("x[i+1,j+1]", "x[i,j+1] + x[i+1,j]", {"j": "7", "i": "7"}))
    assert refusal("tag_inames", wave, {"i": "l.0"}).code == "FCL303"
    skewed = lp["map_domain"](wave, "{ [j, i] -> [t, k] : t = i + j and k = i }")
    same(wave, lp["tag_inames"](skewed, {"k": "l.0"}))
    # The other way round the order of dependent iterations would turn.
    assert refusal("map_domain", wave, "{ [j, i] -> [k, t] : t = j and k = i - j }").code == "FCL301"
    assert refusal("map_domain", wave, "{ [j, i] -> [b, a] : a = 6 - i and b = j }").code == "FCL301"


def test_values_private_to_the_loops_stay_private():
    kernel = made("n; x(n,n); temp t", ("t", "x[i,j]", {"j": "n", "i": "n"}), ("x[i,j]", "2*t", {"j": "n", "i": "n"}))
    after = lp["map_domain"](kernel, "{ [j, i] -> [s, k] : s = i + j and k = i }")
    assert after.temporary_by_name["t"].private_to == ("s", "k")
    same(kernel, after)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{ [j, i] -> [k] : k = i + j }", "FCL288"),
        ("{ [j, i] -> [k, m] : k = i and m <= j and m >= 0 }", "FCL288"),
        ("{ [j, i] -> [k, m] : k = i and m = j and i > 2 }", "FCL288"),
        ("{ [j, i] -> [k, m] : k = i*j and m = j }", "FCL288"),
        ("{ [i, j] -> [k, m] : k = i and m = j }", "FCL257"),
        ("{ [j] -> [k] : k = j }", "FCL288x"),
        ("{ [j, q] -> [k, m] : k = q and m = j }", "FCL251"),
        ("{ [j, i] -> [x, m] : x = i and m = j }", "FCL252"),
        ("{ [j, i] -> [k, m] : k = i and m = z }", "FCL250"),
        ("[j, i] -> [k, m]", "FCL250"),
    ],
)
def test_what_is_no_map(text, code):
    if code == "FCL288x":
        # One loop alone may be mapped.
        same(TABLE, lp["map_domain"](TABLE, text))
        return
    error = refusal("map_domain", TABLE, text)
    assert (error.code, error.argument) == (code, "transform_map")


# -- unused loops -----------------------------------------------------------------------------------------------
def test_loops_that_nothing_uses_go():
    kernel = made("n; x(n); y(n); temp t", ("t", "x[0]", {"i": "n"}), ("y[k]", "1", {"k": "n"}))
    bare = lp["assignment_to_subst"](
        made("n; x(n); y(n); temp t(4)", ("t[i]", "x[i]", {"i": "4"}), ("y[k]", "t[0]", {"k": "n"})), "t"
    )
    assert set(bare.iname_by_name) == {"i", "k"}
    assert set(lp["remove_unused_inames"](bare).iname_by_name) == {"k"}
    assert set(lp["remove_unused_inames"](bare, "i").iname_by_name) == {"k"}
    assert lp["remove_unused_inames"](kernel) == kernel
    error = refusal("remove_unused_inames", kernel, "i, k")
    assert (error.code, error.value) == ("FCL287", "i")


# -- wishes -----------------------------------------------------------------------------------------------------
def test_dependencies_hold_or_are_refused():
    kernel = made("n; x(n); y(n); z(n); w(n)", *THREE)
    assert lp["add_dependency"](kernel, "writes:w", "s0") is kernel
    assert refusal("add_dependency", kernel, "writes:x", "writes:w").code == "FCL287"
    assert refusal("add_dependency", kernel, "writes:q", "writes:w").code == "FCL261"
    assert lp["set_instruction_priority"](kernel, "writes:z", 3) is kernel
    assert lp["realize_reduction"](kernel) is kernel
    for step in ("split_reduction_inward", "split_reduction_outward"):
        assert refusal(step, kernel, "i").code == "FCL289"
        assert refusal(step, kernel, "q").code == "FCL251"


def test_a_barrier_that_is_needed_cannot_be_wished_away():
    kernel = made(
        "x(8); y(8); temp t(8)", ("t[i]", "x[i]", {"i": "8"}), ("y[j]", "t[7-j]", {"j": "8"}), ("x[k]", "0", {"k": "8"})
    )
    lanes = lp["tag_inames"](kernel, {"i": "l.0", "j": "l.0", "k": "l.0"})
    assert lp["add_nosync"](lanes, "local", "writes:t", "writes:x") is lanes
    assert refusal("add_nosync", lanes, "local", "writes:t", "writes:y").code == "FCL287"
    assert lp["add_nosync"](lanes, "global", "writes:t", "writes:y") is lanes
    assert refusal("add_nosync", lanes, "group", "writes:t", "writes:y").code == "FCL252"


def test_the_device_function_takes_its_arguments_in_the_order_of_the_script():
    kernel = made("n; x(n); y(n)", ("x[i]", "y[i] + n", {"i": "n"}))
    kernel = lp["split_iname"](kernel, "i", 4, outer_tag="g.0", inner_tag="l.0")
    ordered = lp["set_argument_order"](kernel, ["Y", "n", "x"])
    done = plan(ordered)
    assert [parameter.name for parameter in launches(done.body)[0].parameters] == ["y", "n", "x"]
    assert generate(done).text.index("restrict y") < generate(done).text.index("restrict x")
    assert [argument.name for argument in ordered.arguments] == ["n", "x", "y"]
    same(kernel, ordered)
    assert refusal("set_argument_order", kernel, "x, y").code == "FCL252"
    assert refusal("set_argument_order", kernel, "x, y, n, n").code == "FCL252"
    assert refusal("set_argument_order", kernel, "x, y, m").code == "FCL268"


def test_rules_are_found_by_globs():
    kernel = made("n; x(n); y(n)", ("y[i]", "x[i] + y[i]", {"i": "n"}))
    kernel = lp["extract_subst"](lp["extract_subst"](kernel, "r_x", "x[a]", "a"), "r_y", "y[a]", "a")
    assert find_rules_matching(kernel, "R_*") == ["r_x", "r_y"]
    assert find_rules_matching(kernel, "q*") == []
    assert find_one_rule_matching(kernel, "*_y") == "r_y"


def test_scripts_find_rules_and_merge_units():
    body = """
unit = lp.parse_fortran(SOURCE, FILENAME)
one = lp.extract_subst(unit["first"], "reads_y", "y[a]", parameters="a")
names = lp.find_rules_matching(one, "*")
one = lp.precompute(lp.split_iname(one, "i", 4), lp.find_one_rule_matching(one, "READS*"), "i_inner")
RESULT = lp.merge([one, unit["second"]])
"""
    assert [kernel.name for kernel in run(body).kernels] == ["first", "second"]
    none = refused_script(body.replace('"READS*"', '"writes*"'))
    assert none.code == "FCL268"
    assert "its rules are reads_y" in none.notes[0]
    assert refused_script(body.replace('unit["second"]', "one")).code == "FCL223"
