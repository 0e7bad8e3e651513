"""Races: conflicting accesses of different work-items or groups that no barrier can order."""

from __future__ import annotations

from collections.abc import Iterator

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.analysis.dependences import earlier, index_affs, moment, time_of, touching
from fortrancl.analysis.lanes import coordinate, differ, flow_pairs, lane_axes, lanes_of, storage_space
from fortrancl.analysis.witness import refusal
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.tree import Barrier, Path, walk
from fortrancl.poly import AffLike, Set


def _loop_values(kernel: Kernel, path: Path, loops: tuple[str, ...], suffix: str) -> Set:
    """Iterations that really run of the Loops round a place, their names given a suffix."""
    if not loops:
        return Set.universe()
    keep = {*loops, *kernel.parameters}
    result = Set.nothing()
    for statement in kernel.statements:
        around, enclosing = kernel.paths[statement.id]
        if enclosing[: len(loops)] == loops and around[: len(path) - 1] == path[:-1]:
            result = result | (statement.domain & kernel.assumptions).project_onto(keep)
    return result.rename({name: name + suffix for name in loops})


def after_global_barrier(kernel: Kernel, source: str, sink: str) -> Set:
    """Pairs of instances with a global barrier between the (primed) source and the sink, in that order."""
    first, last = time_of(kernel, source, True), time_of(kernel, sink)
    result = Set.nothing()
    for path, loops, node in walk(kernel.tree):
        if not (isinstance(node, Barrier) and node.scope == "global"):
            continue
        names: list[AffLike] = [f'{name}"' for name in loops]
        when = moment(kernel, path, names)
        between = earlier(first, when) & earlier(when, last) & _loop_values(kernel, path, loops, '"')
        result = result | between.project_out(f'{name}"' for name in loops)
    return result


def _pairs(kernel: Kernel, name: str) -> Iterator[tuple[Access, Access]]:
    found = accesses_of(kernel, name)
    for source in found:
        for sink in found:
            if not (source.is_write or sink.is_write):
                continue
            if source.is_atomic and sink.is_atomic and source.reduction == sink.reduction:
                continue
            yield source, sink


def require_parallel(kernel: Kernel) -> None:
    """No two groups, and no two lanes at one moment, touch an element that one of them writes.

    Raises FCL304 (lanes or a value in too small a memory), FCL305 (groups without a global barrier between). Design
    section 5, points 4 and 5.
    """
    if not lane_axes(kernel):
        return
    for name in sorted(kernel.written):
        declaration = kernel.declaration(name)
        space = storage_space(kernel, declaration) if isinstance(declaration, Temporary) else "global"
        if isinstance(declaration, Temporary):
            require_reach(kernel, declaration)
        if space == "private":
            continue
        for source, sink in _pairs(kernel, name):
            pairs = touching(kernel, source, sink)
            first, last = time_of(kernel, source.statement, True), time_of(kernel, sink.statement)
            if space == "global":
                _require_groups(kernel, source, sink, pairs & earlier(first, last, or_same=True))
            if source.statement == sink.statement:
                unordered = pairs - earlier(first, last) - earlier(last, first)
                _require_lanes(kernel, source, sink, unordered)


def _require_groups(kernel: Kernel, source: Access, sink: Access, pairs: Set) -> None:
    violation = pairs & differ(kernel, source.statement, sink.statement, "g")
    if violation.is_empty():
        return
    violation = violation - after_global_barrier(kernel, source.statement, sink.statement)
    if violation.is_empty():
        return
    affine = _affine(kernel, source, sink)
    same = source.statement == sink.statement
    raise refusal(
        kernel,
        source,
        sink,
        violation,
        "FCL305" if affine else "FCL302",
        f"two work-groups would touch one element of '{source.array}' with no order between them"
        if affine
        else f"cannot prove that work-groups touch different elements of '{source.array}'",
        hints=_hints(source, sink, same),
    )


def _hints(source: Access, sink: Access, same: bool) -> tuple[str, ...]:
    if source.reduction is not None and source.reduction == sink.reduction:
        return (f"lp.set_atomic makes the updates of '{source.array}' indivisible",)
    return () if same else ("lp.add_barrier puts a global barrier (two launches) between them",)


def _require_lanes(kernel: Kernel, source: Access, sink: Access, unordered: Set) -> None:
    violation = unordered & differ(kernel, source.statement, sink.statement, "l")
    for axis in lane_axes(kernel):
        if axis[0] == "g":
            one = coordinate(kernel, source.statement, axis, True)
            violation = violation & one.eq(coordinate(kernel, sink.statement, axis, False))
    if violation.is_empty():
        return
    affine = _affine(kernel, source, sink)
    raise refusal(
        kernel,
        source,
        sink,
        violation,
        "FCL304" if affine else "FCL302",
        f"two work-items of a group would touch one element of '{source.array}' at the same time"
        if affine
        else f"cannot prove that work-items touch different elements of '{source.array}'",
        hints=_hints(source, sink, True),
    )


def require_reach(
    kernel: Kernel, temporary: Temporary, *, argument: str | None = None, both_ends: bool = False
) -> None:
    """A value written by one lane (group) and read by another does not live in private (local) memory.

    ``both_ends``: ask only of axes that both statements carry, while a script is still tagging. Raises FCL304.
    """
    if temporary.address_space in ("auto", "global"):
        return
    for write, read, pairs in flow_pairs(kernel, temporary.name):
        for axis in lane_axes(kernel):
            if axis[0] == "l" and temporary.address_space != "private":
                continue
            ends = (lanes_of(kernel, access.statement) for access in (write, read))
            if both_ends and any(axis not in end for end in ends):
                continue
            one = coordinate(kernel, write.statement, axis, True)
            if any(name.startswith("@") for name in one.names):
                continue
            violation = pairs & one.ne(coordinate(kernel, read.statement, axis, False))
            if not violation.is_empty():
                raise refusal(
                    kernel,
                    write,
                    read,
                    violation,
                    "FCL304",
                    f"'{temporary.name}' lives in {temporary.address_space} memory, but another "
                    f"{'work-item' if axis[0] == 'l' else 'work-group'} reads its value",
                    argument=argument,
                    hints=("leave its address space to fortrancl, or choose a wider one",),
                )


def _affine(kernel: Kernel, *found: Access) -> bool:
    return all(aff is not None for access in found for aff in index_affs(kernel, access.indices, (), prime=False))
