"""Expressions of a kernel as Python functions of the work-item that evaluates them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fortrancl.ir.arithmetic import binary, convert, dtype_of, intrinsic
from fortrancl.ir.expr import Binary, Call, Convert, Expr, Literal_, Subscript, Unary, Var
from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.ir.memory import Event, ExecutionError, WorkItem
from fortrancl.ir.rules import expand_rules
from fortrancl.ir.typeof import type_of

Evaluate = Callable[[WorkItem], Any]


def atomic_operation(statement: Statement, kernel: Kernel) -> str | None:
    """What an atomic update does, so that only updates of one kind may meet; None for other statements."""
    if not statement.atomic:
        return None
    value = expand_rules(statement.value, kernel)
    if isinstance(value, Binary):
        return "+" if value.op == "-" else value.op
    return value.function if isinstance(value, Call) else "="


def constant(literal: Literal_) -> Any:
    """The value of a literal; a real's own digits are rounded once, to its kind.

    >>> from fortrancl.ir.types import REAL4
    >>> float(constant(Literal_(0.1, REAL4, "0.1")))
    0.10000000149011612
    """
    if literal.type.base == "real" and literal.text is not None:
        return dtype_of(literal.type).type(literal.text.lower().replace("d", "e").split("_")[0])
    return convert(literal.value, literal.type)


class Evaluator:
    """Compiles expressions of one kernel.

    ``constants`` are the scalars known at launch; everything else is in the work-item's memory. ``trace`` receives
    every access to memory, where one is wanted. ``hidden`` are inames that expressions have no right to see.
    """

    def __init__(
        self,
        kernel: Kernel,
        constants: Mapping[str, Any],
        trace: list[Event] | None = None,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self.kernel = kernel
        self.hidden = hidden
        self.constants = constants
        self.trace = trace
        self.statement: Statement | None = None

    def assignment(self, statement: Statement) -> Callable[[WorkItem], None]:
        """The statement without its guards: evaluate, convert to the target's type, store."""
        self.statement = statement
        value = self.converted(expand_rules(statement.value, self.kernel), statement.target)
        target = expand_rules(statement.target, self.kernel)
        assert isinstance(target, Var | Subscript)
        name, place = self._place(target)
        atomic, trace = atomic_operation(statement, self.kernel), self.trace

        def run(item: WorkItem) -> None:
            cells = item.memory[name]
            result = value(item)
            offset = cells.position(item, place(item))
            if trace is not None:
                trace.append(Event(item.statement, tuple(item.inames.items()), name, offset, True))
            cells.store(item, offset, result, atomic)

        self.statement = None
        return run

    def converted(self, expr: Expr, target: Var | Subscript) -> Evaluate:
        """The value as the target's type."""
        type = type_of(target, self.kernel)
        value = self.compile(expr)
        if type_of(expr, self.kernel) == type:
            return value
        return lambda item: convert(value(item), type)

    def compile(self, expr: Expr) -> Evaluate:
        """The expression (rules expanded) as a function."""
        if isinstance(expr, Literal_):
            return self._literal(expr)
        if isinstance(expr, Var):
            return self._scalar(expr)
        if isinstance(expr, Subscript):
            return self._load(expr)
        if isinstance(expr, Unary):
            return self._unary(expr)
        if isinstance(expr, Binary):
            return self._binary(expr)
        if isinstance(expr, Convert):
            operand, to = self.compile(expr.operand), expr.type
            return lambda item: convert(operand(item), to)
        if isinstance(expr, Call):
            return self._call(expr)
        raise TypeError(f"a rule call is left: {expr}")

    # -- leaves -------------------------------------------------------------------------------------------------
    def _literal(self, expr: Literal_) -> Evaluate:
        result = constant(expr)
        return lambda item: result

    def _scalar(self, expr: Var) -> Evaluate:
        name = expr.name
        if name in self.hidden:
            raise ExecutionError(f"'{name}' is used but was not passed")
        if name in self.kernel.iname_by_name or name.startswith("@"):  # @l0: a hardware number, in launch code
            return lambda item: item.inames[name]
        if name in self.constants:
            constant = self.constants[name]
            return lambda item: constant
        return self._load(expr)

    def _place(self, expr: Var | Subscript) -> tuple[str, Callable[[WorkItem], list[int]]]:
        if isinstance(expr, Var):
            return expr.name, lambda item: []
        indices = [self.compile(index) for index in expr.indices]
        return expr.array, lambda item: [index(item) for index in indices]

    def _load(self, expr: Var | Subscript) -> Evaluate:
        name, place = self._place(expr)
        statement, trace = self.statement, self.trace
        atomic = None
        if statement is not None and expr == expand_rules(statement.target, self.kernel):
            atomic = atomic_operation(statement, self.kernel)

        def load(item: WorkItem) -> Any:
            cells = item.memory[name]
            offset = cells.position(item, place(item))
            if trace is not None:
                trace.append(Event(item.statement, tuple(item.inames.items()), name, offset, False))
            return cells.load(item, offset, atomic)

        return load

    # -- operations ---------------------------------------------------------------------------------------------
    def _unary(self, expr: Unary) -> Evaluate:
        operand = self.compile(expr.operand)
        if expr.op == "not":
            return lambda item: not operand(item)
        if expr.op == "+":
            return operand
        type = type_of(expr.operand, self.kernel)
        return lambda item: convert(-operand(item), type)

    def _binary(self, expr: Binary) -> Evaluate:
        left, right = self.compile(expr.left), self.compile(expr.right)
        # Fortran leaves open whether both operands are evaluated; what we make from it stops early.
        if expr.op == "and":
            return lambda item: left(item) and right(item)
        if expr.op == "or":
            return lambda item: left(item) or right(item)
        operation = binary(expr.op, type_of(expr.left, self.kernel), type_of(expr.right, self.kernel))
        return lambda item: operation(left(item), right(item))

    def _call(self, expr: Call) -> Evaluate:
        arguments = [self.compile(argument) for argument in expr.arguments]
        if expr.function == "merge":
            first, second, mask = arguments
            type = type_of(expr, self.kernel)
            return lambda item: convert(first(item) if mask(item) else second(item), type)
        operation = intrinsic(expr.function, tuple(type_of(argument, self.kernel) for argument in expr.arguments))
        return lambda item: operation(*(argument(item) for argument in arguments))
