"""Expressions and tests as trees for code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import islpy as isl

from fortrancl.poly.sets import Aff, Set, in_order
from fortrancl.poly.terms import affine_terms

Operator: TypeAlias = Literal[
    "+", "-", "*", "neg", "min", "max", "floordiv", "div", "mod", "select",
    "and", "or", "==", "<=", "<", ">=", ">",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of an expression that isl wrote; ``div`` and ``mod`` have operands known to be non-negative."""

    op: Operator
    operands: tuple[Tree, ...]


Tree: TypeAlias = Node | str | int
"""An expression tree for code: operations, names, integers."""

_AST_OPERATORS: dict[Any, Operator] = {
    isl.ast_expr_op_type.add: "+",
    isl.ast_expr_op_type.sub: "-",
    isl.ast_expr_op_type.mul: "*",
    isl.ast_expr_op_type.minus: "neg",
    isl.ast_expr_op_type.min: "min",
    isl.ast_expr_op_type.max: "max",
    isl.ast_expr_op_type.fdiv_q: "floordiv",
    isl.ast_expr_op_type.pdiv_q: "div",
    isl.ast_expr_op_type.div: "div",
    isl.ast_expr_op_type.pdiv_r: "mod",
    isl.ast_expr_op_type.zdiv_r: "mod",
    isl.ast_expr_op_type.cond: "select",
    isl.ast_expr_op_type.select: "select",
    isl.ast_expr_op_type.and_: "and",  # type: ignore[attr-defined]
    isl.ast_expr_op_type.and_then: "and",
    isl.ast_expr_op_type.or_: "or",  # type: ignore[attr-defined]
    isl.ast_expr_op_type.or_else: "or",
    isl.ast_expr_op_type.eq: "==",
    isl.ast_expr_op_type.le: "<=",
    isl.ast_expr_op_type.lt: "<",
    isl.ast_expr_op_type.ge: ">=",
    isl.ast_expr_op_type.gt: ">",
}


def _tree(node: Any) -> Tree:
    kind = node.get_type()
    if kind == isl.ast_expr_type.id:
        return str(node.get_id().name)
    if kind == isl.ast_expr_type.int:
        return int(node.get_val().to_python())
    operands = tuple(_tree(node.get_op_arg(position)) for position in range(node.get_op_n_arg()))
    op = _AST_OPERATORS[node.get_op_type()]
    result = operands[0]
    if op in ("min", "max", "and", "or") and len(operands) > 2:
        for operand in operands[1:]:
            result = Node(op, (result, operand))
        return result
    return Node(op, operands)


def expression(value: Aff, context: Set) -> Tree:
    """An expression for code, valid where ``context`` holds.

    >>> expression(Aff.name("n").floordiv(16), Aff.name("n") >= 0)
    Node(op='div', operands=('n', 16))
    """
    order = in_order(value.names | context.names)
    where = context.raw.align_params(order)
    build = isl.AstBuild.from_context(where)
    return _tree(build.expr_from_pw_aff(value.raw.align_params(order).gist(where).coalesce()))


def condition(test: Set, context: Set) -> Tree | None:
    """A test for code, valid where ``context`` holds; None if nothing is left to test.

    >>> condition(Aff.name("i") < 4, Aff.name("i") < 3) is None
    True
    """
    needed = test.gist(context)
    if needed.is_universe():
        return None
    order = in_order(needed.names | context.names)
    build = isl.AstBuild.from_context(context.raw.align_params(order))
    return _tree(build.expr_from_set(needed.raw.align_params(order)))


def linear_tree(value: Aff) -> Tree | None:
    """The expression as a sum in a fixed order, positive terms first; None if it is piecewise or divides.

    >>> linear_tree(Aff.name("n") - Aff.name("i") * 16 - 1)
    Node(op='-', operands=(Node(op='-', operands=('n', Node(op='*', operands=(16, 'i')))), 1))
    """
    raw = value.raw.coalesce()
    if raw.n_piece() != 1:
        return None
    _, aff = raw.get_pieces()[0]
    terms = affine_terms(aff)
    return None if terms is None else _sum(terms[0], terms[1])


def comparison_tree(test: Set) -> Tree | None:
    """One constraint as a comparison of two sums without minus signs where possible; None if it is no single one.

    >>> comparison_tree(Aff.name("i") * 16 + "j" < "n")
    Node(op='<', operands=(Node(op='+', operands=(Node(op='*', operands=(16, 'i')), 'j')), 'n'))
    """
    raw = test.raw.coalesce()
    if raw.n_basic_set() != 1:
        return None
    found = raw.get_basic_sets()[0].remove_redundancies().get_constraints()
    if len(found) != 1:
        return None
    terms = affine_terms(found[0].get_aff())
    if terms is None:
        return None
    constant, coefficients = terms
    small = [(name, -factor) for name, factor in coefficients if factor < 0]
    large = [(name, factor) for name, factor in coefficients if factor > 0]
    if found[0].is_equality():
        if not large:
            small, large, constant = large, small, -constant
        return Node("==", (_sum(max(constant, 0), large), _sum(max(-constant, 0), small)))
    # small <= large + constant
    if not small:
        return Node(">=", (_sum(0, large), -constant))
    if constant < 0:
        return Node("<", (_sum(-constant - 1, small), _sum(0, large)))
    if not large:
        return Node("<", (_sum(0, small), constant + 1))
    return Node("<=", (_sum(0, small), _sum(constant, large)))


def _sum(constant: int, terms: Sequence[tuple[str, int]]) -> Tree:
    result: Tree | None = None
    for name, factor in sorted(terms, key=lambda term: (term[1] < 0, -abs(term[1]), term[0])):
        size = abs(factor)
        term: Tree = name if size == 1 else Node("*", (size, name))
        if result is None:
            result = term if factor > 0 else Node("neg", (term,))
        else:
            result = Node("+" if factor > 0 else "-", (result, term))
    if result is None:
        return constant
    if not constant:
        return result
    return Node("+" if constant > 0 else "-", (result, abs(constant)))
