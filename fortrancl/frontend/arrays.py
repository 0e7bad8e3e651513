"""Array assignments and WHERE: loops over elements, in an order that reads every element before it is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fortrancl.frontend.builder import Context, KernelBuilder
from fortrancl.frontend.conditions import Arm, ConditionLowerer
from fortrancl.frontend.expressions import ExpressionReader, reference
from fortrancl.frontend.linear import constant_of, linear, normalise
from fortrancl.frontend.parse import Parsed, unshadowed
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.scope import Variable
from fortrancl.frontend.syntax import Assignment, Where
from fortrancl.ir.affine import Known, to_aff
from fortrancl.ir.expr import Binary, Expr, Subscript, Var, integer, subscripts
from fortrancl.ir.kernel import Iname
from fortrancl.ir.tree import Block, Loop
from fortrancl.poly import Aff
from fortrancl.source import Span

Emit = Callable[[Assignment, Context], None]


def is_array_target(expressions: ExpressionReader, target: Parsed) -> Variable | None:
    """The array, if an assignment's left side names a whole array or a section."""
    call = reference(target.node)
    entity = expressions.scope.find(call[0] if call is not None else unshadowed(str(target.node)))
    if not isinstance(entity, Variable) or entity.dims is None:
        return None
    if call is not None and not any(type(argument).__name__ == "Subscript_Triplet" for argument in call[1]):
        return None
    return entity


