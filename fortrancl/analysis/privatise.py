"""Which iterations own a local variable: the longest prefix of loops whose every iteration defines it before use."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.analysis.dependences import earlier, index_affs, instances, primed, time_of
from fortrancl.ir.affine import to_aff
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.tree import Loop, common_path, node_at
from fortrancl.poly import Aff, PolyhedralError, Set


def privatise(kernel: Kernel) -> Kernel:
    """Set `Temporary.private_to` of every temporary as far as it is proved (design section 5, point 0).

    A prefix p of the common loops qualifies when each read finds, earlier in the same iteration of p, an unconditional
    write of every element it may touch.
    """
    temporaries = tuple(
        replace(temporary, private_to=_owner(kernel, temporary)) if not temporary.values else temporary
        for temporary in kernel.temporaries
    )
    return replace(kernel, temporaries=temporaries)


def uninitialised_reads(kernel: Kernel) -> tuple[Access, ...]:
    """Reads of temporaries that no earlier unconditional write is proved to cover."""
    return tuple(
        read
        for temporary in kernel.temporaries
        if not temporary.values
        for read in accesses_of(kernel, temporary.name)
        if not read.is_write and not _covered(kernel, temporary, read, ())
    )


def common_loops(kernel: Kernel, found: tuple[Access, ...]) -> tuple[str, ...]:
    """Loops that hold all the given accesses in the same Loop nodes, outermost first."""
    paths = [kernel.paths[access.statement][0] for access in found]
    if not paths:
        return ()
    shared = common_path(paths)
    nodes = [node_at(kernel.tree, shared[:depth]) for depth in range(1, len(shared) + 1)]
    return tuple(node.iname for node in nodes if isinstance(node, Loop))


def _owner(kernel: Kernel, temporary: Temporary) -> tuple[str, ...]:
    found = accesses_of(kernel, temporary.name)
    reads = [access for access in found if not access.is_write]
    loops = common_loops(kernel, found)
    for length in range(len(loops), 0, -1):
        prefix = loops[:length]
        if all(_covered(kernel, temporary, read, prefix) for read in reads):
            return prefix
    return ()


def _covered(kernel: Kernel, temporary: Temporary, read: Access, prefix: tuple[str, ...]) -> bool:
    """Whether earlier unconditional writes in the same iteration of ``prefix`` cover all that a read may touch."""
    needed = instances(kernel, read.statement)
    elements = [f"${position}" for position in range(len(read.indices))]
    for name, aff, dim in zip(
        elements, index_affs(kernel, read.indices, (), prime=False), temporary.shape, strict=True
    ):
        if aff is not None:
            needed = needed & aff.eq(name)
        else:
            extent = None if dim.extent is None else to_aff(dim.extent, set(kernel.parameters).__contains__)
            if extent is None:
                return False
            needed = needed & (Aff.name(name) >= 0) & (Aff.name(name) < extent)
    try:
        for write in accesses_of(kernel, temporary.name):
            if write.is_write and not needed.is_empty():
                needed = needed - _written_before(kernel, write, read, elements, prefix)
        return needed.is_empty()
    except PolyhedralError:
        return False


def _written_before(kernel: Kernel, write: Access, read: Access, elements: list[str], prefix: tuple[str, ...]) -> Set:
    """(read instance, element) pairs that a write is sure to have defined before, in the same iteration."""
    statement = kernel.statement_by_id[write.statement]
    reader = kernel.statement_by_id[read.statement]
    if not set(statement.guards) <= set(reader.guards):
        return Set.nothing()
    shared = common_loops(kernel, (write, read))
    data_loops = [name for name in statement.inames if kernel.iname_by_name[name].trip is not None]
    if any(name not in shared for name in data_loops):
        return Set.nothing()
    indices = index_affs(kernel, write.indices, statement.inames, prime=True)
    if any(aff is None for aff in indices):
        return Set.nothing()
    result = instances(kernel, write.statement, prime=True) & earlier(
        time_of(kernel, write.statement, True), time_of(kernel, read.statement)
    )
    for name, aff in zip(elements, indices, strict=True):
        assert aff is not None
        result = result & aff.eq(name)
    # A guard is one value in one iteration of the loops that both statements share, so only there does it imply.
    for name in shared if statement.guards else prefix:
        result = result & Aff.name(primed(name)).eq(name)
    return result.project_out(primed(name) for name in statement.inames)
