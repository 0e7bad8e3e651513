"""From the IR's expressions to C's, with Fortran's meaning.

Two readings exist. *Values* are computed in their Fortran types. *Indices* (subscripts, bounds, guards) are computed in
``fcl_idx``, wide enough for every element of the actual arrays: products of two plain ``int`` are widened first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from fortrancl.ir import expr as ir
from fortrancl.ir.kernel import Declaration, Kernel
from fortrancl.ir.layout import axis_order, is_dense, strides
from fortrancl.ir.typeof import type_of
from fortrancl.ir.types import ScalarType
from fortrancl.target import ctree as c
from fortrancl.target.host_expressions import host_integer_expression
from fortrancl.target.intrinsics import intrinsic, power
from fortrancl.target.types import INDEX, NoDeviceFormError, Value, c_type, joined

__all__ = ["Translator", "host_integer_expression", "integer_literal", "real_literal"]

_COMPARISONS = {"/=": "!="}
_LOGICALS = {"and": "&&", "or": "||", "eqv": "==", "neqv": "!="}
_REAL_TEXT = re.compile(r"(?P<sign>[+-]?)(?P<whole>\d*)(?:\.(?P<part>\d*))?(?:[edq](?P<exponent>[+-]?\d+))?(?:_\w+)?")


def real_literal(literal: ir.Literal_) -> c.Expression:
    """A real constant with the digits of the Fortran text, so that it is rounded once, to its own kind.

    >>> from fortrancl.ir.types import REAL4, REAL8
    >>> real_literal(ir.Literal_(1.4, REAL4, "1.4")).text, real_literal(ir.Literal_(200.0, REAL8, "2.d+2")).text
    ('1.4f', '2.0e+2')
    """
    suffix = "f" if literal.type.kind == 4 else ""
    value = float(literal.value.real)
    text = literal.text if literal.text is not None else repr(value)
    match = _REAL_TEXT.fullmatch(text.strip().lower())
    if match is None or not math.isfinite(value):
        special = "NAN" if math.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"
        return c.Cast(c_type(literal.type), c.Number(special))
    exponent = match["exponent"]
    digits = f"{match['whole'] or '0'}.{match['part'] or '0'}"
    end = f"e{exponent}" if exponent and int(exponent) else ""
    return c.Number(f"{'-' if match['sign'] == '-' else ''}{digits}{end}{suffix}")


def integer_literal(value: int, type: str) -> c.Expression:
    """An integer constant of a C type; the most negative ones have no literal in C.

    >>> integer_literal(5, "long").text, integer_literal(-(2**31), "int").op
    ('5L', '-')
    """
    suffix = "L" if type == "long" or abs(value) > 2**31 else ""
    if value in (-(2**31), -(2**63)):
        return c.Binary("-", c.Number(f"{value + 1}{suffix}"), c.Number("1"))
    return c.Number(f"{value}{suffix}")


@dataclass(frozen=True)
class Translator:
    """Translation inside one device function.

    ``names``: C spelling of every IR name. ``indices``: names that are ``fcl_idx`` variables (inames, host loops).
    ``boxed``: scalars that stand behind a pointer (written dummies, temporaries in global memory). Rules must be
    expanded. Raises `NoDeviceFormError` (FCL409, FCL505).
    """

    kernel: Kernel
    names: Mapping[str, str]
    indices: frozenset[str]
    boxed: frozenset[str]

    # -- values -------------------------------------------------------------------------------------------------
    def value(self, expr: ir.Expr) -> Value:
        """The expression in its Fortran type (a logical as 0 or 1)."""
        if isinstance(expr, ir.Literal_):
            return self._literal(expr)
        type = self.type_of(expr)
        if type.base == "logical":
            return Value(self.truth(expr), "int")
        if isinstance(expr, ir.Var):
            return Value(self.place(expr), INDEX if expr.name in self.indices else c_type(type))
        if isinstance(expr, ir.Subscript):
            return Value(self.place(expr), c_type(type))
        if isinstance(expr, ir.Unary):
            operand = self.value(expr.operand)
            return operand if expr.op == "+" else self._fit(Value(c.Unary("-", operand.c), operand.type), type)
        if isinstance(expr, ir.Convert):
            return Value(self.converted(expr.operand, c_type(type)), c_type(type))
        if isinstance(expr, ir.Binary):
            return self._arithmetic(expr, type)
        if isinstance(expr, ir.Call):
            return intrinsic(self, expr, type)
        raise NoDeviceFormError("FCL409", "a substitution rule was left in the final kernel")

    def converted(self, expr: ir.Expr, type: str) -> c.Expression:
        """The value as exactly this C type (for arguments of overloaded functions)."""
        value = self.value(expr)
        return value.c if value.type == type else c.Cast(type, value.c)

    def truth(self, expr: ir.Expr) -> c.Expression:
        """A logical expression as 0 or 1; in memory only the lowest bit counts."""
        if isinstance(expr, ir.Literal_):
            return c.Number("1" if expr.value else "0")
        if isinstance(expr, ir.Unary) and expr.op == "not":
            return c.Unary("!", self.truth(expr.operand))
        if isinstance(expr, ir.Binary):
            if expr.op in _LOGICALS:
                return c.Binary(_LOGICALS[expr.op], self.truth(expr.left), self.truth(expr.right))
            return c.Binary(_COMPARISONS.get(expr.op, expr.op), self.value(expr.left).c, self.value(expr.right).c)
        if isinstance(expr, ir.Var | ir.Subscript):
            return c.Binary("&", self.place(expr), c.Number("1"))
        if isinstance(expr, ir.Convert):
            return self.truth(expr.operand)
        if isinstance(expr, ir.Call) and expr.function == "merge":
            yes, no, mask = (self.truth(argument) for argument in expr.arguments)
            return c.Conditional(mask, yes, no)
        if isinstance(expr, ir.Call) and expr.function == "btest":
            shifted = c.Binary(">>", self.value(expr.arguments[0]).c, self.value(expr.arguments[1]).c)
            return c.Binary("&", shifted, c.Number("1"))
        raise NoDeviceFormError("FCL409", f"no device form of the logical expression {expr}")

    def type_of(self, expr: ir.Expr) -> ScalarType:
        """Fortran's type."""
        return type_of(expr, self.kernel)

    def place(self, target: ir.Var | ir.Subscript) -> c.Expression:
        """A variable or an array element, to read or to write."""
        if isinstance(target, ir.Var):
            name = c.Name(self.names[target.name])
            return c.Index(name, c.Number("0")) if target.name in self.boxed else name
        return c.Index(c.Name(self.names[target.array]), self.element(target))

    def _literal(self, literal: ir.Literal_) -> Value:
        type = c_type(literal.type)
        if literal.type.base == "real":
            return Value(real_literal(literal), type)
        if literal.type.base == "logical":
            return Value(self.truth(literal), "int")
        return Value(integer_literal(int(literal.value.real), type), "long" if type == "long" else "int")

    def _arithmetic(self, expr: ir.Binary, type: ScalarType) -> Value:
        if expr.op == "**":
            return power(self, expr, type)
        left, right = self.value(expr.left), self.value(expr.right)
        return self._fit(Value(c.Binary(expr.op, left.c, right.c), joined(left.type, right.type)), type)

    def _fit(self, value: Value, type: ScalarType) -> Value:
        """C computes 1- and 2-byte integers as int; Fortran wraps them to their own size."""
        wanted = c_type(type)
        if wanted in ("char", "short") and value.type != wanted:
            return Value(c.Cast(wanted, value.c), wanted)
        return value

    # -- indices ------------------------------------------------------------------------------------------------
    def element(self, target: ir.Subscript) -> c.Expression:
        """Element number of a subscript list in the array's memory: the axis that varies fastest is the first term."""
        declaration = self.kernel.declaration(target.array)
        if not is_dense(declaration):
            return self._strided(declaration, target.indices)
        result: Value | None = None
        for axis in reversed(axis_order(declaration)):
            own = self._index(target.indices[axis])
            if result is None or _is_zero(result):
                result = own
            else:
                extent = declaration.shape[axis].extent
                assert extent is not None, "only the slowest axis can be open"
                result = _plus(own, self._index_operation("*", self._index(extent), result))
        return c.Number("0") if result is None else result.c

    def _strided(self, declaration: Declaration, indices: tuple[ir.Expr, ...]) -> c.Expression:
        result = Value(c.Number("0"), "constant")
        found = strides(declaration)
        for axis in axis_order(declaration):
            own = self._index_operation("*", self._index(found[axis]), self._index(indices[axis]))
            result = _plus(result, own)
        return result.c

    def index(self, expr: ir.Expr) -> c.Expression:
        """An integer or logical expression computed in ``fcl_idx``."""
        return self._index(expr).c

    def _index(self, expr: ir.Expr) -> Value:
        if isinstance(expr, ir.Literal_):
            value = int(expr.value.real)
            return Value(integer_literal(value, "int"), "constant")
        if isinstance(expr, ir.Var):
            if expr.name in self.indices:
                return Value(self.place(expr), INDEX)
            value_type = c_type(self.type_of(expr))
            return (
                Value(c.Cast(INDEX, self.place(expr)), INDEX)
                if value_type == "long"
                else Value(self.place(expr), "int")
            )
        if isinstance(expr, ir.Convert) and expr.type.base == "integer" and self._is_integer(expr.operand):
            if expr.type.kind >= 4:
                return self._index(expr.operand)
        if isinstance(expr, ir.Unary) and expr.op in ("-", "+"):
            operand = self._index(expr.operand)
            return operand if expr.op == "+" else Value(c.Unary("-", operand.c), operand.type)
        if isinstance(expr, ir.Unary):
            return Value(c.Unary("!", self.index(expr.operand)), "int")
        if isinstance(expr, ir.Binary) and expr.op != "**":
            return self._index_binary(expr)
        if isinstance(expr, ir.Call) and (special := self._index_call(expr)) is not None:
            return special
        value_of = self.value(expr)
        if value_of.type in ("char", "short", "int", INDEX):
            return Value(value_of.c, INDEX if value_of.type == INDEX else "int")
        return Value(c.Cast(INDEX, value_of.c), INDEX)

    def _is_integer(self, expr: ir.Expr) -> bool:
        return self.type_of(expr).base == "integer"

    def _index_binary(self, expr: ir.Binary) -> Value:
        if expr.op in ir.COMPARISONS and not self._is_integer(expr.left):
            return Value(self.truth(expr), "int")
        if expr.op in ir.LOGICAL_OPS:
            return Value(c.Binary(_LOGICALS[expr.op], self.index(expr.left), self.index(expr.right)), "int")
        left, right = self._index(expr.left), self._index(expr.right)
        if expr.op in ir.COMPARISONS:
            return Value(c.Binary(_COMPARISONS.get(expr.op, expr.op), left.c, right.c), "int")
        if expr.op == "+":
            return _plus(left, right)
        return self._index_operation(expr.op, left, right)

    def _index_operation(self, op: str, left: Value, right: Value) -> Value:
        if left.type == right.type == "constant" and op == "*":
            product = _constant(left) * _constant(right)
            return Value(integer_literal(product, "int"), "constant")
        if op == "*":
            if _is_zero(left) or _is_zero(right):
                return Value(c.Number("0"), "constant")
            if left.c == c.Number("1"):
                return right
            if right.c == c.Number("1"):
                return left
        if op == "/" or (op == "-" and left.type == "int" and right.type == "constant"):
            return Value(c.Binary(op, left.c, right.c), INDEX if INDEX in (left.type, right.type) else "int")
        left, right = _widened(left, right)
        return Value(c.Binary(op, left.c, right.c), INDEX)

    def _index_call(self, expr: ir.Call) -> Value | None:
        if not all(self._is_integer(argument) for argument in expr.arguments[:2]):
            return None
        if expr.function in ("floordiv", "floormod", "modulo"):
            name = f"fcl_{'floordiv' if expr.function == 'floordiv' else 'floormod'}_{INDEX}"
            return Value(c.Call(name, tuple(_as_index(self._index(argument)) for argument in expr.arguments)), INDEX)
        if expr.function in ("min", "max"):
            arguments = [self._index(argument) for argument in expr.arguments]
            result = _as_index(arguments[0])
            for other in arguments[1:]:
                result = c.Call(expr.function, (result, _as_index(other)))
            return Value(result, INDEX)
        if expr.function == "mod":
            one, two = (self._index(argument) for argument in expr.arguments)
            return Value(c.Binary("%", one.c, two.c), INDEX if INDEX in (one.type, two.type) else "int")
        if expr.function == "merge":
            yes, no = (self._index(argument) for argument in expr.arguments[:2])
            return Value(c.Conditional(self.index(expr.arguments[2]), _as_index(yes), _as_index(no)), INDEX)
        return None


