"""Physical lines with their origin, and reading them from disk."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.source import SourceFile, Span

Form = Literal["free", "fixed"]

_FIXED_SUFFIXES = frozenset({".f", ".for", ".ftn", ".f77", ".fpp"})


@dataclass(frozen=True, slots=True)
class Line:
    """A line to compile and where it stands in a file that the user can open.

    ``exact``: ``text`` is that line character for character, so columns are known; false after a macro changed it.
    """

    text: str
    source: SourceFile = field(repr=False)
    number: int
    exact: bool = True

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Columns ``[start, end)`` (0-based) of this line; the whole line where columns are not known."""
        if not self.exact:
            return self.source.span_of_lines(self.number)
        origin = self.source.line_starts[self.number - 1]
        return Span(self.source, origin + start, origin + (len(self.text) if end is None else end))


def form_of(path: str) -> Form:
    """Free or fixed form, by the suffix as gfortran takes it.

    >>> form_of("a.F"), form_of("a.f90")
    ('fixed', 'free')
    """
    return "fixed" if Path(path).suffix.lower() in _FIXED_SUFFIXES else "free"


_LARGEST = 64 * 2**20
"""Bytes of a source file; real ones take some hundred thousand."""


def read_source(path: str) -> SourceFile:
    """The text of a file: UTF-8, else Latin-1; CR LF becomes LF, a byte order mark is dropped.

    Raises `CompileError`: FCL101 (cannot be read), FCL102 (not a text file).
    """
    try:
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CompileError([Diagnostic("FCL101", f"cannot read '{path}': {reason}")]) from error
    if len(data) > _LARGEST or b"\0" in data:
        # Devices that never end (/dev/zero) stop here, too.
        raise CompileError([
            Diagnostic("FCL102", f"'{path}' is not a text file", hints=("give the Fortran source file",))
        ])  # fmt: skip
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return SourceFile(path, text.replace("\r\n", "\n").replace("\r", "\n"))


_MARKER = re.compile(r'#\s*(?:line\s+)?(\d+)(?:\s+"([^"]*)")?')


def lines_of(
    source: SourceFile, text: str | None = None, others: dict[str, SourceFile] | None = None
) -> tuple[Line, ...]:
    """The lines of ``text``, a form of ``source`` whose lines are the file's or are told by ``# 12 "file"`` markers.

    ``others`` holds included files by the path that markers use; lines of a file not among them belong to ``source``.
    Marker lines stay, as empty lines.
    """
    if text is None or text == source.text:
        return tuple(Line(line, source, number) for number, line in enumerate(_split(source.text), start=1))
    result: list[Line] = []
    current, number = source, 1
    for line in _split(text):
        marker = _MARKER.match(line)
        if marker:
            if marker[2] is not None:
                current = (others or {}).get(marker[2], source)
            result.append(Line("", current, min(max(number, 1), current.line_count or 1), exact=False))
            number = int(marker[1])
            continue
        place = min(max(number, 1), max(current.line_count, 1))
        result.append(Line(line, current, place, exact=current.line_text(place) == line))
        number += 1
    return tuple(result)


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines
