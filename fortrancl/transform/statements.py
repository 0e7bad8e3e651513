"""Steps on statements: atomics, permissions, barriers, tags, the kernel's name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fortrancl.analysis.accesses import reduction_of
from fortrancl.diagnostics import StepError
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.match import find_instructions
from fortrancl.ir.tree import Barrier, Loop, body_of, common_path, node_at, runs
from fortrancl.transform.arguments import require_name
from fortrancl.transform.placement import insert


def _named(kernel: Kernel, what: str, argument: str) -> tuple[Statement, ...]:
    """Statements that write a variable, or that a query means. Errors: FCL220, FCL261."""
    plain = what.replace("_", "").isalnum()
    found = find_instructions(kernel, f"writes:{what}" if plain else what, argument=argument)
    if not found and plain:
        found = tuple(s for s in kernel.statements if s.id.lower() == what.lower())
    if not found:
        raise StepError("FCL261", f"no statement is '{what}' or writes it", argument=argument, value=what)
    return found


def _updates(kernel: Kernel, what: str, argument: str) -> tuple[Statement, ...]:
    found = _named(kernel, what, argument)
    for statement in found:
        if reduction_of(statement, kernel) is None:
            where = statement.where
            raise StepError(
                "FCL259",
                f"{where} is no update of the form {statement.target_name} = {statement.target_name} op …",
                argument=argument,
                value=what,
            )
    return found


def set_atomic(kernel: Kernel, name: str) -> Kernel:
    """Make the updates of a variable (or those that a query means) indivisible, so that work-items may meet in one
    element.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; int h(n); int b(n)", [("h[b[i]]", "h[b[i]] + 1", {"i": "n"})])
    >>> set_atomic(kernel, "h").statements[0].atomic
    True

    Errors: FCL259 (no update), FCL261 (no such statement).
    """
    return kernel.with_statements({s.id: replace(s, atomic=True) for s in _updates(kernel, name, "name")})


def allow_reassociation(kernel: Kernel, name: str) -> Kernel:
    """Allow the updates of a variable (or those that a query means) to run in another order; sums may round otherwise.

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n); y(n,n)", [("x[i]", "x[i] + y[i,j]", {"i": "n", "j": "n"})])
    >>> allow_reassociation(kernel, "x").statements[0].reassociable
    True

    Errors: FCL259, FCL261.
    """
    return kernel.with_statements({s.id: replace(s, reassociable=True) for s in _updates(kernel, name, "name")})


def tag_instructions(kernel: Kernel, new_tag: str, within: str | None = None) -> Kernel:
    """Give statements a tag that queries find (``tag:new_tag``).

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})])
    >>> sorted(tag_instructions(kernel, "fill").statements[0].tags)
    ['fill']
    """
    found = find_instructions(kernel, within, argument="within")
    return kernel.with_statements({s.id: replace(s, tags=s.tags | {new_tag}) for s in found})


def add_barrier(
    kernel: Kernel,
    insn_before: str,
    insn_after: str,
    id_based_on: str | None = None,
    tags: Sequence[str] | None = None,
    synchronization_kind: str = "global",
    mem_kind: str | None = None,
) -> Kernel:
    """Put a barrier between statements: ``global`` ends a launch (all groups arrive), ``local`` is for one group.

    Barriers have no names here, so ``id_based_on`` and ``tags`` do nothing; ``mem_kind`` does not either: the fences
    follow from what is read and written.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "0", {"i": "n"}), ("y[j]", "1", {"j": "n"})])
    >>> print(dump_tree(add_barrier(kernel, "writes:x", "writes:y")))
    for i = 0 .. n - 1
      s0: x[i] = 0
    --- global barrier ---
    for j = 0 .. n - 1
      s1: y[j] = 1

    Where the statements before come last in a loop that they share, the barrier goes behind them and so stands before
    those after in the next iteration.

    Errors: FCL252 (kind), FCL260 (no place between them), FCL261.
    """
    kind = synchronization_kind.lower()
    if kind not in ("global", "local"):
        raise StepError("FCL252", "a barrier is global or local", argument="synchronization_kind")
    before = {s.id for s in _named(kernel, insn_before, "insn_before")}
    after = {s.id for s in _named(kernel, insn_after, "insn_after")}
    paths = [kernel.paths[s][0][:-1] for s in before | after]
    shared = common_path(paths)
    node = node_at(kernel.tree, shared) if shared else kernel.tree
    body = body_of(node)
    assert body is not None
    firsts = [p for p, child in enumerate(body.children) if before & set(runs(child))]
    seconds = [p for p, child in enumerate(body.children) if after & set(runs(child))]
    position = min(seconds)
    if isinstance(node, Loop) and max(seconds) < min(firsts):
        position = max(firsts) + 1
    elif max(firsts) >= min(seconds):
        raise StepError(
            "FCL260",
            "the statements before the barrier do not all come before those after it",
            argument="insn_after",
            hints=("`fortrancl show --stage kernel` prints the order",),
        )
    scope: Barrier = Barrier("global" if kind == "global" else "local")
    return replace(kernel, tree=insert(kernel.tree, shared, position, [scope]))


def rename_kernel(kernel: Kernel, old_name: str, new_name: str) -> Kernel:
    """Another name for a kernel: for one that `fuse_kernels` made, the name of the new procedure.

    A kernel that stands for one procedure of the file keeps that procedure's name (FCL605 otherwise).

    >>> from fortrancl.ir.build import build_kernel
    >>> rename_kernel(build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})]), "k", "fill").name
    'fill'

    Errors: FCL252 (no such kernel, or no name).
    """
    if kernel.name.lower() != old_name.lower():
        raise StepError("FCL252", f"the kernel is called '{kernel.name}'", argument="old_name", value=old_name)
    require_name(new_name, "new_name")
    return replace(kernel, name=new_name)
