"""Expressions of the IR: small frozen trees with Fortran's meaning.

The shape of a tree is the shape of the Fortran: ``a + b + c`` is ``(a + b) + c`` and stays so, ``/`` on integers
truncates, ``**`` is Fortran's. Array subscripts are 0-based (the frontend subtracts the lower bound) and inames run
from 0. Names carry no type: the kernel's declarations are the one truth, read by `ir.typeof`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fortrancl.ir.types import INTEGER4, LOGICAL4, ScalarType

UnaryOp = Literal["-", "+", "not"]
BinaryOp = Literal["+", "-", "*", "/", "**", "==", "/=", "<", "<=", ">", ">=", "and", "or", "eqv", "neqv"]
COMPARISONS = frozenset({"==", "/=", "<", "<=", ">", ">="})
LOGICAL_OPS = frozenset({"and", "or", "eqv", "neqv"})


@dataclass(frozen=True, slots=True)
class Literal_:
    """A typed constant; a real keeps its Fortran digits (``text``) so that no rounding happens twice."""

    value: int | float | bool | complex
    type: ScalarType
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Var:
    """An iname, a scalar argument or temporary, a parameter of a rule, or an extent parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Subscript:
    """One element of an array; ``indices`` are 0-based, in the Fortran order of dimensions."""

    array: str
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """Sign or ``.not.``."""

    op: UnaryOp
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """A Fortran operation on two operands."""

    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """An intrinsic by its lower-case generic name; conversions (``int``, ``real``, ``dble``) are ``Convert``.

    Besides Fortran's numeric intrinsics two index functions on integers exist: ``floordiv`` and ``floormod``
    (rounding down), which transformations and script strings (``//`` and ``%``) make.
    """

    function: str
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Convert:
    """Conversion to ``type`` as by intrinsic assignment (real to integer truncates)."""

    type: ScalarType
    operand: Expr


@dataclass(frozen=True, slots=True)
class RuleCall:
    """A use of a substitution rule."""

    rule: str
    arguments: tuple[Expr, ...]


Expr: TypeAlias = Literal_ | Var | Subscript | Unary | Binary | Call | Convert | RuleCall


def integer(value: int, type: ScalarType = INTEGER4) -> Literal_:
    """An integer constant."""
    return Literal_(value, type)


def logical(value: bool) -> Literal_:
    """A default logical constant."""
    return Literal_(value, LOGICAL4)


def children(expr: Expr) -> tuple[Expr, ...]:
    """Direct operands, left to right."""
    if isinstance(expr, Binary):
        return (expr.left, expr.right)
    if isinstance(expr, Subscript):
        return expr.indices
    if isinstance(expr, Call | RuleCall):
        return expr.arguments
    if isinstance(expr, Unary | Convert):
        return (expr.operand,)
    return ()


def with_children(expr: Expr, new: tuple[Expr, ...]) -> Expr:
    """The same node over other operands (the node itself where nothing changed)."""
    if new == children(expr):
        return expr
    if isinstance(expr, Binary):
        return Binary(expr.op, new[0], new[1])
    if isinstance(expr, Subscript):
        return Subscript(expr.array, new)
    if isinstance(expr, Call):
        return Call(expr.function, new)
    if isinstance(expr, RuleCall):
        return RuleCall(expr.rule, new)
    if isinstance(expr, Unary):
        return Unary(expr.op, new[0])
    if isinstance(expr, Convert):
        return Convert(expr.type, new[0])
    return expr


def walk(expr: Expr) -> Iterator[Expr]:
    """Every node, parents first, left to right."""
    stack = [expr]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def transform(expr: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Rebuild bottom-up; ``change`` sees each rebuilt node and gives its replacement, or None to keep it.

    >>> transform(Binary("+", Var("i"), integer(1)), lambda e: Var("j") if e == Var("i") else None).left
    Var(name='j')
    """
    rebuilt = with_children(expr, tuple(transform(child, change) for child in children(expr)))
    replacement = change(rebuilt)
    return rebuilt if replacement is None else replacement


def substitute(expr: Expr, values: Mapping[str, Expr]) -> Expr:
    """Replace scalar names (``Var``) at once; array and rule names stay."""
    if not values:
        return expr
    return transform(expr, lambda node: values.get(node.name) if isinstance(node, Var) else None)


def scalar_names(expr: Expr) -> frozenset[str]:
    """Names of all ``Var`` nodes, those in subscripts included."""
    return frozenset(node.name for node in walk(expr) if isinstance(node, Var))


def subscripts(expr: Expr) -> Iterator[Subscript]:
    """All array element references, outermost first."""
    return (node for node in walk(expr) if isinstance(node, Subscript))


def rule_names(expr: Expr) -> frozenset[str]:
    """Names of rules called."""
    return frozenset(node.rule for node in walk(expr) if isinstance(node, RuleCall))
