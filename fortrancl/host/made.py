"""Procedures that fortrancl writes itself: their dummies, and the calls of the user's procedures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fortrancl.host.compiled import heading_span, refusal
from fortrancl.host.kinds import fresh, kind_name
from fortrancl.ir.expr import Binary, Call, Expr, Literal_, Unary, Var
from fortrancl.ir.kernel import Argument, Dim
from fortrancl.ir.procedure import Procedure
from fortrancl.ir.types import ScalarType

_KINDS = "c_int, c_int8_t, c_int16_t, c_int32_t, c_int64_t, c_float, c_double, c_float_complex, c_double_complex"


def require_callable_together(procedure: Procedure) -> None:
    """A new procedure must be able to call its parts. Raises FCL606."""
    parts = procedure.parts
    problem, hint = None, "leave these procedures apart"
    if len({part.module for part in parts}) > 1:
        problem, hint = "its parts are in different modules", "put them into one module"
    odd = [
        (a.name, part.name) for part in parts for a in part.kernel.arguments if a.form == "assumed_shape" or a.by_value
    ]
    if odd and procedure.module is None:
        name, owner = odd[0]
        problem = f"'{name}' of the external procedure '{owner}' needs an explicit interface"
        hint = "put the procedures into a module"
    if problem is not None:
        raise refusal(
            "FCL606",
            f"the new procedure '{procedure.name}' cannot be written: {problem}",
            heading_span(procedure),
            hints=(hint,),
        )


def dummy_arguments(procedure: Procedure) -> list[Argument]:
    """Of the procedure, in the order of its dummies."""
    order = {dummy.name.lower(): position for position, dummy in enumerate(procedure.dummies)}
    return sorted(procedure.kernel.arguments, key=lambda argument: order.get(argument.name.lower(), len(order)))


def body_names(procedure: Procedure, taken: Sequence[str]) -> dict[str, str]:
    """Local names for the user's procedures, by their own: ``fcl_body``, or more of them."""
    result: dict[str, str] = {}
    for part in procedure.parts or (procedure,):
        if part.name not in result:
            result[part.name] = fresh("fcl_body", [*taken, *result.values()])
    return result


def calls_of_parts(procedure: Procedure, names: Mapping[str, str] | None = None) -> Iterator[str]:
    """Calls of the user's procedures in order, by other names where those are given."""
    for part in procedure.parts or (procedure,):
        dummies = ", ".join(argument.name for argument in dummy_arguments(part))
        yield f"call {(names or {}).get(part.name, part.name)}({dummies})"


def declarations(arguments: Sequence[Argument]) -> Iterator[str]:
    """Scalars first: arrays may have them as sizes."""
    for argument in sorted(arguments, key=lambda argument: bool(argument.shape)):
        yield _declaration(argument)


def kinds_needed(arguments: Sequence[Argument]) -> str:
    """Names of ISO_C_BINDING that the declarations use, for an ONLY list."""
    kinds = {kind_name(a.type) for a in arguments if a.type.base != "logical"}
    return ", ".join(kind for kind in _KINDS.split(", ") if kind in kinds or (not kinds and kind == "c_int"))


def _declaration(argument: Argument) -> str:
    kind = f"{argument.type.kind}" if argument.type.base == "logical" else kind_name(argument.type)
    words = [f"{argument.type.base}({kind})"]
    if argument.by_value:
        words.append("value")
    elif argument.intent is not None:
        words.append(f"intent({argument.intent})")
    return f"{', '.join(words)} :: {argument.name}{_shape(argument)}"


def _shape(argument: Argument) -> str:
    """As declared; ``(*)`` where a bound has no short Fortran: sequence association makes it the same array."""
    if not argument.shape:
        return ""
    if argument.form == "assumed_shape":
        return f"({','.join(_lower(dim) + ':' for dim in argument.shape)})"
    dims = [_dimension(dim) for dim in argument.shape]
    return "(*)" if any(dim is None for dim in dims) else f"({','.join(str(dim) for dim in dims)})"


def _lower(dim: Dim) -> str:
    return "" if dim.lower == _integer(1, dim.lower) else fortran_text(dim.lower) or ""


def _dimension(dim: Dim) -> str | None:
    lower = fortran_text(dim.lower)
    if lower is None:
        return None
    if dim.extent is None:
        return "*" if lower == "1" else f"{lower}:*"
    extent = fortran_text(dim.extent)
    if extent is None:
        return None
    return extent if lower == "1" else f"{lower}:{lower}+({extent})-1"


def _integer(value: int, like: Expr) -> Expr:
    return Literal_(value, like.type) if isinstance(like, Literal_) else Literal_(value, ScalarType("integer", 4))


def fortran_text(expr: Expr) -> str | None:
    """An integer expression in Fortran, or None where it has functions that Fortran lacks.

    >>> from fortrancl.ir.expr import integer
    >>> fortran_text(Binary("*", Binary("+", Var("n"), integer(1)), Var("m")))
    '(n+1)*m'
    """
    if isinstance(expr, Var):
        return expr.name
    if isinstance(expr, Literal_) and type(expr.value) is int:
        return str(expr.value) if expr.value >= 0 else f"({expr.value})"
    if isinstance(expr, Unary) and expr.op == "-":
        operand = _grouped(expr.operand)
        return None if operand is None else f"(-{operand})"
    if isinstance(expr, Binary) and expr.op in ("+", "-", "*"):
        tight = expr.op == "*"
        left = _grouped(expr.left) if tight else fortran_text(expr.left)
        right = fortran_text(expr.right) if expr.op == "+" else _grouped(expr.right)
        return None if left is None or right is None else f"{left}{expr.op}{right}"
    if isinstance(expr, Call) and expr.function in ("min", "max", "mod", "abs"):
        arguments = [fortran_text(argument) for argument in expr.arguments]
        return None if None in arguments else f"{expr.function}({', '.join(str(a) for a in arguments)})"
    return None


def _grouped(expr: Expr) -> str | None:
    text = fortran_text(expr)
    return f"({text})" if text is not None and isinstance(expr, Binary) else text
