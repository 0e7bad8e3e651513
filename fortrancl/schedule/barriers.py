"""Work-group barriers: where conflicting work-items of a group must wait for each other (design section 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from fortrancl.analysis.dependences import Dependence, conflicts, primed
from fortrancl.analysis.lanes import is_redundant, lanes_of, storage_space
from fortrancl.analysis.shared_storage import conflicts_through_storage
from fortrancl.ir.kernel import Kernel, Statement, Temporary
from fortrancl.ir.tree import (
    Barrier,
    Block,
    Loop,
    Node,
    Path,
    body_of,
    common_path,
    node_at,
    replace_at,
    runs,
    statement_paths,
)
from fortrancl.poly import Aff, Set
from fortrancl.schedule.hardware import Hardware, canonical
from fortrancl.schedule.nodes import lane_name

Memory = Literal["local", "global"]


@dataclass(frozen=True)
class Requirement:
    """Some barrier must come between two statements.

    ``depth``: number of Loops round both in whose same iteration the two meet. ``carried``: the next Loop carries the
    conflict, from one iteration to a later one; ``far`` if never to the very next. ``where``: values of outer inames,
    parameters and groups for which the conflict exists.
    """

    source: str
    sink: str
    depth: int
    carried: bool
    far: bool
    memory: Memory
    where: Set


def insert_barriers(kernel: Kernel, block: Block, loops: tuple[str, ...], hardware: Hardware) -> Block:
    """The launch's tree with the barriers that its conflicts need and fences on each; ``loops`` are host loops."""
    if max(hardware.group_size) == 1:
        return _without_barriers(block)
    needed = list(_requirements(kernel, block, loops, hardware))
    paths = statement_paths(block)

    def order(requirement: Requirement) -> tuple[bool, int, Path]:
        # Inside first: such a barrier may serve outside too. Then by right end; what a loop carries comes last.
        return requirement.carried, -requirement.depth, paths[requirement.sink][0]

    needed.sort(key=order)
    for requirement in needed:
        if _separating(kernel, block, requirement, hardware) is None:
            block = _insert(block, requirement)
    for requirement in needed:
        found = _separating(kernel, block, requirement, hardware)
        assert found is not None
        barrier = node_at(block, found)
        assert isinstance(barrier, Barrier)
        if requirement.memory not in barrier.fences:
            fences = tuple(sorted({*barrier.fences, requirement.memory}, reverse=True))
            block = replace_at(block, found, (replace(barrier, fences=fences),))
    return block


def _without_barriers(block: Block) -> Block:
    """One work-item waits for nobody."""
    kept: list[Node] = []
    for child in block.children:
        if isinstance(child, Loop):
            kept.append(Loop(child.iname, _without_barriers(child.body)))
        elif not isinstance(child, Barrier):
            kept.append(child)
    return Block(tuple(kept))


# -- what needs a barrier --------------------------------------------------------------------------------------------


def _requirements(kernel: Kernel, block: Block, loops: tuple[str, ...], hardware: Hardware) -> Iterator[Requirement]:
    inside = set(runs(block))
    paths = statement_paths(block)
    written = {kernel.statement_by_id[name].target_name for name in inside}
    for name in sorted(written):
        declaration = kernel.declaration(name)
        space = storage_space(kernel, declaration) if isinstance(declaration, Temporary) else "global"
        if space == "private" or space == "auto":
            continue
        for dependence in (*conflicts(kernel, name, storage=True), *conflicts_through_storage(kernel, name)):
            source, sink = dependence.source, dependence.sink
            if source.statement not in inside or sink.statement not in inside:
                continue
            if source.is_atomic and sink.is_atomic and source.reduction == sink.reduction:
                continue
            pairs = _other_lane(kernel, dependence, hardware)
            for loop in loops:
                pairs = pairs & Aff.name(primed(loop)).eq(loop)
            if not pairs.is_empty():
                shared = _shared_loops(block, paths[source.statement][0], paths[sink.statement][0])
                yield from _by_loop(kernel, dependence, pairs, shared, space)


