"""Who executes a statement instance: which group, which lane; and where a value may live."""

from __future__ import annotations

from collections.abc import Iterator

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.analysis.dependences import earlier, primed, shared_values, time_of, touching
from fortrancl.ir.kernel import AddressSpace, Kernel, Temporary
from fortrancl.poly import Aff, Set

Axis = tuple[str, int]
"""``("g", 0)`` … ``("l", 2)``."""


def lane_axes(kernel: Kernel) -> tuple[Axis, ...]:
    """Hardware axes in use, groups first."""
    found = {
        (iname.tag.kind, iname.tag.axis)
        for iname in kernel.inames
        if iname.tag is not None and iname.tag.is_lane and iname.tag.axis is not None
    }
    return tuple(sorted((str(kind), int(axis)) for kind, axis in found))


def lanes_of(kernel: Kernel, statement: str) -> dict[Axis, str]:
    """The iname that each axis carries for a statement (axes that it lacks are absent)."""
    result: dict[Axis, str] = {}
    for name in kernel.statement_by_id[statement].inames:
        tag = kernel.iname_by_name[name].tag
        if tag is not None and tag.is_lane and tag.axis is not None:
            result[(tag.kind, tag.axis)] = name
    return result


def is_redundant(kernel: Kernel, statement: str) -> bool:
    """Whether every lane executes a statement along the axes it lacks: it writes private storage (design 5.4)."""
    target = kernel.statement_by_id[statement].target_name
    declaration = kernel.declaration(target)
    return isinstance(declaration, Temporary) and storage_space(kernel, declaration) == "private"


def fills_local(kernel: Kernel, statement: str) -> bool:
    """Whether a statement writes local memory, of which each group has its own."""
    declaration = kernel.declaration(kernel.statement_by_id[statement].target_name)
    return isinstance(declaration, Temporary) and storage_space(kernel, declaration) == "local"


def coordinate(kernel: Kernel, statement: str, axis: Axis, prime: bool) -> Aff:
    """Position along an axis: its iname; for an axis the statement lacks, 0, or any (a name of its own) where every
    lane executes it, or every group (each fills its own local memory)."""
    name = lanes_of(kernel, statement).get(axis)
    if name is not None:
        return Aff.name(primed(name) if prime else name)
    if is_redundant(kernel, statement) or (axis[0] == "g" and fills_local(kernel, statement)):
        return Aff.name(f"@{axis[0]}{axis[1]}{chr(39) if prime else ''}")
    return Aff.const(0)


def differ(kernel: Kernel, source: str, sink: str, kind: str) -> Set:
    """Where a primed source and a plain sink instance are on different groups (``g``) or lanes (``l``)."""
    result = Set.nothing()
    for axis in lane_axes(kernel):
        if axis[0] == kind:
            one, two = coordinate(kernel, source, axis, True), coordinate(kernel, sink, axis, False)
            result = result | (one.ne(two) & _non_negative(one) & _non_negative(two))
    return result


def _non_negative(aff: Aff) -> Set:
    return (aff >= 0) if any(name.startswith("@") for name in aff.names) else Set.universe()


def both_differ(kernel: Kernel, source: str, sink: str, kind: str) -> Set:
    """Like `differ`, but over the axes that both statements carry (asked while a script is still tagging)."""
    one, two = lanes_of(kernel, source), lanes_of(kernel, sink)
    result = Set.nothing()
    for axis in one.keys() & two.keys():
        if axis[0] == kind:
            result = result | Aff.name(primed(one[axis])).ne(two[axis])
    return result


def plainly_together(kernel: Kernel, source: Access, sink: Access, kind: str) -> bool:
    """Whether accesses that touch one element are plainly of one group (``g``) or lane (``l``), by the axes that both
    statements carry; also where they never touch one."""
    shared = shared_values(kernel, source, sink)
    if shared is None:
        return True
    one, two = lanes_of(kernel, source.statement), lanes_of(kernel, sink.statement)
    return all(one[axis] == two[axis] in shared for axis in one.keys() & two.keys() if axis[0] == kind)


def flow_pairs(kernel: Kernel, array: str) -> Iterator[tuple[Access, Access, Set]]:
    """(write, read, instances) wherever a read may see a write of the same logical element that came before it."""
    for write, read in _writes_and_reads(kernel, array):
        pairs = _flow(kernel, write, read)
        if not pairs.is_empty():
            yield write, read, pairs


def _writes_and_reads(kernel: Kernel, array: str) -> Iterator[tuple[Access, Access]]:
    found = accesses_of(kernel, array)
    for write in found:
        if write.is_write:
            for read in found:
                if not read.is_write:
                    yield write, read


def _flow(kernel: Kernel, write: Access, read: Access) -> Set:
    return touching(kernel, write, read) & earlier(
        time_of(kernel, write.statement, True), time_of(kernel, read.statement)
    )


def storage_space(kernel: Kernel, temporary: Temporary) -> AddressSpace:
    """Where a temporary lives: as told, or for ``auto`` the smallest space that all its flow stays within."""
    if temporary.address_space != "auto":
        return temporary.address_space
    cache: dict[str, AddressSpace] = kernel.__dict__.setdefault("_spaces", {})
    if temporary.name not in cache:
        cache[temporary.name] = _smallest_space(kernel, temporary.name)
    return cache[temporary.name]


def _smallest_space(kernel: Kernel, name: str) -> AddressSpace:
    space: AddressSpace = "private"
    for write, read in _writes_and_reads(kernel, name):
        one, two = lanes_of(kernel, write.statement), lanes_of(kernel, read.statement)
        if one.keys() <= two.keys() and all(plainly_together(kernel, write, read, kind) for kind in "gl"):
            continue
        pairs = _flow(kernel, write, read)
        if pairs.is_empty():
            continue
        for axis, iname in one.items():
            if axis not in two:
                # Only some lanes hold the value; whoever lacks the axis may be another lane.
                crosses = True
            else:
                crosses = not (pairs & Aff.name(primed(iname)).ne(two[axis])).is_empty()
            if crosses:
                if axis[0] == "g":
                    return "global"
                space = "local"
    return space
