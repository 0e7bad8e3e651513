"""What may be fused, what becomes of the names, and why the rest is refused."""

from __future__ import annotations

import numpy as np
import pytest

from fortrancl.analysis.legality import LegalityError
from fortrancl.analysis.privatise import privatise
from fortrancl.diagnostics import StepError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.expr import Literal_
from fortrancl.ir.interpret import interpret
from fortrancl.ir.kernel import FixedParameter
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.types import INTEGER4
from fortrancl.ir.verify import verify
from fortrancl.transform import TRANSFORMATIONS as lp
from fortrancl.transform.fuse import fuse_kernels, joined_name, sequence


def part(name, declarations, *statements):
    return privatise(build_kernel(name, declarations, statements))


def step(name, target="y", factor=2):
    return part(
        name,
        f"n; x(n); {target}(n); temp t",
        ("t", f"{factor}*x[i]", {"i": "n"}),
        (f"{target}[i]", f"{target}[i] + t", {"i": "n"}),
    )


def refusal(*arguments, **named):
    with pytest.raises(StepError) as refused:
        fuse_kernels(*arguments, **named)
    return refused.value


def test_loops_are_shared_and_only_clashing_names_change():
    first = step("k_a")
    second = part("k_b", "n; x(n); z(n); temp t; temp own", *[
        ("t", "3*x[i]", {"i": "n"}), ("own", "t + 1", {"i": "n"}), ("z[i]", "own", {"i": "n"}),
    ])  # fmt: skip
    fused = fuse_kernels([first, second], suffixes=["_a", "_b"])
    verify(fused)
    assert dump_tree(fused).splitlines() == [
        "for i = 0 .. n - 1",
        "  s0_a: t_a = 2*x[i]",
        "  s1_a: y[i] = y[i] + t_a",
        "  s0_b: t_b = 3*x[i]",
        "  s1_b: own = t_b + 1",
        "  s2: z[i] = own",
    ]
    assert fused.name == "k_ab"
    assert [a.name for a in fused.arguments] == ["n", "x", "y", "z"]
    assert {t.name: t.private_to for t in fused.temporaries} == {"t_a": ("i",), "t_b": ("i",), "own": ("i",)}


def test_without_suffixes_the_first_keeps_its_names():
    fused = fuse_kernels([step("a"), step("b", "z")])
    verify(fused)
    assert [t.name for t in fused.temporaries] == ["t", "t_0"]
    assert [s.id for s in fused.statements] == ["s0", "s1", "s0_0", "s1_0"]
    assert fused.name == "a_and_b"
    assert fuse_kernels([step("a"), step("b", "z")], name="both").name == "both"


def test_names():
    assert joined_name(["volume_r", "volume_s"], ["_r", "_s"]) == "volume_rs"
    assert joined_name(["ax", "ay"], ["x", "y"]) == "axy"
    assert joined_name(["volume_r", "other"], ["_r", "_s"]) == "volume_r_and_other"


def test_case_does_not_tell_names_apart():
    second = part("b", "N; X(N); z(N); temp T", ("T", "X[I]", {"I": "N"}), ("z[I]", "T", {"I": "N"}))
    fused = fuse_kernels([step("a"), second], suffixes=["_a", "_b"])
    verify(fused)
    assert [a.name for a in fused.arguments] == ["n", "x", "y", "z"]
    assert [t.name for t in fused.temporaries] == ["t_a", "T_b"]
    assert len(fused.inames) == 1


def test_a_local_gives_way_to_an_argument():
    first = part("a", "n; y(n); temp x", ("x", "y[i]", {"i": "n"}), ("y[i]", "2*x", {"i": "n"}))
    second = part("b", "n; x(n)", ("x[i]", "1", {"i": "n"}))
    fused = fuse_kernels([first, second], suffixes=["_a", "_b"])
    verify(fused)
    assert [t.name for t in fused.temporaries] == ["x_a"]
    assert "x" in fused.argument_by_name


