"""Kinds by the names of ISO_C_BINDING, and names that are free."""

from __future__ import annotations

from collections.abc import Iterable

from fortrancl.ir.types import ScalarType


def kind_name(type: ScalarType) -> str:
    """The name of ISO_C_BINDING for a type's kind.

    >>> kind_name(ScalarType("real", 8)), kind_name(ScalarType("integer", 2))
    ('c_double', 'c_int16_t')
    """
    if type.base == "integer":
        return f"c_int{8 * type.kind}_t"
    if type.base == "logical":
        return "c_int"
    real = "c_float" if type.kind == 4 else "c_double"
    return f"{real}_complex" if type.base == "complex" else real


def fresh(wanted: str, taken: Iterable[str]) -> str:
    """``wanted``, or with a number where a name is the same to Fortran."""
    used = {name.lower() for name in taken}
    name, number = wanted, 1
    while name.lower() in used:
        number += 1
        name = f"{wanted}{number}"
    return name