class ArrayLowerer:
    """Makes the loops; ``emit`` adds one assignment, its arrays read as elements."""

    def __init__(
        self, builder: KernelBuilder, expressions: ExpressionReader, conditions: ConditionLowerer, emit: Emit
    ) -> None:
        self.builder, self.expressions, self.conditions, self.emit = builder, expressions, conditions, emit

    def assignment(self, item: Assignment, array: Variable, at: Context, known: Known) -> None:
        """``a = …`` or ``a(2:n) = …``. Refuses with FCL125."""
        extents = self.extents(item.target, array)
        forward = self.probe(item, extents)
        self.loops(item.span, array, extents, forward, at, known, lambda inside: self.emit(item, inside))

    def where(self, item: Where, at: Context, known: Known) -> None:
        """WHERE: masks are tried element by element. Refuses with FCL125."""
        assignments = [a for branch in item.branches for a in branch.body if isinstance(a, Assignment)]
        if len(assignments) != sum(len(branch.body) for branch in item.branches):
            raise Refused("FCL110", "a WHERE inside a WHERE is not supported", item.statement.span())
        if not assignments:
            return
        array = is_array_target(self.expressions, assignments[0].target)
        if array is None:
            raise Refused("FCL125", "WHERE must assign whole arrays or sections", assignments[0].span)
        extents = self.extents(assignments[0].target, array)
        self.require_same_elements(item, assignments, len(extents))

        def arms(inside: Context) -> None:
            rest = inside
            for position, branch in enumerate(item.branches):
                mask = self.expressions.logical(branch.condition, "a mask") if branch.condition is not None else None
                arm = Arm(mask, branch.body, branch.statement.span())
                rest = self.conditions.arm(arm, rest, known, position + 1 < len(item.branches))

        self.loops(item.statement.span(), array, extents, True, at, known, arms)

    # -- shape --------------------------------------------------------------------------------------------------
    def extents(self, target: Parsed, array: Variable) -> tuple[Expr, ...]:
        """Elements along each dimension of the left side."""
        call = reference(target.node)
        result: list[Expr] = []
        for position, dim in enumerate(array.dims or ()):
            node = call[1][position] if call is not None else None
            if node is not None and type(node).__name__ != "Subscript_Triplet":
                continue
            if node is None:
                if dim.extent is None:
                    raise Refused("FCL125", f"the extent of '{array.name}' is not known", target.span())
                result.append(dim.extent)
                continue
            start, stride = self.expressions.section_start(target, node, dim)
            last = node.items[1]
            if last is not None:
                stop = self.expressions.index(target, last, dim)
            elif stride < 0:
                stop = integer(0)
            elif dim.extent is not None:
                stop = normalise(Binary("-", dim.extent, integer(1)))
            else:
                raise Refused(
                    "FCL125", f"the last element of this section of '{array.name}' is not known", target.span()
                )
            length = Binary("-", stop, start) if stride > 0 else Binary("-", start, stop)
            total = normalise(Binary("+", length, integer(abs(stride))))
            result.append(total if abs(stride) == 1 else normalise(Binary("/", total, integer(abs(stride)))))
        return tuple(result)

    def probe(self, item: Assignment, extents: Sequence[Expr]) -> bool:
        """Whether the loops may run upward; False for downward. Refuses with FCL125 where neither order will do."""
        names = tuple(f"?{position}" for position in range(len(extents)))
        target, value = self.quietly(names, item.target), self.quietly(names, item.value)
        signs: set[int] = set()
        assert isinstance(target, Subscript)
        for read in subscripts(value):
            if read.array == target.array and read != target:
                sign = _direction(target, read, names)
                signs |= {sign} if sign is not None else set()
        if 0 in signs or len(signs) > 1:
            raise Refused(
                "FCL125",
                f"this assignment reads elements of '{target.array}' that it overwrites",
                item.span,
                hints=("assign to another array first",),
            )
        return signs != {-1}

    def require_same_elements(self, item: Where, assignments: Sequence[Assignment], rank: int) -> None:
        """All statements of a WHERE become one loop: each may touch only its own element of what any of them writes."""
        names = tuple(f"?{position}" for position in range(rank))
        targets: dict[str, Expr] = {}
        for assignment in assignments:
            target = self.quietly(names, assignment.target)
            if not isinstance(target, Subscript) or targets.setdefault(target.array, target) != target:
                raise Refused("FCL125", "WHERE must assign the same elements throughout", assignment.span)
        for parsed in (*(b.condition for b in item.branches), *(a.value for a in assignments)):
            for read in subscripts(self.quietly(names, parsed)) if parsed is not None else ():
                if targets.get(read.array, read) != read:
                    message = f"this WHERE reads elements of '{read.array}' that it may have overwritten"
                    hint = "copy the array first"
                    raise Refused("FCL125", message, item.statement.span(), hints=(hint,))

    def quietly(self, names: tuple[str, ...], parsed: Parsed) -> Expr:
        """An element of an expression, for looking at."""
        use, self.expressions.use = self.expressions.use, lambda entity: None
        counters, self.expressions.counters = self.expressions.counters, tuple(Var(name) for name in names)
        try:
            return self.expressions.read(parsed).expr
        finally:
            self.expressions.use, self.expressions.counters = use, counters

    # -- loops --------------------------------------------------------------------------------------------------
    def loops(
        self,
        span: Span,
        array: Variable,
        extents: Sequence[Expr],
        forward: bool,
        at: Context,
        known: Known,
        body: Callable[[Context], None],
    ) -> None:
        """One loop for each dimension, the first one innermost."""
        names: list[str] = []
        inside = replace(at, body=[])
        for position, extent in enumerate(extents):
            length = to_aff(extent, known)
            if length is None:
                raise Refused("FCL125", f"the extent of '{array.name}' here is not known before the kernel runs", span)
            suffix = str(position + 1) if len(extents) > 1 else ""
            name = self.builder.fresh(f"{array.name}_i{suffix}")
            names.append(name)
            bounds = (Aff.name(name) >= 0) & (Aff.name(name) < length)
            inside = replace(inside, domain=inside.domain & bounds, loop_domain=inside.loop_domain & bounds)
        inside = replace(inside, inames=(*at.inames, *reversed(names)))
        counters: tuple[Expr, ...] = tuple(
            Var(name) if forward else normalise(Binary("-", Binary("-", extent, integer(1)), Var(name)))
            for name, extent in zip(names, extents, strict=True)
        )
        before, self.expressions.counters = self.expressions.counters, counters
        try:
            body(inside)
        finally:
            self.expressions.counters = before
        self.builder.inames.extend(Iname(name, span=span) for name in reversed(names))
        block = Block(tuple(inside.body))
        for name in names:
            block = Block((Loop(name, block),))
        at.body.extend(block.children)


def _direction(target: Subscript, read: Subscript, names: tuple[str, ...]) -> int | None:
    """1 where an upward order reads ``read`` before ``target`` overwrites it, -1 for a downward one, 0 for neither;
    None where it is never overwritten."""
    pairs = list(zip(target.indices, read.indices, strict=True))
    distances = [constant_of(Binary("-", theirs, ours)) for ours, theirs in pairs]
    counters = {Var(name) for name in names}
    strides = [next((s for t, s in linear(ours)[0].items() if t in counters), 0) for ours, _ in pairs]
    if any(distance and not stride for distance, stride in zip(distances, strides, strict=True)):
        return None
    for distance, stride in reversed(list(zip(distances, strides, strict=True))):
        if distance is None:
            return 0
        if distance:
            return 1 if (distance > 0) == (stride > 0) else -1
    return 0
