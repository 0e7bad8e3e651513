"""Types as declarations write them: ``real*8``, ``real(8)``, ``real(kind=dp)``, ``double precision`` …"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fortrancl.frontend.kinds import check_kind
from fortrancl.frontend.parse import Node, Parsed
from fortrancl.frontend.problems import Refused
from fortrancl.ir.types import ScalarType

if TYPE_CHECKING:
    from fortrancl.frontend.expressions import ExpressionReader


def type_of_spec(
    expressions: ExpressionReader, at: Parsed, spec: Node | None, base: str = "", length: Node | None = None
) -> tuple[ScalarType, bool]:
    """(type, whether no kind was given). Refuses with FCL112, FCL113, FCL116.

    ``base`` and ``length`` without ``spec`` are for ``real x*8``, where the size follows the name.
    """
    options = expressions.options
    if spec is None:
        size = expressions.constant(at.of(length), "a length").value
        return ScalarType(base, check_kind(base, _integer(size), at.span_of(length))), False  # type: ignore[arg-type]
    if type(spec).__name__ != "Intrinsic_Type_Spec":
        raise unsupported_type(at, spec, "derived types are not supported")
    name, selector = str(spec.items[0]).lower(), spec.items[1]
    name = " ".join(name.split())
    if name in ("double precision", "doubleprecision"):
        return ScalarType("real", check_kind("real", options.default_double, at.fragment.find(name))), True
    if name not in ("integer", "real", "logical"):
        raise unsupported_type(at, spec, f"the type {name.upper()} is not supported")
    default = options.default_real if name == "real" else options.default_integer
    if selector is None:
        return ScalarType(name, default), True  # type: ignore[arg-type]
    star = str(selector.items[0]) == "*"
    value = expressions.constant(at.of(selector.items[1]), "a kind")
    kind = check_kind(name, _integer(value.value), at.span_of(selector.items[1]) if star else at.span_of(selector))
    return ScalarType(name, kind), False  # type: ignore[arg-type]


def _integer(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else -1


def unsupported_type(at: Parsed, spec: Node, message: str) -> Refused:
    """FCL112."""
    return Refused("FCL112", message, at.span_of(spec), hints=("use integer, real or logical",))
