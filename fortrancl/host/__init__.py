"""The host side: from launch plans to the Fortran that calls and the C that launches.

`host_files` is the one entry. The files work with the library in ``runtime/``, which a program links once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.host.compiled import CompiledKernel, Emit, HostFiles, HostOptions, heading_span, refusal
from fortrancl.host.face import Face, face
from fortrancl.host.inplace import inplace_file
from fortrancl.host.launcher import launcher_file
from fortrancl.host.module import module_file
from fortrancl.source import SourceFile

__all__ = ["CompiledKernel", "Emit", "HostFiles", "HostOptions", "host_files", "runtime_directory", "runtime_source"]


def host_files(source: SourceFile, programs: Sequence[CompiledKernel], options: HostOptions | None = None) -> HostFiles:
    """All texts for one input file and its compiled procedures, in the order of the file.

    The same input gives the same bytes. Raises `CompileError`: FCL311 (part of an array has no formula), FCL601
    (elemental), FCL602 (dummy that cannot cross), FCL603 (two kernels of one procedure), FCL604 (`--emit module`
    impossible), FCL605 (kernel of no procedure here), FCL607 (a size is data).
    """
    options = options or HostOptions()
    ordered = sorted(programs, key=lambda compiled: compiled.procedure.first_line)
    faces = _faces(ordered, options)
    return HostFiles(
        _fortran(source, faces, options),
        launcher_file(faces, source.path),
        "\n".join(compiled.program.text for compiled in ordered),
    )


def _faces(programs: Sequence[CompiledKernel], options: HostOptions) -> list[Face]:
    """Seams of all procedures, or every reason why there is none."""
    faces: dict[str, Face] = {}
    problems: list[Diagnostic] = []
    for compiled in programs:
        name = compiled.procedure.qualified_name
        try:
            if name in faces:
                raise refusal(
                    "FCL603",
                    f"two kernels stand for procedure '{compiled.procedure.name}'",
                    heading_span(compiled.procedure),
                    hints=("give the script's RESULT one kernel for each procedure",),
                )
            faces[name] = face(compiled, options.prefix)
        except CompileError as error:
            problems.extend(error.diagnostics)
    if problems:
        raise CompileError(problems)
    return list(faces.values())


def _fortran(source: SourceFile, faces: Sequence[Face], options: HostOptions) -> str | None:
    if options.emit == "c":
        return None
    if options.emit == "module":
        return module_file(faces)
    return inplace_file(source, faces, options.fortran_path)


def runtime_directory() -> Path:
    """The folder that generated C needs as an include path."""
    return Path(__file__).parent / "runtime"


def runtime_source() -> Path:
    """The run-time library's one file to compile."""
    return runtime_directory() / "fortrancl_rt.c"
