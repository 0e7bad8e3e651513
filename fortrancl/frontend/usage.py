"""Which scalars an executable part writes and reads, before anything is lowered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fortrancl.frontend.expressions import reference
from fortrancl.frontend.parse import Node, unshadowed
from fortrancl.frontend.syntax import Assignment, Do, Executable, bodies, expressions_of, names_in


@dataclass
class Usage:
    """Lower-case names. ``assigned``: targets of assignments; ``loops``: DO variables; ``outside``: names read where no
    loop over them is active, so that a DO variable among them needs its value after the loop."""

    assigned: set[str] = field(default_factory=set)
    loops: set[str] = field(default_factory=set)
    outside: set[str] = field(default_factory=set)

    def kept_loops(self, dummies: set[str]) -> set[str]:
        """DO variables whose value outlives their loops."""
        return self.loops & (self.outside | self.assigned | dummies)

    def written(self, dummies: set[str]) -> set[str]:
        """Names that some statement of the kernel will assign."""
        return self.assigned | self.kept_loops(dummies)


def usage_of(items: Sequence[Executable]) -> Usage:
    """Usage of an executable part."""
    usage = Usage()
    _visit(items, frozenset(), usage)
    return usage


def target_name(node: Node) -> str:
    """Lower-case name of the variable that an assignment's left side names."""
    found = reference(node)
    return (found[0] if found is not None else unshadowed(str(node))).lower()


def _visit(items: Sequence[Executable], active: frozenset[str], usage: Usage) -> None:
    for item in items:
        inner = active
        reads = {name for parsed in expressions_of(item) for name in names_in(parsed.node)}
        if isinstance(item, Assignment):
            name = target_name(item.target.node)
            usage.assigned.add(name)
            if reference(item.target.node) is None:
                # A plain scalar on the left is not read.
                reads = set(names_in(item.value.node))
        elif isinstance(item, Do):
            variable = target_name(item.variable.node)
            usage.loops.add(variable)
            inner = active | {variable}
        usage.outside |= reads - active
        for body in bodies(item):
            _visit(body, inner, usage)
