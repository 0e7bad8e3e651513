"""What the host side is given and what it makes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.procedure import Procedure
from fortrancl.schedule.plan import LaunchPlan
from fortrancl.source import Span
from fortrancl.target.opencl import DeviceProgram

Emit = Literal["inplace", "module", "c"]


@dataclass(frozen=True)
class CompiledKernel:
    """One procedure with its launches and its OpenCL program; ``build_options`` go to the device's compiler."""

    procedure: Procedure
    plan: LaunchPlan
    program: DeviceProgram
    build_options: tuple[str, ...] = ()


@dataclass(frozen=True)
class HostOptions:
    """``prefix`` goes into every C name, for a file that is built twice into one program. ``fortran_path`` is where
    the Fortran text will stand, as the user spells it: debuggers show inserted lines there."""

    emit: Emit = "inplace"
    prefix: str = ""
    fortran_path: str | None = None


@dataclass(frozen=True)
class HostFiles:
    """Texts of the files for one input file; no Fortran for ``--emit c``."""

    fortran_text: str | None
    c_text: str
    cl_text: str


def refusal(
    code: str, message: str, span: Span | None, hints: Iterable[str] = (), notes: Iterable[str] = ()
) -> CompileError:
    """One diagnostic of this room, to raise."""
    return CompileError([Diagnostic(code, message, span, notes=tuple(notes), hints=tuple(hints))])


def heading_span(procedure: Procedure) -> Span:
    """The procedure's first line, where its name stands if it does."""
    line = procedure.source.span_of_lines(procedure.first_line)
    return line.find(procedure.name) or line
