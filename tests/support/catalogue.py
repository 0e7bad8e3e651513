"""The procedures of tests/numeric/kernels, and arguments for them: sizes that no tile divides, exact ones, 1 and 0."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.build import ROOT
from tests.support.whole import Arguments, Call

FOLDER = ROOT / "tests" / "numeric" / "kernels"
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Entry:
    """A procedure in a file of its own name; `arguments` makes those of a call from sizes."""

    name: str
    arguments: Callable[..., Arguments]
    sizes: tuple[tuple[int, ...], ...]
    tiny: tuple[int, ...] = ()
    """Sizes for Oclgrind, which is slow; given where work-items share something."""
    rtol: float = 0.0
    """What a changed order of summation may cost; 0 where the order is kept: every bit."""

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.f90"

    def call(self, sizes: tuple[int, ...]) -> Call:
        """The same numbers every time."""
        return Call(self.name, self.arguments(np.random.default_rng([7, *sizes]), *sizes))


def _real(rng: np.random.Generator, *shape: int) -> Array:
    return np.asfortranarray(rng.random(shape) - 0.25)


def _dgemm(rng: np.random.Generator, m: int, n: int, ell: int) -> Arguments:
    return (m, n, ell, _real(rng, m, ell), _real(rng, ell, n), _real(rng, m, n))


def _batched_csr(rng: np.random.Generator, nrows: int, nvecs: int = 4) -> Arguments:
    ncols = nrows + 5
    counts = rng.integers(0, 6, nrows)
    rowptr = np.concatenate([[1], 1 + np.cumsum(counts)]).astype(np.int32)
    nnz = int(rowptr[-1]) - 1
    columns = rng.integers(1, ncols + 1, nnz).astype(np.int32)
    return (nrows, ncols, nnz, nvecs, rowptr, columns, _real(rng, nnz), _real(rng, ncols, nvecs), _real(rng, nrows, 4))


def _reals(*dimensions: Callable[[int], tuple[int, ...]]) -> Callable[..., Arguments]:
    """n, then real(8) arrays of shapes that follow from it."""
    return lambda rng, n: (n, *(_real(rng, *shape(n)) for shape in dimensions))


def _vector(n: int) -> tuple[int, ...]:
    return (n,)


def _kinds(rng: np.random.Generator, n: int) -> Arguments:
    def some(dtype: type[np.generic]) -> Array:
        return rng.integers(-100, 100, n).astype(dtype)

    flags = rng.integers(0, 2, n).astype(np.int32)
    single = (rng.random(n) - 0.3).astype(np.float32)
    wide = some(np.int64) * 2**33
    return (n, some(np.int8), some(np.int16), some(np.int32), wide, single, rng.random(n), flags, True)


def _halo(rng: np.random.Generator, n: int) -> Arguments:
    return (n, *(_real(rng, size).astype(np.float32) for size in (5, n + 4, n)))


def _planes(rng: np.random.Generator, n: int, m: int) -> Arguments:
    return (n, m, _real(rng, n, m), _real(rng, n, m))


def _scatter(rng: np.random.Generator, n: int, nbin: int) -> Arguments:
    """Whole numbers: their sum is the same in any order."""
    where = rng.integers(1, nbin + 1, n).astype(np.int32)
    return (n, nbin, where, np.floor(100 * rng.random(n)), np.zeros(nbin), np.zeros(nbin, np.int32))


_PRODUCTS = ((37, 21, 45), (16, 8, 32), (33, 9, 64), (1, 1, 1), (0, 5, 3), (5, 0, 3), (5, 3, 0))

ENTRIES: tuple[Entry, ...] = (
    Entry("dgemm_staged", _dgemm, _PRODUCTS, tiny=(17, 9, 33)),
    Entry("dgemm_buffer_tile", _dgemm, _PRODUCTS, tiny=(17, 9, 33), rtol=1e-13),
    Entry("dgemm_buffer_none", _dgemm, _PRODUCTS, tiny=(17, 9, 33), rtol=1e-13),
    Entry("dgemm_buffer_kept", _dgemm, _PRODUCTS, tiny=(17, 9, 33)),
    Entry("batched_csr", _batched_csr, ((300,), (128,), (1,), (0,)), tiny=(130,)),
    Entry("fill_twice", lambda rng, n: (n, 0.1, 1.7, _real(rng, n)), ((300,), (128,), (1,), (0,))),
    Entry("scalar_rule", _reals(_vector, _vector), ((100,), (32,), (1,), (0,))),
    Entry("scalar_rule_within", _reals(_vector, _vector, _vector), ((100,), (1,), (0,))),
    Entry("array_rule", _reals(lambda n: (6, 6), lambda n: (6, n), lambda n: (6, n)), ((13,), (1,), (0,)), tiny=(3,)),
    Entry(
        "guarded",
        lambda rng, n: (n, n // 2, _real(rng, n), _real(rng, n), rng.integers(0, 5, n).astype(np.int32)),
        ((100,), (16,), (1,), (0,)),
    ),
    Entry("tagged", _reals(_vector, _vector), ((100,), (32,), (1,), (0,))),
    Entry("halves", _reals(_vector, lambda n: ((n + 1) // 2, 2)), ((41,), (40,), (1,), (0,), (2,))),
    Entry("halo", _halo, ((50,), (16,), (1,), (0,)), tiny=(19,)),
    Entry("joined", _reals(lambda n: (5, n), lambda n: (5, n)), ((13,), (16,), (1,), (0,))),
    Entry("distributed", _reals(_vector, _vector, _vector), ((100,), (32,), (3,), (1,), (0,))),
    Entry("unrolled", _reals(lambda n: (7,), _vector, _vector), ((101,), (64,), (3,), (1,), (0,))),
    Entry("triangle", _reals(lambda n: (n, n), _vector, _vector), ((37,), (8,), (1,), (0,))),
    Entry(
        "backwards",
        lambda rng, n, m: (n, m, _real(rng, n, m), rng.integers(-9, 9, n).astype(np.int32)),
        ((20, 10), (4, 4), (2, 1), (1, 3), (0, 2)),
    ),
    Entry("kinds", _kinds, ((100,), (16,), (1,), (0,))),
    Entry(
        "automatic_lanes",
        lambda rng, n, m: (n, m, _real(rng, n, m), _real(rng, m, n)),
        ((35, 50), (16, 16), (1, 20), (0, 5)),
        tiny=(19, 17),
    ),
    Entry(
        "march",
        lambda rng, n, steps: (n, steps, 0.2, _real(rng, n + 2), _real(rng, n + 2)),
        ((50, 6), (16, 1), (1, 3), (40, 0), (0, 4)),
    ),
)

ENTRIES += (
    Entry(
        "gather_staged",
        lambda rng, n: (n, rng.permutation(n).astype(np.int32) + np.int32(1), _real(rng, n), _real(rng, n)),
        ((50,), (8,), (1,), (0,)),
        tiny=(11,),
    ),
    Entry(
        "falling",
        lambda rng, n, m: (n, m, _real(rng, m), _real(rng, n), _real(rng, n)),
        ((20, 40), (8, 17), (3, 1), (9, 2), (5, 0), (0, 9)),
        tiny=(9, 35),
    ),
    Entry(
        "column_stencil",
        lambda rng, *s: (*s, _real(rng, s[0] + 2, s[1] + 2, s[2]), _real(rng, *s)),
        ((19, 10, 3), (8, 4, 1), (1, 1, 2), (0, 3, 2), (5, 5, 0)),
        tiny=(9, 5, 2),
    ),
    Entry(
        "element",
        lambda rng, n: (n, _real(rng, 4, 4), _real(rng, 4, 4, n), _real(rng, 4, 4, n)),
        ((7,), (1,), (0,)),
        tiny=(2,),
    ),
    Entry(
        "shifting",
        lambda rng, n, steps: (n, steps, _real(rng, 16, n), _real(rng, 16, n)),
        ((5, 7), (1, 1), (3, 0), (0, 2)),
        tiny=(2, 3),
    ),
    Entry("pieces", _reals(_vector, _vector), ((100,), (16,), (1,), (0,))),
    Entry("scatter_add", _scatter, ((500, 7), (16, 1), (1, 3), (0, 2))),
    Entry(
        "three_axes",
        lambda rng, n, m: (n, m, 5, *(_real(rng, *s).astype(np.float32) for s in ((n, m, 5), (5, m, n)))),
        ((11, 6), (4, 4), (1, 9)),
        tiny=(5, 6),
    ),
    Entry("interchanged", _planes, ((30, 9), (8, 1), (1, 5), (0, 3), (4, 0))),
    Entry(
        "rule_tile",
        lambda rng, n, m: (n, m, _real(rng, n + 1), _real(rng, m), _real(rng, n, m)),
        ((19, 10), (8, 4), (1, 1), (0, 3)),
        tiny=(9, 5),
    ),
)


def calls() -> Iterator[tuple[Entry, tuple[int, ...]]]:
    """Every entry at each of its sizes."""
    return ((entry, sizes) for entry in ENTRIES for sizes in entry.sizes)
