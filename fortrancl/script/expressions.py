"""Expressions of a script, evaluated."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from fortrancl.script import operations
from fortrancl.script.arguments import Arguments, Given, Parameter, bind
from fortrancl.script.builtins import FORBIDDEN, call_builtin
from fortrancl.script.faults import Fault, went_wrong
from fortrancl.script.library import LibraryFunction
from fortrancl.script.limits import Limits
from fortrancl.script.methods import attribute
from fortrancl.script.scope import Scope, ScriptFunction
from fortrancl.script.unit import TranslationUnit
from fortrancl.script.values import (
    BoundMethod,
    Builtin,
    ScriptSet,
    Value,
    elements,
    iterate,
    key,
    kind_of,
)


class Expressions(ABC):
    """Evaluates expressions; statements and the library are the business of subclasses."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    @property
    def limits(self) -> Limits:
        """The account of this run."""
        return self._limits

    @abstractmethod
    def run_body(self, body: list[ast.stmt], scope: Scope) -> Value:
        """The value that a function's statements return."""

    @abstractmethod
    def call_library(self, function: LibraryFunction, arguments: Arguments, node: ast.AST) -> Value:
        """The value of a call of what ``lp`` offers."""

    @abstractmethod
    def kernel_of(self, unit: TranslationUnit, name: Value) -> Value:
        """``unit[name]``."""

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """Value of an expression. Errors: `Fault`, always with its node."""
        try:
            self._limits.step()
            handler = _EXPRESSIONS.get(type(node))
            if handler is None:
                raise Fault("FCL212", f"scripts have no {_NAMES.get(type(node), type(node).__name__)}")
            self._limits.enter()
            try:
                return handler(self, node, scope)
            finally:
                self._limits.leave()
        except Fault as fault:
            if not hasattr(fault.node, "lineno"):
                fault.node = node
            raise

    # -- calls ------------------------------------------------------------------------------------------------------
    def call(self, function: Value, arguments: tuple[Value, ...]) -> Value:
        """``function(*arguments)`` for builtins that call back."""
        nowhere = ast.Constant(None)
        return self._apply(function, Arguments(tuple(Given(value, nowhere) for value in arguments), {}), None)

    def _apply(self, function: Value, arguments: Arguments, node: ast.Call | None) -> Value:
        if isinstance(function, LibraryFunction):
            self._limits.step(50)
            return self.call_library(function, arguments, node or ast.Constant(None))
        if isinstance(function, ScriptFunction):
            return self._call_script(function, arguments)
        if isinstance(function, Builtin):
            return call_builtin(function, self, arguments.values, arguments.named_values)
        if isinstance(function, BoundMethod):
            if function.takes_nothing and (arguments.positional or arguments.named):
                raise went_wrong(f"'{function.name}' takes no arguments")
            return function.call(*arguments.values, **arguments.named_values)
        raise went_wrong(f"{kind_of(function)} cannot be called")

    def _call_script(self, function: ScriptFunction, arguments: Arguments) -> Value:
        spec = function.parameters
        places = [*spec.posonlyargs, *spec.args]
        first_default = len(places) - len(function.defaults)
        parameters = [Parameter(argument.arg, number < first_default) for number, argument in enumerate(places)]
        for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True):
            parameters.append(Parameter(argument.arg, default is None, by_position=False))
        rest = spec.vararg.arg if spec.vararg else None
        named_rest = spec.kwarg.arg if spec.kwarg else None
        bound, extra, others = bind(function.name, arguments, parameters, rest=rest, named_rest=named_rest)
        scope = Scope(function.scope)
        for argument, value in zip(places[first_default:], function.defaults, strict=True):
            scope.set(argument.arg, value)
        for argument, value in zip(spec.kwonlyargs, function.keyword_defaults, strict=True):
            scope.set(argument.arg, value)
        for name, given in bound.items():
            scope.set(name, given.value)
        if rest is not None:
            scope.set(rest, tuple(given.value for given in extra))
        if named_rest is not None:
            scope.set(named_rest, {name: given.value for name, given in others.items()})
        with self._limits.called():
            if isinstance(function.body, ast.expr):
                return self.evaluate(function.body, scope)
            return self.run_body(function.body, scope)

    def function(self, name: str, spec: ast.arguments, body: list[ast.stmt] | ast.expr, scope: Scope) -> ScriptFunction:
        """A function of the script, its defaults evaluated now."""
        defaults = tuple(self.evaluate(default, scope) for default in spec.defaults)
        named = tuple(None if default is None else self.evaluate(default, scope) for default in spec.kw_defaults)
        return ScriptFunction(name, spec, defaults, named, body, scope)

    # -- comprehensions ---------------------------------------------------------------------------------------------
    def _rounds(self, generators: list[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        """A scope for each round of a comprehension's loops."""
        if not generators:
            yield scope
            return
        first, rest = generators[0], generators[1:]
        if first.is_async:
            raise Fault("FCL212", "scripts have nothing asynchronous")
        for item in self._items(first.iter, scope):
            inner = Scope(scope)
            self.assign(first.target, item, inner)
            if all(operations.truth(self.evaluate(test, inner)) for test in first.ifs):
                yield from self._rounds(rest, inner)

    def _items(self, node: ast.expr, scope: Scope) -> Iterator[Value]:
        """Elements of what an expression gives; a thing without any is the fault of that expression."""
        value = self.evaluate(node, scope)
        steps = iterate(value, self._limits)
        while True:
            try:
                item = next(steps)
            except StopIteration:
                return
            except Fault as fault:
                fault.node = fault.node or node
                raise
            yield item

    # -- assignment -------------------------------------------------------------------------------------------------
    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Store into a name, a subscript, or several of them. Errors: FCL209, FCL211, FCL212."""
        try:
            if isinstance(target, ast.Name):
                scope.set(_allowed(target.id), value)
            elif isinstance(target, (ast.Tuple, ast.List)):
                self._unpack(target.elts, value, scope)
            elif isinstance(target, ast.Subscript):
                container = self.evaluate(target.value, scope)
                operations.store(container, self.evaluate(target.slice, scope), value, self._limits)
            elif isinstance(target, ast.Attribute):
                raise Fault("FCL211", "scripts cannot set attributes")
            else:
                raise Fault("FCL212", "scripts cannot assign to this")
        except Fault as fault:
            fault.node = fault.node or target
            raise

    def _unpack(self, targets: list[ast.expr], value: Value, scope: Scope) -> None:
        values = elements(value, self._limits)
        starred = [place for place, target in enumerate(targets) if isinstance(target, ast.Starred)]
        if starred:
            place = starred[0]
            after = len(targets) - place - 1
            if len(values) < len(targets) - 1:
                raise went_wrong(f"{len(values)} values do not fill {len(targets) - 1} names")
            middle = values[place : len(values) - after]
            values = [*values[:place], middle, *values[len(values) - after :]]
        if len(values) != len(targets):
            raise went_wrong(f"{len(values)} value{'' if len(values) == 1 else 's'} for {len(targets)} names")
        for target, item in zip(targets, values, strict=True):
            self.assign(target.value if isinstance(target, ast.Starred) else target, item, scope)

    def _elements(self, nodes: list[ast.expr], scope: Scope) -> list[Value]:
        """Elements of a display, ``*`` spliced."""
        result: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                result.extend(self._items(node.value, scope))
            else:
                result.append(self.evaluate(node, scope))
        self._limits.items(len(result))
        return result


def _allowed(name: str) -> str:
    if name.startswith("__"):
        raise Fault("FCL211", f"scripts cannot use '{name}'", notes=("names with two underscores are Python's own",))
    return name


# -- one function for each kind of node ---------------------------------------------------------------------------
def _constant(run: Expressions, node: ast.Constant, scope: Scope) -> Value:
    value = node.value
    if isinstance(value, (bytes, complex)) or value is ...:
        raise Fault("FCL212", "scripts have no bytes, complex numbers or '...'")
    if isinstance(value, str):
        run.limits.step(len(value) // 512)
    elif isinstance(value, int):
        run.limits.bits(value.bit_length())
    return value


def _name(run: Expressions, node: ast.Name, scope: Scope) -> Value:
    name = _allowed(node.id)
    try:
        return scope.get(name)
    except Fault:
        if name in FORBIDDEN:
            hints = ("'fortrancl show --stage steps' prints the kernel after each step",) if name == "print" else ()
            raise Fault("FCL213", f"scripts cannot use '{name}'", hints=hints) from None
        raise


def _attribute(run: Expressions, node: ast.Attribute, scope: Scope) -> Value:
    return attribute(run.evaluate(node.value, scope), node.attr, run)


def _subscript(run: Expressions, node: ast.Subscript, scope: Scope) -> Value:
    value = run.evaluate(node.value, scope)
    index = run.evaluate(node.slice, scope)
    try:
        if isinstance(value, TranslationUnit):
            return run.kernel_of(value, index)
        return operations.subscript(value, index, run.limits)
    except Fault as fault:
        fault.node = fault.node or node.slice
        raise


def _slice(run: Expressions, node: ast.Slice, scope: Scope) -> slice:
    lower, upper, step = (part and run.evaluate(part, scope) for part in (node.lower, node.upper, node.step))
    return slice(lower, upper, step)


def _call(run: Expressions, node: ast.Call, scope: Scope) -> Value:
    function = run.evaluate(node.func, scope)
    positional: list[Given] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            positional.extend(Given(value, argument) for value in run._items(argument.value, scope))
        else:
            positional.append(Given(run.evaluate(argument, scope), argument))
    named: dict[str, Given] = {}
    for keyword in node.keywords:
        value = run.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            named[_allowed(keyword.arg)] = Given(value, keyword.value)
            continue
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise Fault("FCL209", "'**' wants a dictionary with strings as keys", node=keyword.value)
        for name, item in value.items():
            if name in named:
                raise Fault("FCL206", f"'{name}' is given twice", node=keyword.value)
            named[_allowed(name)] = Given(item, keyword.value)
    return run._apply(function, Arguments(tuple(positional), named), node)


def _binary(run: Expressions, node: ast.BinOp, scope: Scope) -> Value:
    left, right = run.evaluate(node.left, scope), run.evaluate(node.right, scope)
    return operations.binary(type(node.op), left, right, run.limits)


def _unary(run: Expressions, node: ast.UnaryOp, scope: Scope) -> Value:
    return operations.unary(type(node.op), run.evaluate(node.operand, scope))


def _logical(run: Expressions, node: ast.BoolOp, scope: Scope) -> Value:
    stop_at = isinstance(node.op, ast.Or)
    value: Value = None
    for part in node.values:
        value = run.evaluate(part, scope)
        if operations.truth(value) == stop_at:
            break
    return value


def _compare(run: Expressions, node: ast.Compare, scope: Scope) -> bool:
    left = run.evaluate(node.left, scope)
    for kind, right_node in zip(node.ops, node.comparators, strict=True):
        right = run.evaluate(right_node, scope)
        if not operations.compare(type(kind), left, right, run.limits):
            return False
        left = right
    return True


def _choice(run: Expressions, node: ast.IfExp, scope: Scope) -> Value:
    return run.evaluate(node.body if operations.truth(run.evaluate(node.test, scope)) else node.orelse, scope)


def _lambda(run: Expressions, node: ast.Lambda, scope: Scope) -> Value:
    return run.function("lambda", node.args, node.body, scope)


def _list(run: Expressions, node: ast.List, scope: Scope) -> list[Value]:
    return run._elements(node.elts, scope)


def _tuple(run: Expressions, node: ast.Tuple, scope: Scope) -> tuple[Value, ...]:
    return tuple(run._elements(node.elts, scope))


def _set(run: Expressions, node: ast.Set, scope: Scope) -> ScriptSet:
    return ScriptSet(key(item, run.limits) for item in run._elements(node.elts, scope))


def _dict(run: Expressions, node: ast.Dict, scope: Scope) -> dict[Value, Value]:
    result: dict[Value, Value] = {}
    for name, item in zip(node.keys, node.values, strict=True):
        if name is None:
            more = run.evaluate(item, scope)
            if not isinstance(more, dict):
                raise Fault("FCL209", f"'**' wants a dictionary, not {kind_of(more)}", node=item)
            run.limits.items(len(result) + len(more))
            result.update(more)
        else:
            result[key(run.evaluate(name, scope), run.limits)] = run.evaluate(item, scope)
    run.limits.items(len(result))
    return result


def _list_comprehension(run: Expressions, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> list[Value]:
    result: list[Value] = []
    for inner in run._rounds(node.generators, scope):
        run.limits.items(1)
        result.append(run.evaluate(node.elt, inner))
    run.limits.items(len(result))
    return result


def _set_comprehension(run: Expressions, node: ast.SetComp, scope: Scope) -> ScriptSet:
    result = ScriptSet()
    for inner in run._rounds(node.generators, scope):
        run.limits.items(1)
        result.add(key(run.evaluate(node.elt, inner), run.limits))
    return result


def _dict_comprehension(run: Expressions, node: ast.DictComp, scope: Scope) -> dict[Value, Value]:
    result: dict[Value, Value] = {}
    for inner in run._rounds(node.generators, scope):
        run.limits.items(1)
        name = key(run.evaluate(node.key, inner), run.limits)
        result[name] = run.evaluate(node.value, inner)
    return result


def _joined(run: Expressions, node: ast.JoinedStr, scope: Scope) -> str:
    pieces = [run.evaluate(part, scope) for part in node.values]
    run.limits.text(sum(map(len, pieces)))
    return "".join(pieces)


def _formatted(run: Expressions, node: ast.FormattedValue, scope: Scope) -> str:
    value = run.evaluate(node.value, scope)
    spec = run.evaluate(node.format_spec, scope) if node.format_spec is not None else ""
    return operations.formatted(value, node.conversion, spec, run.limits)


_EXPRESSIONS: dict[type, Callable[..., Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _logical,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Lambda: _lambda,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _list_comprehension,
    ast.GeneratorExp: _list_comprehension,
    ast.SetComp: _set_comprehension,
    ast.DictComp: _dict_comprehension,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
}

_NAMES = {
    ast.Await: "'await'",
    ast.Yield: "'yield'",
    ast.YieldFrom: "'yield'",
    ast.NamedExpr: "':='",
    ast.Starred: "'*' here",
}
