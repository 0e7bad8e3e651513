"""The executable part: assignments and loops into a kernel's statements and loop tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from fortrancl.frontend.arrays import ArrayLowerer, is_array_target
from fortrancl.frontend.builder import Context, KernelBuilder
from fortrancl.frontend.conditions import ConditionLowerer, has_cycle, without_cycle
from fortrancl.frontend.expressions import ExpressionReader, Names, reference
from fortrancl.frontend.linear import normalise
from fortrancl.frontend.logical import LogicalStatement
from fortrancl.frontend.parse import Parsed, unshadowed
from fortrancl.frontend.problems import Problems, Refused
from fortrancl.frontend.scope import Constant, ConstantArray, ExternalProcedure, Unusable, Variable
from fortrancl.frontend.syntax import Assignment, Cycle, Do, Executable, If, Select, Where, walk
from fortrancl.frontend.usage import target_name
from fortrancl.frontend.values import Value
from fortrancl.ir.affine import Known, to_aff
from fortrancl.ir.expr import Binary, Call, Convert, Expr, Subscript, Var, integer, logical
from fortrancl.ir.kernel import Iname
from fortrancl.ir.tree import Block, Loop
from fortrancl.ir.types import INTEGER4, ScalarType
from fortrancl.poly import Aff
from fortrancl.source import Span

Tags = Callable[[LogicalStatement], frozenset[str]]


class StatementLowerer:
    """Lowers constructs in order.

    ``parameters``: scalars with one value throughout (spelled as declared). ``kept``: lower-case DO variables whose
    value outlives their loops; ``spelled`` gives those, where they are no dummies, another name than their iname.
    ``tags``: tags of a statement by its place.
    """

    def __init__(
        self,
        builder: KernelBuilder,
        expressions: ExpressionReader,
        problems: Problems,
        parameters: frozenset[str],
        kept: set[str],
        spelled: dict[str, str],
        tags: Tags,
    ) -> None:
        self.builder, self.expressions, self.problems = builder, expressions, problems
        self.parameters, self.kept, self.spelled, self.tags = parameters, kept, spelled, tags
        self.loops_over: dict[str, int] = {}
        self.fixed_sizes: dict[str, Value] = {}
        self.conditions = ConditionLowerer(builder, expressions, self.body)
        self.arrays = ArrayLowerer(builder, expressions, self.conditions, self.element_assignment)

    def procedure(self, items: Sequence[Executable], at: Context) -> None:
        """The whole executable part; a RETURN on the way leaves the rest out."""
        self.fixed_sizes = self.sizes(items)
        if items:
            start = replace(at, values={**at.values, **self.fixed_sizes})
            self.leaving_body(items, start, items[0].statement.span())

    def sizes(self, items: Sequence[Executable]) -> dict[str, Value]:
        """Local integers assigned once, to an affine value of parameters (``nm1 = n - 1``).

        Whoever reads one reads that value, so it may stand in bounds and subscripts as if it were written there.
        """
        everything = list(walk(items))
        assignments = [item for item in everything if isinstance(item, Assignment)]
        loops = {target_name(item.variable.node) for item in everything if isinstance(item, Do)}
        counts = Counter(target_name(item.target.node) for item in assignments)
        found: dict[str, Value] = {}
        known = self.known(Context())
        for item in assignments:
            name = target_name(item.target.node)
            try:
                entity = self.expressions.resolve(name, item.span)
            except Refused:
                continue
            if counts[name] > 1 or name in loops or not isinstance(entity, Variable) or entity.is_dummy:
                continue
            if entity.dims is not None or entity.type.base != "integer" or entity.type.kind < 4:
                continue
            self.expressions.names = Names(found, self.spelled)
            try:
                value = self.quietly(item.value)
            except Refused:
                continue
            if value.type.base == "integer" and value.type.kind <= entity.type.kind and to_aff(value.expr, known):
                found[name] = Value(normalise(value.expr, entity.type), entity.type)
        self.expressions.names = Names()
        return found

    def quietly(self, parsed: Parsed) -> Value:
        """A value without noting what it refers to."""
        use, self.expressions.use = self.expressions.use, lambda entity: None
        try:
            return self.expressions.read(parsed)
        finally:
            self.expressions.use = use

    def known(self, at: Context) -> Known:
        """Names that bounds and conditions may use."""
        active = {*at.inames, *self.parameters}
        return lambda name: name in active

    def body(self, items: Sequence[Executable], at: Context) -> None:
        """Constructs one after another; each refusal is gathered and the next one tried."""
        before = self.expressions.names
        self.expressions.names = Names(at.values, self.spelled)
        for item in items:
            with self.problems.collecting():
                self.item(item, at)
            if at.cycle_flag is not None and has_cycle(item):
                at = at.guarded(at.cycle_flag, True)
        self.expressions.names = before

    def item(self, item: Executable, at: Context) -> None:
        if isinstance(item, Assignment):
            self.assignment(item, at)
        elif isinstance(item, Do):
            self.do(item, at)
        elif isinstance(item, If):
            self.conditions.if_construct(item, at, self.known(at))
        elif isinstance(item, Where):
            self.arrays.where(item, at, self.known(at))
        elif isinstance(item, Select):
            self.conditions.select(item, at, self.known(at))
        else:
            self.cycle(item, at)

    # -- assignment ---------------------------------------------------------------------------------------------
    def assignment(self, item: Assignment, at: Context) -> None:
        """``target = value``. Refuses with FCL120, FCL125, FCL126, FCL129."""
        if target_name(item.target.node) in self.fixed_sizes:
            return
        array = is_array_target(self.expressions, item.target) if not self.expressions.counters else None
        if array is not None:
            self.assignable(item, at)
            self.arrays.assignment(item, array, at, self.known(at))
            return
        self.element_assignment(item, at)

    def element_assignment(self, item: Assignment, at: Context) -> None:
        """One assignment to a scalar or an element."""
        target, type = self.target(item, at)
        value = self.expressions.read(item.value)
        if (type.base == "logical") != (value.type.base == "logical"):
            raise Refused("FCL126", f"{value.type} cannot be assigned to {type}", item.span)
        self.builder.emit(at, target, value.expr, item.span, self.tags(item.statement))

    def target(self, item: Assignment, at: Context) -> tuple[Var | Subscript, ScalarType]:
        self.assignable(item, at)
        value = self.expressions.read(item.target)
        assert isinstance(value.expr, Var | Subscript)
        return value.expr, value.type

    def assignable(self, item: Assignment, at: Context) -> None:
        """The left side must be a variable that may change. Refuses with FCL110, FCL120, FCL129."""
        parsed = item.target
        call = reference(parsed.node)
        name = call[0] if call is not None else unshadowed(str(parsed.node))
        span = parsed.fragment.find(name)
        if call is None and type(parsed.node).__name__ != "Name":
            raise Refused("FCL110", f"assignment to '{parsed.fragment.text}' is not supported", parsed.span())
        entity = self.expressions.scope.find(name)
        if call is not None and entity is None:
            hint = "declare its shape; statement functions are not supported"
            raise Refused("FCL120", f"'{name}' is not a declared array", span, hints=(hint,))
        if entity is None or isinstance(entity, Unusable):
            entity = self.expressions.resolve(name, span)
        if name.lower() in at.values:
            raise Refused("FCL129", f"'{name}' is the variable of an active loop and cannot be assigned", span)
        if isinstance(entity, Constant | ConstantArray):
            raise Refused("FCL129", f"'{name}' is a PARAMETER and cannot be assigned", span)
        if isinstance(entity, ExternalProcedure):
            raise Refused("FCL129", f"'{name}' is a procedure and cannot be assigned", span)
        if entity.intent == "in":
            raise Refused("FCL129", f"'{name}' is intent(in) and cannot be assigned", span)

    # -- CYCLE --------------------------------------------------------------------------------------------------
    def cycle(self, item: Cycle, at: Context) -> None:
        """Reached only where a flag says it (`conditions.without_cycle`)."""
        if at.cycle_flag is not None:
            self.builder.emit(at, Var(at.cycle_flag), logical(False), item.statement.span())

    # -- DO -----------------------------------------------------------------------------------------------------
    def do(self, item: Do, at: Context) -> None:
        """A counted loop. Refuses with FCL126, FCL130, FCL131, FCL132."""
        variable, name = self.loop_variable(item, at)
        kind = max(variable.type.kind, 4)
        type = ScalarType("integer", kind)
        step = self.step(item)
        lower = normalise(self.expressions.integer(item.lower, "a loop bound").expr, type)
        upper = normalise(self.expressions.integer(item.upper, "a loop bound").expr, type)
        after = Value(lower, type), Value(upper, type)
        if any(isinstance(inner, Assignment) for inner in walk(item.body)):
            after = self.loop(item, at, variable, name, type, (lower, upper, step))
        if name in self.kept:
            self.last_value(item, at, variable, after, step)

    def loop_variable(self, item: Do, at: Context) -> tuple[Variable, str]:
        parsed = item.variable
        span = parsed.span()
        if type(parsed.node).__name__ != "Name":
            raise Refused("FCL130", "a loop variable must be an integer scalar", span)
        spelled = unshadowed(str(parsed.node))
        entity = self.expressions.resolve(spelled, span)
        if not isinstance(entity, Variable) or entity.dims is not None or entity.type.base != "integer":
            raise Refused("FCL130", f"the loop variable '{spelled}' must be an integer scalar", span)
        if spelled.lower() in at.values:
            raise Refused("FCL131", f"a loop over '{spelled}' stands inside another loop over it", span)
        if entity.intent == "in":
            raise Refused("FCL129", f"'{spelled}' is intent(in) and cannot be a loop variable", span)
        return entity, spelled.lower()

    def step(self, item: Do) -> int:
        if item.step is None:
            return 1
        value = self.expressions.integer(item.step, "a loop step")
        try:
            step = self.expressions.constant(item.step, "a loop step").value
        except Refused:
            step = None
        if not isinstance(step, int):
            raise Refused(
                "FCL132",
                f"the step '{item.step.fragment.text}' is not a constant",
                item.step.span(),
                notes=(f"it is {value.type} known only at run time",),
                hints=("make the step a PARAMETER, or write one loop for each step",),
            )
        if step == 0:
            raise Refused("FCL132", "the step of a loop cannot be 0", item.step.span())
        return step

    def loop(
        self, item: Do, at: Context, variable: Variable, name: str, type: ScalarType, control: tuple[Expr, Expr, int]
    ) -> tuple[Value, Value]:
        """Add the loop; gives its first value and the last value that its bound allows, as they stand after it."""
        lower, upper, step = control
        iname = self.iname(variable, name)
        known = self.known(at)
        first, last = to_aff(lower, known), to_aff(upper, known)
        trip: str | None = None
        bounds = Aff.name(iname) >= 0
        if first is not None and last is not None:
            reached = first + Aff.name(iname) * step
            bounds = bounds & ((reached <= last) if step > 0 else (reached >= last))
        else:
            lower, trip = self.data_bounds(item, at, iname, type, (lower, upper, step), first is not None)
        counter: Expr = Var(iname) if type == INTEGER4 else Convert(type, Var(iname))
        value = normalised_value(lower, step, counter, type)
        inside = at.inside(iname, bounds, name, Value(value, type))
        self.builder.inames.append(Iname(iname, None, trip, variable.name, lower, step, item.span))
        self.loop_body(item, inside)
        if inside.body:
            at.body.append(Loop(iname, Block(tuple(inside.body))))
        else:
            self.builder.inames.pop()
        if trip is None:
            return Value(lower, type), Value(upper, type)
        end = Binary("+", lower, Binary("*", integer(step, type), Binary("-", Var(trip), integer(1, type))))
        return Value(lower, type), Value(normalise(end, type), type)

    def loop_body(self, item: Do, inside: Context) -> None:
        """The statements of a loop, CYCLE by an ELSE where that says the same, else by a flag."""
        self.leaving_body(item.body, inside, item.span)

    def leaving_body(self, items: Sequence[Executable], at: Context, span: Span) -> None:
        """Statements of which some may leave the rest out: by an ELSE where that says the same, else by a flag."""
        plain = without_cycle(items)
        if plain is not None:
            self.body(plain, at)
            return
        flag = self.builder.guard(at, span)
        self.builder.emit(at, Var(flag), logical(True), span)
        self.body(items, replace(at, cycle_flag=flag))

    def data_bounds(
        self, item: Do, at: Context, iname: str, type: ScalarType, control: tuple[Expr, Expr, int], fixed_start: bool
    ) -> tuple[Expr, str]:
        """Temporaries for a trip count, and a first value, that are data: assigned before the loop."""
        lower, upper, step = control
        span = item.span
        if not fixed_start:
            start = self.builder.temporary(f"{iname}_start", type, "bound", span)
            self.builder.emit(at, Var(start), lower, span)
            lower = Var(start)
        trip = self.builder.temporary(f"{iname}_trip", type, "bound", span)
        if at.is_conditional:
            # The loop stands in the tree whatever the condition: where it is false, the loop must run no times.
            self.builder.emit(at.unconditional(), Var(trip), integer(0, type), span)
        self.builder.emit(at, Var(trip), trip_count(lower, upper, step, type), span)
        return lower, trip

    def iname(self, variable: Variable, name: str) -> str:
        """``i``, then ``i_1``, ``i_2`` … for further loops over ``i``; another name where ``i`` is a dummy."""
        count = self.loops_over.get(name, 0)
        self.loops_over[name] = count + 1
        if count == 0 and not variable.is_dummy:
            self.builder.taken.add(name)
            return variable.name
        if count == 0:
            return self.builder.fresh(variable.name)
        return self.builder.fresh(f"{variable.name}_{count}")

    def last_value(self, item: Do, at: Context, variable: Variable, bounds: tuple[Value, Value], step: int) -> None:
        """After its loop the variable holds the first value that was not run."""
        lower, upper = bounds
        count = Call("max", (trip_count(lower.expr, upper.expr, step, lower.type), integer(0, lower.type)))
        value = normalised_value(lower.expr, step, count, lower.type)
        target = Var(self.spelled.get(variable.name.lower(), variable.name))
        self.expressions.use(variable)
        self.builder.emit(at, target, value, item.span, self.tags(item.statement))


def trip_count(lower: Expr, upper: Expr, step: int, type: ScalarType) -> Expr:
    """(upper − lower + step)/step; not positive where the loop does not run."""
    span = Binary("-", upper, lower) if step > 0 else Binary("-", lower, upper)
    size = abs(step)
    total = normalise(Binary("+", span, integer(size, type)), type)
    return total if size == 1 else normalise(Binary("/", total, integer(size, type)), type)


def normalised_value(lower: Expr, step: int, count: Expr, type: ScalarType) -> Expr:
    """lower + step·count. A conversion round the count stays: it gives the value its kind."""
    if isinstance(count, Convert):
        scaled: Expr = count if step == 1 else Binary("*", integer(step, type), count)
        return scaled if lower == integer(0, type) else Binary("+", lower, scaled)
    return normalise(Binary("+", lower, Binary("*", integer(step, type), count)), type)
