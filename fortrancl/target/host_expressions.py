"""Integer expressions for the host's C: launch geometry, footprints, checks. Everything is ``int64_t``."""

from __future__ import annotations

from collections.abc import Mapping

from fortrancl.ir import expr as ir
from fortrancl.target import ctree as c
from fortrancl.target.render import expression

_OPERATORS = {"/=": "!=", "and": "&&", "or": "||", "eqv": "==", "neqv": "!="}
_HELPERS = {
    "floordiv": "fcl_floordiv",
    "floormod": "fcl_floormod",
    "modulo": "fcl_floormod",
    "min": "fcl_min",
    "max": "fcl_max",
    "abs": "fcl_abs",
}


def host_integer_expression(expr: ir.Expr, names: Mapping[str, str] | None = None) -> str:
    """C text of an integer (or logical: 0 or 1) expression, for a place where every name is an ``int64_t``.

    ``names`` gives the C spelling of IR names (default: the name itself). The runtime header provides
    ``fcl_floordiv``, ``fcl_floormod`` (rounding down), ``fcl_min``, ``fcl_max``, ``fcl_abs`` and ``fcl_power`` on
    ``int64_t``. Raises `ValueError` for what has no integer meaning on the host (array elements, reals).

    >>> from fortrancl.ir.expr import Binary, Call, Var, integer
    >>> host_integer_expression(Binary("*", Binary("+", Var("n"), integer(1)), Call("max", (Var("m"), integer(0)))))
    '(n + 1)*fcl_max(m, 0)'
    """
    return expression(host_integer_tree(expr, names))


def host_integer_tree(expr: ir.Expr, names: Mapping[str, str] | None = None) -> c.Expression:
    """The same as a C tree, to build larger ones with. Raises `ValueError` likewise."""
    return _host(expr, names or {})


def _host(expr: ir.Expr, names: Mapping[str, str]) -> c.Expression:
    if isinstance(expr, ir.Literal_):
        if isinstance(expr.value, bool):
            return c.Number("1" if expr.value else "0")
        if isinstance(expr.value, int):
            return c.Number(_literal(expr.value))
    if isinstance(expr, ir.Var):
        return c.Name(names.get(expr.name, expr.name))
    if isinstance(expr, ir.Unary):
        operand = _host(expr.operand, names)
        return operand if expr.op == "+" else c.Unary("!" if expr.op == "not" else "-", operand)
    if isinstance(expr, ir.Binary):
        left, right = _host(expr.left, names), _host(expr.right, names)
        if expr.op == "**":
            return c.Call("fcl_power", (left, right))
        return c.Binary(_OPERATORS.get(expr.op, expr.op), left, right)
    if isinstance(expr, ir.Convert) and expr.type.base == "integer":
        return _host(expr.operand, names)
    if isinstance(expr, ir.Call):
        return _call(expr.function, tuple(_host(argument, names) for argument in expr.arguments))
    raise ValueError(f"no integer expression for the host: {expr}")


def _literal(value: int) -> str:
    if value == -(2**63):
        return "INT64_MIN"
    return str(value) if abs(value) < 2**31 else f"INT64_C({value})" if value > 0 else f"-INT64_C({-value})"


def _call(function: str, arguments: tuple[c.Expression, ...]) -> c.Expression:
    if function == "mod":
        return c.Binary("%", arguments[0], arguments[1])
    if function == "merge":
        return c.Conditional(arguments[2], arguments[0], arguments[1])
    if function not in _HELPERS:
        raise ValueError(f"no integer function for the host: {function}")
    result = arguments[0]
    if len(arguments) == 1:
        return c.Call(_HELPERS[function], (result,))
    for other in arguments[1:]:
        result = c.Call(_HELPERS[function], (result, other))
    return result
