"""What the compiler says to a person: one object, rendered as text, JSON lines or SARIF elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from fortrancl.source import Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Related:
    """Another place that matters, with what it has to do with it."""

    message: str
    span: Span


@dataclass(frozen=True)
class Diagnostic:
    """One message: code (``FCLnnn``), one sentence, the place, and the ways out.

    ``span`` is None only where no input text is at fault (an unreadable file, a device).
    """

    code: str
    message: str
    span: Span | None = None
    related: tuple[Related, ...] = ()
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    severity: Severity = "error"


class CompileError(Exception):
    """Input that cannot be compiled: all diagnostics of the stage at once. The only exception a user's mistake makes
    once its place is known."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in self.diagnostics))


class StepError(Exception):
    """A transformation refuses. It knows the *argument* at fault, not its place: the script interpreter adds that.

    ``argument`` is the parameter name of the transformation's signature; ``value`` the part of it at fault (an iname
    inside a list, say), which the interpreter looks for inside the argument's text. ``position`` is where ``value``
    begins in an argument that is one string with a grammar of its own (a query, a template), 0-based.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        argument: str | None = None,
        value: str | None = None,
        position: int | None = None,
        related: Iterable[Related] = (),
        notes: Iterable[str] = (),
        hints: Iterable[str] = (),
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.argument = argument
        self.value = value
        self.position = position
        self.related = tuple(related)
        self.notes = tuple(notes)
        self.hints = tuple(hints)

    def at(self, span: Span | None) -> Diagnostic:
        """The diagnostic, placed."""
        return Diagnostic(self.code, self.message, span, self.related, self.notes, self.hints)


def did_you_mean(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """A hint that names the closest known spelling, or nothing.

    >>> did_you_mean("ki", ["k", "j", "i"])
    ("did you mean 'k'?",)
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return (f"did you mean '{by_lower[close[0]]}'?",) if close else ()
