"""The coefficients of affine expressions."""

from __future__ import annotations

from typing import Any

import islpy as isl

from fortrancl.poly.sets import PARAM, Aff


def slope(value: Aff, name: str) -> int | None:
    """By how much the value grows when ``name`` grows by one; None if it is no plain linear expression.

    >>> slope(Aff.name("i") * 3 + "n", "i"), slope(Aff.name("i").floordiv(2), "i")
    (3, None)
    """
    raw = value.raw.coalesce()
    terms = affine_terms(raw.get_pieces()[0][1]) if raw.n_piece() == 1 else None
    return None if terms is None else dict(terms[1]).get(name, 0)


def parameter_position(raw: Any, name: str) -> int | None:
    for position in range(raw.dim(PARAM)):
        if raw.get_dim_name(PARAM, position) == name:
            return position
    return None


def affine_terms(aff: Any) -> tuple[int, list[tuple[str, int]]] | None:
    """Constant and non-zero coefficients of an `isl.Aff` with neither division nor denominator."""
    divs = (aff.get_coefficient_val(isl.dim_type.div, p) for p in range(aff.dim(isl.dim_type.div)))
    if not aff.get_denominator_val().is_one() or any(not factor.is_zero() for factor in divs):
        return None
    terms = [
        (str(aff.get_dim_name(PARAM, position)), int(aff.get_coefficient_val(PARAM, position).to_python()))
        for position in range(aff.dim(PARAM))
    ]
    return int(aff.get_constant_val().to_python()), [(name, factor) for name, factor in terms if factor]
