"""How large everything is at a launch: copies, shapes, checks, as formulas over the scalar arguments.

Input: a launch plan. Output: one `BufferUse` for each global buffer, and the C of each formula.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fortrancl.analysis.bounds import CopyRange, LaunchCheck, copy_ranges, launch_checks
from fortrancl.host.compiled import CompiledKernel, heading_span, refusal
from fortrancl.ir.expr import Binary, Expr, integer, scalar_names
from fortrancl.ir.kernel import Dim
from fortrancl.ir.types import INTEGER8, ScalarType
from fortrancl.schedule.plan import DeviceBuffer, DeviceScalar, HostIf, HostLoop, HostNode, LaunchPlan, launches
from fortrancl.target.ctree import Expression
from fortrancl.target.host_expressions import host_integer_tree

_ZERO = integer(0, INTEGER8)


@dataclass(frozen=True)
class BufferUse:
    """One global buffer of a procedure: elements ``first`` … ``last`` of the host's array live in it.

    ``rows``: least and largest subscript of the first of several dimensions, by which parts of one matrix are told
    apart.
    """

    name: str
    type: ScalarType
    copy_in: bool
    copy_out: bool
    is_temporary: bool
    first: Expr
    last: Expr
    shape: tuple[Dim, ...] = ()
    rows: tuple[Expr, Expr] | None = None


@dataclass(frozen=True)
class Sizes:
    """Everything that the host computes for one procedure."""

    buffers: tuple[BufferUse, ...]
    checks: tuple[LaunchCheck, ...]

    def expressions(self) -> Iterator[Expr]:
        """All formulas but the launches' own."""
        for use in self.buffers:
            yield use.first
            yield use.last
            yield from use.rows or ()
            for dim in use.shape:
                yield dim.lower
                if dim.extent is not None:
                    yield dim.extent
        for check in self.checks:
            yield check.condition


def sizes(compiled: CompiledKernel) -> Sizes:
    """Buffers, arguments in the Fortran order before temporaries, and the bounds checks of the Fortran as written.

    Raises FCL311 where the part of an array that is touched has no formula.
    """
    plan = compiled.plan
    ranges = {**copy_ranges(plan.kernel), **{one.argument: one.range for one in plan.repacked}}
    found: dict[str, DeviceBuffer] = {}
    for launch in launches(plan.body):
        for parameter in launch.parameters:
            if isinstance(parameter, DeviceBuffer):
                found.setdefault(parameter.name, parameter)
    order = [argument.name for argument in plan.kernel.arguments if argument.name in found]
    order += [name for name, buffer in found.items() if buffer.origin == "temporary"]
    buffers = tuple(_use(plan, found[name], ranges) for name in order)
    return Sizes(buffers, launch_checks(compiled.procedure.kernel))


def _use(plan: LaunchPlan, buffer: DeviceBuffer, ranges: Mapping[str, CopyRange]) -> BufferUse:
    if buffer.origin == "temporary":
        count = buffer.element_count or integer(1, INTEGER8)
        last = Binary("-", count, integer(1, INTEGER8))
        return BufferUse(buffer.name, buffer.type, False, False, True, _ZERO, last)
    if buffer.origin == "scalar_argument":
        return BufferUse(buffer.name, buffer.type, True, True, False, _ZERO, _ZERO)
    part = ranges[buffer.name]
    shape = plan.kernel.argument_by_name[buffer.name].shape
    return BufferUse(
        buffer.name, buffer.type, part.copy_in, part.copy_out, False, part.first, part.last, shape, part.rows
    )


def plan_expressions(nodes: tuple[HostNode, ...]) -> Iterator[Expr]:
    """Group counts, bounds of host loops, conditions."""
    for node in nodes:
        if isinstance(node, HostLoop):
            yield node.lower
            yield node.upper
            yield from plan_expressions(node.body)
        elif isinstance(node, HostIf):
            yield node.condition
            yield from plan_expressions(node.body)
        else:
            yield from node.group_counts


def names_needed(compiled: CompiledKernel, found: Sizes) -> frozenset[str]:
    """Scalars that launches or formulas use, and fixed ones, which are checked."""
    plan = compiled.plan
    names = {fixed.name for fixed in plan.kernel.fixed}
    for expr in (*found.expressions(), *plan_expressions(plan.body)):
        names |= scalar_names(expr)
    for launch in launches(plan.body):
        names |= {p.name for p in launch.parameters if isinstance(p, DeviceScalar)}
    return frozenset(names)


def formula(expr: Expr, names: Mapping[str, str], compiled: CompiledKernel) -> Expression:
    """C of a formula. Raises FCL607 where it needs data that only the device has."""
    try:
        return host_integer_tree(expr, names)
    except ValueError as problem:
        raise refusal(
            "FCL607",
            f"a size that the launcher of '{compiled.procedure.name}' needs depends on data: {problem}",
            heading_span(compiled.procedure),
            hints=("let sizes and loop bounds be scalar arguments",),
        ) from None
