"""Temporaries that share storage (`Temporary.base`): each must be done with it before another one begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fortrancl.analysis.accesses import Access, accesses_of
from fortrancl.analysis.dependences import Dependence, earlier, instances, primed, time_of, touching
from fortrancl.analysis.lanes import coordinate, lane_axes, storage_space
from fortrancl.analysis.witness import LegalityError, iteration_text
from fortrancl.diagnostics import Related
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.poly import AffLike, Set


def require_disjoint_uses(kernel: Kernel, names: Iterable[str], argument: str | None, what: str) -> None:
    """While a value of a named temporary is still to be read, nothing writes to another one on the same storage.

    Any two cells count as one, so the answer does not depend on layouts. Asked in both directions of every storage that
    one of ``names`` uses. Raises FCL314. Design sections 4.1 and 5, point 0.
    """
    chosen = set(names)
    for members in kernel.temporaries_by_base.values():
        if not any(member.name in chosen for member in members):
            continue
        for one in members:
            for other in members:
                if one.name != other.name:
                    _require_apart(kernel, one, other, argument, what)


def require_one_memory(kernel: Kernel) -> None:
    """Temporaries that share storage are in one memory, and that is a work-item's or a group's. Raises FCL314."""
    for base, members in kernel.temporaries_by_base.items():
        spaces = {member.name: storage_space(kernel, member) for member in members}
        found = set(spaces.values())
        if len(found) == 1 and found <= {"private", "local"}:
            continue
        told = ", ".join(f"'{name}' is {space}" for name, space in spaces.items())
        raise LegalityError(
            "FCL314",
            f"temporaries in different memories, or in global memory, cannot share storage '{base}'",
            argument="names",
            related=_places(kernel, [access for member in members for access in accesses_of(kernel, member.name)][:1]),
            notes=(told,),
            hints=("lp.set_temporary_address_space says in which memory they live",),
        )


def _require_apart(kernel: Kernel, kept: Temporary, other: Temporary, argument: str | None, what: str) -> None:
    found = accesses_of(kernel, kept.name)
    intruders = [access for access in accesses_of(kernel, other.name) if access.is_write]
    for write in (access for access in found if access.is_write):
        for read in (access for access in found if not access.is_write):
            flow = touching(kernel, write, read) & earlier(
                time_of(kernel, write.statement, True), time_of(kernel, read.statement)
            )
            if flow.is_empty():
                continue
            for intruder in intruders:
                between = flow & _meanwhile(kernel, kept, other, write, read, intruder)
                if not between.is_empty():
                    raise _refused(kernel, write, read, intruder, between, argument, what)


def _meanwhile(kernel: Kernel, kept: Temporary, other: Temporary, write: Access, read: Access, intruder: Access) -> Set:
    """Instances of ``intruder`` (inames with ``"``) by the same owner, neither before the write nor after the read."""
    second = {name: name + '"' for name in kernel.statement_by_id[intruder.statement].inames}
    when: list[AffLike] = [second.get(v, v) if isinstance(v, str) else v for v in time_of(kernel, intruder.statement)]
    result = instances(kernel, intruder.statement).rename(second)
    result = (
        result - earlier(when, time_of(kernel, write.statement, True)) - earlier(time_of(kernel, read.statement), when)
    )
    private = all(storage_space(kernel, temporary) == "private" for temporary in (kept, other))
    for axis in lane_axes(kernel):
        if private or axis[0] == "g":
            mine = coordinate(kernel, intruder.statement, axis, False).rename(second)
            result = result & mine.eq(coordinate(kernel, read.statement, axis, False))
    return result


def _refused(
    kernel: Kernel, write: Access, read: Access, intruder: Access, between: Set, argument: str | None, what: str
) -> LegalityError:
    values = between.sample() or {}
    sizes = {name: values.get(name, 0) for name in kernel.parameters}

    def place(access: Access, suffix: str) -> str:
        statement = kernel.statement_by_id[access.statement]
        own = {name: values.get(name + suffix, 0) for name in statement.inames}
        where = statement.where
        iteration = iteration_text(kernel, statement.id, own, sizes)
        return f"{where} (iteration {iteration})" if iteration else where

    return LegalityError(
        "FCL314",
        f"{what} would write '{intruder.array}' over '{read.array}', which is still to be read",
        argument=argument,
        value=intruder.array,
        related=_places(kernel, (intruder, read)),
        notes=(
            f"{place(intruder, chr(34))} writes '{intruder.array}' after {place(write, primed(''))} wrote "
            f"'{read.array}' and before {place(read, '')} reads it",
        ),
        hints=("leave one of them out, or order the loops so that one is done before the other begins",),
    )


def _places(kernel: Kernel, found: Sequence[Access]) -> tuple[Related, ...]:
    related = []
    for access in found:
        span = kernel.statement_by_id[access.statement].span
        if span is not None:
            related.append(Related(f"{'writes' if access.is_write else 'reads'} {access.array} here", span))
    return tuple(related)


def conflicts_through_storage(kernel: Kernel, name: str) -> Iterator[Dependence]:
    """Ordered pairs of an access to a temporary and one to another temporary on its storage, one of them a write.

    Pairs in which ``name`` is the source's variable, or is written by the sink; so asking for every written name of the
    storage gives all. For barriers: any two cells count as one.
    """
    temporary = kernel.temporary_by_name.get(name)
    if temporary is None or temporary.base is None:
        return
    for partner in kernel.temporaries_by_base[temporary.base]:
        if partner.name == name:
            continue
        for mine in accesses_of(kernel, name):
            for other in accesses_of(kernel, partner.name):
                for source, sink in ((mine, other), (other, mine)):
                    if source.is_write or sink.is_write:
                        pairs = (
                            instances(kernel, source.statement, prime=True)
                            & instances(kernel, sink.statement)
                            & earlier(time_of(kernel, source.statement, True), time_of(kernel, sink.statement))
                        )
                        if not pairs.is_empty():
                            yield Dependence(source, sink, pairs)
