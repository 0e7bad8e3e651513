"""Refusals of this stage: raised where one statement cannot go on, gathered so that all are reported at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from fortrancl.diagnostics import CompileError, Diagnostic, Related
from fortrancl.source import Span

# Said of a name once, wherever it is used.
_OF_NAMES = frozenset(
    {"FCL111", "FCL112", "FCL113", "FCL114", "FCL116", "FCL117", "FCL118", "FCL120", "FCL121", "FCL127"}
)


class Refused(Exception):
    """One statement or declaration cannot be compiled; the others may still be looked at."""

    def __init__(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        related: Iterable[Related] = (),
        notes: Iterable[str] = (),
        hints: Iterable[str] = (),
    ) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, tuple(related), tuple(notes), tuple(hints))


class Problems:
    """Diagnostics found so far. What is wrong with a name is kept once: undeclared, it is one mistake, not twenty."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []
        self._said: set[tuple[str, str, int]] = set()

    def add(self, diagnostic: Diagnostic) -> None:
        """Remember one."""
        place = -1 if diagnostic.code in _OF_NAMES or diagnostic.span is None else diagnostic.span.start
        key = (diagnostic.code, diagnostic.message, place)
        if key not in self._said:
            self._said.add(key)
            self.found.append(diagnostic)

    @contextmanager
    def collecting(self) -> Iterator[None]:
        """Go on after the block when it is refused."""
        try:
            yield
        except Refused as refused:
            self.add(refused.diagnostic)

    def raise_any(self) -> None:
        """Raise `CompileError` with everything found, in the order of the file, if there is anything."""
        if self.found:
            raise CompileError(
                sorted(self.found, key=lambda d: (d.span.source.path, d.span.start) if d.span else ("", 0))
            )
