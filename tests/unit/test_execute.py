"""The strict execution of launch plans: it agrees with the interpreter, and sees what a real device would forgive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fortrancl.ir.expr import integer
from fortrancl.ir.interpret import interpret
from fortrancl.ir.memory import BarrierDivergence, DataRace, ExecutionError, OutOfBounds, PoisonRead
from fortrancl.ir.types import INTEGER8
from fortrancl.schedule.build import plan
from fortrancl.schedule.execute import execute
from fortrancl.schedule.nodes import Branch, CodeNode, For, Synchronise
from fortrancl.schedule.plan import LaunchPlan, launches
from fortrancl.transform import TRANSFORMATIONS as STEPS
from tests.property.builders import array, at, kernel, loop, op, size, statement


def product():
    """c = a b for n x n matrices, summed in place."""
    inside = "0 <= i < n and 0 <= j < n and 0 <= k < n"
    value = op(at("c", "i", "j"), "+", op(at("a", "i", "k"), "*", at("b", "k", "j")))
    return kernel(
        [size("n"), *(array(name, "n", "n") for name in "abc")],
        [statement("s0", at("c", "i", "j"), value, "i j k", inside, "n")],
        loop("i", loop("j", loop("k", "s0"))),
    )


def tiled() -> LaunchPlan:
    """The same in tiles of 2 x 2, both operands staged in local memory."""
    k = product()
    k = STEPS["split_iname"](k, "i", 2, outer_tag="g.0", inner_tag="l.0")
    k = STEPS["split_iname"](k, "j", 2, outer_tag="g.1", inner_tag="l.1")
    k = STEPS["split_iname"](k, "k", 2)
    k = STEPS["add_prefetch"](k, "a", ["i_inner", "k_inner"], default_tag="l.auto", fetch_bounding_box=True)
    k = STEPS["add_prefetch"](k, "b", ["j_inner", "k_inner"], default_tag="l.auto", fetch_bounding_box=True)
    return plan(k)


def data(n):
    random = np.random.default_rng(n)
    arrays = {name: random.integers(-5, 6, (n, n)).astype(float) for name in "ab"}
    return {**arrays, "c": np.zeros((n, n))}, {"n": n}


def edited(found: LaunchPlan, change) -> LaunchPlan:
    """The plan with each code node of its launches changed, outermost first (None drops it)."""

    def walk(code: tuple[CodeNode, ...]) -> tuple[CodeNode, ...]:
        result = []
        for node in code:
            new = change(node)
            if isinstance(new, For | Branch):
                new = replace(new, body=walk(new.body))
            if new is not None:
                result.append(new)
        return tuple(result)

    return replace(found, body=tuple(replace(launch, code=walk(launch.code)) for launch in launches(found.body)))


@pytest.mark.parametrize("n", [0, 1, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_tiled_product(n, seed):
    arrays, scalars = data(n)
    result = execute(tiled(), arrays, scalars, seed=seed)
    assert np.array_equal(result["c"], arrays["a"] @ arrays["b"])
    assert np.array_equal(result["c"], interpret(product(), arrays, scalars)["c"])


def test_each_barrier_is_needed():
    found = tiled()
    barriers = []
    edited(found, lambda node: barriers.append(node) or node if isinstance(node, Synchronise) else node)
    assert len(barriers) == 2
    for missing in barriers:
        with pytest.raises((DataRace, PoisonRead)):
            execute(edited(found, lambda node, gone=missing: None if node is gone else node), *data(4))


def test_a_barrier_orders_only_the_memory_it_fences():
    wrong = edited(tiled(), lambda node: Synchronise(("global",)) if isinstance(node, Synchronise) else node)
    with pytest.raises(DataRace):
        execute(wrong, *data(4))


def test_missing_tests_are_out_of_bounds():
    once = integer(0, INTEGER8), integer(1, INTEGER8)

    def bare(node):
        return For("unused", *once, node.body) if isinstance(node, Branch) else node

    with pytest.raises(OutOfBounds):
        execute(edited(tiled(), bare), *data(3))


def test_a_function_sees_only_what_it_is_passed():
    found = tiled()
    launch = launches(found.body)[0]
    for lost in launch.parameters:
        kept = tuple(p for p in launch.parameters if p is not lost)
        with pytest.raises((KeyError, ExecutionError)):
            execute(replace(found, body=(replace(launch, parameters=kept),)), *data(3))


def test_writing_what_was_promised_to_be_read():
    found = tiled()
    launch = launches(found.body)[0]
    lying = tuple(replace(p, written=False) if p.name == "c" else p for p in launch.parameters)
    with pytest.raises(ExecutionError, match="was not to write 'c'"):
        execute(replace(found, body=(replace(launch, parameters=lying),)), *data(3))


def test_a_barrier_that_some_lanes_miss():
    def lane_only(node):
        if isinstance(node, Synchronise):
            return Branch((op("@l0", "<", 1),), (node,))
        return node

    found = tiled()
    launch = launches(found.body)[0]
    outer = launch.code[0]
    assert isinstance(outer, For)
    body = tuple(lane_only(node) for node in outer.body)
    with pytest.raises(BarrierDivergence):
        execute(replace(found, body=(replace(launch, code=(replace(outer, body=body), *launch.code[1:])),)), *data(3))
