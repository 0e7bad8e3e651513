"""Subscripts divided by a constant, simplified by what is known of the loops."""

from __future__ import annotations

from collections.abc import Mapping

from fortrancl.ir.affine import Known, to_aff
from fortrancl.ir.expr import Binary, Call, Expr, Literal_, Subscript, Unary, integer, transform, walk
from fortrancl.poly import Set

Terms = tuple[dict[Expr, int], int]
"""Factor of each part of a sum, in order of appearance, and the constant."""


def divide(index: Expr, count: int, known: Known, context: Set | None) -> tuple[Expr, Expr]:
    """``index`` divided by ``count``, rounding down, and the remainder; ``context`` bounds the known names.

    What is a multiple of ``count`` is divided part by part, and a rest that stays within one group needs no division.

    >>> from fortrancl.ir.expr import Var
    >>> from fortrancl.ir.text import expr_text
    >>> def shown(index, context=None):
    ...     return [expr_text(part) for part in divide(index, 4, lambda name: True, context)]
    >>> index = added(Var("i_inner"), scaled(Var("i_outer"), 4))
    >>> shown(index, Set.parse("0 <= i_inner < 4", ["i_inner"]))
    ['i_outer', 'i_inner']
    >>> shown(Var("f"), Set.parse("0 <= f < n", ["f", "n"]))
    ['f/4', 'mod(f, 4)']
    >>> shown(Var("f"))
    ['floordiv(f, 4)', 'floormod(f, 4)']
    """
    parts, constant = _terms(index)
    outer = {part: factor // count for part, factor in parts.items() if factor % count == 0}
    rest = {part: factor for part, factor in parts.items() if factor % count}
    quotient, remainder = divmod(constant, count)
    if not rest:
        return _sum(outer, quotient), integer(remainder)
    low, high = _range(_sum(rest, remainder), known, context)
    if low is not None and high is not None and low // count == high // count:
        skipped = low // count
        return _sum(outer, quotient + skipped), _sum(rest, remainder - skipped * count)
    by = integer(count)
    if low is None or low < 0:
        # Of the whole subscript, so that the pair shows where it comes from (`ir.layout`).
        return Call("floordiv", (index, by)), Call("floormod", (index, by))
    whole = _sum(rest, remainder)
    divided = Binary("/", whole, by)
    return (divided if not outer and not quotient else added(_sum(outer, quotient), divided)), Call("mod", (whole, by))


def simplified(expr: Expr, known: Known, context: Set | None) -> Expr:
    """Divisions by constants in subscripts, done where they can be.

    >>> from fortrancl.ir.expr import Var
    >>> simplified(Subscript("x", (Call("floordiv", (integer(5), integer(4))),)), lambda name: True, None).indices
    (Literal_(value=1, type=ScalarType(base='integer', kind=4), text=None),)
    """

    def division(node: Expr) -> Expr | None:
        if not (isinstance(node, Call) and node.function in ("floordiv", "floormod")):
            return None
        by = node.arguments[1]
        if not (isinstance(by, Literal_) and isinstance(by.value, int) and by.value > 0):
            return None
        return divide(node.arguments[0], by.value, known, context)[node.function == "floormod"]

    def element(node: Expr) -> Expr | None:
        if not isinstance(node, Subscript):
            return None
        return Subscript(node.array, tuple(transform(index, division) for index in node.indices))

    return transform(expr, element)


def has_division(expr: Expr) -> bool:
    """Whether `simplified` may have something to do."""
    return any(isinstance(node, Call) and node.function in ("floordiv", "floormod") for node in walk(expr))


def added(left: Expr, right: Expr) -> Expr:
    """The sum of two integer expressions, parts of one kind collected.

    >>> from fortrancl.ir.expr import Var
    >>> added(Var("i"), integer(0)), added(integer(1), integer(2)).value
    (Var(name='i'), 3)
    """
    parts, constant = _terms(left)
    for part, factor in _terms(right)[0].items():
        parts[part] = parts.get(part, 0) + factor
    return _sum(parts, constant + _terms(right)[1])


def scaled(expr: Expr, factor: int) -> Expr:
    """An integer expression times a constant."""
    parts, constant = _terms(expr)
    return _sum({part: factor * own for part, own in parts.items()}, factor * constant)


def _range(expr: Expr, known: Known, context: Set | None) -> tuple[int | None, int | None]:
    aff = None if context is None else to_aff(expr, known)
    if aff is None or context is None:
        return None, None
    return (context & aff.eq("$value")).range("$value")


def _terms(expr: Expr) -> Terms:
    """An expression as a sum: what is no sum or constant multiple is one part."""
    if isinstance(expr, Literal_) and isinstance(expr.value, int):
        return {}, expr.value
    if isinstance(expr, Unary) and expr.op in ("-", "+"):
        parts, constant = _terms(expr.operand)
        sign = -1 if expr.op == "-" else 1
        return {part: sign * factor for part, factor in parts.items()}, sign * constant
    if isinstance(expr, Binary) and expr.op in ("+", "-"):
        parts, constant = _terms(expr.left)
        sign = -1 if expr.op == "-" else 1
        others, other = _terms(expr.right)
        for part, factor in others.items():
            parts[part] = parts.get(part, 0) + sign * factor
        return parts, constant + sign * other
    if isinstance(expr, Binary) and expr.op == "*":
        (left, one), (right, two) = _terms(expr.left), _terms(expr.right)
        if not left:
            return {part: one * factor for part, factor in right.items()}, one * two
        if not right:
            return {part: two * factor for part, factor in left.items()}, one * two
    return {expr: 1}, 0


def _sum(parts: Mapping[Expr, int], constant: int) -> Expr:
    result: Expr | None = None
    for part, factor in parts.items():
        if factor == 0:
            continue
        term = part if abs(factor) == 1 else Binary("*", integer(abs(factor)), part)
        if result is None:
            result = term if factor > 0 else Unary("-", term)
        else:
            result = Binary("+" if factor > 0 else "-", result, term)
    if result is None:
        return integer(constant)
    if constant == 0:
        return result
    return Binary("+" if constant > 0 else "-", result, integer(abs(constant)))
