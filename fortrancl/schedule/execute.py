"""A launch plan executed slowly and strictly: the reference for everything between the kernel and its spelling.

Where `ir.interpret` asks what a kernel means, this asks what its launches would do: their group counts and sizes,
bounds, tests, barriers with their fences, parameters, and what of memory outlives a launch.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from fortrancl.analysis.lanes import lanes_of
from fortrancl.ir.evaluate import Evaluator
from fortrancl.ir.expr import Expr, Subscript, Var
from fortrancl.ir.kernel import Guard, Kernel, Statement
from fortrancl.ir.memory import BarrierDivergence, Cells, ExecutionError, WorkItem
from fortrancl.ir.store import Store
from fortrancl.poly import Set
from fortrancl.schedule.nodes import Branch, CodeNode, Execute, For, Repack, Synchronise, element_name, lane_name
from fortrancl.schedule.parameters import executed
from fortrancl.schedule.plan import DeviceBuffer, DeviceScalar, HostIf, HostLoop, HostNode, Launch, LaunchPlan

Stop: TypeAlias = tuple[int, tuple[tuple[str, int], ...], tuple[str, ...]]
"""A barrier that a work-item waits at: which one in the code, the loops round it, its fences."""


def execute(
    plan: LaunchPlan, arrays: Mapping[str, Any], scalars: Mapping[str, Any], *, seed: int = 0
) -> dict[str, Any]:
    """Run a plan on data; gives what `ir.interpret.interpret` gives, and raises what it raises.

    Groups run in random order, in each the lanes of a segment between barriers in random order, one whole lane after
    another. A function sees only the buffers and scalars that its launch passes.
    """
    with np.errstate(all="ignore"):
        return _Host(plan.kernel, arrays, scalars, seed).run(plan.body)


class _Host:
    """The host's side: loops, launches, and the memory that outlives them."""

    def __init__(self, kernel: Kernel, arrays: Mapping[str, Any], scalars: Mapping[str, Any], seed: int) -> None:
        self.kernel = kernel
        self.store = Store(kernel, arrays, scalars, watch=True)
        self.random = random.Random(seed)
        self.evaluator = Evaluator(kernel, self.store.constants)
        self.loops: dict[str, int] = {}
        self.launches = 0

    def run(self, body: Iterable[HostNode]) -> dict[str, Any]:
        self._nodes(body)
        return self.store.results()

    def _nodes(self, body: Iterable[HostNode]) -> None:
        for node in body:
            if isinstance(node, HostLoop):
                for value in range(self._value(node.lower), self._value(node.upper) + 1):
                    self.loops[node.iname] = value
                    self._nodes(node.body)
                self.loops.pop(node.iname, None)
            elif isinstance(node, HostIf):
                if self._value(node.condition):
                    self._nodes(node.body)
            else:
                counts = tuple(self._value(count) for count in node.group_counts)
                if min(counts) > 0:
                    self.launches += 1
                    _Device(self, node, counts).run()

    def _value(self, expr: Expr) -> Any:
        return self.evaluator.compile(expr)(WorkItem((), (), {}, dict(self.loops)))


