"""Runs a script: statements, calls of the library, and what it leaves in RESULT. Nothing is ever executed by Python."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from fortrancl.diagnostics import CompileError, Diagnostic, Related, StepError
from fortrancl.ir.kernel import Kernel
from fortrancl.script.arguments import Arguments, Given, bind
from fortrancl.script.builtins import BUILTINS
from fortrancl.script.faults import Fault
from fortrancl.script.growth import require_moderate
from fortrancl.script.library import LibraryFunction, definitions, namespace, relax_order
from fortrancl.script.limits import MAX_SCRIPT, Limits
from fortrancl.script.places import Places, ScriptSource
from fortrancl.script.scope import Scope
from fortrancl.script.signature import Mismatch, expected, fit, signature_of
from fortrancl.script.statements import Statements
from fortrancl.script.unit import SourceProcedure, TranslationUnit
from fortrancl.script.values import FrozenScriptSet, ScriptSet, Value, is_plain, kind_of, measure, short_text
from fortrancl.source import Span
from fortrancl.transform.fuse import sequence

T = TypeVar("T")


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
    """What a script made: the kernels of RESULT in order, its steps, and the place that set RESULT (if any did)."""

    kernels: tuple[Kernel, ...]
    steps: tuple[Step, ...]
    span: Span | None = None


class StepFailed(Exception):
    """A fault of fortrancl inside a step of a script; the cause is what Python said."""


def run_script(script: ScriptSource, session: Session, variables: Mapping[str, Value] | None = None) -> ScriptResult:
    """Interpret a script. Raises `CompileError`: FCL2xx with the place in the script; what steps refuse, likewise."""
    places = Places(script)
    if len(script.text) > MAX_SCRIPT:
        message = f"the script is longer than {MAX_SCRIPT:,} characters"
        raise CompileError([Diagnostic("FCL215", message, script.span(0, len(script.text.partition("\n")[0])))])
    try:
        with warnings.catch_warnings():
            # Python warns of odd escapes in strings on stderr, where only our diagnostics belong.
            warnings.simplefilter("ignore")
            tree = ast.parse(script.text)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise CompileError([_syntax_error(error, places)]) from None
    interpreter = _Interpreter(places, session, variables or {})
    scope = Scope(Scope(None, {**BUILTINS, "lp": namespace(), "SOURCE": session.text, "FILENAME": session.path}))
    for name, value in (variables or {}).items():
        scope.set(name, value)
    try:
        interpreter.program(tree.body, scope)
        kernels = _result(scope, tree, interpreter.limits)
    except Fault as fault:
        where = fault.node if hasattr(fault.node, "lineno") else _result_node(tree) or tree
        assert where is not None
        raise CompileError(
            [Diagnostic(fault.code, fault.message, places.span(where), notes=fault.notes, hints=fault.hints)]
        ) from None
    except RecursionError:
        raise CompileError([Diagnostic("FCL216", "the script is nested too deeply", places.span(tree))]) from None
    node = _result_node(tree)
    return ScriptResult(kernels, tuple(interpreter.steps), places.span(node) if node is not None else None)


def _syntax_error(error: Exception, places: Places) -> Diagnostic:
    if isinstance(error, SyntaxError) and error.lineno is not None:
        start = places.offset(error.lineno, 0) + max((error.offset or 1) - 1, 0)
        end = max(start + 1, min(start + 1, len(places.source.text)))
        # Python counts lines from the script's first one.
        reason = re.sub(r" on line \d+", "", error.msg)
        if reason.startswith("Exceeds the limit"):
            reason = "a number has too many digits"
        return Diagnostic("FCL200", f"the script is not Python: {reason}", places.source.span(start, end))
    reason = "it is nested too deeply" if isinstance(error, RecursionError | MemoryError) else str(error)
    return Diagnostic("FCL200", f"the script is not Python: {reason}", places.source.span(0, 1))


class _Interpreter(Statements):
    def __init__(self, places: Places, session: Session, variables: Mapping[str, Value]) -> None:
        super().__init__(Limits())
        self.places, self.session, self.variables = places, session, variables
        self.steps: list[Step] = []
        self._own_texts = {session.text}
        self._units: dict[tuple[str, bool], TranslationUnit] = {}

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
        for given in (*arguments.positional, *arguments.named.values()):
            # Lists may share parts: what a step would walk is counted first.
            try:
                measure(given.value, self.limits)
            except Fault as fault:
                fault.node = given.node
                raise
        unit: TranslationUnit | None = None
        values: dict[str, Any] = {}
        for name, given in bound.items():
            value = given.value
            if spec.takes_kernel and name == spec.parameters[0].name and isinstance(value, TranslationUnit):
                unit = value
                value = self._at(given, value.only)
            elif spec.takes_kernels and name == spec.parameters[0].name:
                value = self._kernels(given)
            values[name] = self._fitted(function.name, name, value, given, spec.annotations.get(name, Any))
        rest = [self._fitted(function.name, "", g.value, g, spec.annotations.get(spec.rest or "", Any)) for g in extra]
        named = {
            name: self._fitted(function.name, name, g.value, g, spec.annotations.get(spec.named_rest or "", Any))
            for name, g in others.items()
        }
        if function.of_session:
            return self._about_file(function.name, values, node)
        subject = values.get(spec.parameters[0].name)
        # By position where a rest follows, by name otherwise.
        first = [values.pop(parameter.name) for parameter in spec.parameters] if rest else []
        try:
            result = function.function(*first, *rest, **values, **named)
        except StepError as refused:
            raise CompileError([self._refusal(refused, {**bound, **others}, extra, node)]) from None
        except CompileError as error:
            raise CompileError(self._asked_here(diagnostic, node) for diagnostic in error.diagnostics) from None
        except (Fault, RecursionError, MemoryError):
            raise
        except Exception as cause:
            where = self.places.span(node)
            told = f"'{function.name}' at {where.source.path}:{where.line}: {type(cause).__name__}: {cause}"
            raise StepFailed(told) from cause
        before = _before(subject, result)
        if before is not None:
            require_moderate(result)
            self.steps.append(Step(self.places.text(node), self.places.span(node), before, result))
            return unit.with_kernel(result) if unit is not None else result
        return result

    def _kernels(self, given: Given) -> Value:
        """Several kernels, each perhaps as the unit that has it alone."""
        if isinstance(given.value, TranslationUnit):
            return list(self._at(given, given.value.script_elements))
        if not isinstance(given.value, list | tuple):
            return given.value
        return [self._at(given, item.only) if isinstance(item, TranslationUnit) else item for item in given.value]

    def _at(self, given: Given, action: Callable[[], T]) -> T:
        try:
            return action()
        except Fault as fault:
            fault.node = fault.node or given.node
            raise

    def _fitted(self, function: str, name: str, value: Value, given: Given, annotation: Any) -> Any:
        try:
            fitted = fit(value, annotation)
            if not isinstance(fitted, int) or abs(fitted) < 2**63:
                return fitted
            raise Fault("FCL252", f"'{name}' of '{function}' does not fit into 64 bits", node=given.node)
        except Mismatch:
            raise Fault(
                "FCL205",
                f"'{name}' of '{function}' is {expected(annotation)}, not {kind_of(value)}",
                node=given.node,
                notes=(f"it is {short_text(value)}",) if short_text(value) != kind_of(value) else (),
            ) from None

    def _refusal(self, refused: StepError, bound: Mapping[str, Given], extra: list[Given], node: ast.AST) -> Diagnostic:
        """What a step says, at the argument it speaks of."""
        given = bound.get(refused.argument or "")
        if given is None and extra:
            given = extra[0]
        if given is None or not hasattr(given.node, "lineno"):
            return refused.at(self.places.span(node))
        diagnostic = refused.at(self.places.span_of_value(given.node, refused))
        shown = is_plain(given.value) and short_text(given.value) != kind_of(given.value)
        if shown and any(isinstance(part, ast.Name) for part in ast.walk(given.node)):
            # The script has a name there; the message speaks of its value.
            note = f"{self.places.text(given.node)} is {short_text(given.value)} here"
            return replace(diagnostic, notes=(*diagnostic.notes, note))
        return diagnostic

    def _asked_here(self, diagnostic: Diagnostic, node: ast.AST) -> Diagnostic:
        place = self.places.span(node)
        if diagnostic.span is None:
            return replace(diagnostic, span=place)
        return replace(diagnostic, related=(*diagnostic.related, Related("in this step", place)))

    def _about_file(self, name: str, values: dict[str, Any], node: ast.AST) -> Value:
        if name == "setting":
            return self.variables.get(values["name"], values["default"])
        text = values["source"]
        try:
            if name == "c_preprocess":
                defines, folders = definitions(values.get("defines")), tuple(values.get("include_paths") or ())
                made = self.session.preprocess(text, defines, folders)
                self._own_texts |= {made} if text in self._own_texts else set()
                return made
            return self._unit(text, relaxed=values.get("seq_dependencies") is False)
        except CompileError as error:
            if text in self._own_texts:
                raise
            # Places in a text that the script made say nothing about the file.
            where, what = self.places.span(node), f"in the text given to '{name}': "
            raise CompileError(
                Diagnostic(d.code, what + d.message, where, (), d.notes, d.hints) for d in error.diagnostics
            ) from None

    def _unit(self, text: str, *, relaxed: bool) -> TranslationUnit:
        """The same unit for the same text, and the same kernel each time that it is asked for a procedure."""
        lowered: dict[str, Kernel] = {}

        def lower(procedure: SourceProcedure) -> Kernel:
            if procedure.qualified_name not in lowered:
                kernel = procedure.kernel()
                lowered[procedure.qualified_name] = relax_order(kernel) if relaxed else kernel
            return lowered[procedure.qualified_name]

        if (text, relaxed) not in self._units:
            self._units[text, relaxed] = TranslationUnit(self.session.procedures(text), lower=lower)
        return self._units[text, relaxed]


def _before(subject: Any, result: Any) -> Kernel | None:
    """What a step began with; None where the call was none."""
    if not isinstance(result, Kernel):
        return None
    if isinstance(subject, tuple) and all(isinstance(kernel, Kernel) for kernel in subject):
        return sequence(subject, result.name)
    return subject if isinstance(subject, Kernel) else None


def _result(scope: Scope, tree: ast.Module, limits: Limits) -> tuple[Kernel, ...]:
    """The kernels in RESULT. Errors: FCL217, FCL219."""
    if "RESULT" not in scope.names:
        made = [n for n, value in scope.names.items() if isinstance(value, Kernel | TranslationUnit)]
        hints = (f"end the script with 'RESULT = {made[-1]}'",) if made else ("end the script with 'RESULT = ...'",)
        last = tree.body[-1] if tree.body else None
        raise Fault("FCL217", "the script does not set RESULT", node=last, hints=hints)
    node = _result_node(tree)
    kernels: list[Kernel] = []
    try:
        measure(scope.names["RESULT"], limits)
    except Fault as fault:
        fault.node = node
        raise
    for value in _flat(scope.names["RESULT"]):
        if isinstance(value, TranslationUnit):
            kernels.extend(value.script_elements())
        elif isinstance(value, Kernel):
            kernels.append(value)
        else:
            raise Fault("FCL217", f"RESULT is a kernel or several, not {kind_of(value)}", node=node)
    if not kernels:
        raise Fault("FCL217", "RESULT holds no kernel", node=node)
    seen: set[str] = set()
    for kernel in kernels:
        stands_for = kernel.origin[0] if len(kernel.origin) == 1 else kernel.name.lower()
        if stands_for in seen:
            raise Fault("FCL219", f"RESULT holds procedure '{stands_for}' twice", node=node)
        seen.add(stands_for)
    return tuple(kernels)


def _result_node(tree: ast.Module) -> ast.stmt | None:
    """The last statement of the script that speaks of RESULT."""
    for statement in reversed(tree.body):
        if any(isinstance(part, ast.Name) and part.id == "RESULT" for part in ast.walk(statement)):
            return statement
    return None


def _flat(value: Value) -> list[Value]:
    if isinstance(value, list | tuple | ScriptSet | FrozenScriptSet):
        return [part for item in value for part in _flat(item)]
    return [value]
