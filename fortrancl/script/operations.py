"""Operators, subscripts and formatting on script values: each bounded before it is done."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from fortrancl.diagnostics import did_you_mean
from fortrancl.script.faults import Fault, went_wrong
from fortrancl.script.limits import Limits
from fortrancl.script.values import (
    CONTAINERS,
    SCALARS,
    FrozenScriptSet,
    ScriptSet,
    Value,
    key,
    kind_of,
    measure,
    short_text,
    text_of,
)

_SEQUENCES = (str, list, tuple)
_SETS = (ScriptSet, FrozenScriptSet)

_BINARY: Mapping[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("**", operator.pow),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.BitAnd: ("&", operator.and_),
}

_COMPARE: Mapping[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Is: ("is", operator.is_),
    ast.IsNot: ("is not", operator.is_not),
    ast.In: ("in", lambda left, right: left in right),
    ast.NotIn: ("not in", lambda left, right: left not in right),
}


def python(action: Callable[[], Any]) -> Any:
    """Do something of Python's own; what it raises is the script's fault (FCL209)."""
    try:
        return action()
    except KeyError as error:
        raise went_wrong(f"there is no key {short_text(error.args[0] if error.args else None)}") from None
    except (ArithmeticError, LookupError, ValueError, TypeError) as error:
        raise went_wrong(str(error)) from None


# -- operators ----------------------------------------------------------------------------------------------------
def binary(kind: type[ast.operator], left: Value, right: Value, limits: Limits) -> Value:
    """``left kind right``. Errors: FCL209, FCL212 (matrix product), FCL215."""
    if kind not in _BINARY:
        raise Fault("FCL212", "scripts have no matrix product")
    sign, action = _BINARY[kind]
    plain = (*SCALARS, *CONTAINERS)
    if not isinstance(left, plain) or not isinstance(right, plain) or left is None or right is None:
        raise went_wrong(f"'{sign}' does not join {kind_of(left)} and {kind_of(right)}")
    if sign == "%" and isinstance(left, str):
        return percent_format(left, right, limits)
    _bound(sign, left, right, limits)
    try:
        result = python(lambda: action(left, right))
    except Fault as fault:
        if isinstance(fault.__context__, TypeError):
            raise went_wrong(f"'{sign}' does not join {kind_of(left)} and {kind_of(right)}") from None
        raise
    if isinstance(result, complex):
        raise went_wrong("scripts have no complex numbers")
    if isinstance(result, int):
        limits.bits(result.bit_length())
    return result


def _bound(sign: str, left: Any, right: Any, limits: Limits) -> None:
    """Refuse what would be too large before it is made."""
    if sign == "*":
        for sequence, count in ((left, right), (right, left)):
            if isinstance(sequence, _SEQUENCES) and isinstance(count, int):
                _sized(sequence, len(sequence) * max(count, 0), limits)
    elif sign == "+" and isinstance(left, _SEQUENCES) and isinstance(right, _SEQUENCES):
        _sized(left, len(left) + len(right), limits)
    elif isinstance(left, int) and isinstance(right, int):
        if sign == "**" and right > 0 and left not in (0, 1, -1):
            limits.bits((abs(left).bit_length() - 1) * right)
        elif sign in ("<<", ">>"):
            limits.bits(left.bit_length() + right if sign == "<<" else right.bit_length())
    elif isinstance(left, CONTAINERS) and isinstance(right, CONTAINERS):
        limits.items(len(left) + len(right))


def _sized(sequence: Any, length: int, limits: Limits) -> None:
    if isinstance(sequence, str):
        limits.text(length)
    else:
        limits.items(length)


def unary(kind: type[ast.unaryop], operand: Value) -> Value:
    """Sign, complement or ``not``. Errors: FCL209."""
    if kind is ast.Not:
        return not truth(operand)
    if not isinstance(operand, (int, float)):
        raise went_wrong(f"{kind_of(operand)} has no sign")
    if kind is ast.Invert:
        return python(lambda: ~operand)  # type: ignore[operator]
    return -operand if kind is ast.USub else +operand


def truth(value: Value) -> bool:
    """Whether a value counts as true: plain values as in Python, everything else does."""
    return bool(value) if isinstance(value, (*SCALARS, *CONTAINERS, range)) else True


def compare(kind: type[ast.cmpop], left: Value, right: Value, limits: Limits) -> bool:
    """``left kind right``. Errors: FCL209."""
    sign, action = _COMPARE[kind]
    if sign in ("is", "is not"):
        return bool(action(left, right))
    for value in (left, right):
        measure(value, limits)
        if isinstance(value, str):
            limits.step(len(value) // 512)
    if sign in ("in", "not in") and not isinstance(right, (*CONTAINERS, range, str)):
        raise went_wrong(f"nothing is in {kind_of(right)}")
    if sign in ("in", "not in") and isinstance(right, (dict, *_SETS)):
        key(left, limits)
    return bool(python(lambda: action(left, right)))


# -- subscripts ---------------------------------------------------------------------------------------------------
def subscript(value: Value, index: Value, limits: Limits) -> Value:
    """``value[index]`` of a plain value. Errors: FCL209."""
    if isinstance(value, dict):
        key(index, limits)
        if index not in value:
            names = [name for name in value if isinstance(name, str)]
            hints = did_you_mean(index, names) if isinstance(index, str) else ()
            raise went_wrong(f"there is no key {short_text(index)}", hints=hints)
        return value[index]
    if not isinstance(value, (*_SEQUENCES, range)):
        raise went_wrong(f"{kind_of(value)} has no elements by number or name")
    if isinstance(index, slice):
        return _slice(value, index, limits)
    if isinstance(index, bool) or not isinstance(index, int):
        raise went_wrong(f"{kind_of(value)} is indexed by integers, not by {kind_of(index)}")
    if not -len(value) <= index < len(value):
        raise went_wrong(f"there is no element {index}: {kind_of(value)} of {len(value)}")
    return value[index]


def _slice(value: Any, index: slice, limits: Limits) -> Value:
    for part in (index.start, index.stop, index.step):
        if part is not None and not isinstance(part, int):
            raise went_wrong(f"a slice is made of integers, not {kind_of(part)}")
    if index.step == 0:
        raise went_wrong("a slice cannot have step 0")
    if not isinstance(value, range):
        _sized(value, len(range(*index.indices(len(value)))), limits)
    return value[index]


def store(container: Value, index: Value, value: Value, limits: Limits) -> None:
    """``container[index] = value`` for lists and dictionaries. Errors: FCL209, FCL215."""
    if isinstance(container, dict):
        limits.items(1)
        _bounded_growth(container, limits)
        container[key(index, limits)] = value
    elif isinstance(container, list) and isinstance(index, int):
        subscript(container, index, limits)
        container[index] = value
    else:
        raise went_wrong(f"{kind_of(container)} takes no value at {kind_of(index)}")


def remove(container: Value, index: Value, limits: Limits) -> None:
    """``del container[index]`` for lists and dictionaries. Errors: FCL209."""
    if not isinstance(container, (dict, list)) or isinstance(index, slice):
        raise went_wrong(f"nothing can be deleted from {kind_of(container)} like this")
    subscript(container, index, limits)
    del container[index]


def _bounded_growth(container: Any, limits: Limits) -> None:
    if len(container) >= 200_000:
        limits.items(len(container) + 1)


# -- text ---------------------------------------------------------------------------------------------------------
_SPEC = re.compile(r"(?:[^{}]?[<>=^])?[-+ ]?#?0?(\d*)[,_]?(?:\.(\d+))?[bcdeEfFgGnosxX%]?")
_PERCENT = re.compile(
    r"%(?:\((?P<key>\w*)\))?(?P<flags>[-+ #0]*)(?P<width>\d*)(?:\.(?P<digits>\d*))?(?P<kind>.?)", re.S
)
_MAX_WIDTH = 200


def formatted(value: Value, conversion: int, spec: str, limits: Limits) -> str:
    """One field of an f-string. Errors: FCL209."""
    if conversion == ord("r") or conversion == ord("a"):
        value = text_of(value, limits, quoted=True)
    elif conversion == ord("s") or not isinstance(value, SCALARS) or value is None:
        value = text_of(value, limits)
    match = _SPEC.fullmatch(spec)
    if match is None or any(len(number or "") > 3 or int(number or 0) > _MAX_WIDTH for number in match.groups()):
        raise went_wrong(f"'{spec[:40]}' is no format that scripts have")
    return str(python(lambda: format(value, spec)))


def percent_format(template: str, values: Value, limits: Limits) -> str:
    """``template % values``, with %s %r %d %i %x %o %e %f %g and %%. Errors: FCL209, FCL215."""
    limits.text(len(template))
    queue = list(values) if isinstance(values, tuple) else [values]
    pieces: list[str] = []
    end = 0
    used_keys = False
    for match in _PERCENT.finditer(template):
        pieces.append(template[end : match.start()])
        end = match.end()
        if match["kind"] == "%":
            pieces.append("%")
            continue
        if match["key"] is not None:
            used_keys = True
            value = subscript(values, match["key"], limits)
        elif queue:
            value = queue.pop(0)
        else:
            raise went_wrong("the format string wants more values than there are")
        pieces.append(_one_percent(match, value, limits))
    if queue and not used_keys:
        raise went_wrong("the format string wants fewer values than there are")
    pieces.append(template[end:])
    limits.text(sum(map(len, pieces)))
    return "".join(pieces)


def _one_percent(match: re.Match[str], value: Value, limits: Limits) -> str:
    kind = match["kind"]
    if kind not in tuple("sriduxXoeEfFgG"):
        raise went_wrong(f"'{match[0]}' is no format that scripts have")
    if any(len(number or "") > 3 or int(number or 0) > _MAX_WIDTH for number in (match["width"], match["digits"])):
        raise went_wrong(f"'{match[0]}' makes a field wider than {_MAX_WIDTH}")
    if kind in "sr":
        value, kind = text_of(value, limits, quoted=kind == "r"), "s"
    elif not isinstance(value, (int, float)):
        raise went_wrong(f"'{match[0]}' formats a number, not {kind_of(value)}")
    digits = f".{match['digits']}" if match["digits"] is not None else ""
    return str(python(lambda: f"%{match['flags']}{match['width']}{digits}{kind}" % value))
