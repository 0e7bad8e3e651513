"""Statements of a script, run one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from fortrancl.script import operations
from fortrancl.script.expressions import Expressions
from fortrancl.script.faults import Fault
from fortrancl.script.methods import attribute
from fortrancl.script.scope import Scope
from fortrancl.script.values import Value


class _Jump(Exception):
    """Control leaves a statement for another place than the next one."""

    def __init__(self, node: ast.stmt, value: Value = None) -> None:
        self.node, self.value = node, value


class _Return(_Jump):
    pass


class _Break(_Jump):
    pass


class _Continue(_Jump):
    pass


class Statements(Expressions):
    """Expressions, and the statements round them; the library is the business of a subclass."""

    def program(self, body: list[ast.stmt], scope: Scope) -> None:
        """Run a whole script. Errors: `Fault`, with its node."""
        try:
            self.block(body, scope)
        except _Jump as jump:
            raise _misplaced(jump) from None

    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        """Run statements in order. Errors: `Fault`, with its node."""
        for statement in body:
            try:
                self.limits.step()
                handler = _STATEMENTS.get(type(statement))
                if handler is None:
                    name = _NAMES.get(type(statement), type(statement).__name__.lower())
                    raise Fault("FCL212", f"scripts have no '{name}' statement")
                self.limits.enter()
                try:
                    handler(self, statement, scope)
                finally:
                    self.limits.leave()
            except Fault as fault:
                if not hasattr(fault.node, "lineno"):
                    fault.node = statement
                raise

    def run_body(self, body: list[ast.stmt], scope: Scope) -> Value:
        """The value that a function's statements return."""
        try:
            self.block(body, scope)
        except _Return as returned:
            return returned.value
        except _Jump as jump:
            raise _misplaced(jump) from None
        return None


def _misplaced(jump: _Jump) -> Fault:
    where = "'return' belongs inside a function" if isinstance(jump, _Return) else "this belongs inside a loop"
    return Fault("FCL212", where, node=jump.node)


# -- one function for each kind of statement ----------------------------------------------------------------------
def _expression(run: Statements, node: ast.Expr, scope: Scope) -> None:
    run.evaluate(node.value, scope)


def _assign(run: Statements, node: ast.Assign, scope: Scope) -> None:
    value = run.evaluate(node.value, scope)
    for target in node.targets:
        run.assign(target, value, scope)


def _annotated(run: Statements, node: ast.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        run.assign(node.target, run.evaluate(node.value, scope), scope)


def _augmented(run: Statements, node: ast.AugAssign, scope: Scope) -> None:
    # Target expressions carry a Store context, which evaluation does not look at.
    old = run.evaluate(node.target, scope)
    value = run.evaluate(node.value, scope)
    if isinstance(old, list) and isinstance(node.op, ast.Add):
        # In place, as in Python: another name for the list sees it too.
        attribute(old, "extend", run).call(value)
    else:
        run.assign(node.target, operations.binary(type(node.op), old, value, run.limits), scope)


def _for(run: Statements, node: ast.For, scope: Scope) -> None:
    for item in run._items(node.iter, scope):
        run.assign(node.target, item, scope)
        try:
            run.block(node.body, scope)
        except _Break:
            return
        except _Continue:
            continue
    run.block(node.orelse, scope)


def _while(run: Statements, node: ast.While, scope: Scope) -> None:
    while operations.truth(run.evaluate(node.test, scope)):
        run.limits.step()
        try:
            run.block(node.body, scope)
        except _Break:
            return
        except _Continue:
            continue
    run.block(node.orelse, scope)


def _if(run: Statements, node: ast.If, scope: Scope) -> None:
    run.block(node.body if operations.truth(run.evaluate(node.test, scope)) else node.orelse, scope)


def _function(run: Statements, node: ast.FunctionDef, scope: Scope) -> None:
    if node.decorator_list:
        raise Fault("FCL212", "scripts have no decorators", node=node.decorator_list[0])
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
        raise Fault("FCL212", "scripts have no generators")
    run.assign(ast.Name(node.name), run.function(node.name, node.args, node.body, scope), scope)


def _return(run: Statements, node: ast.Return, scope: Scope) -> None:
    raise _Return(node, None if node.value is None else run.evaluate(node.value, scope))


def _pass(run: Statements, node: ast.Pass, scope: Scope) -> None:
    pass


def _break(run: Statements, node: ast.Break, scope: Scope) -> None:
    raise _Break(node)


def _continue(run: Statements, node: ast.Continue, scope: Scope) -> None:
    raise _Continue(node)


def _assert(run: Statements, node: ast.Assert, scope: Scope) -> None:
    if not operations.truth(run.evaluate(node.test, scope)):
        message = run.evaluate(node.msg, scope) if node.msg is not None else None
        text = f": {message}" if isinstance(message, str) else ""
        raise Fault("FCL218", f"an assertion of the script failed{text}", node=node.test)


def _import(run: Statements, node: ast.Import, scope: Scope) -> None:
    for alias in node.names:
        if (alias.name, alias.asname) not in (("loopy", "lp"), ("fortrancl", "lp")):
            raise Fault(
                "FCL210",
                f"scripts cannot import '{alias.name}'",
                hints=("'lp' is there without an import",) if alias.name == "loopy" else (),
            )


def _import_from(run: Statements, node: ast.ImportFrom, scope: Scope) -> None:
    raise Fault("FCL210", f"scripts cannot import from '{node.module or '.'}'")


_STATEMENTS: dict[type[ast.stmt], Callable[[Statements, Any, Scope], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.While: _while,
    ast.If: _if,
    ast.FunctionDef: _function,
    ast.Return: _return,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Assert: _assert,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}

_NAMES = {
    ast.AsyncFor: "async for",
    ast.AsyncFunctionDef: "async def",
    ast.AsyncWith: "async with",
    ast.ClassDef: "class",
    ast.Delete: "del",
}
