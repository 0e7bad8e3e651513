"""Steps that change the order of execution: which loop is outside, which statements share a loop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from fortrancl.analysis.accesses import accesses_of
from fortrancl.analysis.legality import LegalityError, require_order
from fortrancl.diagnostics import StepError
from fortrancl.ir.expr import Expr, Var, substitute
from fortrancl.ir.kernel import Kernel, Statement, Temporary
from fortrancl.ir.match import matches
from fortrancl.ir.tree import Block, Loop, Node, Path, Run, body_of, flatten, node_at, rebuild, replace_at, runs, walk
from fortrancl.poly import Set
from fortrancl.transform.arguments import Names, find_iname, find_inames, name_list, new_name, parse_tag
from fortrancl.transform.loops import set_tag
from fortrancl.transform.rules import rewrite_statements


def prioritize_loops(kernel: Kernel, loop_priority: Names) -> Kernel:
    """Nest the named loops in the given order, outermost first, in the places they hold; other loops stay.

    Loops with other things beside the next one are distributed first. Loops tagged as hardware axes have no place in
    the order and are passed over.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n,n)", [("x[i,j]", "0", {"j": "n", "i": "n"})])
    >>> print(dump_tree(prioritize_loops(kernel, "i, j")))
    for i = 0 .. n - 1
      for j = 0 .. n - 1
        s0: x[i, j] = 0

    Errors: FCL251; FCL253 (a length that is data); FCL301, FCL302, FCL306 where the new order is not proved.
    """
    names = find_inames(kernel, loop_priority, "loop_priority")
    touched: set[str] = set()

    def nest(node: Node) -> tuple[Node, ...] | None:
        if not (isinstance(node, Loop) and node.iname in names):
            return None
        if _in_order(node, names):
            return (node,)
        touched.update(runs(node))
        return tuple(_permuted(piece, names) for piece in _perfect(node, frozenset(names)))

    tree = Block(tuple(flatten(_outermost(kernel.tree, nest))))
    result = replace(kernel, tree=tree)
    require_order(
        kernel,
        result,
        [s for s in kernel.paths if s in touched],
        argument="loop_priority",
        what=f"nesting the loops as {', '.join(names)}",
    )
    _require_lengths_known(result)
    return result


def _require_lengths_known(kernel: Kernel) -> None:
    """A loop whose length is data stands inside the loops that compute it anew in each iteration."""
    lanes = {iname.name for iname in kernel.inames if iname.tag is not None and iname.tag.is_lane}
    for _, loops, node in walk(kernel.tree):
        trip = kernel.iname_by_name[node.iname].trip if isinstance(node, Loop) else None
        if trip is None:
            continue
        assert isinstance(node, Loop)
        outside = [n for n in kernel.temporary_by_name[trip].private_to if n not in loops and n not in lanes]
        if outside:
            raise StepError(
                "FCL253",
                f"each iteration of loop '{outside[0]}' computes the length of loop '{node.iname}', which cannot stand "
                "round it",
                argument="loop_priority",
                value=node.iname,
            )


def _outermost(node: Block, change: Callable[[Node], tuple[Node, ...] | None]) -> list[Node]:
    """Children with ``change`` applied to the outermost nodes that it takes."""
    result: list[Node] = []
    for child in node.children:
        replaced = change(child)
        if replaced is not None:
            result.extend(replaced)
        elif isinstance(child, Loop):
            result.append(Loop(child.iname, Block(tuple(_outermost(child.body, change)))))
        else:
            result.append(child)
    return result


def _in_order(loop: Loop, names: tuple[str, ...]) -> bool:
    """Whether the named loops of a nest stand in the wanted order already, everywhere."""
    for _, loops, node in walk(loop):
        if isinstance(node, Loop):
            chain = [names.index(name) for name in (*loops, node.iname) if name in names]
            if chain != sorted(chain):
                return False
    return True


def _holds(node: Node, names: frozenset[str]) -> bool:
    return any(isinstance(inner, Loop) and inner.iname in names for _, _, inner in walk(node))


def _perfect(loop: Loop, names: frozenset[str]) -> list[Loop]:
    """The loop distributed until each piece is perfectly nested down to its last named loop."""
    groups: list[list[Node]] = []
    open_group = False
    for child in loop.body.children:
        if isinstance(child, Loop) and _holds(child, names):
            groups.extend([piece] for piece in _perfect(child, names))
            open_group = False
        elif open_group:
            groups[-1].append(child)
        else:
            groups.append([child])
            open_group = True
    return [Loop(loop.iname, Block(tuple(group))) for group in groups]


def _permuted(loop: Loop, names: tuple[str, ...]) -> Loop:
    chain: list[str] = []
    node = loop
    while True:
        chain.append(node.iname)
        only = node.body.children[0] if len(node.body.children) == 1 else None
        if not (isinstance(only, Loop) and _holds(only, frozenset(names))):
            break
        node = only
    wanted = iter([name for name in names if name in chain])
    ordered = [next(wanted) if name in names else name for name in chain]
    body = node.body
    for name in reversed(ordered[1:]):
        body = Block((Loop(name, body),))
    return Loop(ordered[0], body)


def duplicate_inames(
    kernel: Kernel,
    inames: Names,
    within: str | None = None,
    new_inames: Names | None = None,
    suffix: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Kernel:
    """Give the statements of ``within`` loops of their own: each iname is renamed there (`rename_iname`).

    ``new_inames`` pairs with ``inames``; otherwise the new name is the old with ``suffix``, made free.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "0", {"i": "n"}), ("y[i]", "1", {"i": "n"})])
    >>> print(dump_tree(duplicate_inames(kernel, "i", "writes:y", suffix="_y")))
    for i_y = 0 .. n - 1
      s1: y[i_y] = 1
    for i = 0 .. n - 1
      s0: x[i] = 0

    Errors: FCL251, FCL252, FCL261; FCL301, FCL302, FCL306 where distribution is not proved.
    """
    names = find_inames(kernel, inames, "inames")
    given = name_list(new_inames) if new_inames is not None else ()
    if given and len(given) != len(names):
        raise StepError("FCL252", f"{len(names)} loops need as many new names", argument="new_inames")
    for position, name in enumerate(names):
        wanted = given[position] if given else kernel.fresh_name(f"{name}{suffix or ''}")
        kernel = rename_iname(kernel, name, wanted, within=within, preserve_tags=False)
        tag = (tags or {}).get(name)
        kernel = set_tag(kernel, wanted, parse_tag(tag, "tags"), "tags")
    return kernel


def rename_iname(
    kernel: Kernel,
    old_iname: str,
    new_iname: str,
    existing_ok: bool = False,
    within: str | None = None,
    preserve_tags: bool = True,
) -> Kernel:
    """Rename a loop, everywhere or in the statements of ``within``, which then get a loop of their own.

    That loop stands just before the old one where the dependences allow it, else just after; if the new name labels a
    sibling already, that loop moves there and the statements join it (design 4.1).

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); y(n)", [("x[i]", "0", {"i": "n"}), ("y[i]", "x[i]", {"i": "n"})])
    >>> print(dump_tree(rename_iname(kernel, "i", "i2", within="writes:y")))
    for i = 0 .. n - 1
      s0: x[i] = 0
    for i2 = 0 .. n - 1
      s1: y[i2] = x[i2]

    Errors: FCL251, FCL252, FCL261; FCL301, FCL302, FCL306 where distribution is not proved.
    """
    old = find_iname(kernel, old_iname, "old_iname")
    exists = any(name.lower() == new_iname.strip().lower() for name in kernel.iname_by_name)
    if exists:
        new = find_iname(kernel, new_iname, "new_iname")
        _require_joinable(kernel, old, new, existing_ok)
    else:
        new = new_name(kernel, new_iname.strip(), new_iname, "new_iname")
    users = [s for s in kernel.statements if old in s.inames]
    chosen = matches(kernel, within)
    taken = [s.id for s in users if s.id in chosen]
    if not taken:
        raise StepError(
            "FCL261", f"no statement of within= runs in loop '{old}'", argument="within" if within else "old_iname"
        )
    renamed = _rename_in(kernel, old, new, taken, preserve_tags, exists)
    if len(taken) == len(users) and not (exists and within):
        return _rename_loops(renamed, old, new)
    tag = kernel.iname_by_name[old].tag
    if tag is not None and tag.is_lane and not (preserve_tags and not exists):
        raise StepError(
            "FCL254", f"loop '{old}' is tagged {tag} already", argument="old_iname", hints=("rename it before tagging",)
        )
    return _distribute(kernel, renamed, old, new, frozenset(taken))


def _require_joinable(kernel: Kernel, old: str, new: str, existing_ok: bool) -> None:
    if old == new or not existing_ok:
        raise StepError(
            "FCL252",
            f"loop '{new}' exists already",
            argument="new_iname",
            value=new,
            hints=("existing_ok=True joins it where both have the same bounds",),
        )
    both = [s.id for s in kernel.statements if old in s.inames and new in s.inames]
    if both or _iterations(kernel, old, "$i") != _iterations(kernel, new, "$i"):
        reason = f"statement {both[0]} is in both" if both else "their bounds differ"
        raise StepError("FCL252", f"loops '{old}' and '{new}' cannot be one: {reason}", argument="new_iname", value=new)


def _iterations(kernel: Kernel, name: str, neutral: str) -> Set:
    union = Set.nothing()
    for statement in kernel.statements:
        if name in statement.inames:
            own = (statement.domain & kernel.assumptions).project_onto([name, *kernel.parameters])
            union = union | own.rename({name: neutral})
    return union


def _rename_in(kernel: Kernel, old: str, new: str, taken: list[str], preserve_tags: bool, exists: bool) -> Kernel:
    """The statements' own text, domains and rules; not yet the tree."""
    result = rewrite_statements(kernel, taken, lambda expr: substitute(expr, {old: Var(new)}))

    def moved(statement: Statement) -> Statement:
        inames = tuple(new if name == old else name for name in statement.inames)
        return replace(statement, inames=inames, domain=statement.domain.rename({old: new}))

    result = result.with_statements({name: moved(result.statement_by_id[name]) for name in taken})
    everywhere = not any(old in s.inames for s in result.statements)
    record = kernel.iname_by_name[old]
    inames = list(result.inames)
    if not exists:
        fresh = replace(record, name=new, tag=record.tag if preserve_tags or everywhere else None)
        position = inames.index(record)
        inames[position : position + 1] = [fresh] if everywhere else [record, fresh]
    elif everywhere:
        inames.remove(record)
    return replace(
        result,
        inames=tuple(inames),
        temporaries=tuple(_moved_owner(kernel, t, old, new, frozenset(taken)) for t in result.temporaries),
        rewrites=_renamed_rewrites(result, old, new) if everywhere else result.rewrites,
        retired=(*result.retired, replace(record, tag=None)) if everywhere else result.retired,
    )


