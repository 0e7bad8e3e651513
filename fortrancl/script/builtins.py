"""Python's own functions that scripts have. They make new values and do nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from fortrancl.script.faults import went_wrong
from fortrancl.script.operations import binary, python, truth
from fortrancl.script.values import (
    CONTAINERS,
    Builtin,
    Caller,
    FrozenScriptSet,
    ScriptSet,
    Value,
    elements,
    key,
    kind_of,
    measure,
    text_of,
)

FORBIDDEN = frozenset(
    """__import__ breakpoint bytearray bytes callable chr classmethod compile complex delattr dir eval exec exit format
    getattr globals hasattr hash help id input isinstance issubclass iter locals memoryview next object open ord
    pow print property quit setattr slice staticmethod super type vars hex oct bin ascii copyright credits
    license""".split()
)
"""Python's functions that scripts do not have (FCL213)."""


def _length(caller: Caller, value: Value) -> int:
    if not isinstance(value, (*CONTAINERS, range, str)):
        raise went_wrong(f"{kind_of(value)} has no length")
    return len(value)


def _range(caller: Caller, *bounds: Value) -> range:
    if not 1 <= len(bounds) <= 3:
        raise went_wrong(f"'range' takes 1 to 3 arguments, not {len(bounds)}")
    for bound in bounds:
        if isinstance(bound, bool) or not isinstance(bound, int):
            raise went_wrong(f"'range' takes integers, not {kind_of(bound)}")
        if abs(bound) >= 2**62:
            raise went_wrong("'range' takes integers below 2**62")
    result: range = python(lambda: range(*bounds))
    return result


def ordered(value: Value, caller: Caller, keywords: Mapping[str, Value]) -> list[Value]:
    """A sorted list; ``key`` and ``reverse`` as in Python. Errors: FCL209."""
    unknown = set(keywords) - {"key", "reverse"}
    if unknown:
        raise went_wrong(f"sorting has no '{min(unknown)}'")
    items = elements(value, caller.limits)
    keys = _keys(items, caller, keywords.get("key"))
    measure(keys, caller.limits)
    caller.limits.step(len(items) * len(items).bit_length() // 8)
    reverse = truth(keywords.get("reverse", False))
    places = python(lambda: sorted(range(len(items)), key=lambda place: keys[place], reverse=reverse))
    return [items[place] for place in places]


def _keys(items: list[Value], caller: Caller, function: Value) -> list[Value]:
    return items if function is None else [caller.call(function, (item,)) for item in items]


def _sorted(caller: Caller, value: Value, **keywords: Value) -> list[Value]:
    return ordered(value, caller, keywords)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Value]:
    def extreme(caller: Caller, *values: Value, **keywords: Value) -> Value:
        unknown = set(keywords) - {"key", "default"}
        if unknown:
            raise went_wrong(f"'{choose.__name__}' has no '{min(unknown)}'")
        items = elements(values[0], caller.limits) if len(values) == 1 else list(values)
        if not items:
            if "default" in keywords:
                return keywords["default"]
            raise went_wrong(f"'{choose.__name__}' of nothing")
        keys = _keys(items, caller, keywords.get("key"))
        measure(keys, caller.limits)
        return items[python(lambda: choose(range(len(items)), key=lambda place: keys[place]))]

    return extreme


def _sum(caller: Caller, value: Value, start: Value = 0) -> Value:
    import ast

    total = start
    for item in elements(value, caller.limits):
        if isinstance(total, str) or isinstance(item, str):
            raise went_wrong("'sum' adds numbers", hints=("'\"\".join(…)' joins strings",))
        total = binary(ast.Add, total, item, caller.limits)
    return total


def _enumerate(caller: Caller, value: Value, start: Value = 0) -> list[Value]:
    if not isinstance(start, int):
        raise went_wrong(f"'enumerate' counts from an integer, not from {kind_of(start)}")
    return list(enumerate(elements(value, caller.limits), start))


def _zip(caller: Caller, *values: Value, strict: Value = False) -> list[Value]:
    lists = [elements(value, caller.limits) for value in values]
    return list(python(lambda: list(zip(*lists, strict=truth(strict)))))


def _map(caller: Caller, function: Value, *values: Value) -> list[Value]:
    return [caller.call(function, arguments) for arguments in _zip(caller, *values)]


def _filter(caller: Caller, function: Value, value: Value) -> list[Value]:
    items = elements(value, caller.limits)
    return [item for item in items if truth(item if function is None else caller.call(function, (item,)))]


