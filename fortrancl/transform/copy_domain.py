"""Which elements a staged copy holds: the exact ones, or a box round them that is proved or guarded (design 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fortrancl.analysis.accesses import expand_rules
from fortrancl.analysis.legality import reads_of
from fortrancl.diagnostics import StepError
from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import Binary, Call, Expr, Literal_, Subscript, Var, walk
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.layout import declared_indices, declared_shape
from fortrancl.ir.typeof import type_of
from fortrancl.poly import Set
from fortrancl.transform.footprint import offset_name
from fortrancl.transform.staging import Stage, StorageAxis


def copy_values(kernel: Kernel, stage: Stage, inames: Mapping[StorageAxis, str]) -> dict[str, Expr]:
    """What the rule's parameters are in the copy: base plus the copy's own loop."""
    values: dict[str, Expr] = {}
    for position, parameter in enumerate(stage.rule.parameters):
        axis = stage.part.axes[position]
        values[parameter] = axis.base
        if position in inames:
            own = Var(inames[position])
            zero = axis.base_aff is not None and axis.base_aff.constant() == 0
            values[parameter] = own if zero else Binary("+", axis.base, own)
    return values


def copy_domain(
    kernel: Kernel,
    stage: Stage,
    inames: Mapping[StorageAxis, str],
    kept: list[StorageAxis],
    body: Expr,
    bounding_box: bool,
) -> Set:
    """Exact points if they are one basic set; else the box round them, if all it reads is in bounds or is guarded.

    A box that is proved in bounds and little larger than the points is taken all the same: its guards are simple.
    """
    domain = stage.part.points.coalesce()
    coordinates: dict[StorageAxis, str] = {p: offset_name(p) for p in range(len(stage.part.axes))}
    coordinates.update({name: name for name in domain.names if name in stage.sweep})
    domain = domain.project_out(name for axis, name in coordinates.items() if axis not in inames).rename(
        {name: inames[axis] for axis, name in coordinates.items() if axis in inames}
    )
    inside = in_bounds(kernel, body, {*inames.values()})
    guarded = stage.is_promised or any(
        use.statement.guards or waits_for_data(kernel, use.statement, stage.outer) for use in stage.uses
    )
    box = _box(domain, [inames[axis] for axis in kept])
    if domain.piece_count > 1:
        domain = box
        guarded = True
    elif inside is not None and box <= inside and _is_little_larger(kernel, box, domain):
        return box
    if guarded and (inside is None or not domain <= inside):
        if not bounding_box or inside is None:
            raise StepError(
                "FCL265",
                f"the elements of '{stage.rule.name}' in use are no box, and a box round them may leave the array"
                if inside is not None
                else f"which elements '{stage.rule.name}' reads is data, and its use is conditional",
                argument="sweep_inames",
                hints=("fetch_bounding_box=True fetches the box, guarded",) if inside is not None else (),
            )
        domain = domain & inside
    return domain


def waits_for_data(kernel: Kernel, statement: Statement, outer: Sequence[str]) -> bool:
    """Whether a use stands in a loop that the copy is outside of, and that may run no iteration for all one knows."""
    return any(kernel.iname_by_name[name].trip is not None and name not in outer for name in statement.inames)


def _box(domain: Set, names: Sequence[str]) -> Set:
    """All combinations of what each axis takes by itself, for each iteration of the outer loops."""
    result = domain.project_out(names).hull()
    for name in names:
        result = result & domain.project_out(other for other in names if other != name).hull()
    return result


def _is_little_larger(kernel: Kernel, box: Set, points: Set) -> bool:
    """Whether a full tile's box holds at most a tenth more elements than are used."""
    if box <= points:
        return False
    names = [name for name in box.names if name not in kernel.parameters and name not in kernel.iname_by_name]
    outer = {name: 1 for name in box.names if name in kernel.iname_by_name}
    large = {name: 1000 for name in box.names if name in kernel.parameters}
    tile = box.where(outer | large)
    if tile.is_empty() or _volume(tile, names) > 4096:
        return False
    used = points.where(outer | large).project_onto(names).points(names)
    return _volume(tile, names) * 10 <= len(used) * 11


def _volume(box: Set, names: Sequence[str]) -> int:
    volume = 1
    for name in names:
        low, high = box.range(name)
        volume *= 2**20 if low is None or high is None else high - low + 1
    return volume


def _may_trap(expr: Expr, kernel: Kernel) -> bool:
    """Whether evaluating an expression where the program does not may divide an integer by zero."""
    return any(
        (isinstance(node, Binary) and node.op == "/" and _is_integer(node.right, kernel))
        or (isinstance(node, Call) and node.function in ("mod", "modulo") and _is_integer(node.arguments[1], kernel))
        for node in walk(expr)
    )


def _is_integer(expr: Expr, kernel: Kernel) -> bool:
    return not isinstance(expr, Literal_) and type_of(expr, kernel).base == "integer"


def in_bounds(kernel: Kernel, body: Expr, extra: set[str]) -> Set | None:
    """Where an expression can be evaluated: every array read inside its declared bounds; None where that is data."""
    result = kernel.assumptions
    known = {*kernel.iname_by_name, *kernel.parameters, *extra}
    if _may_trap(expand_rules(body, kernel), kernel):
        return None
    for read in reads_of(expand_rules(body, kernel), kernel):
        if not isinstance(read, Subscript):
            continue
        declaration = kernel.declaration(read.array)
        indices = declared_indices(declaration, read.indices)
        for dim, index in zip(declared_shape(declaration), indices, strict=True):
            aff = to_aff(index, known.__contains__)
            extent = None if dim.extent is None else to_aff(dim.extent, frozenset(kernel.parameters).__contains__)
            if aff is None or (extent is None and dim.extent is not None):
                return None
            result = result & (aff >= 0)
            if extent is not None:
                result = result & (aff < extent)
    return result
