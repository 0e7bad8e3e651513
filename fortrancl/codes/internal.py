"""Codes FCL9xx: faults of fortrancl itself."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

INTERNAL_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL900",
        "internal error",
        "fortrancl met a state it should never be in. No output was written. The message names the stage; please "
        "report it with the input file.",
    ),
)
