"""PARAMETER arrays: array constructors, RESHAPE of them, or one value for all elements."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fortrancl.frontend import constants
from fortrancl.frontend.parse import Node, Parsed, unshadowed
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.scope import ConstantArray
from fortrancl.frontend.shapes import Bounds, dims_of
from fortrancl.frontend.type_specs import type_of_spec
from fortrancl.frontend.values import Value
from fortrancl.ir.expr import Literal_, integer
from fortrancl.ir.kernel import Dim
from fortrancl.ir.types import INTEGER4, ScalarType
from fortrancl.source import Span

if TYPE_CHECKING:
    from fortrancl.frontend.expressions import ExpressionReader

# A table larger than this does not belong into a kernel's constants.
MAX_ELEMENTS = 65_536


def read(
    expressions: ExpressionReader, name: str, type: ScalarType, bounds: tuple[Bounds, ...], value: Parsed, span: Span
) -> ConstantArray:
    """The array and its elements, in element order. Refuses with FCL110, FCL116."""
    elements = _elements(expressions, value, value.node)
    if bounds[-1].upper == "*":
        # An implied shape: as many as there are values.
        if elements is None or len(bounds) != 1:
            raise Refused("FCL111", f"the shape of '{name}' is not supported", span)
        lower = integer(1)
        if bounds[0].lower is not None:
            lower = integer(int(expressions.constant(bounds[0].at.of(bounds[0].lower), "a lower bound").value.real))
        dims: tuple[Dim, ...] = (Dim(lower, integer(len(elements))),)
    else:
        dims = dims_of(expressions, bounds, (), is_dummy=False, span=span)
    count = 1
    for dim in dims:
        if not isinstance(dim.extent, Literal_) or not isinstance(dim.lower, Literal_):
            raise Refused("FCL116", f"the shape of '{name}' is not constant", span)
        count *= max(int(dim.extent.value.real), 0)
    if count > MAX_ELEMENTS:
        raise Refused("FCL116", f"'{name}' has {count} elements; constants are limited to {MAX_ELEMENTS}", span)
    if elements is None:
        elements = [expressions.constant(value, f"the parameter '{name}'")] * count
    if len(elements) != count:
        raise Refused("FCL116", f"'{name}' has {count} elements, but {len(elements)} values are given", span)
    values = [constants.converted(element, type) for element in elements]
    if any(element is None for element in values):
        raise Refused("FCL116", f"a value of '{name}' does not fit {type}", value.span())
    return ConstantArray(name, type, dims, tuple(element for element in values if element is not None), span)


def _elements(expressions: ExpressionReader, at: Parsed, node: Node) -> list[Literal_] | None:
    """The values of an array-valued constant, None for a scalar."""
    kind = type(node).__name__
    if kind == "Array_Constructor":
        spec = node.items[1]
        if type(spec).__name__ != "Ac_Spec":
            return _listed(expressions, at, spec)
        wanted, _ = type_of_spec(expressions, at, spec.items[0])
        converted = [constants.converted(value, wanted) for value in _listed(expressions, at, spec.items[1])]
        if any(value is None for value in converted):
            raise Refused("FCL116", f"a value does not fit {wanted}", at.span_of(node))
        return [value for value in converted if value is not None]
    if kind == "Intrinsic_Function_Reference" and str(node.items[0]).lower() == "reshape":
        arguments = node.items[1].items
        if len(arguments) == 2:
            return _elements(expressions, at, arguments[0])
        raise Refused("FCL110", "RESHAPE with PAD or ORDER is not supported", at.span_of(node))
    if kind == "Name":
        entity = expressions.scope.find(unshadowed(str(node)))
        if isinstance(entity, ConstantArray):
            return list(entity.values)
    return None


def _listed(expressions: ExpressionReader, at: Parsed, spec: Node) -> list[Literal_]:
    """The values of a constructor's list, implied DOs run through."""
    items = spec.items if type(spec).__name__.endswith("_List") else (spec,)
    result: list[Literal_] = []
    for item in items:
        if type(item).__name__ == "Ac_Implied_Do":
            result.extend(_implied_do(expressions, at, item))
        else:
            inner = _elements(expressions, at, item)
            result.extend(inner if inner is not None else [expressions.constant(at.of(item), "an element")])
        if len(result) > MAX_ELEMENTS:
            raise Refused("FCL116", f"constants are limited to {MAX_ELEMENTS} elements", at.span_of(spec))
    return result


def _implied_do(expressions: ExpressionReader, at: Parsed, node: Node) -> list[Literal_]:
    variable, bounds = node.items[1].items
    numbers = [int(expressions.constant(at.of(bound), "a bound").value.real) for bound in bounds]
    first, last, step = (*numbers, 1)[:3]
    name, before = unshadowed(str(variable)).lower(), expressions.names
    if step == 0 or abs(last - first) > MAX_ELEMENTS:
        raise Refused("FCL116", "an implied DO does not end", at.span_of(node))
    result: list[Literal_] = []
    try:
        for value in range(first, last + (1 if step > 0 else -1), step):
            bound = Value(integer(value), INTEGER4)
            expressions.names = replace(before, values={**before.values, name: bound})
            result.extend(_listed(expressions, at, node.items[0]))
    finally:
        expressions.names = before
    return result
