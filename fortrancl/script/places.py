"""From the script's own lines and columns to the file that a person edits."""

from __future__ import annotations

import ast
from typing import Protocol

from fortrancl.diagnostics import StepError
from fortrancl.source import SourceFile, Span


class ScriptSource(Protocol):
    """The text of a script, and where each character of it stands."""

    @property
    def text(self) -> str:
        """Python text; comment signs removed."""

    def span(self, start: int, end: int) -> Span:
        """Place of the characters ``[start, end)`` of ``text`` in the file they came from."""


class ScriptFile:
    """A script that is a file of its own (``--transform``).

    >>> script = ScriptFile(SourceFile("tile.py", "RESULT = 1"))
    >>> script.span(0, 6).text
    'RESULT'
    """

    def __init__(self, file: SourceFile) -> None:
        self.file = file

    @property
    def text(self) -> str:
        """The whole file."""
        return self.file.text

    def span(self, start: int, end: int) -> Span:
        """The same characters: the script is the file."""
        return Span(self.file, start, end)


class Places:
    """Spans of the nodes of a script's syntax tree."""

    def __init__(self, source: ScriptSource) -> None:
        self.source = source
        self._lines = SourceFile("script", source.text)

    def offset(self, line: int, byte_column: int) -> int:
        """Character offset of a place that Python counts in lines and UTF-8 bytes."""
        line = min(max(line, 1), len(self._lines.line_starts))
        text = self._lines.line_text(line)
        prefix = text.encode()[:byte_column].decode(errors="ignore")
        return self._lines.line_starts[line - 1] + len(prefix)

    def extent(self, node: ast.AST) -> tuple[int, int]:
        """Character offsets of a node in the script's text; all of the text where it has none."""
        line, end_line = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if line is None or end_line is None:
            return 0, len(self.source.text)
        start = self.offset(line, getattr(node, "col_offset", 0))
        return start, max(start + 1, self.offset(end_line, getattr(node, "end_col_offset", 0)))

    def span(self, node: ast.AST) -> Span:
        """Place of a node."""
        return self.source.span(*self.extent(node))

    def text(self, node: ast.AST) -> str:
        """The node as the script has it."""
        start, end = self.extent(node)
        return self.source.text[start:end]

    def span_of_value(self, node: ast.AST, error: StepError) -> Span:
        """Place of the part of an argument that a transformation complains about; else of the whole argument."""
        if error.value is None:
            return self.span(node)
        strings = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if error.position is not None and node in strings:
            start, end = self.extent(node)
            inside = self._inside(node, error.value, error.position)
            return self.source.span(*inside) if inside else self.source.span(start, end)
        for part in strings:
            if str(part.value).lower() == error.value.lower():
                return self.span(part)
        for part in strings:
            start, end = self.extent(part)
            found = Span(SourceFile("script", self.source.text), start, end).find(error.value)
            if found is not None:
                return self.source.span(found.start, found.end)
        return self.span(node)

    def _inside(self, node: ast.AST, value: str, position: int) -> tuple[int, int] | None:
        """Where the characters ``value`` at ``position`` of a string stand in its source, quotes counted."""
        start, end = self.extent(node)
        text = self.source.text[start:end]
        quote = 3 if text.startswith(('"""', "'''")) else 1
        place = start + quote + position
        if self.source.text[place : place + len(value)] == value and place + len(value) <= end - quote:
            return place, place + max(1, len(value))
        return None
