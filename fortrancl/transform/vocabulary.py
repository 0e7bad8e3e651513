"""The rest of the vocabulary: steps on storage, algebra, domains, statements and arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fortrancl.ir.kernel import Kernel
from fortrancl.transform.algebra import fold_constants, simplify_indices
from fortrancl.transform.aliasing import alias_temporaries
from fortrancl.transform.distribution import distribute_loops
from fortrancl.transform.domains import chunk_iname, map_domain, remove_unused_inames
from fortrancl.transform.factors import collect_common_factors_on_increment
from fortrancl.transform.order import (
    add_dependency,
    add_nosync,
    realize_reduction,
    set_argument_order,
    set_instruction_priority,
    split_reduction_inward,
    split_reduction_outward,
)
from fortrancl.transform.temporaries import privatize_temporaries_with_inames, set_temporary_address_space

STEPS: tuple[Callable[..., Kernel], ...] = (
    set_temporary_address_space,
    privatize_temporaries_with_inames,
    alias_temporaries,
    collect_common_factors_on_increment,
    fold_constants,
    simplify_indices,
    distribute_loops,
    chunk_iname,
    map_domain,
    remove_unused_inames,
    set_argument_order,
    add_dependency,
    add_nosync,
    set_instruction_priority,
    realize_reduction,
    split_reduction_inward,
    split_reduction_outward,
)

ALIASES: Mapping[str, Callable[..., Kernel]] = {"set_temporary_scope": set_temporary_address_space}
"""Old names of the peer's."""
