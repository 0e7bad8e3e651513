"""Wishes about order, device functions and reductions: granted where they hold already, else refused with a reason."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.analysis.accesses import accesses
from fortrancl.analysis.dependences import touching
from fortrancl.analysis.lanes import both_differ
from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.match import find_instructions
from fortrancl.transform.arguments import Names, find_inames, name_list


def _some(kernel: Kernel, query: str, argument: str) -> tuple[Statement, ...]:
    """Statements that a query, or an id alone, means. Errors: FCL220, FCL261."""
    plain = query.replace("_", "").isalnum()
    found = tuple(s for s in kernel.statements if plain and s.id.lower() == query.lower())
    if not plain:
        found = find_instructions(kernel, query, argument=argument)
    if not found:
        raise StepError("FCL261", f"no statement is '{query}'", argument=argument, value=query)
    return found


def add_dependency(kernel: Kernel, insn_match: str, depends_on: str) -> Kernel:
    """Ask that statements run after others; a kernel has an order always, so this only checks that it is so.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "x(8); y(8)", [("x[i]", "0", {"i": "8"}), ("y[j]", "1", {"j": "8"})])
    >>> add_dependency(kernel, "writes:y", "writes:x") is kernel
    True

    Errors: FCL220, FCL261, FCL287 (the order is another). Source: design section 4.
    """
    for later in _some(kernel, insn_match, "insn_match"):
        for first in _some(kernel, depends_on, "depends_on"):
            if later.id != first.id and kernel.paths[later.id][0] < kernel.paths[first.id][0]:
                raise StepError(
                    "FCL287",
                    f"{later.where} runs before {first.where}",
                    argument="depends_on",
                    hints=("lp.rename_iname with within= and lp.distribute_loops move statements",),
                )
    return kernel


def add_nosync(
    kernel: Kernel, scope: str, source: str, sink: str, bidirectional: bool = False, force: bool = False
) -> Kernel:
    """Say that work-items need no barrier between statements; barriers are placed by proof, so this only checks it.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "x(8); y(8)", [("x[i]", "0", {"i": "8"}), ("y[j]", "1", {"j": "8"})])
    >>> add_nosync(kernel, "local", "writes:x", "writes:y") is kernel
    True

    Errors: FCL220, FCL252 (scope), FCL261, FCL287 (different lanes touch one element, and one of them writes).
    """
    if scope not in ("local", "global", "any"):
        raise StepError("FCL252", "a scope is local, global or any", argument="scope", value=scope)
    kinds = {"local": "l", "global": "g", "any": "gl"}[scope]
    one = {statement.id for statement in _some(kernel, source, "source")}
    two = {statement.id for statement in _some(kernel, sink, "sink")}
    found = [access for access in accesses(kernel) if access.statement in one | two and access.array in kernel.written]
    for first in (access for access in found if access.statement in one):
        for second in (access for access in found if access.statement in two and access.array == first.array):
            if not (first.is_write or second.is_write) or (first.is_atomic and second.is_atomic):
                continue
            pairs = touching(kernel, first, second)
            if any(not (pairs & both_differ(kernel, first.statement, second.statement, k)).is_empty() for k in kinds):
                raise StepError(
                    "FCL287",
                    f"different work-items touch one element of '{first.array}' there, and one of them writes it",
                    argument="sink",
                    notes=("barriers are placed only where they are needed",),
                )
    return kernel


def set_instruction_priority(kernel: Kernel, insn_match: str, priority: int) -> Kernel:
    """Leave the kernel as it is: priorities guide a search for an order, and here the order is what the tree says.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "x(8)", [("x[i]", "0", {"i": "8"})])
    >>> set_instruction_priority(kernel, "writes:x", 10) is kernel
    True

    Errors: FCL220, FCL261.
    """
    _some(kernel, insn_match, "insn_match")
    return kernel


def realize_reduction(kernel: Kernel, insn_id_filter: str | None = None) -> Kernel:
    """Leave the kernel as it is: a Fortran sum is a loop with updates ``x = x + e`` from the start.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("x[0]", "x[0] + y[i]", {"i": "n"})])
    >>> realize_reduction(kernel) is kernel
    True

    Errors: FCL220, FCL261.
    """
    if insn_id_filter is not None:
        _some(kernel, insn_id_filter, "insn_id_filter")
    return kernel


def set_argument_order(kernel: Kernel, argument_names: Names) -> Kernel:
    """Say in which order the device function takes the arguments; the Fortran procedure keeps its own.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "y[i]", {"i": "n"})])
    >>> set_argument_order(kernel, "y, x, n").device_order
    ('y', 'x', 'n')

    Errors: FCL252 (an argument is missing or told twice), FCL268 (no such argument).
    """
    known = {argument.name.lower(): argument.name for argument in kernel.arguments}
    order = []
    for name in name_list(argument_names):
        if name.lower() not in known:
            raise StepError(
                "FCL268",
                f"kernel '{kernel.name}' has no argument '{name}'",
                argument="argument_names",
                value=name,
                hints=did_you_mean(name, known.values()),
            )
        order.append(known[name.lower()])
    missing = [name for name in known.values() if name not in order]
    if missing or len(set(order)) != len(order):
        told = f"'{missing[0]}' is missing" if missing else "an argument is told twice"
        raise StepError("FCL252", f"the order holds every argument once; {told}", argument="argument_names")
    return replace(kernel, device_order=tuple(order))


def _split_reduction(kernel: Kernel, iname: str) -> Kernel:
    (name,) = find_inames(kernel, iname, "iname")
    raise StepError(
        "FCL289",
        f"loop '{name}' sums by updates x = x + e, and there is no reduction expression to split",
        argument="iname",
        value=name,
        hints=('lp.split_iname splits the loop; lp.buffer_array with "0" and "base + buffer" sums each part apart',),
    )


def split_reduction_inward(kernel: Kernel, iname: str) -> Kernel:
    """Refused always (FCL289), with what does the same to a Fortran sum: `split_iname` and `buffer_array`.

    Errors: FCL251, FCL289.
    """
    return _split_reduction(kernel, iname)


def split_reduction_outward(kernel: Kernel, iname: str) -> Kernel:
    """Refused always (FCL289), with what does the same to a Fortran sum: `split_iname` and `buffer_array`.

    Errors: FCL251, FCL289.
    """
    return _split_reduction(kernel, iname)
