"""Without a script: map what is proved independent, by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fortrancl.analysis.legality import LegalityError, require_legal
from fortrancl.diagnostics import CompileError, StepError
from fortrancl.ir.kernel import Kernel, Note, Tag
from fortrancl.ir.tree import Barrier, Block, Loop, Node
from fortrancl.schedule.device_map import finalise
from fortrancl.source import Span
from fortrancl.transform.loops import set_tag, split_iname


def auto_parallelize(kernel: Kernel, group_size: int = 128) -> Kernel:
    """Map the outermost loops that are proved independent to work-groups and work-items.

    Of each nest at the top of the tree up to three perfectly nested independent loops are taken; the innermost of them
    is split by ``group_size``. Nests that depend on each other get a global barrier between. Where nothing is proved
    independent the kernel stays sequential, with a note.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "x[i] + 1", {"i": "n"})])
    >>> print(dump_tree(auto_parallelize(kernel)))
    lanes: i_outer (g.0) = 0 .. (n - 1)/128, i_inner (l.0) = 0 .. min(127, n - 1)
    s0: x[i_inner + 128*i_outer] = x[i_inner + 128*i_outer] + 1

    Errors: FCL252.
    """
    if not 1 <= group_size <= 1024:
        raise StepError("FCL252", "group_size is 1 … 1024", argument="group_size")
    if any(iname.tag is not None and iname.tag.is_lane for iname in kernel.inames):
        return kernel
    for candidate in _candidates(kernel, group_size):
        if _is_legal(candidate):
            return candidate
    note, where = _why_sequential(kernel)
    return replace(kernel, notes=(*kernel.notes, Note(note, where or kernel.span, is_warning=True)))


def _why_sequential(kernel: Kernel) -> tuple[str, Span | None]:
    """What to say of a kernel that stays sequential, and the place of its first outer loop."""
    note = "one work-item runs everything"
    nest = next((child for child in kernel.tree.children if isinstance(child, Loop)), None)
    if nest is None:
        return f"{note}: there is no loop", None
    iname = kernel.iname_by_name[nest.iname]
    try:
        set_tag(kernel, nest.iname, Tag("g", 0), "kernel")
    except StepError as refused:
        return f"{note}: {refused.message}", iname.span
    return f"{note}: the parts of the kernel cannot run as launches of their own", iname.span


def _candidates(kernel: Kernel, group_size: int) -> Iterator[Kernel]:
    nests = [child for child in kernel.tree.children if isinstance(child, Loop)]
    chosen = {nest.iname: _independent(kernel, nest) for nest in nests}
    if not any(chosen.values()):
        return
    parted = replace(kernel, tree=Block(tuple(_with_barriers(kernel.tree.children))))
    for start in (kernel, parted) if len(kernel.tree.children) > 1 else (kernel,):
        try:
            yield _mapped(start, list(chosen.values()), group_size)
        except StepError:
            continue
    # One nest alone, if not all together.
    for loops in chosen.values():
        if loops and len(nests) > 1:
            try:
                yield _mapped(parted, [loops], group_size)
            except StepError:
                continue


def _with_barriers(children: tuple[Node, ...]) -> Iterator[Node]:
    for position, child in enumerate(children):
        if position:
            yield Barrier("global")
        yield child


def _independent(kernel: Kernel, nest: Loop) -> tuple[str, ...]:
    """Loops of the perfect part of a nest that carry no dependence, outermost first, three at most."""
    chain: list[str] = []
    node = nest
    while True:
        chain.append(node.iname)
        only = node.body.children[0] if len(node.body.children) == 1 else None
        if not isinstance(only, Loop):
            break
        node = only
    found: list[str] = []
    current = kernel
    for name in chain:
        if kernel.iname_by_name[name].trip is not None or len(found) == 3:
            break
        try:
            current = set_tag(current, name, Tag("g", len(found)), "kernel")
        except StepError:
            continue
        found.append(name)
    return tuple(found)


def _mapped(kernel: Kernel, nests: list[tuple[str, ...]], group_size: int) -> Kernel:
    for loops in nests:
        if not loops:
            continue
        *others, innermost = loops
        kernel = split_iname(kernel, innermost, group_size, outer_tag="g.0", inner_tag="l.0")
        for axis, name in enumerate(reversed(others), start=1):
            kernel = set_tag(kernel, name, Tag("g", axis), "kernel")
    return kernel


def _is_legal(kernel: Kernel) -> bool:
    try:
        require_legal(finalise(kernel))
    except (LegalityError, CompileError, StepError):
        return False
    return True
