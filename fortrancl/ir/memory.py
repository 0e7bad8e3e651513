"""Memory of the reference interpreter: every cell knows whether it holds a value, whose, and who touched it last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple


class ExecutionError(Exception):
    """A kernel did what no correct program does."""


class PoisonRead(ExecutionError):
    """A cell was read before anything was stored in it, or after its value was lost."""


class OutOfBounds(ExecutionError):
    """A subscript lies outside the array."""


class DataRace(ExecutionError):
    """Two work-items touched one cell, at least one of them writing, with no barrier between."""


class BarrierDivergence(ExecutionError):
    """Work-items of a group do not meet at one barrier."""


POISON: Any = type("Poison", (), {"__repr__": lambda self: "POISON"})()
"""What stands in a cell that holds no value."""


@dataclass(eq=False, slots=True)
class WorkItem:
    """One work-item: where it is in the grid and in its loops, and the memory that it sees, by name.

    ``launch`` counts kernel launches; ``fenced`` counts, for each memory, the barriers passed that order it.
    """

    group: tuple[int, ...]
    lane: tuple[int, ...]
    memory: dict[str, Cells]
    inames: dict[str, int] = field(default_factory=dict)
    launch: int = 0
    fenced: dict[str, int] = field(default_factory=lambda: {"local": 0, "global": 0})
    statement: str = ""

    def pass_barrier(self, fences: Iterable[str]) -> None:
        """Go on behind a work-group barrier that orders the given memories."""
        for memory in fences:
            self.fenced[memory] += 1

    def where(self) -> str:
        """The statement and loop values, for messages."""
        values = ", ".join(f"{name}={value}" for name, value in self.inames.items())
        place = f"group {self.group}, lane {self.lane}" if self.group or self.lane else ""
        return f"in statement {self.statement} at {values or 'no loop'}" + (f" ({place})" if place else "")


class Event(NamedTuple):
    """One access, for `trace`: in the order in which they happened."""

    statement: str
    inames: tuple[tuple[str, int], ...]
    name: str
    element: int
    is_write: bool


class _Touch(NamedTuple):
    """Who touched a cell, and between which barriers."""

    launch: int
    segment: int
    group: tuple[int, ...]
    lane: tuple[int, ...]
    atomic: str | None

    def races_with(self, other: _Touch) -> bool:
        if self.launch != other.launch or (self.group == other.group and self.lane == other.lane):
            return False
        if self.atomic is not None and self.atomic == other.atomic:
            return False
        return self.group != other.group or self.segment == other.segment


@dataclass(eq=False, slots=True)
class Cells:
    """A variable's storage, column-major; a scalar has shape ().

    ``owners``: for a variable with ``private_to``, which iteration stored each cell's value. ``watch``: whether other
    work-items see the cells, so that races are looked for. ``partners``: variables on the same storage, which lose what
    they hold where this one stores.
    """

    name: str
    shape: tuple[int, ...]
    values: list[Any]
    space: Literal["private", "local", "global"] = "global"
    private_to: tuple[str, ...] = ()
    watch: bool = False
    owners: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    reads: dict[int, set[_Touch]] = field(default_factory=dict)
    writes: dict[int, set[_Touch]] = field(default_factory=dict)
    partners: list[Cells] = field(default_factory=list)

    def poison(self) -> None:
        """Forget all values, as memory is when its owner begins."""
        self.values = [POISON] * len(self.values)
        self.owners.clear()

    def position(self, item: WorkItem, indices: list[int]) -> int:
        """Element offset of 0-based subscripts. Raises `OutOfBounds`."""
        offset, stride = 0, 1
        for index, extent in zip(indices, self.shape, strict=True):
            if not 0 <= index < extent:
                raise OutOfBounds(f"{self.name}{indices} outside {list(self.shape)} {item.where()}")
            offset += index * stride
            stride *= extent
        return offset

    def load(self, item: WorkItem, offset: int, atomic: str | None = None) -> Any:
        """Value of an element. Raises `PoisonRead`, `DataRace`."""
        value = self.values[offset]
        if value is POISON:
            raise PoisonRead(f"{self.name}[{offset}] holds no value {item.where()}")
        if self.private_to and self._owner(item) != self.owners.get(offset):
            raise PoisonRead(f"{self.name}[{offset}] holds the value of another iteration {item.where()}")
        if self.watch:
            touch = _Touch(item.launch, item.fenced[self.space], item.group, item.lane, atomic)
            for cells in (self, *self.partners):
                self._look(item, offset, touch, cells.writes.get(offset, ()))
            self.reads.setdefault(offset, set()).add(touch)
        return value

    def store(self, item: WorkItem, offset: int, value: Any, atomic: str | None = None) -> None:
        """Put a value. Raises `DataRace`."""
        if self.watch:
            touch = _Touch(item.launch, item.fenced[self.space], item.group, item.lane, atomic)
            for cells in (self, *self.partners):
                self._look(item, offset, touch, cells.writes.get(offset, ()))
                self._look(item, offset, touch, cells.reads.get(offset, ()))
            self.writes.setdefault(offset, set()).add(touch)
        self.values[offset] = value
        for cells in self.partners:
            if offset < len(cells.values):
                cells.values[offset] = POISON
        if self.private_to:
            self.owners[offset] = self._owner(item)

    def touched(self, launch: int) -> tuple[bool, bool]:
        """Whether some work-item read, and wrote, these cells in a launch (where they are watched)."""
        return tuple(  # type: ignore[return-value]
            any(touch.launch == launch for touches in found.values() for touch in touches)
            for found in (self.reads, self.writes)
        )

    def _owner(self, item: WorkItem) -> tuple[int | None, ...]:
        return tuple(item.inames.get(name) for name in self.private_to)

    def _look(self, item: WorkItem, offset: int, touch: _Touch, others: set[_Touch] | tuple[()]) -> None:
        for other in others:
            if touch.races_with(other):
                raise DataRace(
                    f"{self.name}[{offset}] is touched {item.where()} and by group {other.group}, lane {other.lane} "
                    "with no barrier between"
                )
