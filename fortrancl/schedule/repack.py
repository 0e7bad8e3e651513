"""Arguments in another layout: copied on the device before the kernel's launches and after them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fortrancl.analysis.accesses import accesses_of
from fortrancl.analysis.bounds import CopyRange, copy_ranges
from fortrancl.ir.expr import Binary, Call, Expr, Subscript, Var, integer, scalar_names, transform
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Argument, Dim, Kernel, Temporary
from fortrancl.ir.layout import (
    as_declared,
    declared_shape,
    keeps_memory,
    product,
    split_items,
    storage_elements,
    strides,
)
from fortrancl.ir.types import INTEGER8
from fortrancl.schedule.nodes import Repack, element_name
from fortrancl.schedule.plan import DeviceBuffer, DeviceParameter, DeviceScalar, Launch, Repacked

GROUP_SIZE = 256


@dataclass(frozen=True)
class Repacking:
    """The kernel on its own arrays, and the launches round its own."""

    kernel: Kernel
    before: tuple[Launch, ...] = ()
    after: tuple[Launch, ...] = ()
    repacked: tuple[Repacked, ...] = ()


def repack(kernel: Kernel) -> Repacking:
    """Give each argument that lies otherwise than Fortran has it an array in global memory, and copy.

    Axes that were split without moving an element need none. Where the kernel surely overwrites the whole range,
    nothing is copied there; what it never writes is not copied back. Raises FCL311 as `copy_ranges` does.
    """
    changed = [a for a in kernel.arguments if a.shape and (a.layout or a.splits)]
    if not changed:
        return Repacking(kernel)
    kernel = as_declared(kernel, [a.name for a in changed if keeps_memory(a)])
    moved = [a for a in changed if not keeps_memory(a) and accesses_of(kernel, a.name)]
    if not moved:
        return Repacking(kernel)
    ranges = copy_ranges(kernel)
    names: dict[str, str] = {}
    for argument in moved:
        names[argument.name] = kernel.fresh_name(f"{argument.name}_packed", names.values())
    before: list[Launch] = []
    after: list[Launch] = []
    holders = {a.name: _packed(a, names[a.name], ranges[a.name]) for a in moved}
    for argument in moved:
        part, packed = ranges[argument.name], holders[argument.name]
        if part.copy_in:
            before.append(_launch(kernel, argument, packed, part, into=True))
        if part.copy_out:
            after.append(_launch(kernel, argument, packed, part, into=False))
    repacked = tuple(Repacked(a.name, names[a.name], ranges[a.name]) for a in moved)
    return Repacking(_on_packed(kernel, moved, holders), tuple(before), tuple(after), repacked)


def _packed(argument: Argument, name: str, part: CopyRange) -> Temporary:
    """The array that holds an argument: of an assumed-size one, as many slices as are touched."""
    shape = argument.shape
    if shape[-1].extent is None:
        slice_size: Expr = integer(1, INTEGER8)
        for dim in _extents(declared_shape(argument)):
            slice_size = product(slice_size, dim)
        # Never a division by zero: where a slice is empty, nothing is touched.
        slices = Call("floordiv", (part.last, Call("max", (slice_size, integer(1, INTEGER8)))))
        shape = (*shape[:-1], Dim(shape[-1].lower, Binary("+", slices, integer(1, INTEGER8))))
    return Temporary(
        name,
        argument.type,
        shape,
        address_space="global",
        origin="repack",
        axis_names=argument.axis_names,
        layout=argument.layout,
    )


def _on_packed(kernel: Kernel, moved: list[Argument], holders: Mapping[str, Temporary]) -> Kernel:
    names = {name: holder.name for name, holder in holders.items()}

    def element(node: Expr) -> Expr | None:
        if isinstance(node, Subscript) and node.array in names:
            return Subscript(names[node.array], node.indices)
        return None

    plain = {
        a.name: replace(a, shape=declared_shape(a), declared=(), splits=(), layout=(), axis_names=()) for a in moved
    }
    return replace(
        kernel,
        arguments=tuple(plain.get(a.name, a) for a in kernel.arguments),
        temporaries=(*kernel.temporaries, *holders.values()),
        statements=tuple(map_expressions(s, lambda expr: transform(expr, element)) for s in kernel.statements),
        injective=frozenset(names.get(name, name) for name in kernel.injective),
    )


def _launch(kernel: Kernel, argument: Argument, packed: Temporary, part: CopyRange, *, into: bool) -> Launch:
    shape = declared_shape(argument)
    subscripts: tuple[Expr, ...] = tuple(Var(element_name(axis)) for axis in range(len(shape)))
    declared = Subscript(argument.name, subscripts)
    for split in argument.splits:
        subscripts = split_items(subscripts, split, _pair)
    own = Subscript(packed.name, subscripts)
    target, value = (own, declared) if into else (declared, own)
    code = Repack(part.first, part.last, part.rows, shape, target, value)
    count = Binary("+", Binary("-", part.last, part.first), integer(GROUP_SIZE, INTEGER8))
    groups = Call("floordiv", (count, integer(GROUP_SIZE, INTEGER8)))
    one = integer(1, INTEGER8)
    word = "pack" if into else "unpack"
    return Launch(
        f"{kernel.name.lower()}_{word}_{argument.name.lower()}",
        _parameters(kernel, argument, packed, code, into),
        (GROUP_SIZE, 1, 1),
        (groups, one, one),
        (code,),
    )


def _pair(index: Expr, count: int) -> tuple[Expr, Expr]:
    by = integer(count)
    return Binary("/", index, by), Call("mod", (index, by))


def _parameters(
    kernel: Kernel, argument: Argument, packed: Temporary, code: Repack, into: bool
) -> tuple[DeviceParameter, ...]:
    names = frozenset[str]()
    for expr in (code.first, code.last, *(code.rows or ()), *strides(packed), *_extents(code.shape)):
        names |= scalar_names(expr)
    scalars = [DeviceScalar(a.name, a.type, "argument") for a in kernel.arguments if a.name in names and not a.shape]
    scalars += [DeviceScalar(e.name, INTEGER8, "extent") for e in kernel.extents if e.name in names]
    return (
        DeviceBuffer(argument.name, argument.type, into, not into, "array_argument"),
        *scalars,
        DeviceBuffer(packed.name, packed.type, not into, into, "temporary", storage_elements(packed)),
    )


def _extents(shape: tuple[Dim, ...]) -> tuple[Expr, ...]:
    return tuple(dim.extent for dim in shape[:-1] if dim.extent is not None)
