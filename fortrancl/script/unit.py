"""The translation unit as scripts see it: a file's procedures, each lowered when the script takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from fortrancl.diagnostics import did_you_mean
from fortrancl.ir.kernel import Kernel
from fortrancl.script.faults import Fault
from fortrancl.script.values import BoundMethod, FrozenScriptSet, Value, kind_of


class SourceProcedure(Protocol):
    """A procedure of the file, perhaps not parsed yet."""

    @property
    def name(self) -> str:
        """As declared."""

    @property
    def qualified_name(self) -> str:
        """``module::procedure`` or ``procedure``, lower case."""

    def kernel(self) -> Kernel:
        """Its sequential kernel. Raises `CompileError` where the procedure is not supported."""


@dataclass(frozen=True)
class TranslationUnit:
    """Procedures of one source, and the kernels that the script has made of them, by name."""

    procedures: tuple[SourceProcedure, ...] = field(repr=False)
    kernels: tuple[Kernel, ...] = ()
    lower: Callable[[SourceProcedure], Kernel] = field(default=lambda procedure: procedure.kernel(), repr=False)

    KIND: ClassVar[str] = "a translation unit"
    ATTRIBUTES: ClassVar[Mapping[str, Callable[[Any], Value]]] = {
        "with_kernel": lambda unit: BoundMethod("with_kernel", unit.script_with_kernel),
        "all_inames": lambda unit: BoundMethod(
            "all_inames", lambda: FrozenScriptSet(iname.name for iname in unit.only().inames), takes_nothing=True
        ),
        "temporary_variables": lambda unit: {temporary.name: temporary for temporary in unit.only().temporaries},
        "default_entrypoint": lambda unit: unit.only(),
        "entrypoints": lambda unit: FrozenScriptSet(unit.names),
    }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the kernels made so far, then of the procedures not taken yet."""
        taken = self._taken()
        rest = (procedure.name for procedure in self.procedures if procedure.qualified_name not in taken)
        return (*(kernel.name for kernel in self.kernels), *rest)

    def get(self, name: str) -> Kernel:
        """The kernel of a name, lowered now if need be. Errors: FCL202, FCL223, and the frontend's."""
        wanted = name.lower()
        for kernel in self.kernels:
            if wanted == kernel.name.lower() or (wanted in kernel.origin and len(kernel.origin) == 1):
                return kernel
        found = [p for p in self.procedures if wanted in (p.name.lower(), p.qualified_name)]
        if not found:
            names = tuple(dict.fromkeys(self.names))
            raise Fault(
                "FCL202",
                f"there is no procedure '{name}' here",
                notes=(listed(names),),
                hints=did_you_mean(name, names),
            )
        if len(found) > 1:
            names = tuple(procedure.qualified_name for procedure in found)
            raise Fault("FCL223", f"there is more than one '{name}'", notes=(listed(names),))
        return self.lower(found[0])

    def only(self) -> Kernel:
        """The one kernel. Errors: FCL202, FCL223, and the frontend's."""
        if len(self.kernels) == 1:
            return self.kernels[0]
        if not self.kernels and len(self.procedures) == 1:
            return self.lower(self.procedures[0])
        if not self.names:
            raise Fault("FCL202", "there is no procedure in this translation unit")
        raise Fault(
            "FCL223",
            "this translation unit has more than one kernel",
            notes=(listed(self.names),),
            hints=(f'take one of them first: unit["{self.names[0]}"]',),
        )

    def with_kernel(self, kernel: Kernel) -> TranslationUnit:
        """The unit with a kernel put in, in place of the one of its name or of its procedures."""
        name, origin = kernel.name.lower(), set(kernel.origin)
        kept = tuple(k for k in self.kernels if k.name.lower() != name and not origin & set(k.origin))
        if len(kept) == len(self.kernels):
            return replace(self, kernels=(*self.kernels, kernel))
        place = next(n for n, k in enumerate(self.kernels) if k.name.lower() == name or origin & set(k.origin))
        before = tuple(k for k in self.kernels[:place] if k in kept)
        return replace(self, kernels=(*before, kernel, *kept[len(before) :]))

    def script_elements(self) -> tuple[Kernel, ...]:
        """All kernels, for ``one, two = unit`` as the peer's older scripts have it."""
        return self.kernels or tuple(map(self.lower, self.procedures))

    def script_with_kernel(self, *kernels: Value) -> TranslationUnit:
        """``unit.with_kernel(kernel)``. Errors: FCL205."""
        if len(kernels) != 1 or not isinstance(kernels[0], Kernel):
            given = ", ".join(map(kind_of, kernels)) or "nothing"
            raise Fault("FCL205", f"'with_kernel' takes one kernel, not {given}")
        return self.with_kernel(kernels[0])

    def _taken(self) -> set[str]:
        return {origin for kernel in self.kernels for origin in kernel.origin}


def listed(names: Sequence[str]) -> str:
    """What there is, for a note."""
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    return f"there is {shown}" if names else "there is none"
