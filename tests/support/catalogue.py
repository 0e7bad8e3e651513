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
    """Sizes for Oclgrind, which is slow; given where the kernel has local memory."""
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


_PRODUCTS = ((37, 21, 45), (16, 8, 32), (33, 9, 64), (1, 1, 1), (0, 5, 3), (5, 0, 3), (5, 3, 0))

ENTRIES = (
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


def calls() -> Iterator[tuple[Entry, tuple[int, ...]]]:
    """Every entry at each of its sizes."""
    return ((entry, sizes) for entry in ENTRIES for sizes in entry.sizes)