def test_loops_of_other_range_stay_apart():
    first = part("a", "n; m; x(n)", ("x[i]", "0", {"i": "n"}))
    second = part("b", "n; m; y(m)", ("y[i]", "0", {"i": "m"}))
    fused = fuse_kernels([first, second], suffixes=["_a", "_b"])
    verify(fused)
    assert dump_tree(fused).splitlines() == [
        "for i = 0 .. n - 1", "  s0_a: x[i] = 0", "for i_b = 0 .. m - 1", "  s0_b: y[i_b] = 0",
    ]  # fmt: skip


def test_an_outer_loop_that_may_be_empty_does_not_matter():
    first = part("a", "n; m; x(n,m)", ("x[i,j]", "0", {"i": "n", "j": "m"}))
    second = part("b", "n; y(n)", ("y[i]", "0", {"i": "n"}))
    fused = fuse_kernels([first, second])
    assert [line.split(":")[0].strip() for line in dump_tree(fused).splitlines()] == [
        "for i = 0 .. n - 1", "for j = 0 .. m - 1", "s0", "s0_0",
    ]  # fmt: skip


def test_the_later_nest_takes_the_first_ones_order():
    first = part("a", "n; x(n,n)", ("x[i,j]", "1", {"j": "n", "i": "n"}))
    second = part("b", "n; y(n,n)", ("y[i,j]", "2", {"i": "n", "j": "n"}))
    fused = fuse_kernels([first, second], suffixes=["_a", "_b"])
    assert dump_tree(fused).splitlines() == [
        "for j = 0 .. n - 1", "  for i = 0 .. n - 1", "    s0_a: x[i, j] = 1", "    s0_b: y[i, j] = 2",
    ]  # fmt: skip


def test_an_interchange_that_is_not_allowed_is_refused():
    first = part("a", "n; x(n,n)", ("x[i,j]", "1", {"j": "n", "i": "n"}))
    skewed = part("b", "n; y(n,n)", ("y[i,j+1]", "y[i+1,j]", {"i": "n-1", "j": "n-1"}))
    same_range = part("a", "n; x(n,n)", ("x[i,j]", "1", {"j": "n-1", "i": "n-1"}))
    assert fuse_kernels([first, skewed]) is not None  # other ranges: nothing to interchange
    error = refusal([same_range, skewed])
    assert isinstance(error, LegalityError) and error.code == "FCL301" and error.argument == "kernels"


def test_reading_what_a_later_iteration_writes_is_refused_with_the_pair():
    first = part("a", "n; x(n); y(n)", ("y[i]", "x[i]", {"i": "n-1"}))
    second = part("b", "n; y(n); z(n)", ("z[i]", "y[n-2-i]", {"i": "n-1"}))
    error = refusal([first, second])
    assert isinstance(error, LegalityError) and error.code == "FCL301"
    witness = error.witness
    assert witness is not None and witness.array == "y"
    n = witness.parameters["n"]
    # A true pair: the value is written in a later shared iteration than it is read.
    assert witness.source_values["i"] == n - 2 - witness.sink_values["i"] > witness.sink_values["i"]


def test_forward_in_the_same_iteration_or_later_is_allowed():
    first = part("a", "n; x(n); y(n)", ("y[i+1]", "x[i]", {"i": "n-1"}))
    second = part("b", "n; y(n); z(n)", ("z[i]", "y[i+1] + y[i]", {"i": "n-1"}))
    verify(fuse_kernels([first, second], data_flow=[("y", 0, 1)]))


def sums(name, weight):
    return part(name, "n; real4 x(n); real4 a(n,n)", ("x[i]", f"x[i] + {weight}*a[i,k]", {"i": "n", "k": "n"}))


