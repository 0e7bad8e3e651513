"""The seam between a Fortran procedure and its launcher: symbols, and what crosses in which order.

Everything crosses by address, so that one rule serves scalars and arrays: scalars as themselves, logical scalars as C
ints, arrays from their first element, extents of assumed-shape arrays as 64-bit integers. Calls bind to C, but for
procedures with logical arrays: Fortran 2008 lets those through to Fortran procedures only.
"""

from __future__ import annotations

import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fortrancl.host.compiled import CompiledKernel, heading_span, refusal
from fortrancl.host.extents import Sizes, names_needed, sizes
from fortrancl.host.made import require_callable_together
from fortrancl.ir.kernel import Argument, ExtentParameter
from fortrancl.ir.procedure import Procedure
from fortrancl.ir.types import INTEGER8, ScalarType

# A name in Fortran has at most 63 characters, and a quoted one must fit a line of fixed form.
_BASE_LENGTH = {"free": 50, "fixed": 40}
# Data that a launcher file names itself.
_LAUNCHERS_OWN = re.compile(r"(source|buffers|kernels|procedure)_\d+$")
_UNSUPPORTED = ("optional", "allocatable", "pointer", "volatile", "asynchronous")


@dataclass(frozen=True)
class Passed:
    """One thing that crosses. ``extent`` says which one where ``role`` is that."""

    name: str
    type: ScalarType
    role: Literal["array", "scalar", "extent"]
    written: bool = False
    extent: ExtentParameter | None = None

    @property
    def is_logical_scalar(self) -> bool:
        """Crosses as a C int."""
        return self.role == "scalar" and self.type.base == "logical"


@dataclass(frozen=True)
class Face:
    """``symbol`` names the launcher in Fortran (and in C, but for a Fortran compiler's own spelling)."""

    compiled: CompiledKernel
    sizes: Sizes
    symbol: str
    passed: tuple[Passed, ...]

    @property
    def binds_to_c(self) -> bool:
        """Whether the interface says ``bind(c)``."""
        return not any(p.role == "array" and p.type.base == "logical" for p in self.passed)

    @property
    def after_symbol(self) -> str:
        """The procedure that the Fortran body calls at its end, for FORTRANCL_COMPARE."""
        return f"{self.symbol}__after"

    def c_symbol(self, name: str) -> str:
        """How C spells it: gfortran and its kin on Linux append one underscore to Fortran's external names."""
        return name if self.binds_to_c else f"{name}_"

    @property
    def results(self) -> tuple[Passed, ...]:
        """What the kernel writes, in the order of buffers."""
        return tuple(p for p in self.passed if p.written)


def face(compiled: CompiledKernel, prefix: str = "") -> Face:
    """The seam of one procedure. Raises FCL601, FCL602, FCL605 for what cannot be launched from it."""
    _require_launchable(compiled)
    found = sizes(compiled)
    kernel = compiled.plan.kernel
    needed = names_needed(compiled, found)
    buffers = {use.name: use for use in found.buffers}
    passed = []
    for argument in kernel.arguments:
        use = buffers.get(argument.name)
        if use is not None or (not argument.shape and argument.name in needed):
            _require_plain(compiled.procedure, argument)
            role: Literal["array", "scalar"] = "array" if argument.shape else "scalar"
            passed.append(Passed(argument.name, argument.type, role, use is not None and use.copy_out))
    for extent in kernel.extents:
        if extent.name in needed:
            passed.append(Passed(extent.name, INTEGER8, "extent", extent=extent))
    return Face(compiled, found, _symbol(compiled.procedure, prefix), tuple(passed))


def _symbol(procedure: Procedure, prefix: str) -> str:
    """``fcl_<module>__<procedure>``, cut where it would be too long, then told apart by a hash.

    Fortran ignores case, and C does not: everything is lower case. An external procedure that is called like a part of
    the run-time library (``launch``) becomes ``fcl__launch``.
    """
    whole = f"{procedure.module}__{procedure.name}" if procedure.module else procedure.name
    base = f"{prefix}{whole}".lower()
    limit = _BASE_LENGTH[procedure.form]
    if len(base) > limit:
        base = f"{base[: limit - 9]}_{hashlib.sha256(base.encode()).hexdigest()[:8]}"
    return f"fcl__{base}" if f"fcl_{base}" in _runtime_names() or _LAUNCHERS_OWN.match(base) else f"fcl_{base}"


@functools.cache
def _runtime_names() -> frozenset[str]:
    header = Path(__file__).with_name("runtime") / "fortrancl_rt.h"
    return frozenset(re.findall(r"\bfcl_\w+", header.read_text(encoding="utf-8")))


def _require_launchable(compiled: CompiledKernel) -> None:
    procedure, kernel = compiled.procedure, compiled.plan.kernel
    made_of = tuple(part.qualified_name for part in procedure.parts) or (procedure.qualified_name,)
    if kernel.name.lower() != procedure.name.lower() or kernel.origin not in ((), made_of):
        raise refusal(
            "FCL605",
            f"kernel '{kernel.name}' is not a procedure of '{procedure.source.path}'",
            heading_span(procedure),
            notes=(f"it was made of {', '.join(kernel.origin or made_of)}",),
            hints=("let the script's result keep the name of the procedure it stands for",),
        )
    if procedure.parts:
        require_callable_together(procedure)
        return
    prefixes = procedure_prefixes(procedure)
    if "elemental" in prefixes:
        raise refusal(
            "FCL601",
            f"'{procedure.name}' is elemental, and a launch for each element would help nobody",
            heading_span(procedure),
            hints=("write the loop over the elements into a subroutine",),
        )


def procedure_prefixes(procedure: Procedure) -> frozenset[str]:
    """Words before SUBROUTINE or FUNCTION, lower case (``pure``, ``elemental``, ``recursive``).

    The statement may begin on an earlier line than the word, by continuation; those words are found, too.
    """
    if procedure.parts:
        return frozenset()
    text = ""
    for line in range(procedure.first_line, procedure.insert_after + 1):
        text += " " + procedure.source.line_text(line).split("!")[0].replace("&", " ").lower()
        words = text.split()
        for position, word in enumerate(words):
            if word.startswith(procedure.kind):
                return frozenset(words[:position])
    return frozenset()


def _require_plain(procedure: Procedure, argument: Argument) -> None:
    dummy = next((d for d in procedure.dummies if d.name.lower() == argument.name.lower()), None)
    odd = [name for name in _UNSUPPORTED if dummy is not None and name in dummy.attributes]
    if odd:
        raise refusal(
            "FCL602",
            f"dummy argument '{argument.name}' is {odd[0]}, which a launcher cannot take yet",
            argument.span or heading_span(procedure),
            hints=(f"give the loops a subroutine of their own, with '{argument.name}' as a plain dummy",),
        )
