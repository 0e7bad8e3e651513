"""Staging: evaluate a rule ahead of its uses into a temporary that lanes share or keep (design 4.1, 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fortrancl.analysis.accesses import expand_rules
from fortrancl.analysis.legality import Moment, reads_of, require_unchanged
from fortrancl.diagnostics import StepError
from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import Binary, Expr, RuleCall, Subscript, Var, integer, scalar_names, substitute, transform, walk
from fortrancl.ir.kernel import AddressSpace, Dim, Iname, Kernel, Rule, Statement, Temporary
from fortrancl.ir.match import matches
from fortrancl.ir.text import find_array
from fortrancl.ir.tree import Run
from fortrancl.ir.typeof import type_of
from fortrancl.ir.types import INTEGER4, INTEGER8, REAL4, REAL8, ScalarType
from fortrancl.poly import Aff, Set
from fortrancl.transform.arguments import Names, find_iname, find_inames, name_list, new_name, parse_tag
from fortrancl.transform.footprint import Footprint, Use, footprint, from_base, offset_name
from fortrancl.transform.loops import set_tag
from fortrancl.transform.placement import Place, find_place, insert, nest
from fortrancl.transform.rules import callers, expand_only, rewrite_statements
from fortrancl.transform.substitution import calls_in, extract_subst, require_rule

SPACES: Mapping[str, AddressSpace] = {"private": "private", "local": "local", "global": "global", "auto": "auto"}


_DTYPES: Mapping[str, ScalarType] = {
    "real(4)": REAL4,
    "float32": REAL4,
    "real(8)": REAL8,
    "float64": REAL8,
    "int32": INTEGER4,
    "int64": INTEGER8,
}


@dataclass(frozen=True)
class _Stage:
    """What a precompute decided: the rule, its uses and sweep, the outer inames, where, and which part."""

    rule: Rule
    uses: tuple[Use, ...]
    calls: tuple[RuleCall, ...]
    sweep: tuple[str, ...]
    outer: tuple[str, ...]
    place: Place
    part: Footprint


def precompute(
    kernel: Kernel,
    subst_use: str,
    sweep_inames: Names = (),
    *,
    within: str | None = None,
    storage_axes: Names | None = None,
    temporary_name: str | None = None,
    precompute_inames: Names | None = None,
    precompute_outer_inames: Names | None = None,
    storage_axis_to_tag: Mapping[str | int, str] | None = None,
    default_tag: str | None = None,
    dtype: str | None = None,
    fetch_bounding_box: bool = False,
    temporary_address_space: str | None = None,
    compute_insn_id: str | None = None,
) -> Kernel:
    """Evaluate a rule for all values of the swept inames before its uses, which then read the results.

    The copy is made once for each iteration of the outer inames: those given, else all that the uses need but the swept
    ones. Axes of length 1 are dropped.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> from fortrancl.transform.loops import split_iname
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("y[i]", "x[i]", {"i": "n"})])
    >>> kernel = extract_subst(split_iname(kernel, "i", 4), "xa", "x[a]", parameters="a")
    >>> print(dump_tree(precompute(kernel, "xa", "i_inner")))
    for i_outer = 0 .. (n - 1)/4
      for xa_dim_0 = 0 .. min(3, n - 4*i_outer - 1)
        s1: xa_fetch[xa_dim_0] = x[4*i_outer + xa_dim_0]
      for i_inner = 0 .. min(3, n - 4*i_outer - 1)
        s0: y[i_inner + 4*i_outer] = xa_fetch[i_inner]

    Errors: FCL251, FCL252, FCL255, FCL261 (no use), FCL263 (no single place), FCL264 (no constant size), FCL265 (needs
    fetch_bounding_box), FCL268 (no such rule), FCL307 (what it reads changes before a use). Source: ARRAY'16,
    section 3.
    """
    rule = require_rule(kernel, subst_use, "subst_use")
    stage = _plan(kernel, rule, sweep_inames, within, precompute_outer_inames)
    _prove(kernel, stage)
    base_name = rule.name.removesuffix("_subst").removesuffix("_rule")
    temporary_name_ = new_name(kernel, temporary_name, f"{base_name}_fetch", "temporary_name")
    kinds = _storage(stage, name_list(storage_axes) if storage_axes is not None else None)
    kept = [axis for axis in kinds if _extent(stage, axis, kernel) > 1]
    inames, kernel_inames = _fetch_inames(kernel, stage, kinds, kept, base_name, precompute_inames)
    space = temporary_address_space or "auto"
    if space.lower() not in SPACES:
        raise StepError("FCL252", f"'{space}' is no address space", argument="temporary_address_space")
    body = substitute(rule.body, _fetch_values(kernel, stage, inames))
    body = substitute(body, {axis: Var(inames[axis]) for axis in kept if isinstance(axis, str)})
    shape = tuple(Dim(integer(0), integer(_extent(stage, axis, kernel))) for axis in kept)
    temporary = Temporary(
        temporary_name_,
        _scalar_type(dtype) if dtype else type_of(stage.calls[0], kernel),
        shape,
        private_to=stage.outer,
        address_space=SPACES[space.lower()],
        origin="fetch",
    )
    target: Var | Subscript = Var(temporary_name_)
    if kept:
        target = Subscript(temporary_name_, tuple(Var(inames[axis]) for axis in kept))
    fetch = Statement(
        kernel.fresh_statement_id(compute_insn_id or f"s{len(kernel.statements)}"),
        target,
        body,
        (*stage.outer, *(inames[axis] for axis in kept)),
        _fetch_domain(kernel, stage, inames, kept, body, fetch_bounding_box),
        span=stage.uses[0].statement.span,
    )
    fresh = [inames[axis] for axis in kept if inames[axis] in kernel_inames]
    looped = [inames[axis] for axis in kept if not _is_lane(kernel, inames[axis])]
    node = nest(looped, Run(fetch.id))
    result = _redirect(kernel, stage, temporary_name_, kept)
    result = replace(
        result,
        temporaries=(*result.temporaries, temporary),
        inames=(*result.inames, *(Iname(name) for name in fresh)),
        statements=(*result.statements, fetch),
        tree=insert(result.tree, stage.place.block, stage.place.first, [node]),
    )
    return _tagged(result, stage, kinds, inames, fresh, storage_axis_to_tag, default_tag)


def _is_lane(kernel: Kernel, name: str) -> bool:
    iname = kernel.iname_by_name.get(name)
    return iname is not None and iname.tag is not None and iname.tag.is_lane


def _scalar_type(dtype: str) -> ScalarType:
    known = {
        "real(4)": REAL4,
        "float32": REAL4,
        "real(8)": REAL8,
        "float64": REAL8,
        "int32": INTEGER4,
        "int64": INTEGER8,
    }
    if dtype not in known:
        raise StepError("FCL252", f"'{dtype}' is no type; say one of {', '.join(known)}", argument="dtype")
    return known[dtype]


def _plan(kernel: Kernel, rule: Rule, sweep_inames: Names, within: str | None, outer_inames: Names | None) -> _Stage:
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
    outer = _outer(kernel, uses, calls, sweep, outer_inames)
    for name in sweep:
        strangers = [use.statement for use in uses if name not in use.statement.inames]
        if strangers:
            raise StepError(
                "FCL263", f"a use of '{rule.name}' runs outside loop '{name}'", argument="sweep_inames", value=name
            )
    place = find_place(kernel, [use.statement.id for use in uses], frozenset(outer), "sweep_inames")
    part = footprint(kernel, uses, frozenset(outer), "sweep_inames")
    return _Stage(rule, tuple(uses), tuple(calls), sweep, outer, place, part)


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
                names |= set(kernel.temporary_by_name[name].private_to)
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


def _prove(kernel: Kernel, stage: _Stage) -> None:
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


StorageAxis = str | int
"""A swept iname that no argument holds, or the position of a rule's parameter."""


