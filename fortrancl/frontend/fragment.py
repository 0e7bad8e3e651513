"""A part of a statement's text, and reading at parenthesis depth 0."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fortrancl.frontend.logical import LogicalStatement
from fortrancl.source import Span


@dataclass(frozen=True, slots=True)
class Fragment:
    """Characters ``[start, end)`` of a statement."""

    statement: LogicalStatement
    start: int
    end: int

    @staticmethod
    def whole(statement: LogicalStatement) -> Fragment:
        """All of a statement."""
        return Fragment(statement, 0, len(statement.text))

    @property
    def text(self) -> str:
        """The characters."""
        return self.statement.text[self.start : self.end]

    def part(self, start: int, end: int | None = None) -> Fragment:
        """A part of this part, blanks round it left out."""
        text = self.text[start:end]
        first = self.start + start + len(text) - len(text.lstrip())
        return Fragment(self.statement, first, max(first, self.start + start + len(text.rstrip())))

    def span(self) -> Span:
        """Its place in the file."""
        return self.statement.span(self.start, max(self.end, self.start + 1))

    def find(self, text: str) -> Span:
        """Place of the first occurrence of ``text`` (case-blind; a name as a whole word), else of the whole part."""
        pattern = re.escape(text.strip())
        if re.fullmatch(r"\w+", text.strip()):
            pattern = rf"(?<![\w.]){pattern}(?!\w)"
        # Names inside character constants do not count.
        searched = re.sub(r"'[^']*'|\"[^\"]*\"", lambda m: " " * len(m[0]), self.text)
        match = re.search(pattern, searched, re.IGNORECASE) if pattern else None
        if match is None:
            return self.span()
        return self.statement.span(self.start + match.start(), self.start + match.end())


def depth_zero(text: str) -> Iterator[tuple[int, str]]:
    """(position, character) outside strings and parentheses, opening and closing parentheses of depth 0 included.

    >>> "".join(c for _, c in depth_zero("a(1,2) + 'b,c'"))
    'a() + '
    """
    depth, quote = 0, ""
    for position, character in enumerate(text):
        if quote:
            if character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        elif character in "([":
            if depth == 0:
                yield position, character
            depth += 1
        elif character in ")]":
            depth -= 1
            if depth == 0:
                yield position, character
        elif depth == 0:
            yield position, character


def split_commas(fragment: Fragment) -> list[Fragment]:
    """Parts between commas of depth 0."""
    cuts = [-1, *(position for position, c in depth_zero(fragment.text) if c == ","), len(fragment.text)]
    return [fragment.part(a + 1, b) for a, b in itertools.pairwise(cuts)]


def find_top(text: str, wanted: str) -> int:
    """First position of a one-character ``wanted`` at depth 0, or -1."""
    return next((position for position, c in depth_zero(text) if c == wanted), -1)


def closing(text: str, opening: int = 0) -> int:
    """Position of the parenthesis that closes the one at ``opening``, or -1."""
    return next((opening + p for p, c in depth_zero(text[opening:]) if c in ")]"), -1)


def equals_sign(text: str) -> int:
    """Position of a depth-0 ``=`` that is neither a comparison nor ``=>``, or -1."""
    for position, character in depth_zero(text):
        if character == "=":
            before, after = text[position - 1 : position], text[position + 1 : position + 2]
            if after not in ("=", ">") and before not in ("=", "/", "<", ">"):
                return position
    return -1
