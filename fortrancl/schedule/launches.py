"""Global barriers cut a kernel into launches; what lives across a cut goes to global memory, or is computed again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fortrancl.analysis.accesses import Access, accesses_of, references
from fortrancl.analysis.dependences import primed
from fortrancl.analysis.lanes import Axis, flow_pairs, is_redundant, lane_axes, lanes_of, storage_space
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.expr import Expr, Subscript, Var, integer, transform
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Dim, Guard, Kernel, Temporary
from fortrancl.ir.layout import with_outer_axes
from fortrancl.ir.tree import Barrier, Block, Loop, Node, runs, walk
from fortrancl.ir.types import INTEGER8
from fortrancl.poly import Aff, Set
from fortrancl.schedule.hardware import hardware_of


@dataclass(frozen=True)
class Segment:
    """What one launch executes, inside host loops (outermost first)."""

    block: Block
    loops: tuple[str, ...]

    @property
    def statements(self) -> tuple[str, ...]:
        """Statement ids in order."""
        return tuple(runs(self.block))


@dataclass(frozen=True)
class HostSegment:
    """A sequential loop that the host runs, because global barriers are in it."""

    iname: str
    body: tuple[Segment | HostSegment, ...]


def segments(block: Block, loops: tuple[str, ...] = ()) -> tuple[Segment | HostSegment, ...]:
    """The launches of a tree, in order.

    >>> from fortrancl.ir.tree import Run
    >>> [s.statements for s in segments(Block((Run("a"), Barrier("global"), Run("b"), Run("c"))))]
    [('a',), ('b', 'c')]
    """
    result: list[Segment | HostSegment] = []
    together: list[Node] = []

    def cut() -> None:
        if any(True for node in together for _ in runs(Block((node,)))):
            result.append(Segment(Block(tuple(together)), loops))
        together.clear()

    for child in block.children:
        if not has_global_barrier(child):
            together.append(child)
        else:
            cut()
            if isinstance(child, Loop):
                result.append(HostSegment(child.iname, segments(child.body, (*loops, child.iname))))
            elif isinstance(child, Block):
                result.extend(segments(child, loops))
    cut()
    return tuple(result)


def has_global_barrier(node: Node) -> bool:
    """Whether a kernel boundary lies inside."""
    return any(isinstance(item, Barrier) and item.scope == "global" for _, _, item in walk(node))


def all_segments(found: tuple[Segment | HostSegment, ...]) -> Iterator[Segment]:
    """The launches alone."""
    for item in found:
        if isinstance(item, Segment):
            yield item
        else:
            yield from all_segments(item.body)


def crossings(kernel: Kernel, name: str) -> Iterator[tuple[Access, Access]]:
    """(write, read) of a temporary in different launches, or in different iterations of a host loop."""
    found = list(all_segments(segments(kernel.tree)))
    home = {statement: number for number, segment in enumerate(found) for statement in segment.statements}
    for write, read, pairs in flow_pairs(kernel, name):
        one, two = home[write.statement], home[read.statement]
        apart = Set.nothing()
        for loop in found[one].loops:
            apart = apart | Aff.name(primed(loop)).ne(loop)
        if one != two or not (pairs & apart).is_empty():
            yield write, read


def carry_values(kernel: Kernel) -> Kernel:
    """Temporaries whose values cross a launch boundary live in global memory, one cell for each owner.

    Values that every lane can compute again from arguments stay where they are (`recomputed`). Raises FCL406.
    """
    if not has_global_barrier(kernel.tree):
        return kernel
    for temporary in kernel.temporaries:
        if temporary.values or temporary.address_space == "global" or storage_space(kernel, temporary) == "global":
            continue
        pair = next(crossings(kernel, temporary.name), None)
        if pair is not None and not is_recomputable(kernel, temporary.name):
            kernel = _to_global(kernel, temporary, pair)
    return kernel


def is_recomputable(kernel: Kernel, name: str, asking: frozenset[str] = frozenset()) -> bool:
    """Whether one unconditional statement outside all device loops defines it, from what the kernel never changes."""
    writes = [access for access in accesses_of(kernel, name) if access.is_write]
    if len(writes) != 1:
        return False
    statement = kernel.statement_by_id[writes[0].statement]
    if statement.inames or statement.guards or not is_redundant(kernel, statement.id):
        return False
    if not kernel.assumptions <= statement.domain:
        return False
    for read, _ in references(statement.value, kernel):
        declaration = kernel.declaration(read)
        if read in kernel.written and not (
            isinstance(declaration, Temporary)
            and read not in {name, *asking}
            and is_recomputable(kernel, read, asking | {name})
        ):
            return False
    return True


def recomputed(kernel: Kernel, segment: Segment) -> tuple[str, ...]:
    """Statements from before that a launch executes again, in program order."""
    needed: set[str] = set()
    waiting = list(segment.statements)
    own = set(segment.statements)
    while waiting:
        statement = kernel.statement_by_id[waiting.pop()]
        read = {name for name, _ in references(statement.value, kernel)} | {guard.name for guard in statement.guards}
        read |= {trip for name in statement.inames if (trip := kernel.iname_by_name[name].trip) is not None}
        if isinstance(statement.target, Subscript):
            read |= {name for index in statement.target.indices for name, _ in references(index, kernel)}
        for name in sorted(read):
            if name in kernel.temporary_by_name and name in kernel.written and is_recomputable(kernel, name):
                source = next(a.statement for a in accesses_of(kernel, name) if a.is_write)
                if source not in own and source not in needed:
                    needed.add(source)
                    waiting.append(source)
    return tuple(statement for statement in kernel.paths if statement in needed)


def _to_global(kernel: Kernel, temporary: Temporary, pair: tuple[Access, Access]) -> Kernel:
    """One cell in global memory for each work-item (of a private value) or each group (of a local one)."""
    space = storage_space(kernel, temporary)
    found = accesses_of(kernel, temporary.name)
    touched = dict.fromkeys(access.statement for access in found)
    # Work-items first: neighbours then write neighbouring cells.
    axes = [
        axis
        for axis in reversed(lane_axes(kernel))
        if (space == "private" or axis[0] == "g")
        and any(axis in lanes_of(kernel, access.statement) for access in found if access.is_write)
    ]
    for user in touched:
        missing = [axis for axis in axes if axis not in lanes_of(kernel, user)]
        if missing or any(kernel.iname_by_name[n].trip == temporary.name for n in kernel.iname_by_name):
            raise _refused(kernel, temporary, pair, missing)
    lanes = {s: tuple(Var(lanes_of(kernel, s)[axis]) for axis in axes) for s in touched}

    def in_expression(expr: Expr, extra: tuple[Var, ...]) -> Expr:
        def change(node: Expr) -> Expr | None:
            if isinstance(node, Subscript) and node.array == temporary.name:
                return Subscript(node.array, (*node.indices, *extra))
            if isinstance(node, Var) and node.name == temporary.name and extra:
                return Subscript(node.name, extra)
            return None

        return transform(expr, change)

    statements = []
    for statement in kernel.statements:
        extra = lanes.get(statement.id, ())
        changed = map_expressions(statement, lambda expr, extra=extra: in_expression(expr, extra))  # type: ignore[misc]
        guards = tuple(
            Guard(g.name, g.value, (*g.indices, *extra)) if g.name == temporary.name else g for g in changed.guards
        )
        statements.append(replace(changed, guards=guards))
    dims = tuple(Dim(integer(0), _extent(kernel, tuple(touched), axis)) for axis in axes)
    names = {iname.name for iname in kernel.inames if iname.tag is not None and iname.tag.is_lane}
    moved = replace(
        with_outer_axes(temporary, dims),
        address_space="global",
        base=None,
        private_to=tuple(name for name in temporary.private_to if name not in names),
    )
    temporaries = tuple(moved if t.name == temporary.name else t for t in kernel.temporaries)
    return replace(kernel, statements=tuple(statements), temporaries=temporaries)


def _extent(kernel: Kernel, statements: tuple[str, ...], axis: Axis) -> Expr:
    hardware = hardware_of(kernel, statements)
    if axis[0] == "l":
        return integer(hardware.group_size[axis[1]], INTEGER8)
    return hardware.groups[axis[1]].stop(kernel.assumptions)


def _refused(kernel: Kernel, temporary: Temporary, pair: tuple[Access, Access], missing: list[Axis]) -> CompileError:
    write, read = (kernel.statement_by_id[access.statement] for access in pair)
    lines = [f"line {s.span.line}" if s.span is not None else s.id for s in (write, read)]
    why = (
        f"not every statement that uses it runs on {missing[0][0]}.{missing[0][1]}"
        if missing
        else "it is the length of a loop"
    )
    return CompileError(
        [
            Diagnostic(
                "FCL406",
                f"'{temporary.name}' keeps a value across a global barrier (from {lines[0]} to {lines[1]}), "
                "and cannot move to global memory",
                temporary.span or read.span,
                notes=(why,),
                hints=("compute it again after the barrier, or keep it in an array of the caller",),
            )
        ]
    )
