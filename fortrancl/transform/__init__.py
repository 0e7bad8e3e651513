"""The steps of a script: pure functions from kernel to kernel, each asked of `analysis.legality`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fortrancl.ir.kernel import Kernel
from fortrancl.transform.automatic import auto_parallelize
from fortrancl.transform.fuse import fuse_kernels
from fortrancl.transform.layout import (
    add_padding,
    set_array_axis_names,
    split_array_axis,
    split_array_dim,
    tag_array_axes,
)
from fortrancl.transform.loops import join_inames, split_iname, tag_inames, untag_inames
from fortrancl.transform.parameters import assume, assume_extent, assume_injective, assume_no_alias, fix_parameters
from fortrancl.transform.precompute import add_prefetch, precompute
from fortrancl.transform.reorder import duplicate_inames, prioritize_loops, rename_iname
from fortrancl.transform.statements import add_barrier, allow_reassociation, rename_kernel, set_atomic, tag_instructions
from fortrancl.transform.storage import buffer_array
from fortrancl.transform.substitution import assignment_to_subst, expand_subst, extract_subst
from fortrancl.transform.vocabulary import ALIASES, STEPS

_STEPS: tuple[Callable[..., Kernel], ...] = (
    split_iname,
    join_inames,
    tag_inames,
    untag_inames,
    prioritize_loops,
    duplicate_inames,
    rename_iname,
    fix_parameters,
    assume,
    assume_extent,
    assume_injective,
    assume_no_alias,
    extract_subst,
    assignment_to_subst,
    expand_subst,
    precompute,
    add_prefetch,
    buffer_array,
    set_array_axis_names,
    split_array_axis,
    split_array_dim,
    tag_array_axes,
    add_padding,
    add_barrier,
    set_atomic,
    allow_reassociation,
    tag_instructions,
    rename_kernel,
    fuse_kernels,
    auto_parallelize,
    *STEPS,
)

TRANSFORMATIONS: Mapping[str, Callable[..., Kernel]] = {
    **{step.__name__: step for step in _STEPS},
    "set_loop_priority": prioritize_loops,
    "set_array_dim_names": set_array_axis_names,
    "tag_data_axes": tag_array_axes,
    **ALIASES,
}
"""Every step by the name that scripts use, old aliases included."""

__all__ = ["TRANSFORMATIONS"]
