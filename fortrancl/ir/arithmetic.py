"""Fortran arithmetic on single values, exact to the kind: what `ir.interpret` computes with.

Integers are Python's, wrapped to their kind; reals and complex are numpy scalars of their kind, so that ``real(4)``
never sees a wider register; logicals are Python's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fortrancl.ir.expr import COMPARISONS
from fortrancl.ir.typeof import call_type, operation_type
from fortrancl.ir.types import ScalarType

Value = Any
"""int, bool, or a numpy scalar, as the module says."""
Operation = Callable[..., Value]


class ArithmeticFault(Exception):
    """An operation on integers that has no result (division by zero, a NaN as an integer)."""


_NUMPY = {("real", 4): np.float32, ("real", 8): np.float64, ("complex", 4): np.complex64, ("complex", 8): np.complex128}


def dtype_of(type: ScalarType) -> np.dtype[Any]:
    """The numpy type whose memory looks like Fortran's."""
    if type.base == "integer":
        return np.dtype(f"int{8 * type.kind}")
    return np.dtype(np.bool_) if type.base == "logical" else np.dtype(_NUMPY[(type.base, type.kind)])


def wrap(value: int, kind: int) -> int:
    """An integer as two's complement of ``kind`` bytes.

    >>> wrap(2**31, 4), wrap(-129, 1)
    (-2147483648, 127)
    """
    half = 1 << (8 * kind - 1)
    return ((value + half) & (2 * half - 1)) - half


def convert(value: Value, to: ScalarType) -> Value:
    """Conversion as by intrinsic assignment: real to integer truncates, integer to integer wraps.

    >>> from fortrancl.ir.types import INTEGER4, REAL4
    >>> convert(np.float64(-2.7), INTEGER4), convert(16777217, REAL4)
    (-2, np.float32(1.6777216e+07))
    """
    if to.base == "logical":
        return bool(value)
    if to.base == "integer":
        if isinstance(value, int):
            return wrap(value, to.kind)
        real = value.real
        if not math.isfinite(real):
            raise ArithmeticFault(f"{real} has no integer value")
        return wrap(math.trunc(float(real)), to.kind)
    kind = _NUMPY[(to.base, to.kind)]
    if to.base == "real":
        # An int64 rounds to the wanted kind in one step; by way of a Python float it could round twice.
        return kind(np.int64(value)) if isinstance(value, int) else kind(value.real)
    return kind(value)


# -- operators --------------------------------------------------------------------------------------------------
def binary(op: str, left: ScalarType, right: ScalarType) -> Operation:
    """The operation on operands of the given types, conversions included.

    >>> from fortrancl.ir.types import INTEGER4
    >>> binary("/", INTEGER4, INTEGER4)(-7, 2), binary("**", INTEGER4, INTEGER4)(2, -1)
    (-3, 0)
    """
    if op in _LOGICAL:
        return _LOGICAL[op]
    result = operation_type(op, left, right)
    if op == "**":
        return _power(left, right, result)
    common = operation_type("+", left, right)
    if op in COMPARISONS:
        compare = _COMPARE[op]
        return lambda a, b: bool(compare(convert(a, common), convert(b, common)))
    if common.base == "integer":
        exact = _INTEGER[op]
        return lambda a, b: wrap(exact(a, b), common.kind)
    inexact = _INEXACT[op]
    return lambda a, b: inexact(convert(a, common), convert(b, common))


def truncated_quotient(a: int, b: int) -> int:
    """Fortran's ``/`` on integers."""
    if b == 0:
        raise ArithmeticFault("integer division by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_LOGICAL: dict[str, Operation] = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "eqv": lambda a, b: a == b,
    "neqv": lambda a, b: a != b,
}
_COMPARE: dict[str, Operation] = {
    "==": lambda a, b: a == b,
    "/=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_INTEGER: dict[str, Operation] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": truncated_quotient,
}
_INEXACT: dict[str, Operation] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _power(left: ScalarType, right: ScalarType, result: ScalarType) -> Operation:
    if left.base == "integer" and right.base == "integer":
        return lambda a, b: wrap(_integer_power(a, b), result.kind)
    if right.base == "integer":
        return lambda a, b: _by_squaring(convert(a, result), b)
    return lambda a, b: np.power(convert(a, result), convert(b, result))


def _integer_power(base: int, exponent: int) -> int:
    if exponent >= 0:
        return int(pow(base, exponent, 1 << 64)) if exponent > 64 else int(base**exponent)
    if base == 0:
        raise ArithmeticFault("zero to a negative power")
    return (base if exponent % 2 else 1) if abs(base) == 1 else 0


