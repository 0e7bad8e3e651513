"""Ranges of loops and lanes from the domains of the statements inside.

A range may hold more than the domains, never less: each statement tests what its range leaves open. So bounds can be
the simple ones, without case distinctions.
"""

from __future__ import annotations

from dataclasses import dataclass

from fortrancl.ir.affine import from_tree
from fortrancl.ir.expr import Call, Expr
from fortrancl.poly import Aff, Bound, Set, bounds, expression, linear_tree

Candidates = tuple[tuple[Bound, ...], tuple[Bound, ...]]


def aff_expr(value: Aff, context: Set) -> Expr:
    """An affine value as an index expression, valid where ``context`` holds."""
    tree = linear_tree(value)
    return from_tree(expression(value, context) if tree is None else tree)


@dataclass(frozen=True)
class Range:
    """Values of ``name``: from the smallest start to the largest stop of all pieces; a piece starts at the largest of
    its lower bounds and stops before the smallest of its stops."""

    name: str
    pieces: tuple[Candidates, ...]

    @property
    def is_bounded(self) -> bool:
        """Whether every piece has both ends."""
        return bool(self.pieces) and all(lower and stops for lower, stops in self.pieces)

    def start(self, context: Set) -> Expr:
        """First value."""
        return _extreme(
            "min", [_extreme("max", [aff_expr(b.value, context) for b in lower]) for lower, _ in self.pieces]
        )

    def stop(self, context: Set) -> Expr:
        """One more than the last value; where the range starts at 0 or later, any other number below 1 may stand for
        one (so that C's division, which rounds toward zero, does)."""
        counts = all(any(_is_count(b.value) for b in lower) for lower, _ in self.pieces)

        def one(aff: Aff) -> Expr:
            return aff_expr(aff, context & (aff >= 0) if counts else context)

        return _extreme("max", [_extreme("min", [one(b.value) for b in stops]) for _, stops in self.pieces])

    def known(self) -> Set:
        """What holds for ``name`` inside the range."""
        above = Set.nothing()
        for lower, _ in self.pieces:
            one = Set.universe()
            for bound in lower:
                one = one & bound.constraint
            above = above | one
        return above & self.below_stop()

    def below_stop(self) -> Set:
        """What the stop alone says: hardware numbers start at 0, wherever the range does."""
        below = Set.nothing()
        for _, stops in self.pieces:
            one = Set.universe()
            for bound in stops:
                one = one & bound.constraint
            below = below | one
        return below

    def names(self) -> frozenset[str]:
        """Names that the ends mention."""
        return frozenset(n for lower, stops in self.pieces for b in (*lower, *stops) for n in b.value.names)

    def divides(self) -> bool:
        """Whether some end needs a division or a case distinction."""
        return any(linear_tree(b.value) is None for lower, stops in self.pieces for b in (*lower, *stops))


def range_of(domain: Set, name: str, known: Set) -> Range:
    """The range of ``name`` in a domain (over ``name`` and names fixed outside), where ``known`` holds.

    A domain that nothing is in (``do i = 1, 0``) has the range 0 … −1.
    """
    if (domain & known).is_empty():
        zero, value = Aff.const(0), Aff.name(name)
        return Range(name, (((Bound(zero, value >= 0),), (Bound(zero, value < 0),)),))
    needed = domain.gist(known)
    if needed.piece_count > 1:
        hull = Range(name, (_simple(bounds(needed.hull(), name)),))
        if hull.is_bounded:
            return hull
    return Range(name, tuple(_simple(bounds(piece, name)) for piece in needed.pieces()))


_SHORT = 64


def _simple(found: Candidates) -> Candidates:
    """Without stops that divide, where a small constant stops the range too: a few more iterations that test for
    themselves cost less than a division, and the compiler can unroll."""
    lower, stops = found
    if any((stop := bound.value.constant()) is not None and stop <= _SHORT for bound in stops):
        stops = tuple(bound for bound in stops if linear_tree(bound.value) is not None)
    return lower, stops


def _is_count(aff: Aff) -> bool:
    value = aff.constant()
    return value is not None and value >= 0


def _extreme(function: str, found: list[Expr]) -> Expr:
    different = list(dict.fromkeys(found))
    result = different[0]
    for other in different[1:]:
        result = Call(function, (result, other))
    return result
