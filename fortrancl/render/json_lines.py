"""A diagnostic as one line of JSON."""

from __future__ import annotations

import json
from typing import Any

from fortrancl.diagnostics import Diagnostic
from fortrancl.source import Span


def json_line(diagnostic: Diagnostic) -> str:
    """One object: severity, code, message, place (null without one), related, notes, hints.

    >>> import json
    >>> json.loads(json_line(Diagnostic("FCL110", "no")))["code"]
    'FCL110'
    """
    record = {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "place": None if diagnostic.span is None else _place(diagnostic.span),
        "related": [{"message": related.message, "place": _place(related.span)} for related in diagnostic.related],
        "notes": list(diagnostic.notes),
        "hints": list(diagnostic.hints),
    }
    return json.dumps(record) + "\n"


def _place(span: Span) -> dict[str, Any]:
    """Lines and columns from 1; ``end_column`` is the column after the last character."""
    last = span.source.line_starts[span.end_line - 1]
    return {
        "file": span.source.path,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": max(span.end, span.start + 1) - last + 1,
    }
