"""Where barriers go: decisions by text, races by Oclgrind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.ir.kernel import Iname
from fortrancl.ir.types import INTEGER4
from fortrancl.schedule.build import plan
from fortrancl.target.opencl import generate
from tests.property.builders import array, local, size
from tests.support.build import ROOT
from tests.support.hand_kernels import CHECKS, G0, L0, one_lane, reduction, shift
from tests.support.launch import make_kernel
from tests.support.oclgrind import run_under_oclgrind


def lines(kernel):
    """The function's body, each line without its comment."""
    text = generate(plan(kernel)).text
    return [line.split("/*")[0].strip() for line in text[text.index("__kernel") :].splitlines()]


@pytest.mark.parametrize("name", CHECKS)
def test_numbers(name):
    CHECKS[name]()


def test_no_kernel_has_a_race(tmp_path: Path, pocl_env: dict[str, str]):
    env = pocl_env | {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    report = run_under_oclgrind([sys.executable, "-m", "tests.support.hand_kernels", *CHECKS], tmp_path, env)
    report.assert_clean()
    assert len(report.kernels) == len(CHECKS)


def test_a_value_of_one_work_item_needs_a_barrier_before_it_is_read_and_before_it_is_made_again():
    body = lines(one_lane())
    start = body.index("for (fcl_idx t = 0; t < steps; ++t) {")
    assert body[start + 1 : start + 6] == [
        "barrier(CLK_LOCAL_MEM_FENCE);",
        "if (ii == 0) {",
        "f = 2*w[t];",
        "}",
        "barrier(CLK_LOCAL_MEM_FENCE);",
    ]


def test_conflicts_in_global_memory_get_a_global_fence():
    body = lines(shift())
    assert body.count("barrier(CLK_GLOBAL_MEM_FENCE);") == 2
    assert not any("LOCAL" in line for line in body)


def test_each_half_of_a_reduction_waits_once_and_its_result_not_at_all():
    assert sum("barrier" in line for line in lines(reduction())) == 7


def far(distance):
    """x(i) of step t reads what a neighbour wrote ``distance`` steps before."""
    where = f"0 <= i < 64 and {distance} <= t < 9"
    return make_kernel(
        [array("x", 70, 20), array("y", 70)],
        [
            ("a", "x[i, t]", f"x[i+1, t-{distance}]", "t i", where),
            ("b", "y[i]", "y[i] + t", "t i", where),
        ],
        [["t", "a", "b"]],
        {"i": L0},
    )


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_one_barrier_anywhere_serves_a_carried_conflict(distance):
    assert sum("barrier" in line for line in lines(far(distance))) == 1


def nested(trip):
    """A fetch, a loop with its own barrier, a use: the inner barrier counts only if the loop surely runs."""
    where = "0 <= i < 32"
    inner = f"{where} and 0 <= k < {trip}"
    return make_kernel(
        [size("n"), array("x", 64), array("y", 64), local("t", 32, address_space="local"),
         local("u", 32, address_space="local")],
        [
            ("a", "t[i]", "x[i]", "i", where),
            ("b", "u[i]", "x[i] + k", "k i", inner),
            ("c", "y[i]", "y[i] + u[31-i]", "k i", inner),
            ("d", "y[i]", "y[i] + t[31-i]", "i", where),
        ],
        ["a", ["k", "b", "c"], "d"],
        {"i": L0},
    )  # fmt: skip


def test_a_barrier_in_a_loop_counts_only_if_the_loop_runs():
    assert sum("barrier" in line for line in lines(nested("4"))) == 2
    assert sum("barrier" in line for line in lines(nested("n"))) == 3


def test_one_work_item_needs_no_barrier():
    kernel = make_kernel(
        [array("x", 64), local("t", 8, address_space="local")],
        [("a", "t[j]", "x[j]", "j", "0 <= j < 8"), ("b", "x[j]", "t[7-j]", "j", "0 <= j < 8")],
        [["j", "a"], "|", ["j", "b"]],
    )
    assert not any("barrier" in line for line in lines(kernel))


def ragged(uniform):
    """A data-dependent loop with a conflict inside."""
    owner = ("o",) if uniform else ("o", "i")
    inames = "o" if uniform else "o i"
    where = "0 <= o < 4" if uniform else "0 <= o < 4 and 0 <= i < 32"
    return make_kernel(
        [array("x", 64), array("m", 64, type=INTEGER4), local("t", 32, address_space="local"),
         local("trip", type=INTEGER4, private_to=owner, origin="bound")],
        [
            ("n", "trip", "m[o]" if uniform else "m[o+i]", inames, where),
            ("a", "t[i]", "x[i] + k", "o i k", "0 <= o < 4 and 0 <= i < 32 and k >= 0"),
            ("b", "x[i]", "t[31-i]", "o i k", "0 <= o < 4 and 0 <= i < 32 and k >= 0"),
        ],
        ["n", ["k", "a", "b"]],
        {"o": G0, "i": L0},
        inames=(Iname("k", trip="trip"),),
    )  # fmt: skip


def test_barriers_stand_in_a_data_dependent_loop_only_if_all_work_items_agree_on_its_length():
    body = lines(ragged(uniform=True))
    assert body[body.index("for (fcl_idx k = 0; k < trip; ++k) {") + 1] == "barrier(CLK_LOCAL_MEM_FENCE);"
    with pytest.raises(CompileError, match="FCL405: loop 'k' needs a barrier inside"):
        plan(ragged(uniform=False))
