"""Kinds that have a type on the device."""

from __future__ import annotations

from fortrancl.frontend.problems import Refused
from fortrancl.source import Span

_KINDS = {"integer": (1, 2, 4, 8), "real": (4, 8), "logical": (1, 2, 4, 8), "complex": (4, 8)}


def check_kind(base: str, kind: int, span: Span | None) -> int:
    """A kind number that has a type on the device. Refuses with FCL113."""
    if kind not in _KINDS[base]:
        known = ", ".join(str(k) for k in _KINDS[base])
        raise Refused("FCL113", f"{base}({kind}) is not supported", span, hints=(f"{base} kinds here: {known}",))
    return kind