def _constant(value: Value) -> int:
    assert isinstance(value.c, c.Number)
    return int(value.c.text.rstrip("L"))


def _is_zero(value: Value) -> bool:
    return value.c == c.Number("0")


def _as_index(value: Value) -> c.Expression:
    return value.c if value.type == INDEX else c.Cast(INDEX, value.c)


def _plus(left: Value, right: Value) -> Value:
    if _is_zero(left):
        return right
    if _is_zero(right):
        return left
    if left.type == right.type == "constant":
        return Value(integer_literal(_constant(left) + _constant(right), "int"), "constant")
    if isinstance(right.c, c.Number) and right.c.text.startswith("-"):
        return Value(c.Binary("-", left.c, c.Number(right.c.text[1:])), left.type)
    if isinstance(right.c, c.Binary) and right.c.op in ("+", "-") and INDEX == left.type == right.type:
        # Integer sums have no order to keep.
        return Value(c.Binary(right.c.op, _plus(left, Value(right.c.left, INDEX)).c, right.c.right), INDEX)
    left, right = _widened(left, right)
    return Value(c.Binary("+", left.c, right.c), INDEX)


def _widened(left: Value, right: Value) -> tuple[Value, Value]:
    """One of two plain ints becomes ``fcl_idx``: the result may need more than 32 bits."""
    if INDEX in (left.type, right.type):
        return left, right
    if left.type == "int":
        return Value(c.Cast(INDEX, left.c), INDEX), right
    return left, Value(c.Cast(INDEX, right.c), INDEX)
