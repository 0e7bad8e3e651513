"""A kernel as a person reads it: the loop tree alone, or everything. The text depends on the kernel only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fortrancl.ir.affine import aff_to_expr, from_tree
from fortrancl.ir.kernel import Argument, Declaration, Dim, Iname, Kernel, Statement, Temporary
from fortrancl.ir.layout import place_text
from fortrancl.ir.text import expr_text
from fortrancl.ir.tree import Barrier, Block, Loop, Node, Run, runs
from fortrancl.poly import Aff, PolyhedralError, Set, bounds, linear_tree

_INDENT = "  "


def dump_tree(kernel: Kernel) -> str:
    """The loop tree: one line for each loop with its bounds (both inclusive), statement and barrier; lanes on top.

    >>> from fortrancl.ir.expr import Var
    >>> from fortrancl.ir.types import INTEGER4
    >>> from fortrancl.poly import Aff
    >>> domain = (Aff.name("i") >= 0) & (Aff.name("i") < "n")
    >>> count = Argument("n", INTEGER4)
    >>> body = Statement("s0", Var("last"), Var("i"), ("i",), domain)
    >>> tree = Block((Loop("i", Block((Run("s0"),))),))
    >>> print(dump_tree(Kernel("k", (count,), (Temporary("last", INTEGER4),), (Iname("i"),), (body,), tree)))
    for i = 0 .. n - 1
      s0: last = i
    """
    lines = []
    lanes = [iname for iname in kernel.inames if iname.tag is not None and iname.tag.is_lane]
    if lanes:
        shown = (f"{iname.name} ({iname.tag}) = {_lane_range(kernel, iname)}" for iname in lanes)
        lines.append("lanes: " + ", ".join(shown))
    lines.extend(_node_lines(kernel, kernel.tree, ()))
    return "\n".join(lines)


def dump_kernel(kernel: Kernel) -> str:
    """All of a kernel: declarations, rules, statements with guards and domains, tree, and what the user vouched for."""
    sections: list[tuple[str, list[str]]] = [
        ("arguments", [_argument_line(argument) for argument in kernel.arguments]),
        ("extents", [f"{e.name}: extent of axis {e.axis} of {e.array}" for e in kernel.extents]),
        ("temporaries", [_temporary_line(temporary) for temporary in kernel.temporaries]),
        ("inames", [_iname_line(iname) for iname in kernel.inames]),
        ("rules", [f"{r.name}({', '.join(r.parameters)}) := {expr_text(r.body)}" for r in kernel.rules]),
        ("statements", [line for statement in kernel.statements for line in _statement_lines(statement)]),
        ("tree", dump_tree(kernel).splitlines()),
        ("assumptions", _assumption_lines(kernel)),
        ("notes", [note.message for note in kernel.notes]),
    ]
    lines = [f"kernel {kernel.name}" + (f" (from {', '.join(kernel.origin)})" if kernel.origin else "")]
    for title, body in sections:
        if body:
            lines.append(f"{title}:")
            lines.extend(_INDENT + line for line in body)
    return "\n".join(lines) + "\n"


def assignment_text(statement: Statement) -> str:
    """``target = value``, with the guards before it."""
    assignment = f"{expr_text(statement.target)} = {expr_text(statement.value)}"
    guards = []
    for guard in statement.guards:
        index = f"[{', '.join(expr_text(i) for i in guard.indices)}]" if guard.indices else ""
        guards.append(("" if guard.value else "not ") + guard.name + index)
    marks = (" {atomic}" if statement.atomic else "") + (" {any order}" if statement.reassociable else "")
    return (f"if ({' and '.join(guards)}) " if guards else "") + assignment + marks


# -- the tree ---------------------------------------------------------------------------------------------------
def _node_lines(kernel: Kernel, node: Node, outer: tuple[str, ...]) -> Iterator[str]:
    if isinstance(node, Block):
        for child in node.children:
            yield from _node_lines(kernel, child, outer)
    elif isinstance(node, Run):
        statement = kernel.statement_by_id.get(node.statement)
        yield f"{node.statement}: " + (assignment_text(statement) if statement else "(no such statement)")
    elif isinstance(node, Barrier):
        yield f"--- {node.scope} barrier ---"
    else:
        iname = kernel.iname_by_name.get(node.iname)
        tag = f"  ({iname.tag})" if iname is not None and iname.tag is not None else ""
        yield f"for {node.iname} = {_loop_range(kernel, node, outer)}{tag}"
        for child in node.body.children:
            for line in _node_lines(kernel, child, (*outer, node.iname)):
                yield _INDENT + line


def _loop_range(kernel: Kernel, loop: Loop, outer: tuple[str, ...]) -> str:
    """Bounds over the outer loops, the lanes and the parameters, wide enough for all statements inside."""
    iname = kernel.iname_by_name.get(loop.iname)
    if iname is not None and iname.trip is not None:
        return f"0 .. {iname.trip} - 1"
    lanes = {i.name for i in kernel.inames if i.tag is not None and i.tag.is_lane}
    keep = {loop.iname, *outer, *lanes, *kernel.parameters}
    inside = [kernel.statement_by_id[name] for name in runs(loop) if name in kernel.statement_by_id]
    return _range(kernel, loop.iname, inside, keep)


def _lane_range(kernel: Kernel, iname: Iname) -> str:
    users = [statement for statement in kernel.statements if iname.name in statement.inames]
    return _range(kernel, iname.name, users, {iname.name, *kernel.parameters})


def _range(kernel: Kernel, name: str, statements: Iterable[Statement], keep: set[str]) -> str:
    domain = Set.nothing()
    for statement in statements:
        inside = statement.domain & kernel.assumptions
        domain = domain | inside.project_out(inside.names - keep)
    if domain.is_empty():
        return "(never)"
    return f"{_bound(domain, name, kernel, upper=False)} .. {_bound(domain, name, kernel, upper=True)}"


def _bound(domain: Set, name: str, kernel: Kernel, upper: bool) -> str:
    """The inclusive bound, from the constraints as they stand where the domain is one piece."""
    candidates = bounds(domain, name)[1 if upper else 0] if domain.piece_count == 1 else ()
    if candidates:
        shown = [_aff_text(b.value - 1 if upper else b.value, domain) for b in candidates]
        return shown[0] if len(shown) == 1 else f"{'min' if upper else 'max'}({', '.join(sorted(shown))})"
    try:
        return _aff_text(domain.maximum(name) if upper else domain.minimum(name), kernel.assumptions)
    except PolyhedralError:
        return "?"


def _aff_text(value: Aff, context: Set) -> str:
    tree = linear_tree(value)
    if tree is not None:
        return expr_text(from_tree(tree))
    return expr_text(aff_to_expr(value, value.domain() & context))


# -- declarations and statements --------------------------------------------------------------------------------
def _shape_text(shape: tuple[Dim, ...]) -> str:
    if not shape:
        return ""
    dims = []
    for dim in shape:
        lower = expr_text(dim.lower)
        extent = "*" if dim.extent is None else expr_text(dim.extent)
        dims.append(extent if lower == "1" else f"from {lower}, {extent}")
    return f"[{'; '.join(dims)}]" if any("from" in dim for dim in dims) else f"[{', '.join(dims)}]"


def _argument_line(argument: Argument) -> str:
    words = [str(argument.type)]
    if argument.intent is not None:
        words.append(f"intent({argument.intent})")
    if argument.form != "explicit":
        words.append(argument.form.replace("_", " "))
    if argument.by_value:
        words.append("value")
    words += _layout_words(argument)
    return f"{argument.name}{_shape_text(argument.shape)}: {', '.join(words)}"


def _temporary_line(temporary: Temporary) -> str:
    words = [str(temporary.type), temporary.address_space]
    if temporary.private_to:
        words.append(f"private to {', '.join(temporary.private_to)}")
    if temporary.origin != "fortran":
        words.append(temporary.origin)
    if temporary.base is not None:
        words.append(f"in {temporary.base}")
    if temporary.values:
        words.append("constant " + " ".join(expr_text(value) for value in temporary.values))
    words += _layout_words(temporary)
    return f"{temporary.name}{_shape_text(temporary.shape)}: {', '.join(words)}"


def _layout_words(declaration: Declaration) -> list[str]:
    words = [f"axes {' '.join(declaration.axis_names)}"] if declaration.axis_names else []
    if declaration.layout:
        words.append(f"layout {' '.join(place_text(place) for place in declaration.layout)}")
    if isinstance(declaration, Argument) and declaration.splits:
        words.append(f"declared {_shape_text(declaration.declared)}")
    return words


def _iname_line(iname: Iname) -> str:
    words = []
    if iname.tag is not None:
        words.append(str(iname.tag))
    if iname.trip is not None:
        words.append(f"{iname.trip} iterations")
    if iname.variable is not None and iname.start is not None:
        step = "" if iname.step == 1 else f"{iname.step}*"
        words.append(f"{iname.variable} = {expr_text(iname.start)} + {step}{iname.name}")
    return f"{iname.name}: {', '.join(words)}" if words else iname.name


def _statement_lines(statement: Statement) -> Iterator[str]:
    yield f"{statement.id}: {assignment_text(statement)}"
    domain = statement.domain.constraints
    over = f"[{', '.join(statement.inames)}]"
    yield f"{_INDENT}for {over} where {domain}" if domain else f"{_INDENT}for {over}"
    if statement.tags:
        yield f"{_INDENT}tagged {', '.join(sorted(statement.tags))}"


def _assumption_lines(kernel: Kernel) -> list[str]:
    lines = [kernel.assumptions.constraints] if not kernel.assumptions.is_universe() else []
    lines.extend(f"{fixed.name} = {expr_text(fixed.value)}" for fixed in kernel.fixed)
    lines.extend(f"{array} has {expr_text(count)} elements" for array, count in kernel.promised_extents)
    lines.extend(f"{array} has no value twice" for array in sorted(kernel.injective))
    lines.extend(f"{name} means {expr_text(value)}" for name, value in kernel.rewrites)
    return lines
