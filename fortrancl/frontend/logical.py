"""Statements as Fortran counts them: continuations joined, comments dropped, `;` split; each knows its characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from fortrancl.frontend.lines import Form, Line
from fortrancl.source import Span

_SPECIAL = re.compile(r"['\"!&;]")
_LABEL = re.compile(r"(\d{1,5})\s+(?=\S)")
_FIXED_COMMENT = frozenset("cC*!#")
_FIXED_WIDTH = 72


@dataclass(frozen=True, slots=True)
class Piece:
    """``start``: offset in the statement's text from which characters come from column ``column`` on of a line."""

    start: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class LogicalStatement:
    """One statement without its label. ``first`` and ``last`` are positions in ``lines`` (0-based)."""

    text: str
    label: str | None
    first: int
    last: int
    pieces: tuple[Piece, ...] = field(repr=False)
    lines: Sequence[Line] = field(repr=False, compare=False)
    unterminated: bool = False

    def _place(self, offset: int) -> tuple[Line, int]:
        position = bisect_right(self.pieces, offset, key=lambda piece: piece.start) - 1
        piece = self.pieces[max(position, 0)]
        return self.lines[piece.line], piece.column + offset - piece.start

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Where characters ``[start, end)`` of the text stand in the file."""
        end = len(self.text) if end is None else end
        line, column = self._place(start)
        last_line, last_column = self._place(max(end - 1, start))
        head = line.span(column, column + 1)
        tail = last_line.span(last_column, last_column + 1)
        if head.source is not tail.source:
            return head
        return Span(head.source, head.start, max(head.end, tail.end))

    @property
    def line(self) -> int:
        """1-based line of the file where it begins."""
        return self.lines[self.first].number


def statements_of(
    lines: Sequence[Line], form: Form, first: int = 0, last: int | None = None
) -> tuple[LogicalStatement, ...]:
    """All statements of the lines ``first`` … ``last`` (positions, ``last`` excluded)."""
    scanner = _Scanner(lines)
    stop = len(lines) if last is None else last
    if form == "free":
        scanner.scan_free(first, stop)
    else:
        scanner.scan_fixed(first, stop)
    return tuple(scanner.result)


class _Scanner:
    """Builds one statement at a time out of runs of characters."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.result: list[LogicalStatement] = []
        self.chunks: list[str] = []
        self.pieces: list[Piece] = []
        self.length = 0
        self.last = 0
        self.quote = ""
        self.label: str | None = None

    def take(self, line: int, text: str, start: int, end: int) -> None:
        if end > start:
            self.pieces.append(Piece(self.length, line, start))
            self.chunks.append(text[start:end])
            self.length += end - start
            self.last = line

    def finish(self) -> None:
        text = "".join(self.chunks)
        pieces = self.pieces
        label, self.label = self.label, None
        self.chunks, self.pieces, self.length = [], [], 0
        unterminated, self.quote = bool(self.quote), ""
        stripped = text.lstrip()
        skip = len(text) - len(stripped)
        if label is None:
            match = _LABEL.match(stripped)
            if match:
                label, stripped, skip = match[1], stripped[match.end() :], skip + match.end()
        stripped = stripped.rstrip()
        if not stripped:
            return
        # The first piece that holds text decides the first line (a lone "&" line before it does not count).
        moved = tuple(Piece(piece.start - skip, piece.line, piece.column) for piece in pieces)
        position = bisect_right(moved, 0, key=lambda piece: piece.start) - 1
        first = moved[max(position, 0)].line
        self.result.append(
            LogicalStatement(stripped, label, first, self.last, moved[max(position, 0) :], self.lines, unterminated)
        )

    def scan_free(self, first: int, stop: int) -> None:
        continuing = False
        for position in range(first, stop):
            text = self.lines[position].text
            start = 0
            stripped = text.lstrip()
            if continuing:
                if stripped.startswith("&"):
                    start = len(text) - len(stripped) + 1
                elif not self.quote and (not stripped or stripped[0] == "!"):
                    continue
            if not continuing and (not stripped or stripped[0] in "!#"):
                continue
            continuing = self.free_line(position, text, start)
            if not continuing:
                self.finish()
        self.finish()

    def free_line(self, position: int, text: str, start: int) -> bool:
        """Take one line; whether it is continued."""
        end = len(text)
        at = start
        while True:
            if self.quote:
                close = text.find(self.quote, at)
                if close < 0:
                    body = text.rstrip()
                    if body.endswith("&"):
                        self.take(position, text, start, len(body) - 1)
                        return True
                    self.take(position, text, start, end)
                    return False
                self.quote, at = "", close + 1
                continue
            match = _SPECIAL.search(text, at)
            if match is None:
                self.take(position, text, start, end)
                return False
            at = match.end()
            mark = match[0]
            if mark in "'\"":
                self.quote = mark
            elif mark == "!":
                self.take(position, text, start, match.start())
                return False
            elif mark == "&":
                self.take(position, text, start, match.start())
                rest = text[at:].lstrip()
                if not rest or rest[0] == "!":
                    return True
                # Characters after "&" are not Fortran; keep them, so that the parser refuses them where they stand.
                start = match.start()
            else:
                self.take(position, text, start, match.start())
                self.finish()
                start = at

    def scan_fixed(self, first: int, stop: int) -> None:
        for position in range(first, stop):
            text = self.lines[position].text
            if not text.strip() or text[0] in _FIXED_COMMENT or (text.lstrip()[0] == "!" and text.find("!") != 5):
                continue
            label, continued, start = _fixed_columns(text)
            if not continued:
                self.finish()
                self.label = label
            self.fixed_line(position, text[:_FIXED_WIDTH], start)
        self.finish()

    def fixed_line(self, position: int, text: str, start: int) -> None:
        at = start
        while True:
            if self.quote:
                close = text.find(self.quote, at)
                if close < 0:
                    self.take(position, text, start, len(text))
                    return
                self.quote, at = "", close + 1
                continue
            match = _SPECIAL.search(text, at)
            if match is None:
                self.take(position, text, start, len(text))
                return
            at = match.end()
            if match[0] in "'\"":
                self.quote = match[0]
            elif match[0] == "!":
                self.take(position, text, start, match.start())
                return
            elif match[0] == ";":
                self.take(position, text, start, match.start())
                self.finish()
                start = at


def _fixed_columns(text: str) -> tuple[str | None, bool, int]:
    """(label, whether a continuation line, column where the statement's text begins); a tab ends the label field."""
    tab = text.find("\t", 0, 6)
    if tab >= 0:
        label = text[:tab].strip() or None
        if label is not None and not label.isdigit():
            return None, False, 0
        if text[tab + 1 : tab + 2] in tuple("123456789"):
            return None, True, tab + 2
        return label, False, tab + 1
    field_text = text[:5].strip()
    if field_text and not field_text.isdigit():
        # Not a label: the statement begins too far left. Read all of it; what is wrong will be said there.
        return None, False, 0
    mark = text[5:6]
    if mark not in ("", " ", "0") and not field_text:
        return None, True, 6
    return field_text or None, False, 6