def _by_squaring(base: Value, exponent: int) -> Value:
    """Repeated multiplication, as compilers do it for an integer exponent; a negative one takes the reciprocal."""
    result, factor, left = type(base)(1), base, abs(exponent)
    while left:
        if left & 1:
            result = result * factor
        left >>= 1
        if left:
            factor = factor * factor
    return type(base)(1) / result if exponent < 0 else result


# -- intrinsics -------------------------------------------------------------------------------------------------
def intrinsic(name: str, types: tuple[ScalarType, ...]) -> Operation:
    """The function on arguments of the given types. Raises `KeyError` for one that is not known."""
    result = call_type(name, types)
    if name in ("min", "max"):
        choose = min if name == "min" else max
        return lambda *values: choose(convert(value, result) for value in values)
    if name in _INTEGER_FUNCTIONS and all(t.base == "integer" for t in types):
        function = _INTEGER_FUNCTIONS[name]
        if name in ("ishft", "not", "btest", "popcnt", "leadz", "trailz"):
            return lambda *values: function(types[0].kind, *values)
        return lambda *values: wrap(function(*values), result.kind)
    if name in _TO_INTEGER:
        rounding = _TO_INTEGER[name]
        return lambda value: wrap(_whole(rounding, value), result.kind)
    known = _REAL_FUNCTIONS[name]
    return lambda *values: (
        type(values[0])(known(*(convert(value, types[0]) for value in values)))
        if (types[0].base == "real")
        else known(*values)
    )


def _modulo(a: int, b: int) -> int:
    if b == 0:
        raise ArithmeticFault("modulo of zero")
    return a - b * (a // b)


def _floordiv(a: int, b: int) -> int:
    if b == 0:
        raise ArithmeticFault("integer division by zero")
    return a // b


def _shift(kind: int, value: int, by: int) -> int:
    mask = (1 << (8 * kind)) - 1
    bits = value & mask
    return wrap((bits << by) & mask if by >= 0 else bits >> -by, kind)


_INTEGER_FUNCTIONS: dict[str, Operation] = {
    "abs": abs,
    "mod": lambda a, b: a - b * truncated_quotient(a, b),
    "modulo": _modulo,
    "floormod": _modulo,
    "floordiv": _floordiv,
    "sign": lambda a, b: abs(a) if b >= 0 else -abs(a),
    "dim": lambda a, b: max(a - b, 0),
    "iand": lambda a, b: a & b,
    "ior": lambda a, b: a | b,
    "ieor": lambda a, b: a ^ b,
    "not": lambda kind, a: ~a,
    "ishft": _shift,
    "btest": lambda kind, a, position: bool((a >> position) & 1),
    "popcnt": lambda kind, a: (a & ((1 << (8 * kind)) - 1)).bit_count(),
    "leadz": lambda kind, a: 8 * kind - (a & ((1 << (8 * kind)) - 1)).bit_length(),
    "trailz": lambda kind, a: 8 * kind if a == 0 else (a & -a).bit_length() - 1,
}


def _whole(rounding: Callable[[float], int], value: Value) -> int:
    if not math.isfinite(value):
        raise ArithmeticFault(f"{value} has no integer value")
    return rounding(float(value))


def nearest(value: float) -> int:
    """Nearest whole number, halves away from zero (``nint``).

    >>> nearest(2.5), nearest(-0.5), nearest(0.49999999999999994)
    (3, -1, 0)
    """
    whole = math.trunc(value)
    return whole + (0 if abs(value - whole) < 0.5 else (1 if value > 0 else -1))


_TO_INTEGER: dict[str, Callable[[float], int]] = {"floor": math.floor, "ceiling": math.ceil, "nint": nearest}


def _each(function: Callable[[float], float]) -> Operation:
    return lambda value: function(float(value))


def _real_modulo(a: Value, b: Value) -> Value:
    rest = np.fmod(a, b)
    return rest + b if rest != 0 and (rest < 0) != (b < 0) else rest


_REAL_FUNCTIONS: dict[str, Operation] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "hypot": np.hypot,
    "gamma": _each(math.gamma),
    "log_gamma": _each(math.lgamma),
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "aint": np.trunc,
    "anint": lambda value: value if not math.isfinite(value) else math.copysign(nearest(float(value)), value),
    "mod": np.fmod,
    "modulo": _real_modulo,
    "sign": np.copysign,
    "dim": lambda a, b: a - b if a > b else type(a)(0),
}