def _storage(stage: _Stage, order: tuple[str, ...] | None) -> tuple[StorageAxis, ...]:
    """Swept inames absent from the arguments, in the given order, then the rule's parameters (design 4.1)."""
    used = {name for call in stage.calls for argument in call.arguments for name in scalar_names(argument)}
    free = scalar_names(stage.rule.body) - set(stage.rule.parameters)
    plain: tuple[StorageAxis, ...] = tuple(name for name in stage.sweep if name not in used and name in free)
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


def _extent(stage: _Stage, axis: StorageAxis, kernel: Kernel) -> int:
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


def _fetch_inames(
    kernel: Kernel,
    stage: _Stage,
    kinds: tuple[StorageAxis, ...],
    kept: list[StorageAxis],
    base_name: str,
    given: Names | None,
) -> tuple[dict[StorageAxis, str], set[str]]:
    """Names of the copy's own loops, and which of them are new."""
    wanted = name_list(given) if given is not None else ()
    if wanted and len(wanted) not in (len(kept), len(kinds)):
        raise StepError("FCL252", f"the copy has {len(kept)} loops", argument="precompute_inames")
    pairs = dict(zip(kept if len(wanted) == len(kept) else kinds, wanted, strict=True)) if wanted else {}
    names: dict[StorageAxis, str] = {}
    fresh: set[str] = set()
    for axis in kept:
        if axis in pairs:
            if any(pairs[axis].lower() == known.lower() for known in kernel.iname_by_name):
                names[axis] = find_iname(kernel, pairs[axis], "precompute_inames")
                _require_same_range(kernel, names[axis], _extent(stage, axis, kernel))
                continue
            names[axis] = new_name(kernel, pairs[axis], "", "precompute_inames", names.values())
        else:
            names[axis] = kernel.fresh_name(f"{base_name}_dim_{kinds.index(axis)}", names.values())
        fresh.add(names[axis])
    return names, fresh


