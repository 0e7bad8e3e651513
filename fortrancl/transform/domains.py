"""Steps that give loops other domains: chunks, unused loops, affine maps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from fortrancl.analysis.legality import require_order
from fortrancl.diagnostics import StepError
from fortrancl.ir.affine import aff_to_expr, to_set
from fortrancl.ir.expr import Binary, Call, Expr, Var, integer, scalar_names, substitute
from fortrancl.ir.inames import map_expressions, map_rule, replace_iname
from fortrancl.ir.kernel import Iname, Kernel, Statement
from fortrancl.ir.text import parse_condition
from fortrancl.ir.tree import Block, Loop, Node, walk
from fortrancl.poly import Aff, PolyhedralError, Set
from fortrancl.transform.arguments import Names, find_iname, find_inames, name_list, new_name, parse_tag
from fortrancl.transform.loops import constant_length, require_untouched, set_tag

_MAP = re.compile(
    r"\s*(?:\[[^\]]*\]\s*->)?\s*\{\s*\[(?P<old>[^\]]+)\]\s*->\s*\[(?P<new>[^\]]+)\]\s*(?::(?P<conditions>[^{}]*))?\}\s*"
)


def chunk_iname(
    kernel: Kernel,
    split_iname: str,
    num_chunks: int,
    *,
    outer_iname: str | None = None,
    inner_iname: str | None = None,
    outer_tag: str | None = None,
    inner_tag: str | None = None,
) -> Kernel:
    """Replace a loop of constant length by ``num_chunks`` chunks that differ by one at most, longer ones first.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "x(7)", [("x[i]", "0", {"i": "7"})])
    >>> print(dump_tree(chunk_iname(kernel, "i", 2)))
    for i_outer = 0 .. 1
      for i_inner = 0 .. -i_outer + 3
        s0: x[i_inner + 3*i_outer + min(i_outer, 1)] = 0

    The order of execution stays. Errors: FCL251, FCL252, FCL253 (the loop's length is data), FCL254, FCL255, FCL257 (no
    constant length), and those of `tag_inames`.
    """
    name = find_iname(kernel, split_iname, "split_iname")
    if num_chunks < 1:
        raise StepError("FCL252", "num_chunks is at least 1", argument="num_chunks")
    require_untouched(kernel, name, "split_iname")
    short, longer = divmod(constant_length(kernel, name, "split_iname", "its chunks have none"), num_chunks)
    outer = new_name(kernel, outer_iname, f"{name}_outer", "outer_iname")
    inner = new_name(kernel, inner_iname, f"{name}_inner", "inner_iname", (outer,))
    tags = (parse_tag(outer_tag, "outer_tag"), parse_tag(inner_tag, "inner_tag"))
    start: Expr = Binary("*", integer(short), Var(outer))
    first = Aff.name(outer) * short
    in_chunk = (Aff.name(inner) >= 0) & (Aff.name(inner) < short)
    if longer:
        start = Binary("+", start, Call("min", (Var(outer), integer(longer))))
        first = first + Aff.name(outer).min(longer)
        extra = (Aff.name(inner) >= 0) & (Aff.name(inner) <= short) & (Aff.name(outer) < longer)
        in_chunk = in_chunk | extra
    relation = in_chunk & (Aff.name(outer) >= 0) & (Aff.name(outer) < num_chunks)
    relation = relation & Aff.name(name).eq(first + inner)
    span = kernel.iname_by_name[name].span
    result = replace_iname(
        kernel,
        name,
        (Iname(outer, span=span), Iname(inner, span=span)),
        _sum(inner, start),
        relation.coalesce(),
        lambda loop: (Loop(outer, Block((Loop(inner, loop.body),))),),
    )
    for new, tag, argument in ((outer, tags[0], "outer_tag"), (inner, tags[1], "inner_tag")):
        result = set_tag(result, new, tag, argument)
    return result


def _sum(inner: str, start: Expr) -> Expr:
    """``inner + start`` with the terms of ``start`` in a row."""
    if isinstance(start, Binary) and start.op == "+":
        return Binary("+", Binary("+", Var(inner), start.left), start.right)
    return Binary("+", Var(inner), start)


def remove_unused_inames(kernel: Kernel, inames: Names | None = None) -> Kernel:
    """Forget loop variables that no statement runs over any more (all of them, or the named ones).

    >>> from fortrancl.ir.build import build_kernel
    >>> kernel = build_kernel("k", "n; x(n)", [("x[i]", "0", {"i": "n"})])
    >>> [iname.name for iname in remove_unused_inames(kernel).inames]
    ['i']

    Errors: FCL251, FCL287 (a statement runs in the loop, or a rule that is still called uses it).
    """
    used = {name for statement in kernel.statements for name in statement.inames}
    used |= {name for rule in kernel.rules for name in scalar_names(rule.body) - set(rule.parameters)}
    gone = set(kernel.iname_by_name) - used
    if inames is not None:
        named = find_inames(kernel, inames, "inames")
        kept = next((name for name in named if name in used), None)
        if kept is not None:
            raise StepError("FCL287", f"loop '{kept}' is in use", argument="inames", value=kept)
        gone &= set(named)
    return replace(
        kernel,
        inames=tuple(iname for iname in kernel.inames if iname.name not in gone),
        temporaries=tuple(
            replace(t, private_to=tuple(name for name in t.private_to if name not in gone)) for t in kernel.temporaries
        ),
        retired=(*kernel.retired, *(replace(i, tag=None) for i in kernel.inames if i.name in gone)),
    )


def map_domain(kernel: Kernel, transform_map: str) -> Kernel:
    """Replace nested loops by others that visit the same iterations in another order: an affine map, one to one.

    ``transform_map`` is ``"[n] -> { [i, j] -> [ii, jj] : … }"``: names of loops, outermost first, names for the new
    ones, and conditions that tie them together. The new loops are nested in their order where the old ones were.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "x(4,4)", [("x[i,j]", "0", {"j": "4", "i": "4"})])
    >>> print(dump_tree(map_domain(kernel, "{ [j, i] -> [t, i2] : t = i + j and i2 = i }")))
    for t = 0 .. 6
      for i2 = max(0, t - 3) .. min(3, t)
        s0: x[i2, t - i2] = 0

    Errors: FCL250, FCL251, FCL252 (a name is taken), FCL253, FCL254, FCL257 (not nested directly), FCL288 (not one to
    one); FCL301, FCL302, FCL306 where the new order is not proved.
    """
    parts = _MAP.fullmatch(transform_map)
    if parts is None:
        raise StepError(
            "FCL250",
            f"'{transform_map}' is no map of loops",
            argument="transform_map",
            hints=('write it as "{ [i, j] -> [ii, jj] : ii = i + j and jj = j }"',),
        )
    old = find_inames(kernel, parts["old"], "transform_map")
    for name in old:
        require_untouched(kernel, name, "transform_map")
    new: list[str] = []
    for name in name_list(parts["new"]):
        new.append(new_name(kernel, name, name, "transform_map", new))
    relation = _relation(kernel, parts["conditions"] or "", old, new)
    users = [s for s in kernel.statements if set(old) & set(s.inames)]
    values = _values(kernel, relation, old, new, users)
    nests = [node for _, _, node in walk(kernel.tree) if isinstance(node, Loop) and node.iname == old[0]]
    if any(not set(old) <= set(s.inames) for s in users) or any(_inside(nest, old) is None for nest in nests):
        raise StepError(
            "FCL257",
            f"loops {', '.join(old)} are not nested directly in one another, in this order, everywhere",
            argument="transform_map",
            hints=("lp.prioritize_loops and lp.distribute_loops help",),
        )
    result = _mapped(kernel, relation, old, new, values)
    require_order(
        kernel,
        result,
        [s.id for s in users],
        argument="transform_map",
        renamed={s.id: dict(values) for s in users},
        what=f"running {', '.join(old)} as {', '.join(new)}",
    )
    return result


def _relation(kernel: Kernel, conditions: str, old: tuple[str, ...], new: list[str]) -> Set:
    if not conditions.strip():
        return Set.universe()
    condition = parse_condition(conditions, kernel, names=new, argument="transform_map")
    found = to_set(condition, {*old, *new, *kernel.parameters}.__contains__)
    if found is None:
        raise StepError(
            "FCL288",
            f"'{conditions.strip()}' is not affine in {', '.join((*old, *new))} and the sizes",
            argument="transform_map",
        )
    return found


def _values(
    kernel: Kernel, relation: Set, old: tuple[str, ...], new: list[str], users: list[Statement]
) -> dict[str, Aff]:
    """Each old loop variable as an expression in the new ones. Errors: FCL288."""
    domain = Set.nothing()
    for statement in users:
        domain = domain | (statement.domain & kernel.assumptions).project_onto([*old, *kernel.parameters])
    both = relation & domain
    if not domain <= both.project_out(new):
        raise StepError("FCL288", "the map leaves iterations out", argument="transform_map")
    values = {}
    for name in old:
        values[name] = _only_value(both.project_out(other for other in old if other != name), name)
    for name in new:
        _only_value(both.project_out(other for other in new if other != name), name)
    return values


def _only_value(relation: Set, name: str) -> Aff:
    try:
        low, high = relation.minimum(name), relation.maximum(name)
        if (relation & low.ne(high)).is_empty():
            return low.gist(relation.project_out([name]))
    except PolyhedralError:
        pass
    raise StepError(
        "FCL288", f"the map gives '{name}' more than one value in an iteration", argument="transform_map", value=name
    )


def _inside(nest: Loop, old: tuple[str, ...]) -> Block | None:
    """What is in the innermost of the loops, if they are nested directly in this order."""
    node = nest
    for name in old[1:]:
        only = node.body.children[0] if len(node.body.children) == 1 else None
        if not (isinstance(only, Loop) and only.iname == name):
            return None
        node = only
    return node.body


def _mapped(kernel: Kernel, relation: Set, old: tuple[str, ...], new: list[str], values: Mapping[str, Aff]) -> Kernel:
    exprs = {name: aff_to_expr(value, Set.universe()) for name, value in values.items()}

    def in_statement(statement: Statement) -> Statement:
        if old[0] not in statement.inames:
            return statement
        changed = map_expressions(statement, lambda expr: substitute(expr, exprs))
        rest = [name for name in statement.inames if name not in old]
        place = statement.inames.index(old[0])
        before = sum(1 for name in statement.inames[:place] if name not in old)
        domain = (statement.domain & relation).project_out(old)
        return replace(changed, inames=(*rest[:before], *new, *rest[before:]), domain=domain)

    def nested(node: Node) -> Node:
        if not isinstance(node, Loop):
            return Block(tuple(map(nested, node.children))) if isinstance(node, Block) else node
        if node.iname != old[0]:
            return Loop(node.iname, Block(tuple(map(nested, node.body.children))))
        body = _inside(node, old)
        assert body is not None
        for name in reversed(new):
            body = Block((Loop(name, body),))
        return body.children[0]

    def owners(private_to: tuple[str, ...]) -> tuple[str, ...]:
        # Who belongs to one iteration of all old loops belongs to one of all new ones; to some of them, to none.
        if not set(old) & set(private_to):
            return private_to
        kept = tuple(name for name in private_to if name not in old)
        return (*kept, *new) if set(old) <= set(private_to) else kept

    span = kernel.iname_by_name[old[0]].span
    inames: list[Iname] = []
    for iname in kernel.inames:
        inames.extend((Iname(name, span=span) for name in new) if iname.name == old[0] else ())
        if iname.name not in old:
            inames.append(iname)
    return replace(
        kernel,
        inames=tuple(inames),
        statements=tuple(map(in_statement, kernel.statements)),
        temporaries=tuple(replace(t, private_to=owners(t.private_to)) for t in kernel.temporaries),
        rules=tuple(map_rule(rule, exprs) for rule in kernel.rules),
        tree=Block(tuple(map(nested, kernel.tree.children))),
        rewrites=(*((name, substitute(expr, exprs)) for name, expr in kernel.rewrites), *exprs.items()),
        retired=(*kernel.retired, *(replace(kernel.iname_by_name[name], tag=None) for name in old)),
    )
