"""Array shapes: from declared bounds to the IR's lower bounds and extents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fortrancl.frontend.linear import constant_of, normalise
from fortrancl.frontend.parse import Node, Parsed
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.scope import ArrayForm
from fortrancl.ir.expr import Binary, Expr, Var, integer
from fortrancl.ir.kernel import Dim
from fortrancl.source import Span

if TYPE_CHECKING:
    from fortrancl.frontend.expressions import ExpressionReader


@dataclass(frozen=True)
class Bounds:
    """One declared dimension. ``upper`` is a node, ``*`` (assumed size) or ``:`` (assumed shape, or deferred)."""

    at: Parsed
    lower: Node | None
    upper: Node | Literal["*", ":"]

    @property
    def is_open(self) -> bool:
        """Without an upper bound of its own."""
        return isinstance(self.upper, str)


def array_spec(at: Parsed, node: Node) -> tuple[Bounds, ...]:
    """The dimensions that an array-spec declares. Refuses with FCL111."""
    kind = type(node).__name__
    if kind == "Assumed_Size_Spec":
        explicit, lower = node.items
        before = array_spec(at, explicit) if explicit is not None else ()
        return (*before, Bounds(at, lower, "*"))
    if kind.endswith("_List"):
        return tuple(bound for item in node.items for bound in array_spec(at, item))
    if kind == "Explicit_Shape_Spec":
        return (Bounds(at, node.items[0], node.items[1]),)
    if kind == "Assumed_Shape_Spec":
        return (Bounds(at, node.items[0], ":" if node.items[1] is None else node.items[1]),)
    if kind == "Deferred_Shape_Spec":
        return (Bounds(at, None, ":"),)
    if kind in ("Implied_Shape_Spec", "Assumed_Implied_Spec"):
        return (Bounds(at, node.items[0] if node.items else None, "*"),)
    raise Refused("FCL111", f"the shape '{node}' is not supported", at.span_of(node))


def form_of(bounds: tuple[Bounds, ...]) -> ArrayForm:
    """Explicit, assumed size or assumed shape."""
    if bounds[-1].upper == "*":
        return "assumed_size"
    return "assumed_shape" if any(bound.upper == ":" for bound in bounds) else "explicit"


def dims_of(
    expressions: ExpressionReader,
    bounds: tuple[Bounds, ...],
    extent_names: tuple[str, ...],
    *,
    is_dummy: bool,
    span: Span,
) -> tuple[Dim, ...]:
    """Lower bounds and extents. ``extent_names`` name the extents of an assumed-shape dummy, axis by axis.

    The last dimension of a dummy declared with the single upper bound 1 (``x(1)``) is an old way to write ``x(*)``.
    """
    result: list[Dim] = []
    for axis, bound in enumerate(bounds):
        lower: Expr = integer(1)
        if bound.lower is not None:
            lower = normalise(expressions.integer(bound.at.of(bound.lower), "a lower bound").expr)
        if bound.upper == ":":
            if not is_dummy:
                raise Refused("FCL111", "a deferred shape needs ALLOCATABLE or POINTER, not supported", span)
            result.append(Dim(lower, Var(extent_names[axis])))
            continue
        if bound.upper == "*":
            if axis + 1 < len(bounds) or not is_dummy:
                raise Refused("FCL111", "'*' may only be the last dimension of a dummy argument", span)
            result.append(Dim(lower, None))
            continue
        upper = expressions.integer(bound.at.of(bound.upper), "an upper bound").expr
        is_last = axis + 1 == len(bounds)
        if is_dummy and is_last and bound.lower is None and constant_of(upper) == 1:
            result.append(Dim(lower, None))
            continue
        result.append(Dim(lower, normalise(Binary("+", Binary("-", upper, lower), integer(1)))))
    return tuple(result)
