"""Temporaries that share storage: less memory on the chip, where their values are never needed at one time."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.analysis.legality import require_disjoint_uses
from fortrancl.diagnostics import StepError
from fortrancl.ir.kernel import Kernel
from fortrancl.transform.arguments import Names, new_name
from fortrancl.transform.temporaries import find_temporaries


def alias_temporaries(
    kernel: Kernel,
    names: Names,
    base_name_prefix: str | None = None,
    synchronize_for_exclusive_use: bool = True,
) -> Kernel:
    """Let local variables of one type share storage, as large as the largest of them; nothing is reordered.

    Barriers that work-items then need between the uses of one and the next are placed by themselves, whatever
    ``synchronize_for_exclusive_use`` says.

    >>> from fortrancl.ir.build import build_kernel
    >>> from fortrancl.ir.pretty import dump_kernel
    >>> kernel = build_kernel("k", "x(8); temp a(8); temp b(8)", [
    ...     ("a[i]", "x[i]", {"i": "8"}), ("x[j]", "2*a[j]", {"j": "8"}),
    ...     ("b[k]", "x[k]", {"k": "8"}), ("x[m]", "3*b[m]", {"m": "8"})])
    >>> print(dump_kernel(alias_temporaries(kernel, "a, b")).split("temporaries:")[1].split("inames:")[0].strip())
    a[8]: real(8), auto, in a_and_b
      b[8]: real(8), auto, in a_and_b

    Errors: FCL252 (the name of the storage, fewer than two variables), FCL268, FCL285 (types, tables, loop lengths, a
    variable that shares storage already), FCL314 (one is written while another is still to be read; asked again of the
    finished kernel). Source: ARRAY'16, section 3; design section 4.1.
    """
    chosen = find_temporaries(kernel, names, "names")
    if len({temporary.name for temporary in chosen}) != len(chosen) or len(chosen) < 2:
        raise StepError("FCL252", "sharing storage takes at least two different variables", argument="names")
    for temporary in chosen:
        reason = None
        if temporary.base is not None:
            reason = f"shares storage '{temporary.base}' already"
        elif any(iname.trip == temporary.name for iname in kernel.inames):
            reason = "is the length of a loop"
        elif temporary.address_space == "global":
            reason = "lives in global memory"
        elif temporary.type != chosen[0].type:
            reason = f"is {temporary.type}, but '{chosen[0].name}' is {chosen[0].type}"
        if reason is not None:
            raise StepError("FCL285", f"'{temporary.name}' {reason}", argument="names", value=temporary.name)
    default = "_and_".join(temporary.name for temporary in chosen)
    base = new_name(kernel, None, (base_name_prefix or default)[:60], "base_name_prefix")
    members = {temporary.name for temporary in chosen}
    result = replace(
        kernel,
        temporaries=tuple(replace(t, base=base) if t.name in members else t for t in kernel.temporaries),
    )
    require_disjoint_uses(result, members, "names", "sharing storage")
    return result
