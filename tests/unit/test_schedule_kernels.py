"""Whole kernels from IR to PoCL: the numbers must be those of the sequential program."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fortrancl.analysis.legality import require_legal
from fortrancl.ir.expr import Var
from fortrancl.ir.kernel import Guard, Iname, Tag
from fortrancl.ir.types import INTEGER4, LOGICAL4, REAL8
from fortrancl.poly import Set
from fortrancl.schedule.build import finalise, plan
from fortrancl.schedule.plan import launches
from fortrancl.target.opencl import generate
from tests.property.builders import array, local, size
from tests.support.launch import make_kernel, run_plan

G0, G1, L0, L1, AUTO, UNR = Tag("g", 0), Tag("g", 1), Tag("l", 0), Tag("l", 1), Tag("l"), Tag("unr")
REAL = __import__("fortrancl.ir.kernel", fromlist=["Argument"]).Argument("a", REAL8)


def saxpy():
    return make_kernel(
        [size("n"), REAL, array("x", "n"), array("y", "n")],
        [("s0", "y[128*io+ii]", "a*x[128*io+ii] + y[128*io+ii]", "io ii", "0 <= ii < 128 and io >= 0 and 128io+ii < n")],
        ["s0"],
        {"io": G0, "ii": L0},
        name="saxpy",
    )


@pytest.mark.parametrize("index", ["int", "long"])
@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 1000])
def test_saxpy(n, index):
    x, y = np.arange(n) * 0.5, np.arange(n) * -1.25
    final = finalise(saxpy())
    require_legal(final)
    result = run_plan(plan(final), {"x": x, "y": y}, {"n": n, "a": 3.0}, index=index)
    if n:
        np.testing.assert_array_equal(result["y"], 3.0 * x + y)


def dgemm(unroll=False):
    tile = "0 <= ii < 16 and 0 <= ji < 16 and 0 <= io and 0 <= jo and 0 <= ko"
    declarations = [
        size("m"), size("n"), size("l"), array("a", "m", "l"), array("b", "l", "n"), array("c", "m", "n"),
        local("ta", 16, 16, private_to=("io", "jo", "ko")),
        local("tb", 16, 16, private_to=("io", "jo", "ko")),
        local("acc", private_to=("io", "jo", "ii", "ji")),
    ]  # fmt: skip
    inside = "16io+ii < m and 16jo+ji < n"
    statements = [
        ("init", "acc", "c[16*io+ii, 16*jo+ji]", "io ii jo ji", f"{tile.rsplit(' and', 1)[0]} and {inside}"),
        ("fa", "ta[fi, fk]", "a[16*io+fi, 16*ko+fk]", "io jo ko fi fk",
         "0<=io and 0<=jo and 0<=ko and 16jo<n and 0<=fi<16 and 0<=fk<16 and 16io+fi<m and 16ko+fk<l"),
        ("fb", "tb[gk, gj]", "b[16*ko+gk, 16*jo+gj]", "io jo ko gk gj",
         "0<=io and 0<=jo and 0<=ko and 16io<m and 0<=gk<16 and 0<=gj<16 and 16ko+gk<l and 16jo+gj<n"),
        ("mul", "acc", "acc + ta[ii, ki]*tb[ki, ji]", "io ii jo ji ko ki", f"{tile} and {inside} and 0 <= ki < 16 and 16ko+ki < l"),
        ("store", "c[16*io+ii, 16*jo+ji]", "acc", "io ii jo ji", f"{tile.rsplit(' and', 1)[0]} and {inside}"),
    ]  # fmt: skip
    tags = {"io": G0, "jo": G1, "ii": L0, "ji": L1, "fi": AUTO, "fk": AUTO, "gk": AUTO, "gj": AUTO}
    if unroll:
        tags["ki"] = UNR
    tree = ["init", ["ko", ["fi", ["fk", "fa"]], ["gk", ["gj", "fb"]], ["ki", "mul"]], "store"]
    return make_kernel(declarations, statements, tree, tags, name="dgemm")


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("shape", [(16, 16, 16), (1, 1, 1), (33, 17, 40), (64, 48, 31)])
def test_tiled_matrix_product(shape, unroll):
    m, n, ell = shape
    rng = np.random.default_rng(1)
    a, b, c = rng.random((m, ell)), rng.random((ell, n)), rng.random((m, n))
    final = finalise(dgemm(unroll))
    require_legal(final)
    result = run_plan(plan(final), {"a": a, "b": b, "c": c}, {"m": m, "n": n, "l": ell})
    expected = c.copy()
    for k in range(ell):
        expected += a[:, k : k + 1] * b[k : k + 1, :]
    np.testing.assert_array_equal(result["c"], expected)


def test_the_matrix_product_has_two_barriers_in_the_loop_and_none_outside():
    text = generate(plan(dgemm())).text
    assert text.count("barrier(CLK_LOCAL_MEM_FENCE)") == 2
    assert "CLK_GLOBAL" not in text
