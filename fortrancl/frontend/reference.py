"""One reference to an intrinsic, and what its maker may ask of the reader of expressions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fortrancl.frontend.kinds import check_kind
from fortrancl.frontend.options import FrontendOptions
from fortrancl.frontend.parse import Node, Parsed
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.scope import Scope
from fortrancl.frontend.values import Value
from fortrancl.ir.expr import Literal_
from fortrancl.ir.types import ScalarType
from fortrancl.source import Span


class Reader(Protocol):
    """Makes IR of parsed expressions in one scope."""

    @property
    def scope(self) -> Scope:
        """Names and what they are."""

    @property
    def options(self) -> FrontendOptions:
        """What types without a kind mean."""

    def constant(self, parsed: Parsed, what: str) -> Literal_:
        """The value of a constant expression; ``what`` it is for, in messages."""

    def node(self, at: Parsed, node: Node) -> Value:
        """A part of a parsed expression."""


@dataclass(frozen=True)
class Use:
    """One reference: the arguments by position (None where an optional one is absent)."""

    reader: Reader
    at: Parsed
    name: str
    generic: str
    nodes: tuple[Node | None, ...]
    values: tuple[Value, ...]
    span: Span

    def refuse(self, why: str, *hints: str) -> Refused:
        """FCL123."""
        return Refused("FCL123", f"{self.name}: {why}", self.span, hints=hints)

    def kind_argument(self, position: int, base: str, default: int) -> ScalarType:
        """The type that a ``kind`` argument asks for."""
        node = self.nodes[position] if position < len(self.nodes) else None
        if node is None:
            return ScalarType(base, default)  # type: ignore[arg-type]
        number = self.reader.constant(self.at.of(node), "a kind").value
        if not isinstance(number, int):
            raise self.refuse("the kind must be an integer")
        return ScalarType(base, check_kind(base, number, self.span))  # type: ignore[arg-type]
