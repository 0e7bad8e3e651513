"""Whether a script's value fits a transformation's annotation, and what it becomes there.

Sets keep their order by becoming tuples unless the function asks for a set; lists become tuples where it asks for
those. Nothing else is converted: a string is no list of names, ``True`` is no integer.
"""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Union

from fortrancl.ir.kernel import Kernel, Statement
from fortrancl.script.arguments import Parameter
from fortrancl.script.values import FrozenScriptSet, ScriptSet, Value


class Mismatch(Exception):
    """The value does not fit."""


@dataclass(frozen=True)
class Signature:
    """The parameters of a transformation and their annotations; the first may be a kernel, or several."""

    parameters: tuple[Parameter, ...]
    annotations: Mapping[str, Any]
    takes_kernel: bool
    takes_kernels: bool
    rest: str | None
    named_rest: str | None


@lru_cache(maxsize=256)
def signature_of(function: Callable[..., Any]) -> Signature:
    """How a function may be called; it takes a kernel if its first parameter is annotated so."""
    hints = typing.get_type_hints(function)
    parameters: list[Parameter] = []
    rest = named_rest = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            rest = parameter.name
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            named_rest = parameter.name
        else:
            by_position = parameter.kind is not inspect.Parameter.KEYWORD_ONLY
            needed = parameter.default is inspect.Parameter.empty
            parameters.append(Parameter(parameter.name, needed, by_position))
    takes_kernel = bool(parameters) and hints.get(parameters[0].name) is Kernel
    takes_kernels = bool(parameters) and hints.get(parameters[0].name) == collections.abc.Sequence[Kernel]
    return Signature(tuple(parameters), hints, takes_kernel, takes_kernels, rest, named_rest)


_SIMPLE: dict[Any, str] = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "True or False",
    type(None): "None",
    Kernel: "a kernel",
    Statement: "a statement",
}
_SEQUENCES = (
    collections.abc.Sequence,
    collections.abc.Iterable,
    collections.abc.Collection,
    tuple,
    list,
)
_SETS = (collections.abc.Set, frozenset, set)
_MAPPINGS = (collections.abc.Mapping, dict)


def fit(value: Value, annotation: Any) -> Any:
    """The value as a function with this annotation wants it. Raises `Mismatch`."""
    if annotation is Any or annotation is inspect.Parameter.empty or annotation is object:
        return value
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        return _fit_any(value, arguments)
    if origin is Literal:
        # bool and int compare equal: 1 must not pass for True.
        if any(value == choice and type(value) is type(choice) for choice in arguments):
            return value
        raise Mismatch
    kind = origin or annotation
    if kind is tuple and arguments and arguments[-1] is not ...:
        return _fit_fixed(value, arguments)
    if kind in _SEQUENCES or kind in _SETS:
        return _fit_elements(value, kind, arguments[0] if arguments else Any)
    if kind in _MAPPINGS:
        if not isinstance(value, dict):
            raise Mismatch
        of_key, of_item = arguments if len(arguments) == 2 else (Any, Any)
        return {fit(name, of_key): fit(item, of_item) for name, item in value.items()}
    return _fit_simple(value, kind)


def _fit_simple(value: Value, kind: Any) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is type(None) or kind is None:
        if value is None:
            return None
        raise Mismatch
    if isinstance(value, bool) and kind is not bool:
        raise Mismatch
    if isinstance(kind, type) and isinstance(value, kind):
        return value
    raise Mismatch


def _fit_any(value: Value, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        try:
            return fit(value, choice)
        except Mismatch:
            continue
    raise Mismatch


def _fit_fixed(value: Value, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)) or len(value) != len(kinds):
        raise Mismatch
    return tuple(fit(item, kind) for item, kind in zip(value, kinds, strict=True))


def _fit_elements(value: Value, kind: Any, of: Any) -> Any:
    if not isinstance(value, (list, tuple, range, ScriptSet, FrozenScriptSet)):
        raise Mismatch
    items = [fit(item, of) for item in value]
    if kind in _SETS:
        return frozenset(items)
    return items if kind is list else tuple(items)


def expected(annotation: Any) -> str:
    """What an annotation asks for, in words."""
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin in (Union, types.UnionType):
        words = list(dict.fromkeys(expected(choice) for choice in arguments))
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
    if origin is Literal:
        choices = [repr(choice) for choice in arguments]
        return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"
    kind = origin or annotation
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind in _MAPPINGS:
        return "a dictionary"
    if kind in _SEQUENCES or kind in _SETS:
        inner = expected(arguments[0]).removeprefix("a ").removeprefix("an ") if arguments else "thing"
        if kind is tuple and arguments and arguments[-1] is not ...:
            return f"a tuple of {len(arguments)}"
        return f"a list of {inner}s" if " " not in inner else "a list"
    return str(getattr(kind, "KIND", getattr(kind, "__name__", "a value")))
