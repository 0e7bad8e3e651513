"""The attributes and methods that scripts may use; there are no others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from fortrancl.diagnostics import did_you_mean
from fortrancl.ir.kernel import Argument, Kernel, Statement, Temporary
from fortrancl.script.builtins import ordered
from fortrancl.script.faults import Fault, went_wrong
from fortrancl.script.limits import Limits
from fortrancl.script.operations import python
from fortrancl.script.values import (
    BoundMethod,
    Caller,
    FrozenScriptSet,
    Namespace,
    ScriptSet,
    Value,
    elements,
    key,
    kind_of,
    measure,
)

# Methods that make a value no longer than their receiver (times a small factor) from plain arguments.
_TEXT = frozenset(
    """capitalize casefold count endswith find index isalnum isalpha isdecimal isdigit isidentifier islower isnumeric
    isspace isupper lower lstrip partition removeprefix removesuffix rfind rindex rpartition rsplit rstrip split
    splitlines startswith strip swapcase title upper""".split()
)
_PADDING = frozenset({"center", "ljust", "rjust", "zfill"})
_SET = frozenset(
    {"difference", "intersection", "issubset", "issuperset", "isdisjoint", "symmetric_difference", "union"}
)
_SET_CHANGES = frozenset({"add", "discard", "remove", "update", "clear"})
_LIST_CHANGES = frozenset({"append", "extend", "insert", "pop", "remove", "reverse", "clear", "sort"})
_DICT = frozenset({"get", "items", "keys", "values", "copy"})
_DICT_CHANGES = frozenset({"pop", "setdefault", "update", "clear"})

_ALLOWED: tuple[tuple[type, frozenset[str]], ...] = (
    (str, _TEXT | _PADDING | {"join", "replace"}),
    (list, _LIST_CHANGES | {"count", "index", "copy"}),
    (tuple, frozenset({"count", "index"})),
    (dict, _DICT | _DICT_CHANGES),
    (ScriptSet, _SET | _SET_CHANGES | {"copy"}),
    (FrozenScriptSet, _SET | {"copy"}),
)

Attribute = Callable[[Any], Value]
_PROPERTIES: dict[type, dict[str, Attribute]] = {
    Kernel: {
        "name": lambda kernel: kernel.name,
        "all_inames": lambda kernel: BoundMethod(
            "all_inames", lambda: FrozenScriptSet(iname.name for iname in kernel.inames), takes_nothing=True
        ),
        "temporary_variables": lambda kernel: {temporary.name: temporary for temporary in kernel.temporaries},
        "arg_dict": lambda kernel: {argument.name: argument for argument in kernel.arguments},
        "instructions": lambda kernel: list(kernel.statements),
    },
    Statement: {
        "id": lambda statement: statement.id,
        "tags": lambda statement: FrozenScriptSet(sorted(statement.tags)),
        "assignee_var_names": lambda statement: BoundMethod(
            "assignee_var_names", statement.assignee_var_names, takes_nothing=True
        ),
        "within_inames": lambda statement: FrozenScriptSet(statement.inames),
    },
    Temporary: {"name": lambda temporary: temporary.name},
    Argument: {"name": lambda argument: argument.name},
}


def attribute(value: Value, name: str, caller: Caller) -> Value:
    """``value.name``, if the list has it. Errors: FCL204 (``lp``), FCL211."""
    if name.startswith("__"):
        raise Fault("FCL211", f"scripts cannot use '{name}'", notes=("names with two underscores are Python's own",))
    if isinstance(value, Namespace):
        if name not in value.members:
            raise Fault(
                "FCL204", f"'{value.name}' has no '{name}'", hints=did_you_mean(name, value.members) or _listed(value)
            )
        return value.members[name]
    known = attributes_of(value)
    if name not in known:
        notes = (f"it has {', '.join(sorted(known))}",) if 0 < len(known) <= 12 else ()
        raise Fault(
            "FCL211", f"{kind_of(value)} has no '{name}' in scripts", notes=notes, hints=did_you_mean(name, known)
        )
    own = getattr(type(value), "ATTRIBUTES", None) or _PROPERTIES.get(type(value))
    if own is not None:
        result: Value = own[name](value)
        return result
    return BoundMethod(name, lambda *arguments, **keywords: _call(value, name, caller, arguments, keywords))


def _listed(namespace: Namespace) -> tuple[str, ...]:
    if len(namespace.members) > 12:
        return ("docs/script.md lists what 'lp' offers",)
    return (f"it has {', '.join(namespace.members)}",)


def attributes_of(value: Value) -> frozenset[str]:
    """Names that `attribute` gives for this value."""
    own = getattr(type(value), "ATTRIBUTES", None) or _PROPERTIES.get(type(value))
    if own is not None:
        return frozenset(own)
    for kind, names in _ALLOWED:
        if isinstance(value, kind):
            return names
    return frozenset()


def _call(value: Any, name: str, caller: Caller, arguments: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
    """A method of a plain value. Errors: FCL209, FCL215."""
    limits = caller.limits
    for given in (*arguments, *keywords.values()):
        measure(given, limits)
    if isinstance(value, str):
        return _text_method(value, name, limits, arguments, keywords)
    if keywords and name != "sort":
        raise went_wrong(f"'{name}' takes no argument by name")
    if isinstance(value, (ScriptSet, FrozenScriptSet)):
        return _set_method(value, name, limits, arguments)
    if isinstance(value, dict):
        return _dict_method(value, name, limits, arguments)
    return _list_method(value, name, caller, arguments, keywords)


def _text_method(
    text: str, name: str, limits: Limits, arguments: tuple[Value, ...], keywords: Mapping[str, Value]
) -> Value:
    if name == "join":
        return _join(text, limits, arguments)
    limits.step(len(text) // 512)
    if name == "replace":
        _expect(name, arguments, 2, 3)
        old, new = arguments[0], arguments[1]
        if isinstance(old, str) and isinstance(new, str):
            limits.text(len(text) + max(0, text.count(old) * (len(new) - len(old))))
    elif name in _PADDING:
        width = arguments[0] if arguments else 0
        limits.text(max(len(text), width) if isinstance(width, int) else len(text))
    elif name in ("split", "rsplit", "splitlines"):
        separator = arguments[0] if arguments and isinstance(arguments[0], str) else None
        limits.items(text.count(separator) if separator else sum(1 for _ in re.finditer(r"\s\S", text)))
        limits.text(len(text))
    result = python(lambda: getattr(text, name)(*arguments, **keywords))
    if isinstance(result, str):
        limits.text(len(result))
    return result


def _join(text: str, limits: Limits, arguments: tuple[Value, ...]) -> str:
    _expect("join", arguments, 1, 1)
    parts = elements(arguments[0], limits)
    for part in parts:
        if not isinstance(part, str):
            raise went_wrong(f"'join' joins strings, not {kind_of(part)}")
    limits.text(sum(map(len, parts)) + len(text) * len(parts))
    return text.join(parts)


def _set_method(value: Any, name: str, limits: Limits, arguments: tuple[Value, ...]) -> Value:
    if name in ("add", "discard", "remove"):
        _expect(name, arguments, 1, 1)
        limits.items(1)
        item = key(arguments[0], limits)
        return python(lambda: getattr(value, name)(item))
    if name in ("clear", "copy"):
        _expect(name, arguments, 0, 0)
        if name == "clear":
            value.clear()
            return None
        limits.items(len(value))
        return type(value)(value)
    others = [ScriptSet(key(item, limits) for item in elements(other, limits)) for other in arguments]
    limits.items(len(value) + sum(map(len, others)))
    if name == "update":
        for other in others:
            value |= other
        return None
    if name in ("issubset", "issuperset", "isdisjoint"):
        _expect(name, arguments, 1, 1)
        checks: dict[str, bool] = {
            "issubset": value <= others[0],
            "issuperset": value >= others[0],
            "isdisjoint": value.isdisjoint(others[0]),
        }
        return checks[name]
    result = type(value)(value)
    for other in others:
        if name == "union":
            result = result | other
        elif name == "intersection":
            result = result & other
        elif name == "difference":
            result = result - other
        else:
            result = result ^ other
    return result


def _dict_method(value: dict[Any, Any], name: str, limits: Limits, arguments: tuple[Value, ...]) -> Value:
    if name in ("get", "pop", "setdefault"):
        _expect(name, arguments, 1, 2)
        limits.items(1)
        key(arguments[0], limits)
        return python(lambda: getattr(value, name)(*arguments))
    if name == "update":
        _expect(name, arguments, 1, 1)
        if not isinstance(arguments[0], dict):
            raise went_wrong(f"'update' wants a dictionary, not {kind_of(arguments[0])}")
        limits.items(len(value) + len(arguments[0]))
        value.update(arguments[0])
        return None
    _expect(name, arguments, 0, 0)
    if name == "clear":
        value.clear()
        return None
    limits.items(2 * len(value))
    return dict(value) if name == "copy" else list(getattr(value, name)())


def _list_method(
    value: Any, name: str, caller: Caller, arguments: tuple[Value, ...], keywords: Mapping[str, Value]
) -> Value:
    limits = caller.limits
    if name in ("count", "index", "remove"):
        measure(value, limits)
    elif name in ("append", "insert"):
        limits.step(len(value) // 64 if name == "insert" else 0)
        _grow(value, 1, limits)
    elif name == "extend":
        _expect(name, arguments, 1, 1)
        new = elements(arguments[0], limits)
        _grow(value, len(new), limits)
        value.extend(new)
        return None
    elif name == "sort":
        _expect(name, arguments, 0, 0)
        value[:] = ordered(value, caller, keywords)
        return None
    else:
        limits.step(len(value) // 64)
        if name == "copy":
            limits.items(len(value))
    return python(lambda: getattr(value, name)(*arguments))


def _grow(value: list[Any], count: int, limits: Limits) -> None:
    limits.items(count)
    if len(value) + count > 200_000:
        limits.items(len(value) + count)


def _expect(name: str, arguments: tuple[Value, ...], least: int, most: int) -> None:
    if not least <= len(arguments) <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        raise went_wrong(f"'{name}' takes {wanted} argument{'' if most == 1 else 's'}, not {len(arguments)}")
