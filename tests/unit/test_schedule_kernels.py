"""Whole kernels from IR to PoCL: the numbers must be those of the sequential program."""

from __future__ import annotations

import numpy as np
import pytest

from fortrancl.analysis.legality import require_legal
from fortrancl.ir.kernel import Argument, Guard
from fortrancl.ir.types import INTEGER4, INTEGER8, LOGICAL4, REAL4, REAL8
from fortrancl.schedule.build import finalise, plan
from fortrancl.schedule.plan import launches
from fortrancl.target.opencl import generate
from tests.property.builders import array, local, size
from tests.support.hand_kernels import G0, L0, csr, dgemm, fill_scale, saxpy, stencil, time_loop
from tests.support.launch import make_kernel, run_plan


@pytest.mark.parametrize("index", ["int", "long"])
@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 1000])
def test_saxpy(n, index):
    x, y = np.arange(n) * 0.5, np.arange(n) * -1.25
    final = finalise(saxpy())
    require_legal(final)
    result = run_plan(plan(final), {"x": x, "y": y}, {"n": n, "a": 3.0}, index=index)
    if n:
        np.testing.assert_array_equal(result["y"], 3.0 * x + y)


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


@pytest.mark.parametrize("shape", [(16, 16), (1, 1), (35, 50), (64, 3)])
def test_stencil_with_halo(shape):
    nx, ny = shape
    u = np.random.default_rng(2).random((nx + 2, ny + 2))
    w = np.zeros_like(u)
    final = finalise(stencil())
    require_legal(final)
    result = run_plan(plan(final), {"u": u, "w": w}, {"nx": nx, "ny": ny, "c": 0.1})["w"]
    m = u[1:-1, 1:-1]
    w[1:-1, 1:-1] = m + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * m)
    np.testing.assert_array_equal(result, w)


def test_csr_product():
    rng = np.random.default_rng(3)
    n = 150
    dense = rng.random((n, n)) * (rng.random((n, n)) < 0.1)
    dense[7] = 0
    counts = (dense != 0).sum(axis=1)
    ptr = np.concatenate([[1], 1 + np.cumsum(counts)])
    col, val = np.nonzero(dense)[1] + 1, dense[dense != 0]
    x = rng.random(n)
    final = finalise(csr())
    require_legal(final)
    arrays = {"ptr": ptr, "col": col, "val": val, "x": x, "y": np.zeros(n)}
    result = run_plan(plan(final), arrays, {"n": n})["y"]
    np.testing.assert_allclose(result, dense @ x, rtol=1e-14)


@pytest.mark.parametrize("n", [1, 32, 100])
def test_global_barriers_make_launches_and_scalars_are_computed_again(n):
    final = finalise(fill_scale())
    require_legal(final)
    made = plan(final)
    assert [launch.function for launch in launches(made.body)] == [f"fill_scale_kernel_{k}" for k in range(3)]
    assert all(p.name != "b" for launch in launches(made.body) for p in launch.parameters)
    x, y = np.zeros(n), np.zeros(n)
    result = run_plan(made, {"x": x, "y": y}, {"n": n, "a": 3.0})
    x = 3.0 * np.arange(n)
    y = x[::-1] * 6.0
    x = y[::-1] + 6.0 * x
    np.testing.assert_array_equal(result["x"], x)
    np.testing.assert_array_equal(result["y"], y)


def test_host_loop_and_values_across_launches():
    n, steps = 21, 3
    final = finalise(time_loop())
    require_legal(final)
    assert final.temporary_by_name["old"].address_space == "global"
    made = plan(final)
    assert len(launches(made.body)) == 2
    u = np.random.default_rng(4).random(n)
    result = run_plan(made, {"u": u, "w": np.zeros(n)}, {"n": n, "steps": steps})["u"]
    for t in range(steps):
        old, w = u.copy(), u[::-1] + t
        u = 0.5 * w + old
    np.testing.assert_array_equal(result, u)


@pytest.mark.parametrize("type", [INTEGER4, INTEGER8, REAL4, REAL8])
@pytest.mark.parametrize("operation", ["h[m[{i}]] + 1", "h[m[{i}]] - w[{i}]", "max(h[m[{i}]], w[{i}])"])
def test_atomic_updates(type, operation):
    where = "0 <= ii < 32 and io >= 0 and 32io+ii < n"
    index = "32*io+ii"
    kernel = make_kernel(
        [size("n"), array("h", None, type=type), array("w", "n", type=type), array("m", "n", type=INTEGER4)],
        [("u", f"h[m[{index}]]", operation.format(i=index), "io ii", where)],
        ["u"],
        {"io": G0, "ii": L0},
        atomic=frozenset({"u"}),
    )
    final = finalise(kernel)
    require_legal(final)
    n = 500
    rng = np.random.default_rng(5)
    m, w, h = rng.integers(0, 7, n), rng.integers(-9, 9, n), np.zeros(7)
    result = run_plan(plan(final), {"h": h, "w": w, "m": m}, {"n": n})["h"]
    for i in range(n):
        old = h[m[i]]
        h[m[i]] = old + 1 if "+ 1" in operation else old - w[i] if "-" in operation else max(old, w[i])
    np.testing.assert_array_equal(result, h)


def test_data_guards_and_written_scalar():
    where = "0 <= i < n"
    kernel = make_kernel(
        [size("n"), array("x", "n"), Argument("count", INTEGER4), local("p_0", type=LOGICAL4, private_to=("i",))],
        [
            ("s0", "p_0", "x[i] > 0.5", "i", where),
            ("s1", "x[i]", "0*x[i]", "i", where),
            ("s2", "count", "count + 1", "i", where),
            ("s3", "x[i]", "x[i] + 1", "i", where),
        ],
        [["i", "s0", "s1", "s2", "s3"]],
        guards={"s1": (Guard("p_0"),), "s2": (Guard("p_0"),), "s3": (Guard("p_0", False),)},
    )
    x = np.random.default_rng(6).random(40)
    made = plan(finalise(kernel))
    result = run_plan(made, {"x": x}, {"n": 40, "count": 5})
    assert result["count"] == 5 + (x > 0.5).sum()
    np.testing.assert_array_equal(result["x"], np.where(x > 0.5, 0, x + 1))
    text = generate(made).text
    assert text.count("if (") == 1 and text.count("} else {") == 1
