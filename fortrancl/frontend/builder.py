"""The kernel under construction, and the context that a statement stands in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from fortrancl.frontend.values import Value
from fortrancl.ir.expr import Expr, Subscript, Var
from fortrancl.ir.kernel import Guard, Iname, Statement, Temporary, guard_temporary
from fortrancl.ir.tree import Node, Run
from fortrancl.ir.types import ScalarType
from fortrancl.poly import Set
from fortrancl.source import Span


@dataclass(frozen=True)
class Context:
    """Loops and conditions round a statement; ``body`` is where it goes in the tree.

    ``loop_domain`` holds the loops' bounds only, ``domain`` the affine conditions too; ``is_conditional`` tells whether
    there are conditions. ``values``: active DO variables. ``cycle_flag``: the logical temporary that is false once this
    iteration was left, where one is needed.
    """

    inames: tuple[str, ...] = ()
    domain: Set = field(default_factory=Set.universe)
    loop_domain: Set = field(default_factory=Set.universe)
    is_conditional: bool = False
    guards: tuple[Guard, ...] = ()
    body: list[Node] = field(default_factory=list)
    values: Mapping[str, Value] = field(default_factory=dict)
    cycle_flag: str | None = None

    def narrowed(self, condition: Set) -> Context:
        """Where an affine condition holds as well."""
        return replace(self, domain=self.domain & condition, is_conditional=True)

    def guarded(self, name: str, value: bool) -> Context:
        """Where a guard has a value as well."""
        return replace(self, guards=(*self.guards, Guard(name, value)), is_conditional=True)

    def unconditional(self) -> Context:
        """The same loops without the conditions."""
        return replace(self, domain=self.loop_domain, guards=(), is_conditional=False)

    def inside(self, iname: str, bounds: Set, variable: str, value: Value) -> Context:
        """The body of a loop."""
        return replace(
            self,
            inames=(*self.inames, iname),
            domain=self.domain & bounds,
            loop_domain=self.loop_domain & bounds,
            body=[],
            values={**self.values, variable: value},
            cycle_flag=None,
        )


class KernelBuilder:
    """Statements, inames and temporaries so far. ``taken``: names in use, lower case."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = {name.lower() for name in taken}
        self.statements: list[Statement] = []
        self.inames: list[Iname] = []
        self.temporaries: list[Temporary] = []
        self.guard_count = 0

    def fresh(self, wanted: str) -> str:
        """``wanted``, or with ``_0``, ``_1`` … where it is taken; taken from now on."""
        name, number = wanted, 0
        while name.lower() in self.taken:
            name, number = f"{wanted}_{number}", number + 1
        self.taken.add(name.lower())
        return name

    def emit(
        self, at: Context, target: Var | Subscript, value: Expr, span: Span, tags: frozenset[str] = frozenset()
    ) -> None:
        """Add an assignment."""
        name = f"s{len(self.statements)}"
        self.statements.append(Statement(name, target, value, at.inames, at.domain, at.guards, tags, span=span))
        at.body.append(Run(name))

    def temporary(self, wanted: str, type: ScalarType, origin: str, span: Span) -> str:
        """A new scalar temporary."""
        name = self.fresh(wanted)
        self.temporaries.append(Temporary(name, type, origin=origin, span=span))
        return name

    def guard(self, at: Context, span: Span) -> str:
        """A new guard ``p_0``, ``p_1`` … evaluated in the given loops."""
        name = f"p_{self.guard_count}"
        while name in self.taken:
            self.guard_count += 1
            name = f"p_{self.guard_count}"
        self.guard_count += 1
        self.taken.add(name)
        self.temporaries.append(guard_temporary(name, at.inames, span))
        return name
