"""A typed expression."""

from __future__ import annotations

from dataclasses import dataclass

from fortrancl.ir.expr import Convert, Expr
from fortrancl.ir.types import ScalarType


@dataclass(frozen=True, slots=True)
class Value:
    """An expression and its Fortran type."""

    expr: Expr
    type: ScalarType

    def to(self, type: ScalarType) -> Value:
        """Converted, where it is not of that type."""
        return self if self.type == type else Value(Convert(type, self.expr), type)
