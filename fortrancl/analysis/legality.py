"""The one judge: whether a step of a script, or a whole parallel kernel, computes what the Fortran computes.

Every transformation asks here (design section 5). What cannot be proved raises `LegalityError`, with a concrete pair
of iterations where the dependence is affine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fortrancl.analysis.accesses import Access, accesses, accesses_of, references
from fortrancl.analysis.dependences import (
    are_affine,
    earlier,
    index_affs,
    is_exempt,
    moment,
    primed,
    shared_values,
    time_of,
    touching,
)
from fortrancl.analysis.lanes import both_differ, plainly_together
from fortrancl.analysis.live_ranges import require_live_ranges
from fortrancl.analysis.races import after_global_barrier, require_parallel
from fortrancl.analysis.shared_storage import require_disjoint_uses, require_one_memory
from fortrancl.analysis.witness import LegalityError, refusal
from fortrancl.ir.expr import Expr, Subscript, Var
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.tree import Path
from fortrancl.poly import Aff, AffLike, PolyhedralError, Set

__all__ = [
    "LegalityError",
    "Moment",
    "require_disjoint_uses",
    "require_legal",
    "require_one_iteration",
    "require_order",
    "require_tag",
    "require_unchanged",
    "single_definitions",
]

Renaming = Mapping[str, Mapping[str, AffLike]]
"""Statement id → {iname before the step: its value in inames after it}."""


def _written_pairs(kernel: Kernel, statements: Iterable[str]) -> Iterable[tuple[Access, Access]]:
    """Pairs of accesses of the given statements to one variable, at least one a write."""
    chosen = set(statements)
    by_array: dict[str, list[Access]] = {}
    for access in accesses(kernel):
        if access.statement in chosen and access.array in kernel.written:
            by_array.setdefault(access.array, []).append(access)
    for found in by_array.values():
        for source in found:
            for sink in found:
                if source.is_write or sink.is_write:
                    yield source, sink


def _old_time(old: Kernel, statement: str, renamed: Renaming, prime: bool) -> tuple[AffLike, ...]:
    path, loops = old.paths[statement]
    names = renamed.get(statement, {})
    current = [names.get(name, name) for name in loops]
    return moment(old, path, [_primed_value(old, value) if prime else value for value in current])


def _primed_value(kernel: Kernel, value: AffLike) -> AffLike:
    if isinstance(value, str):
        return primed(value)
    aff = Aff.of(value)
    return aff.rename({name: primed(name) for name in aff.names if name not in kernel.parameters})


def require_order(
    old: Kernel,
    new: Kernel,
    statements: Iterable[str],
    *,
    argument: str | None = None,
    renamed: Renaming | None = None,
    what: str,
) -> None:
    """Every dependence among ``statements`` that ``old`` orders points forward in ``new``.

    ``new`` runs the same instances; ``renamed`` tells what a statement's inames are called there. Dependences
    of reductions with permission to reassociate, and among atomics, may turn. Raises FCL301 (with a witness), FCL302
    (not affine), FCL306 (a value would be overwritten before its last use). Design section 5, points 1, 2 and 5.
    """
    renaming = renamed or {}
    touched = list(statements)
    for source, sink in _written_pairs(new, touched):
        if is_exempt(source, sink) or shared_values(new, source, sink) is None:
            continue
        before = earlier(
            _old_time(old, source.statement, renaming, True), _old_time(old, sink.statement, renaming, False)
        )
        after = earlier(time_of(new, sink.statement), time_of(new, source.statement, True), or_same=True)
        violation = touching(new, source, sink) & before & after
        if not _is_empty(violation, new, source, sink, argument, what):
            raise refusal(
                new,
                source,
                sink,
                violation,
                "FCL301" if are_affine(new, source, sink) else "FCL302",
                f"{what} would reverse a dependence on '{source.array}'"
                if are_affine(new, source, sink)
                else f"{what} cannot be proved safe: accesses to '{source.array}' may depend on each other",
                argument=argument,
                hints=_temporary_hints(new, source.array),
            )
    require_live_ranges(
        new, {access.array for access in accesses(new) if access.statement in set(touched)}, argument, what
    )


def require_tag(old: Kernel, new: Kernel, iname: str, *, argument: str | None = None) -> None:
    """An iname that became a hardware axis carries no dependence between groups, and between lanes only forward ones.

    Asked of pairs whose both ends carry the axis; `require_legal` asks the rest. Raises FCL303 (with a witness),
    FCL302, FCL306. Design section 5, point 4.
    """
    tag = new.iname_by_name[iname].tag
    assert tag is not None
    touched = [statement.id for statement in new.statements if iname in statement.inames]
    what = f"running loop '{iname}' as {tag}"
    for source, sink in _written_pairs(new, touched):
        if source.is_atomic and sink.is_atomic and source.reduction == sink.reduction:
            continue
        if plainly_together(new, source, sink, tag.kind):
            continue
        ordered = touching(new, source, sink) & earlier(
            time_of(old, source.statement, True), time_of(old, sink.statement)
        )
        apart = both_differ(new, source.statement, sink.statement, tag.kind)
        violation = ordered & apart
        if tag.kind == "l":
            violation = violation & earlier(
                time_of(new, sink.statement), time_of(new, source.statement, True), or_same=True
            )
        elif not violation.is_empty():
            violation = violation - after_global_barrier(new, source.statement, sink.statement)
        if _is_empty(violation, new, source, sink, argument, what):
            continue
        affine = are_affine(new, source, sink)
        raise refusal(
            new,
            source,
            sink,
            violation,
            "FCL303" if affine else "FCL302",
            _parallel_message(iname, str(tag), source.array, affine),
            argument=argument,
            value=iname,
            hints=_parallel_hints(new, source, sink),
        )
    require_live_ranges(
        new, {access.array for access in accesses(new) if access.statement in set(touched)}, argument, what
    )


def _parallel_message(iname: str, tag: str, array: str, affine: bool) -> str:
    if affine:
        return f"loop '{iname}' cannot run in parallel as {tag}: its iterations depend on each other through '{array}'"
    return f"cannot prove that iterations of loop '{iname}' are independent: subscripts of '{array}' are data"


def _parallel_hints(kernel: Kernel, source: Access, sink: Access) -> tuple[str, ...]:
    hints = _temporary_hints(kernel, source.array)
    if source.reduction is not None and source.reduction == sink.reduction:
        hints = (*hints, f"lp.set_atomic makes the updates of '{source.array}' indivisible")
    return hints


def _temporary_hints(kernel: Kernel, name: str) -> tuple[str, ...]:
    if isinstance(kernel.declaration(name), Temporary):
        return (f"give '{name}' one more dimension, so that each iteration has its own",)
    return ()


def _is_empty(violation: Set, kernel: Kernel, source: Access, sink: Access, argument: str | None, what: str) -> bool:
    try:
        return violation.is_empty()
    except PolyhedralError as error:
        raise LegalityError(
            "FCL312",
            f"{what} could not be decided: the subscripts of '{source.array}' are too intricate",
            argument=argument,
            hints=("simplify the subscripts, or fix sizes with lp.fix_parameters",),
        ) from error


@dataclass(frozen=True)
class Moment:
    """A moment of execution: a path in the tree (to a statement, or to a place before a child of a Block) and the
    values of the Loops along it, outermost first, over the names of ``domain`` in `require_unchanged`."""

    path: Path
    loops: tuple[AffLike, ...]


def require_unchanged(
    kernel: Kernel,
    reads: Sequence[Subscript | Var],
    domain: Set,
    start: Moment,
    end: Moment,
    *,
    argument: str | None = None,
    what: str,
) -> None:
    """Nothing that ``reads`` touch is written between two moments, for all points of ``domain``.

    Serves steps that evaluate an expression at ``start`` instead of ``end``. Raises FCL307. Design section 5, point 3.
    """
    first, last = moment(kernel, start.path, start.loops), moment(kernel, end.path, end.loops)
    for read in reads:
        name = read.array if isinstance(read, Subscript) else read.name
        if name not in kernel.written:
            continue
        indices = index_affs(kernel, read.indices if isinstance(read, Subscript) else (), (), prime=False)
        for write in (access for access in accesses_of(kernel, name) if access.is_write):
            statement = kernel.statement_by_id[write.statement]
            when = time_of(kernel, write.statement, True)
            between = (
                domain
                & kernel.assumptions
                & statement.domain.rename({iname: primed(iname) for iname in statement.inames})
                # The start lies before what stands at its place: a write by that very statement comes after it.
                & earlier(first, when, or_same=True)
                & earlier(when, last)
            )
            for one, two in zip(index_affs(kernel, write.indices, statement.inames, prime=True), indices, strict=False):
                if one is not None and two is not None:
                    between = between & one.eq(two)
            between = between & _same_owner(kernel, name, domain)
            if not between.is_empty():
                raise _changed(kernel, name, write, argument, what)


def _same_owner(kernel: Kernel, name: str, domain: Set) -> Set:
    """Privatised values of other iterations are other values."""
    declaration = kernel.declaration(name)
    result = Set.universe()
    if isinstance(declaration, Temporary):
        for iname in declaration.private_to:
            if iname in domain.names:
                result = result & Aff.name(primed(iname)).eq(iname)
    return result


def _changed(kernel: Kernel, name: str, write: Access, argument: str | None, what: str) -> LegalityError:
    span = kernel.statement_by_id[write.statement].span
    where = kernel.statement_by_id[write.statement].where
    from fortrancl.diagnostics import Related

    return LegalityError(
        "FCL307",
        f"{what} would read '{name}' at another time than the program does, and {where} writes it in between",
        argument=argument,
        related=(Related(f"writes {name} here", span),) if span is not None else (),
        hints=("choose outer inames that hold the write too, or stage a smaller part",),
    )


def single_definitions(kernel: Kernel, variable: str, *, argument: str | None = None) -> dict[str, str]:
    """For each statement that reads a temporary, the one statement whose value all its reads see.

    Raises FCL308 where several definitions, or none, may reach a read.
    """
    found = accesses_of(kernel, variable)
    writes = [access for access in found if access.is_write]
    result: dict[str, str] = {}
    for read in (access for access in found if not access.is_write):
        when = time_of(kernel, read.statement)
        reaching = []
        for write in writes:
            pairs = touching(kernel, write, read) & earlier(time_of(kernel, write.statement, True), when)
            if not (pairs - _killed(kernel, write, read, writes)).is_empty():
                reaching.append(write.statement)
        distinct = sorted(set(reaching) | ({result[read.statement]} if read.statement in result else set()))
        if len(distinct) != 1:
            where = kernel.statement_by_id[read.statement].where
            problem = "no definition reaches" if not distinct else f"{len(distinct)} definitions reach"
            raise LegalityError("FCL308", f"{problem} the use of '{variable}' at {where}", argument=argument)
        result[read.statement] = distinct[0]
    return result


def require_one_iteration(kernel: Kernel, variable: str, iname: str, *, argument: str | None = None) -> None:
    """Every read of a temporary sees a value that its own iteration of a loop wrote.

    Raises FCL313, with a witness where the subscripts are affine; all its accesses run in the loop. Design section 5,
    point 0.
    """
    if iname in kernel.temporary_by_name[variable].private_to:
        return
    found = accesses_of(kernel, variable)
    writes = [access for access in found if access.is_write]
    for read in (access for access in found if not access.is_write):
        when = time_of(kernel, read.statement)
        for write in writes:
            pairs = touching(kernel, write, read) & earlier(time_of(kernel, write.statement, True), when)
            pairs = pairs & Aff.name(primed(iname)).ne(iname)
            if pairs.is_empty() or (pairs - _killed(kernel, write, read, writes)).is_empty():
                continue
            raise refusal(
                kernel,
                write,
                read,
                pairs - _killed(kernel, write, read, writes),
                "FCL313",
                f"an iteration of loop '{iname}' reads the '{variable}' of another one",
                argument=argument,
                value=variable,
                hints=("leave this variable out with only_var_names=",),
            )


def _killed(kernel: Kernel, write: Access, read: Access, writes: Sequence[Access]) -> Set:
    """Pairs write → read with another unguarded write of the element strictly between them."""
    result = Set.nothing()
    for other in writes:
        statement = kernel.statement_by_id[other.statement]
        if statement.guards:
            continue
        second = {name: name + '"' for name in statement.inames}
        after = touching(kernel, write, other).rename(second)
        before = touching(kernel, other, read).rename({primed(name): name + '"' for name in statement.inames})
        when: list[AffLike] = [
            second.get(part, part) if isinstance(part, str) else part for part in time_of(kernel, other.statement)
        ]
        between = (
            after
            & before
            & earlier(time_of(kernel, write.statement, True), when)
            & earlier(when, time_of(kernel, read.statement))
        )
        result = result | between.project_out(second.values())
    return result


def reads_of(expr: Expr, kernel: Kernel) -> tuple[Subscript | Var, ...]:
    """What an expression (rules expanded) reads, for `require_unchanged`; subscripts' own reads included."""
    return tuple(Subscript(name, indices) if indices else Var(name) for name, indices in references(expr, kernel))


def require_legal(kernel: Kernel) -> None:
    """The full question at the script's end, of a kernel whose lanes are decided.

    Raises FCL304 (two work-items touch one element with no order between them), FCL305 (groups depend on each other
    without a global barrier), FCL306 (a value is overwritten before its last use), FCL309 (out of bounds for every
    size). Design section 5, points 0, 4, 5 and 7.
    """
    from fortrancl.analysis.bounds import require_bounds

    require_bounds(kernel)
    require_parallel(kernel)
    require_live_ranges(kernel, kernel.temporary_by_name.keys(), None, "this kernel")
    require_one_memory(kernel)
