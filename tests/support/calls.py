"""Call procedures of a shared library in a process of its own: ``python -m tests.support.calls REQUEST ANSWER``.

REQUEST is a pickle of (library, [(symbol, arguments), …]); ANSWER becomes one of the arguments after each call. Every
argument goes by reference, as Fortran wants it: arrays as they are, numbers as arrays of one element.
"""

from __future__ import annotations

import ctypes
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Shifted:
    """An array of which only a stretch exists: `values` are the dummy's elements from `first` (0-based) on."""

    values: Any
    first: int


def cell(value: Any) -> Any:
    """What is passed: an array in Fortran's order that the callee may write."""
    if isinstance(value, np.ndarray):
        return np.array(value, order="F", copy=True)
    if isinstance(value, bool | int):
        return np.array([int(value)], np.int32)
    return np.array([value], np.asarray(value).dtype)


def main(request: str, answer: str) -> None:
    library, calls = pickle.loads(Path(request).read_bytes())
    loaded = ctypes.CDLL(library)
    answers = []
    for symbol, arguments in calls:
        shifts = [getattr(value, "first", 0) for value in arguments]
        values = [getattr(value, "values", value) for value in arguments]
        cells = [cell(value) for value in values]
        # An empty array still has an address, as an actual argument in Fortran would.
        anywhere = ctypes.create_string_buffer(16)
        procedure = getattr(loaded, symbol)
        procedure.restype = None
        places = [c.ctypes.data - s * c.itemsize if c.size else 0 for c, s in zip(cells, shifts, strict=True)]
        procedure(*(ctypes.c_void_p(place) if place else anywhere for place in places))
        answers.append([c if isinstance(v, np.ndarray) else c[0] for c, v in zip(cells, values, strict=True)])
    sys.stderr.flush()
    Path(answer).write_bytes(pickle.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
