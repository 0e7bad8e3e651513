"""Steps on the storage of local variables: in which memory it is, and whether each iteration has a cell of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fortrancl.analysis.accesses import accesses_of
from fortrancl.analysis.legality import require_one_iteration
from fortrancl.analysis.races import require_reach
from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.expr import Expr, Subscript, Var, integer, transform
from fortrancl.ir.kernel import Dim, Guard, Kernel, Temporary
from fortrancl.poly import Set
from fortrancl.transform.arguments import Names, find_inames, name_list
from fortrancl.transform.precompute import SPACES
from fortrancl.transform.rules import rewrite_statements


def find_temporaries(kernel: Kernel, names: Names, argument: str) -> tuple[Temporary, ...]:
    """Local variables by name, case-blind, in the given order. Errors: FCL268, FCL285 (a constant table)."""
    by_lower = {temporary.name.lower(): temporary for temporary in kernel.temporaries}
    result = []
    for name in name_list(names):
        found = by_lower.get(name.lower())
        if found is None:
            raise StepError(
                "FCL268",
                f"'{name}' is no local variable of kernel '{kernel.name}'",
                argument=argument,
                value=name,
                hints=did_you_mean(name, kernel.temporary_by_name),
            )
        if found.values:
            raise StepError(
                "FCL285",
                f"'{found.name}' is a table of constants, its storage is decided",
                argument=argument,
                value=name,
            )
        result.append(found)
    if not result:
        raise StepError("FCL261", "no local variable is named", argument=argument)
    return tuple(result)


def set_temporary_address_space(kernel: Kernel, temp_var_names: Names, address_space: str) -> Kernel:
    """Say in which memory local variables live: ``private`` (work-item), ``local`` (group), ``global``, ``auto``.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n); temp t(8)", [("t[i]", "x[i]", {"i": "8"}), ("x[j]", "t[j]", {"j": "8"})])
    >>> [t.address_space for t in set_temporary_address_space(kernel, "t", "local").temporaries]
    ['local']

    Values that another work-item (group) reads need ``local`` (``global``): asked here of the loops tagged so far, and
    of the whole kernel when the script ends. Errors: FCL252 (no such memory), FCL268, FCL285, FCL304 (too narrow a
    memory). Source: design section 5.4.
    """
    space = address_space.strip().lower().removeprefix("addressspace.")
    if space not in SPACES:
        raise StepError(
            "FCL252",
            f"'{address_space}' is no address space",
            argument="address_space",
            value=address_space,
            hints=(*did_you_mean(space, SPACES), f"it is one of {', '.join(SPACES)}"),
        )
    chosen = {t.name for t in find_temporaries(kernel, temp_var_names, "temp_var_names")}
    result = replace(
        kernel,
        temporaries=tuple(
            replace(t, address_space=SPACES[space]) if t.name in chosen else t for t in kernel.temporaries
        ),
    )
    for name in sorted(chosen):
        require_reach(result, result.temporary_by_name[name], argument="address_space", both_ends=True)
    return result


def privatize_temporaries_with_inames(
    kernel: Kernel, privatizing_inames: Names, only_var_names: Names | None = None
) -> Kernel:
    """Give each iteration of the loops its own cell of local variables: one storage axis more for each loop, the last.

    Without ``only_var_names`` all variables that are used only inside those loops.

    >>> from fortrancl.analysis.privatise import privatise
    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "x(8); temp t", [("t", "x[i]", {"i": "8"}), ("x[i]", "2*t", {"i": "8"})])
    >>> print(dump_tree(privatize_temporaries_with_inames(privatise(kernel), "i")))
    for i = 0 .. 7
      s0: t[i] = x[i]
      s1: x[i] = 2*t[i]

    The loops have constant lengths. Errors: FCL251, FCL261 (no variable), FCL264 (no constant length), FCL268, FCL285
    (used outside the loops, or the length of one), FCL313 (an iteration reads another one's value). Source: design
    section 5, point 0.
    """
    inames = find_inames(kernel, privatizing_inames, "privatizing_inames")
    if only_var_names is None:
        chosen: Sequence[Temporary] = [t for t in kernel.temporaries if _is_inside(kernel, t, inames)]
        argument = "privatizing_inames"
        if not chosen:
            raise StepError("FCL261", "no local variable is used only in those loops", argument=argument)
    else:
        chosen = find_temporaries(kernel, only_var_names, "only_var_names")
        argument = "only_var_names"
    for temporary in chosen:
        kernel = _privatized(kernel, temporary, inames, argument)
    return kernel


def _is_inside(kernel: Kernel, temporary: Temporary, inames: Sequence[str]) -> bool:
    users = [kernel.statement_by_id[access.statement] for access in accesses_of(kernel, temporary.name)]
    is_plain = not temporary.values and all(iname.trip != temporary.name for iname in kernel.inames)
    return is_plain and bool(users) and all(set(inames) <= set(user.inames) for user in users)


def _privatized(kernel: Kernel, temporary: Temporary, inames: Sequence[str], argument: str) -> Kernel:
    name = temporary.name
    if any(iname.trip == name for iname in kernel.inames):
        raise StepError(
            "FCL285", f"'{name}' is the length of a loop, so it stays a scalar", argument=argument, value=name
        )
    users = dict.fromkeys(access.statement for access in accesses_of(kernel, name))
    for user in users:
        missing = [iname for iname in inames if iname not in kernel.statement_by_id[user].inames]
        if missing:
            where = kernel.statement_by_id[user].where
            raise StepError(
                "FCL285",
                f"{where} uses '{name}' outside loop '{missing[0]}', so it belongs to no one iteration of it",
                argument=argument,
                value=name,
                hints=("only_var_names= chooses other variables",),
            )
    for iname in inames:
        require_one_iteration(kernel, name, iname, argument=argument)
    dims = tuple(Dim(integer(0), integer(_length(kernel, iname, users))) for iname in inames)
    result = with_subscripts(kernel, users, {name: tuple(map(Var, inames))})
    changed = replace(
        temporary,
        shape=(*temporary.shape, *dims),
        private_to=(*temporary.private_to, *(iname for iname in inames if iname not in temporary.private_to)),
    )
    return replace(result, temporaries=tuple(changed if t.name == name else t for t in result.temporaries))


def _length(kernel: Kernel, iname: str, users: Mapping[str, None]) -> int:
    union = Set.nothing()
    for user in users:
        union = union | (kernel.statement_by_id[user].domain & kernel.assumptions).project_onto([iname])
    high = union.range(iname)[1]
    if high is None:
        raise StepError(
            "FCL264",
            f"loop '{iname}' has no constant length, so the cells of its iterations have no constant number",
            argument="privatizing_inames",
            value=iname,
            hints=("split it by a constant first", "or lp.fix_parameters its size"),
        )
    return max(high, 0) + 1


def with_subscripts(kernel: Kernel, statements: Mapping[str, None], extra: Mapping[str, tuple[Expr, ...]]) -> Kernel:
    """More subscripts for some variables, behind their own, wherever statements and the rules they call use them."""

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Subscript) and node.array in extra:
            return Subscript(node.array, (*node.indices, *extra[node.array]))
        if isinstance(node, Var) and node.name in extra:
            return Subscript(node.name, extra[node.name])
        return None

    result = rewrite_statements(kernel, statements, lambda expr: transform(expr, change))
    guarded = {}
    for statement in (result.statement_by_id[name] for name in statements):
        guards = tuple(Guard(g.name, g.value, (*g.indices, *extra.get(g.name, ()))) for g in statement.guards)
        guarded[statement.id] = replace(statement, guards=guards)
    return result.with_statements(guarded)


__all__ = ["find_temporaries", "privatize_temporaries_with_inames", "set_temporary_address_space", "with_subscripts"]