def _renamed_rewrites(kernel: Kernel, old: str, new: str) -> tuple[tuple[str, Expr], ...]:
    earlier = ((name, substitute(expr, {old: Var(new)})) for name, expr in kernel.rewrites if name != new)
    return (*earlier, (old, Var(new)))


def _moved_owner(kernel: Kernel, temporary: Temporary, old: str, new: str, taken: frozenset[str]) -> Temporary:
    """A value private to a loop goes with its statements; used on both sides, it is private to neither loop."""
    users = {access.statement for access in accesses_of(kernel, temporary.name)}
    if old not in temporary.private_to or not users & taken:
        return temporary
    owners = tuple(new if name == old else name for name in temporary.private_to if name != old or users <= taken)
    return replace(temporary, private_to=owners)


def _rename_loops(kernel: Kernel, old: str, new: str) -> Kernel:
    def change(node: Node) -> tuple[Node, ...] | None:
        return (Loop(new, node.body),) if isinstance(node, Loop) and node.iname == old else None

    return replace(kernel, tree=rebuild(kernel.tree, change))


def _distribute(old_kernel: Kernel, renamed: Kernel, old: str, new: str, taken: frozenset[str]) -> Kernel:
    """Each loop that holds taken statements parts in two, the new one before where it may be, else after."""
    result = renamed
    names = {statement: {old: new} for statement in taken}
    while True:
        place = next(
            (
                (path, node)
                for path, _, node in walk(result.tree)
                if isinstance(node, Loop) and node.iname == old and taken & set(runs(node))
            ),
            None,
        )
        if place is None:
            break
        result = _part(old_kernel, result, place[0], place[1], new, taken, names)
    return result


