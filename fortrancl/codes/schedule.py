"""Codes FCL4xx."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

SCHEDULE_CODES: tuple[CodeEntry, ...] = ()
