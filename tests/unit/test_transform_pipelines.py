"""The peer's Fortran example scripts, step by step on IR, run on PoCL against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from fortrancl.analysis.legality import LegalityError, require_legal
from fortrancl.analysis.privatise import privatise
from fortrancl.diagnostics import StepError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.verify import verify
from fortrancl.schedule.build import finalise, plan
from fortrancl.transform import TRANSFORMATIONS as lp
from tests.support.launch import run_plan


def run(kernel, arrays, scalars):
    verify(kernel)
    final = finalise(kernel)
    require_legal(final)
    return run_plan(plan(final), arrays, scalars)


def matrix_product():
    return build_kernel(
        "dgemm",
        "m; n; ell; a(m,ell); b(ell,n); c(m,n)",
        [("c[i,j]", "c[i,j] + b[k,j]*a[i,k]", {"j": "n", "i": "m", "k": "ell"})],
    )


def tiled(kernel):
    kernel = lp["split_iname"](kernel, "i", 16, outer_tag="g.0", inner_tag="l.1")
    kernel = lp["split_iname"](kernel, "j", 8, outer_tag="g.1", inner_tag="l.0")
    return lp["split_iname"](kernel, "k", 32)


def staged(kernel):
    kernel = lp["extract_subst"](kernel, "a_acc", "a[i1,i2]", parameters="i1, i2")
    kernel = lp["extract_subst"](kernel, "b_acc", "b[i1,i2]", parameters="i1, i2")
    outer = frozenset({"i_outer", "j_outer", "k_outer"})
    kernel = lp["precompute"](kernel, "a_acc", "k_inner,i_inner", precompute_outer_inames=outer, default_tag="l.auto")
    return lp["precompute"](kernel, "b_acc", "j_inner,k_inner", precompute_outer_inames=outer, default_tag="l.auto")


@pytest.mark.parametrize("shape", [(16, 8, 32), (37, 21, 45), (1, 1, 1)])
@pytest.mark.parametrize("buffered", [None, "", "i_inner,j_inner"])
def test_matrix_product(shape, buffered):
    kernel = staged(tiled(matrix_product()))
    if buffered is not None:
        kernel = lp["buffer_array"](kernel, "c", buffered, init_expression="0", store_expression="base+buffer")
    m, n, ell = shape
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-4, 5, size).astype(float) for size in ((m, ell), (ell, n), (m, n)))
    a, b, c = map(np.asfortranarray, (a, b, c))
    result = run(kernel, {"a": a, "b": b, "c": c}, {"m": m, "n": n, "ell": ell})
    np.testing.assert_array_equal(result["c"].reshape(c.shape, order="F"), c + a @ b)


def test_stencil_with_halo():
    kernel = build_kernel(
        "step",
        "nx; ny; u(nx+2,ny+2); v(nx+2,ny+2)",
        [("v[i+1,j+1]", "u[i,j+1] + u[i+2,j+1] + u[i+1,j] + u[i+1,j+2]", {"j": "ny", "i": "nx"})],
    )
    kernel = lp["split_iname"](kernel, "i", 16, outer_tag="g.0", inner_tag="l.0")
    kernel = lp["split_iname"](kernel, "j", 16, outer_tag="g.1", inner_tag="l.1")
    kernel = lp["add_prefetch"](kernel, "u", "i_inner, j_inner", default_tag="l.auto")
    nx, ny = 19, 35
    u = np.asfortranarray(np.random.default_rng(2).integers(-9, 9, (nx + 2, ny + 2)).astype(float))
    v = np.zeros_like(u, order="F")
    result = run(kernel, {"u": u, "v": v}, {"nx": nx, "ny": ny})["v"].reshape(u.shape, order="F")
    np.testing.assert_array_equal(result[1:-1, 1:-1], u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])


def test_fill_then_reverse_needs_a_global_barrier():
    kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "2*i", {"i": "n"}), ("y[j]", "x[n-1-j]", {"j": "n"})])
    kernel = lp["split_iname"](kernel, "i", 64, outer_tag="g.0", inner_tag="l.0")
    kernel = lp["split_iname"](kernel, "j", 64)

    def finished() -> None:
        require_legal(finalise(lp["tag_inames"](kernel, {"j_outer": "g.0", "j_inner": "l.0"})))

    with pytest.raises(StepError) as refused:
        finished()
    assert refused.value.code == "FCL305"
    kernel = lp["add_barrier"](kernel, "writes:x", "writes:y")
    kernel = lp["tag_inames"](kernel, {"j_outer": "g.0", "j_inner": "l.0"})
    n = 200
    result = run(kernel, {"x": np.zeros(n), "y": np.zeros(n)}, {"n": n})
    np.testing.assert_array_equal(result["y"], 2.0 * np.arange(n)[::-1])


def test_histogram_needs_atomics():
    kernel = build_kernel("h", "n; m; int h(m); int b(n)", [("h[b[i]]", "h[b[i]] + 1", {"i": "n"})])
    with pytest.raises(LegalityError) as refused:
        lp["split_iname"](kernel, "i", 16, outer_tag="g.0", inner_tag="l.0")
    assert refused.value.code == "FCL302"
    kernel = lp["split_iname"](lp["set_atomic"](kernel, "h"), "i", 16, outer_tag="g.0", inner_tag="l.0")
    b = (np.arange(100) ** 2 % 7).astype(np.int32)
    result = run(kernel, {"h": np.zeros(7, np.int32), "b": b}, {"n": 100, "m": 7})
    np.testing.assert_array_equal(result["h"], np.bincount(b, minlength=7))


def test_recurrence_is_refused_with_a_true_witness():
    kernel = build_kernel("k", "n; x(n)", [("x[i+1]", "x[i] + 1", {"i": "n-1"})])
    with pytest.raises(LegalityError) as refused:
        lp["tag_inames"](kernel, {"i": "l.0"})
    witness = refused.value.witness
    assert refused.value.code == "FCL303"
    assert witness is not None
    assert witness.sink_values["i"] == witness.source_values["i"] + 1


def test_interchange_over_a_skewed_dependence_is_refused():
    kernel = build_kernel("k", "n; x(n,n)", [("x[i,j+1]", "x[i+1,j]", {"j": "n-1", "i": "n-1"})])
    with pytest.raises(LegalityError) as refused:
        lp["prioritize_loops"](kernel, "i, j")
    assert refused.value.code == "FCL301"
    assert refused.value.witness is not None


def test_distribution_across_a_scalar_is_refused():
    kernel = privatise(
        build_kernel("k", "n; x(n); y(n); temp t", [("t", "y[i]", {"i": "n"}), ("x[i]", "t", {"i": "n"})])
    )
    assert kernel.temporary_by_name["t"].private_to == ("i",)
    with pytest.raises(LegalityError) as refused:
        lp["rename_iname"](kernel, "i", "i2", within="writes:x")
    assert refused.value.code in ("FCL301", "FCL306")


def test_prefetch_of_what_the_loop_writes_is_refused():
    kernel = build_kernel("k", "n; x(n)", [("x[i+1]", "x[i] + 1", {"i": "64"})])
    with pytest.raises(LegalityError) as refused:
        lp["add_prefetch"](kernel, "x", "i")
    assert refused.value.code == "FCL307"


def test_a_reduction_across_lanes_is_a_race():
    kernel = build_kernel("k", "n; x(n); y(64,n)", [("x[i]", "x[i] + y[k,i]", {"i": "n", "k": "64"})])
    kernel = lp["tag_inames"](kernel, {"i": "g.0"})
    with pytest.raises(LegalityError) as refused:
        require_legal(finalise(lp["tag_inames"](kernel, {"k": "l.0"})))
    assert refused.value.code == "FCL303"
    kernel = lp["buffer_array"](kernel, "x", [])
    with pytest.raises(LegalityError):
        require_legal(finalise(lp["tag_inames"](kernel, {"k": "l.0"})))


def test_assignment_becomes_a_rule_and_then_a_local_array():
    kernel = build_kernel(
        "k",
        "n; x(n,8); y(n,8); temp t(8)",
        [("t[i]", "2*x[e,i]", {"e": "n", "i": "8"}), ("y[e,j]", "t[j] + t[7-j]", {"e": "n", "j": "8"})],
    )
    kernel = lp["assignment_to_subst"](privatise(kernel), "t")
    assert [rule.name for rule in kernel.rules] == ["t_subst"]
    kernel = lp["tag_inames"](kernel, {"e": "g.0"})
    kernel = lp["precompute"](kernel, "t_subst", "j", default_tag="l.auto")
    kernel = lp["tag_inames"](kernel, {"j": "l.0"})
    x = np.asfortranarray(np.arange(24.0).reshape(3, 8))
    result = run(kernel, {"x": x, "y": np.zeros_like(x, order="F")}, {"n": 3})["y"].reshape(x.shape, order="F")
    np.testing.assert_array_equal(result, 2 * x + 2 * x[:, ::-1])


def test_automatic_mapping():
    kernel = build_kernel(
        "k",
        "n; x(n,n); y(n)",
        [("x[i,j]", "i + j", {"j": "n", "i": "n"}), ("y[k]", "y[k] + x[k,l]", {"k": "n", "l": "n"})],
    )
    mapped = lp["auto_parallelize"](kernel)
    assert not mapped.notes
    n = 20
    x = np.zeros((n, n), order="F")
    result = run(mapped, {"x": x, "y": np.zeros(n)}, {"n": n})
    i = np.arange(n)
    np.testing.assert_array_equal(result["y"], (i[:, None] + i[None, :]).sum(axis=1))


def test_automatic_mapping_leaves_a_recurrence_sequential():
    kernel = lp["auto_parallelize"](build_kernel("k", "n; x(n)", [("x[i+1]", "x[i] + 1", {"i": "n-1"})]))
    assert "one work-item" in kernel.notes[-1].message
    result = run(kernel, {"x": np.zeros(9)}, {"n": 9})
    np.testing.assert_array_equal(result["x"], np.arange(9.0))
