"""Live ranges of privatised values: one storage cell serves many iterations, one after another."""

from __future__ import annotations

from collections.abc import Iterable

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.analysis.dependences import earlier, instances, primed, same_element, time_of, touching
from fortrancl.analysis.lanes import coordinate, lane_axes, storage_space
from fortrancl.analysis.privatise import common_loops
from fortrancl.analysis.shared_storage import require_disjoint_uses
from fortrancl.analysis.witness import LegalityError, describe, find_witness
from fortrancl.diagnostics import Related
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.poly import Aff, AffLike, Set


def require_live_ranges(kernel: Kernel, names: Iterable[str], argument: str | None, what: str) -> None:
    """No other iteration's write to the same cell, by the same owner, falls between a write and its last read.

    Owners: the work-item for private storage, the group for local, the grid for global. Raises FCL306, and FCL314 where
    the cell is shared with another variable. Design section 5, point 0.
    """
    chosen = sorted(names)
    require_disjoint_uses(kernel, chosen, argument, what)
    for name in chosen:
        temporary = kernel.temporary_by_name.get(name)
        if temporary is None or not temporary.private_to or _plainly_safe(kernel, temporary):
            continue
        _require(kernel, temporary, argument, what)


def _plainly_safe(kernel: Kernel, temporary: Temporary) -> bool:
    """All accesses stand in the very same Loops of ``private_to``: iterations follow one another whole.

    An iname of ``private_to`` that became a lane keeps values apart too, unless lanes share the storage.
    """
    found = accesses_of(kernel, temporary.name)
    loops = common_loops(kernel, found)
    space = storage_space(kernel, temporary)
    for name in temporary.private_to:
        iname = kernel.iname_by_name.get(name)
        tag = iname.tag if iname is not None else None
        if tag is not None and tag.is_lane:
            if (tag.kind == "g" and space != "global") or space == "private":
                continue
            return False
        if name not in loops:
            return False
    return True


def _require(kernel: Kernel, temporary: Temporary, argument: str | None, what: str) -> None:
    found = accesses_of(kernel, temporary.name)
    writes = [access for access in found if access.is_write]
    for write in writes:
        for read in (access for access in found if not access.is_write):
            flow = touching(kernel, write, read) & earlier(
                time_of(kernel, write.statement, True), time_of(kernel, read.statement)
            )
            if flow.is_empty():
                continue
            for other in writes:
                between = flow & _intruders(kernel, temporary, write, read, other)
                if not between.is_empty():
                    raise _overwritten(kernel, temporary, other, read, between, argument, what)


def _intruders(kernel: Kernel, temporary: Temporary, write: Access, read: Access, other: Access) -> Set:
    """Instances of ``other`` (inames with ``"``) of another iteration that hit the cell while it is live."""
    statement = kernel.statement_by_id[other.statement]
    second = {name: name + '"' for name in statement.inames}
    from_prime = {primed(name): name + '"' for name in statement.inames}
    result = same_element(kernel, other, read, storage=True).rename(from_prime)
    result = result & instances(kernel, other.statement).rename(second)
    elsewhere = Set.nothing()
    for name in temporary.private_to:
        if name in statement.inames and name in kernel.statement_by_id[read.statement].inames:
            elsewhere = elsewhere | Aff.name(name + '"').ne(name)
    result = result & elsewhere
    when: list[AffLike] = [second.get(v, v) if isinstance(v, str) else v for v in time_of(kernel, other.statement)]
    result = (
        result - earlier(when, time_of(kernel, write.statement, True)) - earlier(time_of(kernel, read.statement), when)
    )
    space = storage_space(kernel, temporary)
    for axis in lane_axes(kernel):
        if space == "private" or (space == "local" and axis[0] == "g"):
            mine = coordinate(kernel, other.statement, axis, False).rename(second)
            result = result & mine.eq(coordinate(kernel, read.statement, axis, False))
    return result


def _overwritten(
    kernel: Kernel, temporary: Temporary, other: Access, read: Access, between: Set, argument: str | None, what: str
) -> LegalityError:
    statement = kernel.statement_by_id[other.statement]
    plain = between.project_out(primed(n) for s in kernel.statements for n in s.inames)
    plain = plain.rename({name + '"': primed(name) for name in statement.inames})
    witness = find_witness(kernel, other, read, plain)
    span = statement.span
    value, hint = (
        f"'{temporary.name}'",
        f"give '{temporary.name}' one more dimension, so that each iteration has its own",
    )
    if temporary.origin == "bound":
        value, hint = "the length of this loop", "let the loop have the same length for all work-items of a group"
    error = LegalityError(
        "FCL306",
        f"{what} would overwrite {value} before its last use",
        argument=argument,
        related=(Related(f"overwrites {temporary.name} here", span),) if span is not None else (),
        notes=(describe(kernel, witness),) if witness is not None else (),
        hints=(hint,),
    )
    return error