def _require_same_range(kernel: Kernel, name: str, extent: int) -> None:
    union = Set.nothing()
    for statement in kernel.statements:
        if name in statement.inames:
            union = union | (statement.domain & kernel.assumptions).project_onto([name])
    low, high = union.range(name)
    if (low, high) != (0, extent - 1):
        raise StepError(
            "FCL252",
            f"loop '{name}' runs 0 … {high}, the copy needs 0 … {extent - 1}",
            argument="precompute_inames",
            value=name,
        )


def _fetch_values(kernel: Kernel, stage: _Stage, inames: Mapping[StorageAxis, str]) -> dict[str, Expr]:
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


def _fetch_domain(
    kernel: Kernel,
    stage: _Stage,
    inames: Mapping[StorageAxis, str],
    kept: list[StorageAxis],
    body: Expr,
    bounding_box: bool,
) -> Set:
    """Exact points if they are one basic set; else their hull, if every array read stays in bounds or is guarded."""
    domain = stage.part.points.coalesce()
    for axis in (axis for axis in kept if isinstance(axis, str)):
        extent = _extent(stage, axis, kernel)
        domain = domain & (Aff.name(inames[axis]) >= 0) & (Aff.name(inames[axis]) < extent)
    domain = domain.project_out(offset_name(p) for p in range(len(stage.part.axes)) if p not in inames).rename(
        {offset_name(p): inames[p] for p in range(len(stage.part.axes)) if p in inames}
    )
    inside = _in_bounds(kernel, body, {*inames.values()})
    guarded = any(use.statement.guards for use in stage.uses)
    if domain.piece_count > 1:
        domain = domain.hull()
        guarded = True
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


def _in_bounds(kernel: Kernel, body: Expr, extra: set[str]) -> Set | None:
    """Where every array read of an expression is inside its declared bounds; None where that is data."""
    result = kernel.assumptions
    known = {*kernel.iname_by_name, *kernel.parameters, *extra}
    for read in reads_of(expand_rules(body, kernel), kernel):
        if not isinstance(read, Subscript):
            continue
        for dim, index in zip(kernel.declaration(read.array).shape, read.indices, strict=True):
            aff = to_aff(index, known.__contains__)
            extent = None if dim.extent is None else to_aff(dim.extent, frozenset(kernel.parameters).__contains__)
            if aff is None or (extent is None and dim.extent is not None):
                return None
            result = result & (aff >= 0)
            if extent is not None:
                result = result & (aff < extent)
    return result


