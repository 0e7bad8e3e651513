"""A diagnostic for a terminal: the sentence, the line with a caret under the place, notes and hints."""

from __future__ import annotations

from fortrancl.diagnostics import Diagnostic
from fortrancl.source import Span

_TAB = 8
_WIDEST_LINE = 150
_LONGEST_MESSAGE = 600


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
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {_sentence(diagnostic.message)}"]
    spans = [span for span in (diagnostic.span, *(related.span for related in diagnostic.related)) if span is not None]
    width = max((len(str(span.line)) for span in spans), default=0)
    margin = " " * width
    if diagnostic.span is not None:
        lines += [f"{margin} --> {_place(diagnostic.span)}", *_excerpt(diagnostic.span, width, "^")]
    for related in diagnostic.related:
        lines += [f"{margin} ::: {_place(related.span)}", *_excerpt(related.span, width, "-", related.message)]
    lines += [f"{margin} = note: {_sentence(note)}" for note in diagnostic.notes]
    lines += [f"{margin} = hint: {_sentence(hint)}" for hint in diagnostic.hints]
    return "\n".join(lines) + "\n"


def _place(span: Span) -> str:
    return f"{_printable(span.source.path)}:{span.line}:{span.column}"


def _printable(text: str) -> str:
    """Control characters, and those that turn the direction of writing, must not reach a terminal."""
    return "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in text)


def _sentence(text: str) -> str:
    """Line breaks kept (a tool's log may hold some); a text that quotes a huge value is cut."""
    short = text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + "…"
    return "\n".join(map(_printable, short.split("\n")))


def _excerpt(span: Span, width: int, mark: str, label: str = "") -> list[str]:
    """The span's first line with its characters underlined."""
    text = _printable(span.source.line_text(span.line))
    if not text.strip():
        return []
    start = span.column - 1
    end = min(len(text), start + max(1, span.end - span.start)) if span.end_line == span.line else len(text.rstrip())
    first, last = len(text[:start].expandtabs(_TAB)), len(text[:end].expandtabs(_TAB))
    shown, first, last = _window(text.expandtabs(_TAB).rstrip(), first, max(last, first + 1))
    return [
        f"{span.line:>{width}} | {shown}",
        f"{' ' * width} | {' ' * first}{mark * (last - first)}{' ' + label if label else ''}",
    ]


def _window(text: str, first: int, last: int) -> tuple[str, int, int]:
    """The part of a very long line round its marked columns, and where they are in it."""
    if len(text) <= _WIDEST_LINE:
        return text, first, last
    begin = max(0, min(first - _WIDEST_LINE // 3, len(text) - _WIDEST_LINE))
    end = begin + _WIDEST_LINE
    left, right = ("…" if begin else ""), ("…" if end < len(text) else "")
    shift = len(left) - begin
    return left + text[begin:end] + right, first + shift, min(last, end) + shift
