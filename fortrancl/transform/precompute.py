"""Staging: evaluate a rule ahead of its uses into a temporary that lanes share or keep (design 4.1, 5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fortrancl.analysis.accesses import expand_rules
from fortrancl.diagnostics import StepError
from fortrancl.ir.expr import Expr, RuleCall, Subscript, Var, integer, scalar_names, substitute, transform
from fortrancl.ir.kernel import AddressSpace, Dim, Iname, Kernel, Statement, Temporary
from fortrancl.ir.text import find_array, parse_subscripts
from fortrancl.ir.tree import Run
from fortrancl.ir.typeof import type_of
from fortrancl.ir.types import INTEGER4, INTEGER8, REAL4, REAL8, ScalarType
from fortrancl.poly import Set
from fortrancl.transform.arguments import Names, find_iname, name_list, new_name, parse_tag
from fortrancl.transform.copy_domain import copy_domain, copy_values
from fortrancl.transform.footprint import from_base
from fortrancl.transform.loops import set_tag
from fortrancl.transform.placement import insert, nest
from fortrancl.transform.rules import callers, expand_only, rewrite_statements
from fortrancl.transform.staging import (
    Stage,
    StorageAxis,
    axis_extent,
    plan_stage,
    require_same_values,
    storage_axes_of,
)
from fortrancl.transform.substitution import extract_subst, require_rule

SPACES: Mapping[str, AddressSpace] = {"private": "private", "local": "local", "global": "global", "auto": "auto"}


_DTYPES: Mapping[str, ScalarType] = {
    "real(4)": REAL4,
    "float32": REAL4,
    "real(8)": REAL8,
    "float64": REAL8,
    "int32": INTEGER4,
    "int64": INTEGER8,
}


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
    rule = require_rule(kernel, subst_use.split("$")[0], "subst_use")
    stage = plan_stage(kernel, rule, sweep_inames, within, precompute_outer_inames)
    wishes = _Wishes(
        name_list(storage_axes) if storage_axes is not None else None,
        temporary_name,
        precompute_inames,
        storage_axis_to_tag,
        default_tag,
        dtype,
        fetch_bounding_box,
        temporary_address_space,
        compute_insn_id,
    )
    return _with_copy(kernel, stage, wishes)


@dataclass(frozen=True)
class _Wishes:
    """What a script says about a copy, beyond which part of what it holds."""

    storage_axes: tuple[str, ...] | None = None
    temporary_name: str | None = None
    inames: Names | None = None
    tags: Mapping[str | int, str] | None = None
    default_tag: str | None = None
    dtype: str | None = None
    bounding_box: bool = False
    address_space: str | None = None
    statement: str | None = None


def _with_copy(kernel: Kernel, stage: Stage, wishes: _Wishes) -> Kernel:
    """The kernel with the copy made and used."""
    require_same_values(kernel, stage)
    rule = stage.rule
    base_name = rule.name.removesuffix("_subst").removesuffix("_rule")
    temporary_name = new_name(kernel, wishes.temporary_name, f"{base_name}_fetch", "temporary_name")
    kinds = storage_axes_of(kernel, stage, wishes.storage_axes)
    kept = [axis for axis in kinds if axis_extent(stage, axis, kernel) > 1]
    inames, new_inames = _fetch_inames(kernel, stage, kinds, kept, base_name, wishes.inames)
    space = (wishes.address_space or "auto").lower()
    if space not in SPACES:
        raise StepError("FCL252", f"'{space}' is no address space", argument="temporary_address_space")
    body = substitute(rule.body, copy_values(kernel, stage, inames))
    own: dict[str, Expr] = {
        axis: Var(inames[axis]) if axis in inames else integer(0) for axis in kinds if isinstance(axis, str)
    }
    shape = tuple(Dim(integer(0), integer(axis_extent(stage, axis, kernel))) for axis in kept)
    temporary = Temporary(
        temporary_name,
        _scalar_type(wishes.dtype) if wishes.dtype else type_of(stage.calls[0], kernel),
        shape,
        private_to=stage.outer,
        address_space=SPACES[space],
        origin="fetch",
    )
    target: Var | Subscript = Var(temporary_name)
    if kept:
        target = Subscript(temporary_name, tuple(Var(inames[axis]) for axis in kept))
    fetch = Statement(
        kernel.fresh_statement_id(wishes.statement or f"s{len(kernel.statements)}"),
        target,
        body,
        (*stage.outer, *(inames[axis] for axis in kept)),
        copy_domain(kernel, stage, inames, kept, substitute(expand_rules(body, kernel), own), wishes.bounding_box),
        span=stage.uses[0].statement.span,
    )
    fresh = [inames[axis] for axis in kept if inames[axis] in new_inames]
    looped = [inames[axis] for axis in kept if not is_lane(kernel, inames[axis])]
    node = nest(looped, Run(fetch.id))
    result = _redirect(kernel, stage, temporary_name, kept)
    result = replace(
        result,
        temporaries=(*result.temporaries, temporary),
        inames=(*result.inames, *(Iname(name) for name in fresh)),
        statements=(*result.statements, fetch),
        tree=insert(result.tree, stage.place.block, stage.place.first, [node]),
    )
    # The rules that the copy calls may use the swept inames too: copies of them use the copy's own loops.
    result = rewrite_statements(result, [fetch.id], lambda expr: substitute(expr, own))
    return _tagged(result, stage, kinds, inames, fresh, wishes.tags, wishes.default_tag)


def is_lane(kernel: Kernel, name: str) -> bool:
    """Whether an iname is a hardware axis (and so has no loop)."""
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


def _fetch_inames(
    kernel: Kernel,
    stage: Stage,
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
                _require_same_range(kernel, names[axis], axis_extent(stage, axis, kernel))
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


def _redirect(kernel: Kernel, stage: Stage, temporary: str, kept: list[StorageAxis]) -> Kernel:
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

    # The copy still calls rules that only this one called.
    return rewrite_statements(kernel, {use.statement.id for use in stage.uses}, change, keep_rules=True)


def _tagged(
    kernel: Kernel,
    stage: Stage,
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
    footprint_subscripts: str | Sequence[str | Sequence[str]] | None = None,
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

    The copy holds what the uses read, and what subscripts say that stand in ``var_name`` (``"x[i,:]"``, a colon for a
    whole axis) or in ``footprint_subscripts``.

    Errors: those of `precompute`; FCL250 (subscripts), FCL268 (no such array). Source: ARRAY'16, section 3.
    """
    array, promised = _prefetched(kernel, var_name, footprint_subscripts)
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
    stage = plan_stage(staged, staged.rule_by_name[rule], sweep_inames, within, fetch_outer_inames, promised)
    wishes = _Wishes(
        temporary_name=temporary_name if temporary_name is not None else kernel.fresh_name(f"{array}_fetch"),
        default_tag=default_tag,
        bounding_box=fetch_bounding_box,
        address_space=temporary_address_space,
        statement=prefetch_insn_id,
    )
    return _with_copy(staged, stage, wishes)


def _prefetched(
    kernel: Kernel, var_name: str, given: str | Sequence[str | Sequence[str]] | None
) -> tuple[str, tuple[tuple[Expr | None, ...], ...]]:
    """The array, and the subscripts whose elements the copy holds whether or not a use reads them."""
    name, bracket, _ = var_name.partition("[" if "[" in var_name else "(")
    array = find_array(kernel, name.split("$")[0].strip())
    if array is None:
        raise StepError("FCL268", f"kernel '{kernel.name}' has no array '{name.strip()}'", argument="var_name")
    rank = len(kernel.declaration(array).shape)
    found: list[tuple[Expr | None, ...]] = []
    if bracket:
        inside = var_name[len(name) :].strip()[1:-1]
        found.append(parse_subscripts(inside, kernel, rank, argument="var_name"))
    for item in (given,) if isinstance(given, str) else given or ():
        text = item if isinstance(item, str) else ", ".join(item)
        found.append(parse_subscripts(text, kernel, rank, argument="footprint_subscripts"))
    return array, tuple(found)
