"""The executable part as a tree of constructs, still in Fortran's words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from fortrancl.frontend.logical import LogicalStatement
from fortrancl.frontend.parse import Node, Parsed
from fortrancl.source import Span


@dataclass
class Assignment:
    """``target = value``."""

    statement: LogicalStatement
    target: Parsed
    value: Parsed
    span: Span


@dataclass
class Do:
    """A counted loop; ``name`` is its construct name."""

    statement: LogicalStatement
    variable: Parsed
    lower: Parsed
    upper: Parsed
    step: Parsed | None
    span: Span
    name: str | None = None
    label: str | None = None
    body: list[Executable] = field(default_factory=list)


@dataclass
class Branch:
    """One arm of an IF; ``condition`` is None for ELSE."""

    statement: LogicalStatement
    condition: Parsed | None
    body: list[Executable] = field(default_factory=list)


@dataclass
class If:
    """IF construct, or one-line IF."""

    statement: LogicalStatement
    branches: list[Branch]
    name: str | None = None


@dataclass
class Case:
    """One CASE: ranges (low, high) with None for an open end, low is high for a value; None for DEFAULT."""

    statement: LogicalStatement
    ranges: list[tuple[Parsed | None, Parsed | None]] | None
    body: list[Executable] = field(default_factory=list)


@dataclass
class Select:
    """SELECT CASE."""

    statement: LogicalStatement
    selector: Parsed
    cases: list[Case] = field(default_factory=list)
    name: str | None = None


@dataclass
class Cycle:
    """CYCLE, of the loop named or the innermost one; or a RETURN outside all loops, which leaves the procedure's body
    as CYCLE leaves a loop's."""

    statement: LogicalStatement
    name: str | None


@dataclass
class Where:
    """WHERE statement or construct; ``condition`` is a mask, None for ELSEWHERE."""

    statement: LogicalStatement
    branches: list[Branch]


Executable: TypeAlias = Assignment | Do | If | Select | Cycle | Where


def bodies(item: Executable) -> list[list[Executable]]:
    """The statement lists inside a construct."""
    if isinstance(item, Do):
        return [item.body]
    if isinstance(item, If | Where):
        return [branch.body for branch in item.branches]
    if isinstance(item, Select):
        return [case.body for case in item.cases]
    return []


def expressions_of(item: Executable) -> Iterator[Parsed]:
    """Expressions of the construct's own statements (not of its body), a DO's variable left out."""
    if isinstance(item, Assignment):
        yield item.target
        yield item.value
    elif isinstance(item, Do):
        yield item.lower
        yield item.upper
        if item.step is not None:
            yield item.step
    elif isinstance(item, If | Where):
        yield from (branch.condition for branch in item.branches if branch.condition is not None)
    elif isinstance(item, Select):
        yield item.selector
        for case in item.cases:
            for low, high in case.ranges or ():
                yield from (end for end in (low, high) if end is not None)


def walk_nodes(node: Node) -> Iterator[Node]:
    """All fparser nodes of an expression, parents first."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current is None or isinstance(current, str):
            continue
        if isinstance(current, list | tuple):
            stack.extend(reversed(current))
            continue
        yield current
        stack.extend(reversed(tuple(getattr(current, "items", ()) or ())))


def names_in(node: Node) -> Iterator[str]:
    """Lower-case names that an expression mentions."""
    from fortrancl.frontend.parse import fparser, unshadowed

    name_class = fparser().f2003.Name
    for item in walk_nodes(node):
        if isinstance(item, name_class):
            yield unshadowed(str(item)).lower()


def walk(items: Sequence[Executable]) -> Iterator[Executable]:
    """All constructs, outer ones first, in the order of the text."""
    for item in items:
        yield item
        for body in bodies(item):
            yield from walk(body)
