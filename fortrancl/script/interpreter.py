"""Runs a script: statements, calls of the library, and what it leaves in RESULT. Nothing is ever executed by Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from fortrancl.diagnostics import CompileError, Diagnostic, StepError
from fortrancl.ir.kernel import Kernel
from fortrancl.script import operations
from fortrancl.script.arguments import Arguments, Given, bind
from fortrancl.script.builtins import BUILTINS
from fortrancl.script.expressions import Expressions
from fortrancl.script.faults import Fault
from fortrancl.script.library import LibraryFunction, namespace, relax_order
from fortrancl.script.limits import MAX_SCRIPT, Limits
from fortrancl.script.places import Places, ScriptSource
from fortrancl.script.scope import Scope
from fortrancl.script.signature import Mismatch, expected, fit, signature_of
from fortrancl.script.unit import SourceProcedure, TranslationUnit
from fortrancl.script.values import FrozenScriptSet, ScriptSet, Value, kind_of, short_text
from fortrancl.source import Span


class Session(Protocol):
    """What a script may know of the file it stands in."""

    @property
    def text(self) -> str:
        """The Fortran, script lines blanked: SOURCE."""

    @property
    def path(self) -> str:
        """The file as the user spelled it: FILENAME."""

    def procedures(self, text: str) -> tuple[SourceProcedure, ...]:
        """Procedures of a text (SOURCE, or what `preprocess` made of it)."""

    def preprocess(self, text: str, defines: Mapping[str, str], include_dirs: tuple[str, ...]) -> str:
        """The text after a C preprocessor."""


@dataclass(frozen=True)
class Step:
    """One transformation of a script: the call as written, its place, the kernel before and after."""

    call: str
    span: Span
    before: Kernel
    after: Kernel


@dataclass(frozen=True)
class ScriptResult:
    """What a script made: the kernels of RESULT in order, and its steps."""

    kernels: tuple[Kernel, ...]
    steps: tuple[Step, ...]


class _Return(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


def run_script(script: ScriptSource, session: Session, variables: Mapping[str, Value] | None = None) -> ScriptResult:
    """Interpret a script. Raises `CompileError`: FCL2xx with the place in the script; what steps refuse, likewise."""
    places = Places(script)
    if len(script.text) > MAX_SCRIPT:
        raise CompileError([Diagnostic("FCL215", f"the script is longer than {MAX_SCRIPT:,} characters")])
    try:
        tree = ast.parse(script.text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise CompileError([_syntax_error(error, places)]) from None
    interpreter = _Interpreter(places, session)
    scope = Scope(Scope(None, {**BUILTINS, "lp": namespace(), "SOURCE": session.text, "FILENAME": session.path}))
    for name, value in (variables or {}).items():
        scope.set(name, value)
    try:
        interpreter.block(tree.body, scope)
        kernels = _result(interpreter, scope, tree)
    except Fault as fault:
        where = fault.node if hasattr(fault.node, "lineno") else tree
        assert where is not None
        raise CompileError(
            [Diagnostic(fault.code, fault.message, places.span(where), notes=fault.notes, hints=fault.hints)]
        ) from None
    except (_Return, _Break, _Continue):
        message = "'return' belongs inside a function, 'break' and 'continue' inside a loop"
        raise CompileError([Diagnostic("FCL212", message, places.span(tree.body[-1]))]) from None
    except RecursionError:
        raise CompileError([Diagnostic("FCL216", "the script is nested too deeply", places.span(tree))]) from None
    return ScriptResult(kernels, tuple(interpreter.steps))


def _syntax_error(error: Exception, places: Places) -> Diagnostic:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        start = places.offset(error.lineno, 0) + max((error.offset or 1) - 1, 0)
        end = max(start + 1, min(start + 1, len(places.source.text)))
        return Diagnostic("FCL200", f"the script is not Python: {error.msg}", places.source.span(start, end))
    reason = "it is nested too deeply" if isinstance(error, RecursionError | MemoryError) else str(error)
    return Diagnostic("FCL200", f"the script is not Python: {reason}", places.source.span(0, 1))


class _Interpreter(Expressions):
    def __init__(self, places: Places, session: Session) -> None:
        super().__init__(Limits())
        self.places, self.session = places, session
        self.steps: list[Step] = []
        self._lowered: dict[int, Kernel] = {}
        self._relaxed = False

    # -- statements ---------------------------------------------------------------------------------------------
    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        """Run statements in order. Errors: `Fault`, with its node."""
        for statement in body:
            try:
                self.limits.step()
                handler = _STATEMENTS.get(type(statement))
                if handler is None:
                    raise Fault("FCL212", f"scripts have no '{type(statement).__name__.lower()}' statement")
                with self.limits.nested():
                    handler(self, statement, scope)
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
        except (_Break, _Continue):
            raise Fault("FCL212", "'break' and 'continue' belong inside a loop") from None
        return None

    # -- the library --------------------------------------------------------------------------------------------
    def kernel_of(self, unit: TranslationUnit, name: Value) -> Value:
        """``unit[name]``."""
        if not isinstance(name, str):
            raise Fault("FCL205", f"a translation unit is indexed by a procedure's name, not {kind_of(name)}")
        return unit.get(name)

    def call_library(self, function: LibraryFunction, arguments: Arguments, node: ast.AST) -> Value:
        """The value of a call of what ``lp`` offers; refusals of steps get their place here."""
        self.limits.transformation()
        spec = signature_of(function.function)
        bound, extra, others = bind(
            function.name, arguments, spec.parameters, rest=spec.rest, named_rest=spec.named_rest
        )
        unit: TranslationUnit | None = None
        values: dict[str, Any] = {}
        for name, given in bound.items():
            value = given.value
            if spec.takes_kernel and name == spec.parameters[0].name and isinstance(value, TranslationUnit):
                unit = value
                value = self._at(given, value.only)
            values[name] = self._fitted(function.name, name, value, given, spec.annotations.get(name, Any))
        rest = [self._fitted(function.name, "", g.value, g, spec.annotations.get(spec.rest or "", Any)) for g in extra]
        named = {
            name: self._fitted(function.name, name, g.value, g, spec.annotations.get(spec.named_rest or "", Any))
            for name, g in others.items()
        }
        if function.of_session:
            return self._about_file(function.name, values)
        before = values.get(spec.parameters[0].name)
        # By position where a rest follows, by name otherwise.
        first = [values.pop(parameter.name) for parameter in spec.parameters] if rest else []
        try:
            result = function.function(*first, *rest, **values, **named)
        except StepError as refused:
            raise CompileError([refused.at(self._place(refused, {**bound, **others}, extra, node))]) from None
        if isinstance(result, Kernel) and isinstance(before, Kernel):
            self.steps.append(Step(self.places.text(node), self.places.span(node), before, result))
            return unit.with_kernel(result) if unit is not None else result
        return result

    def _at(self, given: Given, action: Callable[[], Kernel]) -> Kernel:
        try:
            return action()
        except Fault as fault:
            fault.node = fault.node or given.node
            raise

    def _fitted(self, function: str, name: str, value: Value, given: Given, annotation: Any) -> Any:
        try:
            return fit(value, annotation)
        except Mismatch:
            raise Fault(
                "FCL205",
                f"'{name}' of '{function}' is {expected(annotation)}, not {kind_of(value)}",
                node=given.node,
                notes=(f"it is {short_text(value)}",) if short_text(value) != kind_of(value) else (),
            ) from None

    def _place(self, refused: StepError, bound: Mapping[str, Given], extra: list[Given], node: ast.AST) -> Span:
        given = bound.get(refused.argument or "")
        if given is None and extra:
            given = extra[0]
        if given is None or not hasattr(given.node, "lineno"):
            return self.places.span(node)
        return self.places.span_of_value(given.node, refused)

    def _about_file(self, name: str, values: dict[str, Any]) -> Value:
        if name == "c_preprocess":
            defines = {key: str(value) for key, value in (values.get("defines") or {}).items()}
            return self.session.preprocess(values["source"], defines, tuple(values.get("include_paths") or ()))
        relaxed = values.get("seq_dependencies") is False

        def lower(procedure: SourceProcedure) -> Kernel:
            # The same kernel each time, so that unit["a"] twice is one thing.
            key = id(procedure) * 2 + relaxed
            if key not in self._lowered:
                kernel = procedure.kernel()
                self._lowered[key] = relax_order(kernel) if relaxed else kernel
            return self._lowered[key]

        return TranslationUnit(self.session.procedures(values["source"]), lower=lower)


def _result(interpreter: _Interpreter, scope: Scope, tree: ast.Module) -> tuple[Kernel, ...]:
    """The kernels in RESULT. Errors: FCL217, FCL219."""
    if "RESULT" not in scope.names:
        made = [n for n, value in scope.names.items() if isinstance(value, Kernel | TranslationUnit)]
        hints = (f"end the script with 'RESULT = {made[-1]}'",) if made else ("end the script with 'RESULT = ...'",)
        last = tree.body[-1] if tree.body else None
        raise Fault("FCL217", "the script does not set RESULT", node=last, hints=hints)
    node = next((s for s in reversed(tree.body) if _sets_result(s)), None)
    kernels: list[Kernel] = []
    for value in _flat(scope.names["RESULT"]):
        if isinstance(value, TranslationUnit):
            kernels.extend(value.kernels or tuple(value.lower(procedure) for procedure in value.procedures))
        elif isinstance(value, Kernel):
            kernels.append(value)
        else:
            raise Fault("FCL217", f"RESULT is a kernel or several, not {kind_of(value)}", node=node)
    if not kernels:
        raise Fault("FCL217", "RESULT holds no kernel", node=node)
    seen: set[str] = set()
    for kernel in kernels:
        twice = seen & set(kernel.origin)
        if twice:
            raise Fault("FCL219", f"RESULT holds procedure '{min(twice)}' twice", node=node)
        seen |= set(kernel.origin)
    return tuple(kernels)


def _sets_result(statement: ast.stmt) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "RESULT" for part in ast.walk(statement))


def _flat(value: Value) -> list[Value]:
    if isinstance(value, list | tuple | ScriptSet | FrozenScriptSet):
        return [part for item in value for part in _flat(item)]
    return [value]


# -- one function for each kind of statement ----------------------------------------------------------------------
def _expression(run: _Interpreter, node: ast.Expr, scope: Scope) -> None:
    run.evaluate(node.value, scope)


def _assign(run: _Interpreter, node: ast.Assign, scope: Scope) -> None:
    value = run.evaluate(node.value, scope)
    for target in node.targets:
        run.assign(target, value, scope)


def _annotated(run: _Interpreter, node: ast.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        run.assign(node.target, run.evaluate(node.value, scope), scope)


def _augmented(run: _Interpreter, node: ast.AugAssign, scope: Scope) -> None:
    old = scope.get(node.target.id) if isinstance(node.target, ast.Name) else run.evaluate(node.target, scope)
    value = operations.binary(type(node.op), old, run.evaluate(node.value, scope), run.limits)
    run.assign(node.target, value, scope)


def _for(run: _Interpreter, node: ast.For, scope: Scope) -> None:
    for item in run._items(node.iter, scope):
        run.assign(node.target, item, scope)
        try:
            run.block(node.body, scope)
        except _Break:
            return
        except _Continue:
            continue
    run.block(node.orelse, scope)


def _while(run: _Interpreter, node: ast.While, scope: Scope) -> None:
    while operations.truth(run.evaluate(node.test, scope)):
        run.limits.step()
        try:
            run.block(node.body, scope)
        except _Break:
            return
        except _Continue:
            continue
    run.block(node.orelse, scope)


def _if(run: _Interpreter, node: ast.If, scope: Scope) -> None:
    run.block(node.body if operations.truth(run.evaluate(node.test, scope)) else node.orelse, scope)


def _function(run: _Interpreter, node: ast.FunctionDef, scope: Scope) -> None:
    if node.decorator_list:
        raise Fault("FCL212", "scripts have no decorators", node=node.decorator_list[0])
    if any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node)):
        raise Fault("FCL212", "scripts have no generators")
    run.assign(ast.Name(node.name), run.function(node.name, node.args, node.body, scope), scope)


def _return(run: _Interpreter, node: ast.Return, scope: Scope) -> None:
    raise _Return(None if node.value is None else run.evaluate(node.value, scope))


def _pass(run: _Interpreter, node: ast.Pass, scope: Scope) -> None:
    pass


def _break(run: _Interpreter, node: ast.Break, scope: Scope) -> None:
    raise _Break


def _continue(run: _Interpreter, node: ast.Continue, scope: Scope) -> None:
    raise _Continue


def _assert(run: _Interpreter, node: ast.Assert, scope: Scope) -> None:
    if not operations.truth(run.evaluate(node.test, scope)):
        message = run.evaluate(node.msg, scope) if node.msg is not None else None
        text = f": {message}" if isinstance(message, str) else ""
        raise Fault("FCL218", f"an assertion of the script failed{text}", node=node.test)


def _import(run: _Interpreter, node: ast.Import, scope: Scope) -> None:
    for alias in node.names:
        if (alias.name, alias.asname) not in (("loopy", "lp"), ("fortrancl", "lp")):
            raise Fault(
                "FCL210",
                f"scripts cannot import '{alias.name}'",
                hints=("'lp' is there without an import",) if alias.name == "loopy" else (),
            )


def _import_from(run: _Interpreter, node: ast.ImportFrom, scope: Scope) -> None:
    raise Fault("FCL210", f"scripts cannot import from '{node.module or '.'}'")


_STATEMENTS: dict[type[ast.stmt], Callable[[_Interpreter, Any, Scope], None]] = {
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
