"""What the judge decides: dependences, lanes, groups, live ranges, bounds. Decisions, not numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fortrancl.analysis.bounds import copy_ranges, launch_checks, require_bounds
from fortrancl.analysis.legality import LegalityError, require_legal
from fortrancl.analysis.privatise import privatise, uninitialised_reads
from fortrancl.diagnostics import CompileError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.kernel import Guard
from fortrancl.ir.text import expr_text
from fortrancl.schedule.build import finalise
from fortrancl.transform import TRANSFORMATIONS as lp


def refused(step) -> LegalityError:
    with pytest.raises(LegalityError) as error:
        step()
    return error.value


def test_a_recurrence_runs_neither_as_groups_nor_as_work_items():
    kernel = build_kernel("k", "n; x(n)", [("x[i+1]", "x[i] + 1", {"i": "n-1"})])
    for tag in ("g.0", "l.0"):
        error = refused(lambda tag=tag: lp["tag_inames"](kernel, {"i": tag}))
        assert error.code == "FCL303"
        assert "which iteration i=" in error.notes[0]


def test_split_keeps_a_recurrence_in_one_work_item_legal():
    kernel = build_kernel("k", "n; x(n,n)", [("x[i+1,j]", "x[i,j] + 1", {"j": "n", "i": "n-1"})])
    kernel = lp["tag_inames"](kernel, {"j": "g.0"})
    require_legal(finalise(kernel))


def test_distribution_across_a_backward_dependence():
    kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "y[i]", {"i": "n-1"}), ("y[i+1]", "x[i] + 1", {"i": "n-1"})])
    error = refused(lambda: lp["rename_iname"](kernel, "i", "i2", within="writes:y"))
    assert error.code == "FCL301"
    assert error.witness is not None
    assert error.witness.array in ("x", "y")


def test_injective_map_makes_a_scatter_parallel():
    kernel = build_kernel("k", "n; x(n); int map(n); y(n)", [("x[map[i]-1]", "y[i]", {"i": "n"})])
    error = refused(lambda: lp["tag_inames"](kernel, {"i": "g.0"}))
    assert error.code == "FCL302"
    assert any("assume_injective" in hint for hint in error.hints)
    promised = lp["assume_injective"](kernel, "map")
    require_legal(finalise(lp["tag_inames"](promised, {"i": "g.0"})))


def test_injective_map_does_not_excuse_another_access():
    kernel = build_kernel("k", "n; x(n); int map(n)", [("x[map[i]-1]", "x[i] + 1", {"i": "n"})])
    promised = lp["assume_injective"](kernel, "map")
    assert refused(lambda: lp["tag_inames"](promised, {"i": "g.0"})).code == "FCL302"


def test_real_sum_keeps_its_order_without_permission():
    kernel = build_kernel("k", "n; x(n); y(n,n)", [("x[i]", "x[i] + y[i,k]", {"k": "n", "i": "n"})])
    kernel = lp["prioritize_loops"](kernel, "i, k")
    assert (
        refused(
            lambda: lp["prioritize_loops"](
                build_kernel("k", "n; temp s; y(n,n)", [("s", "s + y[i,k]", {"k": "n", "i": "n"})]), "i, k"
            )
        ).code
        == "FCL301"
    )
    allowed = lp["allow_reassociation"](
        build_kernel("k", "n; temp s; y(n,n)", [("s", "s + y[i,k]", {"k": "n", "i": "n"})]), "s"
    )
    lp["prioritize_loops"](allowed, "i, k")


def test_integer_sum_may_be_reordered():
    kernel = build_kernel("k", "n; temp int s; int y(n,n)", [("s", "s + y[i,k]", {"k": "n", "i": "n"})])
    lp["prioritize_loops"](kernel, "i, k")


def test_permission_does_not_excuse_a_race():
    kernel = build_kernel("k", "n; m; x(m); y(m,n)", [("x[i]", "x[i] + y[i,k]", {"k": "n", "i": "m"})])
    kernel = lp["allow_reassociation"](kernel, "x")
    assert refused(lambda: require_legal(finalise(lp["tag_inames"](kernel, {"k": "g.0"})))).code in ("FCL303", "FCL305")
    atomic = lp["set_atomic"](kernel, "x")
    require_legal(finalise(lp["tag_inames"](atomic, {"k": "g.0"})))


def test_scalar_is_private_to_the_loop_that_defines_it():
    kernel = privatise(
        build_kernel(
            "k", "n; x(n,n); temp t", [("t", "0", {"j": "n"}), ("t", "t + x[i,j]", {"j": "n", "i": "n"}),
                                        ("x[0,j]", "t", {"j": "n"})]
        )
    )  # fmt: skip
    assert kernel.temporary_by_name["t"].private_to == ("j",)
    require_legal(finalise(lp["tag_inames"](kernel, {"j": "g.0"})))


def test_scalar_that_lives_across_iterations_is_not_private():
    kernel = privatise(
        build_kernel("k", "n; x(n); temp t", [("t", "0", {}), ("x[i]", "t", {"i": "n"}), ("t", "x[i]", {"i": "n"})])
    )
    assert kernel.temporary_by_name["t"].private_to == ()
    assert refused(lambda: lp["tag_inames"](kernel, {"i": "l.0"})).code == "FCL303"


def test_conditional_definition_does_not_count():
    kernel = build_kernel(
        "k", "n; x(n); temp t; temp logical p", [("p", "x[i] > 0", {"i": "n"}), ("t", "1", {"i": "n"}),
                                                  ("x[i]", "t", {"i": "n"})]
    )  # fmt: skip
    guarded = kernel.with_statements({"s1": replace(kernel.statement_by_id["s1"], guards=(Guard("p"),))})
    assert privatise(guarded).temporary_by_name["t"].private_to == ()
    assert [read.array for read in uninitialised_reads(guarded)] == ["t"]
    both = guarded.with_statements({"s2": replace(guarded.statement_by_id["s2"], guards=(Guard("p"),))})
    assert privatise(both).temporary_by_name["t"].private_to == ("i",)


def test_out_of_bounds_for_every_size():
    kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "y[n]", {"i": "n"})])
    with pytest.raises(CompileError) as error:
        require_bounds(kernel)
    assert error.value.diagnostics[0].code == "FCL309"


def test_out_of_bounds_for_some_sizes_is_checked_at_launch():
    kernel = build_kernel("k", "n; m; x(n)", [("x[i]", "0", {"i": "m"})])
    require_bounds(kernel)
    checks = launch_checks(kernel)
    assert len(checks) == 1
    assert "subscript 1 of 'x'" in checks[0].message
    assert not launch_checks(lp["assume"](kernel, "m <= n"))


def test_copy_ranges_follow_the_footprint():
    kernel = build_kernel("k", "n; x(*); y(n)", [("y[i]", "x[2*i+3]", {"i": "n"})])
    ranges = copy_ranges(kernel)
    assert expr_text(ranges["x"].first) == "3"
    assert "2*n" in expr_text(ranges["x"].last)
    assert (ranges["x"].copy_in, ranges["x"].copy_out) == (True, False)
    assert (ranges["y"].copy_in, ranges["y"].copy_out) == (False, True)


def test_partly_written_arrays_are_copied_in():
    kernel = build_kernel("k", "n; x(n,n)", [("x[2*i,j]", "0", {"j": "n", "i": "n/2"})])
    assert copy_ranges(kernel)["x"].copy_in


def test_assumed_size_through_data_needs_a_promise():
    kernel = build_kernel("k", "n; x(*); int map(n); y(n)", [("y[i]", "x[map[i]]", {"i": "n"})])
    with pytest.raises(CompileError) as error:
        copy_ranges(kernel)
    assert error.value.diagnostics[0].code == "FCL311"
    assert "x" in copy_ranges(lp["assume_extent"](kernel, "x", "3*n"))


def test_two_lanes_writing_one_element_race():
    kernel = build_kernel("k", "n; x(8)", [("x[i]", "j", {"j": "8", "i": "8"})])
    kernel = lp["tag_inames"](kernel, {"i": "l.0"})
    assert refused(lambda: require_legal(finalise(lp["tag_inames"](kernel, {"j": "l.1"})))).code in ("FCL303", "FCL304")


def test_group_that_reads_what_only_group_zero_writes():
    kernel = build_kernel("k", "n; x(n); y(n)", [("y[0]", "1", {}), ("x[i]", "y[0]", {"i": "n"})])
    tagged = lp["tag_inames"](kernel, {"i": "g.0"})
    assert refused(lambda: require_legal(finalise(tagged))).code == "FCL305"
    require_legal(finalise(lp["add_barrier"](tagged, "writes:y", "writes:x")))


def time_stepping():
    kernel = build_kernel(
        "k",
        "n; steps; x(n); y(n)",
        [("y[i]", "x[n-1-i]", {"t": "steps", "i": "n"}), ("x[j]", "y[n-1-j] + 1", {"t": "steps", "j": "n"})],
    )
    kernel = lp["add_barrier"](kernel, "writes:y", "writes:x")
    return lp["tag_inames"](kernel, {"i": "g.0", "j": "g.0"})


def test_iterations_of_a_host_loop_are_launches_of_their_own():
    require_legal(finalise(time_stepping()))


def test_what_stands_beside_a_host_loop_is_another_launch():
    kernel = build_kernel(
        "k",
        "n; steps; x(n); y(n)",
        [
            ("x[m]", "m", {"m": "n"}),
            ("y[i]", "x[n-1-i]", {"t": "steps", "i": "n"}),
            ("x[j]", "y[n-1-j] + 1", {"t": "steps", "j": "n"}),
        ],
    )
    kernel = lp["add_barrier"](kernel, "id:s1", "id:s2")
    require_legal(finalise(lp["tag_inames"](kernel, {"i": "g.0", "j": "g.0", "m": "g.0"})))
