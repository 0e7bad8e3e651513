"""A diagnostic for a terminal: the sentence, the line with a caret under the place, notes and hints."""

from __future__ import annotations

from fortrancl.diagnostics import Diagnostic
from fortrancl.source import Span

_TAB = 8


def diagnostic_text(diagnostic: Diagnostic) -> str:
    """One diagnostic, newline at the end.

    >>> from fortrancl.source import SourceFile
    >>> place = SourceFile("m.f90", "x = 1\\ny = zz\\n").span_of_lines(2).find("zz")
    >>> print(diagnostic_text(Diagnostic("FCL110", "no such variable", place, hints=("declare it",))), end="")
    error[FCL110]: no such variable
      --> m.f90:2:5
    2 | y = zz
      |     ^^
      = hint: declare it
    """
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    spans = [span for span in (diagnostic.span, *(related.span for related in diagnostic.related)) if span is not None]
    width = max((len(str(span.line)) for span in spans), default=0)
    margin = " " * width
    if diagnostic.span is not None:
        lines += [f"{margin} --> {_place(diagnostic.span)}", *_excerpt(diagnostic.span, width, "^")]
    for related in diagnostic.related:
        lines += [f"{margin} ::: {_place(related.span)}", *_excerpt(related.span, width, "-", related.message)]
    lines += [f"{margin} = note: {note}" for note in diagnostic.notes]
    lines += [f"{margin} = hint: {hint}" for hint in diagnostic.hints]
    return "\n".join(lines) + "\n"


def _place(span: Span) -> str:
    return f"{span.source.path}:{span.line}:{span.column}"


def _excerpt(span: Span, width: int, mark: str, label: str = "") -> list[str]:
    """The span's first line with its characters underlined."""
    text = span.source.line_text(span.line)
    if not text.strip():
        return []
    start = span.column - 1
    end = min(len(text), start + max(1, span.end - span.start)) if span.end_line == span.line else len(text.rstrip())
    before, marked = text[:start].expandtabs(_TAB), text[:end].expandtabs(_TAB)
    underline = " " * len(before) + mark * max(1, len(marked) - len(before))
    return [
        f"{span.line:>{width}} | {text.expandtabs(_TAB).rstrip()}",
        f"{' ' * width} | {underline}{' ' + label if label else ''}",
    ]
