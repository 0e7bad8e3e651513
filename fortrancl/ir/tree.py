"""The loop tree: the sequential order of a kernel, as a person would read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Run:
    """Execution of one statement."""

    statement: str


@dataclass(frozen=True, slots=True)
class Barrier:
    """Every work-item of a group (``local``) or every group (``global``, a kernel boundary) arrives here.

    ``fences``: memories whose accesses a local barrier orders (decided when code is made; none: local memory).
    """

    scope: Literal["local", "global"]
    fences: tuple[Literal["local", "global"], ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """A sequential loop over one iname, 0 upward."""

    iname: str
    body: Block


@dataclass(frozen=True, slots=True)
class Block:
    """Children one after another."""

    children: tuple[Node, ...] = ()


Node: TypeAlias = Block | Loop | Run | Barrier
Path: TypeAlias = tuple[int, ...]
"""Child positions from the root Block; a Loop's body is entered by its position alone."""


def body_of(node: Node) -> Block | None:
    """The Block that a Loop or Block holds."""
    if isinstance(node, Loop):
        return node.body
    return node if isinstance(node, Block) else None


def walk(node: Node, path: Path = (), loops: tuple[str, ...] = ()) -> Iterator[tuple[Path, tuple[str, ...], Node]]:
    """(path, inames of enclosing Loops, node) in execution order, parents first; the root has path ()."""
    yield path, loops, node
    body = body_of(node)
    if body is not None:
        inner = (*loops, node.iname) if isinstance(node, Loop) else loops
        for position, child in enumerate(body.children):
            yield from walk(child, (*path, position), inner)


def runs(node: Node) -> Iterator[str]:
    """Statement ids in execution order."""
    return (item.statement for _, _, item in walk(node) if isinstance(item, Run))


def statement_paths(root: Block) -> dict[str, tuple[Path, tuple[str, ...]]]:
    """For each statement its path and its enclosing loops, outermost first."""
    return {node.statement: (path, loops) for path, loops, node in walk(root) if isinstance(node, Run)}


def node_at(root: Block, path: Path) -> Node:
    """The node that a path names."""
    node: Node = root
    for position in path:
        body = body_of(node)
        assert body is not None
        node = body.children[position]
    return node


def rebuild(node: Block, change: Callable[[Node], tuple[Node, ...] | None]) -> Block:
    """Bottom-up rewrite: ``change`` gives what stands in a child's place, or None to keep it.

    Blocks inside Blocks are flattened, Loops and Blocks left without children vanish.
    """
    result: list[Node] = []
    for child in node.children:
        rebuilt: Node = child
        if isinstance(child, Loop):
            rebuilt = Loop(child.iname, rebuild(child.body, change))
        elif isinstance(child, Block):
            rebuilt = rebuild(child, change)
        replaced = change(rebuilt)
        result.extend((rebuilt,) if replaced is None else replaced)
    return Block(tuple(flatten(result)))


def flatten(nodes: list[Node]) -> Iterator[Node]:
    """Splice nested Blocks, drop empty Loops and Blocks."""
    for node in nodes:
        if isinstance(node, Block):
            yield from flatten(list(node.children))
        elif not (isinstance(node, Loop) and not node.body.children):
            yield node


def replace_at(root: Block, path: Path, new: tuple[Node, ...]) -> Block:
    """The tree with the node at a non-empty path replaced by ``new`` (several, or none)."""
    head, rest = path[0], path[1:]
    kids = list(root.children)
    if not rest:
        kids[head : head + 1] = list(new)
    else:
        child = kids[head]
        body = body_of(child)
        assert body is not None
        inner = replace_at(body, rest, new)
        kids[head] = Loop(child.iname, inner) if isinstance(child, Loop) else inner
    return Block(tuple(flatten(kids)))


def common_path(paths: Sequence[Path]) -> Path:
    """The longest beginning that all paths share.

    >>> common_path([(0, 1, 2), (0, 1), (0, 1, 3)])
    (0, 1)
    """
    shared = paths[0]
    for path in paths[1:]:
        length = 0
        while length < min(len(shared), len(path)) and shared[length] == path[length]:
            length += 1
        shared = shared[:length]
    return shared
