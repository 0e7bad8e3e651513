"""Library functions in OpenCL C for what C has no operator for: each is written out once for every type that uses it.

Names are ``fcl_<function>_<type>``. The texts are templates over ``$T`` (the C type), ``$U`` (its unsigned type) and
``$N`` (bits); they call each other only in the order of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import Template

_INTEGER_BITS = {"char": 8, "short": 16, "int": 32, "long": 64, "fcl_idx": 64}

_TEXTS: dict[str, str] = {
    # Quotient and remainder rounding down; b > 0 for indices, any b != 0 for MODULO (Fortran 2008, 13.7.110).
    "floordiv": """
static $T fcl_floordiv_$T($T a, $T b)
{
    const $T q = a/b;
    return ((a%b != 0) && ((a < 0) != (b < 0))) ? q - 1 : q;
}
""",
    "floormod": """
static $T fcl_floormod_$T($T a, $T b)
{
    const $T r = a%b;
    return ((r != 0) && ((r < 0) != (b < 0))) ? r + b : r;
}
""",
    "modulo": """
static $T fcl_modulo_$T($T a, $T b)
{
    const $T r = fmod(a, b);
    if (r == 0) {
        return copysign(($T)0, b);
    }
    return ((r < 0) != (b < 0)) ? r + b : r;
}
""",
    "dim": """
static $T fcl_dim_$T($T a, $T b)
{
    return a > b ? a - b : 0;
}
""",
    "sign": """
static $T fcl_sign_$T($T a, $T b)
{
    const $T size = a < 0 ? -a : a;
    return b < 0 ? -size : size;
}
""",
    # integer**integer (Fortran 2008, 7.1.5.2.1): a negative exponent gives 1/(a**-n), truncated.
    "ipow": """
static $T fcl_ipow_$T($T a, long n)
{
    $T result = 1;
    if (n < 0) {
        return a == 1 ? 1 : a == -1 ? ((n & 1) ? -1 : 1) : a == 0 ? 1/a : 0;
    }
    while (n != 0) {
        if (n & 1) {
            result *= a;
        }
        n >>= 1;
        a *= a;
    }
    return result;
}
""",
    # real**integer by squaring, in the order that gfortran's runtime multiplies.
    "powi": """
static $T fcl_powi_$T($T a, long n)
{
    ulong left = n < 0 ? -(ulong)n : (ulong)n;
    $T result = (left & 1) ? a : 1;
    while (left >>= 1) {
        a = a*a;
        if (left & 1) {
            result *= a;
        }
    }
    return n < 0 ? 1/result : result;
}
""",
    "ishft": """
static $T fcl_ishft_$T($T a, int by)
{
    if (by >= 0) {
        return by >= $N ? 0 : ($T)(($U)a << by);
    }
    return by <= -$N ? 0 : ($T)(($U)a >> -by);
}
""",
    "shifta": """
static $T fcl_shifta_$T($T a, int by)
{
    return by >= $N ? (a < 0 ? -1 : 0) : a >> by;
}
""",
    "ishftc": """
static $T fcl_ishftc_$T($T a, int by, int size)
{
    const $U mask = size >= $N ? ($U)-1 : (($U)1 << size) - 1;
    const int left = by >= 0 ? by : by + size;
    const $U low = ($U)a & mask;
    if (left == 0 || left == size) {
        return a;
    }
    return ($T)((($U)a & ~mask) | (((low << left) | (low >> (size - left))) & mask));
}
""",
}

_POWERS = {2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 7: 4, 8: 4, 9: 6, 10: 5, 11: 6, 12: 6, 13: 10, 14: 7, 15: 9, 16: 8}
"""For each exponent a smaller one whose power times the remaining one gives it in the fewest products."""

LARGEST_CHAIN = 16

_NAME = re.compile(r"fcl_(?P<function>[a-z]+)(?P<number>\d*)_(?P<type>\w+)")


def definitions(calls: Iterable[str]) -> tuple[str, ...]:
    """Texts of the helpers among the functions called, in an order that does not depend on the calls'.

    >>> print(definitions(["fcl_dim_double", "sqrt", "fcl_pow3_float"])[1])
    static float fcl_pow3_float(float x1)
    {
        const float x2 = x1*x1;
        const float x3 = x2*x1;
        return x3;
    }
    """
    order = [*_TEXTS, "pow"]
    found = set()
    for call in calls:
        match = _NAME.fullmatch(call)
        if match is not None and (match["function"] in _TEXTS or match["function"] == "pow"):
            found.add((order.index(match["function"]), int(match["number"] or 0), match["type"]))
    result = []
    for position, number, c_type in sorted(found):
        if order[position] == "pow":
            result.append(_chain(number, c_type))
        else:
            unsigned = "ulong" if c_type == "fcl_idx" else f"u{c_type}"
            values = {"T": c_type, "U": unsigned, "N": str(_INTEGER_BITS.get(c_type, 0))}
            result.append(Template(_TEXTS[order[position]].strip("\n")).substitute(values).rstrip("\n"))
    return tuple(result)


_CHAIN = Template("static $T fcl_pow${n}_$T($T x1)\n{\n$steps\n    return x$n;\n}")
_STEP = Template("    const $T x$n = x$a*x$b;")


def _chain(exponent: int, c_type: str) -> str:
    needed = {exponent}
    for power in range(exponent, 1, -1):
        if power in needed:
            needed |= {_POWERS[power], power - _POWERS[power]}
    steps = [
        _STEP.substitute(T=c_type, n=power, a=_POWERS[power], b=power - _POWERS[power])
        for power in sorted(needed)
        if power > 1
    ]
    return _CHAIN.substitute(T=c_type, n=exponent, steps="\n".join(steps))
