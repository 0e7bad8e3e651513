"""The further vocabulary: what is accepted and computes the same, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from fortrancl.analysis.legality import require_legal
from fortrancl.analysis.privatise import privatise
from fortrancl.analysis.witness import integer_value
from fortrancl.diagnostics import CompileError, StepError
from fortrancl.ir.arithmetic import dtype_of
from fortrancl.ir.build import build_kernel
from fortrancl.ir.interpret import interpret
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.text import expr_text
from fortrancl.ir.verify import verify
from fortrancl.schedule.build import finalise, plan
from fortrancl.schedule.execute import execute
from fortrancl.target.opencl import generate
from fortrancl.transform import TRANSFORMATIONS as lp
from tests.support.launch import run_plan


def refusal(step: str, *arguments: object, **options: object) -> StepError:
    with pytest.raises(StepError) as refused:
        lp[step](*arguments, **options)
    return refused.value


def made(declarations: str, *statements: tuple[str, str, Mapping[str, str]]) -> Kernel:
    return privatise(build_kernel("k", declarations, statements))


def arrays_of(kernel: Kernel, scalars: Mapping[str, int]) -> dict[str, Any]:
    rng = np.random.default_rng(7)
    result = {}
    for argument in kernel.arguments:
        if argument.shape:
            shape = tuple(integer_value(dim.extent, scalars) for dim in argument.shape if dim.extent is not None)
            result[argument.name] = np.asfortranarray(rng.integers(1, 9, shape).astype(dtype_of(argument.type)))
    return result


def same(before: Kernel, after: Kernel, n: int = 7) -> None:
    """Both compute the same, bit for bit: in order, as a device would with its lanes in random order, and on PoCL."""
    verify(after)
    scalars = {"n": n} if "n" in before.argument_by_name else {}
    arrays = arrays_of(before, scalars)
    expected = interpret(before, arrays, scalars)
    final = finalise(after)
    require_legal(final)
    done = plan(final)
    has_lanes = any(iname.tag is not None and iname.tag.is_lane for iname in final.inames)
    found = [] if has_lanes else [interpret(final, arrays, scalars)]
    found += [execute(done, arrays, scalars, seed=seed) for seed in range(3)]
    found.append(run_plan(done, arrays, scalars))
    for result in found:
        for name, value in expected.items():
            np.testing.assert_array_equal(result[name], value, err_msg=name)


# -- storage of local variables ---------------------------------------------------------------------------------
ROUND = ("t[i]", "x[i]", {"i": "8"}), ("y[j]", "t[7-j]", {"j": "8"})


def test_address_spaces_are_taken_from_the_script():
    kernel = made("x(8); y(8); temp t(8)", *ROUND)
    for space in ("private", "local", "global"):
        assert lp["set_temporary_scope"](kernel, "T", space.upper()).temporary_by_name["t"].address_space == space
    lanes = lp["tag_inames"](kernel, {"i": "l.0", "j": "l.0"})
    same(kernel, lp["set_temporary_address_space"](lanes, ["t"], "local"))


def test_a_memory_that_the_reader_cannot_see_is_refused():
    kernel = lp["tag_inames"](made("x(8); y(8); temp t(8)", *ROUND), {"i": "l.0", "j": "l.0"})
    error = refusal("set_temporary_address_space", kernel, "t", "private")
    assert (error.code, error.argument) == ("FCL304", "address_space")
    early = lp["set_temporary_address_space"](made("x(8); y(8); temp t(8)", *ROUND), "t", "private")
    with pytest.raises(StepError) as refused:
        require_legal(finalise(lp["tag_inames"](early, {"i": "l.0", "j": "l.0"})))
    assert refused.value.code == "FCL304"


def test_address_spaces_have_names():
    kernel = made("x(8); y(8); temp t(8)", *ROUND)
    assert refusal("set_temporary_address_space", kernel, "t", "shared").code == "FCL252"
    assert refusal("set_temporary_address_space", kernel, "u", "local").code == "FCL268"
    assert refusal("set_temporary_address_space", kernel, "", "local").code == "FCL261"


SCALAR = ("t", "2*x[i]", {"i": "8"}), ("y[i]", "t + 1", {"i": "8"})


def test_each_iteration_gets_its_own_cell():
    kernel = made("x(8); y(8); temp t", *SCALAR)
    apart = lp["privatize_temporaries_with_inames"](kernel, "i")
    assert dump_tree(apart).splitlines()[1:] == ["  s0: t[i] = 2*x[i]", "  s1: y[i] = t[i] + 1"]
    same(kernel, apart)
    # Now the loop can be parted, which one cell would not allow.
    assert refusal("rename_iname", kernel, "i", "i2", within="writes:y").code == "FCL301"
    same(kernel, lp["rename_iname"](apart, "i", "i2", within="writes:y"))


def test_cells_go_through_rules_and_behind_other_subscripts():
    kernel = made(
        "x(8); y(8); temp t(4)",
        ("t[k]", "k*x[i]", {"i": "8", "k": "4"}),
        ("y[i]", "y[i] + t[m] + t[0]", {"i": "8", "m": "4"}),
    )
    kernel = lp["extract_subst"](kernel, "r", "t[i]", parameters="i")
    apart = lp["privatize_temporaries_with_inames"](kernel, {"i"}, only_var_names="t")
    assert [str(dim.extent.value) for dim in apart.temporary_by_name["t"].shape] == ["4", "8"]  # type: ignore[union-attr]
    assert [(rule.parameters, expr_text(rule.body)) for rule in apart.rules] == [(("i_",), "t[i_, i]")]
    same(kernel, apart)


def test_guards_get_the_subscript_too():
    from dataclasses import replace

    from fortrancl.ir.kernel import Guard

    kernel = build_kernel("k", "x(8); y(8); temp logical p", [("p", "x[i] > 4", {"i": "8"}), ("y[i]", "0", {"i": "8"})])
    guarded = replace(kernel.statement_by_id["s1"], guards=(Guard("p"),))
    kernel = privatise(kernel.with_statements({"s1": guarded}))
    apart = lp["privatize_temporaries_with_inames"](kernel, "i")
    assert "if (p[i])" in dump_tree(apart)
    same(kernel, apart)


def test_values_that_pass_between_iterations_stay_in_one_cell():
    kernel = made("x(8); y(8); temp s", ("s", "0", {}), ("s", "s + x[i]", {"i": "8"}), ("y[0]", "s", {}))
    error = refusal("privatize_temporaries_with_inames", kernel, "i", only_var_names=["s"])
    assert error.code == "FCL285"
    running = made("x(8); y(8); temp s(8)", ("s[i]", "x[i]", {"i": "8"}), ("y[i]", "s[0]", {"i": "8"}))
    error = refusal("privatize_temporaries_with_inames", running, "i")
    assert (error.code, error.value) == ("FCL313", "s")
    assert refusal("privatize_temporaries_with_inames", kernel, "i").code == "FCL261"


def test_cells_have_a_constant_number():
    kernel = made("n; x(n); temp t", ("t", "x[i]", {"i": "n"}), ("x[i]", "t", {"i": "n"}))
    assert refusal("privatize_temporaries_with_inames", kernel, "i").code == "FCL264"
    same(kernel, lp["privatize_temporaries_with_inames"](lp["split_iname"](kernel, "i", 4), "i_inner"))


# -- shared storage ---------------------------------------------------------------------------------------------
IN_TURN = (
    ("a[i]", "x[i]", {"e": "n", "i": "8"}),
    ("y[j,e]", "2*a[7-j]", {"e": "n", "j": "8"}),
    ("b[k]", "3*x[k]", {"e": "n", "k": "8"}),
    ("y[m,e]", "y[m,e] + b[7-m]", {"e": "n", "m": "8"}),
)
TURNS = "n; x(8); y(8,n); temp a(8); temp b(8)"
LANES = {"e": "g.0", "i": "l.0", "j": "l.0", "k": "l.0", "m": "l.0"}


def test_variables_in_turn_share_storage_with_the_barriers_that_they_need():
    kernel = made(TURNS, *IN_TURN)
    same(kernel, lp["alias_temporaries"](kernel, "a,b"))
    lanes = lp["tag_inames"](kernel, LANES)
    apart, shared = (generate(plan(k)).text for k in (lanes, lp["alias_temporaries"](lanes, "a,b", "buf")))
    assert (apart.count("__local"), shared.count("__local")) == (2, 1)
    assert (apart.count("barrier("), shared.count("barrier(")) == (2, 3)
    assert "__local double buf[8];" in shared
    assert "buf[7 - m]" in shared
    same(kernel, lp["alias_temporaries"](lanes, "a,b"))


def test_without_the_barrier_of_shared_storage_the_interpreter_sees_the_race():
    from dataclasses import replace

    from fortrancl.ir.memory import ExecutionError
    from fortrancl.ir.tree import Barrier, Block

    lanes = lp["alias_temporaries"](lp["tag_inames"](made(TURNS, *IN_TURN), LANES), "a,b")
    final = finalise(lanes)
    children = list(final.tree.children)
    tree = Block((children[0], Barrier("local"), children[1], children[2], Barrier("local"), children[3]))
    arrays = {"x": np.arange(8.0), "y": np.zeros((8, 1), order="F")}
    with pytest.raises(ExecutionError):
        interpret(replace(final, tree=tree), arrays, {"n": 1})


def test_storage_is_as_large_as_the_largest_and_scalars_may_share_it():
    kernel = made(
        "n; x(8); y(8,n); temp a; temp b(8)",
        ("a", "x[0]", {"e": "n"}),
        ("y[j,e]", "2*a", {"e": "n", "j": "8"}),
        ("b[k]", "3*x[k]", {"e": "n", "k": "8"}),
        ("y[m,e]", "y[m,e] + b[7-m]", {"e": "n", "m": "8"}),
    )
    shared = lp["alias_temporaries"](kernel, ["a", "b"])
    assert "double a_and_b[8];" in generate(plan(shared)).text
    same(kernel, shared)
    scalars = made(
        "x(8); y(8); temp a; temp b",
        ("a", "x[i]", {"i": "8"}),
        ("y[i]", "a", {"i": "8"}),
        ("b", "x[i]", {"i": "8"}),
        ("x[i]", "2*b", {"i": "8"}),
    )
    same(scalars, lp["alias_temporaries"](scalars, ["a", "b"]))


def test_values_needed_at_one_time_do_not_share():
    both = made(
        "x(8); y(8); temp a(8); temp b(8)",
        ("a[i]", "x[i]", {"i": "8"}),
        ("b[i]", "y[i]", {"i": "8"}),
        ("x[j]", "a[j]", {"j": "8"}),
        ("y[m]", "b[m]", {"m": "8"}),
    )
    error = refusal("alias_temporaries", both, "a, b")
    assert (error.code, error.argument) == ("FCL314", "names")
    assert "before statement s2" in error.notes[0] or "before statement s3" in error.notes[0]
    # One statement that reads the one and writes the other: its cells need not be the same.
    handed = made(
        "x(8); y(8); temp a(8); temp b(8)",
        ("a[i]", "x[i]", {"i": "8"}),
        ("b[j]", "a[7-j]", {"j": "8"}),
        ("y[m]", "b[m]", {"m": "8"}),
    )
    assert refusal("alias_temporaries", handed, "a, b").code == "FCL314"


def test_shared_storage_survives_later_steps():
    kernel = lp["alias_temporaries"](made(TURNS, *IN_TURN), "a,b")
    same(kernel, lp["split_iname"](kernel, "j", 4))
    # All of b's statements may go to a loop of their own; b's fill alone may not.
    same(kernel, lp["duplicate_inames"](kernel, "e", "writes:b or reads:b", new_inames="e2"))
    assert refusal("duplicate_inames", kernel, "e", "writes:b", new_inames="e2").code == "FCL301"


def test_memories_of_shared_storage_agree_when_the_script_ends():
    lanes = lp["tag_inames"](made(TURNS, *IN_TURN), {"e": "g.0", "i": "l.0", "j": "l.0"})
    mixed = lp["alias_temporaries"](lanes, "a,b")
    with pytest.raises(StepError) as refused:
        require_legal(finalise(mixed))
    assert refused.value.code == "FCL314"
    assert "'a' is local" in refused.value.notes[0]


@pytest.mark.parametrize(
    ("names", "code"), [("a", "FCL252"), ("a, a", "FCL252"), ("a, q", "FCL268"), ("a, c", "FCL285"), ("a, x", "FCL268")]
)
def test_what_shares_storage_is_two_variables_of_one_type(names, code):
    kernel = made(f"{TURNS}; temp int c", *IN_TURN, ("c", "1", {}))
    assert refusal("alias_temporaries", kernel, names).code == code


def test_shared_storage_counts_once_against_local_memory():
    from fortrancl.ir.limits import DeviceLimits

    lanes = lp["tag_inames"](made(TURNS, *IN_TURN), LANES)
    tight = DeviceLimits(local_bytes=100)
    with pytest.raises(CompileError):
        plan(lanes, tight)
    plan(lp["alias_temporaries"](lanes, "a,b"), tight)


# -- algebra ----------------------------------------------------------------------------------------------------
BOTH_SIDES = (
    ("s[k]", "0", {"i": "n", "k": "4"}),
    ("s[k1]", "s[k1] - (w[k1,i]*y[i])*z[j]", {"i": "n", "j": "n", "k1": "4"}),
    ("s[k2]", "s[k2] + z[m]*(y[i]*w[k2,i])", {"i": "n", "m": "n", "k2": "4"}),
    ("x[k3,i]", "x[k3,i] + s[k3]", {"i": "n", "k3": "4"}),
)
SUMS = "n; x(4,n); y(n); z(n); w(4,n); temp s(4)"


def test_common_factors_are_multiplied_where_the_sum_is_read():
    kernel = made(SUMS, *BOTH_SIDES)
    same(kernel, lp["collect_common_factors_on_increment"](kernel, "s", vary_by_axes=[0]))
    one = dump_tree(lp["collect_common_factors_on_increment"](kernel, "S"))
    assert "s[k1] = s[k1] - w[k1, i]*z[j]" in one
    assert "x[k3, i] = x[k3, i] + s[k3]*y[i]" in one
    both = lp["collect_common_factors_on_increment"](kernel, "s", vary_by_axes=("0",))
    assert "s[k1] = s[k1] - z[j]" in dump_tree(both)
    assert "x[k3, i] = x[k3, i] + s[k3]*w[k3, i]*y[i]" in dump_tree(both)
    assert "round otherwise" in both.notes[-1].message


def test_common_factors_are_seen_through_rules_and_reads_in_rules_get_them():
    kernel = made(SUMS, *BOTH_SIDES)
    kernel = lp["extract_subst"](kernel, "left", "w[a,i]*y[i]", parameters="a")
    kernel = lp["extract_subst"](kernel, "sum", "s[a]", parameters="a", within="writes:x")
    assert dump_tree(kernel).count("left(") == 1
    after = lp["collect_common_factors_on_increment"](kernel, "s", vary_by_axes=[0])
    same(kernel, after)


def test_what_is_no_sum_or_no_common_factor_is_refused():
    kernel = made(SUMS, *BOTH_SIDES)
    assert refusal("collect_common_factors_on_increment", kernel, "s", vary_by_axes=[1]).code == "FCL252"
    assert refusal("collect_common_factors_on_increment", kernel, "x").code == "FCL268"
    started = made(SUMS, ("s[k]", "1", {"i": "n", "k": "4"}), *BOTH_SIDES[1:])
    assert refusal("collect_common_factors_on_increment", started, "s").code == "FCL286"
    # The factor that the kernel changes, and one that is another value for each update.
    written = made(SUMS, *BOTH_SIDES[:3], ("y[i]", "s[0]", {"i": "n"}))
    assert refusal("collect_common_factors_on_increment", written, "s").code == "FCL261"
    summed = made(
        "n; x(n); z(n); temp s",
        ("s", "0", {"i": "n"}),
        ("s", "s + z[j]*z[j]", {"i": "n", "j": "n"}),
        ("x[i]", "s", {"i": "n"}),
    )
    assert refusal("collect_common_factors_on_increment", summed, "s").code == "FCL261"
    # Where nothing was added the factor may be out of bounds.
    wider = made(
        "n; x(9); y(n); z(n); temp s(9)",
        ("s[k]", "0", {"k": "9"}),
        ("s[i]", "s[i] + y[i]*z[j]", {"i": "4", "j": "n"}),
        ("x[m]", "s[m]", {"m": "9"}),
    )
    assert refusal("collect_common_factors_on_increment", wider, "s", vary_by_axes=[0]).code == "FCL286"
    wider = lp["assume"](wider, "n >= 9")
    same(wider, lp["collect_common_factors_on_increment"](wider, "s", vary_by_axes=[0]), n=9)


@pytest.mark.parametrize(
    ("value", "folded"),
    [
        ("2*3 + m[i]", "6 + m[i]"),
        ("m[i]*1 + 0", "m[i]"),
        ("(7/2)*m[i]", "3*m[i]"),
        ("7/0", "7/0"),
        ("2147483647 + 1", "2147483647 + 1"),
        ("-(3)", "-3"),
        ("m[i] - 0", "m[i]"),
        ("0 - m[i]", "0 - m[i]"),
        ("min(2, 3)", "min(2, 3)"),
    ],
)
def test_integer_constants_fold(value, folded):
    kernel = made("n; int m(n)", ("m[i]", value, {"i": "n"}))
    assert dump_tree(lp["fold_constants"](kernel)).endswith(f"m[i] = {folded}")


@pytest.mark.parametrize(
    ("value", "folded"),
    [
        ("0.5*0.25*x[i]", "0.125*x[i]"),
        ("1.0*x[i]", "x[i]"),
        ("x[i] + 0.0", "x[i] + 0.0"),
        ("1d0*x[i]", "1.0d0*x[i]"),
        ("x[i]/1.0", "x[i]"),
        ("real(2*3)*x[i]", "6.0*x[i]"),
        ("1.0/0.0", "1.0/0.0"),
    ],
)
def test_real_constants_fold_to_the_bits_of_their_kind(value, folded):
    kernel = made("n; real4 x(n)", ("x[i]", value, {"i": "n"}))
    after = lp["fold_constants"](kernel)
    assert dump_tree(after).endswith(f"x[i] = {folded}")
    same(kernel, after)


def test_indices_become_short_where_the_bounds_allow_it():
    kernel = made("n; x(4,n); y(4*n)", ("x[k,i]", "x[k,i] + y[4*i + k + 1 - 1]", {"i": "n", "k": "4"}))
    joined = lp["join_inames"](kernel, "i, k", "q")
    assert "y[floormod(q, 4) + 4*floordiv(q, 4)" in dump_tree(joined).replace(
        "4*floordiv(q, 4) + floormod(q, 4)", "floormod(q, 4) + 4*floordiv(q, 4)"
    )
    short = lp["simplify_indices"](joined)
    assert dump_tree(short).endswith("+ y[q]")
    same(kernel, short)


def test_fused_kernels_keep_their_shared_storage_apart():
    first = lp["alias_temporaries"](made(TURNS, *IN_TURN), "a,b", "buf")
    turned = tuple((target.replace("y[", "z["), value.replace("y[", "z["), loops) for target, value, loops in IN_TURN)
    second = lp["alias_temporaries"](made(TURNS.replace("y(", "z("), *turned), "a,b", "buf")
    fused = lp["fuse_kernels"]([first, second], suffixes=["_1", "_2"], name="both")
    verify(fused)
    assert sorted(map(len, fused.temporaries_by_base.values())) == [2, 2]
