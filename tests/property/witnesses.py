"""Is a refusal's witness true? Looked up among all instances of the kernel, enumerated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fortrancl.analysis.witness import Witness
from fortrancl.ir.evaluate import Evaluator
from fortrancl.ir.expr import Expr, Subscript, Var, walk
from fortrancl.ir.instances import statement_points
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.memory import WorkItem
from fortrancl.ir.rules import expand_rules
from fortrancl.ir.tree import Loop, node_at

ORDER = {"FCL301"}
"""Refusals of a new order: there the source must come first in the old one."""


def check_witness(kernel: Kernel, witness: Witness, code: str) -> None:
    """Both instances exist, touch the element named, and one of them writes it."""
    assert witness.source_writes or witness.sink_writes
    assert kernel.assumptions.where(dict(witness.parameters)).is_empty() is False, "parameters are not allowed"
    ends = (
        (witness.source_statement, witness.source_values, witness.source_writes),
        (witness.sink_statement, witness.sink_values, witness.sink_writes),
    )
    times = []
    for name, values, writes in ends:
        statement = kernel.statement_by_id[name]
        # A step that renames loops tells its witness in the new names, in the same order.
        point = tuple(values.values())
        values = dict(zip(statement.inames, point, strict=True))
        assert point in _points(kernel, statement, witness.parameters), f"{name} has no instance {dict(values)}"
        elements = set(_elements(kernel, statement, witness.array, writes, {**witness.parameters, **values}))
        assert witness.element in elements, f"{name} at {dict(values)} touches {elements}, not {witness.element}"
        times.append(_time(kernel, name, values))
    assert ends[0] != ends[1]
    if code in ORDER:
        assert times[0] < times[1], "the source does not come first"


def _points(kernel: Kernel, statement: Statement, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    return statement_points(kernel, statement, sizes, cap=50)


def _elements(kernel: Kernel, statement: Statement, array: str, write: bool, values: Mapping[str, int]) -> Any:
    found: list[Expr]
    if write:
        found = [statement.target]
    else:
        target = expand_rules(statement.target, kernel)
        found = list(walk(expand_rules(statement.value, kernel)))
        found += [node for index in (target.indices if isinstance(target, Subscript) else ()) for node in walk(index)]
        found += [Subscript(g.name, g.indices) if g.indices else Var(g.name) for g in statement.guards]
        found += [Var(trip) for name in statement.inames if (trip := kernel.iname_by_name[name].trip)]
    item = WorkItem((), (), {}, dict(values))
    evaluator = Evaluator(kernel, values)
    for node in found:
        node = expand_rules(node, kernel)
        if isinstance(node, Var) and node.name == array:
            yield ()
        elif isinstance(node, Subscript) and node.array == array:
            try:
                yield tuple(evaluator.compile(index)(item) for index in node.indices)
            except KeyError:
                continue  # a subscript that is data: a witness never rests on it


def _time(kernel: Kernel, name: str, values: Mapping[str, int]) -> tuple[int, ...]:
    path, _ = kernel.paths[name]
    result: list[int] = []
    for depth in range(1, len(path) + 1):
        result.append(path[depth - 1])
        node = node_at(kernel.tree, path[:depth])
        if isinstance(node, Loop):
            result.append(values[node.iname])
    return tuple(result)
