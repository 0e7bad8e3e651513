"""Types of expressions, by Fortran's rules (Fortran 2008, 7.1.9 and 13.7)."""

from __future__ import annotations

from collections.abc import Callable

from fortrancl.ir.expr import (
    COMPARISONS,
    LOGICAL_OPS,
    Binary,
    Convert,
    Expr,
    Literal_,
    RuleCall,
    Subscript,
    Unary,
    Var,
)
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.types import INTEGER4, LOGICAL4, ScalarType, promote

Scope = Callable[[str], ScalarType]
"""Type of a scalar or array by name."""

_INTEGER_RESULT = frozenset({"int", "nint", "floor", "ceiling"})


def type_of(expr: Expr, kernel: Kernel, parameters: dict[str, ScalarType] | None = None) -> ScalarType:
    """Type of an expression in a kernel; ``parameters`` gives the types of rule parameters inside a rule's body."""
    if isinstance(expr, Literal_ | Convert):
        return expr.type
    if isinstance(expr, Var):
        if parameters and expr.name in parameters:
            return parameters[expr.name]
        return kernel.scalar_type(expr.name)
    if isinstance(expr, Subscript):
        return kernel.scalar_type(expr.array)
    if isinstance(expr, Unary):
        return type_of(expr.operand, kernel, parameters)
    if isinstance(expr, Binary):
        return operation_type(expr.op, type_of(expr.left, kernel, parameters), type_of(expr.right, kernel, parameters))
    if isinstance(expr, RuleCall):
        rule = kernel.rule_by_name[expr.rule]
        actual = {
            name: type_of(argument, kernel, parameters)
            for name, argument in zip(rule.parameters, expr.arguments, strict=True)
        }
        return type_of(rule.body, kernel, actual)
    return call_type(expr.function, tuple(type_of(argument, kernel, parameters) for argument in expr.arguments))


def operation_type(op: str, left: ScalarType, right: ScalarType) -> ScalarType:
    """Type of a binary operation; comparisons give default logicals, ``x**2`` keeps the base's type.

    >>> from fortrancl.ir.types import REAL4, INTEGER8
    >>> str(operation_type("**", REAL4, INTEGER8)), str(operation_type("<", REAL4, REAL4))
    ('real(4)', 'logical(4)')
    """
    if op in COMPARISONS:
        return LOGICAL4
    if op in LOGICAL_OPS:
        return promote(left, right)
    return promote(left, right)


def call_type(function: str, arguments: tuple[ScalarType, ...]) -> ScalarType:
    """Result type of an intrinsic on arguments of the given types."""
    if function in _INTEGER_RESULT:
        return INTEGER4
    if function == "merge":
        return arguments[0]
    if function in ("min", "max", "floordiv", "floormod"):
        result = arguments[0]
        for other in arguments[1:]:
            result = promote(result, other)
        return result
    if function == "abs" and arguments[0].base == "complex":
        return ScalarType("real", arguments[0].kind)
    if function == "btest":
        return LOGICAL4
    return arguments[0]
