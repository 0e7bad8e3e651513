"""Where a kernel came from: the Fortran procedure, as the host side needs to know it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from fortrancl.ir.kernel import Kernel
from fortrancl.source import SourceFile


@dataclass(frozen=True)
class DummyArgument:
    """A dummy as declared, for the bind(C) interface of the generated file.

    ``lower_bounds``/``extents`` are Fortran text over scalar dummies for explicit shapes. ``attributes`` are the
    lower-case declaration attributes that matter to a caller (``optional``, ``value``, ``target``, ``allocatable``,
    ``pointer``, ``contiguous``).
    """

    name: str
    rank: int
    attributes: frozenset[str] = frozenset()
    default_kind: bool = False


@dataclass(frozen=True)
class Procedure:
    """One procedure of one input file: its lines, where a BLOCK may be inserted, and its sequential kernel.

    Lines are 1-based lines of ``source``, the text as the user wrote it. ``insert_after`` is the last line of the
    specification part (continuations, and comments between, included); where the procedure has no executable part it
    is the line before END. ``is_public`` and ``is_plain`` tell what `--emit module` may wrap. ``parts``: the procedures
    that a new one, which the file does not have yet, calls in order; it comes after the last line.
    """

    name: str
    module: str | None
    kind: Literal["subroutine", "function"]
    source: SourceFile = field(repr=False)
    form: Literal["free", "fixed"]
    first_line: int
    last_line: int
    insert_after: int
    kernel: Kernel
    dummies: tuple[DummyArgument, ...]
    is_public: bool = True
    is_generic_or_bound: bool = False
    parts: tuple[Procedure, ...] = ()

    @property
    def qualified_name(self) -> str:
        """``module::procedure`` or ``procedure``, lower case: the key that `Kernel.origin` holds."""
        return f"{self.module}::{self.name}".lower() if self.module else self.name.lower()


def fused(parts: tuple[Procedure, ...], kernel: Kernel) -> Procedure:
    """The new procedure of a kernel made of several: it stands behind the last of them and has all their dummies."""
    last = max(parts, key=lambda part: part.last_line)
    dummies: dict[str, DummyArgument] = {}
    for part in parts:
        for dummy in part.dummies:
            known = dummies.setdefault(dummy.name.lower(), dummy)
            dummies[dummy.name.lower()] = replace(known, attributes=known.attributes | dummy.attributes)
    return Procedure(
        kernel.name,
        last.module,
        "subroutine",
        last.source,
        last.form,
        last.first_line,
        last.last_line,
        last.last_line,
        kernel,
        tuple(dummies.values()),
        is_public=all(part.is_public for part in parts),
        parts=parts,
    )
