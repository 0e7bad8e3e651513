"""What a staging step is about: the uses of a rule, the loops outside and swept, the place, and the part to copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from fortrancl.analysis.accesses import expand_rules
from fortrancl.analysis.legality import Moment, reads_of, require_unchanged
from fortrancl.diagnostics import StepError
from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import Expr, RuleCall, Subscript, Var, scalar_names, substitute, walk
from fortrancl.ir.kernel import Kernel, Rule, Statement
from fortrancl.ir.match import matches
from fortrancl.poly import Aff, Set
from fortrancl.transform.arguments import Names, find_inames
from fortrancl.transform.footprint import Footprint, Use, footprint
from fortrancl.transform.placement import Place, find_place
from fortrancl.transform.rules import callers, expand_only
from fortrancl.transform.substitution import calls_in

StorageAxis: TypeAlias = str | int
"""A swept iname that no argument holds, or the position of a rule's parameter."""


@dataclass(frozen=True)
class Stage:
    """What a precompute decided: the rule, its uses and sweep, the outer inames, where, and which part.

    ``is_promised``: the part is more than what the uses read, because the script says so.
    """

    rule: Rule
    uses: tuple[Use, ...]
    calls: tuple[RuleCall, ...]
    sweep: tuple[str, ...]
    outer: tuple[str, ...]
    place: Place
    part: Footprint
    is_promised: bool = False


def plan_stage(
    kernel: Kernel,
    rule: Rule,
    sweep_inames: Names,
    within: str | None,
    outer_inames: Names | None,
    promised: Sequence[tuple[Expr | None, ...]] = (),
) -> Stage:
    """What to copy, where. ``promised`` are arguments that the copy holds besides those in use, None for a whole axis.

    Errors: FCL251, FCL252, FCL261, FCL263, FCL264.
    """
    sweep = find_inames(kernel, sweep_inames, "sweep_inames")
    chosen = matches(kernel, within)
    through = callers(kernel, rule.name)
    uses: list[Use] = []
    calls: list[RuleCall] = []
    for statement in kernel.statements:
        if statement.id not in chosen:
            continue
        for side in (statement.target, statement.value):
            for call in calls_in(expand_only(side, kernel, through), rule.name):
                arguments = tuple(expand_rules(argument, kernel) for argument in call.arguments)
                uses.append(Use(statement, arguments))
                calls.append(RuleCall(rule.name, arguments))
    if not uses:
        raise StepError("FCL261", f"no statement uses rule '{rule.name}'", argument="subst_use")
    more = [_promised_use(kernel, rule, uses[0].statement, indices) for indices in promised]
    told = [RuleCall(rule.name, use.indices) for use in more] or calls
    outer = _outer(kernel, uses, told, sweep, outer_inames)
    if outer_inames is None:
        outer = _with_loops_round(kernel, uses, sweep, outer)
    for name in sweep:
        strangers = [use.statement for use in uses if name not in use.statement.inames]
        if strangers:
            raise StepError(
                "FCL263", f"a use of '{rule.name}' runs outside loop '{name}'", argument="sweep_inames", value=name
            )
    place = find_place(kernel, [use.statement.id for use in uses], frozenset(outer), "sweep_inames")
    free = swept_in_body(kernel, rule, sweep)
    part = footprint(kernel, [*uses, *more], frozenset(outer), "sweep_inames", free)
    return Stage(rule, tuple(uses), tuple(calls), sweep, outer, place, part, bool(more))


def _promised_use(kernel: Kernel, rule: Rule, statement: Statement, indices: Sequence[Expr | None]) -> Use:
    """A use that a script makes up: subscripts in the inames of a real one, whole axes swept by inames of their own."""
    body = rule.body
    assert isinstance(body, Subscript)
    shape = kernel.declaration(body.array).shape
    sizes = frozenset(kernel.parameters)
    arguments: list[Expr] = []
    for axis, index in enumerate(indices):
        if index is not None:
            strangers = scalar_names(index) & set(kernel.iname_by_name) - set(statement.inames)
            if strangers:
                raise StepError("FCL263", f"no use runs in loop '{min(strangers)}'", argument="footprint_subscripts")
            arguments.append(index)
            continue
        declared = shape[axis].extent
        extent = None if declared is None else to_aff(declared, sizes.__contains__)
        if extent is None:
            raise StepError(
                "FCL264", f"axis {axis + 1} of '{body.array}' has no known extent", argument="footprint_subscripts"
            )
        name = f"$axis{axis}"
        domain = statement.domain & (Aff.name(name) >= 0) & (Aff.name(name) < extent)
        statement = replace(statement, inames=(*statement.inames, name), domain=domain)
        arguments.append(Var(name))
    return Use(statement, tuple(arguments))


