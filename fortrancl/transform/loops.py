"""Steps on loops: split, join, tag, untag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fortrancl.analysis.legality import require_order, require_tag
from fortrancl.diagnostics import StepError
from fortrancl.ir.expr import Call, Var, integer
from fortrancl.ir.inames import become_lane, replace_iname, retag, split_loop
from fortrancl.ir.kernel import Iname, Kernel, Tag
from fortrancl.ir.match import matches
from fortrancl.ir.tree import Block, Loop, Node, body_of, common_path, node_at, replace_at, runs, walk
from fortrancl.poly import Aff, Set
from fortrancl.transform.arguments import (
    Names,
    find_iname,
    find_inames,
    matching_inames,
    new_name,
    parse_tag,
    tag_pairs,
)


def split_iname(
    kernel: Kernel,
    split_iname: str,
    inner_length: int,
    *,
    outer_iname: str | None = None,
    inner_iname: str | None = None,
    outer_tag: str | None = None,
    inner_tag: str | None = None,
    slabs: Sequence[int] = (0, 0),
    do_tagged_check: bool = True,
    within: str | None = None,
) -> Kernel:
    """Replace a loop by two nested ones: ``i = inner_length*i_outer + i_inner``; a remainder is guarded.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})])
    >>> print(dump_tree(split_iname(kernel, "i", 4)))
    for i_outer = 0 .. (n - 1)/4
      for i_inner = 0 .. min(3, n - 4*i_outer - 1)
        s0: x[i_inner + 4*i_outer] = 0

    The order of execution stays. Errors: FCL251, FCL252, FCL253 (the loop's length is data), FCL254, FCL255, and those
    of `tag_inames`. Source: ARRAY'16, section 3.
    """
    name = find_iname(kernel, split_iname, "split_iname")
    if inner_length < 1:
        raise StepError("FCL252", "inner_length is at least 1", argument="inner_length")
    if tuple(slabs) != (0, 0):
        raise StepError(
            "FCL252", "slabs other than (0, 0) are not needed here: remainders are guarded", argument="slabs"
        )
    require_untouched(kernel, name, "split_iname")
    _require_everywhere(kernel, name, within)
    outer = new_name(kernel, outer_iname, f"{name}_outer", "outer_iname")
    inner = new_name(kernel, inner_iname, f"{name}_inner", "inner_iname", (outer,))
    tags = (parse_tag(outer_tag, "outer_tag"), parse_tag(inner_tag, "inner_tag"))
    result = split_loop(kernel, name, inner_length, outer, inner)
    for new, tag, argument in ((outer, tags[0], "outer_tag"), (inner, tags[1], "inner_tag")):
        result = set_tag(result, new, tag, argument)
    return result


def require_untouched(kernel: Kernel, name: str, argument: str) -> None:
    """The loop is in the tree, and its length is no data. Errors: FCL253, FCL254."""
    iname = kernel.iname_by_name[name]
    if iname.trip is not None:
        raise StepError(
            "FCL253",
            f"the length of loop '{name}' is data, so it stays one loop",
            argument=argument,
            value=name,
            hints=("transform the loops round it",),
        )
    if iname.tag is not None and iname.tag.is_lane:
        raise StepError(
            "FCL254",
            f"loop '{name}' is tagged {iname.tag} already",
            argument=argument,
            value=name,
            hints=("do this before tagging it, or lp.untag_inames first",),
        )


def _require_everywhere(kernel: Kernel, name: str, within: str | None) -> None:
    users = {statement.id for statement in kernel.statements if name in statement.inames}
    if within is not None and not users <= matches(kernel, within):
        raise StepError(
            "FCL252",
            f"some statements in loop '{name}' are not in within=",
            argument="within",
            hints=("lp.duplicate_inames gives those statements a loop of their own first",),
        )


def join_inames(
    kernel: Kernel,
    inames: Names,
    new_iname: str | None = None,
    tag: str | None = None,
    within: str | None = None,
) -> Kernel:
    """Replace perfectly nested loops, outermost first, by one that runs through all their iterations in order.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(8,n)", [("x[i,j]", "0", {"j": "n", "i": "8"})])
    >>> print(dump_tree(join_inames(kernel, "j, i", "ji")))
    for ji = 0 .. 8*n - 1
      s0: x[floormod(ji, 8), floordiv(ji, 8)] = 0

    All but the outermost need a constant length. Errors: FCL251–FCL255, FCL257.
    """
    names = find_inames(kernel, inames, "inames")
    if len(names) < 2:
        raise StepError("FCL252", "joining takes at least two loops", argument="inames")
    result = kernel
    joined = outer = names[0]
    for position, inner in enumerate(names[1:], start=1):
        _require_everywhere(result, inner, within)
        last = position == len(names) - 1
        wanted = new_iname if last else None
        joined = new_name(result, wanted, "_and_".join(names[: position + 1]), "new_iname")
        result = _join_pair(result, outer, inner, joined)
        outer = joined
    return set_tag(result, joined, parse_tag(tag, "tag"), "tag")


def _join_pair(kernel: Kernel, outer: str, inner: str, joined: str) -> Kernel:
    for name in (outer, inner):
        require_untouched(kernel, name, "inames")
    length = constant_length(kernel, inner, "inames", "it cannot be an inner loop of a join")
    _require_nested(kernel, outer, inner)
    box = (Aff.name(inner) >= 0) & (Aff.name(inner) < length)
    relation = box & Aff.name(joined).eq(Aff.name(outer) * length + inner)
    span = kernel.iname_by_name[outer].span
    first = replace_iname(
        kernel,
        outer,
        (Iname(joined, span=span),),
        Call("floordiv", (Var(joined), integer(length))),
        relation,
        lambda loop: (Loop(joined, loop.body),),
    )
    return replace_iname(
        first,
        inner,
        (),
        Call("floormod", (Var(joined), integer(length))),
        Set.universe(),
        lambda loop: loop.body.children,
    )


def constant_length(kernel: Kernel, name: str, argument: str, why: str) -> int:
    """Number of iterations that a loop has at most. Errors: FCL257 where it is no constant."""
    union = Set.nothing()
    for statement in kernel.statements:
        if name in statement.inames:
            union = union | (statement.domain & kernel.assumptions).project_onto([name])
    high = union.range(name)[1]
    if high is None:
        raise StepError(
            "FCL257",
            f"loop '{name}' has no constant length, so {why}",
            argument=argument,
            value=name,
            hints=("put it first, or lp.fix_parameters its size",)
            if argument == "inames"
            else ("lp.fix_parameters its size",),
        )
    return high + 1


def _require_nested(kernel: Kernel, outer: str, inner: str) -> None:
    users = [s for s in kernel.statements if outer in s.inames or inner in s.inames]
    nested = all(outer in s.inames and inner in s.inames for s in users)
    for _, _, node in walk(kernel.tree):
        if isinstance(node, Loop) and node.iname == outer:
            child = node.body.children[0] if len(node.body.children) == 1 else None
            nested = nested and isinstance(child, Loop) and child.iname == inner
    if not nested:
        raise StepError(
            "FCL257",
            f"loop '{inner}' is not nested directly and alone in loop '{outer}'",
            argument="inames",
            value=inner,
            hints=(f'lp.prioritize_loops(kernel, "{outer},{inner}") first',),
        )


def tag_inames(
    kernel: Kernel,
    iname_to_tag: Mapping[str, str | None] | Sequence[Any] | str,
    *,
    ignore_nonexistent: bool = False,
) -> Kernel:
    """Say what loops become: ``g.N`` a work-group axis, ``l.N`` a work-item axis, ``l.auto``, ``unr``, ``for``.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})])
    >>> print(dump_tree(tag_inames(kernel, {"i": "g.0"})))
    lanes: i (g.0) = 0 .. n - 1
    s0: x[i] = 0

    Errors: FCL251, FCL253, FCL254, FCL255, FCL256; FCL302, FCL303, FCL306 where the loop is not proved parallel.
    Source: design sections 4 and 5.4.
    """
    for pattern, tag in tag_pairs(iname_to_tag, "iname_to_tag"):
        for name in matching_inames(kernel, pattern, "iname_to_tag", ignore_nonexistent):
            kernel = set_tag(kernel, name, tag, "iname_to_tag")
    return kernel


def set_tag(kernel: Kernel, name: str, tag: Tag | None, argument: str) -> Kernel:
    """One loop tagged, under proof; `tag_inames` says the errors."""
    iname = kernel.iname_by_name[name]
    if iname.tag == tag or tag is None:
        return kernel
    if iname.tag is not None and iname.tag.is_lane:
        require_untouched(kernel, name, argument)
    if not tag.is_lane:
        return retag(kernel, name, tag)
    if iname.trip is not None:
        raise StepError(
            "FCL253",
            f"the length of loop '{name}' is data, so it cannot run as {tag}",
            argument=argument,
            value=name,
            hints=("parallelise a loop round it",),
        )
    for statement in kernel.statements:
        rivals = [n for n in statement.inames if n != name and kernel.iname_by_name[n].tag == tag]
        if name in statement.inames and rivals:
            raise StepError(
                "FCL256",
                f"loop '{rivals[0]}' of the same statement is {tag} already",
                argument=argument,
                value=name,
                hints=("choose another axis",),
            )
    tagged = become_lane(kernel, name, tag)
    require_tag(kernel, tagged, name, argument=argument)
    return tagged


def untag_inames(kernel: Kernel, iname_to_untag: str, tag_type: object = None) -> Kernel:
    """Take a loop's tag away; a work-group or work-item axis becomes a loop again, round the smallest range of the tree
    that holds its statements.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = tag_inames(build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})]), {"i": "g.0"})
    >>> print(dump_tree(untag_inames(kernel, "i")))
    for i = 0 .. n - 1
      s0: x[i] = 0

    Errors: FCL251, and FCL257 where other statements stand between its own.
    """
    name = find_iname(kernel, iname_to_untag, "iname_to_untag")
    iname = kernel.iname_by_name[name]
    bare = retag(kernel, name, None)
    if iname.tag is None or not iname.tag.is_lane:
        return bare
    users = [s.id for s in kernel.statements if name in s.inames]
    where = common_path([kernel.paths[s][0][:-1] for s in users])
    block = node_at(kernel.tree, where) if where else kernel.tree
    body = body_of(block)
    assert body is not None
    positions = [kernel.paths[s][0][len(where)] for s in users]
    first, last = min(positions), max(positions)
    inside: tuple[Node, ...] = body.children[first : last + 1]
    strangers = [s for node in inside for s in runs(node) if s not in users]
    if strangers:
        raise StepError(
            "FCL257",
            f"statement {strangers[0]} stands between those of loop '{name}'",
            argument="iname_to_untag",
            value=name,
        )
    children = (*body.children[:first], Loop(name, Block(inside)), *body.children[last + 1 :])
    new_block: Node = Loop(block.iname, Block(children)) if isinstance(block, Loop) else Block(children)
    tree = replace_at(kernel.tree, where, (new_block,)) if where else Block(children)
    result = replace(bare, tree=tree)
    require_order(kernel, result, users, argument="iname_to_untag", what=f"untagging '{name}'")
    return result
