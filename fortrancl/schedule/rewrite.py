"""Small exact changes of a kernel that the final mapping needs: expand rules, tag an iname, split one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fortrancl.analysis.accesses import expand_rules
from fortrancl.ir.expr import Binary, Expr, Subscript, Var, integer, substitute
from fortrancl.ir.kernel import Guard, Iname, Kernel, Statement, Tag
from fortrancl.ir.tree import Block, Loop, Node, rebuild
from fortrancl.poly import Aff


def map_expressions(statement: Statement, change: Callable[[Expr], Expr]) -> Statement:
    """The statement with target, value and guard subscripts changed."""
    target = change(statement.target)
    assert isinstance(target, Var | Subscript)
    guards = tuple(Guard(g.name, g.value, tuple(change(index) for index in g.indices)) for g in statement.guards)
    return replace(statement, target=target, value=change(statement.value), guards=guards)


def without_rules(kernel: Kernel) -> Kernel:
    """Every rule call replaced by what it means."""
    if not kernel.rules:
        return kernel
    statements = tuple(map_expressions(s, lambda expr: expand_rules(expr, kernel)) for s in kernel.statements)
    return replace(kernel, statements=statements, rules=())


def tag_lane(kernel: Kernel, name: str, tag: Tag) -> Kernel:
    """An iname becomes a lane: its Loops make way for what is in them."""
    inames = tuple(replace(iname, tag=tag) if iname.name == name else iname for iname in kernel.inames)

    def splice(node: Node) -> tuple[Node, ...] | None:
        return node.body.children if isinstance(node, Loop) and node.iname == name else None

    return replace(kernel, inames=inames, tree=rebuild(kernel.tree, splice))


def retag(kernel: Kernel, name: str, tag: Tag | None) -> Kernel:
    """Another tag for an iname that stays a Loop."""
    inames = tuple(replace(iname, tag=tag) if iname.name == name else iname for iname in kernel.inames)
    return replace(kernel, inames=inames)


def split(kernel: Kernel, name: str, length: int) -> tuple[Kernel, str, str]:
    """``name`` = length * outer + inner, as two nested Loops; gives the kernel and both new names."""
    outer = kernel.fresh_name(f"{name}_outer")
    inner = kernel.fresh_name(f"{name}_inner", (outer,))
    value = Binary("+", Binary("*", integer(length), Var(outer)), Var(inner))
    point = Aff.name(outer) * length + inner
    box = (Aff.name(inner) >= 0) & (Aff.name(inner) < length) & Aff.name(name).eq(point)

    def in_statement(statement: Statement) -> Statement:
        if name not in statement.inames:
            return statement
        changed = map_expressions(statement, lambda expr: substitute(expr, {name: value}))
        inames = tuple(n for old in statement.inames for n in ((outer, inner) if old == name else (old,)))
        return replace(changed, inames=inames, domain=(statement.domain & box).project_out([name]))

    def in_tree(node: Node) -> tuple[Node, ...] | None:
        if isinstance(node, Loop) and node.iname == name:
            return (Loop(outer, Block((Loop(inner, node.body),))),)
        return None

    def owners(private_to: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(n for old in private_to for n in ((outer, inner) if old == name else (old,)))

    return (
        replace(
            kernel,
            inames=(*(iname for iname in kernel.inames if iname.name != name), Iname(outer), Iname(inner)),
            statements=tuple(in_statement(statement) for statement in kernel.statements),
            temporaries=tuple(replace(t, private_to=owners(t.private_to)) for t in kernel.temporaries),
            tree=rebuild(kernel.tree, in_tree),
            rewrites=tuple((old, substitute(expr, {name: value})) for old, expr in kernel.rewrites),
        ),
        outer,
        inner,
    )
