"""Array bounds: what is refused, what is checked at launch, and which part of each array a kernel touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fortrancl.analysis.accesses import Access, accesses, accesses_of
from fortrancl.analysis.dependences import index_affs, instances
from fortrancl.analysis.witness import LegalityError, integer_value
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.affine import aff_to_expr, set_to_expr, to_aff
from fortrancl.ir.expr import Binary, Call, Expr, integer
from fortrancl.ir.kernel import Argument, Dim, Kernel, Statement
from fortrancl.ir.layout import as_declared, declared_indices, declared_shape
from fortrancl.ir.types import INTEGER8
from fortrancl.poly import Aff, Set
from fortrancl.source import Span

ZERO = integer(0, INTEGER8)
ONE = integer(1, INTEGER8)


@dataclass(frozen=True)
class LaunchCheck:
    """A condition over scalar arguments that must hold for the kernel to run; ``message`` says what else happens."""

    condition: Expr
    message: str
    span: Span | None


@dataclass(frozen=True)
class CopyRange:
    """The elements of an array that a kernel touches: ``first`` … ``last``, column-major offsets from element 0.

    ``last`` < ``first`` where nothing is touched. ``copy_in`` is False only where every element is proved overwritten.
    ``rows``: least and largest subscript of the first dimension, for arrays of two dimensions and more.
    """

    first: Expr
    last: Expr
    copy_in: bool
    copy_out: bool
    rows: tuple[Expr, Expr] | None = None


@dataclass(frozen=True)
class _Excess:
    """Parameter values for which one subscript of a statement leaves its dimension."""

    access: Access
    axis: int
    bad: Set
    runs: Set


def _is_certain(kernel: Kernel, statement: Statement) -> bool:
    """Whether each instance of the domain really runs (no data-dependent guard or trip count)."""
    return not statement.guards and all(kernel.iname_by_name[name].trip is None for name in statement.inames)


def _excesses(kernel: Kernel) -> Iterator[_Excess]:
    parameters = frozenset(kernel.parameters)
    for access in accesses(kernel):
        statement = kernel.statement_by_id[access.statement]
        if not access.indices or not _is_certain(kernel, statement):
            continue
        domain = instances(kernel, statement.id)
        declaration = kernel.declaration(access.array)
        shape = declared_shape(declaration)
        for axis, aff in enumerate(index_affs(kernel, declared_indices(declaration, access.indices), (), prime=False)):
            if aff is None:
                continue
            outside = domain & (aff < 0)
            declared = shape[axis].extent
            extent = None if declared is None else to_aff(declared, parameters.__contains__)
            if extent is not None:
                outside = outside | (domain & (aff >= extent))
            if not outside.is_empty():
                yield _Excess(access, axis, outside.project_onto(parameters), domain.project_onto(parameters))


def require_bounds(kernel: Kernel) -> None:
    """No access is out of bounds for every size that executes it. Raises FCL309. Design section 5, point 7."""
    for excess in _excesses(kernel):
        if excess.runs <= excess.bad:
            span = kernel.statement_by_id[excess.access.statement].span
            name = excess.access.array
            where = None if span is None else span.find(name) or span
            error = LegalityError(
                "FCL309",
                f"subscript {excess.axis + 1} of '{name}' is out of bounds for every size",
                notes=(_bounds_note(kernel, excess),),
                hints=("change the loop's bounds or the declared shape",),
            )
            raise CompileError([error.at(where)])


def _bounds_note(kernel: Kernel, excess: _Excess) -> str:
    dim = declared_shape(kernel.declaration(excess.access.array))[excess.axis]
    low, extent = integer_value(dim.lower, {}), None if dim.extent is None else integer_value(dim.extent, {})
    shown = f"{low if low is not None else '…'}:{low + extent - 1 if low is not None and extent is not None else '…'}"
    return f"dimension {excess.axis + 1} of '{excess.access.array}' is {shown}"


def launch_checks(kernel: Kernel) -> tuple[LaunchCheck, ...]:
    """Conditions on sizes under which every affine access stays in bounds, to be checked at each launch."""
    grouped: dict[tuple[str, int, Span | None], Set] = {}
    for excess in _excesses(kernel):
        span = kernel.statement_by_id[excess.access.statement].span
        key = (excess.access.array, excess.axis, span)
        grouped[key] = grouped.get(key, Set.nothing()) | excess.bad
    result = []
    for (name, axis, span), bad in grouped.items():
        condition = set_to_expr(~bad, kernel.assumptions)
        if condition is not None:
            where = f" at line {span.line}" if span is not None else ""
            result.append(LaunchCheck(condition, f"subscript {axis + 1} of '{name}'{where} leaves its bounds", span))
    return tuple(result)


def copy_ranges(kernel: Kernel) -> Mapping[str, CopyRange]:
    """For every array argument that the kernel touches, the range of elements to copy.

    Elements are those of the declared arrays, whatever layout the device sees. Raises FCL311 where an assumed-size
    array has no formula. Design section 8, 'Copies'.
    """
    kernel = as_declared(kernel)
    ranges = {}
    for argument in kernel.arguments:
        if argument.shape and accesses_of(kernel, argument.name):
            ranges[argument.name] = _copy_range(kernel, argument)
    return ranges


def _copy_range(kernel: Kernel, argument: Argument) -> CopyRange:
    found = accesses_of(kernel, argument.name)
    written = any(access.is_write for access in found)
    parameters = frozenset(kernel.parameters)
    runs = Set.nothing()
    for access in found:
        runs = runs | instances(kernel, access.statement).project_onto(parameters)
    first: Expr = ZERO
    last: Expr = ZERO
    stride: Expr = ONE
    promised = dict(kernel.promised_extents).get(argument.name)
    rows = None
    for axis, dim in enumerate(argument.shape):
        low, high = _axis_range(kernel, argument, axis, dim, runs, promised)
        if axis == 0 and len(argument.shape) > 1:
            rows = (low, high)
        first, last = _plus(first, _times(low, stride)), _plus(last, _times(high, stride))
        if dim.extent is not None:
            stride = _times(stride, dim.extent)
    if promised is not None and argument.shape[-1].extent is None and len(argument.shape) == 1:
        last = Binary("-", promised, ONE)
    active = set_to_expr(runs, kernel.assumptions)
    if active is not None:
        last = Call("merge", (last, Binary("-", first, ONE), active))
    copy_in = not (written and _overwritten_in_full(kernel, argument, found, runs))
    return CopyRange(first, last, copy_in, written, rows)


def _axis_range(
    kernel: Kernel, argument: Argument, axis: int, dim: Dim, runs: Set, promised: Expr | None
) -> tuple[Expr, Expr]:
    """Least and largest subscript along one axis."""
    touched = Set.nothing()
    parameters = frozenset(kernel.parameters)
    for access in accesses_of(kernel, argument.name):
        aff = index_affs(kernel, access.indices, (), prime=False)[axis]
        statement = kernel.statement_by_id[access.statement]
        data = {name for name in statement.inames if kernel.iname_by_name[name].trip is not None}
        if aff is None or aff.names & data:
            return _declared_range(kernel, argument, axis, dim, access, promised)
        domain = instances(kernel, access.statement)
        touched = touched | (domain & aff.eq("$element")).project_onto(parameters | {"$element"})
    context = kernel.assumptions & runs
    low, high = touched.minimum("$element"), touched.maximum("$element")
    return aff_to_expr(low.gist(context), context), aff_to_expr(high.gist(context), context)


def _declared_range(
    kernel: Kernel, argument: Argument, axis: int, dim: Dim, access: Access, promised: Expr | None
) -> tuple[Expr, Expr]:
    if dim.extent is not None:
        return ZERO, Binary("-", dim.extent, ONE)
    if promised is not None:
        # The promise counts elements of the whole array; the caller of this takes it as the last axis' end.
        return ZERO, _last_extent(argument, promised)
    span = kernel.statement_by_id[access.statement].span
    where = None if span is None else span.find(argument.name) or span
    raise CompileError(
        [
            Diagnostic(
                "FCL311",
                f"how much of '{argument.name}' the kernel touches depends on data, and its last dimension is "
                "assumed-size",
                where,
                hints=(
                    f'say its element count in the script: lp.assume_extent(knl, "{argument.name}", "…")',
                    "or declare the extent of its last dimension",
                ),
            )
        ]
    )


def _last_extent(argument: Argument, promised: Expr) -> Expr:
    per_slice: Expr = ONE
    for dim in argument.shape[:-1]:
        assert dim.extent is not None
        per_slice = _times(per_slice, dim.extent)
    count = promised if per_slice == ONE else Call("floordiv", (promised, Call("max", (per_slice, ONE))))
    return Binary("-", count, ONE)


def _overwritten_in_full(kernel: Kernel, argument: Argument, found: tuple[Access, ...], runs: Set) -> bool:
    """Whether unconditional writes cover the whole copied range and nothing is read.

    What a guarded write may touch belongs to the range, but is not sure to be overwritten.
    """
    if any(not access.is_write for access in found):
        return False
    parameters = frozenset(kernel.parameters)
    elements = [f"$e{axis}" for axis in range(len(argument.shape))]
    covered = touched = Set.nothing()
    for access in found:
        statement = kernel.statement_by_id[access.statement]
        data = {name for name in statement.inames if kernel.iname_by_name[name].trip is not None}
        image = instances(kernel, access.statement)
        for name, aff in zip(elements, index_affs(kernel, access.indices, (), prime=False), strict=True):
            if aff is None or aff.names & data:
                return False
            image = image & aff.eq(name)
        image = image.project_onto(parameters | set(elements))
        touched = touched | image
        covered = covered | image if _is_certain(kernel, statement) else covered
    if covered.is_empty():
        return False
    box = runs
    for axis, name in enumerate(elements):
        if axis < len(elements) - 1:
            extent = argument.shape[axis].extent
            aff = None if extent is None else to_aff(extent, parameters.__contains__)
            if aff is None:
                return False
            box = box & (Aff.name(name) >= 0) & (Aff.name(name) < aff)
        else:
            only = touched.project_onto(parameters | {name})
            box = box & (Aff.name(name) >= only.minimum(name)) & (Aff.name(name) <= only.maximum(name))
    return box <= covered


def _plus(left: Expr, right: Expr) -> Expr:
    if left == ZERO:
        return right
    return left if right == ZERO else Binary("+", left, right)


def _times(left: Expr, right: Expr) -> Expr:
    if left == ONE:
        return right
    return left if right == ONE or left == ZERO else Binary("*", left, right)
