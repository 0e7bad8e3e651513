"""Fortran's intrinsics and ``**`` in OpenCL C (Fortran 2008, 13.7 and 7.1.5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fortrancl.ir import expr as ir
from fortrancl.ir.types import ScalarType
from fortrancl.target import ctree as c
from fortrancl.target.helpers import LARGEST_CHAIN
from fortrancl.target.types import NoDeviceFormError, Value, c_type

if TYPE_CHECKING:
    from fortrancl.target.expressions import Translator

_REAL_FUNCTIONS = {
    name: name
    for name in (
        "sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "atan2", "hypot", "erf", "erfc",
    )
} | {"gamma": "tgamma", "log_gamma": "lgamma", "aint": "trunc", "anint": "round"}  # fmt: skip
_TO_INTEGER = {"nint": "round", "floor": "floor", "ceiling": "ceil"}
_BITS = {"iand": "&", "ior": "|", "ieor": "^"}


def intrinsic(scope: Translator, call: ir.Call, type: ScalarType) -> Value:
    """A numeric intrinsic in the type Fortran gives it. Raises `NoDeviceFormError` (FCL409)."""
    name, result = call.function, c_type(type)
    arguments = call.arguments
    if name in _REAL_FUNCTIONS and type.base == "real":
        return Value(c.Call(_REAL_FUNCTIONS[name], _as(scope, arguments, result)), result)
    if name in _TO_INTEGER:
        rounded = c.Call(_TO_INTEGER[name], _as(scope, arguments[:1], c_type(scope.type_of(arguments[0]))))
        return Value(c.Cast(result, rounded), result)
    if name in ("min", "max"):
        return _extreme(scope, name, arguments, type)
    if name == "merge":
        yes, no = _as(scope, arguments[:2], result)
        return Value(c.Conditional(scope.truth(arguments[2]), yes, no), result)
    if type.base == "real":
        return _real(scope, name, arguments, result)
    return _integer(scope, name, arguments, result)


def _as(scope: Translator, arguments: tuple[ir.Expr, ...], type: str) -> tuple[c.Expression, ...]:
    return tuple(scope.converted(argument, type) for argument in arguments)


def _extreme(scope: Translator, name: str, arguments: tuple[ir.Expr, ...], type: ScalarType) -> Value:
    result_type = c_type(type)
    function = f"f{name}" if type.base == "real" else name
    first, *others = _as(scope, arguments, result_type)
    for other in others:
        first = c.Call(function, (first, other))
    return Value(first, result_type)


def _real(scope: Translator, name: str, arguments: tuple[ir.Expr, ...], type: str) -> Value:
    values = _as(scope, arguments, type)
    functions = {"abs": "fabs", "mod": "fmod", "sign": "copysign"}
    if name in functions:
        return Value(c.Call(functions[name], values), type)
    if name in ("modulo", "dim"):
        return Value(c.Call(f"fcl_{name}_{type}", values), type)
    raise NoDeviceFormError("FCL409", f"the intrinsic '{name}' has no device form")


def _integer(scope: Translator, name: str, arguments: tuple[ir.Expr, ...], type: str) -> Value:
    if name == "abs":
        # OpenCL's abs gives an unsigned result.
        return Value(c.Cast(type, c.Call("abs", _as(scope, arguments, type))), type)
    if name in ("ishft", "ishftc", "shiftl", "shiftr", "shifta", "ibset", "ibclr"):
        return _shift(scope, name, arguments, type)
    values = _as(scope, arguments, type)
    if name == "mod":
        return _fitted(c.Binary("%", values[0], values[1]), type)
    if name in ("modulo", "floormod"):
        return Value(c.Call(f"fcl_floormod_{type}", values), type)
    if name in ("floordiv", "dim", "sign"):
        return Value(c.Call(f"fcl_{name}_{type}", values), type)
    if name in _BITS:
        result = values[0]
        for other in values[1:]:
            result = c.Binary(_BITS[name], result, other)
        return _fitted(result, type)
    if name == "not":
        return _fitted(c.Unary("~", values[0]), type)
    raise NoDeviceFormError("FCL409", f"the intrinsic '{name}' has no device form")


def _fitted(expression: c.Expression, type: str) -> Value:
    return Value(c.Cast(type, expression) if type in ("char", "short") else expression, type)


def _shift(scope: Translator, name: str, arguments: tuple[ir.Expr, ...], type: str) -> Value:
    value = scope.converted(arguments[0], type)
    by = scope.converted(arguments[1], "int")
    if name in ("ibset", "ibclr"):
        bit = c.Binary("<<", c.Cast(type, c.Number("1")), by)
        mask = bit if name == "ibset" else c.Unary("~", bit)
        return _fitted(c.Binary("|" if name == "ibset" else "&", value, mask), type)
    if name == "ishftc":
        bits = {"char": 8, "short": 16, "int": 32, "long": 64}[type]
        size = scope.converted(arguments[2], "int") if len(arguments) > 2 else c.Number(str(bits))
        return Value(c.Call(f"fcl_ishftc_{type}", (value, by, size)), type)
    if name == "shifta":
        return Value(c.Call(f"fcl_shifta_{type}", (value, by)), type)
    amount = c.Unary("-", by) if name == "shiftr" else by
    return Value(c.Call(f"fcl_ishft_{type}", (value, amount)), type)


def power(scope: Translator, expr: ir.Binary, type: ScalarType) -> Value:
    """``**``: small constant integer exponents are products, in the order gfortran multiplies."""
    result = c_type(type)
    exponent_type = scope.type_of(expr.right)
    if exponent_type.base != "integer":
        return Value(c.Call("pow", _as(scope, (expr.left, expr.right), result)), result)
    exponent = _constant(expr.right)
    base = scope.converted(expr.left, result)
    if type.base == "integer":
        if exponent is None or not 1 <= exponent <= LARGEST_CHAIN:
            return Value(c.Call(f"fcl_ipow_{result}", (base, scope.converted(expr.right, "long"))), result)
    elif exponent is None or not -1 <= exponent <= LARGEST_CHAIN:
        return Value(c.Call(f"fcl_powi_{result}", (base, scope.converted(expr.right, "long"))), result)
    if exponent == 0:
        return Value(c.Cast(result, c.Number("1")), result)
    if exponent == -1:
        return Value(c.Binary("/", c.Cast(result, c.Number("1")), base), result)
    if exponent == 1:
        return Value(base, result)
    if exponent <= 3 and isinstance(base, c.Name | c.Number):
        product: c.Expression = base
        for _ in range(exponent - 1):
            product = c.Binary("*", product, base)
        return _fitted(product, result)
    return Value(c.Call(f"fcl_pow{exponent}_{result}", (base,)), result)


def _constant(expr: ir.Expr) -> int | None:
    if isinstance(expr, ir.Literal_) and expr.type.base == "integer":
        return int(expr.value.real)
    if isinstance(expr, ir.Unary) and expr.op == "-":
        inner = _constant(expr.operand)
        return None if inner is None else -inner
    return None
