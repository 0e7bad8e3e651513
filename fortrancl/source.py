"""Source text and places in it: offsets inside, lines and columns only when somebody asks."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class SourceFile:
    """One input text, kept as read (line ends normalised to ``\\n``), with its path as the user spelled it."""

    path: str
    text: str = field(repr=False)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offsets at which lines begin; line 1 is element 0."""
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return tuple(starts)

    @property
    def line_count(self) -> int:
        """Number of lines (a trailing newline does not open another)."""
        return len(self.line_starts) - (1 if self.text.endswith("\n") else 0)

    def line_of(self, offset: int) -> int:
        """1-based line that holds ``offset``."""
        return bisect_right(self.line_starts, offset)

    def line_text(self, line: int) -> str:
        """Text of a 1-based line, without its newline."""
        if not 1 <= line <= len(self.line_starts):
            return ""
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start:] if end < 0 else self.text[start:end]

    def span_of_lines(self, first: int, last: int | None = None) -> Span:
        """Span from the first to the last non-blank character of a range of 1-based lines."""
        last = first if last is None else last
        text = self.line_text(first)
        start = self.line_starts[first - 1] + len(text) - len(text.lstrip())
        end = self.line_starts[last - 1] + len(self.line_text(last).rstrip())
        return Span(self, start, max(start, end))


@dataclass(frozen=True)
class Span:
    """A half-open range of character offsets ``[start, end)`` in one source file."""

    source: SourceFile = field(repr=False)
    start: int
    end: int

    @property
    def line(self) -> int:
        """1-based first line."""
        return self.source.line_of(self.start)

    @property
    def column(self) -> int:
        """1-based first column, in characters."""
        return self.start - self.source.line_starts[self.line - 1] + 1

    @property
    def end_line(self) -> int:
        """1-based line of the last character."""
        return self.source.line_of(max(self.start, self.end - 1))

    @property
    def text(self) -> str:
        """The characters covered."""
        return self.source.text[self.start : self.end]

    def find(self, word: str) -> Span | None:
        """First whole-word, case-blind occurrence of ``word`` inside this span, or None."""
        import re

        match = re.search(rf"(?<![\w%]){re.escape(word)}(?!\w)", self.text, re.IGNORECASE)
        return Span(self.source, self.start + match.start(), self.start + match.end()) if match else None
