"""IF, SELECT CASE and CYCLE: affine conditions narrow domains, others become guards that are evaluated once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fortrancl.frontend.builder import Context, KernelBuilder
from fortrancl.frontend.expressions import ExpressionReader
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.syntax import Branch, Case, Cycle, Do, Executable, If, Select, bodies
from fortrancl.frontend.values import Value
from fortrancl.ir.affine import Known, to_set
from fortrancl.ir.expr import Binary, Expr, Var, logical
from fortrancl.ir.types import LOGICAL4
from fortrancl.poly import Set
from fortrancl.source import Span

LowerBody = Callable[[Sequence[Executable], Context], None]


@dataclass(frozen=True)
class Arm:
    """A condition (None: whatever is left) and what runs under it."""

    condition: Value | None
    body: Sequence[Executable]
    span: Span


class ConditionLowerer:
    """Lowers arms; the statements inside go to ``body``."""

    def __init__(self, builder: KernelBuilder, expressions: ExpressionReader, body: LowerBody) -> None:
        self.builder, self.expressions, self.body = builder, expressions, body

    def if_construct(self, item: If, at: Context, known: Known) -> None:
        """IF … ELSE IF … ELSE. A later condition is evaluated only where the earlier ones were false."""
        arms = ((branch.condition, branch.body, branch.statement.span()) for branch in item.branches)
        rest = at
        pending = list(arms)
        for position, (parsed, body, span) in enumerate(pending):
            value = self.expressions.logical(parsed, "a condition") if parsed is not None else None
            later = position + 1 < len(pending)
            rest = self.arm(Arm(value, body, span if parsed is None else parsed.span()), rest, known, later)

    def arm(self, arm: Arm, at: Context, known: Known, later: bool) -> Context:
        """One arm; the context in which the next arm is tried. ``later``: whether there is one."""
        if arm.condition is None:
            self.body(arm.body, at)
            return at
        test = arm.condition.expr
        where = to_set(test, known)
        if where is not None:
            self.body(arm.body, at.narrowed(where))
            return at.narrowed(~where) if later else at
        # x(i) > 0 .and. i < n: the affine part narrows, so that the rest is read only where it holds.
        affine, others = _conjuncts(test, known)
        guard = self.builder.guard(at, arm.span)
        inside = at
        if affine is not None and others is not None:
            inside = at.narrowed(affine)
            if later:
                self.builder.emit(at, Var(guard), logical(False), arm.span)
            test = others
        self.builder.emit(inside, Var(guard), test, arm.span)
        self.body(arm.body, inside.guarded(guard, True))
        return at.guarded(guard, False)

    # -- SELECT CASE --------------------------------------------------------------------------------------------
    def select(self, item: Select, at: Context, known: Known) -> None:
        """SELECT CASE as a chain of conditions, DEFAULT last. Refuses with FCL126."""
        selector = self.expressions.read(item.selector)
        if selector.type.base not in ("integer", "logical"):
            raise Refused("FCL126", f"CASE of {selector.type} is not supported", item.selector.span())
        if selector.type.base == "integer" and to_set(Binary("==", selector.expr, selector.expr), known) is None:
            name = self.builder.temporary("selected", selector.type, "fortran", item.selector.span())
            self.builder.emit(at, Var(name), selector.expr, item.selector.span())
            selector = Value(Var(name), selector.type)
        ordered = [*(c for c in item.cases if c.ranges is not None), *(c for c in item.cases if c.ranges is None)]
        rest = at
        for position, case in enumerate(ordered):
            condition = self.case(case, selector)
            rest = self.arm(Arm(condition, case.body, case.statement.span()), rest, known, position + 1 < len(ordered))

    def case(self, case: Case, selector: Value) -> Value | None:
        if case.ranges is None:
            return None
        tests = [self.case_range(low, high, selector) for low, high in case.ranges]
        result = tests[0]
        for test in tests[1:]:
            result = Binary("or", result, test)
        return Value(result, LOGICAL4)

    def case_range(self, low: object, high: object, selector: Value) -> Expr:
        from fortrancl.frontend.parse import Parsed

        ends: list[Expr | None] = []
        for end in (low, high):
            if not isinstance(end, Parsed):
                ends.append(None)
                continue
            literal = self.expressions.constant(end, "a CASE value")
            if literal.type.base != selector.type.base:
                raise Refused("FCL126", f"a CASE value is {literal.type}, the selector {selector.type}", end.span())
            ends.append(literal)
        first, last = ends
        if low is high and first is not None:
            return Binary("eqv" if selector.type.base == "logical" else "==", selector.expr, first)
        if first is not None and last is not None:
            return Binary("and", Binary(">=", selector.expr, first), Binary("<=", selector.expr, last))
        if first is not None:
            return Binary(">=", selector.expr, first)
        return Binary("<=", selector.expr, last) if last is not None else logical(True)


def _conjuncts(test: Expr, known: Known) -> tuple[Set | None, Expr | None]:
    """(where the affine operands of .and. hold, the other operands joined again)."""
    if not (isinstance(test, Binary) and test.op == "and"):
        where = to_set(test, known)
        return (where, None) if where is not None else (None, test)
    left, right = _conjuncts(test.left, known), _conjuncts(test.right, known)
    where = left[0] if right[0] is None else right[0] if left[0] is None else left[0] & right[0]
    others = left[1] if right[1] is None else right[1] if left[1] is None else Binary("and", left[1], right[1])
    return where, others


# -- CYCLE ----------------------------------------------------------------------------------------------------------
def has_cycle(item: Executable) -> bool:
    """Whether an item may leave the iteration of the loop it stands in."""
    if isinstance(item, Cycle):
        return True
    return not isinstance(item, Do) and any(has_cycle(inner) for body in bodies(item) for inner in body)


def without_cycle(items: Sequence[Executable]) -> list[Executable] | None:
    """The same body with ``if (c) cycle; rest`` written as ``if (c) … else rest``; None where a flag is needed.

    Each arm of an IF must end in CYCLE or hold none, and only one arm may go on.
    """
    for position, item in enumerate(items):
        if not has_cycle(item):
            continue
        if isinstance(item, Cycle):
            return list(items[:position])
        if not isinstance(item, If):
            return None
        branches = [replace(branch, body=list(branch.body)) for branch in item.branches]
        if branches[-1].condition is not None:
            branches.append(Branch(item.statement, None))
        going_on = [b for b in branches if not (b.body and isinstance(b.body[-1], Cycle))]
        for branch in branches:
            if branch.body and isinstance(branch.body[-1], Cycle):
                branch.body.pop()
            if any(has_cycle(inner) for inner in branch.body):
                return None
        rest = without_cycle(items[position + 1 :])
        if (len(going_on) > 1 and rest) or rest is None:
            return None
        if going_on:
            going_on[0].body.extend(rest)
        return [*items[:position], replace(item, branches=branches)]
    return list(items)
