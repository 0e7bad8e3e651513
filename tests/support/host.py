"""Procedures with kernels built by hand, through the host side to a running program; no frontend, no script."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from fortrancl.host import CompiledKernel, HostFiles, HostOptions, host_files
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.procedure import DummyArgument, Procedure
from fortrancl.schedule.build import plan
from fortrancl.source import SourceFile
from fortrancl.target.opencl import DeviceProgram, generate
from fortrancl.transform.loops import split_iname
from tests.support.build import Program, build_program

STRICT = ("-std=f2008", "-Wall", "-Wextra")
STRICT_C = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wmissing-prototypes", "-O1", "-g")

Form = Literal["free", "fixed"]


@dataclass(frozen=True)
class Unit:
    """A source file whose procedures have a comment ``! body`` as the first line after their declarations."""

    source: SourceFile
    form: Form = "free"

    def procedure(self, kernel: Kernel, name: str | None = None, **changes: object) -> Procedure:
        """The procedure of the kernel's name; ``changes`` replace fields."""
        name = name or kernel.name
        lines = ["", *self.source.text.split("\n")]
        first = next(n for n, line in enumerate(lines) if re.search(rf"(subroutine|function)\s+{name}\b", line))
        body = next(n for n in range(first, len(lines)) if re.match(r"[c!\s]*body\b", lines[n]))
        last = next(n for n in range(body, len(lines)) if re.match(r"\s*end\s*(subroutine|function|$)", lines[n]))
        modules = [m[1] for line in lines[:first] if (m := re.match(r"\s*(?:end )?module (\w+)", line))]
        inside = len(modules) % 2 == 1
        kind: Literal["subroutine", "function"] = "function" if "function" in lines[first] else "subroutine"
        procedure = Procedure(
            name=name,
            module=modules[-1] if inside else None,
            kind=kind,
            source=self.source,
            form=self.form,
            first_line=first,
            last_line=last,
            insert_after=body - 1,
            kernel=kernel,
            dummies=tuple(DummyArgument(a.name, len(a.shape)) for a in kernel.arguments),
        )
        return replace(procedure, **changes)  # type: ignore[arg-type]


def parallel(kernel: Kernel, iname: str, size: int = 16, axis: int = 0) -> Kernel:
    """The loop as work-groups of ``size`` work-items; it stays unproved here."""
    return split_iname(kernel, iname, size, outer_tag=f"g.{axis}", inner_tag=f"l.{axis}")


def compiled(
    procedure: Procedure, final: Kernel | None = None, change: Callable[[str], str] | None = None
) -> CompiledKernel:
    """Plan and OpenCL text of a procedure; ``change`` spoils the text where a test wants that."""
    launch_plan = plan(final or procedure.kernel)
    program = generate(launch_plan)
    if change is not None:
        program = DeviceProgram(change(program.text), program.functions)
    return CompiledKernel(procedure, launch_plan, program)


def unit(text: str, path: str = "work.f90") -> Unit:
    """A source text as a file."""
    return Unit(SourceFile(path, text), "fixed" if path.lower().endswith((".f", ".for")) else "free")


def write(folder: Path, files: HostFiles, name: str, main: str) -> None:
    """The written files and a main program."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = name.rsplit(".", 1)[0]
    if files.fortran_text is not None:
        (folder / name).write_text(files.fortran_text)
    (folder / f"{stem}_fcl.c").write_text(files.c_text)
    (folder / f"{stem}.cl").write_text(files.cl_text)
    (folder / "main.f90").write_text(main)


def build(
    folder: Path,
    source: Unit,
    kernels: Sequence[CompiledKernel],
    main: str,
    flags: Sequence[str] = (*STRICT, "-O1", "-g"),
    options: HostOptions | None = None,
) -> Program:
    """Write, compile and link; nobody may have anything to say about the written files."""
    name = source.source.path
    write(folder, host_files(source.source, kernels, options), name, main)
    stem = name.rsplit(".", 1)[0]
    program = build_program(folder, [name, "main.f90"], [f"{stem}_fcl.c"], flags, c_flags=STRICT_C)
    assert program.messages == "", program.messages
    return program


def with_environment(base: Mapping[str, str], **more: str) -> dict[str, str]:
    """An environment with additions."""
    return {**base, **more}