def _part(
    before: Kernel,
    current: Kernel,
    path: Path,
    loop: Loop,
    new: str,
    taken: frozenset[str],
    names: Mapping[str, Mapping[str, str]],
) -> Kernel:
    mine = _only(loop.body, taken)
    rest = _only(loop.body, frozenset(runs(loop)) - taken, keep_barriers=True)
    parent = node_at(current.tree, path[:-1]) if len(path) > 1 else current.tree
    siblings = body_of(parent)
    assert siblings is not None
    joined = [child for child in siblings.children if isinstance(child, Loop) and child.iname == new]
    body = Block((*(c for sibling in joined for c in sibling.body.children), *mine.children))
    fresh = Loop(new, body)
    touched = {*runs(loop), *(s for sibling in joined for s in runs(sibling))}
    between = [s for child in siblings.children if joined for s in runs(child)]
    error: LegalityError | None = None
    for order in ((fresh, Loop(loop.iname, rest)), (Loop(loop.iname, rest), fresh)):
        children: list[Node] = []
        for position, child in enumerate(siblings.children):
            if position == path[-1]:
                children.extend(order)
            elif child not in joined:
                children.append(child)
        tree = _with_children(current.tree, path[:-1], tuple(flatten(children)))
        candidate = replace(current, tree=tree)
        # Statements whose own loop has not been parted yet do not stand where they will.
        pending = {s for s in taken if loop.iname in candidate.paths[s][1]}
        try:
            require_order(
                before,
                candidate,
                [s for s in before.paths if s in touched | set(between) and s not in pending],
                argument="within",
                renamed=names,
                what=f"giving those statements the loop '{new}'",
            )
        except LegalityError as refused:
            error = error or refused
            continue
        return candidate
    assert error is not None
    raise error


def _with_children(tree: Block, path: Path, children: tuple[Node, ...]) -> Block:
    if not path:
        return Block(children)
    node = node_at(tree, path)
    new: Node = Loop(node.iname, Block(children)) if isinstance(node, Loop) else Block(children)
    return replace_at(tree, path, (new,))


def _only(block: Block, statements: frozenset[str], keep_barriers: bool = False) -> Block:
    """The part of a Block that runs the given statements."""

    def change(node: Node) -> tuple[Node, ...] | None:
        if isinstance(node, Run):
            return None if node.statement in statements else ()
        return None if keep_barriers or isinstance(node, Loop | Block) else ()

    return rebuild(block, change)
