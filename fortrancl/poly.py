"""Integer sets and affine expressions by *name*: the only room that knows islpy.

isl counts dimensions by position. Here every quantity is a named isl *parameter*: loop variables, sizes, and (with
primes, ``i'``) the second instance of a dependence. Sets over different names then align by themselves, a relation is
just a set over both sides' names, and the expressions that isl writes for code carry the right names at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import islpy as isl

_CTX: Any = isl.DEFAULT_CONTEXT
_PARAM = isl.dim_type.param
_SET = isl.dim_type.set


class PolyhedralError(Exception):
    """isl gave up (its bound on operations, or an overflow): the caller must treat the question as unproved."""


@lru_cache(maxsize=4096)
def _id(name: str) -> Any:
    return isl.Id(name, context=_CTX)


@lru_cache(maxsize=1)
def _no_names() -> Any:
    return isl.Space.params_alloc(_CTX, 0)


@lru_cache(maxsize=4096)
def _name_aff(name: str) -> Any:
    space = isl.Space.params_alloc(_CTX, 1).set_dim_id(_PARAM, 0, _id(name))
    return isl.PwAff.param_on_domain_id(isl.Set.universe(space), _id(name))


def _const_aff(value: int) -> Any:
    domain = isl.Set.universe(_no_names())
    return isl.PwAff.val_on_domain(domain, isl.Val(value, context=_CTX))


class Aff:
    """A quasi-affine integer expression in named quantities (piecewise, with divisions by constants).

    >>> str(Aff.name("i") * 2 + 1 <= Aff.name("n"))
    '[i, n] -> {  : n > 2i }'
    """

    __slots__ = ("raw",)

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    @staticmethod
    def name(name: str) -> Aff:
        """The quantity called ``name``."""
        return Aff(_name_aff(name))

    @staticmethod
    def const(value: int) -> Aff:
        """An integer."""
        return Aff(_const_aff(value))

    @staticmethod
    def of(value: AffLike) -> Aff:
        """A name, an integer or an `Aff`, as an `Aff`."""
        if isinstance(value, Aff):
            return value
        return Aff.name(value) if isinstance(value, str) else Aff.const(value)

    def __add__(self, other: AffLike) -> Aff:
        return Aff(self.raw.add(Aff.of(other).raw))

    def __sub__(self, other: AffLike) -> Aff:
        return Aff(self.raw.sub(Aff.of(other).raw))

    def __neg__(self) -> Aff:
        return Aff(self.raw.neg())

    def __mul__(self, factor: int) -> Aff:
        return Aff(self.raw.scale_val(isl.Val(factor, context=_CTX)))

    def floordiv(self, divisor: int) -> Aff:
        """Quotient rounded down; ``divisor`` > 0."""
        return Aff(self.raw.scale_down_val(isl.Val(divisor, context=_CTX)).floor())

    def floormod(self, divisor: int) -> Aff:
        """Remainder of `floordiv`: 0 … divisor−1."""
        return Aff(self.raw.mod_val(isl.Val(divisor, context=_CTX)))

    def truncdiv(self, divisor: int) -> Aff:
        """Quotient rounded toward zero (Fortran's ``/``); ``divisor`` may be negative, not 0."""
        return Aff(self.raw.tdiv_q(_const_aff(divisor)))

    def truncmod(self, divisor: int) -> Aff:
        """Remainder of `truncdiv` (Fortran's ``mod``)."""
        return Aff(self.raw.tdiv_r(_const_aff(divisor)))

    def min(self, other: AffLike) -> Aff:
        """The smaller of two."""
        return Aff(self.raw.min(Aff.of(other).raw))

    def max(self, other: AffLike) -> Aff:
        """The larger of two."""
        return Aff(self.raw.max(Aff.of(other).raw))

    def __le__(self, other: AffLike) -> Set:
        return Set(self.raw.le_set(Aff.of(other).raw))

    def __lt__(self, other: AffLike) -> Set:
        return Set(self.raw.lt_set(Aff.of(other).raw))

    def __ge__(self, other: AffLike) -> Set:
        return Set(self.raw.ge_set(Aff.of(other).raw))

    def __gt__(self, other: AffLike) -> Set:
        return Set(self.raw.gt_set(Aff.of(other).raw))

    def eq(self, other: AffLike) -> Set:
        """Where both are equal (``==`` itself is left to Python)."""
        return Set(self.raw.eq_set(Aff.of(other).raw))

    def ne(self, other: AffLike) -> Set:
        """Where they differ."""
        return Set(self.raw.ne_set(Aff.of(other).raw))

    @property
    def names(self) -> frozenset[str]:
        """Names that the expression mentions."""
        return _names_of(self.raw.drop_unused_params())

    def constant(self) -> int | None:
        """Its value if it is one integer everywhere, else None."""
        if not self.raw.is_cst():
            return None
        low, high = self.raw.min_val(), self.raw.max_val()
        return int(low.to_python()) if low.is_int() and low.eq(high) else None

    def domain(self) -> Set:
        """Where the expression has a value."""
        return Set(self.raw.domain())

    def gist(self, context: Set) -> Aff:
        """An equal expression on ``context``, as simple as isl can make it."""
        return Aff(self.raw.gist(context.raw).coalesce())

    def rename(self, names: Mapping[str, str]) -> Aff:
        """Names replaced, all at once."""
        return Aff(_rename(self.raw, names))

    def __str__(self) -> str:
        return str(self.raw)

    def __repr__(self) -> str:
        return f"Aff({self.raw})"


AffLike: TypeAlias = Aff | int | str


class Set:
    """The values of named integers that satisfy constraints (a union of basic sets).

    >>> triangle = (Aff.name("j") >= 0) & (Aff.name("j") <= "i") & (Aff.name("i") < "n")
    >>> str(triangle.maximum("j"))
    '[i, n] -> { [(i)] : i >= 0 and n > i }'
    """

    __slots__ = ("_empty", "raw")

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self._empty: bool | None = None

    @staticmethod
    def universe() -> Set:
        """No constraint."""
        return Set(isl.Set.universe(_no_names()))

    @staticmethod
    def nothing() -> Set:
        """The empty set."""
        return Set(isl.Set.empty(_no_names()))

    @staticmethod
    def parse(constraints: str, names: Iterable[str]) -> Set:
        """isl syntax over the given names (tests and dumps only).

        >>> Set.parse("0 <= i < n", ["i", "n"]) == (Aff.name("i") >= 0) & (Aff.name("i") < "n")
        True
        """
        raw = isl.Set(f"[{', '.join(names)}] -> {{ : {constraints} }}", context=_CTX)
        # isl's parser makes identifiers of its own, which would not align with ours of the same spelling.
        for position in range(raw.dim(_PARAM)):
            raw = raw.set_dim_id(_PARAM, position, _id(raw.get_dim_name(_PARAM, position)))
        return Set(raw)

    @property
    def names(self) -> frozenset[str]:
        """Names that constraints mention."""
        return _names_of(self.raw.drop_unused_params())

    def __and__(self, other: Set) -> Set:
        return Set(self.raw.intersect(other.raw))

    def __or__(self, other: Set) -> Set:
        return Set(self.raw.union(other.raw).coalesce())

    def __sub__(self, other: Set) -> Set:
        return Set(self.raw.subtract(other.raw).coalesce())

    def __invert__(self) -> Set:
        return Set(self.raw.complement())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Set) and (self.raw.plain_is_equal(other.raw) or bool(self.raw.is_equal(other.raw)))

    def __hash__(self) -> int:
        return hash(self.names)

    def __le__(self, other: Set) -> bool:
        return bool(_guarded(lambda: self.raw.is_subset(other.raw)))

    def is_empty(self) -> bool:
        """Whether no integers satisfy it. Raises `PolyhedralError` when isl gives up."""
        if self._empty is None:
            self._empty = bool(_guarded(self.raw.is_empty))
        return self._empty

    @property
    def constraints(self) -> str:
        """The constraints as a person reads them, in an order that only the set decides; empty for everything.

        >>> ((Aff.name("j") <= "i") & (Aff.name("i") < 4) & (Aff.name("j") >= 0)).constraints
        'j >= 0 and j <= i <= 3'
        """
        space = _in_order(self.names)
        text = str(isl.Set.universe(space).intersect(self.raw.drop_unused_params()).coalesce())
        return text[text.index("{") + 1 : text.rindex("}")].strip().removeprefix(":").strip()

    def is_universe(self) -> bool:
        """Whether it plainly has no constraint."""
        return bool(self.raw.plain_is_universe())

    def project_out(self, names: Iterable[str]) -> Set:
        """Exists some value of each name …"""
        raw = self.raw
        for name in names:
            position = raw.find_dim_by_name(_PARAM, name)
            if position >= 0:
                raw = raw.project_out(_PARAM, position, 1)
        return Set(raw.coalesce())

    def project_onto(self, names: Iterable[str]) -> Set:
        """All other names projected out."""
        return self.project_out(sorted(self.names - frozenset(names)))

    def gist(self, context: Set) -> Set:
        """Constraints that must be tested where ``context`` is known to hold."""
        return Set(self.raw.coalesce().gist(context.raw.coalesce()))

    def hull(self) -> Set:
        """A single basic set that holds this one, over the same half-spaces where possible (``simple_hull``)."""
        return self if self.piece_count <= 1 else Set(isl.Set.from_basic_set(self.raw.coalesce().simple_hull()))

    def without_divisions(self) -> Set:
        """A set that holds this one, by leaving out constraints that divide.

        >>> ((Aff.name("i") < 8) & (Aff.name("i") >= 0) & Aff.name("i").floormod(2).eq(0)).without_divisions().range("i")
        (0, 7)
        """
        return Set(self.raw.remove_divs())

    def coalesce(self) -> Set:
        """The same set in fewer pieces."""
        return Set(self.raw.coalesce())

    @property
    def piece_count(self) -> int:
        """Number of basic sets."""
        return int(self.raw.n_basic_set())

    def pieces(self) -> list[Set]:
        """The basic sets, each as a `Set`."""
        return [Set(isl.Set.from_basic_set(piece)) for piece in self.raw.get_basic_sets()]

    def rename(self, names: Mapping[str, str]) -> Set:
        """Names replaced, all at once."""
        return Set(_rename(self.raw, names))

    def minimum(self, name: str) -> Aff:
        """Least value of ``name`` as an expression in all other names (exact; piecewise where it must be).

        Raises `PolyhedralError` where it has none.
        """
        return Aff(_guarded(lambda: _set_dims(self.raw, (name,)).dim_min(0).coalesce()))

    def maximum(self, name: str) -> Aff:
        """Largest value of ``name`` as an expression in all other names, or `PolyhedralError`."""
        return Aff(_guarded(lambda: _set_dims(self.raw, (name,)).dim_max(0).coalesce()))

    def range(self, name: str) -> tuple[int | None, int | None]:
        """Least and largest value over everything, None where unbounded (of an empty set: both None)."""
        if self.is_empty():
            return None, None
        only = _set_dims(self.project_onto([name]).raw, (name,))
        low, high = only.dim_min_val(0), only.dim_max_val(0)
        return (
            int(low.to_python()) if low.is_int() else None,
            int(high.to_python()) if high.is_int() else None,
        )

    def sample(self) -> dict[str, int] | None:
        """Some member, by name; small values where it can (a person reads them). None when empty."""
        if self.is_empty():
            return None
        names = sorted(self.names)
        chosen = self
        for bound in (3, 8, 40):
            box = self
            for name in names:
                box = box & (Aff.name(name) <= bound) & (Aff.name(name) >= -bound)
            if not box.is_empty():
                chosen = box
                break
        point = _set_dims(chosen.raw.drop_unused_params(), tuple(names)).sample_point()
        return {name: int(point.get_coordinate_val(_SET, position).to_python()) for position, name in enumerate(names)}

    def points(self, names: Sequence[str]) -> list[tuple[int, ...]]:
        """All members, as values of ``names`` in that order, sorted; the set mentions no others.

        Raises `PolyhedralError` where there are infinitely many.

        >>> ((Aff.name("i") >= "j") & (Aff.name("i") < 2) & (Aff.name("j") >= 0)).points(["j", "i"])
        [(0, 0), (0, 1), (1, 1)]
        """
        if not names:
            return [] if self.is_empty() else [()]
        raw = _set_dims(self.raw.drop_unused_params(), tuple(names))
        result: list[tuple[int, ...]] = []
        axes = range(len(names))

        def add(point: Any) -> None:
            result.append(tuple(point.get_coordinate_val(_SET, axis).to_python() for axis in axes))

        _guarded(lambda: raw.foreach_point(add))
        return sorted(result)

    def where(self, values: Mapping[str, int]) -> Set:
        """Names fixed to integers (they stay in the set as equalities)."""
        result = self
        for name, value in values.items():
            result = result & Aff.name(name).eq(value)
        return result

    def __str__(self) -> str:
        return str(self.raw)

    def __repr__(self) -> str:
        return f"Set({self.raw})"