def test_sums_change_their_order_only_with_permission():
    error = refusal([sums("a", 2), sums("b", 3)])
    assert isinstance(error, LegalityError) and error.code == "FCL301"
    assert any("allow_reassociation" in hint for hint in error.hints)
    free = [lp["allow_reassociation"](kernel, "x") for kernel in (sums("a", 2), sums("b", 3))]
    verify(fuse_kernels(free))


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("n; real4 x(n)", "is real(8) in 'a' and real(4) in 'b'"),
        ("n; x(n,n)", "one shape"),
        ("n; x(2*n)", "one shape"),
        ("n; x(*)", "one shape"),
        ("n; real8 x", "one shape"),
    ],
)
def test_arguments_that_are_not_one(second, words):
    first = part("a", "n; x(n)", ("x[i]", "0", {"i": "n"}))
    target = "x[0,0]" if "n,n" in second else "x" if second.endswith(" x") else "x[0]"
    error = refusal([first, part("b", second, (target, "1", {}))])
    assert error.code == "FCL290" and words in error.message and "'x'" in error.message


def test_what_one_takes_as_a_size_the_other_must_not_write():
    first = part("a", "n; x(n)", ("x[i]", "0", {"i": "n"}))
    second = part("b", "n; z(8)", ("n", "z[0]", {}))
    assert refusal([first, second]).code == "FCL290"
    assert refusal([second, first]).code == "FCL290"


def test_fixed_values_must_agree():
    def fixed(name, value):
        return lp["fix_parameters"](part(name, "n; m; x(m)", ("x[i]", "n", {"i": "m"})), n=value)

    assert refusal([fixed("a", 3), fixed("b", 4)]).code == "FCL290"
    both = fuse_kernels([fixed("a", 3), lp["rename_kernel"](fixed("b", 3), "b", "c")])
    assert both.fixed == (FixedParameter("n", Literal_(3, INTEGER4)),)


def test_arguments_of_the_step():
    a, b = step("a"), step("b", "z")
    assert refusal([]).code == "FCL252"
    assert refusal([a, b], suffixes=["_a"]).argument == "suffixes"
    assert refusal([a, b], suffixes=["_a", "_A"]).argument == "suffixes"
    assert refusal([a, b], suffixes=["_a", "-b"]).argument == "suffixes"
    assert refusal([a, b], name="no name").argument == "name"
    assert refusal([a, b], data_flow=[("y", 1, 0)]).code == "FCL290"
    assert refusal([a, b], data_flow=[("y", 0, 1)]).value == "y"
    assert refusal([a, b], data_flow=[("t", 0, 1)]).value == "t"


def test_tagged_loops_are_one_where_their_tags_agree():
    a, b = (lp["tag_inames"](step(name, target), {"i": "g.0"}) for name, target in (("a", "y"), ("b", "z")))
    assert len(fuse_kernels([a, b]).inames) == 1
    assert len(fuse_kernels([a, step("b", "z")]).inames) == 2


def test_rules_that_say_the_same_are_one():
    a, b = (
        lp["extract_subst"](step(name, target, factor), "twice", "2*x[j]", parameters="j")
        for name, target, factor in (("a", "y", 2), ("b", "z", 2))
    )
    fused = fuse_kernels([a, b], suffixes=["_a", "_b"])
    verify(fused)
    assert [rule.name for rule in fused.rules] == ["twice"]
    other = lp["extract_subst"](step("b", "z", 3), "twice", "3*x[j]", parameters="j")
    fused = fuse_kernels([a, other], suffixes=["_a", "_b"])
    verify(fused)
    assert [rule.name for rule in fused.rules] == ["twice_a", "twice_b"]


def test_three_parts_compute_what_they_compute_one_after_another():
    shifted = part("c", "n; y(n); z(n)", ("z[i]", "z[i] + y[i]", {"i": "n"}))
    kernels = [step("a"), step("b", "z", 5), shifted]
    fused = fuse_kernels(kernels, suffixes=["_a", "_b", "_c"])
    verify(fused)
    assert dump_tree(fused).count("for ") == 1
    arrays = {name: np.arange(start, start + 6.0) for name, start in (("x", 1), ("y", 2), ("z", 3))}
    expected = interpret(sequence(kernels, "all"), arrays, {"n": 6})
    found = interpret(fused, arrays, {"n": 6})
    for name in arrays:
        np.testing.assert_array_equal(found[name], expected[name])