def _str(caller: Caller, value: Value = "") -> str:
    return text_of(value, caller.limits)


def _repr(caller: Caller, value: Value) -> str:
    return text_of(value, caller.limits, quoted=True)


def _int(caller: Caller, value: Value = 0, base: Value = None) -> int:
    if not isinstance(value, (int, float, str)):
        raise went_wrong(f"'int' does not convert {kind_of(value)}")
    if isinstance(value, str) and len(value) > 1000:
        raise went_wrong("'int' does not convert so long a string")
    result: int = python(lambda: int(value) if base is None else int(value, base))  # type: ignore[arg-type]
    caller.limits.bits(result.bit_length())
    return result


def _float(caller: Caller, value: Value = 0.0) -> float:
    if not isinstance(value, (int, float, str)):
        raise went_wrong(f"'float' does not convert {kind_of(value)}")
    return float(python(lambda: float(value)))


def _bool(caller: Caller, value: Value = False) -> bool:
    return truth(value)


def _abs(caller: Caller, value: Value) -> Value:
    return python(lambda: abs(_number("abs", value)))


def _round(caller: Caller, value: Value, digits: Value = None) -> Value:
    if digits is not None and (not isinstance(digits, int) or abs(digits) > 400):
        raise went_wrong("'round' takes a small number of digits")
    return python(lambda: round(_number("round", value), digits))


def _divmod(caller: Caller, left: Value, right: Value) -> Value:
    return python(lambda: divmod(_number("divmod", left), _number("divmod", right)))


def _number(name: str, value: Value) -> Any:
    if not isinstance(value, (int, float)):
        raise went_wrong(f"'{name}' takes a number, not {kind_of(value)}")
    return value


def _any(caller: Caller, value: Value) -> bool:
    return any(map(truth, elements(value, caller.limits)))


def _all(caller: Caller, value: Value) -> bool:
    return all(map(truth, elements(value, caller.limits)))


def _list(caller: Caller, value: Value = ()) -> list[Value]:
    return elements(value, caller.limits)


def _tuple(caller: Caller, value: Value = ()) -> tuple[Value, ...]:
    return tuple(elements(value, caller.limits))


def _reversed(caller: Caller, value: Value) -> list[Value]:
    return elements(value, caller.limits)[::-1]


def _set(caller: Caller, value: Value = ()) -> ScriptSet:
    return ScriptSet(_keyed(caller, elements(value, caller.limits)))


def _frozenset(caller: Caller, value: Value = ()) -> FrozenScriptSet:
    return FrozenScriptSet(_keyed(caller, elements(value, caller.limits)))


def _keyed(caller: Caller, items: Iterable[Value]) -> list[Value]:
    return [key(item, caller.limits) for item in items]


def _dict(caller: Caller, value: Value = (), **named: Value) -> dict[Value, Value]:
    pairs: Sequence[Value] = list(value.items()) if isinstance(value, dict) else elements(value, caller.limits)
    caller.limits.items(len(pairs) + len(named))
    result: dict[Value, Value] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise went_wrong("'dict' takes pairs of key and value")
        result[key(pair[0], caller.limits)] = pair[1]
    return result | named


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "abs": _abs,
    "all": _all,
    "any": _any,
    "bool": _bool,
    "dict": _dict,
    "divmod": _divmod,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": _float,
    "frozenset": _frozenset,
    "int": _int,
    "len": _length,
    "list": _list,
    "map": _map,
    "max": _extreme(max),
    "min": _extreme(min),
    "range": _range,
    "repr": _repr,
    "reversed": _reversed,
    "round": _round,
    "set": _set,
    "sorted": _sorted,
    "str": _str,
    "sum": _sum,
    "tuple": _tuple,
    "zip": _zip,
}

BUILTINS: Mapping[str, Builtin] = {name: Builtin(name, function) for name, function in _FUNCTIONS.items()}
"""What scripts have of Python's functions, by name (``print`` is the interpreter's)."""


_signature = lru_cache(maxsize=None)(inspect.signature)


def call_builtin(builtin: Builtin, caller: Caller, arguments: tuple[Value, ...], named: Mapping[str, Value]) -> Value:
    """``builtin(*arguments, **named)``. Errors: FCL209, FCL215."""
    try:
        _signature(builtin.call).bind(caller, *arguments, **named)
    except TypeError as error:
        raise went_wrong(f"'{builtin.name}': {str(error).replace('_', ' ')}") from None
    return builtin.call(caller, *arguments, **named)
