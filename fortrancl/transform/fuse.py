"""Several kernels made into one: what ran one after another shares its loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fortrancl.analysis.accesses import accesses, reduction_of
from fortrancl.analysis.legality import LegalityError, require_order
from fortrancl.diagnostics import StepError
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.tree import Block, Loop, Node, walk
from fortrancl.transform.arguments import require_name
from fortrancl.transform.reorder import prioritize_loops
from fortrancl.transform.unify import concatenated, refused, unified


def fuse_kernels(
    kernels: Sequence[Kernel],
    suffixes: Sequence[str] | None = None,
    data_flow: Sequence[tuple[str, int, int]] | None = None,
    *,
    name: str | None = None,
) -> Kernel:
    """One kernel that does what the given ones do one after another, loops of equal name and range run as one.

    Arguments of one name are one argument. Local variables and statements whose names clash get the kernel's suffix
    (without ``suffixes``: a number, from the second kernel on). Later kernels first take the first one's order of
    loops. ``data_flow``: triples (argument, writing kernel, reading kernel); the order of the kernels holds anyway, so
    they are only checked. The default name joins those of the kernels; with suffixes ``volume_r``, ``volume_s`` give
    ``volume_rs``.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> first = build_kernel("step_a", "n; x(n); y(n)", [("y[i]", "2*x[i]", {"i": "n"})])
    >>> second = build_kernel("step_b", "n; y(n); z(n)", [("z[i]", "y[i] + 1", {"i": "n"})])
    >>> fused = fuse_kernels([first, second], suffixes=["_a", "_b"])
    >>> print(fused.name, dump_tree(fused), sep="\\n")
    step_ab
    for i = 0 .. n - 1
      s0_a: y[i] = 2*x[i]
      s0_b: z[i] = y[i] + 1

    Errors: FCL252 (suffixes, name), FCL290 (arguments that do not agree, data flow that is none); FCL301, FCL302,
    FCL306 where the new order is not proved. Source: ARRAY'16, section 3; design section 4.1.
    """
    if not kernels:
        raise StepError("FCL252", "there is no kernel to fuse", argument="kernels")
    if suffixes is not None and (len(suffixes) != len(kernels) or len(set(map(str.lower, suffixes))) != len(kernels)):
        raise StepError("FCL252", f"{len(kernels)} kernels need as many different suffixes", argument="suffixes")
    for suffix in suffixes or ():
        require_name(f"x{suffix}", "suffixes")
    fused_name = name if name is not None else joined_name([kernel.name for kernel in kernels], suffixes)
    require_name(fused_name, "name" if name is not None else "kernels")
    parts = unified(kernels, suffixes)
    before = concatenated(parts, fused_name)
    _check_data_flow(kernels, data_flow or ())
    order = [node.iname for _, _, node in walk(parts[0].tree) if isinstance(node, Loop)]
    tree = parts[0].tree
    for part in parts[1:]:
        tree = zipped(tree, _in_order_of(part, order).tree)
    result = replace(before, tree=tree)
    _require_forward(before, result, parts)
    return result


def sequence(kernels: Sequence[Kernel], name: str) -> Kernel:
    """The kernels one after another, nothing shared but arguments: what a fused kernel must compute.

    Errors: FCL290.
    """
    return concatenated(unified(kernels, None), name)


def joined_name(names: Sequence[str], suffixes: Sequence[str] | None) -> str:
    """
    >>> joined_name(["volume_r", "volume_s", "volume_t"], ["_r", "_s", "_t"]), joined_name(["fill", "scale"], None)
    ('volume_rst', 'fill_and_scale')
    """
    if suffixes is not None:
        stems = {n.removesuffix(suffix) for n, suffix in zip(names, suffixes, strict=True) if n.endswith(suffix)}
        if len(stems) == 1 and all(n.endswith(suffix) for n, suffix in zip(names, suffixes, strict=True)):
            underscore = "_" if suffixes[0].startswith("_") else ""
            return stems.pop() + underscore + "".join(suffix.removeprefix("_") for suffix in suffixes)
    return "_and_".join(names)


def _check_data_flow(kernels: Sequence[Kernel], data_flow: Sequence[tuple[str, int, int]]) -> None:
    for variable, source, sink in data_flow:
        if not 0 <= source < sink < len(kernels):
            raise refused(
                f"data flows from an earlier kernel to a later one, not from {source} to {sink}", argument="data_flow"
            )
        writes = {access.array.lower() for access in accesses(kernels[source]) if access.is_write}
        reads = {access.array.lower() for access in accesses(kernels[sink]) if not access.is_write}
        shared = {a.name.lower() for a in kernels[source].arguments} & {a.name.lower() for a in kernels[sink].arguments}
        if variable.lower() not in writes & reads & shared:
            raise refused(
                f"'{variable}' is no argument that '{kernels[source].name}' writes and '{kernels[sink].name}' reads",
                argument="data_flow",
                value=variable,
                notes=("local variables of different procedures are different variables",),
            )


def _in_order_of(part: Kernel, order: Sequence[str]) -> Kernel:
    own = {node.iname for _, _, node in walk(part.tree) if isinstance(node, Loop)}
    shared = [name for name in dict.fromkeys(order) if name in own]
    try:
        return prioritize_loops(part, shared)
    except LegalityError as error:
        error.argument, error.value = "kernels", None
        raise


def zipped(first: Block, second: Block) -> Block:
    """Both blocks' children, in order; loops over one iname that meet become one. What ``second`` has before such a
    loop goes just before it, the rest to the end.

    >>> from fortrancl.ir.tree import Run
    >>> one = Block((Run("a"), Loop("i", Block((Run("b"),)))))
    >>> two = Block((Run("c"), Loop("i", Block((Run("d"),))), Run("e")))
    >>> [child.statement if isinstance(child, Run) else child.iname for child in zipped(one, two).children]
    ['a', 'c', 'i', 'e']
    """
    children: list[Node] = list(first.children)
    start = 0
    waiting: list[Node] = []
    for child in second.children:
        place = None
        if isinstance(child, Loop):
            place = next(
                (p for p in range(start, len(children)) if _is_loop_over(children[p], child.iname)),
                None,
            )
        if place is None:
            waiting.append(child)
            continue
        partner = children[place]
        assert isinstance(partner, Loop) and isinstance(child, Loop)
        children[place : place + 1] = [*waiting, Loop(child.iname, zipped(partner.body, child.body))]
        start = place + len(waiting) + 1
        waiting = []
    return Block((*children, *waiting))


def _is_loop_over(node: Node, iname: str) -> bool:
    return isinstance(node, Loop) and node.iname == iname


def _require_forward(before: Kernel, after: Kernel, parts: Sequence[Kernel]) -> None:
    """Each part keeps its own order, and locals have one part each: only arguments can tie parts together."""
    users: dict[str, set[int]] = {}
    for number, part in enumerate(parts):
        for access in accesses(part):
            users.setdefault(access.array, set()).add(number)
    tied = {name for name, found in users.items() if len(found) > 1 and name in before.written}
    names = " and ".join(f"'{part}'" for part in dict.fromkeys(part.name for part in parts))
    touched = {access.statement for access in accesses(before) if access.array in tied}
    try:
        require_order(
            before,
            after,
            [s for s in before.paths if s in touched],
            argument="kernels",
            what=f"fusing {names}",
        )
    except LegalityError as error:
        witness = error.witness
        if witness is not None and witness.array in before.argument_by_name:
            ends = (witness.source_statement, witness.sink_statement)
            kinds = {reduction_of(before.statement_by_id[s], before) for s in ends}
            if len(kinds) == 1 and None not in kinds:
                allow = f'lp.allow_reassociation(kernel, "{witness.array}")'
                error.hints = (*error.hints, f"{allow} of each kernel lets its updates change places")
        raise
