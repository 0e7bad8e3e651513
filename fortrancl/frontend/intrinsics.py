"""Fortran's intrinsic functions: their arguments, types, and what they are in the IR (Fortran 2008, 13.7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fortrancl.frontend import inquiries
from fortrancl.frontend.parse import Node, Parsed, unshadowed
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.reference import Reader, Use
from fortrancl.frontend.values import Value
from fortrancl.ir.expr import Binary, Call, Convert, Expr, Literal_, Unary, integer
from fortrancl.ir.typeof import call_type
from fortrancl.ir.types import INTEGER8, ScalarType, promote
from fortrancl.source import Span

Maker = Callable[[Use], Value]


@dataclass(frozen=True)
class Signature:
    """Keywords of the arguments, how many must be there (None: any number, at least two), and how it is made."""

    keywords: tuple[str, ...]
    required: int | None
    make: Maker
    inquiry: bool = False


def call(reader: Reader, at: Parsed, name: str, arguments: tuple[Node, ...], span: Span) -> Value:
    """The value of ``name(arguments)`` for an intrinsic ``name``. Refuses with FCL122, FCL123."""
    generic, result = _SPECIFIC.get(name, (name, None))
    signature = SIGNATURES.get(generic)
    if signature is None:
        raise Refused("FCL122", f"the intrinsic function '{name}' is not supported", span)
    nodes = _positional(name, signature, arguments, span)
    values: tuple[Value, ...] = ()
    if not signature.inquiry:
        kinds = {n for n, keyword in enumerate(signature.keywords) if keyword == "kind"}
        values = tuple(reader.node(at, node) for n, node in enumerate(nodes) if node is not None and n not in kinds)
    made = signature.make(Use(reader, at, name, generic, nodes, values, span))
    if result is None:
        return made
    defaults = {
        "real": reader.options.default_real,
        "double": reader.options.default_double,
        "integer": reader.options.default_integer,
    }
    base = "integer" if result == "integer" else "real"
    return made.to(ScalarType(base, defaults[result]))  # type: ignore[arg-type]


def _positional(name: str, signature: Signature, arguments: tuple[Node, ...], span: Span) -> tuple[Node | None, ...]:
    """Arguments in the order of the standard."""
    if signature.required is None:
        if len(arguments) < 2 or any(_keyword(argument) is not None for argument in arguments):
            raise Refused("FCL123", f"{name}: needs two or more arguments, without keywords", span)
        return arguments
    slots: list[Node | None] = [None] * len(signature.keywords)
    for position, argument in enumerate(arguments):
        keyword = _keyword(argument)
        if (keyword is None and position >= len(slots)) or (keyword is not None and keyword not in signature.keywords):
            break
        slots[position if keyword is None else signature.keywords.index(keyword)] = (
            argument if keyword is None else argument.items[1]
        )
    given = sum(slot is not None for slot in slots)
    if given != len(arguments) or any(slot is None for slot in slots[: signature.required]):
        wanted = ", ".join(signature.keywords[: signature.required])
        extra = "".join(f"[, {keyword}]" for keyword in signature.keywords[signature.required :])
        raise Refused("FCL123", f"the arguments of '{name}' are ({wanted}{extra})", span)
    return tuple(slots)


def _keyword(node: Node) -> str | None:
    kind = type(node).__name__
    return unshadowed(str(node.items[0])).lower() if kind in ("Actual_Arg_Spec", "Component_Spec") else None


# -- makers -------------------------------------------------------------------------------------------------------
def _require(use: Use, bases: tuple[str, ...]) -> None:
    for value in use.values:
        if value.type.base not in bases:
            raise use.refuse(f"an argument is {value.type}; it takes {' or '.join(bases)}")


def _call(use: Use, arguments: tuple[Value, ...]) -> Value:
    expr = Call(use.generic, tuple(argument.expr for argument in arguments))
    return Value(expr, call_type(use.generic, tuple(argument.type for argument in arguments)))


def _alike(use: Use) -> tuple[Value, ...]:
    """Arguments brought to the largest of their kinds (a common extension; the standard wants them equal)."""
    type = use.values[0].type
    for value in use.values[1:]:
        if value.type.base != type.base:
            raise use.refuse(f"its arguments are {type} and {value.type}; they must be of one type")
        type = promote(type, value.type)
    return tuple(value.to(type) for value in use.values)


def _of_real(use: Use) -> Value:
    _require(use, ("real",))
    return _call(use, _alike(use))


def _of_number(use: Use) -> Value:
    _require(use, ("integer", "real"))
    return _call(use, _alike(use))


def _of_integer(use: Use) -> Value:
    _require(use, ("integer",))
    return _call(use, _alike(use))


def _bit(use: Use) -> Value:
    """The first argument decides the type; the second is a position or a shift."""
    _require(use, ("integer",))
    value, amount = use.values
    if use.name in ("shiftl", "shiftr"):
        shift: Expr = amount.expr if use.name == "shiftl" else Unary("-", amount.expr)
        return Value(Call("ishft", (value.expr, shift)), value.type)
    if use.name in ("ibset", "ibclr"):
        one = Call("ishft", (integer(1, value.type), amount.expr))
        return Value(
            Call("ior", (value.expr, one)) if use.name == "ibset" else Call("iand", (value.expr, Call("not", (one,)))),
            value.type,
        )
    return _call(use, (value, amount))


def _merge(use: Use) -> Value:
    first, second, mask = use.values
    if mask.type.base != "logical":
        raise use.refuse(f"its mask is {mask.type}, not logical")
    if first.type != second.type:
        raise use.refuse(
            f"its first two arguments are {first.type} and {second.type}; they must be of one type and kind"
        )
    return Value(Call("merge", (first.expr, second.expr, mask.expr)), first.type)


def _to_integer(use: Use) -> Value:
    _require(use, ("integer", "real"))
    return use.values[0].to(use.kind_argument(1, "integer", use.reader.options.default_integer))


def _to_real(use: Use) -> Value:
    _require(use, ("integer", "real"))
    return use.values[0].to(use.kind_argument(1, "real", use.reader.options.default_real))


def _to_double(use: Use) -> Value:
    _require(use, ("integer", "real"))
    return use.values[0].to(ScalarType("real", use.reader.options.default_double))


def _to_logical(use: Use) -> Value:
    _require(use, ("logical",))
    return use.values[0].to(use.kind_argument(1, "logical", use.reader.options.default_integer))


def _rounded(use: Use) -> Value:
    """``nint``, ``floor``, ``ceiling``: integer(4) in the IR; for integer(8) through the real functions."""
    _require(use, ("real",))
    value = use.values[0]
    type = use.kind_argument(1, "integer", use.reader.options.default_integer)
    if type.kind <= 4:
        return Value(Call(use.generic, (value.expr,)), ScalarType("integer", 4)).to(type)
    if use.generic == "nint":
        return Value(Convert(INTEGER8, Call("anint", (value.expr,))), INTEGER8)
    whole: Expr = Convert(INTEGER8, value.expr)
    away: Expr = Binary("<" if use.generic == "floor" else ">", value.expr, Call("aint", (value.expr,)))
    step = Binary("-" if use.generic == "floor" else "+", whole, integer(1, INTEGER8))
    return Value(Call("merge", (step, whole, away)), INTEGER8)


def _truncated(use: Use) -> Value:
    """``aint``, ``anint``."""
    _require(use, ("real",))
    value = use.values[0]
    return _call(use, (value,)).to(use.kind_argument(1, "real", value.type.kind))


def _arc_tangent(use: Use) -> Value:
    if len(use.values) == 2:
        return _of_real(Use(use.reader, use.at, use.name, "atan2", use.nodes, use.values, use.span))
    return _of_real(use)


def _product_in_double(use: Use) -> Value:
    _require(use, ("real",))
    double = ScalarType("real", use.reader.options.default_double)
    one, two = (value.to(double) for value in use.values)
    return Value(Binary("*", one.expr, two.expr), double)


def _constant(make: Callable[[Use], Literal_ | Value]) -> Maker:
    def made(use: Use) -> Value:
        result = make(use)
        return result if isinstance(result, Value) else Value(result, result.type)

    return made


def _signatures() -> dict[str, Signature]:
    table: dict[str, Signature] = {}
    for name in (
        "sqrt exp log log10 sin cos tan asin acos sinh cosh tanh asinh acosh atanh gamma log_gamma erf erfc"
    ).split():
        table[name] = Signature(("x",), 1, _of_real)
    table |= {
        "atan": Signature(("y", "x"), 1, _arc_tangent),
        "atan2": Signature(("y", "x"), 2, _of_real),
        "hypot": Signature(("x", "y"), 2, _of_real),
        "abs": Signature(("a",), 1, _of_number),
        "mod": Signature(("a", "p"), 2, _of_number),
        "modulo": Signature(("a", "p"), 2, _of_number),
        "sign": Signature(("a", "b"), 2, _of_number),
        "dim": Signature(("x", "y"), 2, _of_number),
        "min": Signature((), None, _of_number),
        "max": Signature((), None, _of_number),
        "iand": Signature(("i", "j"), 2, _of_integer),
        "ior": Signature(("i", "j"), 2, _of_integer),
        "ieor": Signature(("i", "j"), 2, _of_integer),
        "not": Signature(("i",), 1, _of_integer),
        "ishft": Signature(("i", "shift"), 2, _bit),
        "shiftl": Signature(("i", "shift"), 2, _bit),
        "shiftr": Signature(("i", "shift"), 2, _bit),
        "btest": Signature(("i", "pos"), 2, _bit),
        "ibset": Signature(("i", "pos"), 2, _bit),
        "ibclr": Signature(("i", "pos"), 2, _bit),
        "merge": Signature(("tsource", "fsource", "mask"), 3, _merge),
        "int": Signature(("a", "kind"), 1, _to_integer),
        "real": Signature(("a", "kind"), 1, _to_real),
        "dble": Signature(("a",), 1, _to_double),
        "logical": Signature(("l", "kind"), 1, _to_logical),
        "nint": Signature(("a", "kind"), 1, _rounded),
        "floor": Signature(("a", "kind"), 1, _rounded),
        "ceiling": Signature(("a", "kind"), 1, _rounded),
        "aint": Signature(("a", "kind"), 1, _truncated),
        "anint": Signature(("a", "kind"), 1, _truncated),
        "dprod": Signature(("x", "y"), 2, _product_in_double),
    }
    for name, (keywords, required, make) in inquiries.TABLE.items():
        table[name] = Signature(keywords, required, _constant(make), inquiry=True)
    return table


SIGNATURES = _signatures()

# Specific names: the generic function, and the type that the result is brought to where that differs.
_SPECIFIC: dict[str, tuple[str, str | None]] = {
    **{f"d{name}": (name, None) for name in (
        "abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh mod sign dim"
    ).split()},
    "iabs": ("abs", None), "isign": ("sign", None), "idim": ("dim", None),
    "alog": ("log", None), "alog10": ("log10", None), "amod": ("mod", None),
    "dint": ("aint", None), "dnint": ("anint", None), "idnint": ("nint", None),
    "max0": ("max", None), "amax1": ("max", None), "dmax1": ("max", None),
    "min0": ("min", None), "amin1": ("min", None), "dmin1": ("min", None),
    "amax0": ("max", "real"), "amin0": ("min", "real"), "max1": ("max", "integer"), "min1": ("min", "integer"),
    "float": ("real", None), "sngl": ("real", None), "dfloat": ("dble", None),
    "ifix": ("int", None), "idint": ("int", None),
}  # fmt: skip

# Known as intrinsics, so that a use is told apart from a misspelled array.
_UNSUPPORTED = frozenset(
    (
        "achar adjustl adjustr aimag all allocated any associated bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1"
        " bessel_yn bge bgt ble blt char cmplx conjg count cshift dcmplx dimag dconjg dot_product dreal dshiftl dshiftr"
        " eoshift exponent findloc fraction iachar iall iany ibits ichar index iparity ishftc leadz len len_trim lge"
        " lgt lle llt maskl maskr matmul maxloc maxval merge_bits minloc minval nearest norm2 null pack parity popcnt"
        " poppar present product reduce repeat reshape rrspacing scale scan set_exponent shape shifta spacing"
        " spread sum trailz transfer transpose trim unpack verify erfc_scaled image_index num_images this_image"
        " cabs csqrt cexp clog ccos csin"
    ).split()
)


def is_known(name: str) -> bool:
    """Whether a name is that of an intrinsic function, supported or not."""
    lower = name.lower()
    return lower in SIGNATURES or lower in _SPECIFIC or lower in _UNSUPPORTED