def _other_lane(kernel: Kernel, dependence: Dependence, hardware: Hardware) -> Set:
    """The instances of one group on different lanes, over hardware numbers (the source's primed)."""
    one = kernel.statement_by_id[dependence.source.statement]
    two = kernel.statement_by_id[dependence.sink.statement]
    names = {primed(old): primed(new) for old, new in canonical(kernel, one).items()} | canonical(kernel, two)
    pairs = dependence.instances.rename(names)
    for axis in hardware.groups:
        group = lane_name("g", axis)
        pairs = pairs & Aff.name(primed(group)).eq(group)
    different = Set.nothing()
    for axis, size in enumerate(hardware.group_size):
        if size == 1:
            continue
        lane = lane_name("l", axis)
        for statement, name in ((one, primed(lane)), (two, lane)):
            pairs = pairs & (Aff.name(name) >= 0) & (Aff.name(name) < size)
            if _is_lane_zero(kernel, statement, axis):
                pairs = pairs & Aff.name(name).eq(0)
        different = different | Aff.name(primed(lane)).ne(lane)
    return pairs & different


def _is_lane_zero(kernel: Kernel, statement: Statement, axis: int) -> bool:
    return ("l", axis) not in lanes_of(kernel, statement.id) and not is_redundant(kernel, statement.id)


def _shared_loops(block: Block, one: Path, two: Path) -> tuple[str, ...]:
    """Inames of the Loops that hold both places, outermost first."""
    result = []
    for depth in range(1, min(len(one), len(two))):
        if one[:depth] != two[:depth]:
            break
        node = node_at(block, one[:depth])
        if isinstance(node, Loop):
            result.append(node.iname)
    return tuple(result)


def _by_loop(
    kernel: Kernel, dependence: Dependence, pairs: Set, shared: tuple[str, ...], memory: Memory
) -> Iterator[Requirement]:
    source, sink = dependence.source.statement, dependence.sink.statement
    for depth, name in enumerate(shared):
        here = Aff.name(name)
        carried = pairs & (here > primed(name))
        if not carried.is_empty():
            far = (carried & here.eq(Aff.name(primed(name)) + 1)).is_empty()
            # A barrier of either iteration may be the one.
            other = carried.project_out([name]).rename({primed(name): name})
            where = _where(kernel, carried, shared[: depth + 1]) | _where(kernel, other, shared[: depth + 1])
            yield Requirement(source, sink, depth, True, far, memory, where)
        pairs = pairs & here.eq(primed(name))
    # One statement at one moment on two lanes is a race, which legality has refused.
    if source != sink and not pairs.is_empty():
        yield Requirement(source, sink, len(shared), False, False, memory, _where(kernel, pairs, shared))


def _where(kernel: Kernel, pairs: Set, loops: tuple[str, ...]) -> Set:
    """The values of outer loops, groups and parameters alone."""
    inner = {name for name in pairs.names if name.endswith("'") or name.startswith("@l")}
    return pairs.project_out(inner | ({*kernel.iname_by_name} - {*loops}))


# -- whether it has one ----------------------------------------------------------------------------------------------


def _separating(kernel: Kernel, block: Block, requirement: Requirement, hardware: Hardware) -> Path | None:
    """Path of a barrier that surely runs between source and sink, or None."""
    paths = statement_paths(block)
    first, last = paths[requirement.source][0], paths[requirement.sink][0]
    top = _path_at_depth(block, first, requirement.depth)

    def sure(path: Path) -> Path | None:
        return _sure_barrier(kernel, block, path, requirement.where, hardware)

    if not requirement.carried:
        part = common_path((first, last))
        return _search(block, sure, _after(first, part), _between(first, last, part), _before(last, part))
    loop = _loop_below(block, first, top)
    if requirement.far:
        return _search(block, sure, [(loop, 0, _length(block, loop))])
    ends = [*_after(first, loop), (loop, first[len(loop)] + 1, _length(block, loop))]
    starts = [(loop, 0, last[len(loop)]), *_before(last, loop)]
    return _search(block, sure, ends, starts)


