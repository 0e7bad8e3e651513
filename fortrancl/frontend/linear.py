"""Integer expressions as sums of terms: subscripts and bounds in one plain form, whatever way they were written."""

from __future__ import annotations

from collections.abc import Iterator

from fortrancl.ir.expr import Binary, Call, Convert, Expr, Literal_, Subscript, Unary, Var, integer, walk, with_children
from fortrancl.ir.types import INTEGER4, ScalarType


def normalise(expr: Expr, type: ScalarType = INTEGER4) -> Expr:
    """An equal integer expression: like terms joined, constants last, positive terms first; literals get ``type``.

    Widening conversions inside are dropped: index arithmetic is done in the index type.

    >>> from fortrancl.ir.pretty import expr_text
    >>> expr_text(normalise(Binary("-", Binary("+", Var("i"), integer(1)), integer(1))))
    'i'
    """
    terms, constant = linear(expr, type)
    return from_terms(terms, constant, type)


def linear(expr: Expr, type: ScalarType = INTEGER4) -> tuple[dict[Expr, int], int]:
    """(coefficients by term, constant); what is neither sum nor multiple is a term, its own operands normalised."""
    terms: dict[Expr, int] = {}
    constant = 0
    stack: list[tuple[Expr, int]] = [(expr, 1)]
    while stack:
        node, factor = stack.pop()
        if isinstance(node, Literal_) and isinstance(node.value, int):
            constant += factor * node.value
        elif isinstance(node, Unary) and node.op in ("-", "+"):
            stack.append((node.operand, -factor if node.op == "-" else factor))
        elif isinstance(node, Binary) and node.op in ("+", "-"):
            stack.append((node.right, -factor if node.op == "-" else factor))
            stack.append((node.left, factor))
        elif isinstance(node, Convert) and _widens(node):
            stack.append((node.operand, factor))
        elif isinstance(node, Binary) and node.op == "*":
            _product(node, factor, type, terms, stack)
        else:
            reduced = _inside(node, type)
            if isinstance(reduced, Literal_) and isinstance(reduced.value, int):
                constant += factor * reduced.value
            else:
                terms[reduced] = terms.get(reduced, 0) + factor
    return {term: coefficient for term, coefficient in terms.items() if coefficient}, constant


def _product(
    node: Binary, factor: int, type: ScalarType, terms: dict[Expr, int], stack: list[tuple[Expr, int]]
) -> None:
    left, right = normalise(node.left, type), normalise(node.right, type)
    for number, other in ((left, right), (right, left)):
        if isinstance(number, Literal_) and isinstance(number.value, int):
            stack.append((other, factor * number.value))
            return
    product = Binary("*", left, right)
    terms[product] = terms.get(product, 0) + factor


def _widens(node: Convert) -> bool:
    """Whether a conversion to integer(4) or (8) of what is integer already: other conversions compute something."""
    return node.type.base == "integer" and node.type.kind >= 4 and _is_integer_shaped(node.operand)


def _is_integer_shaped(expr: Expr) -> bool:
    # Only what the frontend itself wraps: a loop variable, an extent.
    return isinstance(expr, Var)


def _inside(node: Expr, type: ScalarType) -> Expr:
    if isinstance(node, Var | Subscript | Literal_ | Convert):
        return node
    if isinstance(node, Binary) and node.op == "/":
        left, right = normalise(node.left, type), normalise(node.right, type)
        if isinstance(right, Literal_) and right.value == 1:
            return left
        if _is_number(left) and _is_number(right) and right.value:  # type: ignore[union-attr]
            return integer(_truncated(int(left.value), int(right.value)), type)  # type: ignore[union-attr, arg-type]
        return Binary("/", left, right)
    if isinstance(node, Binary) and node.op == "**":
        left, right = normalise(node.left, type), normalise(node.right, type)
        if _is_number(left) and _is_number(right) and 0 <= right.value <= 62:  # type: ignore[union-attr, operator]
            return integer(int(left.value) ** int(right.value), type)  # type: ignore[union-attr, arg-type]
        return Binary("**", left, right)
    if isinstance(node, Call) and node.function in ("min", "max", "mod", "modulo", "abs"):
        return with_children(node, tuple(normalise(argument, type) for argument in node.arguments))
    return node


def _is_number(expr: Expr) -> bool:
    return isinstance(expr, Literal_) and isinstance(expr.value, int)


def _truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def from_terms(terms: dict[Expr, int], constant: int, type: ScalarType = INTEGER4) -> Expr:
    """The sum, positive terms first, the constant last."""
    result: Expr | None = None
    for term, coefficient in _ordered(terms):
        size = abs(coefficient)
        part: Expr = term if size == 1 else Binary("*", integer(size, type), term)
        if result is None:
            if coefficient < 0 and constant > 0:
                result, constant = Binary("-", integer(constant, type), part), 0
            else:
                result = part if coefficient > 0 else Unary("-", part)
        else:
            result = Binary("+" if coefficient > 0 else "-", result, part)
    if result is None:
        return integer(constant, type)
    if constant:
        result = Binary("+" if constant > 0 else "-", result, integer(abs(constant), type))
    return result


def _ordered(terms: dict[Expr, int]) -> Iterator[tuple[Expr, int]]:
    yield from ((term, c) for term, c in terms.items() if c > 0)
    yield from ((term, c) for term, c in terms.items() if c < 0)


def constant_of(expr: Expr) -> int | None:
    """The integer that an expression comes to, if it is one."""
    terms, constant = linear(expr)
    return constant if not terms else None


def is_affine_in_names(expr: Expr) -> bool:
    """Whether an integer expression is made of names, integers, ``+``, ``-`` and products with integers only."""
    for node in walk(expr):
        if isinstance(node, Binary):
            if node.op == "*":
                if not (isinstance(node.left, Literal_) or isinstance(node.right, Literal_)):
                    return False
            elif node.op not in ("+", "-"):
                return False
        elif isinstance(node, Unary):
            if node.op == "not":
                return False
        elif not isinstance(node, Var | Literal_):
            return False
    return True
