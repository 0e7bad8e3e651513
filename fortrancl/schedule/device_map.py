"""The script has ended: ``l.auto`` becomes lanes, ``auto`` becomes an address space (design 5.4)."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.analysis.accesses import expand_rules
from fortrancl.analysis.dependences import known_names
from fortrancl.analysis.lanes import lanes_of, storage_space
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.affine import to_aff
from fortrancl.ir.divide import has_division, simplified
from fortrancl.ir.expr import Expr, Subscript, scalar_names, subscripts
from fortrancl.ir.inames import become_lane, map_expressions, retag, split_loop
from fortrancl.ir.kernel import Argument, Kernel, Statement, Tag, Temporary
from fortrancl.ir.layout import axis_order
from fortrancl.poly import Set, slope
from fortrancl.schedule.launches import carry_values


def finalise(kernel: Kernel) -> Kernel:
    """The kernel with nothing left open: no rules, no ``l.auto``, every temporary in one memory.

    Values that live across a global barrier move to global memory. Doing it twice changes nothing. Legality is to be
    asked of the result. Raises FCL401 (``l.auto`` without an explicit ``l`` tag), FCL402, FCL403, FCL404, FCL406.
    """
    kernel = _resolve_auto(without_rules(kernel))
    kernel = carry_values(kernel)
    return replace(
        kernel,
        temporaries=tuple(
            temporary if temporary.values else replace(temporary, address_space=storage_space(kernel, temporary))
            for temporary in kernel.temporaries
        ),
    )


def without_rules(kernel: Kernel) -> Kernel:
    """Every rule call replaced by what it means; subscripts that are now plainer are written so."""
    if not kernel.rules:
        return kernel

    def expanded(statement: Statement) -> Statement:
        context = statement.domain & kernel.assumptions

        def expand(expr: Expr) -> Expr:
            result = expand_rules(expr, kernel)
            return simplified(result, known_names(kernel), context) if has_division(result) else result

        return map_expressions(statement, expand)

    return replace(kernel, statements=tuple(map(expanded, kernel.statements)), rules=())


def _resolve_auto(kernel: Kernel) -> Kernel:
    waiting = _auto_inames(kernel)
    if not waiting:
        return kernel
    sizes = _explicit_sizes(kernel)
    if not sizes:
        iname = kernel.iname_by_name[waiting[0]]
        raise CompileError(
            [
                Diagnostic(
                    "FCL401",
                    f"loop '{iname.name}' is tagged l.auto, but no loop of '{kernel.name}' is tagged l.0, l.1 or l.2",
                    iname.span or kernel.span,
                    notes=("l.auto shares out the lanes that explicit tags make",),
                    hints=('tag a loop l.0 with lp.tag_inames, or say default_tag="l.0"',),
                )
            ]
        )
    order = [s for s in kernel.paths if any(name in waiting for name in kernel.statement_by_id[s].inames)]
    for statement in order:
        kernel = _place(kernel, kernel.statement_by_id[statement], sizes)
    for name in _auto_inames(kernel):
        kernel = retag(kernel, name, Tag("for"))
    return kernel


def _auto_inames(kernel: Kernel) -> tuple[str, ...]:
    return tuple(i.name for i in kernel.inames if i.tag is not None and i.tag.kind == "l" and i.tag.axis is None)


def _explicit_sizes(kernel: Kernel) -> dict[int, int]:
    """Work-items along each axis, where explicit tags say a constant."""
    sizes: dict[int, int] = {}
    for statement in kernel.statements:
        for (kind, axis), name in lanes_of(kernel, statement.id).items():
            if kind == "l":
                high = (statement.domain & kernel.assumptions).range(name)[1]
                if high is not None:
                    sizes[axis] = max(sizes.get(axis, 1), high + 1)
    return sizes


def _place(kernel: Kernel, statement: Statement, sizes: dict[int, int]) -> Kernel:
    """Give a statement's ``l.auto`` loops the free axes, the one with the smallest stride first."""
    mine = [name for name in statement.inames if name in _auto_inames(kernel)]
    strides = _strides(kernel, statement)
    mine.sort(key=lambda name: (strides.get(name, (len(sizes) + 99, 0)), statement.inames.index(name)))
    for name in mine:
        taken = {
            axis
            for other in kernel.statements
            if name in other.inames
            for kind, axis in lanes_of(kernel, other.id)
            if kind == "l"
        }
        free = [axis for axis in sorted(sizes) if axis not in taken]
        if not free or kernel.iname_by_name[name].trip is not None:
            kernel = retag(kernel, name, Tag("for"))
            continue
        axis = free[0]
        high = _longest(kernel, name)
        if high is not None and high < sizes[axis]:
            kernel = become_lane(kernel, name, Tag("l", axis))
        else:
            outer = kernel.fresh_name(f"{name}_outer")
            inner = kernel.fresh_name(f"{name}_inner", (outer,))
            kernel = split_loop(kernel, name, sizes[axis], outer, inner)
            kernel = become_lane(retag(kernel, outer, Tag("for")), inner, Tag("l", axis))
    return kernel


def _longest(kernel: Kernel, name: str) -> int | None:
    domains = [s.domain & kernel.assumptions for s in kernel.statements if name in s.inames]
    union = Set.nothing()
    for domain in domains:
        union = union | domain.project_onto([name])
    return union.range(name)[1]


def _strides(kernel: Kernel, statement: Statement) -> dict[str, tuple[int, int]]:
    """For each iname its place in the array in global memory that the statement moves: (dimension, |factor|),
    dimensions counted from the one that varies fastest."""
    reference = _moved(kernel, statement)
    result: dict[str, tuple[int, int]] = {}
    if reference is None:
        return result
    for dimension, axis in enumerate(axis_order(kernel.declaration(reference.array))):
        index = reference.indices[axis]
        aff = to_aff(index, known_names(kernel))
        for name in scalar_names(index):
            factor = slope(aff, name) if aff is not None else None
            result.setdefault(name, (dimension, abs(factor or 1)))
    return result


def _moved(kernel: Kernel, statement: Statement) -> Subscript | None:
    """The reference whose stride counts: the first read of an array in global memory, else the target."""
    reads = [*subscripts(statement.value)]
    for reference in reads:
        if isinstance(kernel.declaration(reference.array), Argument):
            return reference
    for reference in reads:
        declaration = kernel.declaration(reference.array)
        if isinstance(declaration, Temporary) and declaration.address_space == "global":
            return reference
    return statement.target if isinstance(statement.target, Subscript) else None
