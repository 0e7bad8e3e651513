"""The reference interpreter: what a kernel means, executed slowly and strictly.

A kernel whose loops are all in the tree runs as one work-item. A final one (lanes tagged, address spaces decided,
barriers placed) runs as the device would: groups in random order, and in each the lanes of a segment between barriers
one whole lane after another, in random order. Lockstep would hide missing barriers; so would lucky values, hence
memory begins poisoned and every race between work-items is an error.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from fortrancl.ir.arithmetic import ArithmeticFault
from fortrancl.ir.evaluate import Evaluator
from fortrancl.ir.instances import Instances, lane_axis
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.memory import (
    BarrierDivergence,
    Cells,
    DataRace,
    Event,
    ExecutionError,
    OutOfBounds,
    PoisonRead,
    WorkItem,
)
from fortrancl.ir.store import Store
from fortrancl.ir.tree import Barrier, Block, Loop, Node, Path, Run

__all__ = [
    "ArithmeticFault",
    "BarrierDivergence",
    "DataRace",
    "Event",
    "ExecutionError",
    "OutOfBounds",
    "PoisonRead",
    "interpret",
]

Stop: TypeAlias = tuple[str, Path, tuple[int, ...]]
"""A barrier that a work-item waits at: scope, place in the tree, values of the loops round it."""

_FIRST_CAP = 16


def interpret(
    kernel: Kernel,
    arrays: Mapping[str, Any],
    scalars: Mapping[str, Any],
    *,
    seed: int = 0,
    trace: list[Event] | None = None,
) -> dict[str, Any]:
    """Run a kernel; gives all array arguments (new, column-major) and the scalar arguments that it writes.

    ``arrays`` and ``scalars`` go by the declared names; an assumed-size array may have any last extent. ``seed``
    decides the order of groups and lanes. ``trace`` collects every access in the order of execution.
    Raises `PoisonRead`, `OutOfBounds`, `DataRace`, `BarrierDivergence` (all `ExecutionError`), `ArithmeticFault`, and
    `ValueError` for data that does not fit the declarations or the kernel's assumptions.

    >>> from fortrancl.ir.expr import Var
    >>> from fortrancl.ir.kernel import Argument
    >>> from fortrancl.ir.types import INTEGER4
    >>> from fortrancl.poly import Set
    >>> doubled = Statement("s0", Var("n"), Var("m"), (), Set.universe())
    >>> k = Kernel("k", (Argument("n", INTEGER4), Argument("m", INTEGER4)), (), (), (doubled,), Block((Run("s0"),)))
    >>> interpret(k, {}, {"n": 1, "m": 7})
    {'n': 7}
    """
    with np.errstate(all="ignore"):
        return _Machine(kernel, arrays, scalars, seed, trace).run()


@dataclass(frozen=True, slots=True)
class _Step:
    """A statement made ready: how to find its point, test its guards, and run it."""

    statement: Statement
    lanes: tuple[tuple[str, str, int], ...]
    lacking: tuple[tuple[str, int], ...]
    guards: tuple[tuple[Callable[[WorkItem], Any], bool], ...]
    run: Callable[[WorkItem], None]


class _Machine:
    def __init__(
        self,
        kernel: Kernel,
        arrays: Mapping[str, Any],
        scalars: Mapping[str, Any],
        seed: int,
        trace: list[Event] | None,
    ) -> None:
        self.kernel = kernel
        self.random = random.Random(seed)
        self.has_lanes = any(lane_axis(kernel, iname.name) for iname in kernel.inames)
        self.store = Store(kernel, arrays, scalars, watch=self.has_lanes)
        self.evaluator = Evaluator(kernel, self.store.constants, trace)
        self.one_group = frozenset(s.id for s in kernel.statements if self.store.space_of(s.target_name) == "global")
        self.instances = Instances(kernel, self.store.sizes, self.one_group, 0)
        self.steps = {statement.id: self._step(statement) for statement in kernel.statements}
        self.barriers = _places_of_barriers(kernel.tree, ())

    # -- set-up -------------------------------------------------------------------------------------------------------
    def _step(self, statement: Statement) -> _Step:
        lanes, used = [], set()
        for name in statement.inames:
            axis = lane_axis(self.kernel, name)
            if axis is not None:
                lanes.append((name, *axis))
                used.add(axis)
        # Axes that a statement lacks: private storage is filled by every lane, local storage by lane 0 of every group,
        # anything else by lane 0 of group 0 (design section 5, point 4).
        alone = {"private": "", "local": "l", "global": "gl"}[self.store.space_of(statement.target_name)]
        lacking = [(kind, axis) for kind in alone for axis in range(3) if (kind, axis) not in used]
        guards = []
        for guard in statement.guards:
            cell = self.evaluator.compile(_guard_expr(guard.name, guard.indices))
            guards.append((cell, guard.value))
        run = self.evaluator.assignment(statement)
        return _Step(statement, tuple(lanes), tuple(lacking), tuple(guards), run)

    # -- the grid -----------------------------------------------------------------------------------------------
    def run(self) -> dict[str, Any]:
        groups = self._grid()
        waiting = {group: {item: self._walk(item) for item in items} for group, items in groups.items()}
        while waiting:
            order = list(waiting)
            self.random.shuffle(order)
            stops = {group: self._run_group(waiting[group]) for group in order}
            if len(set(stops.values())) > 1:
                raise BarrierDivergence(f"groups stop at different places: {set(stops.values())}")
            if next(iter(stops.values())) is None:
                break
            for items in waiting.values():
                for item in items:
                    item.launch += 1
                    for cells in item.memory.values():
                        if cells.space != "global" and not self.kernel.temporary_by_name[cells.name].values:
                            cells.poison()
        return self.store.results()

    def _grid(self) -> dict[tuple[int, ...], list[WorkItem]]:
        if not self.has_lanes:
            return {(): [self._item((), (), self.store.fresh("local"))]}
        extents = {axis: self.instances.extent(axis) for axis in product("gl", range(3))}
        groups = {}
        for group in product(*(range(extents["g", axis]) for axis in range(3))):
            local = self.store.fresh("local")
            lanes = product(*(range(extents["l", axis]) for axis in range(3)))
            groups[group] = [self._item(group, lane, local) for lane in lanes]
        return groups

    def _item(self, group: tuple[int, ...], lane: tuple[int, ...], local: dict[str, Cells]) -> WorkItem:
        return WorkItem(group, lane, {**self.store.shared, **local, **self.store.fresh("private")})

    def _run_group(self, items: dict[WorkItem, Iterator[Stop]]) -> Stop | None:
        """Run to the end of the launch; the global barrier that ends it, or None at the kernel's end."""
        while True:
            order = list(items)
            self.random.shuffle(order)
            stops = {next(items[item], None) for item in order}
            if len(stops) > 1:
                raise BarrierDivergence(f"lanes of group {order[0].group} stop at different places: {stops}")
            stop = next(iter(stops))
            if stop is None or stop[0] == "global":
                return stop
            for item in order:
                item.pass_barrier(("local", "global"))

    # -- one work-item ------------------------------------------------------------------------------------------
    def _walk(self, item: WorkItem) -> Iterator[Stop]:
        yield from self._visit(self.kernel.tree, (), (), item)

    def _visit(self, node: Node, path: Path, outer: tuple[int, ...], item: WorkItem) -> Iterator[Stop]:
        if isinstance(node, Run):
            self._execute(self.steps[node.statement], item)
        elif isinstance(node, Barrier):
            yield node.scope, path, outer
        elif isinstance(node, Block):
            for position, child in enumerate(node.children):
                yield from self._visit(child, (*path, position), outer, item)
        else:
            for value in self._iterations(node, path, outer, item):
                item.inames[node.iname] = value
                for position, child in enumerate(node.body.children):
                    yield from self._visit(child, (*path, position), (*outer, value), item)
            item.inames.pop(node.iname, None)

    def _iterations(self, loop: Loop, path: Path, outer: tuple[int, ...], item: WorkItem) -> list[int] | range:
        trip = self.kernel.iname_by_name[loop.iname].trip
        if trip is not None:
            item.statement = f"(bound of {loop.iname})"
            count = item.memory[trip].load(item, 0)
            if count > self.instances.cap:
                cap = max(_FIRST_CAP, 2 * count)
                self.instances = Instances(self.kernel, self.store.sizes, self.one_group, cap)
            return range(count)
        any_group = "global" in self.barriers.get(path, ()) or not self.has_lanes
        return self.instances.iterations(path, outer, None if any_group else item.group)

    def _execute(self, step: _Step, item: WorkItem) -> None:
        for kind, axis in step.lacking if self.has_lanes else ():
            if (item.group if kind == "g" else item.lane)[axis] != 0:
                return
        for name, kind, axis in step.lanes:
            item.inames[name] = (item.group if kind == "g" else item.lane)[axis]
        statement = step.statement
        point = tuple(item.inames[name] for name in statement.inames)
        item.statement = statement.id
        if point in self.instances.sets[statement.id] and all(bool(test(item)) == value for test, value in step.guards):
            step.run(item)
        for name, _, _ in step.lanes:
            del item.inames[name]


def _guard_expr(name: str, indices: tuple[Any, ...]) -> Any:
    from fortrancl.ir.expr import Subscript, Var

    return Subscript(name, indices) if indices else Var(name)


def _places_of_barriers(node: Node, path: Path) -> dict[Path, set[str]]:
    """For each place in the tree, the scopes of the barriers below it."""
    if isinstance(node, Barrier):
        return {path: {node.scope}}
    if isinstance(node, Run):
        return {}
    result: dict[Path, set[str]] = {}
    for position, child in enumerate((node.body if isinstance(node, Loop) else node).children):
        for place, scopes in _places_of_barriers(child, (*path, position)).items():
            result.setdefault(place, set()).update(scopes)
            if len(place) == len(path) + 1:
                result.setdefault(path, set()).update(scopes)
    return result
