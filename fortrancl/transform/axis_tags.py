"""Array axis tags: their spelling, and which layouts are sound."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.kernel import AxisPlace, Declaration
from fortrancl.ir.layout import axis_order, constant, places, strides

VECTOR_LENGTHS = (2, 4, 8, 16)
_SPELLINGS = "tags are N0 N1 …, vec, stride:<elements>, c, f, and any of them with ?"
_LARGEST = 2**31 - 1


def parse_layout(declaration: Declaration, tags: str | Sequence[str]) -> tuple[AxisPlace, ...]:
    """Places of all axes from tags. Errors: FCL271, FCL272, FCL274."""
    parts = [part.strip() for part in (tags.split(",") if isinstance(tags, str) else tags)]
    rank = len(declaration.shape)
    if len(parts) == 1 and parts[0].lower() in ("c", "f"):
        parts = parts * rank
    chosen = [part.rstrip("?").strip() for part in _fitting(parts, rank)]
    if len(chosen) != rank:
        raise _refused(
            f"'{declaration.name}' has {rank} axes, and there are {len(chosen)} tags",
            hints=("give one tag for each axis, or end some with ?",),
        )
    found = [_parse(text) for text in chosen]
    if sum(place.is_vector for place in found if isinstance(place, AxisPlace)) > 1:
        raise _refused("only one axis can be the vector")
    return _resolved(declaration, found)


def _fitting(parts: Sequence[str], rank: int) -> list[str]:
    """Tags that end with ``?`` give way, left ones first.

    >>> _fitting(["N3?", "N2?", "N1", "N0"], 3)
    ['N2?', 'N1', 'N0']
    """
    result = list(parts)
    while len(result) > rank and any(part.endswith("?") for part in result):
        result.pop(next(position for position, part in enumerate(result) if part.endswith("?")))
    return result


def _parse(text: str) -> AxisPlace | str:
    """A place, or ``c``/``f``. Errors: FCL272."""
    lower = text.lower()
    if lower == "vec":
        return AxisPlace(is_vector=True)
    if lower in ("c", "f"):
        return lower
    if match := re.fullmatch(r"n(\d{1,3})", lower):
        return AxisPlace(int(match[1]))
    if match := re.fullmatch(r"stride:\s*(\d{1,10})", lower):
        if not 1 <= int(match[1]) <= _LARGEST:
            raise _refused(f"a stride is 1 to {_LARGEST} elements", value=text)
        return AxisPlace(stride=int(match[1]))
    if lower == "sep":
        raise _refused(
            "'sep' would make several arrays of one, which a Fortran caller cannot pass",
            value=text,
            hints=("give the axis an N tag",),
        )
    raise _refused(
        f"'{text}' is no axis tag", value=text, hints=(*did_you_mean(text, ("N0", "N1", "vec", "stride:")), _SPELLINGS)
    )


def _resolved(declaration: Declaration, found: Sequence[AxisPlace | str]) -> tuple[AxisPlace, ...]:
    """Ranks without gaps; where a stride is told, strides for all."""
    letters = {item for item in found if isinstance(item, str)}
    plain = [axis for axis, item in enumerate(found) if not (isinstance(item, AxisPlace) and item.is_vector)]
    if letters:
        if len(letters) > 1 or any(not isinstance(found[axis], str) for axis in plain):
            raise _refused("c or f goes for all axes but the vector")
        order = plain if letters == {"f"} else plain[::-1]
        ranks = {axis: rank for rank, axis in enumerate(order)}
        return tuple(
            AxisPlace(ranks[axis]) if axis in ranks else AxisPlace(is_vector=True) for axis in range(len(found))
        )
    told = [item for item in found if isinstance(item, AxisPlace)]
    ranked = [axis for axis in plain if told[axis].stride is None]
    numbers = [told[axis].rank for axis in ranked]
    if len(set(numbers)) != len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        raise _refused(f"two axes are tagged N{twice}", value=f"N{twice}")
    ranks = {axis: rank for rank, axis in enumerate(sorted(ranked, key=lambda axis: told[axis].rank))}
    layout = tuple(replace(place, rank=ranks.get(axis, 0)) for axis, place in enumerate(told))
    if len(ranked) + sum(place.is_vector for place in layout) == len(layout):
        return layout
    return _all_told(declaration, layout)


def _all_told(declaration: Declaration, layout: Sequence[AxisPlace]) -> tuple[AxisPlace, ...]:
    """Ranked axes lie as close as they can among themselves, beside axes whose strides are told."""
    result = list(layout)
    free: int | None = 1
    order = [axis for axis, place in enumerate(layout) if place.stride is None]
    for axis in sorted(order, key=lambda axis: (not layout[axis].is_vector, layout[axis].rank)):
        if free is None:
            raise _overlap(declaration, f"the stride of axis {axis} is not known at compile time")
        result[axis] = replace(layout[axis], stride=free)
        extent = constant(declaration.shape[axis].extent)
        free = None if extent is None else free * max(extent, 1)
    return tuple(result)


def require_sound(declaration: Declaration, argument: str) -> None:
    """Every element has memory of its own. Errors: FCL271 (vector), FCL273 (assumed size), FCL274 (overlap)."""
    order = axis_order(declaration)
    layout = places(declaration)
    open_axis = next((axis for axis in order[:-1] if declaration.shape[axis].extent is None), None)
    if open_axis is not None:
        raise StepError(
            "FCL273",
            f"axis {open_axis} of '{declaration.name}' is assumed-size, so it must vary slowest",
            argument=argument,
            hints=("declare its extent, or give it the largest N",),
        )
    vector = next((axis for axis, place in enumerate(layout) if place.is_vector), None)
    length = None if vector is None else constant(declaration.shape[vector].extent)
    if vector is not None and length not in VECTOR_LENGTHS:
        shown = "not known at compile time" if length is None else str(length)
        raise StepError(
            "FCL271",
            f"axis {vector} of '{declaration.name}' cannot be a vector: its extent is {shown}",
            argument=argument,
            notes=("vectors have 2, 4, 8 or 16 elements",),
            hints=("lp.split_array_axis makes an axis of that length",),
        )
    if any(place.stride is not None for place in layout):
        _require_apart(declaration, order, length or 1)


def _require_apart(declaration: Declaration, order: Sequence[int], vector: int) -> None:
    """Told strides, smallest first: each is beyond all that the smaller ones reach."""
    found = strides(declaration)
    reach = 0
    for position, axis in enumerate(order):
        stride, extent = constant(found[axis]), constant(declaration.shape[axis].extent)
        if stride is None or (extent is None and position < len(order) - 1):
            raise _overlap(declaration, f"the extent of axis {axis} is not known at compile time")
        if stride <= reach and extent != 1:
            raise _overlap(declaration, f"axis {axis} has stride {stride}, and faster axes reach {reach} elements far")
        if not places(declaration)[axis].is_vector and stride % vector:
            raise _overlap(declaration, f"axis {axis} has stride {stride}, no multiple of the vector's {vector}")
        reach += stride * (max(extent or 1, 1) - 1)


def _overlap(declaration: Declaration, why: str) -> StepError:
    return StepError(
        "FCL274",
        f"with these strides, elements of '{declaration.name}' may share memory or lose alignment",
        argument="dim_tags",
        notes=(why,),
        hints=("N tags and lp.add_padding follow the extents by themselves",),
    )


def _refused(message: str, *, value: str | None = None, hints: Sequence[str] = ()) -> StepError:
    return StepError("FCL272", message, argument="dim_tags", value=value, hints=tuple(hints))
