"""The data of one run of the reference interpreter: arguments, temporaries, sizes, results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from fortrancl.ir.arithmetic import convert, dtype_of
from fortrancl.ir.evaluate import Evaluator, constant
from fortrancl.ir.kernel import Argument, Dim, Kernel, Temporary
from fortrancl.ir.layout import declared_shape
from fortrancl.ir.memory import POISON, Cells, WorkItem

Space = Literal["private", "local", "global"]


class Store:
    """Arguments as given, and fresh memory for temporaries.

    ``shared`` holds what all work-items see; ``constants`` the scalars known at launch, sizes among them. ``watch``:
    whether there are several work-items, whose races are to be looked for.
    """

    def __init__(self, kernel: Kernel, arrays: Mapping[str, Any], scalars: Mapping[str, Any], *, watch: bool) -> None:
        self.kernel = kernel
        self.watch = watch
        self.sizes = _sizes(kernel, arrays, scalars)
        self.constants = _constants(kernel, scalars, self.sizes)
        self._evaluator = Evaluator(kernel, self.constants)
        self._declared: dict[str, tuple[int, ...]] = {}
        self._spaces = {temporary.name: self._space(temporary) for temporary in kernel.temporaries}
        self.shared = {argument.name: self._argument(argument, arrays, scalars) for argument in self._stored()}
        self.shared.update(self.fresh("global"))

    def space_of(self, name: str) -> Space:
        """Where a variable lives; arguments are global."""
        return self._spaces.get(name, "global")

    def fresh(self, space: Space) -> dict[str, Cells]:
        """New, poisoned cells of all temporaries of one address space."""
        cells = {t.name: self._temporary(t) for t in self.kernel.temporaries if self._spaces[t.name] == space}
        for members in self.kernel.temporaries_by_base.values():
            shared = [cells[member.name] for member in members if member.name in cells]
            for own in shared:
                own.partners = [other for other in shared if other is not own]
        return cells

    def results(self) -> dict[str, Any]:
        """Array arguments, and scalar arguments that the kernel writes."""
        result: dict[str, Any] = {}
        for argument in self._stored():
            cells = self.shared[argument.name]
            if argument.shape:
                elements = elements_of(argument, self._declared[argument.name])
                places = elements.ravel(order="F")
                flat = np.empty(np.prod(self._declared[argument.name], dtype=int), dtype_of(argument.type))
                for place, value in zip(places, cells.values, strict=True):
                    if place >= 0:
                        flat[place] = value
                result[argument.name] = flat.reshape(self._declared[argument.name], order="F")
            else:
                result[argument.name] = cells.values[0]
        return result

    def _stored(self) -> list[Argument]:
        return [a for a in self.kernel.arguments if a.shape or a.name in self.kernel.written]

    def _space(self, temporary: Temporary) -> Space:
        if temporary.address_space != "auto":
            return temporary.address_space
        if self.watch and not temporary.values:
            raise ValueError(f"the address space of '{temporary.name}' is open: finalise the kernel first")
        return "global"

    def _argument(self, argument: Argument, arrays: Mapping[str, Any], scalars: Mapping[str, Any]) -> Cells:
        if not argument.shape:
            value = convert(_plain(scalars[argument.name]), argument.type)
            return Cells(argument.name, (), [value], watch=self.watch)
        given = np.asarray(arrays[argument.name])
        wanted = [self._extent(dim) for dim in declared_shape(argument)]
        if given.ndim != len(wanted) or any(w is not None and w != g for w, g in zip(wanted, given.shape, strict=True)):
            raise ValueError(f"'{argument.name}' has shape {given.shape}, declared {wanted}")
        flat = given.astype(dtype_of(argument.type)).ravel(order="F")
        values = list(flat) if argument.type.base in ("real", "complex") else flat.tolist()
        self._declared[argument.name] = given.shape
        if not argument.splits:
            return Cells(argument.name, tuple(given.shape), values, watch=self.watch)
        elements = elements_of(argument, given.shape)
        placed = [values[at] if at >= 0 else POISON for at in elements.ravel(order="F")]
        return Cells(argument.name, elements.shape, placed, watch=self.watch)

    def _temporary(self, temporary: Temporary) -> Cells:
        shape = []
        for dim in temporary.shape:
            extent = self._extent(dim)
            if extent is None:
                raise ValueError(f"temporary '{temporary.name}' has no extent")
            shape.append(max(0, extent))
        values = [constant(value) for value in temporary.values] or [POISON] * int(np.prod(shape, dtype=int))
        space = self._spaces[temporary.name]
        watch = self.watch and space != "private" and not temporary.values
        return Cells(
            temporary.name,
            tuple(shape),
            values,
            space=space,
            private_to=temporary.private_to,
            watch=watch,
        )

    def _extent(self, dim: Dim) -> int | None:
        if dim.extent is None:
            return None
        return int(self._evaluator.compile(dim.extent)(WorkItem((), (), {})))


def elements_of(argument: Argument, shape: tuple[int, ...]) -> Any:
    """For each place of the split array the declared element that it holds, by column-major number; −1 for filling.

    >>> from fortrancl.ir.kernel import AxisSplit
    >>> from fortrancl.ir.types import REAL8
    >>> elements_of(Argument("x", REAL8, splits=(AxisSplit(0, 2, "F"),)), (3,)).tolist()
    [[0, 2], [1, -1]]
    """
    elements: Any = np.arange(np.prod(shape, dtype=int)).reshape(shape, order="F")
    for split in argument.splits:
        moved: Any = np.moveaxis(elements, split.axis, -1)
        filling = -moved.shape[-1] % split.count
        moved = np.concatenate((moved, np.full((*moved.shape[:-1], filling), -1)), axis=-1)
        pairs = moved.reshape((*moved.shape[:-1], moved.shape[-1] // split.count, split.count))
        first, second = (split.axis, split.axis + 1) if split.order == "C" else (split.axis + 1, split.axis)
        elements = np.moveaxis(pairs, (-2, -1), (first, second))
    return elements


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.integer | np.bool_) else value


def _sizes(kernel: Kernel, arrays: Mapping[str, Any], scalars: Mapping[str, Any]) -> dict[str, int]:
    sizes = {name: int(scalars[name]) for name in kernel.parameters if name in kernel.argument_by_name}
    for extent in kernel.extents:
        sizes[extent.name] = int(np.shape(arrays[extent.array])[extent.axis])
    if kernel.assumptions.where(sizes).is_empty():
        raise ValueError(f"{sizes} breaks the kernel's assumptions {kernel.assumptions.constraints}")
    for fixed in kernel.fixed:
        if scalars[fixed.name] != fixed.value.value:
            raise ValueError(f"'{fixed.name}' is fixed to {fixed.value.value}, not {scalars[fixed.name]}")
    return sizes


def _constants(kernel: Kernel, scalars: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    values: dict[str, Any] = dict(sizes)
    for argument in kernel.arguments:
        if not argument.shape and argument.name not in kernel.written:
            values[argument.name] = convert(_plain(scalars[argument.name]), argument.type)
    return values
