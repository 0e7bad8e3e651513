"""Codes FCL1xx."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

FRONTEND_CODES: tuple[CodeEntry, ...] = ()
