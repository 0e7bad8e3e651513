"""Names of a script and their values: the script's own, a function's, a comprehension's."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from fortrancl.diagnostics import did_you_mean
from fortrancl.script.faults import Fault
from fortrancl.script.values import Value


class Scope:
    """One level of names; look-up goes outward, assignment stays here."""

    def __init__(self, outer: Scope | None = None, names: Mapping[str, Value] | None = None) -> None:
        self.outer = outer
        self.names: dict[str, Value] = dict(names or {})

    def get(self, name: str) -> Value:
        """Value of a name. Errors: FCL208."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        raise Fault("FCL208", f"the script has not set '{name}'", hints=did_you_mean(name, self.visible()))

    def set(self, name: str, value: Value) -> None:
        """Give a name a value in this scope."""
        self.names[name] = value

    def visible(self) -> Iterator[str]:
        """All names that `get` finds, innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            scope = scope.outer


@dataclass(frozen=True)
class ScriptFunction:
    """A function that the script defined."""

    KIND: ClassVar[str] = "a function"

    name: str
    parameters: ast.arguments = field(repr=False)
    defaults: tuple[Value, ...] = field(repr=False)
    keyword_defaults: tuple[Value | None, ...] = field(repr=False)
    body: list[ast.stmt] | ast.expr = field(repr=False)
    scope: Scope = field(repr=False)
