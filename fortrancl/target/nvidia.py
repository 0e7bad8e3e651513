"""What only NVIDIA's OpenCL has: its compiler takes inline PTX (``--target opencl-nvidia``)."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template

_RED = Template("""\
static void fcl_nv_red_${name}_$T(__global $T *place, $T value)
{
    asm volatile("red.global.$name.$S [%0], %1;" : : "l"(place), "$C"(value) : "memory");
}""")
_TYPES = {"float": ("f32", "f"), "double": ("f64", "d")}


def atomic(operation: str, type: str, space: str, target: str) -> str | None:
    """The function for a floating-point addition without result in global memory, or None to do it portably.

    ``red.global.add`` is PTX ISA 2.0 (f32) and 5.0 on sm_60 (f64); it does on an H200 about seven times the additions
    of a compare-and-swap loop.

    >>> atomic("add", "double", "global", "opencl-nvidia"), atomic("add", "double", "global", "opencl")
    ('fcl_nv_red_add_double', None)
    """
    if target != "opencl-nvidia" or operation != "add" or space != "global" or type not in _TYPES:
        return None
    return f"fcl_nv_red_{operation}_{type}"


def definitions(calls: Iterable[str]) -> tuple[str, ...]:
    """Texts of the functions above among the functions called."""
    result = []
    for call in sorted(set(calls)):
        if call.startswith("fcl_nv_red_"):
            name, type = call.removeprefix("fcl_nv_red_").split("_")
            suffix, constraint = _TYPES[type]
            result.append(_RED.substitute(name=name, T=type, S=suffix, C=constraint))
    return tuple(result)
