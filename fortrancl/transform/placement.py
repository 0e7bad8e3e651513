"""Where a staged copy goes: the Block whose enclosing loops are just the outer ones (design 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fortrancl.diagnostics import StepError
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.tree import Block, Loop, Node, Path, body_of, node_at, replace_at


@dataclass(frozen=True)
class Place:
    """A Block (its path; the root has ()), the Loops round it, and the first and last child that hold a use."""

    block: Path
    loops: tuple[str, ...]
    first: int
    last: int


def find_place(kernel: Kernel, statements: Sequence[str], outer: frozenset[str], argument: str) -> Place:
    """The Block for a copy used by the given statements. Errors: FCL263."""
    found: dict[Path, list[int]] = {}
    loops_of: dict[Path, tuple[str, ...]] = {}
    for statement in statements:
        user = kernel.statement_by_id[statement].where
        path, loops = kernel.paths[statement]
        missing = sorted(outer - frozenset(kernel.statement_by_id[statement].inames))
        if missing:
            raise StepError(
                "FCL263",
                f"{user} does not run in loop '{missing[0]}', so a copy for each iteration of it cannot serve it",
                argument=argument,
                hints=("restrict the step with within=",),
            )
        wanted = outer & frozenset(loops)
        here = _block_inside(kernel, path, wanted)
        if here is None:
            nest = ", ".join(loops)
            raise StepError(
                "FCL263",
                f"the loops round {user} are {nest}; none of its blocks is inside just "
                f"{', '.join(sorted(wanted)) or 'no loop'}",
                argument=argument,
                hints=("lp.prioritize_loops puts the outer loops outside", "or name more outer inames"),
            )
        block, around = here
        found.setdefault(block, []).append(path[len(block)])
        loops_of[block] = around
    if len(found) > 1:
        places = "; ".join(f"inside {', '.join(loops) or 'no loop'}" for loops in loops_of.values())
        raise StepError(
            "FCL263",
            f"the uses lie in {len(found)} places ({places}), and one copy cannot serve them all",
            argument=argument,
            hints=("restrict the step with within=, or tag or fuse the loops first",),
        )
    block, positions = next(iter(found.items()))
    return Place(block, loops_of[block], min(positions), max(positions))


def _block_inside(kernel: Kernel, path: Path, wanted: frozenset[str]) -> tuple[Path, tuple[str, ...]] | None:
    around: tuple[str, ...] = ()
    if not wanted:
        return (), ()
    for depth in range(1, len(path)):
        node = node_at(kernel.tree, path[:depth])
        if isinstance(node, Loop):
            around = (*around, node.iname)
            if frozenset(around) == wanted:
                return path[:depth], around
    return None


def insert(tree: Block, block: Path, position: int, new: Sequence[Node]) -> Block:
    """The tree with nodes put before child ``position`` of a Block."""
    node = node_at(tree, block) if block else tree
    body = body_of(node)
    assert body is not None
    children = (*body.children[:position], *new, *body.children[position:])
    if not block:
        return Block(children)
    return replace_at(tree, block, (Loop(node.iname, Block(children)) if isinstance(node, Loop) else Block(children),))


def nest(inames: Sequence[str], inner: Node) -> Node:
    """Loops round a node; the first iname is innermost, so that the first axis (the contiguous one) runs fastest."""
    for name in inames:
        inner = Loop(name, Block((inner,)))
    return inner
