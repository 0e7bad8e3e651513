"""Sets and affine expressions whose every quantity is a named isl parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import islpy as isl

CONTEXT: Any = isl.DEFAULT_CONTEXT
PARAM = isl.dim_type.param
SET = isl.dim_type.set


class PolyhedralError(Exception):
    """isl gave up (its bound on operations, or an overflow): the caller must treat the question as unproved."""


@lru_cache(maxsize=4096)
def named_id(name: str) -> Any:
    return isl.Id(name, context=CONTEXT)


@lru_cache(maxsize=1)
def _no_names() -> Any:
    return isl.Space.params_alloc(CONTEXT, 0)


@lru_cache(maxsize=4096)
def _name_aff(name: str) -> Any:
    space = isl.Space.params_alloc(CONTEXT, 1).set_dim_id(PARAM, 0, named_id(name))
    return isl.PwAff.param_on_domain_id(isl.Set.universe(space), named_id(name))


def constant_aff(value: int) -> Any:
    domain = isl.Set.universe(_no_names())
    return isl.PwAff.val_on_domain(domain, isl.Val(value, context=CONTEXT))


def in_order(names: Iterable[str]) -> Any:
    """A space with the names sorted: what isl prints depends on their order, which must not come from Python's sets."""
    space = _no_names()
    for name in sorted(names):
        space = space.align_params(isl.Space.params_alloc(CONTEXT, 1).set_dim_id(PARAM, 0, named_id(name)))
    return space


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
        return Aff(constant_aff(value))

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
        return Aff(self.raw.scale_val(isl.Val(factor, context=CONTEXT)))

    def floordiv(self, divisor: int) -> Aff:
        """Quotient rounded down; ``divisor`` > 0."""
        return Aff(self.raw.scale_down_val(isl.Val(divisor, context=CONTEXT)).floor())

    def floormod(self, divisor: int) -> Aff:
        """Remainder of `floordiv`: 0 … divisor−1."""
        return Aff(self.raw.mod_val(isl.Val(divisor, context=CONTEXT)))

    def truncdiv(self, divisor: int) -> Aff:
        """Quotient rounded toward zero (Fortran's ``/``); ``divisor`` may be negative, not 0."""
        return Aff(self.raw.tdiv_q(constant_aff(divisor)))

    def truncmod(self, divisor: int) -> Aff:
        """Remainder of `truncdiv` (Fortran's ``mod``)."""
        return Aff(self.raw.tdiv_r(constant_aff(divisor)))

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
        raw = isl.Set(f"[{', '.join(names)}] -> {{ : {constraints} }}", context=CONTEXT)
        # isl's parser makes identifiers of its own, which would not align with ours of the same spelling.
        for position in range(raw.dim(PARAM)):
            raw = raw.set_dim_id(PARAM, position, named_id(raw.get_dim_name(PARAM, position)))
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
        return bool(answered(lambda: self.raw.is_subset(other.raw)))

    def is_empty(self) -> bool:
        """Whether no integers satisfy it. Raises `PolyhedralError` when isl gives up."""
        if self._empty is None:
            self._empty = bool(answered(self.raw.is_empty))
        return self._empty

    @property
    def constraints(self) -> str:
        """The constraints as a person reads them, in an order that only the set decides; empty for everything.

        >>> ((Aff.name("j") <= "i") & (Aff.name("i") < 4) & (Aff.name("j") >= 0)).constraints
        'j >= 0 and j <= i <= 3'
        """
        space = in_order(self.names)
        text = str(isl.Set.universe(space).intersect(self.raw.drop_unused_params()).coalesce())
        return text[text.index("{") + 1 : text.rindex("}")].strip().removeprefix(":").strip()

    def is_universe(self) -> bool:
        """Whether it plainly has no constraint."""
        return bool(self.raw.plain_is_universe())

    def project_out(self, names: Iterable[str]) -> Set:
        """Exists some value of each name …"""
        raw = self.raw
        for name in names:
            position = raw.find_dim_by_name(PARAM, name)
            if position >= 0:
                raw = raw.project_out(PARAM, position, 1)
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

        >>> even = Aff.name("i").floormod(2).eq(0) & (Aff.name("i") < 8) & (Aff.name("i") >= 0)
        >>> even.without_divisions().range("i")
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
        return Aff(answered(lambda: _set_dims(self.raw, (name,)).dim_min(0).coalesce()))

    def maximum(self, name: str) -> Aff:
        """Largest value of ``name`` as an expression in all other names, or `PolyhedralError`."""
        return Aff(answered(lambda: _set_dims(self.raw, (name,)).dim_max(0).coalesce()))

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
        return {name: int(point.get_coordinate_val(SET, position).to_python()) for position, name in enumerate(names)}

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
            result.append(tuple(point.get_coordinate_val(SET, axis).to_python() for axis in axes))

        answered(lambda: raw.foreach_point(add))
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


def answered(question: Any) -> Any:
    try:
        return question()
    except isl.Error as error:
        raise PolyhedralError(str(error)) from error


def _names_of(raw: Any) -> frozenset[str]:
    return frozenset(raw.get_dim_name(PARAM, position) for position in range(raw.dim(PARAM)))


def _rename(raw: Any, names: Mapping[str, str]) -> Any:
    positions = [(raw.find_dim_by_name(PARAM, old), new) for old, new in names.items() if old != new]
    moved = [(position, new) for position, new in positions if position >= 0]
    # Two steps, so that swapping two names never has both at once.
    for step, (position, _) in enumerate(moved):
        raw = raw.set_dim_id(PARAM, position, named_id(f"$rename{step}"))
    present = _names_of(raw)
    for position, new in moved:
        if new in present:
            raise ValueError(f"rename would merge two quantities into {new!r}")
        raw = raw.set_dim_id(PARAM, position, named_id(new))
    return raw


def _set_dims(raw: Any, names: Sequence[str]) -> Any:
    """The given parameters moved to set dimensions, in that order (missing ones unconstrained)."""
    result = raw.from_params()
    result = result.insert_dims(SET, 0, len(names)) if not names else result
    for target, name in enumerate(names):
        position = result.find_dim_by_name(PARAM, name)
        if position < 0:
            result = result.insert_dims(SET, target, 1)
        else:
            result = result.move_dims(SET, target, PARAM, position, 1)
    return result
