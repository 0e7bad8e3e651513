"""Arrays in memory: which axis varies fastest, strides, and axes that were split.

A layout never changes what an element *is*: subscripts name elements, and this room says where they lie. An argument
whose axes were split can be read in its declared form again (`declared_indices`, `as_declared`), which is how bounds
and copies speak of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from fortrancl.ir.affine import to_aff
from fortrancl.ir.divide import added, scaled
from fortrancl.ir.expr import Binary, Call, Expr, Subscript, integer, transform
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Argument, AxisPlace, AxisSplit, Declaration, Dim, Kernel, Temporary
from fortrancl.ir.types import INTEGER8

T = TypeVar("T")
_ONE = integer(1, INTEGER8)


def constant(expr: Expr | None) -> int | None:
    """The value of an integer expression without names.

    >>> constant(Binary("*", integer(3), integer(4)))
    12
    """
    aff = None if expr is None else to_aff(expr, lambda name: False)
    return None if aff is None else aff.constant()


def place_text(place: AxisPlace) -> str:
    """The axis tag that stands for a place, with its padding.

    >>> place_text(AxisPlace(2)), place_text(AxisPlace(is_vector=True)), place_text(AxisPlace(1, multiple=32))
    ('N2', 'vec', 'N1/32')
    """
    if place.stride is not None and not place.is_vector:
        return f"stride:{place.stride}"
    name = "vec" if place.is_vector else f"N{place.rank}"
    return name if place.multiple == 1 else f"{name}/{place.multiple}"


def places(declaration: Declaration) -> tuple[AxisPlace, ...]:
    """The place of every axis, the default spelled out."""
    return declaration.layout or tuple(AxisPlace(rank) for rank in range(len(declaration.shape)))


def axis_order(declaration: Declaration) -> tuple[int, ...]:
    """Axes from the one that varies fastest to the slowest. Told strides come before ranks."""
    found = places(declaration)

    def speed(axis: int) -> tuple[int, int]:
        place = found[axis]
        if place.stride is not None:
            return (1, place.stride)
        return (0, 0) if place.is_vector else (2, place.rank)

    return tuple(sorted(range(len(found)), key=speed))


def is_dense(declaration: Declaration) -> bool:
    """Whether each stride is the product of the faster axes' extents."""
    return all(place.stride is None and place.multiple == 1 for place in declaration.layout)


def strides(declaration: Declaration) -> tuple[Expr, ...]:
    """Elements from one index to the next, by axis; integer(8) or as the extents are.

    >>> from fortrancl.ir.types import REAL8
    >>> shape = tuple(Dim(integer(1), integer(extent)) for extent in (3, 5, 4))
    >>> places = (AxisPlace(0), AxisPlace(1, multiple=8), AxisPlace(is_vector=True))
    >>> [constant(stride) for stride in strides(Temporary("t", REAL8, shape, layout=places))]
    [4, 16, 1]
    """
    result: list[Expr] = [_ONE] * len(declaration.shape)
    found = places(declaration)
    free: Expr = _ONE
    for axis in axis_order(declaration):
        told = found[axis].stride
        result[axis] = _rounded(free, found[axis].multiple) if told is None else integer(told, INTEGER8)
        extent = declaration.shape[axis].extent
        free = result[axis] if extent is None else product(result[axis], extent)
    return tuple(result)


def storage_elements(declaration: Declaration, open_extent: Expr | None = None) -> Expr:
    """Elements of memory that the array takes, padding included; ``open_extent`` stands for an extent of ``*``."""
    if not declaration.layout:
        count: Expr = _ONE
        for dim in declaration.shape:
            extent = dim.extent if dim.extent is not None else open_extent
            assert extent is not None
            count = product(count, at_least_zero(extent))
        return count
    slowest = axis_order(declaration)[-1]
    extent = declaration.shape[slowest].extent
    extent = extent if extent is not None else open_extent
    assert extent is not None
    return product(at_least_zero(strides(declaration)[slowest]), at_least_zero(extent))


def at_least_zero(expr: Expr) -> Expr:
    """Fortran's meaning of an extent."""
    value = constant(expr)
    return Call("max", (expr, integer(0, INTEGER8))) if value is None else integer(max(value, 0), INTEGER8)