def _outer(
    kernel: Kernel, uses: Sequence[Use], calls: Sequence[RuleCall], sweep: tuple[str, ...], given: Names | None
) -> tuple[str, ...]:
    """Outer inames in the first use's order: given, or whatever the rule and its arguments need beyond the swept."""
    needed: set[str] = set()
    for call in calls:
        expanded = expand_rules(call, kernel)
        names = {name for argument in call.arguments for name in scalar_names(argument)} | scalar_names(expanded)
        for node in walk(expanded):
            name = node.array if isinstance(node, Subscript) else node.name if isinstance(node, Var) else ""
            if name in kernel.temporary_by_name:
                names |= set(_owners(kernel, name, sweep))
        needed |= names & set(kernel.iname_by_name)
    chosen = set(find_inames(kernel, given, "precompute_outer_inames")) if given is not None else needed - set(sweep)
    missing = needed - chosen - set(sweep)
    if missing:
        raise StepError(
            "FCL263",
            f"the rule needs loop '{min(missing)}', which is neither swept nor outer",
            argument="precompute_outer_inames",
        )
    first = uses[0].statement.inames
    unused = chosen - set(first)
    if unused:
        raise StepError(
            "FCL263", f"a use runs outside loop '{min(unused)}'", argument="precompute_outer_inames", value=min(unused)
        )
    return tuple(name for name in first if name in chosen)


def _owners(kernel: Kernel, name: str, sweep: tuple[str, ...]) -> tuple[str, ...]:
    """Inames that a local value belongs to; a sweep over one of them would have to read other iterations' values."""
    owners = kernel.temporary_by_name[name].private_to
    swept = next((owner for owner in owners if owner in sweep), None)
    if swept is not None:
        raise StepError(
            "FCL263",
            f"the rule reads '{name}', which each iteration of loop '{swept}' has for itself",
            argument="sweep_inames",
            value=swept,
            hints=(f"make '{name}' a rule first: lp.assignment_to_subst",),
        )
    return owners


def _with_loops_round(
    kernel: Kernel, uses: Sequence[Use], sweep: tuple[str, ...], outer: tuple[str, ...]
) -> tuple[str, ...]:
    """Outer inames and the loops round them: where an outer loop stands inside one that the rule does not need, the
    copy is made anew in each of that one's iterations too."""
    inames = uses[0].statement.inames
    needed: set[str] = set()
    for use in uses:
        loops = kernel.paths[use.statement.id][1]
        last = max((position for position, loop in enumerate(loops) if loop in outer), default=-1)
        needed |= set(loops[: last + 1])
    if needed & set(sweep) or not needed <= set(inames):
        return outer
    return tuple(name for name in inames if name in outer or name in needed)


def require_same_values(kernel: Kernel, stage: Stage) -> None:
    """Nothing that the rule reads is written between the copy and a use."""
    start = Moment((*stage.place.block, stage.place.first), stage.place.loops)
    for use, call in zip(stage.uses, stage.calls, strict=True):
        path, loops = kernel.paths[use.statement.id]
        require_unchanged(
            kernel,
            reads_of(expand_rules(call, kernel), kernel),
            use.statement.domain,
            start,
            Moment(path, loops),
            argument="sweep_inames",
            what=f"staging '{stage.rule.name}'",
        )


def swept_in_body(kernel: Kernel, rule: Rule, sweep: Sequence[str]) -> tuple[str, ...]:
    """Swept inames that the rule, expanded, uses besides what its arguments say."""
    marks: dict[str, Expr] = {name: Var(f"${name}") for name in rule.parameters}
    free = scalar_names(expand_rules(substitute(rule.body, marks), kernel))
    return tuple(name for name in sweep if name in free)


def storage_axes_of(kernel: Kernel, stage: Stage, order: tuple[str, ...] | None) -> tuple[StorageAxis, ...]:
    """Swept inames that the rule uses by itself, in the given order, then the rule's parameters (design 4.1)."""
    plain: tuple[StorageAxis, ...] = swept_in_body(kernel, stage.rule, stage.sweep)
    plain += tuple(range(len(stage.rule.parameters)))
    if order is None:
        return plain
    names: dict[str, StorageAxis] = {str(a) if isinstance(a, str) else stage.rule.parameters[a]: a for a in plain}
    unknown = [name for name in order if name not in names]
    if unknown or len(set(order)) != len(names):
        raise StepError(
            "FCL252", f"storage axes are {', '.join(names)}", argument="storage_axes", value=(unknown or [""])[0]
        )
    return tuple(names[name] for name in order)


def axis_extent(stage: Stage, axis: StorageAxis, kernel: Kernel) -> int:
    """Number of elements along a storage axis. Errors: FCL264."""
    if isinstance(axis, int):
        return stage.part.axes[axis].extent
    union = Set.nothing()
    for use in stage.uses:
        union = union | (use.statement.domain & kernel.assumptions).project_onto([axis])
    high = union.range(axis)[1]
    if high is None:
        raise StepError(
            "FCL264", f"loop '{axis}' has no constant length", argument="sweep_inames", value=axis, hints=("split it",)
        )
    return high + 1
