"""Loop distribution: some statements of a loop run in a loop of their own, in the order of the text."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.analysis.legality import require_order
from fortrancl.diagnostics import StepError
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.match import matches
from fortrancl.ir.tree import Barrier, Block, Loop, Node, runs
from fortrancl.transform.arguments import Names, find_inames


def distribute_loops(kernel: Kernel, insn_match: str, outer_inames: Names) -> Kernel:
    """Part the loops round the statements of a query, except ``outer_inames``: what stands before them, they, and what
    stands after them run one after another.

    The parts keep the name of their loop. A local variable that passes values between them needs a cell for each
    iteration: `privatize_temporaries_with_inames`.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "i", {"i": "n"}), ("y[i]", "x[i]", {"i": "n"})])
    >>> print(dump_tree(distribute_loops(kernel, "writes:y", "")))
    for i = 0 .. n - 1
      s0: x[i] = i
    for i = 0 .. n - 1
      s1: y[i] = x[i]

    Errors: FCL251, FCL261 (nothing to part); FCL301, FCL302, FCL306 where it is not proved.
    """
    outer = frozenset(find_inames(kernel, outer_inames, "outer_inames"))
    taken = matches(kernel, insn_match, argument="insn_match")
    tree = Block(tuple(part for child in kernel.tree.children for part in _parts(child, taken, outer)))
    if tree == kernel.tree:
        raise StepError(
            "FCL261",
            "the query's statements share no loop with others, besides the outer ones",
            argument="insn_match",
            value=insn_match,
        )
    result = replace(kernel, tree=tree)
    require_order(kernel, result, list(kernel.paths), argument="insn_match", what="parting the loops")
    return result


def _parts(node: Node, taken: frozenset[str], outer: frozenset[str]) -> list[Node]:
    """What stands for a node: itself, or the pieces of a loop in which taken statements are alone or absent."""
    if not isinstance(node, Loop):
        return [node]
    children = [part for child in node.body.children for part in _parts(child, taken, outer)]
    if node.iname in outer:
        return [Loop(node.iname, Block(tuple(children)))]
    groups: list[list[Node]] = []
    kinds: list[bool] = []
    for child in children:
        # A barrier stays with what stands before it.
        kind = kinds[-1] if isinstance(child, Barrier) and kinds else bool(taken & set(runs(child)))
        if not groups or kind != kinds[-1]:
            groups.append([])
            kinds.append(kind)
        groups[-1].append(child)
    return [Loop(node.iname, Block(tuple(group))) for group in groups]
