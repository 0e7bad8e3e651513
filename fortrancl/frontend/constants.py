"""Constants: literals as Fortran reads them, and constant expressions computed at compile time."""

from __future__ import annotations

import math
import re
import struct

from fortrancl.frontend.linear import linear
from fortrancl.ir.expr import Binary, Call, Convert, Expr, Literal_, Unary
from fortrancl.ir.typeof import call_type, operation_type
from fortrancl.ir.types import ScalarType


def rounded(value: float, type: ScalarType) -> float:
    """A real as its kind holds it (infinite where it is too large)."""
    if type.kind != 4:
        return value
    try:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def real_literal(digits: str, type: ScalarType) -> Literal_:
    """A real constant; ``digits`` as written, without a kind; ``d`` exponents become ``e``.

    >>> from fortrancl.ir.types import REAL8
    >>> real_literal("1.5d-3", REAL8)
    Literal_(value=0.0015, type=ScalarType(base='real', kind=8), text='1.5e-3')
    """
    text = re.sub("[dDE]", "e", digits.replace(" ", ""))
    return Literal_(rounded(float(text), type), type, text)


def converted(literal: Literal_, type: ScalarType) -> Literal_ | None:
    """A constant as by intrinsic assignment to ``type``; None where that is not allowed or does not fit."""
    if literal.type == type:
        return literal
    if (literal.type.base == "logical") != (type.base == "logical"):
        return None
    value = literal.value
    if type.base == "logical":
        return Literal_(bool(value), type)
    if isinstance(value, complex):
        return None
    if type.base == "integer":
        if not math.isfinite(value):
            return None
        whole = math.trunc(value)
        return Literal_(whole, type) if -(1 << (8 * type.kind - 1)) <= whole < 1 << (8 * type.kind - 1) else None
    if type.base == "real":
        try:
            return Literal_(rounded(float(value), type), type)
        except OverflowError:
            return None
    return None


def fold(expr: Expr) -> Literal_ | None:
    """The value of a constant expression in Fortran arithmetic; None where something in it is not constant or has no
    value. Functions beyond ``sqrt`` come from the C library, so their last bit may differ from another compiler's.

    >>> from fortrancl.ir.expr import integer
    >>> fold(Binary("/", integer(-7), integer(2)))
    Literal_(value=-3, type=ScalarType(base='integer', kind=4), text=None)
    """
    if isinstance(expr, Literal_):
        return expr
    if isinstance(expr, Convert):
        inner = fold(expr.operand)
        return None if inner is None else converted(inner, expr.type)
    if isinstance(expr, Unary):
        return _unary(expr)
    if isinstance(expr, Binary):
        return _binary(expr)
    if isinstance(expr, Call):
        return _call(expr)
    return None


def _unary(expr: Unary) -> Literal_ | None:
    inner = fold(expr.operand)
    if inner is None or isinstance(inner.value, complex):
        return None
    if expr.op == "not":
        return Literal_(not inner.value, inner.type)
    return Literal_(-inner.value, inner.type) if expr.op == "-" else inner


def _binary(expr: Binary) -> Literal_ | None:
    terms, constant = linear(expr) if expr.op in ("+", "-") else ({}, None)
    left, right = fold(expr.left), fold(expr.right)
    if left is None or right is None:
        return None
    both_integers = left.type.base == right.type.base == "integer"
    type = operation_type(expr.op, left.type, right.type)
    if both_integers and constant is not None and not terms:
        return _fitted(constant, type)
    return _computed(type, expr.op, (left, right))


def _call(expr: Call) -> Literal_ | None:
    arguments = [fold(argument) for argument in expr.arguments]
    known = tuple(argument for argument in arguments if argument is not None)
    if len(known) != len(arguments):
        return None
    if expr.function == "merge":
        return known[0] if known[2].value else known[1]
    return _computed(call_type(expr.function, tuple(a.type for a in known)), expr.function, known)


def _computed(type: ScalarType, operation: str, operands: tuple[Literal_, ...]) -> Literal_ | None:
    # numpy takes 50 ms to import: only for what needs it.
    import numpy as np

    from fortrancl.ir.arithmetic import ArithmeticFault, binary, convert, intrinsic

    types = tuple(operand.type for operand in operands)
    try:
        with np.errstate(all="ignore"):
            values = [convert(operand.value, operand.type) for operand in operands]
            is_function = operation.isidentifier() and operation not in ("and", "or", "eqv", "neqv")
            function = intrinsic(operation, types) if is_function else binary(operation, types[0], types[1])
            value = function(*values)
    except (ArithmeticFault, ValueError, OverflowError, KeyError):
        return None
    if type.base == "logical":
        return Literal_(bool(value), type)
    if type.base == "integer":
        return _fitted(int(value), type)
    return Literal_(float(value), type) if type.base == "real" and math.isfinite(value) else None


def _fitted(value: int, type: ScalarType) -> Literal_ | None:
    limit = 1 << (8 * type.kind - 1)
    return Literal_(value, type) if -limit <= value < limit else None
