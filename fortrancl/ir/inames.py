"""Exact surgery on loop variables: one iname's meaning expressed in others, everywhere it occurs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fortrancl.ir.expr import Binary, Expr, Subscript, Var, integer, scalar_names, substitute
from fortrancl.ir.kernel import Guard, Iname, Kernel, Rule, Statement, Tag
from fortrancl.ir.tree import Block, Loop, Node, rebuild
from fortrancl.poly import Aff, Set


def map_expressions(statement: Statement, change: Callable[[Expr], Expr]) -> Statement:
    """The statement with target, value and guard subscripts changed."""
    target = change(statement.target)
    assert isinstance(target, Var | Subscript)
    guards = tuple(Guard(g.name, g.value, tuple(change(index) for index in g.indices)) for g in statement.guards)
    return replace(statement, target=target, value=change(statement.value), guards=guards)


def map_rule(rule: Rule, values: dict[str, Expr]) -> Rule:
    """The rule with free names of its body replaced; its parameters hide names."""
    free = {name: value for name, value in values.items() if name not in rule.parameters}
    return replace(rule, body=substitute(rule.body, free)) if free.keys() & scalar_names(rule.body) else rule


def replace_iname(
    kernel: Kernel,
    name: str,
    new: tuple[Iname, ...],
    value: Expr,
    relation: Set,
    in_tree: Callable[[Loop], tuple[Node, ...]],
) -> Kernel:
    """``name`` becomes ``value`` over the inames ``new``, which stand in its place; ``relation`` ties them together.

    ``in_tree`` gives what stands for each of its Loops. What the iname was stays known (`Kernel.rewrites`,
    `Kernel.retired`).
    """
    names = tuple(iname.name for iname in new)

    def in_statement(statement: Statement) -> Statement:
        if name not in statement.inames:
            return statement
        changed = map_expressions(statement, lambda expr: substitute(expr, {name: value}))
        inames = tuple(n for old in statement.inames for n in (names if old == name else (old,)))
        return replace(changed, inames=inames, domain=(statement.domain & relation).project_out([name]))

    def on_loop(node: Node) -> tuple[Node, ...] | None:
        return in_tree(node) if isinstance(node, Loop) and node.iname == name else None

    def owners(private_to: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(n for old in private_to for n in (names if old == name else (old,)))

    retired = replace(kernel.iname_by_name[name], tag=None)
    return replace(
        kernel,
        inames=tuple(n for iname in kernel.inames for n in (new if iname.name == name else (iname,))),
        statements=tuple(in_statement(statement) for statement in kernel.statements),
        temporaries=tuple(replace(t, private_to=owners(t.private_to)) for t in kernel.temporaries),
        rules=tuple(map_rule(rule, {name: value}) for rule in kernel.rules),
        tree=rebuild(kernel.tree, on_loop),
        rewrites=(
            *((old, substitute(expr, {name: value})) for old, expr in kernel.rewrites),
            (name, value),
        ),
        retired=(*kernel.retired, retired),
    )


def split_loop(kernel: Kernel, name: str, length: int, outer: str, inner: str) -> Kernel:
    """``name`` = length * outer + inner: two nested Loops in place of each of its own."""
    value = Binary("+", Var(inner), Binary("*", integer(length), Var(outer)))
    relation = (Aff.name(inner) >= 0) & (Aff.name(inner) < length)
    relation = relation & Aff.name(name).eq(Aff.name(outer) * length + inner)
    span = kernel.iname_by_name[name].span
    return replace_iname(
        kernel,
        name,
        (Iname(outer, span=span), Iname(inner, span=span)),
        value,
        relation,
        lambda loop: (Loop(outer, Block((Loop(inner, loop.body),))),),
    )


def become_lane(kernel: Kernel, name: str, tag: Tag) -> Kernel:
    """The iname is a hardware axis: its Loops make way for what is in them."""

    def splice(node: Node) -> tuple[Node, ...] | None:
        return node.body.children if isinstance(node, Loop) and node.iname == name else None

    return replace(retag(kernel, name, tag), tree=rebuild(kernel.tree, splice))


def retag(kernel: Kernel, name: str, tag: Tag | None) -> Kernel:
    """Another tag for an iname, the tree as it is."""
    inames = tuple(replace(iname, tag=tag) if iname.name == name else iname for iname in kernel.inames)
    return replace(kernel, inames=inames)
