"""From the loop tree of one launch to structured code: bounds, guards, unrolled tiles (design section 7).

Each statement arrives with the conditions that its place leaves open. Conditions move out over loops that they do not
mention and are tested once for neighbours that share them, never across a barrier: a barrier always stands under
nothing but loops whose bounds are the same for the whole group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fortrancl.analysis.lanes import lanes_of, storage_space
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.affine import from_tree, set_to_expr
from fortrancl.ir.expr import Expr, Literal_, Subscript, Var, integer, scalar_names, walk
from fortrancl.ir.kernel import Guard, Kernel, Temporary
from fortrancl.ir.tree import Barrier, Block, Loop, Node, Run, runs
from fortrancl.ir.tree import walk as walk_tree
from fortrancl.ir.types import INTEGER8
from fortrancl.poly import Aff, Set, comparison_tree, conjuncts
from fortrancl.schedule.hardware import Hardware
from fortrancl.schedule.nodes import Branch, CodeNode, Execute, For, Synchronise
from fortrancl.schedule.ranges import Range, range_of
from fortrancl.source import Span


@dataclass(frozen=True)
class Condition:
    """One test; equal texts of sets are equal tests."""

    test: Expr | Guard
    names: frozenset[str]


@dataclass(frozen=True)
class Guarded:
    """A node, and what must hold for it to run. ``written``: variables assigned inside."""

    conditions: tuple[Condition, ...]
    node: CodeNode
    written: frozenset[str]
    has_barrier: bool = False


def launch_code(kernel: Kernel, block: Block, loops: tuple[str, ...], hardware: Hardware) -> tuple[CodeNode, ...]:
    """The code of one launch; ``loops`` are host loops round it, constants here.

    Raises FCL405 (a barrier that not every work-item would reach), FCL408 (a loop without bounds).
    """
    known = hardware.known()
    for name in loops:
        # The host's loop runs for all launches in it: what holds there may be less than these statements need.
        inside = tuple(s.id for s in kernel.statements if name in s.inames)
        known = known & host_range(kernel, name, loops, inside).known()
    return _joined(_Coder(kernel, hardware, frozenset(loops)).block(block, known, loops))


def host_range(kernel: Kernel, name: str, loops: tuple[str, ...], statements: Iterable[str]) -> Range:
    """Values of a host loop's variable, over parameters and the host loops round it.

    Raises FCL407 where the host cannot compute them.
    """
    keep = {*kernel.parameters, *loops[: loops.index(name) + 1]}
    domain = Set.nothing()
    for statement in statements:
        found = kernel.statement_by_id[statement]
        if name in found.inames:
            domain = domain | (found.domain & kernel.assumptions).project_onto(keep)
    result = range_of(domain, name, kernel.assumptions)
    if not result.is_bounded or kernel.iname_by_name[name].trip is not None:
        raise CompileError(
            [
                Diagnostic(
                    "FCL407",
                    f"loop '{name}' holds a global barrier, so the host runs it, but its bounds depend on data",
                    kernel.iname_by_name[name].span or kernel.span,
                    hints=("move the barrier out of the loop, or give the loop bounds in the scalar arguments",),
                )
            ]
        )
    return result


@dataclass(frozen=True)
class _Coder:
    kernel: Kernel
    hardware: Hardware
    host_loops: frozenset[str]

    def block(self, block: Block, known: Set, outer: tuple[str, ...]) -> list[Guarded]:
        result: list[Guarded] = []
        for child in block.children:
            result.extend(self.node(child, known, outer))
        return result

    def node(self, node: Node, known: Set, outer: tuple[str, ...]) -> list[Guarded]:
        if isinstance(node, Run):
            return self.statement(node.statement, known)
        if isinstance(node, Barrier):
            return [Guarded((), Synchronise(node.fences or ("local",)), frozenset(), True)]
        if isinstance(node, Block):
            return self.block(node, known, outer)
        if self.kernel.iname_by_name[node.iname].trip is not None:
            return self.data_loop(node, known, outer)
        return self.loop(node, known, outer)

    def statement(self, name: str, known: Set) -> list[Guarded]:
        statement = self.kernel.statement_by_id[name]
        needed = self.hardware.domains[name].gist(known)
        if (needed & known).is_empty():
            return []
        tests = [] if needed.is_universe() else [_condition(part, known) for part in conjuncts(needed)]
        guards = [Condition(guard, _names(guard)) for guard in statement.guards]
        return [Guarded((*filter(None, tests), *guards), Execute(name), frozenset({statement.target_name}))]

    # -- loops --------------------------------------------------------------------------------------------------
    def domain(self, loop: Loop, outer: tuple[str, ...], with_lanes: bool) -> Set:
        """Values of the iname (with outer names, groups, parameters, and lanes if asked) that some statement needs."""
        result = Set.nothing()
        for name in runs(loop):
            inner = {*self.kernel.statement_by_id[name].inames} - {*outer, loop.iname}
            inner |= frozenset() if with_lanes else self.hardware.lanes
            result = result | self.hardware.domains[name].project_out(inner)
        return result

    def loop(self, loop: Loop, known: Set, outer: tuple[str, ...]) -> list[Guarded]:
        iname = self.kernel.iname_by_name[loop.iname]
        unroll = iname.tag is not None and iname.tag.kind == "unr"
        found = self._range(loop, known, outer, unroll)
        inside = known & found.known()
        if inside.is_empty():
            return []
        if not unroll:
            return self._made(loop, found.start(known), found.stop(known), inside, outer)
        low, high = inside.range(loop.iname)
        if low is None or high is None:
            return self._made(loop, found.start(known), found.stop(known), inside, outer)
        full = (Aff.name(loop.iname) >= low) & (Aff.name(loop.iname) <= high)
        ends = integer(low, INTEGER8), integer(high + 1, INTEGER8)
        partial = full & known & ~found.known()
        if partial.is_empty():
            return self._made(loop, *ends, known & full, outer, unroll=True)
        return self._isolated(loop, found, ends, known, outer)

    def _isolated(
        self, loop: Loop, found: Range, ends: tuple[Literal_, Literal_], known: Set, outer: tuple[str, ...]
    ) -> list[Guarded]:
        """Full tiles unrolled, partial ones as a plain loop."""
        name = Aff.name(loop.iname)
        full = (name >= int(ends[0].value.real)) & (name < int(ends[1].value.real))
        partial = (full & known & ~found.known()).project_out([loop.iname])
        whole = (known - partial).gist(known)
        tests = tuple(filter(None, (_condition(part, known) for part in conjuncts(whole))))
        lanes = self.hardware.lanes & whole.names
        inside = known & whole
        plain = self._made(loop, found.start(known), found.stop(known), known & found.known(), outer)
        if not tests or lanes or inside.is_empty():
            return plain
        unrolled = self._made(loop, *ends, inside & full, outer, unroll=True)
        branch = Branch(tuple(c.test for c in tests), _joined(unrolled), _joined(plain))
        written = frozenset(name for part in (*unrolled, *plain) for name in part.written)
        return [Guarded((), branch, written, any(part.has_barrier for part in (*unrolled, *plain)))]

    def _range(self, loop: Loop, known: Set, outer: tuple[str, ...], uniform: bool) -> Range:
        if not uniform and not _has_barrier(loop):
            close = range_of(self.domain(loop, outer, True), loop.iname, known)
            # A bound may be a lane plus something; what needs a division is a test inside instead.
            if close.is_bounded and not (close.divides() and close.names() & self.hardware.lanes):
                return close
        found = range_of(self.domain(loop, outer, False), loop.iname, known)
        if not found.is_bounded:
            raise CompileError(
                [
                    Diagnostic(
                        "FCL408",
                        f"loop '{loop.iname}' has no end that can be computed before it starts",
                        self.kernel.iname_by_name[loop.iname].span or self._span(loop),
                        hints=("lp.assume can bound it",),
                    )
                ]
            )
        return found

    def _made(
        self, loop: Loop, start: Expr, stop: Expr, known: Set, outer: tuple[str, ...], unroll: bool = False
    ) -> list[Guarded]:
        body = self.block(loop.body, known, (*outer, loop.iname))
        if not any(not isinstance(part.node, Synchronise) for part in body):
            return []
        has_barrier = any(part.has_barrier for part in body)
        written = frozenset(name for part in body for name in part.written)
        common: tuple[Condition, ...] = ()
        if not has_barrier:
            common = tuple(c for c in _common(body) if loop.iname not in c.names and not _changes(c, written))
            body = [_less(part, common) for part in body]
        return [Guarded(common, For(loop.iname, start, stop, _joined(body), unroll), written, has_barrier)]

    def data_loop(self, loop: Loop, known: Set, outer: tuple[str, ...]) -> list[Guarded]:
        """A loop whose trip count is data: under the conditions under which the count was computed."""
        trip = self.kernel.iname_by_name[loop.iname].trip
        assert trip is not None
        barrier = _has_barrier(loop)
        if barrier:
            self._require_uniform(loop, trip)
        needed = self.domain(loop, outer, not barrier).project_out([loop.iname]).gist(known)
        found = () if needed.is_universe() else (_condition(part, known) for part in conjuncts(needed))
        tests = tuple(part for part in found if part is not None)
        inside = known & needed & (Aff.name(loop.iname) >= 0)
        made = self._made(loop, integer(0, INTEGER8), Var(trip), inside, outer)
        if not barrier or not tests:
            return [replace(part, conditions=_union(tests, part.conditions)) for part in made]
        # The tests mention no work-item: all of a group take the same way.
        written = frozenset(name for part in made for name in part.written)
        return [Guarded((), Branch(tuple(c.test for c in tests), _joined(made)), written, True)]

    def _require_uniform(self, loop: Loop, trip: str) -> None:
        """Every work-item of the group must make the same number of iterations, or some would miss the barrier."""
        conditional = any(s.guards for s in self.kernel.statements if s.target_name == trip)
        if not conditional and not self._varies(trip, frozenset()):
            return
        raise CompileError(
            [
                Diagnostic(
                    "FCL405",
                    f"loop '{loop.iname}' needs a barrier inside, but work-items of a group run it a different number "
                    "of times",
                    self.kernel.iname_by_name[loop.iname].span or self._span(loop),
                    notes=("a barrier must be reached by all work-items of a group, equally often",),
                    hints=("keep what the loop shares in private memory, or tag other loops l",),
                )
            ]
        )

    def _varies(self, name: str, asking: frozenset[str]) -> bool:
        """Whether a temporary may hold different values on the lanes of a group."""
        declaration = self.kernel.declaration(name)
        if not isinstance(declaration, Temporary) or storage_space(self.kernel, declaration) != "private":
            return False
        for statement in self.kernel.statements:
            if statement.target_name != name:
                continue
            if any(kind == "l" for kind, _ in lanes_of(self.kernel, statement.id)):
                return True
            for read in _temporaries(statement.value, self.kernel) | {guard.name for guard in statement.guards}:
                if read not in {name, *asking} and self._varies(read, asking | {name}):
                    return True
        return False

    def _span(self, loop: Loop) -> Span | None:
        return self.kernel.statement_by_id[next(iter(runs(loop)))].span


# -- conditions ------------------------------------------------------------------------------------------------------


def _condition(part: Set, known: Set) -> Condition | None:
    tree = comparison_tree(part)
    test = from_tree(tree) if tree is not None else set_to_expr(part, known)
    return None if test is None else Condition(test, part.names)


def _names(guard: Guard) -> frozenset[str]:
    return frozenset(name for index in guard.indices for name in scalar_names(index))


def _temporaries(expr: Expr, kernel: Kernel) -> frozenset[str]:
    found = (
        node.array if isinstance(node, Subscript) else node.name
        for node in walk(expr)
        if isinstance(node, Subscript | Var)
    )
    return frozenset(name for name in found if name in kernel.temporary_by_name)


def _has_barrier(loop: Loop) -> bool:
    return any(isinstance(node, Barrier) for _, _, node in walk_tree(loop))


def _changes(condition: Condition, written: frozenset[str]) -> bool:
    return isinstance(condition.test, Guard) and condition.test.name in written


def _common(parts: list[Guarded]) -> tuple[Condition, ...]:
    if not parts:
        return ()
    return tuple(c for c in parts[0].conditions if all(c in other.conditions for other in parts[1:]))


def _union(first: tuple[Condition, ...], second: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return (*first, *(c for c in second if c not in first))


def _less(part: Guarded, conditions: tuple[Condition, ...]) -> Guarded:
    return replace(part, conditions=tuple(c for c in part.conditions if c not in conditions))


def _joined(parts: list[Guarded]) -> tuple[CodeNode, ...]:
    """Neighbours that share conditions stand under one test of them."""
    result: list[CodeNode] = []
    position = 0
    changed: frozenset[str] = frozenset()
    while position < len(parts):
        first = parts[position]
        if not first.conditions:
            result.append(first.node)
            position += 1
            continue
        assert not first.has_barrier, "a barrier stands under no test"
        end = position + 1
        shared = first.conditions
        written = first.written
        while end < len(parts):
            both = tuple(c for c in shared if c in parts[end].conditions and not _changes(c, written))
            if parts[end].has_barrier or not both:
                break
            shared, written, end = both, written | parts[end].written, end + 1
        inside = [_less(part, shared) for part in parts[position:end]]
        branch = Branch(tuple(c.test for c in shared), _joined(inside))
        before = result[-1] if result else None
        if isinstance(before, Branch) and _is_opposite(before, branch, changed):
            branch = Branch(before.conditions, before.body, branch.body)
            result.pop()
        result.append(branch)
        position, changed = end, written
    return tuple(result)


def _is_opposite(first: Branch, second: Branch, written: frozenset[str]) -> bool:
    """Whether the second is the other branch of the first one's only test, which the first does not change."""
    if len(first.conditions) != 1 or len(second.conditions) != 1 or first.otherwise:
        return False
    one, two = first.conditions[0], second.conditions[0]
    if not isinstance(one, Guard) or not isinstance(two, Guard) or one.name in written:
        return False
    return one == replace(two, value=not two.value)
