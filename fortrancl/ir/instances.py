"""Which instances a kernel has for given sizes: explicit points of the statements, iterations of the loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.tree import Loop, Path, Run, walk
from fortrancl.poly import Aff

Point = tuple[int, ...]
Groups = tuple[int | None, ...]
"""Group coordinates on axes 0, 1, 2; None where any group takes part."""


def statement_points(kernel: Kernel, statement: Statement, sizes: Mapping[str, int], cap: int = 0) -> list[Point]:
    """Values of ``statement.inames`` (in that order) of all its instances, sorted.

    ``sizes`` gives every parameter. Inames whose trip count is data run to ``cap`` (exclusive) here.

    >>> from fortrancl.ir.expr import Var
    >>> from fortrancl.ir.tree import Block
    >>> domain = (Aff.name("i") >= 0) & (Aff.name("i") < "n")
    >>> statement = Statement("s0", Var("x"), Var("i"), ("i",), domain)
    >>> statement_points(Kernel("k", (), (), (), (statement,), Block()), statement, {"n": 2})
    [(0,), (1,)]
    """
    domain = statement.domain.where(sizes).project_out(sizes)
    for name in statement.inames:
        iname = kernel.iname_by_name.get(name)
        if iname is not None and iname.trip is not None:
            domain = domain & (Aff.name(name) < cap)
    return domain.points(statement.inames)


def lane_axis(kernel: Kernel, name: str) -> tuple[str, int] | None:
    """``("g", 0)`` for an iname that is a hardware axis, else None."""
    tag = kernel.iname_by_name[name].tag
    return (tag.kind, tag.axis) if tag is not None and tag.is_lane and tag.axis is not None else None


class Instances:
    """All instances for one choice of sizes. ``one_group``: statements that group 0 runs alone on axes they lack."""

    def __init__(self, kernel: Kernel, sizes: Mapping[str, int], one_group: frozenset[str], cap: int = 0) -> None:
        self.kernel = kernel
        self.cap = cap
        self.one_group = one_group
        self.points = {s.id: statement_points(kernel, s, sizes, cap) for s in kernel.statements}
        self.sets = {name: frozenset(points) for name, points in self.points.items()}
        self._ranges = self._iterations()
        self._chosen: dict[tuple[Path, Point, tuple[int, ...] | None], list[int]] = {}

    def extent(self, axis: tuple[str, int]) -> int:
        """One more than the largest coordinate on a hardware axis; at least 1."""
        result = 1
        for statement in self.kernel.statements:
            for position, name in enumerate(statement.inames):
                if lane_axis(self.kernel, name) == axis:
                    result = max(result, 1 + max((point[position] for point in self.points[statement.id]), default=0))
        return result

    def iterations(self, path: Path, outer: Point, group: tuple[int, ...] | None) -> list[int]:
        """Values that a Loop takes in one iteration of the Loops round it, in one group (None: in any group)."""
        key = (path, outer, group)
        if key not in self._chosen:
            found = self._ranges.get(path, {}).get(outer, {})
            self._chosen[key] = sorted(
                value for value, patterns in found.items() if group is None or any(_fits(p, group) for p in patterns)
            )
        return self._chosen[key]

    def _iterations(self) -> dict[Path, dict[Point, dict[int, set[Groups]]]]:
        result: dict[Path, dict[Point, dict[int, set[Groups]]]] = {}
        loops = [(path, node.iname) for path, _, node in walk(self.kernel.tree) if isinstance(node, Loop)]
        names = dict(loops)
        for path, enclosing, node in walk(self.kernel.tree):
            if not isinstance(node, Run):
                continue
            statement = self.kernel.statement_by_id[node.statement]
            position = {name: place for place, name in enumerate(statement.inames)}
            around = [path[:depth] for depth in range(1, len(path)) if path[:depth] in names]
            places = [position[name] for name in enclosing]
            for point in self.points[statement.id]:
                pattern = self._pattern(statement, point)
                values = tuple(point[place] for place in places)
                for depth, loop in enumerate(around):
                    by_outer = result.setdefault(loop, {}).setdefault(values[:depth], {})
                    by_outer.setdefault(values[depth], set()).add(pattern)
        return result

    def _pattern(self, statement: Statement, point: Point) -> Groups:
        pattern: list[int | None] = [0 if statement.id in self.one_group else None] * 3
        for value, name in zip(point, statement.inames, strict=True):
            axis = lane_axis(self.kernel, name)
            if axis is not None and axis[0] == "g":
                pattern[axis[1]] = value
        return tuple(pattern)


def _fits(pattern: Groups, group: Iterable[int]) -> bool:
    return all(wanted is None or wanted == have for wanted, have in zip(pattern, group, strict=True))
