"""Races: conflicting accesses of different work-items or groups that no barrier can order."""

from __future__ import annotations

from collections.abc import Iterator

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.analysis.dependences import are_affine, earlier, primed, time_of, touching
from fortrancl.analysis.lanes import (
    coordinate,
    differ,
    flow_pairs,
    lane_axes,
    lanes_of,
    plainly_together,
    storage_space,
)
from fortrancl.analysis.witness import refusal
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.tree import Barrier, Loop, Node, body_of, walk
from fortrancl.poly import AffLike, Set


def launch_of(kernel: Kernel, statement: str, prime: bool) -> tuple[AffLike, ...]:
    """Which launch runs an instance: a global barrier ends one, and a loop that holds a barrier is the host's, so that
    each of its iterations, and what stands before and after it, are launches of their own."""
    path, _ = kernel.paths[statement]
    vector: list[AffLike] = []
    node: Node = kernel.tree
    for position in path:
        body = body_of(node)
        assert body is not None
        barriers = [_holds_global_barrier(child) for child in body.children]
        if not any(barriers):
            break
        # Twice the barriers before, one more for a host loop itself: it stands between its neighbours.
        vector.append(2 * sum(barriers[:position]) + barriers[position])
        node = body.children[position]
        if not barriers[position]:
            break
        if isinstance(node, Loop):
            vector.append(primed(node.iname) if prime else node.iname)
    return tuple(vector)


def _holds_global_barrier(node: Node) -> bool:
    return any(isinstance(inner, Barrier) and inner.scope == "global" for _, _, inner in walk(node))


def after_global_barrier(kernel: Kernel, source: str, sink: str) -> Set:
    """Pairs of instances of which the (primed) source runs in an earlier launch than the sink.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})])
    >>> after_global_barrier(kernel, "s0", "s0").is_empty()
    True
    """
    return earlier(launch_of(kernel, source, True), launch_of(kernel, sink, False))


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
            if _are_plainly_safe(kernel, source, sink):
                continue
            pairs = touching(kernel, source, sink)
            first, last = time_of(kernel, source.statement, True), time_of(kernel, sink.statement)
            if space == "global":
                _require_groups(kernel, source, sink, pairs & earlier(first, last, or_same=True))
            if source.statement == sink.statement:
                unordered = pairs - earlier(first, last) - earlier(last, first)
                _require_lanes(kernel, source, sink, unordered)


def _are_plainly_safe(kernel: Kernel, source: Access, sink: Access) -> bool:
    """Both statements carry every axis, and on each the accesses meet on one group and lane only."""
    axes = {*lane_axes(kernel)}
    carried = all(axes == {*lanes_of(kernel, access.statement)} for access in (source, sink))
    return carried and all(plainly_together(kernel, source, sink, kind) for kind in "gl")


def _require_groups(kernel: Kernel, source: Access, sink: Access, pairs: Set) -> None:
    violation = pairs & differ(kernel, source.statement, sink.statement, "g")
    if violation.is_empty():
        return
    violation = violation - after_global_barrier(kernel, source.statement, sink.statement)
    if violation.is_empty():
        return
    affine = are_affine(kernel, source, sink)
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
    affine = are_affine(kernel, source, sink)
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
