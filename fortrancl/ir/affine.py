"""From integer expressions to affine ones, and from conditions to sets; None where they are not affine."""

from __future__ import annotations

from collections.abc import Callable

from fortrancl.ir.expr import Binary, BinaryOp, Call, Convert, Expr, Literal_, Unary, Var, integer
from fortrancl.ir.types import INTEGER8
from fortrancl.poly import Aff, Set, Tree, condition, expression

Known = Callable[[str], bool]
"""Whether a scalar name stands for one value during the kernel (an iname or a parameter)."""


def to_aff(expr: Expr, known: Known) -> Aff | None:
    """The expression as an `Aff`, exact: Fortran's ``/`` and ``mod`` truncate, whatever the sign.

    >>> halved = to_aff(Binary("/", Var("i"), integer(2)), lambda name: True)
    >>> str(halved.eq(-1))
    '[i] -> {  : -3 <= i <= -2 }'
    """
    if isinstance(expr, Literal_):
        return Aff.const(expr.value) if isinstance(expr.value, int) and expr.type.base == "integer" else None
    if isinstance(expr, Var):
        return Aff.name(expr.name) if known(expr.name) else None
    if isinstance(expr, Unary):
        operand = to_aff(expr.operand, known) if expr.op != "not" else None
        return None if operand is None else (-operand if expr.op == "-" else operand)
    if isinstance(expr, Convert):
        # Widening only: a narrowing conversion could wrap.
        return to_aff(expr.operand, known) if expr.type.base == "integer" and expr.type.kind >= 4 else None
    if isinstance(expr, Binary):
        return _binary(expr, known)
    if isinstance(expr, Call):
        return _call(expr, known)
    return None


def _binary(expr: Binary, known: Known) -> Aff | None:
    if expr.op not in ("+", "-", "*", "/"):
        return None
    left, right = to_aff(expr.left, known), to_aff(expr.right, known)
    if left is None or right is None:
        return None
    if expr.op == "+":
        return left + right
    if expr.op == "-":
        return left - right
    factor = right.constant()
    if expr.op == "/":
        return left.truncdiv(factor) if factor else None
    if factor is not None:
        return left * factor
    factor = left.constant()
    return right * factor if factor is not None else None


def _call(expr: Call, known: Known) -> Aff | None:
    arguments = [to_aff(argument, known) for argument in expr.arguments]
    if any(argument is None for argument in arguments):
        return None
    first = arguments[0]
    assert first is not None
    if expr.function in ("min", "max"):
        for other in arguments[1:]:
            assert other is not None
            first = first.min(other) if expr.function == "min" else first.max(other)
        return first
    if expr.function == "abs":
        return first.max(-first)
    if expr.function in ("mod", "modulo", "floordiv", "floormod"):
        assert arguments[1] is not None
        divisor = arguments[1].constant()
        if divisor is None or divisor <= 0:
            return first.truncmod(divisor) if divisor and expr.function == "mod" else None
        if expr.function == "mod":
            return first.truncmod(divisor)
        return first.floordiv(divisor) if expr.function == "floordiv" else first.floormod(divisor)
    return None


def to_set(expr: Expr, known: Known) -> Set | None:
    """Where a logical expression over known integers is true; None if any part is not affine."""
    if isinstance(expr, Literal_):
        return (Set.universe() if expr.value else Set.nothing()) if expr.type.base == "logical" else None
    if isinstance(expr, Unary) and expr.op == "not":
        inner = to_set(expr.operand, known)
        return None if inner is None else ~inner
    if not isinstance(expr, Binary):
        return None
    if expr.op in ("and", "or", "eqv", "neqv"):
        one, two = to_set(expr.left, known), to_set(expr.right, known)
        if one is None or two is None:
            return None
        if expr.op == "and":
            return one & two
        if expr.op == "or":
            return one | two
        same = (one & two) | (~one & ~two)
        return same if expr.op == "eqv" else ~same
    left, right = to_aff(expr.left, known), to_aff(expr.right, known)
    if left is None or right is None:
        return None
    comparisons = {
        "==": left.eq,
        "/=": left.ne,
        "<": left.__lt__,
        "<=": left.__le__,
        ">": left.__gt__,
        ">=": left.__ge__,
    }
    return comparisons[expr.op](right) if expr.op in comparisons else None


_BINARY: dict[str, BinaryOp] = {
    "+": "+", "-": "-", "*": "*", "div": "/", "and": "and", "or": "or",
    "==": "==", "<=": "<=", "<": "<", ">=": ">=", ">": ">",
}  # fmt: skip


def from_tree(tree: Tree) -> Expr:
    """An isl expression as an integer(8) `Expr` (``div``/``mod`` on operands known non-negative become Fortran's).

    >>> from fortrancl.poly import Node
    >>> from_tree(Node("floordiv", ("n", 16))) == Call("floordiv", (Var("n"), integer(16, INTEGER8)))
    True
    """
    if isinstance(tree, str):
        return Var(tree)
    if isinstance(tree, int):
        return integer(tree, INTEGER8)
    operands = tuple(from_tree(operand) for operand in tree.operands)
    if tree.op == "neg":
        return Unary("-", operands[0])
    if tree.op == "select":
        return Call("merge", (operands[1], operands[2], operands[0]))
    if tree.op in ("min", "max", "floordiv"):
        return Call(tree.op, operands)
    if tree.op == "mod":
        return Call("mod", operands)
    return Binary(_BINARY[tree.op], operands[0], operands[1])


def aff_to_expr(value: Aff, context: Set) -> Expr:
    """An affine value as an expression for code, valid where ``context`` holds."""
    return from_tree(expression(value, context))


def set_to_expr(test: Set, context: Set) -> Expr | None:
    """A membership test for code, valid where ``context`` holds; None where nothing needs testing."""
    tree = condition(test, context)
    return None if tree is None else from_tree(tree)