def _redirect(kernel: Kernel, stage: _Stage, temporary: str, kept: list[StorageAxis]) -> Kernel:
    """Uses read the temporary instead of calling the rule."""
    bases = {name for axis in stage.part.axes for name in scalar_names(axis.base)}
    captured = frozenset(
        rule.name
        for rule in kernel.rules
        if rule.name in callers(kernel, stage.rule.name) and bases & set(rule.parameters)
    )

    def element(node: Expr) -> Expr | None:
        if not (isinstance(node, RuleCall) and node.rule == stage.rule.name):
            return None
        if not kept:
            return Var(temporary)
        indices = tuple(
            Var(axis) if isinstance(axis, str) else from_base(node.arguments[axis], stage.part.axes[axis], kernel)
            for axis in kept
        )
        return Subscript(temporary, indices)

    def change(expr: Expr) -> Expr:
        return transform(expand_only(expr, kernel, captured), element)

    return rewrite_statements(kernel, {use.statement.id for use in stage.uses}, change)


def _tagged(
    kernel: Kernel,
    stage: _Stage,
    kinds: tuple[StorageAxis, ...],
    inames: Mapping[StorageAxis, str],
    fresh: list[str],
    by_axis: Mapping[str | int, str] | None,
    default: str | None,
) -> Kernel:
    names = {axis: name for axis, name in inames.items() if name in fresh}
    spelled = {kinds.index(axis): axis for axis in names}
    for position, axis in spelled.items():
        keys: list[str | int] = [position, str(position), names[axis]]
        keys.append(axis if isinstance(axis, str) else stage.rule.parameters[axis])
        own = next((by_axis[key] for key in keys if by_axis and key in by_axis), None)
        tag = parse_tag(own, "storage_axis_to_tag") if own is not None else parse_tag(default, "default_tag")
        kernel = set_tag(kernel, names[axis], tag, "default_tag")
    return kernel


def add_prefetch(
    kernel: Kernel,
    var_name: str,
    sweep_inames: Names = (),
    *,
    dim_arg_names: Names | None = None,
    default_tag: str | None = None,
    rule_name: str | None = None,
    temporary_name: str | None = None,
    temporary_address_space: str | None = None,
    fetch_bounding_box: bool = False,
    fetch_outer_inames: Names | None = None,
    prefetch_insn_id: str | None = None,
    within: str | None = None,
) -> Kernel:
    """Copy the part of an array that the swept inames read ahead of its uses (`extract_subst`, then `precompute`).

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n,4); y(n)", [("y[i]", "y[i] + x[i,j]", {"i": "n", "j": "4"})])
    >>> print(dump_tree(add_prefetch(kernel, "x", "j")))
    for i = 0 .. n - 1
      for x_dim_1 = 0 .. 3
        s1: x_fetch[x_dim_1] = x[i, x_dim_1]
      for j = 0 .. 3
        s0: y[i] = y[i] + x_fetch[j]

    Errors: those of `precompute`; FCL268 (no such array). Source: ARRAY'16, section 3.
    """
    array = find_array(kernel, var_name)
    if array is None:
        raise StepError("FCL268", f"kernel '{kernel.name}' has no array '{var_name}'", argument="var_name")
    rank = len(kernel.declaration(array).shape)
    names = name_list(dim_arg_names) if dim_arg_names is not None else ()
    parameters = [*names, *(kernel.fresh_name(f"{array}_i{axis}") for axis in range(len(names), rank))]
    rule = new_name(kernel, rule_name, f"{array}_rule", "rule_name")
    template = f"{array}[{', '.join(parameters)}]"
    try:
        staged = extract_subst(kernel, rule, template, parameters=parameters, within=within)
    except StepError as refused:
        if refused.code != "FCL261":
            raise
        raise StepError("FCL261", f"no statement here reads '{array}'", argument="var_name") from None
    name = temporary_name if temporary_name is not None else kernel.fresh_name(f"{array}_fetch")
    return precompute(
        staged,
        rule,
        sweep_inames,
        within=within,
        temporary_name=name,
        precompute_outer_inames=fetch_outer_inames,
        default_tag=default_tag,
        fetch_bounding_box=fetch_bounding_box,
        temporary_address_space=temporary_address_space,
        compute_insn_id=prefetch_insn_id,
    )
