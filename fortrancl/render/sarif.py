"""Diagnostics as one SARIF 2.1.0 document (OASIS standard, March 2020)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from fortrancl.codes import CODES
from fortrancl.diagnostics import Diagnostic
from fortrancl.source import Span

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_text(diagnostics: Sequence[Diagnostic], version: str) -> str:
    """A SARIF log with one run; columns count Unicode code points."""
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    driver: dict[str, Any] = {
        "name": "fortrancl",
        "version": version,
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, codes.index(diagnostic.code)) for diagnostic in diagnostics],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, Any]:
    entry = CODES.get(code)
    rule: dict[str, Any] = {"id": code}
    if entry is not None:
        rule["shortDescription"] = {"text": entry.title}
        rule["fullDescription"] = {"text": entry.explanation}
    return rule


def _result(diagnostic: Diagnostic, rule: int) -> dict[str, Any]:
    text = "\n".join(
        (diagnostic.message, *(f"note: {n}" for n in diagnostic.notes), *(f"hint: {h}" for h in diagnostic.hints))
    )
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [] if diagnostic.span is None else [_location(diagnostic.span)],
    }
    if diagnostic.related:
        result["relatedLocations"] = [
            {**_location(related.span), "message": {"text": related.message}} for related in diagnostic.related
        ]
    return result


def _location(span: Span) -> dict[str, Any]:
    last = span.source.line_starts[span.end_line - 1]
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": max(span.end, span.start + 1) - last + 1,
    }
    return {"physicalLocation": {"artifactLocation": {"uri": quote(span.source.path)}, "region": region}}