def product(left: Expr, right: Expr) -> Expr:
    """``left*right``, multiplied out where both are constants."""
    one, two = constant(left), constant(right)
    if one is not None and two is not None:
        return integer(one * two, INTEGER8)
    if one == 1:
        return right
    return left if two == 1 else Binary("*", left, right)


def _rounded(stride: Expr, multiple: int) -> Expr:
    if multiple == 1:
        return stride
    value = constant(stride)
    factor = integer(multiple, INTEGER8)
    if value is not None:
        return integer(-(-value // multiple) * multiple, INTEGER8)
    return Binary("*", Call("floordiv", (Binary("+", stride, integer(multiple - 1, INTEGER8)), factor)), factor)


def alignment(declaration: Declaration) -> int:
    """Bytes that the first element's address must be a multiple of: a whole vector where an axis is one."""
    for axis, place in enumerate(declaration.layout):
        if place.is_vector:
            return declaration.type.size * (constant(declaration.shape[axis].extent) or 1)
    return declaration.type.size


def map_dims(declaration: Argument, change: Callable[[tuple[Dim, ...]], tuple[Dim, ...]]) -> Argument:
    """An argument with its shape, and its declared one, changed (a size fixed, a name replaced)."""
    return replace(declaration, shape=change(declaration.shape), declared=change(declaration.declared))


def with_outer_axes(temporary: Temporary, dims: Sequence[Dim], names: Sequence[str] = ()) -> Temporary:
    """The temporary with more axes at the end, which vary slowest."""
    layout = temporary.layout
    if layout:
        first = 1 + max(place.rank for place in layout)
        layout = (*layout, *(AxisPlace(first + number) for number in range(len(dims))))
    axis_names = temporary.axis_names
    if axis_names:
        new = [*names, *(f"axis{len(axis_names) + number}" for number in range(len(names), len(dims)))]
        axis_names = (*axis_names, *new)
    return replace(temporary, shape=(*temporary.shape, *dims), layout=layout, axis_names=axis_names)


# -- split axes -----------------------------------------------------------------------------------------------------
def split_dims(shape: Sequence[Dim], split: AxisSplit) -> tuple[Dim, ...]:
    """The shape after a split: the outer extent is rounded up, so that every element has a place.

    >>> shape = (Dim(integer(1), integer(10)),)
    >>> [constant(dim.extent) for dim in split_dims(shape, AxisSplit(0, 4, "F"))]
    [4, 3]
    """
    extent = shape[split.axis].extent
    assert extent is not None
    value = constant(extent)
    if value is not None:
        outer: Expr = integer(-(-value // split.count))
    else:
        outer = Call("floordiv", (Binary("+", extent, integer(split.count - 1)), integer(split.count)))
    pair = (Dim(integer(0), outer), Dim(integer(0), integer(split.count)))
    return _with_pair(shape, split, pair)


def split_items(items: Sequence[T], split: AxisSplit, cut: Callable[[T, int], tuple[T, T]]) -> tuple[T, ...]:
    """Per-axis items after a split; ``cut(item, count)`` gives outer and inner."""
    return _with_pair(items, split, cut(items[split.axis], split.count))


def _with_pair(items: Sequence[T], split: AxisSplit, pair: tuple[T, T]) -> tuple[T, ...]:
    outer, inner = pair
    new = (outer, inner) if split.order == "C" else (inner, outer)
    return (*items[: split.axis], *new, *items[split.axis + 1 :])


def join_items(items: Sequence[T], splits: Sequence[AxisSplit], join: Callable[[T, T, int], T]) -> tuple[T, ...]:
    """Per-axis items of the declared axes; ``join(outer, inner, count)`` gives one.

    >>> join_items([1, 2, 3], [AxisSplit(0, 4, "F")], lambda outer, inner, count: count * outer + inner)
    (9, 3)
    """
    result = tuple(items)
    for split in reversed(splits):
        first, second = result[split.axis : split.axis + 2]
        outer, inner = (first, second) if split.order == "C" else (second, first)
        result = (*result[: split.axis], join(outer, inner, split.count), *result[split.axis + 2 :])
    return result


def splits_of(declaration: Declaration) -> tuple[AxisSplit, ...]:
    """Splits that an argument remembers; a temporary just has the shape that it has."""
    return declaration.splits if isinstance(declaration, Argument) else ()


def split_places(declaration: Declaration, split: AxisSplit) -> tuple[AxisPlace, ...]:
    """The layout after a split: the inner axis lies where the whole one lay, the outer one just outside it."""
    found = places(declaration)
    own = found[split.axis]
    if own.stride is not None:
        return split_items(found, split, lambda place, count: (AxisPlace(stride=(place.stride or 1) * count), place))
    moved = tuple(replace(p, rank=p.rank + 1) if p.rank > own.rank and p.stride is None else p for p in found)
    return split_items(moved, split, lambda place, count: (AxisPlace(own.rank + 1), place))


def normalised(layout: Sequence[AxisPlace]) -> tuple[AxisPlace, ...]:
    """The layout, () where it is column-major."""
    return () if all(place == AxisPlace(rank) for rank, place in enumerate(layout)) else tuple(layout)


def keeps_memory(argument: Argument) -> bool:
    """Whether each element lies where Fortran has it: axes were split at most, and nothing is padded between."""
    if not is_dense(argument):
        return False
    shape = declared_shape(argument)
    order = list(range(len(shape)))
    for split in argument.splits:
        extent = constant(shape[split.axis].extent)
        if order[-1] != split.axis and (extent is None or extent % split.count):
            return False
        shape = split_dims(shape, split)
        inner, outer = (split.axis, split.axis + 1) if split.order == "F" else (split.axis + 1, split.axis)
        moved = [[inner, outer] if a == split.axis else [a + 1 if a > split.axis else a] for a in order]
        order = [axis for pair in moved for axis in pair]
    return tuple(order) == axis_order(argument)


def declared_shape(declaration: Declaration) -> tuple[Dim, ...]:
    """The shape that Fortran declares."""
    return declaration.declared if splits_of(declaration) and isinstance(declaration, Argument) else declaration.shape


def declared_indices(declaration: Declaration, indices: Sequence[Expr]) -> tuple[Expr, ...]:
    """Subscripts of the declared array for those of the split one."""
    return join_items(tuple(indices), splits_of(declaration), _joined)


def _joined(outer: Expr, inner: Expr, count: int) -> Expr:
    return _undivided(outer, inner, count) or added(scaled(outer, count), inner)


def _undivided(outer: Expr, inner: Expr, count: int) -> Expr | None:
    """``e`` for ``e/4`` and ``mod(e, 4)``: data in subscripts come back as they were."""
    by: tuple[Expr, Expr]
    if isinstance(outer, Call) and outer.function == "floordiv":
        by, rest = (outer.arguments[0], outer.arguments[1]), "floormod"
    elif isinstance(outer, Binary) and outer.op == "/":
        by, rest = (outer.left, outer.right), "mod"
    else:
        return None
    same = isinstance(inner, Call) and inner.function == rest and inner.arguments == by and constant(by[1]) == count
    return by[0] if same else None


def as_declared(kernel: Kernel, names: Sequence[str] | None = None) -> Kernel:
    """The kernel with its arguments (or those named) as declared: no split axes, column-major."""
    changed = {
        a.name: a
        for a in kernel.arguments
        if (a.splits or a.layout or a.axis_names) and (names is None or a.name in names)
    }
    if not changed:
        return kernel

    def element(node: Expr) -> Expr | None:
        if isinstance(node, Subscript) and node.array in changed:
            return Subscript(node.array, declared_indices(changed[node.array], node.indices))
        return None

    plain = {
        name: replace(a, shape=declared_shape(a), declared=(), splits=(), layout=(), axis_names=())
        for name, a in changed.items()
    }
    return replace(
        kernel,
        arguments=tuple(plain.get(a.name, a) for a in kernel.arguments),
        statements=tuple(map_expressions(s, lambda expr: transform(expr, element)) for s in kernel.statements),
        rules=tuple(replace(rule, body=transform(rule.body, element)) for rule in kernel.rules),
    )
