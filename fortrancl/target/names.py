"""Spelling Fortran names in OpenCL C: as declared, unless C or OpenCL has the word already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count

_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
asm bool complex half imaginary kernel global local constant private generic pipe uniform read_only write_only
read_write uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t event_t sampler_t quad true false
image1d_t image2d_t image3d_t image1d_array_t image2d_array_t image1d_buffer_t
get_work_dim get_global_size get_global_id get_local_size get_local_id get_num_groups get_group_id get_global_offset
barrier mem_fence read_mem_fence write_mem_fence async_work_group_copy async_work_group_strided_copy
wait_group_events prefetch printf shuffle shuffle2 vec_step
acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt ceil copysign cos cosh cospi erf erfc exp exp2
exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10 log1p logb
mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos sinh sinpi sqrt
tan tanh tanpi tgamma trunc
abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi mad_sat max min mul_hi rotate sub_sat upsample popcount mad24 mul24
degrees mix radians step smoothstep sign cross dot distance length normalize fast_distance fast_length fast_normalize
isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal isordered
isunordered signbit any all bitselect select
atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and atomic_or
atomic_xor atom_add atom_sub atom_xchg atom_inc atom_dec atom_cmpxchg atom_min atom_max atom_and atom_or atom_xor
read_imagef read_imagei read_imageui write_imagef write_imagei write_imageui get_image_width get_image_height
get_image_depth main linux unix
"""
_RESERVED = frozenset(_WORDS.split())
# Vector types, OpenCL's functions by family, constants of math.h and limits.h, and our own names.
_RESERVED_PATTERN = re.compile(
    r"(u?(char|short|int|long)|float|double|half|bool)(2|3|4|8|16|\d+x\d+)"
    r"|(as|convert)_\w+|v(load|store)a?(_\w+)?\d*|(half|native)_\w+|fcl_\w*|get_\w+|intel_\w+|CL_\w+|CLK_\w+|cl_\w+"
    r"|M_\w+|(FLT|DBL|HALF|CHAR|SCHAR|UCHAR|SHRT|USHRT|INT|UINT|LONG|ULONG)_\w+|HUGE_VALF?|INFINITY|NAN|MAXFLOAT|NULL"
    r"|FCL_\w*|FP_\w+|OPENCL_\w+|EMBEDDED_PROFILE"
)


def is_reserved(name: str) -> bool:
    """Whether C99 or OpenCL C 1.2 gives the word a meaning, or our own helpers have it.

    >>> is_reserved("double"), is_reserved("float4"), is_reserved("flux")
    (True, True, False)
    """
    return name in _RESERVED or _RESERVED_PATTERN.fullmatch(name) is not None


def c_names(names: Iterable[str]) -> dict[str, str]:
    """A C identifier for each name, all different, the name itself where possible.

    >>> c_names(["n", "double", "double_", "Double", "get_flux"])
    {'n': 'n', 'double': 'double_1', 'double_': 'double_', 'Double': 'Double', 'get_flux': 'v_get_flux'}
    """
    wanted = list(dict.fromkeys(names))
    taken = {name for name in wanted if not is_reserved(name)}
    result: dict[str, str] = {}
    for name in wanted:
        spelled = name
        if is_reserved(name):
            spelled = next(word for word in _others(name) if word not in taken and not is_reserved(word))
            taken.add(spelled)
        result[name] = spelled
    return result


def _others(name: str) -> Iterator[str]:
    # A suffix does not lead out of a reserved family such as get_*; a prefix does.
    base = f"v_{name}" if is_reserved(f"{name}_") else name
    if base != name:
        yield base
    yield f"{base}_"
    for number in count(1):
        yield f"{base}_{number}"
