"""Codes FCL5xx."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

DEVICE_CODES: tuple[CodeEntry, ...] = ()
