"""Intrinsics that ask about types and shapes: constants, or extents."""

from __future__ import annotations

import sys
from collections.abc import Callable

from fortrancl.frontend.linear import normalise
from fortrancl.frontend.parse import Node, unshadowed
from fortrancl.frontend.reference import Use
from fortrancl.frontend.scope import ConstantArray, Variable
from fortrancl.frontend.values import Value
from fortrancl.ir.expr import Binary, Call, Convert, Expr, Literal_, integer
from fortrancl.ir.kernel import Dim
from fortrancl.ir.types import ScalarType

# kind → (precision, range, digits, epsilon, smallest normal, largest, largest exponent, smallest exponent)
_REALS = {
    4: (6, 37, 24, 2.0**-23, 2.0**-126, (2 - 2.0**-23) * 2.0**127, 128, -125),
    8: (15, 307, 53, sys.float_info.epsilon, sys.float_info.min, sys.float_info.max, 1024, -1021),
}
_INTEGER_RANGES = {1: 2, 2: 4, 4: 9, 8: 18}


def _array(use: Use) -> Variable | ConstantArray | None:
    """The whole array that the first argument names, if it does."""
    node = use.nodes[0]
    if type(node).__name__ != "Name":
        return None
    entity = use.reader.scope.find(unshadowed(str(node)))
    if isinstance(entity, ConstantArray) or (isinstance(entity, Variable) and entity.dims is not None):
        return entity
    return None


def _type(use: Use) -> ScalarType:
    array = _array(use)
    return array.type if array is not None else use.reader.node(use.at, use.nodes[0]).type


def _default_integer(use: Use, value: int) -> Literal_:
    return integer(value, ScalarType("integer", use.reader.options.default_integer))


def _kind(use: Use) -> Literal_:
    return _default_integer(use, _type(use).kind)


def _real_only(use: Use) -> ScalarType:
    type = _type(use)
    if type.base != "real":
        raise use.refuse(f"its argument is {type}, not real")
    return type


def _real_property(position: int) -> Callable[[Use], Literal_]:
    def made(use: Use) -> Literal_:
        type = _real_only(use)
        value = _REALS[type.kind][position]
        return Literal_(value, type) if isinstance(value, float) else _default_integer(use, value)

    return made


def _huge(use: Use) -> Literal_:
    type = _type(use)
    if type.base == "integer":
        return integer((1 << (8 * type.kind - 1)) - 1, type)
    return Literal_(_REALS[_real_only(use).kind][5], type)


def _range(use: Use) -> Literal_:
    type = _type(use)
    return _default_integer(use, _INTEGER_RANGES[type.kind] if type.base == "integer" else _REALS[type.kind][1])


def _digits(use: Use) -> Literal_:
    type = _type(use)
    return _default_integer(use, 8 * type.kind - 1 if type.base == "integer" else _REALS[type.kind][2])


def _bit_size(use: Use) -> Literal_:
    type = _type(use)
    if type.base != "integer":
        raise use.refuse(f"its argument is {type}, not integer")
    return integer(8 * type.kind, type)


def _radix(use: Use) -> Literal_:
    _type(use)
    return _default_integer(use, 2)


def _number(use: Use, position: int) -> int | None:
    node: Node | None = use.nodes[position] if position < len(use.nodes) else None
    if node is None:
        return None
    value = use.reader.constant(use.at.of(node), f"an argument of {use.name}").value
    if not isinstance(value, int):
        raise use.refuse("its arguments must be integers")
    return value


def _selected_real_kind(use: Use) -> Literal_:
    precision, exponent = _number(use, 0) or 0, _number(use, 1) or 0
    for kind, facts in _REALS.items():
        if facts[0] >= precision and facts[1] >= exponent:
            return _default_integer(use, kind)
    # Kinds beyond double precision exist for the host compiler only; their use is refused where it is declared.
    return _default_integer(use, 16 if precision <= 33 and exponent <= 4931 else -1)


def _selected_int_kind(use: Use) -> Literal_:
    wanted = _number(use, 0) or 0
    return _default_integer(use, next((kind for kind, r in _INTEGER_RANGES.items() if r >= wanted), -1))


def _dims(use: Use) -> tuple[Dim, ...]:
    array = _array(use)
    if array is None or array.dims is None:
        raise use.refuse("its argument must be a whole array")
    return array.dims


def _result(use: Use, expr: Expr) -> Value:
    type = use.kind_argument(2, "integer", use.reader.options.default_integer)
    return Value(expr, type) if isinstance(expr, Literal_) and expr.type == type else Value(Convert(type, expr), type)


def _axis(use: Use, dims: tuple[Dim, ...]) -> int | None:
    axis = _number(use, 1)
    if axis is not None and not 1 <= axis <= len(dims):
        raise use.refuse(f"the array has no dimension {axis}")
    return axis


def _extent(use: Use, dim: Dim) -> Expr:
    if dim.extent is None:
        raise use.refuse("the last dimension of an assumed-size array has no known extent")
    return dim.extent


def _size(use: Use) -> Value:
    dims = _dims(use)
    axis = _axis(use, dims)
    chosen = dims if axis is None else (dims[axis - 1],)
    total: Expr | None = None
    for dim in chosen:
        extent = _extent(use, dim)
        known = extent if isinstance(extent, Literal_) else Call("max", (extent, integer(0)))
        total = known if total is None else Binary("*", total, known)
    assert total is not None
    # One extent that a loop runs to: the plain extent says the same where it matters, and stays affine.
    return _result(use, _extent(use, chosen[0]) if len(chosen) == 1 and _never_negative(use) else normalise(total))


def _never_negative(use: Use) -> bool:
    array = _array(use)
    return isinstance(array, Variable) and array.form == "assumed_shape"


def _bound(use: Use, upper: bool) -> Value:
    dims = _dims(use)
    axis = _axis(use, dims)
    if axis is None:
        raise use.refuse("a result that is an array is not supported", "ask for one dimension")
    dim = dims[axis - 1]
    if not upper:
        return _result(use, dim.lower)
    return _result(use, normalise(Binary("-", Binary("+", dim.lower, _extent(use, dim)), integer(1))))


TABLE: dict[str, tuple[tuple[str, ...], int, Callable[[Use], Literal_ | Value]]] = {
    "kind": (("x",), 1, _kind),
    "precision": (("x",), 1, _real_property(0)),
    "range": (("x",), 1, _range),
    "digits": (("x",), 1, _digits),
    "epsilon": (("x",), 1, _real_property(3)),
    "tiny": (("x",), 1, _real_property(4)),
    "huge": (("x",), 1, _huge),
    "maxexponent": (("x",), 1, _real_property(6)),
    "minexponent": (("x",), 1, _real_property(7)),
    "radix": (("x",), 1, _radix),
    "bit_size": (("i",), 1, _bit_size),
    "selected_real_kind": (("p", "r", "radix"), 0, _selected_real_kind),
    "selected_int_kind": (("r",), 1, _selected_int_kind),
    "size": (("array", "dim", "kind"), 1, _size),
    "lbound": (("array", "dim", "kind"), 1, lambda use: _bound(use, False)),
    "ubound": (("array", "dim", "kind"), 1, lambda use: _bound(use, True)),
}
