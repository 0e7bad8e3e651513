"""Codes FCL3xx."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

LEGALITY_CODES: tuple[CodeEntry, ...] = ()
