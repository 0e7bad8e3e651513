"""Which variables each statement reads and writes, rules expanded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fortrancl.ir.expr import Binary, Call, Expr, Subscript, Var, rule_names, scalar_names, walk
from fortrancl.ir.kernel import Kernel, Rule, Statement
from fortrancl.ir.rules import expand_rules as expand_rules
from fortrancl.ir.typeof import type_of
from fortrancl.ir.types import ScalarType


@dataclass(frozen=True)
class Access:
    """One reference to a variable: ``indices`` are 0-based subscripts, () for a scalar.

    ``reduction`` is the operation when the reference belongs to an update ``x(s) = x(s) op e`` whose ``e`` does not
    read ``x``; ``reorderable`` when the order among such updates may change (design section 5, point 5).
    """

    statement: str
    array: str
    indices: tuple[Expr, ...]
    is_write: bool
    is_atomic: bool = False
    reduction: str | None = None
    reorderable: bool = False


_SPINES = {"+": ("+", "-"), "*": ("*",), "and": ("and",), "or": ("or",), "eqv": ("eqv",), "neqv": ("neqv",)}
_CALLS = frozenset({"min", "max", "iand", "ior", "ieor"})


def reduction_of(statement: Statement, kernel: Kernel) -> str | None:
    """The operation of an update ``x(s) = x(s) op e``, or None; ``x - e`` counts as ``+``.

    >>> from fortrancl.ir.expr import integer
    >>> from fortrancl.poly import Set
    >>> update = Statement("s0", Var("x"), Binary("-", Var("x"), integer(1)), (), Set.universe())
    >>> reduction_of(update, Kernel("k", (), (), (), (), __import__("fortrancl.ir.tree", fromlist=["Block"]).Block()))
    '+'
    """
    return _reduction(statement, expand_rules(statement.value, kernel))


def _reduction(statement: Statement, value: Expr) -> str | None:
    name = statement.target_name
    others: list[Expr] | None = None
    operation = None
    if isinstance(value, Binary):
        for operation_name, members in _SPINES.items():
            if value.op in members:
                operation, others = operation_name, _spine_others(value, members, statement.target)
    elif isinstance(value, Call) and value.function in _CALLS:
        operation = value.function
        rest = [argument for argument in value.arguments if argument != statement.target]
        others = rest if len(rest) == len(value.arguments) - 1 else None
    if others is None or any(_mentions(other, name) for other in others):
        return None
    return None if any(_mentions(index, name) for index in _indices(statement.target)) else operation


def _spine_others(value: Expr, members: tuple[str, ...], target: Expr) -> list[Expr] | None:
    """Operands beside ``target`` along the chain of ``members``; None unless the target occurs there just once,
    unnegated."""
    found = 0
    others: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(value, True)]
    while stack:
        node, positive = stack.pop()
        if isinstance(node, Binary) and node.op in members:
            stack.append((node.left, positive))
            stack.append((node.right, positive if node.op != "-" else not positive))
        elif node == target and positive:
            found += 1
        else:
            others.append(node)
    return others if found == 1 else None


def _mentions(expr: Expr, name: str) -> bool:
    return any(
        (isinstance(node, Subscript) and node.array == name) or (isinstance(node, Var) and node.name == name)
        for node in walk(expr)
    )


def _indices(target: Expr) -> tuple[Expr, ...]:
    return target.indices if isinstance(target, Subscript) else ()


def references(expr: Expr, kernel: Kernel) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    """Variables that an expression (rules expanded) reads: arrays with subscripts, and scalars that are neither inames
    nor parameters."""
    constant = _constants(kernel)
    for node in walk(expr):
        if isinstance(node, Subscript):
            yield node.array, node.indices
        elif isinstance(node, Var) and node.name not in constant:
            yield node.name, ()


def _constants(kernel: Kernel) -> frozenset[str]:
    cached: frozenset[str] | None = kernel.__dict__.get("_constants")
    if cached is None:
        cached = kernel.__dict__["_constants"] = frozenset((*kernel.iname_by_name, *kernel.parameters))
    return cached


@dataclass(frozen=True)
class _Known:
    """Accesses of a statement, and all that they depend on beside it: the next kernel is mostly the last one."""

    accesses: tuple[Access, ...]
    rules: tuple[Rule, ...]
    trips: tuple[str | None, ...]
    type: ScalarType
    names: frozenset[str]
    constants: frozenset[str]

    def hold(self, statement: Statement, kernel: Kernel) -> bool:
        return (
            all(kernel.rule_by_name.get(rule.name) is rule for rule in self.rules)
            and self.trips == _trips(statement, kernel)
            and self.type == type_of(statement.target, kernel)
            and self.constants == self.names & _constants(kernel)
        )


def _trips(statement: Statement, kernel: Kernel) -> tuple[str | None, ...]:
    return tuple(kernel.iname_by_name[iname].trip for iname in statement.inames)


def _rules_of(expr: Expr, kernel: Kernel, found: dict[str, Rule]) -> None:
    for name in rule_names(expr):
        if name not in found:
            found[name] = kernel.rule_by_name[name]
            _rules_of(found[name].body, kernel, found)


def statement_accesses(statement: Statement, kernel: Kernel) -> tuple[Access, ...]:
    """Reads in order of evaluation (guards and trip counts first), then the write."""
    known: _Known | None = statement.__dict__.get("_known_accesses")
    if known is not None and known.hold(statement, kernel):
        return known.accesses
    indices = tuple(expand_rules(index, kernel) for index in _indices(statement.target))
    value = expand_rules(statement.value, kernel)
    rules: dict[str, Rule] = {}
    for part in (statement.target, statement.value):
        _rules_of(part, kernel, rules)
    names = frozenset().union(*(scalar_names(part) for part in (*indices, value)))
    statement.__dict__["_known_accesses"] = known = _Known(
        _accesses(statement, kernel, indices, value),
        tuple(rules.values()),
        _trips(statement, kernel),
        type_of(statement.target, kernel),
        names,
        names & _constants(kernel),
    )
    return known.accesses


def _accesses(statement: Statement, kernel: Kernel, target: tuple[Expr, ...], value: Expr) -> tuple[Access, ...]:
    operation = _reduction(statement, value)
    target_type = type_of(statement.target, kernel)
    free_order = statement.reassociable or (target_type.base in ("integer", "logical"))
    result: list[Access] = []

    def read(name: str, indices: tuple[Expr, ...], of_update: bool = False) -> None:
        same = of_update and name == statement.target_name
        result.append(
            Access(
                statement.id,
                name,
                indices,
                is_write=False,
                is_atomic=same and statement.atomic,
                reduction=operation if same else None,
                reorderable=same and operation is not None and free_order,
            )
        )

    for iname in statement.inames:
        trip = kernel.iname_by_name[iname].trip
        if trip is not None:
            read(trip, ())
    for guard in statement.guards:
        read(guard.name, guard.indices)
    for index in target:
        for name, indices in references(index, kernel):
            read(name, indices)
    for name, indices in references(value, kernel):
        read(name, indices, of_update=True)
    result.append(
        Access(
            statement.id,
            statement.target_name,
            target,
            is_write=True,
            is_atomic=statement.atomic,
            reduction=operation,
            reorderable=operation is not None and free_order,
        )
    )
    return tuple(result)


def accesses(kernel: Kernel) -> tuple[Access, ...]:
    """All accesses of a kernel, statement by statement (computed once for each kernel)."""
    cached: tuple[Access, ...] | None = kernel.__dict__.get("_accesses")
    if cached is None:
        cached = tuple(access for statement in kernel.statements for access in statement_accesses(statement, kernel))
        kernel.__dict__["_accesses"] = cached
    return cached


def accesses_of(kernel: Kernel, array: str) -> tuple[Access, ...]:
    """Accesses to one variable."""
    return tuple(access for access in accesses(kernel) if access.array == array)
