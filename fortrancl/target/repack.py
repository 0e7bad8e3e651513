"""OpenCL C of the copies between Fortran's memory of an argument and the kernel's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fortrancl.ir.expr import Var
from fortrancl.schedule.nodes import Repack, element_name
from fortrancl.target import ctree as c
from fortrancl.target.expressions import Translator
from fortrancl.target.types import INDEX

_ELEMENT = c.Name("fcl_element")


def statements(node: Repack, scope: Translator) -> Iterator[c.Statement]:
    """One work-item's copy: its element's declared subscripts, then one assignment. Names of Fortran never begin with
    ``fcl_`` here (`target.names`)."""
    rank = len(node.shape)
    names = {element_name(axis): f"fcl_e{axis}" for axis in range(rank)}
    inside = replace(scope, names={**scope.names, **names}, indices=scope.indices | set(names))
    item = c.Call("get_global_id", (c.Number("0"),))
    yield c.Declare(f"const {INDEX}", _ELEMENT.text, c.Binary("+", scope.index(node.first), c.Cast(INDEX, item)))
    body: list[c.Statement] = []
    rest: c.Expression = _ELEMENT
    for axis in range(rank):
        extent = node.shape[axis].extent
        value = rest
        if axis < rank - 1:
            assert extent is not None, "only the last dimension can be open"
            length = scope.index(extent)
            value = c.Binary("%", rest, length)
            divided = f"fcl_rest{axis}"
            body.append(c.Declare(f"const {INDEX}", divided, c.Binary("/", rest, length)))
            rest = c.Name(divided)
        body.append(c.Declare(f"const {INDEX}", names[element_name(axis)], value))
    copy = c.Assign(inside.place(node.target), inside.place(node.value))
    if node.rows is None:
        body.append(copy)
    else:
        # Between the rows may lie what belongs to another argument.
        row = inside.index(Var(element_name(0)))
        low, high = (scope.index(bound) for bound in node.rows)
        body.append(c.If(c.Binary("&&", c.Binary(">=", row, low), c.Binary("<=", row, high)), (copy,)))
    yield c.If(c.Binary("<=", _ELEMENT, scope.index(node.last)), tuple(body))
