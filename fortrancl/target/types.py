"""Fortran's types on the device."""

from __future__ import annotations

from dataclasses import dataclass

from fortrancl.ir.types import ScalarType
from fortrancl.target.ctree import Expression

INDEX = "fcl_idx"
"""The type of inames, subscripts and element numbers: int or long, as the launcher builds."""

_C_TYPES: dict[tuple[str, int], str] = {
    ("integer", 1): "char",
    ("integer", 2): "short",
    ("integer", 4): "int",
    ("integer", 8): "long",
    ("real", 4): "float",
    ("real", 8): "double",
    ("logical", 1): "char",
    ("logical", 2): "short",
    ("logical", 4): "int",
    ("logical", 8): "long",
}
_RANK = {"int": 0, "fcl_idx": 1, "long": 2, "float": 3, "double": 4}


@dataclass(frozen=True)
class Value:
    """A C expression and its C type (``fcl_idx`` for sums of inames, which any integer type can take)."""

    c: Expression
    type: str


class NoDeviceFormError(Exception):
    """Something in a statement that OpenCL C has no form for; whoever knows the statement adds its place."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def c_type(type: ScalarType) -> str:
    """The OpenCL C type of a Fortran type; logicals are integers of their size. Raises `NoDeviceFormError` (FCL505).

    >>> from fortrancl.ir.types import LOGICAL4, REAL8
    >>> c_type(REAL8), c_type(LOGICAL4)
    ('double', 'int')
    """
    found = _C_TYPES.get((type.base, type.kind))
    if found is None:
        raise NoDeviceFormError("FCL505", f"OpenCL C has no type for {type}")
    return found


def joined(left: str, right: str) -> str:
    """C's type of an arithmetic operation on two types (C99, 6.3.1.8): what is narrower than int becomes int.

    >>> joined("char", "short"), joined("long", "float")
    ('int', 'float')
    """
    return max((left, right, "int"), key=lambda name: _RANK.get(name, -1))
