"""Codes FCL2xx."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

SCRIPT_CODES: tuple[CodeEntry, ...] = ()
