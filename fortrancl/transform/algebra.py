"""Algebra that keeps every value: constants computed ahead, subscripts in a simple form."""

from __future__ import annotations

import math
import struct
from dataclasses import replace

from fortrancl.analysis.dependences import known_names
from fortrancl.ir.affine import aff_to_expr, to_aff
from fortrancl.ir.expr import (
    COMPARISONS,
    LOGICAL_OPS,
    Binary,
    Convert,
    Expr,
    Literal_,
    Subscript,
    Unary,
    Var,
    transform,
    walk,
)
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.typeof import operation_type, type_of
from fortrancl.ir.types import ScalarType
from fortrancl.poly import PolyhedralError, Set

_FOLDED = frozenset({"+", "-", "*", "/", *COMPARISONS, *LOGICAL_OPS})


def fold_constants(kernel: Kernel) -> Kernel:
    """Compute operations on constants ahead, where that gives the very bits that the device would.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); int m(n)", [("x[i]", "2.0d0*0.5d0*x[i+2-2]", {"i": "n"}),
    ...                                                  ("m[i]", "7/2*1 + 0*2", {"i": "n"})])
    >>> print(dump_tree(fold_constants(kernel)))
    for i = 0 .. n - 1
      s0: x[i] = x[i + 2 - 2]
      s1: m[i] = 3

    Operations on integers, reals and logicals and conversions between them; ``1*x`` and ``0 + i`` (of integers) too.
    Intrinsics, powers, and what overflows or divides by zero stay. Source: Fortran 2008, 7.1.
    """

    def change(expr: Expr, of_rule: bool) -> Expr:
        return transform(expr, lambda node: _folded(node, kernel, of_rule))

    return replace(
        kernel,
        statements=tuple(map_expressions(statement, lambda e: change(e, False)) for statement in kernel.statements),
        rules=tuple(replace(rule, body=change(rule.body, True)) for rule in kernel.rules),
    )


def _folded(node: Expr, kernel: Kernel, of_rule: bool) -> Expr | None:
    if isinstance(node, Binary) and node.op in _FOLDED:
        left, right = node.left, node.right
        if isinstance(left, Literal_) and isinstance(right, Literal_):
            return _computed(node, operation_type(node.op, left.type, right.type), kernel)
        # What a rule's parameters are, only its uses tell.
        return None if of_rule else _without_neutral(node, kernel)
    if isinstance(node, Unary | Convert) and isinstance(node.operand, Literal_):
        type = node.type if isinstance(node, Convert) else node.operand.type
        return _computed(node, type, kernel)
    return None


def _computed(node: Expr, type: ScalarType, kernel: Kernel) -> Expr | None:
    literals = [part for part in walk(node) if isinstance(part, Literal_)]
    if any(part.type.base == "complex" or not _is_exact(part) for part in literals) or type.base == "complex":
        return None
    # Loading NumPy takes as long as compiling a small file, so only this step does it.
    import numpy as np

    from fortrancl.ir.arithmetic import ArithmeticFault
    from fortrancl.ir.evaluate import Evaluator
    from fortrancl.ir.memory import WorkItem

    try:
        with np.errstate(all="ignore"):
            value = Evaluator(kernel, {}).compile(node)(WorkItem((), (), {}))
    except (ArithmeticFault, OverflowError):
        return None
    if type.base == "logical":
        return Literal_(bool(value), type)
    if type.base == "integer":
        # Wrapped integers are not Fortran's; -2**31 has no literal.
        return (
            Literal_(int(value), type) if _whole(node, int(value)) and abs(value) < 2 ** (8 * type.kind - 1) else None
        )
    return Literal_(float(value), type) if math.isfinite(value) else None


def _is_exact(literal: Literal_) -> bool:
    """Whether a real's digits are a value of its kind, so that no rounding of the text can matter."""
    if literal.type != ScalarType("real", 4):
        return True
    if not isinstance(literal.value, int | float):
        return False
    try:
        return bool(struct.unpack("f", struct.pack("f", literal.value))[0] == literal.value)
    except OverflowError:
        return False


def _whole(node: Expr, value: int) -> bool:
    """Whether an integer result is the true one, not one that wrapped round."""
    if not isinstance(node, Binary) or node.op not in ("+", "-", "*"):
        return True
    assert isinstance(node.left, Literal_)
    assert isinstance(node.right, Literal_)
    left, right = int(node.left.value.real), int(node.right.value.real)
    return {"+": left + right, "-": left - right, "*": left * right}[node.op] == value


def _without_neutral(node: Binary, kernel: Kernel) -> Expr | None:
    """``1*x`` is x in all types, ``0 + i`` is i in integers (of reals -0 + 0 is not -0)."""
    sides = ((node.left, node.right),) if node.op in ("-", "/") else ((node.left, node.right), (node.right, node.left))
    for kept, other in sides:
        if not isinstance(other, Literal_) or isinstance(other.value, bool | complex):
            continue
        neutral = 1 if node.op in ("*", "/") else 0
        if node.op not in ("+", "-", "*", "/") or other.value != neutral:
            continue
        try:
            type = type_of(kept, kernel)
        except (KeyError, TypeError):
            return None
        is_integer = type.base == "integer" and other.type.base == "integer"
        if operation_type(node.op, type, other.type) == type and (neutral == 1 or is_integer):
            return kept
    return None


def simplify_indices(kernel: Kernel) -> Kernel:
    """Write affine subscripts in their shortest form, using what the loops' bounds say.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n,4)", [("x[i+2-2, (4*i+j) % 4]", "0", {"i": "n", "j": "4"})])
    >>> print(dump_tree(simplify_indices(kernel)))
    for i = 0 .. n - 1
      for j = 0 .. 3
        s0: x[i, j] = 0

    Subscripts in rules are simplified without bounds, which those of their uses may differ in.
    """

    def in_statement(statement: Statement) -> Statement:
        context = statement.domain & kernel.assumptions
        if context.is_empty():
            return statement
        target = _simplified(statement.target, context, kernel)
        assert isinstance(target, Var | Subscript)
        return replace(statement, target=target, value=_simplified(statement.value, context, kernel))

    return replace(
        kernel,
        statements=tuple(in_statement(statement) for statement in kernel.statements),
        rules=tuple(replace(rule, body=_simplified(rule.body, None, kernel)) for rule in kernel.rules),
    )


def _simplified(expr: Expr, context: Set | None, kernel: Kernel) -> Expr:
    known = known_names(kernel)

    def change(node: Expr) -> Expr | None:
        if not isinstance(node, Subscript):
            return None
        return Subscript(node.array, tuple(_shortest(index) for index in node.indices))

    def _shortest(index: Expr) -> Expr:
        aff = to_aff(index, known)
        if aff is None:
            return index
        try:
            there = context if context is not None else Set.universe()
            shorter = aff_to_expr(aff.gist(there), there)
        except PolyhedralError:
            return index
        return shorter if sum(1 for _ in walk(shorter)) < sum(1 for _ in walk(index)) else index

    return transform(expr, change)