def _guarded(question: Any) -> Any:
    try:
        return question()
    except isl.Error as error:
        raise PolyhedralError(str(error)) from error


def _names_of(raw: Any) -> frozenset[str]:
    return frozenset(raw.get_dim_name(_PARAM, position) for position in range(raw.dim(_PARAM)))


def _rename(raw: Any, names: Mapping[str, str]) -> Any:
    positions = [(raw.find_dim_by_name(_PARAM, old), new) for old, new in names.items() if old != new]
    moved = [(position, new) for position, new in positions if position >= 0]
    # Two steps, so that swapping two names never has both at once.
    for step, (position, _) in enumerate(moved):
        raw = raw.set_dim_id(_PARAM, position, _id(f"$rename{step}"))
    present = _names_of(raw)
    for position, new in moved:
        if new in present:
            raise ValueError(f"rename would merge two quantities into {new!r}")
        raw = raw.set_dim_id(_PARAM, position, _id(new))
    return raw


def _set_dims(raw: Any, names: Sequence[str]) -> Any:
    """The given parameters moved to set dimensions, in that order (missing ones unconstrained)."""
    result = raw.from_params()
    result = result.insert_dims(_SET, 0, len(names)) if not names else result
    for target, name in enumerate(names):
        position = result.find_dim_by_name(_PARAM, name)
        if position < 0:
            result = result.insert_dims(_SET, target, 1)
        else:
            result = result.move_dims(_SET, target, _PARAM, position, 1)
    return result


