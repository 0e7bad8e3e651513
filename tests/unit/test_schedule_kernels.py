"""Whole kernels from IR to PoCL: the numbers must be those of the sequential program."""

from __future__ import annotations

import numpy as np
import pytest

from fortrancl.analysis.legality import require_legal
from fortrancl.ir.expr import Binary, Var, integer
from fortrancl.ir.kernel import Argument, Guard, Iname, Tag
from fortrancl.ir.types import INTEGER4, INTEGER8, LOGICAL4, REAL4, REAL8
from fortrancl.schedule.build import finalise, plan
from fortrancl.schedule.plan import launches
from fortrancl.target.opencl import generate
from tests.property.builders import array, local, size
from tests.support.launch import make_kernel, run_plan

G0, G1, L0, L1, AUTO, UNR = Tag("g", 0), Tag("g", 1), Tag("l", 0), Tag("l", 1), Tag("l"), Tag("unr")


def saxpy():
    return make_kernel(
        [size("n"), Argument("a", REAL8), array("x", "n"), array("y", "n")],
        [
            (
                "s0",
                "y[128*io+ii]",
                "a*x[128*io+ii] + y[128*io+ii]",
                "io ii",
                "0 <= ii < 128 and io >= 0 and 128io+ii < n",
            )
        ],
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
        ("mul", "acc", "acc + ta[ii, ki]*tb[ki, ji]", "io ii jo ji ko ki",
         f"{tile} and {inside} and 0 <= ki < 16 and 16ko+ki < l"),
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


def stencil():
    """Halo staged in local memory: a fetch of 18 x 18 by 16 x 16 work-items."""
    tile = "0 <= ii < 16 and 0 <= ji < 16 and 0 <= io and 0 <= jo"
    inside = "16io+ii < nx and 16jo+ji < ny"
    fetch = "0<=io and 0<=jo and 16io<nx and 16jo<ny and 0<=f0<18 and 0<=f1<18 and 16io+f0<nx+2 and 16jo+f1<ny+2"
    nx2, ny2 = (Binary("+", Var(name), integer(2)) for name in ("nx", "ny"))
    return make_kernel(
        [size("nx"), size("ny"), Argument("c", REAL8), array("u", nx2, ny2), array("w", nx2, ny2),
         local("uf", 18, 18, private_to=("io", "jo"))],
        [
            ("f", "uf[f0, f1]", "u[16*io+f0, 16*jo+f1]", "io jo f0 f1", fetch),
            ("s", "w[16*io+ii+1, 16*jo+ji+1]",
             "uf[ii+1,ji+1] + c*(uf[ii,ji+1] + uf[ii+2,ji+1] + uf[ii+1,ji] + uf[ii+1,ji+2] - 4*uf[ii+1,ji+1])",
             "io ii jo ji", f"{tile} and {inside}"),
        ],
        [["f0", ["f1", "f"]], "s"],
        {"io": G0, "jo": G1, "ii": L0, "ji": L1, "f0": AUTO, "f1": AUTO},
        name="step",
    )  # fmt: skip


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


def csr():
    """y = A x, a work-item for each row: bounds are data."""
    where = "0 <= ri < 64 and ro >= 0 and 64ro+ri < n"
    row = "64*ro+ri"
    return make_kernel(
        [size("n"), array("ptr", None, type=INTEGER4), array("col", None, type=INTEGER4), array("val", None),
         array("x", "n"), array("y", "n"),
         local("lo", type=INTEGER4, private_to=("ro", "ri"), origin="bound"),
         local("trip", type=INTEGER4, private_to=("ro", "ri"), origin="bound"),
         local("t", private_to=("ro", "ri"))],
        [
            ("z", "t", "0.0", "ro ri", where),
            ("b0", "lo", f"ptr[{row}]", "ro ri", where),
            ("b1", "trip", f"ptr[{row}+1] - lo", "ro ri", where),
            ("m", "t", "t + val[lo+k-1]*x[col[lo+k-1]-1]", "ro ri k", f"{where} and k >= 0"),
            ("s", f"y[{row}]", "t", "ro ri", where),
        ],
        ["z", "b0", "b1", ["k", "m"], "s"],
        {"ro": G0, "ri": L0},
        inames=(Iname("k", trip="trip"),),
        name="spmv",
    )  # fmt: skip


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


def fill_scale(private_scalar=False):
    where = "0 <= i{0} < 32 and o{0} >= 0 and 32o{0}+i{0} < n"
    statements = [
        ("f", "x[32*oa+ia]", "a*(32*oa+ia)", "oa ia", where.format("a")),
        ("s", "x[32*ob+ib]", "y[n-1-32*ob-ib] + b*x[32*ob+ib]", "ob ib",
         where.format("b")),
        ("g", "y[32*oc+ic]", "x[n-1-32*oc-ic]*b", "oc ic", where.format("c")),
        ("b", "b", "a*2", "", ""),
    ]  # fmt: skip
    return make_kernel(
        [size("n"), Argument("a", REAL8), array("x", "n"), array("y", "n"), local("b")],
        statements,
        ["b", "f", "||", "g", "||", "s"],
        {"oa": G0, "ia": L0, "ob": G0, "ib": L0, "oc": G0, "ic": L0},
        name="fill_scale",
    )


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


def time_loop():
    """A sequential loop round a global barrier; each work-item keeps a value across it."""
    where = "0 <= ii < 8 and io >= 0 and 8io+ii < n and 0 <= t < steps"
    return make_kernel(
        [size("n"), size("steps"), array("u", "n"), array("w", "n"), local("old", private_to=("t", "io", "ii"))],
        [
            ("a", "old", "u[8*io+ii]", "t io ii", where),
            ("b", "w[8*io+ii]", "u[n-1-8*io-ii] + t", "t io ii", where),
            ("c", "u[8*io+ii]", "0.5*w[8*io+ii] + old", "t io ii", where),
        ],
        [["t", "a", "b", "||", "c", "||"]],
        {"io": G0, "ii": L0},
        name="march",
    )


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
    assert generate(made).text.count("if (") == 2
