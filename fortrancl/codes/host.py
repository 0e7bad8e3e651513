"""Codes FCL6xx."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

HOST_CODES: tuple[CodeEntry, ...] = ()