def lex_less(left: Sequence[AffLike], right: Sequence[AffLike], *, or_equal: bool = False) -> Set:
    """Where one vector comes lexicographically before another of the same length.

    >>> lex_less(["i", "j"], ["i", 3]) == (Aff.name("j") < 3)
    True
    """
    result = Set.nothing()
    equal = Set.universe()
    for a, b in zip(left, right, strict=True):
        result = result | (equal & (Aff.of(a) < b))
        equal = equal & Aff.of(a).eq(b)
    return result | equal if or_equal else result


Operator: TypeAlias = Literal[
    "+", "-", "*", "neg", "min", "max", "floordiv", "div", "mod", "select",
    "and", "or", "==", "<=", "<", ">=", ">",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of an expression that isl wrote; ``div`` and ``mod`` have operands known to be non-negative."""

    op: Operator
    operands: tuple[Tree, ...]


Tree: TypeAlias = Node | str | int
"""An expression tree for code: operations, names, integers."""

_AST_OPERATORS: dict[Any, Operator] = {
    isl.ast_expr_op_type.add: "+",
    isl.ast_expr_op_type.sub: "-",
    isl.ast_expr_op_type.mul: "*",
    isl.ast_expr_op_type.minus: "neg",
    isl.ast_expr_op_type.min: "min",
    isl.ast_expr_op_type.max: "max",
    isl.ast_expr_op_type.fdiv_q: "floordiv",
    isl.ast_expr_op_type.pdiv_q: "div",
    isl.ast_expr_op_type.div: "div",
    isl.ast_expr_op_type.pdiv_r: "mod",
    isl.ast_expr_op_type.zdiv_r: "mod",
    isl.ast_expr_op_type.cond: "select",
    isl.ast_expr_op_type.select: "select",
    isl.ast_expr_op_type.and_: "and",  # type: ignore[attr-defined]
    isl.ast_expr_op_type.and_then: "and",
    isl.ast_expr_op_type.or_: "or",  # type: ignore[attr-defined]
    isl.ast_expr_op_type.or_else: "or",
    isl.ast_expr_op_type.eq: "==",
    isl.ast_expr_op_type.le: "<=",
    isl.ast_expr_op_type.lt: "<",
    isl.ast_expr_op_type.ge: ">=",
    isl.ast_expr_op_type.gt: ">",
}


def _tree(node: Any) -> Tree:
    kind = node.get_type()
    if kind == isl.ast_expr_type.id:
        return str(node.get_id().name)
    if kind == isl.ast_expr_type.int:
        return int(node.get_val().to_python())
    operands = tuple(_tree(node.get_op_arg(position)) for position in range(node.get_op_n_arg()))
    op = _AST_OPERATORS[node.get_op_type()]
    result = operands[0]
    if op in ("min", "max", "and", "or") and len(operands) > 2:
        for operand in operands[1:]:
            result = Node(op, (result, operand))
        return result
    return Node(op, operands)


def expression(value: Aff, context: Set) -> Tree:
    """An expression for code, valid where ``context`` holds.

    >>> expression(Aff.name("n").floordiv(16), Aff.name("n") >= 0)
    Node(op='div', operands=('n', 16))
    """
    order = _in_order(value.names | context.names)
    where = context.raw.align_params(order)
    build = isl.AstBuild.from_context(where)
    return _tree(build.expr_from_pw_aff(value.raw.align_params(order).gist(where).coalesce()))


def condition(test: Set, context: Set) -> Tree | None:
    """A test for code, valid where ``context`` holds; None if nothing is left to test.

    >>> condition(Aff.name("i") < 4, Aff.name("i") < 3) is None
    True
    """
    needed = test.gist(context)
    if needed.is_universe():
        return None
    order = _in_order(needed.names | context.names)
    build = isl.AstBuild.from_context(context.raw.align_params(order))
    return _tree(build.expr_from_set(needed.raw.align_params(order)))


# -- constraints one by one: bounds of loops and conjunctions of tests --------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """One end of a range as an expression, and the constraint that it comes from (equal, but free of divisions)."""

    value: Aff
    constraint: Set

    @property
    def key(self) -> str:
        """Equal bounds have equal keys."""
        return str(self.value)


def bounds(piece: Set, name: str) -> tuple[tuple[Bound, ...], tuple[Bound, ...]]:
    """Lower bounds (inclusive) and stops (exclusive) that the constraints of one basic set put on ``name``, as
    candidates: the range goes from the largest of the lower ones to the smallest of the stops.

    A constraint whose divisions involve ``name`` is left out, so the bounds may hold more than the set, never less.

    >>> low, high = bounds((Aff.name("i") >= 0) & (Aff.name("i") * 4 < "n") & (Aff.name("i") < 16), "i")
    >>> [linear_tree(b.value) for b in low], sorted(str(linear_tree(b.value)) for b in high)
    ([0], ['16', 'None'])
    """
    basic = piece.raw.coalesce().simple_hull()
    position = _param_position(basic, name)
    if position is None:
        return (), ()
    # What is left may hold divisions that isl knows no formula for; without them the bounds hold more, never less.
    basic = basic.remove_divs_involving_dims(_PARAM, position, 1).remove_unknown_divs().remove_redundancies()
    lower: list[Bound] = []
    stops: list[Bound] = []
    for constraint in basic.get_constraints():
        if constraint.involves_dims(_PARAM, position, 1):
            bound = isl.PwAff.from_aff(constraint.get_bound(_PARAM, position))
            holds = Set(isl.Set.from_basic_set(isl.BasicSet.from_constraint(constraint)))
            equal = constraint.is_equality()
            if equal or constraint.is_lower_bound(_PARAM, position):
                start = Aff(bound.ceil())
                lower.append(Bound(start, start <= name if equal else holds))
            if equal or not constraint.is_lower_bound(_PARAM, position):
                stop = Aff(bound.add(_const_aff(1)).floor())
                stops.append(Bound(stop, stop > name if equal else holds))
    return tuple(sorted(lower, key=lambda b: b.key)), tuple(sorted(stops, key=lambda b: b.key))


def conjuncts(test: Set) -> tuple[Set, ...]:
    """Sets whose intersection is ``test``: of one basic set, one for each constraint without division, and one for all
    that divide.

    >>> [part.constraints for part in conjuncts((Aff.name("i") < "n") & (Aff.name("j") >= 0))]
    ['j >= 0', 'n > i']
    >>> [part.constraints for part in conjuncts((Aff.name("i") < "n") & Aff.name("i").floormod(2).eq(0))]
    ['(i) mod 2 = 0', 'n > i']
    """
    raw = test.raw.coalesce()
    if raw.n_basic_set() != 1:
        return (test,)
    basic = raw.get_basic_sets()[0].remove_redundancies()
    divisions = basic.dim(isl.dim_type.div)
    parts = [
        Set(isl.Set.from_basic_set(isl.BasicSet.from_constraint(constraint).remove_divs()))
        for constraint in basic.get_constraints()
        if not divisions or not constraint.involves_dims(isl.dim_type.div, 0, divisions)
    ]
    if divisions:
        rest = basic.drop_constraints_not_involving_dims(isl.dim_type.div, 0, divisions)
        parts.append(Set(isl.Set.from_basic_set(rest)))
    return tuple(sorted(parts, key=lambda part: part.constraints))


def linear_tree(value: Aff) -> Tree | None:
    """The expression as a sum in a fixed order, positive terms first; None if it is piecewise or divides.

    >>> linear_tree(Aff.name("n") - Aff.name("i") * 16 - 1)
    Node(op='-', operands=(Node(op='-', operands=('n', Node(op='*', operands=(16, 'i')))), 1))
    """
    raw = value.raw.coalesce()
    if raw.n_piece() != 1:
        return None
    _, aff = raw.get_pieces()[0]
    terms = _terms(aff)
    return None if terms is None else _sum(terms[0], terms[1])


def slope(value: Aff, name: str) -> int | None:
    """By how much the value grows when ``name`` grows by one; None if it is no plain linear expression.

    >>> slope(Aff.name("i") * 3 + "n", "i"), slope(Aff.name("i").floordiv(2), "i")
    (3, None)
    """
    raw = value.raw.coalesce()
    terms = _terms(raw.get_pieces()[0][1]) if raw.n_piece() == 1 else None
    return None if terms is None else dict(terms[1]).get(name, 0)


def comparison_tree(test: Set) -> Tree | None:
    """One constraint as a comparison of two sums without minus signs where possible; None if it is no single one.

    >>> comparison_tree(Aff.name("i") * 16 + "j" < "n")
    Node(op='<', operands=(Node(op='+', operands=(Node(op='*', operands=(16, 'i')), 'j')), 'n'))
    """
    raw = test.raw.coalesce()
    if raw.n_basic_set() != 1:
        return None
    found = raw.get_basic_sets()[0].remove_redundancies().get_constraints()
    if len(found) != 1:
        return None
    terms = _terms(found[0].get_aff())
    if terms is None:
        return None
    constant, coefficients = terms
    small = [(name, -factor) for name, factor in coefficients if factor < 0]
    large = [(name, factor) for name, factor in coefficients if factor > 0]
    if found[0].is_equality():
        if not large:
            small, large, constant = large, small, -constant
        return Node("==", (_sum(max(constant, 0), large), _sum(max(-constant, 0), small)))
    # small <= large + constant
    if not small:
        return Node(">=", (_sum(0, large), -constant))
    if constant < 0:
        return Node("<", (_sum(-constant - 1, small), _sum(0, large)))
    if not large:
        return Node("<", (_sum(0, small), constant + 1))
    return Node("<=", (_sum(0, small), _sum(constant, large)))


def _in_order(names: Iterable[str]) -> Any:
    """A space with the names sorted: what isl prints depends on their order, which must not come from Python's sets."""
    space = _no_names()
    for name in sorted(names):
        space = space.align_params(isl.Space.params_alloc(_CTX, 1).set_dim_id(_PARAM, 0, _id(name)))
    return space


def _param_position(raw: Any, name: str) -> int | None:
    for position in range(raw.dim(_PARAM)):
        if raw.get_dim_name(_PARAM, position) == name:
            return position
    return None


def _terms(aff: Any) -> tuple[int, list[tuple[str, int]]] | None:
    """Constant and non-zero coefficients of an `isl.Aff` with neither division nor denominator."""
    divs = (aff.get_coefficient_val(isl.dim_type.div, p) for p in range(aff.dim(isl.dim_type.div)))
    if not aff.get_denominator_val().is_one() or any(not factor.is_zero() for factor in divs):
        return None
    terms = [
        (str(aff.get_dim_name(_PARAM, position)), int(aff.get_coefficient_val(_PARAM, position).to_python()))
        for position in range(aff.dim(_PARAM))
    ]
    return int(aff.get_constant_val().to_python()), [(name, factor) for name, factor in terms if factor]


def _sum(constant: int, terms: Sequence[tuple[str, int]]) -> Tree:
    result: Tree | None = None
    for name, factor in sorted(terms, key=lambda term: (term[1] < 0, -abs(term[1]), term[0])):
        size = abs(factor)
        term: Tree = name if size == 1 else Node("*", (size, name))
        if result is None:
            result = term if factor > 0 else Node("neg", (term,))
        else:
            result = Node("+" if factor > 0 else "-", (result, term))
    if result is None:
        return constant
    if not constant:
        return result
    return Node("+" if constant > 0 else "-", (result, abs(constant)))
