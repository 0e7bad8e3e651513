"""Diagnostics as text for a person, JSON lines or SARIF for a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from fortrancl.diagnostics import Diagnostic

ErrorFormat = Literal["text", "json", "sarif"]


def render(diagnostics: Sequence[Diagnostic], form: ErrorFormat, version: str) -> str:
    """All diagnostics of one run in one form; ends with a newline unless empty (SARIF is one document, never empty)."""
    if form == "sarif":
        from fortrancl.render.sarif import sarif_text

        return sarif_text(diagnostics, version)
    if form == "json":
        from fortrancl.render.json_lines import json_line

        return "".join(json_line(diagnostic) for diagnostic in diagnostics)
    from fortrancl.render.text import diagnostic_text

    return "".join(diagnostic_text(diagnostic) for diagnostic in diagnostics)
