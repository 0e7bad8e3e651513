"""How a script fails: a fault without its place, which the interpreter adds."""

from __future__ import annotations

import ast
from collections.abc import Iterable


class Fault(Exception):
    """A mistake of the script. ``node`` is the part of the script at fault; where nobody knows it better, the
    expression being evaluated."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        node: ast.AST | None = None,
        notes: Iterable[str] = (),
        hints: Iterable[str] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.node = node
        self.notes = tuple(notes)
        self.hints = tuple(hints)


def went_wrong(message: str, *, hints: Iterable[str] = ()) -> Fault:
    """FCL209: what Python would raise an exception for."""
    return Fault("FCL209", message, hints=hints)
