"""Does it fit: work-groups, local memory, constants, and sizes that must be known when code is written."""

from __future__ import annotations

from collections.abc import Iterable

from fortrancl.analysis.lanes import lanes_of, storage_space
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.affine import to_aff
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.layout import constant, storage_elements
from fortrancl.ir.limits import DeviceLimits
from fortrancl.source import Span


def require_groups_fit(
    kernel: Kernel, statements: Iterable[str], size: tuple[int, int, int], limits: DeviceLimits
) -> None:
    """A work-group within the device's limits. Raises FCL501 (all axes together), FCL503 (one axis)."""
    chosen = tuple(statements)
    for axis, count in enumerate(size):
        if count > limits.max_item_sizes[axis]:
            name, span = _lane(kernel, chosen, axis)
            raise CompileError(
                [
                    Diagnostic(
                        "FCL503",
                        f"loop '{name}' has {count} iterations on l.{axis}; the device allows "
                        f"{limits.max_item_sizes[axis]} work-items along that axis",
                        span or kernel.span,
                        hints=(f"split '{name}' shorter, or tag it with another axis",),
                    )
                ]
            )
    total = size[0] * size[1] * size[2]
    if total > limits.work_group_size:
        used = [axis for axis in range(3) if size[axis] > 1]
        names = ", ".join(f"'{_lane(kernel, chosen, axis)[0]}' (l.{axis}): {size[axis]}" for axis in used)
        span = _lane(kernel, chosen, used[0])[1]
        raise CompileError(
            [
                Diagnostic(
                    "FCL501",
                    f"a work-group of {' x '.join(str(size[axis]) for axis in used)} = {total} work-items; the device "
                    f"allows {limits.work_group_size}",
                    span or kernel.span,
                    notes=(f"the lengths come from {names}",),
                    hints=("split the loops shorter",),
                )
            ]
        )


def _lane(kernel: Kernel, statements: tuple[str, ...], axis: int) -> tuple[str, Span | None]:
    """The longest iname on an axis, for messages."""
    longest: tuple[int, str] = (-1, "")
    for statement in statements:
        name = lanes_of(kernel, statement).get(("l", axis))
        if name is not None:
            high = kernel.statement_by_id[statement].domain.range(name)[1] or 0
            longest = max(longest, (high, name))
    name = longest[1]
    return name, kernel.iname_by_name[name].span if name else None


def constant_elements(temporary: Temporary) -> int:
    """Number of elements of a private or local temporary, padding included. Raises FCL410 where it is no constant."""
    for dim in temporary.shape:
        if constant(dim.extent) is None:
            raise CompileError(
                [
                    Diagnostic(
                        "FCL410",
                        f"the size of '{temporary.name}' is not known at compile time, so a work-item or group cannot "
                        "hold it",
                        temporary.span,
                        hints=("lp.fix_parameters makes the sizes that it depends on constants",),
                    )
                ]
            )
    return max(constant(storage_elements(temporary)) or 1, 1)


def require_memory_fits(kernel: Kernel, used: Iterable[str], limits: DeviceLimits) -> None:
    """Local temporaries of one launch, and constant tables. Raises FCL502, FCL504, FCL410."""
    names = set(used)
    local: list[tuple[Temporary, int]] = []
    constant: list[tuple[Temporary, int]] = []
    for temporary in kernel.temporaries:
        if temporary.name not in names:
            continue
        if temporary.values:
            constant.append((temporary, len(temporary.values) * temporary.type.size))
        elif storage_space(kernel, temporary) != "global":
            size = constant_elements(temporary) * temporary.type.size
            if temporary.base is not None:
                # Of those that share storage the largest counts, once.
                rivals = [t for t in kernel.temporaries_by_base[temporary.base] if t.name in names]
                if temporary != max(rivals, key=constant_elements):
                    continue
            if storage_space(kernel, temporary) == "local":
                local.append((temporary, size))
    _require(local, limits.local_bytes, "FCL502", "local memory", "make the tiles smaller, or split the loops shorter")
    _require(constant, limits.constant_bytes, "FCL504", "constant memory", "pass the table as an argument")


def _require(found: list[tuple[Temporary, int]], limit: int, code: str, memory: str, hint: str) -> None:
    total = sum(size for _, size in found)
    if total <= limit:
        return
    largest = max(found, key=lambda item: item[1])[0]
    sizes = ", ".join(f"'{t.name}' {_shape(t)} of {t.type}: {size} bytes" for t, size in found)
    raise CompileError(
        [
            Diagnostic(
                code,
                f"the kernel needs {total} bytes of {memory}; the device has {limit}",
                largest.span,
                notes=(sizes,),
                hints=(hint,),
            )
        ]
    )


def _shape(temporary: Temporary) -> str:
    extents = []
    for dim in temporary.shape:
        aff = None if dim.extent is None else to_aff(dim.extent, lambda name: False)
        extents.append(str(aff.constant()) if aff is not None else "?")
    return f"({', '.join(extents)})" if extents else "scalar"