class _Device:
    """One launch."""

    def __init__(self, host: _Host, launch: Launch, counts: tuple[int, ...]) -> None:
        self.host = host
        self.launch = launch
        self.counts = counts
        kernel = host.kernel
        passed = {p.name for p in launch.parameters if isinstance(p, DeviceScalar)}
        constants = {name: value for name, value in host.store.constants.items() if name in passed}
        buffers = {p.name: p for p in launch.parameters if isinstance(p, DeviceBuffer)}
        tables = {t.name for t in kernel.temporaries if t.values}
        shared = host.store.shared
        self.shared: dict[str, Cells] = {name: c for name, c in shared.items() if name in buffers or name in tables}
        # Private values are told apart by host loops too, whether the function is passed their variables or not.
        self.evaluator = Evaluator(kernel, constants, hidden=frozenset(host.loops) - passed)
        self.loops = dict(host.loops)
        self.lanes = {name: axis for s in kernel.statements for axis, name in lanes_of(kernel, s.id).items()}
        statements = set(executed(launch.code))
        self.runs = {s.id: self.evaluator.assignment(s) for s in kernel.statements if s.id in statements}
        self.code = [self._ready(node) for node in launch.code]
        self.buffers = buffers

    def run(self) -> None:
        groups = list(product(*(range(count) for count in self.counts)))
        self.host.random.shuffle(groups)
        for group in groups:
            self._group(group)
        for name, buffer in self.buffers.items():
            read, written = self.shared[name].touched(self.host.launches)
            if (read and not buffer.read) or (written and not buffer.written):
                raise ExecutionError(f"{self.launch.function} was not to {'write' if written else 'read'} '{name}'")

    def _group(self, group: tuple[int, ...]) -> None:
        store = self.host.store
        local = store.fresh("local")
        items = [
            self._item(group, lane, {**self.shared, **local, **store.fresh("private")})
            for lane in product(*(range(size) for size in self.launch.group_size))
        ]
        threads = {item: self._thread(item) for item in items}
        while True:
            self.host.random.shuffle(items)
            stops = {next(threads[item], None) for item in items}
            if len(stops) > 1:
                raise BarrierDivergence(f"lanes of group {group} stop at different places: {stops}")
            stop = next(iter(stops))
            if stop is None:
                return
            for item in items:
                item.pass_barrier(stop[2])

    def _item(self, group: tuple[int, ...], lane: tuple[int, ...], memory: dict[str, Cells]) -> WorkItem:
        inames = dict(self.loops)
        for axis in range(3):
            inames[lane_name("g", axis)], inames[lane_name("l", axis)] = group[axis], lane[axis]
        for name, (kind, axis) in self.lanes.items():
            inames[name] = (group if kind == "g" else lane)[axis]
        return WorkItem(group, lane, memory, inames, self.host.launches)

    def _thread(self, item: WorkItem) -> Iterator[Stop]:
        for node in self.code:
            yield from node(item)

    # -- code ---------------------------------------------------------------------------------------------------
    def _ready(self, node: CodeNode) -> Callable[[WorkItem], Iterator[Stop]]:
        """The node as a generator of the barriers that a work-item meets in it."""
        if isinstance(node, Execute):
            return self._statement(node.statement)
        if isinstance(node, For):
            return self._loop(node)
        if isinstance(node, Branch):
            return self._branch(node)
        if isinstance(node, Repack):
            return self._repack(node)
        return self._barrier(node)

    def _repack(self, node: Repack) -> Callable[[WorkItem], Iterator[Stop]]:
        axes = [element_name(axis) for axis in range(len(node.shape))]
        copy = self.evaluator.assignment(Statement("(repack)", node.target, node.value, tuple(axes), Set.universe()))
        first, last = self.evaluator.compile(node.first), self.evaluator.compile(node.last)
        extents = [self.evaluator.compile(dim.extent) for dim in node.shape[:-1] if dim.extent is not None]
        rows = [self.evaluator.compile(row) for row in node.rows or ()]

        def repack(item: WorkItem) -> Iterator[Stop]:
            item.statement = "(repack)"
            element = first(item) + item.group[0] * self.launch.group_size[0] + item.lane[0]
            if element <= last(item):
                for axis, extent in zip(axes, extents, strict=False):
                    element, item.inames[axis] = divmod(element, extent(item))
                item.inames[axes[-1]] = element
                if not rows or rows[0](item) <= item.inames[axes[0]] <= rows[1](item):
                    copy(item)
            return iter(())

        return repack

    def _statement(self, name: str) -> Callable[[WorkItem], Iterator[Stop]]:
        run = self.runs[name]

        def statement(item: WorkItem) -> Iterator[Stop]:
            item.statement = name
            run(item)
            return iter(())

        return statement

    def _loop(self, node: For) -> Callable[[WorkItem], Iterator[Stop]]:
        start, stop = self.evaluator.compile(node.start), self.evaluator.compile(node.stop)
        body = [self._ready(child) for child in node.body]

        def loop(item: WorkItem) -> Iterator[Stop]:
            item.statement = f"(bounds of {node.iname})"
            for value in range(start(item), stop(item)):
                item.inames[node.iname] = value
                for child in body:
                    yield from child(item)
            item.inames.pop(node.iname, None)

        return loop

    def _branch(self, node: Branch) -> Callable[[WorkItem], Iterator[Stop]]:
        tests = [self._test(condition) for condition in node.conditions]
        body, otherwise = [self._ready(c) for c in node.body], [self._ready(c) for c in node.otherwise]

        def branch(item: WorkItem) -> Iterator[Stop]:
            item.statement = "(a test)"
            for child in body if all(test(item) for test in tests) else otherwise:
                yield from child(item)

        return branch

    def _test(self, condition: Expr | Guard) -> Callable[[WorkItem], bool]:
        if not isinstance(condition, Guard):
            return self.evaluator.compile(condition)
        indices = condition.indices
        cell = self.evaluator.compile(Subscript(condition.name, indices) if indices else Var(condition.name))
        return lambda item: bool(cell(item)) == condition.value

    def _barrier(self, node: Synchronise) -> Callable[[WorkItem], Iterator[Stop]]:
        def barrier(item: WorkItem) -> Iterator[Stop]:
            values = tuple((n, v) for n, v in item.inames.items() if n not in self.lanes and not n.startswith("@"))
            yield id(node), values, node.fences

        return barrier