Stretch = tuple[Path, int, int]
"""Children ``start`` … ``stop``−1 of the Block at a path (or of the Loop there)."""


def _search(block: Block, sure: Callable[[Path], Path | None], *groups: list[Stretch]) -> Path | None:
    for stretches in groups:
        for path, start, stop in stretches:
            for position in range(start, min(stop, _length(block, path))):
                found = sure((*path, position))
                if found is not None:
                    return found
    return None


def _after(path: Path, top: Path) -> list[Stretch]:
    """What follows a place inside the child of ``top`` that holds it."""
    return [(path[:depth], path[depth] + 1, 1 << 30) for depth in range(len(path) - 1, len(top), -1)]


def _before(path: Path, top: Path) -> list[Stretch]:
    """What comes before a place inside the child of ``top`` that holds it."""
    return [(path[:depth], 0, path[depth]) for depth in range(len(top) + 1, len(path))]


def _between(first: Path, last: Path, part: Path) -> list[Stretch]:
    return [(part, first[len(part)] + 1, last[len(part)])]


def _length(block: Block, path: Path) -> int:
    body = body_of(node_at(block, path))
    return 0 if body is None else len(body.children)


def _path_at_depth(block: Block, path: Path, depth: int) -> Path:
    """The start of ``path`` that lies inside exactly ``depth`` Loops (the innermost such Loop itself, or the root)."""
    if depth == 0:
        return ()
    seen = 0
    for length in range(1, len(path) + 1):
        if isinstance(node_at(block, path[:length]), Loop):
            seen += 1
            if seen == depth:
                return path[:length]
    return path


def _loop_below(block: Block, path: Path, top: Path) -> Path:
    for length in range(len(top) + 1, len(path) + 1):
        if isinstance(node_at(block, path[:length]), Loop):
            return path[:length]
    raise AssertionError("a carried conflict lies in a loop")


def _sure_barrier(kernel: Kernel, block: Block, path: Path, where: Set, hardware: Hardware) -> Path | None:
    """A barrier at or inside a node that runs whenever the node is reached, for all of ``where``."""
    node = node_at(block, path)
    if isinstance(node, Barrier):
        return path
    if isinstance(node, Loop) and not _surely_runs(kernel, block, path, where, hardware):
        return None
    body = body_of(node)
    for position in range(0 if body is None else len(body.children)):
        found = _sure_barrier(kernel, block, (*path, position), where, hardware)
        if found is not None:
            return found
    return None


def _surely_runs(kernel: Kernel, block: Block, path: Path, where: Set, hardware: Hardware) -> bool:
    """Whether a Loop has an iteration for each value of outer inames in ``where``."""
    loop = node_at(block, path)
    assert isinstance(loop, Loop)
    if kernel.iname_by_name[loop.iname].trip is not None:
        return False
    outer = [node.iname for length in range(1, len(path)) if isinstance(node := node_at(block, path[:length]), Loop)]
    reached = Set.nothing()
    for name in runs(loop):
        inner = {*hardware.lanes, *kernel.statement_by_id[name].inames} - {*outer}
        reached = reached | hardware.domains[name].project_out(inner)
    return where & kernel.assumptions <= reached


# -- making one ------------------------------------------------------------------------------------------------------


def _insert(block: Block, requirement: Requirement) -> Block:
    """A barrier just before the child that holds the sink, in the Block where the two meet."""
    paths = statement_paths(block)
    first, last = paths[requirement.source][0], paths[requirement.sink][0]
    if requirement.carried:
        place = _loop_below(block, first, _path_at_depth(block, first, requirement.depth))
    else:
        place = common_path((first, last))
    child = (*place, last[len(place)])
    return replace_at(block, child, (Barrier("local"), node_at(block, child)))
