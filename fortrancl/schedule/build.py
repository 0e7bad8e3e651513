"""From the final kernel to launches: the one entry of this room."""

from __future__ import annotations

from fortrancl.analysis.accesses import accesses
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.expr import Binary, Expr, Literal_, integer, scalar_names
from fortrancl.ir.kernel import Declaration, Kernel
from fortrancl.ir.limits import DeviceLimits
from fortrancl.ir.tree import Block, Run
from fortrancl.ir.types import INTEGER8
from fortrancl.schedule.barriers import insert_barriers
from fortrancl.schedule.check import require_groups_fit, require_memory_fits
from fortrancl.schedule.code import host_range, launch_code
from fortrancl.schedule.device_map import finalise
from fortrancl.schedule.hardware import Hardware, hardware_of
from fortrancl.schedule.launches import HostSegment, Segment, all_segments, recomputed, segments
from fortrancl.schedule.parameters import launch_parameters
from fortrancl.schedule.plan import HostLoop, HostNode, Launch, LaunchPlan
from fortrancl.schedule.repack import repack

__all__ = ["finalise", "plan"]


def plan(kernel: Kernel, limits: DeviceLimits | None = None) -> LaunchPlan:
    """The launches of a legal kernel, their geometry, parameters and code.

    Call `finalise` first where legality is to be asked of the final kernel; `plan` does it itself otherwise. Raises
    `CompileError` with FCL4xx (no code can be made so) or FCL5xx (it does not fit the device).
    """
    kernel = finalise(kernel)
    _require_known_extents(kernel)
    repacking = repack(kernel)
    kernel = repacking.kernel
    found = segments(kernel.tree)
    names = _function_names(kernel, sum(1 for _ in all_segments(found)))
    body = _host_nodes(kernel, found, (), names, limits or DeviceLimits())
    return LaunchPlan(kernel, (*repacking.before, *body, *repacking.after), repacking.repacked)


def _function_names(kernel: Kernel, count: int) -> list[str]:
    """Names in OpenCL C; the suffix keeps clear of its keywords and functions."""
    base = f"{kernel.name.lower()}_kernel"
    return [base] if count == 1 else [f"{base}_{number}" for number in range(count)]


def _host_nodes(
    kernel: Kernel,
    found: tuple[Segment | HostSegment, ...],
    loops: tuple[str, ...],
    names: list[str],
    limits: DeviceLimits,
) -> tuple[HostNode, ...]:
    result: list[HostNode] = []
    for item in found:
        if isinstance(item, Segment):
            result.append(_launch(kernel, item, names.pop(0), limits))
            continue
        inner = (*loops, item.iname)
        statements = [name for segment in all_segments(item.body) for name in segment.statements]
        values = host_range(kernel, item.iname, inner, statements)
        body = _host_nodes(kernel, item.body, inner, names, limits)
        context = kernel.assumptions
        result.append(HostLoop(item.iname, values.start(context), _less_one(values.stop(context)), body))
    return tuple(result)


def _less_one(expr: Expr) -> Expr:
    if isinstance(expr, Literal_) and isinstance(expr.value, int):
        return integer(expr.value - 1, INTEGER8)
    return Binary("-", expr, integer(1, INTEGER8))


def _launch(kernel: Kernel, segment: Segment, function: str, limits: DeviceLimits) -> Launch:
    before = recomputed(kernel, segment)
    statements = (*before, *segment.statements)
    hardware = hardware_of(kernel, statements, segment.loops)
    require_groups_fit(kernel, statements, hardware.group_size, limits)
    touched = {access.array for access in accesses(kernel) if access.statement in statements}
    require_memory_fits(kernel, touched, limits)
    block = insert_barriers(kernel, segment.block, segment.loops, hardware)
    block = Block((*(Run(name) for name in before), *block.children))
    code = launch_code(kernel, block, segment.loops, hardware)
    return Launch(
        function,
        launch_parameters(kernel, code, segment.loops),
        hardware.group_size,
        _group_counts(kernel, hardware),
        code,
    )


def _group_counts(kernel: Kernel, hardware: Hardware) -> tuple[Expr, Expr, Expr]:
    counts = [
        hardware.groups[axis].stop(kernel.assumptions) if axis in hardware.groups else integer(1, INTEGER8)
        for axis in range(3)
    ]
    return counts[0], counts[1], counts[2]


def _require_known_extents(kernel: Kernel) -> None:
    """Extents are those at entry: a scalar that the kernel changes cannot be one."""
    declarations: tuple[Declaration, ...] = (*kernel.arguments, *kernel.temporaries)
    for argument in declarations:
        for dim in argument.shape:
            changed = scalar_names(dim.extent) & kernel.written if dim.extent is not None else frozenset()
            if changed:
                name = min(changed)
                raise CompileError(
                    [
                        Diagnostic(
                            "FCL411",
                            f"the shape of '{argument.name}' depends on '{name}', which the procedure changes",
                            argument.span,
                            hints=(f"copy '{name}' to a local variable and change that",),
                        )
                    ]
                )
