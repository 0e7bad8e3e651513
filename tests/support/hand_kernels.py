"""Kernels written down by hand, as transformations would make them, with data; runnable under Oclgrind.

``python -m tests.support.hand_kernels NAME...`` runs kernels on the first OpenCL device and checks their numbers.
"""

from __future__ import annotations

import sys

import numpy as np

from fortrancl.ir.expr import Binary, Var, integer
from fortrancl.ir.kernel import Argument, Iname, Tag
from fortrancl.ir.types import INTEGER4, REAL8
from fortrancl.schedule.build import plan
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


def one_lane(steps=None):
    """Work-item 0 makes a value in local memory that all others read, again and again."""
    where = "0 <= ii < 32 and io >= 0 and 32io+ii < n and 0 <= t < steps"
    return make_kernel(
        [size("n"), size("steps"), array("x", "n"), array("w", "steps"), local("f", address_space="local")],
        [
            ("a", "f", "2*w[t]", "t", "0 <= t < steps"),
            ("b", "x[32*io+ii]", "x[32*io+ii]*f + t", "t io ii", where),
        ],
        [["t", "a", "b"]],
        {"io": G0, "ii": L0},
        name="one_lane",
    )


def shift():
    """One group; each step moves a value to the neighbour: two conflicts a step, one carried by the loop."""
    where = "0 <= i < 64 and 0 <= t < steps"
    return make_kernel(
        [size("steps"), array("x", 64), array("y", 64)],
        [
            ("a", "y[i]", "x[i]", "t i", where),
            ("b", "x[i]", "y[i-1] + 1", "t i", where + " and i >= 1"),
        ],
        [["t", "a", "b"]],
        {"i": L0},
        name="shift",
    )


def reduction():
    """Sum of 128 elements for each group, by halves in local memory; the loop over halves is written out."""
    declarations = [size("n"), array("x", "n"), array("s", None), local("t", 128, private_to=("o",))]
    statements = [("a", "t[i]", "0", "o i", "0 <= i < 128 and o >= 0 and 128o < n"),
                  ("b", "t[i]", "x[128*o+i]", "o i", "0 <= i < 128 and o >= 0 and 128o+i < n")]  # fmt: skip
    tree = ["a", "b"]
    half = 64
    while half:
        where = f"0 <= i < {half} and o >= 0 and 128o < n"
        statements.append((f"h{half}", "t[i]", f"t[i] + t[i+{half}]", "o i", where))
        tree.append(f"h{half}")
        half //= 2
    statements.append(("z", "s[o]", "t[0]", "o", "o >= 0 and 128o < n"))
    return make_kernel(declarations, statements, [*tree, "z"], {"o": G0, "i": L0}, name="reduction")


def scatter():
    """Indirect additions in double precision: atomic, or they would race."""
    return make_kernel(
        [size("n"), array("m", "n", type=INTEGER4), array("w", "n"), array("h", None)],
        [("s", "h[m[64*io+ii]-1]", "h[m[64*io+ii]-1] + w[64*io+ii]", "io ii",
          "0 <= ii < 64 and io >= 0 and 64io+ii < n")],
        ["s"],
        {"io": G0, "ii": L0},
        atomic=frozenset({"s"}),
        name="scatter",
    )  # fmt: skip


def _random(*shape):
    return np.random.default_rng(sum(shape)).random(shape)


def check_saxpy():
    x, y = np.arange(300) * 0.5, np.arange(300) * -1.25
    result = run_plan(plan(saxpy()), {"x": x, "y": y}, {"n": 300, "a": 3.0})
    np.testing.assert_array_equal(result["y"], 3.0 * x + y)


def check_dgemm(unroll=False, m=33, n=17, ell=20):
    a, b, c = _random(m, ell), _random(ell, n), _random(m, n)
    result = run_plan(plan(dgemm(unroll)), {"a": a, "b": b, "c": c}, {"m": m, "n": n, "l": ell})
    for k in range(ell):
        c += a[:, k : k + 1] * b[k : k + 1, :]
    np.testing.assert_array_equal(result["c"], c)


def check_dgemm_unrolled():
    check_dgemm(True)


def check_stencil(nx=35, ny=50):
    u = _random(nx + 2, ny + 2)
    w = np.zeros_like(u)
    result = run_plan(plan(stencil()), {"u": u, "w": w}, {"nx": nx, "ny": ny, "c": 0.1})["w"]
    m = u[1:-1, 1:-1]
    w[1:-1, 1:-1] = m + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * m)
    np.testing.assert_array_equal(result, w)


def check_one_lane():
    n, steps = 70, 5
    x, w = _random(n), _random(steps)
    result = run_plan(plan(one_lane()), {"x": x, "w": w}, {"n": n, "steps": steps})["x"]
    for t in range(steps):
        x = x * (2 * w[t]) + t
    np.testing.assert_array_equal(result, x)


def check_shift():
    x, y = _random(64), np.zeros(64)
    result = run_plan(plan(shift()), {"x": x, "y": y}, {"steps": 5})["x"]
    for _ in range(5):
        y = x.copy()
        x[1:] = y[:-1] + 1
    np.testing.assert_array_equal(result, x)


def check_reduction():
    n = 300
    x = np.floor(_random(n) * 100)
    result = run_plan(plan(reduction()), {"x": x, "s": np.zeros(3)}, {"n": n})["s"]
    np.testing.assert_array_equal(result, [x[k : k + 128].sum() for k in (0, 128, 256)])


def check_scatter():
    n = 200
    m, w, h = np.random.default_rng(1).integers(1, 6, n), np.arange(n) * 0.5, np.zeros(5)
    result = run_plan(plan(scatter()), {"m": m, "w": w, "h": h}, {"n": n})["h"]
    np.add.at(h, m - 1, w)
    np.testing.assert_array_equal(result, h)


CHECKS = {name.removeprefix("check_"): check for name, check in dict(globals()).items() if name.startswith("check_")}

if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        CHECKS[wanted]()
