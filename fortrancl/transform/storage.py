"""Buffering: updates of array elements collect in a temporary and go back once (design 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fortrancl.analysis.accesses import Access, accesses, accesses_of, expand_rules, references
from fortrancl.analysis.exclusive import require_exclusive
from fortrancl.diagnostics import StepError
from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import Binary, Expr, Literal_, Subscript, Var, integer, scalar_names, substitute, transform, walk
from fortrancl.ir.inames import map_expressions
from fortrancl.ir.kernel import Dim, Iname, Kernel, Note, Statement, Temporary
from fortrancl.ir.match import matches
from fortrancl.ir.text import find_array, find_scalar, parse_expression
from fortrancl.ir.tree import Run, body_of, node_at, runs
from fortrancl.poly import Aff, Set
from fortrancl.transform.arguments import Names, find_inames, parse_tag
from fortrancl.transform.copy_domain import in_bounds, waits_for_data
from fortrancl.transform.footprint import Footprint, Use, footprint, from_base, offset_name
from fortrancl.transform.loops import set_tag
from fortrancl.transform.placement import Place, find_place, insert, nest
from fortrancl.transform.precompute import SPACES, is_lane
from fortrancl.transform.rules import drop_uncalled, expand_only

_NEUTRAL = {"+": 0, "*": 1}


@dataclass(frozen=True)
class _Buffer:
    """What a buffer holds: the array, the accesses that go through it, where it lives and which elements it is for."""

    array: str
    accesses: tuple[Access, ...]
    outer: tuple[str, ...]
    place: Place
    part: Footprint
    written: Footprint
    name: str

    @property
    def kept(self) -> tuple[int, ...]:
        """Axes longer than 1."""
        return tuple(position for position, axis in enumerate(self.part.axes) if axis.extent > 1)


def buffer_array(
    kernel: Kernel,
    var_name: str,
    buffer_inames: Names,
    init_expression: str | None = None,
    store_expression: str | None = None,
    within: str | None = None,
    default_tag: str | None = "l.auto",
    temporary_address_space: str | None = None,
    fetch_bounding_box: bool = False,
) -> Kernel:
    """Keep the elements that ``buffer_inames`` sweep in a temporary: filled first, used in place of the array, stored
    last.

    ``init_expression`` may say ``base`` (the array's element), ``store_expression`` also ``buffer``; the defaults are
    ``base`` and ``buffer``. ``0`` with ``base + buffer`` sums apart from the array, which reassociates the sum: a note
    says so.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_tree
    >>> kernel = build_kernel("k", "n; x(n); y(n,n)", [("x[i]", "x[i] + y[i,j]", {"i": "n", "j": "n"})])
    >>> print(dump_tree(buffer_array(kernel, "x", [])))
    for i = 0 .. n - 1
      s1: x_buf = x[i]
      for j = 0 .. n - 1
        s0: x_buf = x_buf + y[i, j]
      s2: x[i] = x_buf

    Errors: FCL250, FCL251, FCL252, FCL261 (no access), FCL263–FCL265, FCL266 (accesses besides), FCL267 (the
    expressions would change the result), FCL268.
    """
    buffer = _plan(kernel, var_name, find_inames(kernel, buffer_inames, "buffer_inames"), within)
    _require_alone(kernel, buffer)
    _require_steady(kernel, buffer)
    init = _expression(kernel, init_expression, ("base",), "init_expression") or Var("base")
    store = _expression(kernel, store_expression, ("base", "buffer"), "store_expression") or Var("buffer")
    reassociates = _require_same_result(buffer, init, store)
    if not reassociates:
        require_exclusive(kernel, buffer.accesses, buffer.place.loops, buffer.outer, argument="buffer_inames")
    space = (temporary_address_space or "auto").lower()
    if space not in SPACES:
        raise StepError("FCL252", f"'{space}' is no address space", argument="temporary_address_space")
    temporary = Temporary(
        buffer.name,
        kernel.declaration(buffer.array).type,
        tuple(Dim(integer(0), integer(buffer.part.axes[axis].extent)) for axis in buffer.kept),
        private_to=buffer.outer,
        address_space=SPACES[space],
        origin="buffer",
    )
    result = replace(_redirected(kernel, buffer), temporaries=(*kernel.temporaries, temporary))
    result, names = _with_copy(result, buffer, init, is_init=True, hull=fetch_bounding_box)
    result, more = _with_copy(result, buffer, store, is_init=False, hull=False)
    if reassociates:
        note = f"the updates of '{buffer.array}' are summed apart and added once: their order changes"
        where = kernel.statement_by_id[buffer.accesses[0].statement].span
        result = replace(result, notes=(*result.notes, Note(note, where)))
    for name in (*names, *more):
        result = set_tag(result, name, parse_tag(default_tag, "default_tag"), "default_tag")
    return result


def _plan(kernel: Kernel, var_name: str, sweep: tuple[str, ...], within: str | None) -> _Buffer:
    array = find_array(kernel, var_name) or find_scalar(kernel, var_name)
    if array is None or array in kernel.iname_by_name:
        raise StepError("FCL268", f"kernel '{kernel.name}' has no variable '{var_name}'", argument="var_name")
    chosen = matches(kernel, within)
    found = tuple(access for access in accesses_of(kernel, array) if access.statement in chosen)
    if not any(access.is_write for access in found):
        raise StepError("FCL261", f"no statement here writes '{array}'", argument="var_name")
    uses = [Use(kernel.statement_by_id[access.statement], access.indices) for access in found]
    needed = {name for use in uses for index in use.indices for name in scalar_names(index)} & set(kernel.iname_by_name)
    outer_set = needed - set(sweep)
    outer = tuple(name for name in uses[0].statement.inames if name in outer_set)
    if len(outer) != len(outer_set):
        raise StepError("FCL263", f"some accesses to '{array}' run in other loops", argument="buffer_inames")
    place = find_place(kernel, [access.statement for access in found], frozenset(outer), "buffer_inames")
    part = footprint(kernel, uses, frozenset(outer), "buffer_inames")
    writes = [use for use, access in zip(uses, found, strict=True) if access.is_write]
    written = Footprint(part.axes, _points(kernel, writes, part, frozenset(outer))) if len(writes) < len(uses) else part
    return _Buffer(array, found, outer, place, part, written, kernel.fresh_name(f"{array}_buf"))


def _points(kernel: Kernel, uses: Sequence[Use], part: Footprint, outer: frozenset[str]) -> Set:
    """Elements of some of the uses, counted from the whole footprint's bases."""
    known = {*kernel.iname_by_name, *kernel.parameters}
    keep = {*outer, *kernel.parameters, *(offset_name(position) for position in range(len(part.axes)))}
    result = Set.nothing()
    for use in uses:
        own = use.statement.domain & kernel.assumptions
        for position, axis in enumerate(part.axes):
            aff = to_aff(use.indices[position], known.__contains__)
            offset = Aff.const(0) if aff is None or axis.base_aff is None else aff - axis.base_aff
            own = own & offset.eq(offset_name(position))
        result = result | own.project_onto(keep)
    return result


def _inside(kernel: Kernel, place: Place) -> frozenset[str]:
    """Statements between the first and the last use."""
    node = node_at(kernel.tree, place.block) if place.block else kernel.tree
    body = body_of(node)
    assert body is not None
    return frozenset(s for child in body.children[place.first : place.last + 1] for s in runs(child))


def _require_steady(kernel: Kernel, buffer: _Buffer) -> None:
    """Subscripts that are data, and so begin the buffered part, keep their values while the buffer is in use."""
    inside = _inside(kernel, buffer.place)
    changing = {s.target_name for s in kernel.statements if s.id in inside}
    for axis in buffer.part.axes:
        for name, _ in references(axis.base, kernel) if axis.base_aff is None else ():
            temporary = kernel.temporary_by_name.get(name)
            owners = set(temporary.private_to) if temporary is not None else set()
            if name in changing or not owners <= set(buffer.outer):
                raise StepError(
                    "FCL264",
                    f"'{name}', a subscript of '{buffer.array}', changes while the buffer is in use",
                    argument="buffer_inames",
                    hints=("leave the loops that change it out of buffer_inames",),
                )


def _require_alone(kernel: Kernel, buffer: _Buffer) -> None:
    """No other access to the array runs between filling and storing."""
    mine = {access.statement for access in buffer.accesses}
    inside = _inside(kernel, buffer.place)
    for access in accesses(kernel):
        if access.array == buffer.array and access.statement in inside - mine:
            where = kernel.statement_by_id[access.statement].where
            raise StepError("FCL266", f"{where} uses '{buffer.array}' beside the buffer", argument="within")


def _expression(kernel: Kernel, text: str | None, names: tuple[str, ...], argument: str) -> Expr | None:
    return None if text is None else parse_expression(text, kernel, names=names, argument=argument)


def _require_same_result(buffer: _Buffer, init: Expr, store: Expr) -> bool:
    """Whether the expressions sum apart from the array (which needs permission); refuses what would change results."""
    if init == Var("base") and store == Var("buffer"):
        return False
    operations = {access.reduction for access in buffer.accesses}
    operation = next(iter(operations)) if len(operations) == 1 else None
    neutral = _NEUTRAL.get(operation or "")
    joins = isinstance(store, Binary) and store.op == operation
    operands = {store.left, store.right} if isinstance(store, Binary) else set()
    if (
        neutral is not None
        and isinstance(init, Literal_)
        and init.value == neutral
        and joins
        and operands == {Var("base"), Var("buffer")}
    ):
        return True
    raise StepError(
        "FCL267",
        f"these expressions would not give the same '{buffer.array}'",
        argument="store_expression",
        hints=('leave both away, or say "0" and "base + buffer" where every access is an update x = x + e',),
    )


def _redirected(kernel: Kernel, buffer: _Buffer) -> Kernel:
    """Accesses go to the buffer."""

    def element(node: Expr) -> Expr | None:
        if isinstance(node, Subscript) and node.array == buffer.array:
            return _element(kernel, buffer, node.indices)
        if isinstance(node, Var) and node.name == buffer.array:
            return Var(buffer.name)
        return None

    # Rules that read the array are put in place; others stay for later steps.
    reading = frozenset(rule.name for rule in kernel.rules if _mentions(expand_rules(rule.body, kernel), buffer.array))

    def change(statement: Statement) -> Statement:
        changed = map_expressions(statement, lambda expr: transform(expand_only(expr, kernel, reading), element))
        lanes = {name for name in statement.inames if is_lane(kernel, name)}
        # A buffer of the work-item's own needs no indivisible update.
        return replace(changed, atomic=statement.atomic and not lanes <= set(buffer.outer))

    chosen = {access.statement for access in buffer.accesses}
    return drop_uncalled(kernel.with_statements({name: change(kernel.statement_by_id[name]) for name in chosen}))


def _mentions(expr: Expr, name: str) -> bool:
    return any(getattr(node, "array", None) == name or node == Var(name) for node in walk(expr))


def _element(kernel: Kernel, buffer: _Buffer, indices: Sequence[Expr]) -> Var | Subscript:
    """The buffer's element for an element of the array."""
    if not buffer.kept:
        return Var(buffer.name)
    return Subscript(
        buffer.name, tuple(from_base(indices[axis], buffer.part.axes[axis], kernel) for axis in buffer.kept)
    )


def _with_copy(
    kernel: Kernel, buffer: _Buffer, expression: Expr, *, is_init: bool, hull: bool
) -> tuple[Kernel, tuple[str, ...]]:
    """The loops that fill the buffer before its first use, or store it after its last."""
    word = "init" if is_init else "store"
    names: list[str] = []
    for axis in buffer.kept:
        names.append(kernel.fresh_name(f"{buffer.array}_{word}_{axis}", names))
    own = dict(zip(buffer.kept, names, strict=True))
    part = buffer.part if is_init else buffer.written
    indices = tuple(_index(axis.base, axis.base_aff, own.get(position)) for position, axis in enumerate(part.axes))
    base: Var | Subscript = Subscript(buffer.array, indices) if indices else Var(buffer.array)
    held: Var | Subscript = Subscript(buffer.name, tuple(map(Var, names))) if names else Var(buffer.name)
    statement = Statement(
        kernel.fresh_statement_id(f"s{len(kernel.statements)}"),
        held if is_init else base,
        substitute(expression, {"base": base, "buffer": held}),
        (*buffer.outer, *names),
        _within_bounds(kernel, buffer, base, _copy_domain(part, own, hull), names),
        span=kernel.statement_by_id[buffer.accesses[0].statement].span,
    )
    position = buffer.place.first if is_init else buffer.place.last + 2
    result = replace(
        kernel,
        inames=(*kernel.inames, *map(Iname, names)),
        statements=(*kernel.statements, statement),
        tree=insert(kernel.tree, buffer.place.block, position, [nest(names, Run(statement.id))]),
    )
    return result, tuple(names)


def _within_bounds(kernel: Kernel, buffer: _Buffer, element: Expr, domain: Set, names: Sequence[str]) -> Set:
    """The copy of conditional accesses touches no element outside the array: where a condition fails, nothing else
    says that it may."""
    statements = [kernel.statement_by_id[access.statement] for access in buffer.accesses]
    if not any(s.guards or waits_for_data(kernel, s, buffer.outer) for s in statements):
        return domain
    inside = in_bounds(kernel, element, set(names))
    if inside is None:
        raise StepError(
            "FCL265",
            f"which elements of '{buffer.array}' are used is data, and their use is conditional",
            argument="buffer_inames",
        )
    return domain if domain <= inside else domain & inside


def _index(base: Expr, base_aff: Aff | None, name: str | None) -> Expr:
    if name is None:
        return base
    zero = base_aff is not None and base_aff.constant() == 0
    return Var(name) if zero else Binary("+", base, Var(name))


def _copy_domain(part: Footprint, own: dict[int, str], hull: bool) -> Set:
    domain = part.points.coalesce()
    domain = domain.project_out(offset_name(p) for p in range(len(part.axes)) if p not in own)
    domain = domain.rename({offset_name(p): name for p, name in own.items()})
    return domain.hull() if hull else domain
