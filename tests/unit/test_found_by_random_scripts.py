"""Faults that random scripts found, each in its smallest form: what was accepted and wrong, or broke an invariant."""

from __future__ import annotations

import numpy as np
import pytest

from fortrancl.diagnostics import StepError
from fortrancl.ir.interpret import interpret
from fortrancl.ir.kernel import Iname, Tag
from fortrancl.ir.tree import Barrier
from fortrancl.ir.types import INTEGER4
from fortrancl.ir.verify import verify
from fortrancl.schedule.build import plan
from fortrancl.schedule.execute import execute
from fortrancl.transform import TRANSFORMATIONS
from tests.property.builders import array, at, kernel, local, loop, op, size, statement

STEPS = TRANSFORMATIONS
ON_GROUPS = {"i": Iname("i", Tag("g", 0))}


def agree(k, final, n, **arrays):
    wanted = interpret(k, arrays, {"n": n})
    found = execute(plan(final), arrays, {"n": n})
    for name in wanted:
        assert np.array_equal(wanted[name], found[name]), (name, n)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_a_statement_without_groups_runs_though_no_group_has_work(n):
    k = kernel(
        [size("n"), array("x", "n"), array("y", 1)],
        [statement("s0", at("x", "i"), "i", "i", "0 <= i < n", "n"), statement("s1", at("y", 0), 7, "", "")],
        loop("i", "s0"),
        "s1",
    )
    agree(k, STEPS["tag_inames"](k, {"i": "g.0"}), n, x=np.zeros(n), y=np.zeros(1))


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_groups_start_at_zero_wherever_the_loop_does(n):
    k = kernel(
        [size("n"), array("x", "n")],
        [statement("s0", at("x", "i"), 7, "i", "1 <= i < n", "n")],
        loop("i", "s0"),
    )
    agree(k, STEPS["tag_inames"](k, {"i": "g.0"}), n, x=np.zeros(n))


def test_a_launch_in_a_host_loop_tests_its_own_domain():
    """The host loop runs for both statements, the first wants fewer iterations."""
    k = kernel(
        [size("n"), array("x", "n"), array("y", "n")],
        [
            statement("s0", at("x", "i"), 7, "i", "2 <= i < n", "n"),
            statement("s1", at("y", "i"), op(at("x", "i"), "+", 1), "i", "0 <= i < n", "n"),
        ],
        loop("i", "s0", Barrier("global"), "s1"),
    )
    agree(k, k, 5, x=np.zeros(5), y=np.zeros(5))


def test_a_renamed_loop_takes_its_private_values_along():
    k = kernel(
        [size("n"), array("x", "n"), local("t", private_to=("i",)), local("u", private_to=("i",))],
        [
            statement("s0", "t", "i", "i", "0 <= i < n", "n"),
            statement("s1", at("x", "i"), "t", "i", "0 <= i < n", "n"),
            statement("s2", "u", 1, "i", "0 <= i < n", "n"),
        ],
        loop("i", "s0", "s1", "s2"),
    )
    moved = STEPS["rename_iname"](k, "i", "j", within="id:s2")
    verify(moved)
    assert moved.temporary_by_name["u"].private_to == ("j",)
    assert moved.temporary_by_name["t"].private_to == ("i",)


def test_a_buffer_serves_only_statements_in_its_outer_loops():
    k = kernel(
        [array("x", 4), local("t", 4)],
        [
            statement("s0", at("t", "i"), at("x", "i"), "i", "0 <= i < 4"),
            statement("s1", at("x", "j"), at("t", "j"), "j", "0 <= j < 4"),
        ],
        "s0",
        loop("j", "s1"),
        inames=ON_GROUPS,
    )
    with pytest.raises(StepError) as error:
        STEPS["buffer_array"](k, "x", ["j"])
    assert error.value.code == "FCL263"


def test_a_buffer_does_not_begin_at_a_subscript_that_changes():
    k = kernel(
        [array("h", 4, type=INTEGER4), array("map", 4, type=INTEGER4), local("m", type=INTEGER4, private_to=("i",))],
        [
            statement("s0", "m", at("map", "i"), "i", "0 <= i < 4"),
            statement("s1", at("h", "m"), op(at("h", "m"), "+", 1), "i j", "0 <= i < 4 and 0 <= j < 4"),
        ],
        loop("i", "s0", loop("j", "s1")),
    )
    verify(k)
    with pytest.raises(StepError) as error:
        STEPS["buffer_array"](k, "h", ["i", "j"])
    assert error.value.code == "FCL264"


def test_a_fetch_sees_the_writes_of_the_statement_it_stands_before():
    """The copy is made just before s0, which changes the element that s1 reads through the copy."""
    update = op(at("h", at("map", "i")), "+", 2)
    k = kernel(
        [array("h", 9, type=INTEGER4), array("map", 4, type=INTEGER4)],
        [statement(f"s{number}", at("h", at("map", "i")), update, "i", "0 <= i < 4") for number in range(2)],
        loop("i", "s0", "s1"),
    )
    with pytest.raises(StepError) as error:
        STEPS["add_prefetch"](k, "h", [])
    assert error.value.code == "FCL307"
    assert verify(STEPS["add_prefetch"](k, "h", [], within="id:s0")) is None


def test_a_loop_of_data_length_stays_inside_what_computes_the_length():
    k = kernel(
        [array("x", 4), array("map", 4, type=INTEGER4), local("cnt", type=INTEGER4, private_to=("i",))],
        [
            statement("s0", "cnt", at("map", "i"), "i", "0 <= i < 1"),
            statement("s1", at("x", "i"), "r", "i r", "0 <= i < 1 and r >= 0"),
        ],
        loop("i", "s0", loop("r", "s1")),
        inames={"r": Iname("r", trip="cnt")},
    )
    with pytest.raises(StepError) as error:
        STEPS["prioritize_loops"](k, "r, i")
    assert error.value.code == "FCL253"


@pytest.mark.parametrize("tags", [{}, {"i": "g.0"}, {"i": "unr"}])
def test_a_loop_that_never_runs_is_no_error(tags):
    k = kernel(
        [size("n"), array("x", 4)],
        [statement("s0", at("x", "i"), 7, "i", "0 <= i < 4 and i < 0", "n"), statement("s1", at("x", 1), 5, "", "")],
        loop("i", "s0"),
        "s1",
    )
    agree(k, STEPS["tag_inames"](k, tags), 3, x=np.zeros(4))
