"""Fortran's intrinsic types, by the number of bytes a value takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BaseType = Literal["integer", "real", "logical", "complex"]


@dataclass(frozen=True)
class ScalarType:
    """An intrinsic type and the bytes of one value (``complex(4)`` takes 8: ``bytes`` is the kind's 4).

    >>> str(ScalarType("real", 8))
    'real(8)'
    """

    base: BaseType
    kind: int

    def __str__(self) -> str:
        return f"{self.base}({self.kind})"

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return self.kind * (2 if self.base == "complex" else 1)

    @property
    def is_numeric(self) -> bool:
        """Integer, real or complex."""
        return self.base != "logical"


INTEGER1 = ScalarType("integer", 1)
INTEGER2 = ScalarType("integer", 2)
INTEGER4 = ScalarType("integer", 4)
INTEGER8 = ScalarType("integer", 8)
REAL4 = ScalarType("real", 4)
REAL8 = ScalarType("real", 8)
COMPLEX4 = ScalarType("complex", 4)
COMPLEX8 = ScalarType("complex", 8)
LOGICAL4 = ScalarType("logical", 4)

_RANK = {"integer": 0, "real": 1, "complex": 2}


def promote(left: ScalarType, right: ScalarType) -> ScalarType:
    """Type of a numeric operation on two operands (Fortran 2008, 7.1.9.3), or of two logicals.

    Integer with real takes the real's kind whatever the integer's; two of one base take the larger kind.

    >>> str(promote(INTEGER8, REAL4)), str(promote(REAL4, REAL8))
    ('real(4)', 'real(8)')
    """
    if left.base == right.base:
        return left if left.kind >= right.kind else right
    if "logical" in (left.base, right.base):
        raise TypeError(f"no operation joins {left} and {right}")
    low, high = sorted((left, right), key=lambda t: _RANK[t.base])
    if low.base == "integer":
        return high
    return ScalarType(high.base, max(low.kind, high.kind))
