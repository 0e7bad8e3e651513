"""Indivisible updates ``x(s) = x(s) op e``: OpenCL's own functions where it has them, else compare-and-swap loops."""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import Template

from fortrancl.analysis.accesses import reduction_of
from fortrancl.ir import expr as ir
from fortrancl.ir.kernel import Statement
from fortrancl.target import ctree as c
from fortrancl.target import nvidia
from fortrancl.target.expressions import Translator
from fortrancl.target.types import NoDeviceFormError, c_type

_NATIVE = {
    "+": "add",
    "min": "min",
    "max": "max",
    "iand": "and",
    "ior": "or",
    "ieor": "xor",
    "and": "and",
    "or": "or",
    "neqv": "xor",
}
_CHAINS = {"+": ("+", "-"), "*": ("*",), "and": ("and",), "or": ("or",), "eqv": ("eqv",), "neqv": ("neqv",)}

_SWAP = Template("""\
static void fcl_atomic_${name}_${T}_$space(volatile __$space $T *place, $T value)
{
    union { $U bits; $T number; } seen, wanted;
    /* A guess: a plain load beside other work-items' updates would be a race. */
    seen.number = 0;
    for (;;) {
        wanted.number = $operation;
        const $U before = $swap((volatile __$space $U *)place, seen.bits, wanted.bits);
        if (before == seen.bits) {
            return;
        }
        seen.bits = before;
    }
}""")
_OPERATIONS = {
    "add": "seen.number + value",
    "mul": "seen.number*value",
    "min": "${F}min(seen.number, value)",
    "max": "${F}max(seen.number, value)",
}
_NAME = re.compile(r"fcl_atomic_(?P<name>[a-z]+)_(?P<type>[a-z]+)_(?P<space>local|global)")
_BASE_64 = frozenset({"atom_add", "atom_sub", "atom_cmpxchg", "atom_xchg"})


def atomic_update(scope: Translator, statement: Statement, space: str, target: str) -> c.Expression:
    """The call that makes the update. Raises `NoDeviceFormError` (FCL506) where OpenCL has no way."""
    operation = reduction_of(statement, scope.kernel)
    type = c_type(scope.type_of(statement.target))
    if operation is None:
        raise NoDeviceFormError("FCL506", "an atomic statement must be an update x = x op e, e not reading x")
    if type in ("char", "short"):
        raise NoDeviceFormError("FCL506", f"OpenCL has no atomic update of {scope.type_of(statement.target)}")
    operand = contribution(statement.value, statement.target, operation)
    value = scope.converted(operand, type)
    place = c.Unary("&", scope.place(statement.target))
    if operation == "eqv":
        # a .eqv. b flips a where b is false.
        return c.Call(_native_name("xor", type), (place, c.Unary("!", scope.truth(operand))))
    if type in ("int", "long") and operation in _NATIVE:
        return c.Call(_native_name(_NATIVE[operation], type), (place, value))
    if operation not in ("+", "*", "min", "max"):
        raise NoDeviceFormError("FCL506", f"OpenCL has no atomic '{operation}' on {scope.type_of(statement.target)}")
    name = {"+": "add", "*": "mul"}.get(operation, operation)
    return c.Call(nvidia.atomic(name, type, space, target) or f"fcl_atomic_{name}_{type}_{space}", (place, value))


def _native_name(name: str, type: str) -> str:
    return f"{'atomic' if type == 'int' else 'atom'}_{name}"


def contribution(value: ir.Expr, target: ir.Expr, operation: str) -> ir.Expr:
    """``e`` of the update ``x = x op e`` (``x - e`` is ``x + (-e)``).

    >>> x, a, b = ir.Var("x"), ir.Var("a"), ir.Var("b")
    >>> contribution(ir.Binary("-", ir.Binary("+", a, x), b), x, "+") == ir.Binary("-", a, b)
    True
    """
    if isinstance(value, ir.Call):
        rest = tuple(argument for argument in value.arguments if argument != target)
        return rest[0] if len(rest) == 1 else ir.Call(value.function, rest)
    members = _CHAINS[operation]
    assert isinstance(value, ir.Binary) and value.op in members
    if value.left == target:
        return ir.Unary("-", value.right) if value.op == "-" else value.right
    if value.right == target:
        return value.left
    if _holds(value.left, target, members):
        return ir.Binary(value.op, contribution(value.left, target, operation), value.right)
    return ir.Binary(value.op, value.left, contribution(value.right, target, operation))


def _holds(expr: ir.Expr, target: ir.Expr, members: tuple[str, ...]) -> bool:
    if expr == target:
        return True
    if isinstance(expr, ir.Binary) and expr.op in members:
        return _holds(expr.left, target, members) or _holds(expr.right, target, members)
    return False


def definitions(calls: Iterable[str]) -> tuple[str, ...]:
    """Texts of the compare-and-swap functions among the functions called."""
    result = []
    for call in sorted(set(calls)):
        match = _NAME.fullmatch(call)
        if match is not None:
            type = match["type"]
            wide = type in ("double", "long")
            values = {
                "name": match["name"],
                "T": type,
                "U": "ulong" if wide else "uint",
                "space": match["space"],
                "swap": "atom_cmpxchg" if wide else "atomic_cmpxchg",
                "operation": Template(_OPERATIONS[match["name"]]).substitute(
                    F="f" if type in ("float", "double") else ""
                ),
            }
            result.append(_SWAP.substitute(values))
    return tuple(result)


def extensions(calls: Iterable[str]) -> tuple[str, ...]:
    """OpenCL extensions that 64-bit atomics among the functions called need."""
    found = set()
    for call in calls:
        match = _NAME.fullmatch(call)
        if call in _BASE_64 or (match is not None and match["type"] in ("double", "long")):
            found.add("cl_khr_int64_base_atomics")
        elif call.startswith("atom_"):
            found.add("cl_khr_int64_extended_atomics")
    return tuple(sorted(found))
