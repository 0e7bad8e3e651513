"""Statements as the hardware sees them: work-items and groups by number (``@l0``, ``@g0``), whatever the inames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fortrancl.analysis.lanes import Axis, is_redundant, lane_axes, lanes_of, storage_space
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.kernel import Kernel, Statement, Temporary
from fortrancl.poly import Aff, Set
from fortrancl.schedule.nodes import lane_name
from fortrancl.schedule.ranges import Range, range_of


@dataclass(frozen=True)
class Hardware:
    """The lanes of one launch: domains of its statements over hardware numbers, and the ranges of those numbers."""

    kernel: Kernel
    domains: Mapping[str, Set]
    group_size: tuple[int, int, int]
    groups: Mapping[int, Range]

    @property
    def lanes(self) -> frozenset[str]:
        """Names of all work-item numbers."""
        return frozenset(lane_name("l", axis) for axis in range(3))

    def known(self) -> Set:
        """What the hardware guarantees: work-item and group numbers lie in their ranges."""
        result = self.kernel.assumptions
        for axis, size in enumerate(self.group_size):
            lane = Aff.name(lane_name("l", axis))
            result = result & (lane >= 0) & (lane < size)
        for axis, numbers in self.groups.items():
            result = result & (Aff.name(lane_name("g", axis)) >= 0) & numbers.below_stop()
        return result


def canonical(kernel: Kernel, statement: Statement) -> dict[str, str]:
    """Iname → hardware number, for the lane inames of a statement. Raises FCL403 where two share one axis."""
    result: dict[str, str] = {}
    owner: dict[str, str] = {}
    for name in statement.inames:
        tag = kernel.iname_by_name[name].tag
        if tag is not None and tag.is_lane and tag.axis is not None:
            lane = lane_name(tag.kind, tag.axis)
            if lane in owner:
                raise CompileError(
                    [
                        Diagnostic(
                            "FCL403",
                            f"loops '{owner[lane]}' and '{name}' of one statement are both tagged {tag}",
                            statement.span,
                            hints=(f"give one of them another axis than {tag}, or split it off the statement",),
                        )
                    ]
                )
            owner[lane] = name
            result[name] = lane
    return result


def hardware_domain(kernel: Kernel, statement: Statement) -> Set:
    """The statement's domain over hardware numbers; an axis that it lacks is 0 unless every lane executes it.

    Values in local memory belong to a group: every group makes its own (design 5.4 means global memory).
    """
    domain = statement.domain.rename(canonical(kernel, statement))
    if is_redundant(kernel, statement.id):
        return domain
    have = lanes_of(kernel, statement.id)
    for kind, axis in lane_axes(kernel):
        if (kind, axis) not in have and not (kind == "g" and _is_local(kernel, statement)):
            domain = domain & Aff.name(lane_name(kind, axis)).eq(0)
    return domain


def _is_local(kernel: Kernel, statement: Statement) -> bool:
    declaration = kernel.declaration(statement.target_name)
    return isinstance(declaration, Temporary) and storage_space(kernel, declaration) == "local"


def hardware_of(kernel: Kernel, statements: Iterable[str], fixed: Iterable[str] = ()) -> Hardware:
    """The lanes that a launch of these statements needs; ``fixed`` are host loops round it.

    Raises FCL402 (size of a group not constant), FCL403, FCL404 (number of groups without a formula).
    """
    chosen = [kernel.statement_by_id[name] for name in dict.fromkeys(statements)]
    used = [axis for axis in lane_axes(kernel) if any(axis in lanes_of(kernel, s.id) for s in chosen)]
    sizes = [1, 1, 1]
    groups: dict[int, Range] = {}
    for kind, axis in used:
        carriers = [s for s in chosen if (kind, axis) in lanes_of(kernel, s.id)]
        if kind == "l":
            sizes[axis] = max(_lane_count(kernel, s, (kind, axis)) for s in carriers)
        else:
            # What only group 0 does; a value in private or local memory serves its own group alone.
            others = [s for s in chosen if (kind, axis) not in lanes_of(kernel, s.id)]
            first = any(not is_redundant(kernel, s.id) and not _is_local(kernel, s) for s in others)
            groups[axis] = _group_range(kernel, carriers, axis, frozenset(fixed), needs_first=first)
    domains = {s.id: _without_unused(kernel, hardware_domain(kernel, s), used) for s in chosen}
    return Hardware(kernel, domains, (sizes[0], sizes[1], sizes[2]), groups)


def _without_unused(kernel: Kernel, domain: Set, used: Iterable[Axis]) -> Set:
    """An axis that no statement of this launch carries has one number, 0: nothing to test."""
    return domain.project_out(lane_name(*axis) for axis in lane_axes(kernel) if axis not in used)


def _lane_count(kernel: Kernel, statement: Statement, axis: Axis) -> int:
    name = lanes_of(kernel, statement.id)[axis]
    # Every second work-item idle is better than a group of an odd size.
    low, high = (statement.domain & kernel.assumptions).without_divisions().range(name)
    if low is None or high is None:
        low, high = (statement.domain & kernel.assumptions).range(name)
    if high is None or low is None:
        if (statement.domain & kernel.assumptions).is_empty():
            return 1
        raise CompileError(
            [
                Diagnostic(
                    "FCL402",
                    f"loop '{name}' is tagged l.{axis[1]}, but its length is not a constant",
                    kernel.iname_by_name[name].span or statement.span,
                    notes=("the number of work-items in a group is fixed when the kernel is compiled",),
                    hints=(
                        f'split it first: lp.split_iname(kernel, "{name}", 16, outer_tag="g.0", '
                        f'inner_tag="l.{axis[1]}")',
                    ),
                )
            ]
        )
    return max(high + 1, 1)


def _group_range(
    kernel: Kernel, carriers: list[Statement], axis: int, fixed: frozenset[str], needs_first: bool
) -> Range:
    """Groups along an axis. ``needs_first``: some statement lacks the axis, so group 0 exists whatever the sizes."""
    lane = lane_name("g", axis)
    keep = {lane, *kernel.parameters, *fixed}
    domain = Set.nothing()
    for statement in carriers:
        own = (statement.domain & kernel.assumptions).rename(canonical(kernel, statement))
        domain = domain | own.project_onto(keep)
    if needs_first and not (kernel.assumptions <= domain.project_onto({*kernel.parameters, *fixed})):
        domain = domain | Aff.name(lane).eq(0)
    found = range_of(domain, lane, kernel.assumptions)
    if not found.is_bounded:
        name = lanes_of(kernel, carriers[0].id)[("g", axis)]
        raise CompileError(
            [
                Diagnostic(
                    "FCL404",
                    f"loop '{name}' is tagged g.{axis}, but its length has no formula in the arguments",
                    kernel.iname_by_name[name].span or carriers[0].span,
                    notes=("the host must know the number of work-groups before it launches the kernel",),
                    hints=(f"tag another loop g.{axis}, and leave '{name}' sequential",),
                )
            ]
        )
    return found
