"""Constraints one by one: bounds of loops, and conjunctions of tests."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from fortrancl.poly.sets import PARAM, Aff, Set, constant_aff
from fortrancl.poly.terms import parameter_position


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

    >>> from fortrancl.poly.trees import linear_tree
    >>> low, high = bounds((Aff.name("i") >= 0) & (Aff.name("i") * 4 < "n") & (Aff.name("i") < 16), "i")
    >>> [linear_tree(b.value) for b in low], sorted(str(linear_tree(b.value)) for b in high)
    ([0], ['16', 'None'])
    """
    basic = piece.raw.coalesce().simple_hull()
    position = parameter_position(basic, name)
    if position is None:
        return (), ()
    # What is left may hold divisions that isl knows no formula for; without them the bounds hold more, never less.
    basic = basic.remove_divs_involving_dims(PARAM, position, 1).remove_unknown_divs().remove_redundancies()
    lower: list[Bound] = []
    stops: list[Bound] = []
    for constraint in basic.get_constraints():
        if constraint.involves_dims(PARAM, position, 1):
            bound = isl.PwAff.from_aff(constraint.get_bound(PARAM, position))
            holds = Set(isl.Set.from_basic_set(isl.BasicSet.from_constraint(constraint)))
            equal = constraint.is_equality()
            if equal or constraint.is_lower_bound(PARAM, position):
                start = Aff(bound.ceil())
                lower.append(Bound(start, start <= name if equal else holds))
            if equal or not constraint.is_lower_bound(PARAM, position):
                stop = Aff(bound.add(constant_aff(1)).floor())
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
