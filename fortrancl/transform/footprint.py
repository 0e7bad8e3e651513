"""Which elements a step stages: a base and a constant extent along each axis, and the exact set of points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fortrancl.diagnostics import StepError
from fortrancl.ir.affine import aff_to_expr, to_aff
from fortrancl.ir.expr import Binary, Expr, integer, scalar_names
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.poly import Aff, Set, slope


@dataclass(frozen=True)
class Use:
    """One place whose subscripts make up the footprint: a statement and the expressions along each axis."""

    statement: Statement
    indices: tuple[Expr, ...]


@dataclass(frozen=True)
class Axis:
    """One axis of the footprint: ``base`` (over outer inames and parameters) and a constant number of elements.

    ``base_aff`` is None where the subscript is data; it is then the same expression at every use.
    """

    base: Expr
    base_aff: Aff | None
    extent: int


@dataclass(frozen=True)
class Footprint:
    """Axes, and the points (outer inames, ``$0`` … along the axes, counted from the base) that are really used."""

    axes: tuple[Axis, ...]
    points: Set


def offset_name(axis: int) -> str:
    """The name of a footprint's coordinate along an axis, counted from the base."""
    return f"${axis}"


def footprint(
    kernel: Kernel, uses: Sequence[Use], outer: frozenset[str], argument: str, free: Iterable[str] = ()
) -> Footprint:
    """Bases, extents and points of the uses, for each iteration of the outer inames.

    Swept inames in ``free`` are axes of their own: the points tell their values too. Errors: FCL264.
    """
    count = len(uses[0].indices)
    axes = tuple(_axis(kernel, uses, outer, position, argument) for position in range(count))
    points = Set.nothing()
    keep = {*outer, *free, *kernel.parameters, *(offset_name(position) for position in range(count))}
    for use in uses:
        own = use.statement.domain & kernel.assumptions
        for position, axis in enumerate(axes):
            own = own & _offset(kernel, use, position, axis).eq(offset_name(position))
        points = points | own.project_onto(keep)
    return Footprint(axes, points)


def _offset(kernel: Kernel, use: Use, position: int, axis: Axis) -> Aff:
    if axis.base_aff is None:
        return Aff.const(0)
    known = {*kernel.iname_by_name, *kernel.parameters, *use.statement.inames}
    aff = to_aff(use.indices[position], known.__contains__)
    assert aff is not None
    return aff - axis.base_aff


def _axis(kernel: Kernel, uses: Sequence[Use], outer: frozenset[str], position: int, argument: str) -> Axis:
    known = {*kernel.iname_by_name, *kernel.parameters, *(name for use in uses for name in use.statement.inames)}
    affs = [to_aff(use.indices[position], known.__contains__) for use in uses]
    first = uses[0].indices[position]
    if any(aff is None for aff in affs):
        inames = scalar_names(first) & frozenset(kernel.iname_by_name)
        if all(use.indices[position] == first for use in uses) and inames <= outer:
            return Axis(first, None, 1)
        raise StepError(
            "FCL264",
            "a subscript is data, so the part to stage has no constant size",
            argument=argument,
            hints=("leave its loops out of the swept ones",),
        )
    touched = Set.nothing()
    for use, aff in zip(uses, affs, strict=True):
        assert aff is not None
        own = use.statement.domain & kernel.assumptions & aff.eq("$value")
        touched = touched | own.project_onto({*outer, *kernel.parameters, "$value"})
    context = touched.project_out(["$value"])
    base = _simplest_base(kernel, touched, [aff for aff in affs if aff is not None], uses, outer) or touched.minimum(
        "$value"
    ).gist(context)
    high = (touched & Aff.name("$offset").eq(Aff.name("$value") - base)).range("$offset")[1]
    if high is None or high > 2**20:
        raise StepError(
            "FCL264",
            f"the part to stage has no constant size along axis {position + 1}",
            argument=argument,
            hints=("split the swept loop by a constant first", "or lp.fix_parameters its size"),
        )
    return Axis(aff_to_expr(base, context), base, max(high, 0) + 1)


def _simplest_base(
    kernel: Kernel, touched: Set, affs: Sequence[Aff], uses: Sequence[Use], outer: frozenset[str]
) -> Aff | None:
    """A base without cases: each subscript at its inner inames' least values, if that is least everywhere."""
    best: Aff | None = None
    for aff, use in zip(affs, uses, strict=True):
        inner = [name for name in aff.names if name in use.statement.inames and name not in outer]
        low = aff
        for name in inner:
            factor = slope(aff, name)
            least, most = (use.statement.domain & kernel.assumptions).range(name)
            value = least if factor is not None and factor > 0 else most
            if factor is None or value is None:
                return None
            low = low - Aff.name(name) * factor + factor * value
        if best is None or (touched & (low > best)).is_empty():
            best = low
    if best is None or not best.names <= {*outer, *kernel.parameters}:
        return None
    return best if (touched & (Aff.name("$value") < best)).is_empty() else None


def from_base(index: Expr, axis: Axis, kernel: Kernel) -> Expr:
    """The subscript of the staged copy: ``index - base``, simplified where affine."""
    if axis.base_aff is None:
        return integer(0)
    aff = to_aff(index, {*kernel.iname_by_name, *kernel.parameters}.__contains__)
    if aff is None:
        return Binary("-", index, axis.base)
    return simple_expr(aff - axis.base_aff)


def simple_expr(aff: Aff) -> Expr:
    """An affine value as an expression, valid wherever it is evaluated."""
    return aff_to_expr(aff, Set.universe())
