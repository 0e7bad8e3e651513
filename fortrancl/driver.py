"""The spine: the stages of a compilation in order.

read      path ─► SourceFile
scan      SourceFile ─► SourceUnit (script, tags, program units; nothing parsed)
script    SourceUnit ─► kernels, each procedure lowered when the script takes it, each step proved
finalise  Kernel ─► Kernel with lanes and address spaces decided
judge     the finished kernel, asked in full
schedule  Kernel ─► LaunchPlan
target    LaunchPlan ─► OpenCL text
host      all of a file ─► launcher C and Fortran
write     texts ─► files, whole or not at all
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from fortrancl.diagnostics import CompileError, Diagnostic, Related, StepError, did_you_mean
from fortrancl.frontend import FrontendOptions, SourceUnit, UnitOutline, lower, read_source, scan
from fortrancl.host import CompiledKernel, Emit, HostFiles, HostOptions, host_files
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.procedure import Procedure
from fortrancl.remarks import are_mistakes, beginning, culprit, heading, kernel_notes, offload_notes, placed, stays
from fortrancl.script.interpreter import ScriptResult, Step
from fortrancl.source import SourceFile


class InternalError(Exception):
    """A fault of fortrancl itself; ``stage`` is where it happened, the cause what Python said."""

    def __init__(self, stage: str, cause: BaseException) -> None:
        super().__init__(f"{stage}: {type(cause).__name__}: {cause}")
        self.stage = stage
        self.cause = cause


@dataclass(frozen=True)
class Request:
    """One compilation as the command line asks for it; ``variables`` are those of ``--set``."""

    path: str
    kernels: tuple[str, ...] = ()
    transform: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    frontend: FrontendOptions = field(default_factory=FrontendOptions)
    emit: Emit = "inplace"
    target: str = "opencl"
    prefix: str = ""
    fortran_path: str | None = None


@dataclass(frozen=True)
class Compilation:
    """What came of one input: texts, the kernels behind them, messages that are no errors, and the files read."""

    request: Request
    files: HostFiles
    compiled: tuple[CompiledKernel, ...]
    steps: tuple[Step, ...]
    messages: tuple[Diagnostic, ...]
    inputs: tuple[str, ...]


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Whatever goes wrong inside that is no diagnostic is our fault, and is told with the stage's name."""
    try:
        yield
    except (CompileError, InternalError):
        raise
    except Exception as cause:
        raise InternalError(name, cause) from cause


def compile_file(request: Request) -> Compilation:
    """All stages but writing. Raises `CompileError` with all diagnostics of the stage that failed, `InternalError`."""
    unit, result, procedures, messages = transformed(request)
    by_script = request.transform is not None or unit.script is not None
    may_stay = not by_script and not request.kernels
    compiled: list[CompiledKernel] = []
    left: list[Diagnostic] = []
    problems: list[Diagnostic] = []
    for kernel in result.kernels:
        try:
            compiled.append(_device_code(kernel, procedure_of(kernel, procedures), request.target, result.steps))
        except CompileError as error:
            found = [placed(diagnostic, kernel, result.steps) for diagnostic in error.diagnostics]
            if may_stay and not are_mistakes(found):
                left += found
                messages.append(stays(procedures[kernel.origin[0]], unit, found))
            else:
                problems += found
    if problems or not compiled:
        raise CompileError(problems or left)
    with stage("host"):
        options = HostOptions(request.emit, request.prefix, request.fortran_path)
        if may_stay:
            compiled = _launchable(unit, compiled, options, messages)
        files = host_files(unit.source, compiled, options)
    messages += offload_notes(unit, compiled, by_script=by_script)
    inputs = (*unit.inputs_read, *((request.transform,) if request.transform else ()))
    return Compilation(request, files, tuple(compiled), result.steps, tuple(messages), inputs)


def _launchable(
    unit: SourceUnit, compiled: list[CompiledKernel], options: HostOptions, messages: list[Diagnostic]
) -> list[CompiledKernel]:
    """Those of an automatic mapping that can be launched; the others stay, with a note."""
    try:
        host_files(unit.source, compiled, options)
        return compiled
    except CompileError as error:
        if are_mistakes(error.diagnostics):
            raise
        everything = error
    kept = []
    for item in compiled:
        try:
            host_files(unit.source, [item], options)
            kept.append(item)
        except CompileError as error:
            messages.append(stays(item.procedure, unit, error.diagnostics))
    if not kept:
        raise everything
    return kept


def transformed(
    request: Request,
) -> tuple[SourceUnit, ScriptResult, dict[str, Procedure], list[Diagnostic]]:
    """The front half: the file's kernels after its script, and the procedures they come from, by qualified name."""
    with stage("read"):
        source = read_source(request.path)
    with stage("scan"):
        unit = scan(source, request.frontend)
    session = _Session(unit)
    script = _script_of(unit, request.transform)
    if script is None:
        with stage("automatic mapping"):
            result, messages = _automatic(session, request)
    else:
        with stage("script"):
            from fortrancl.script.interpreter import run_script

            result, messages = run_script(script, session, request.variables), []
            result = _selected(result, request, unit)
            _require_in_place(result, unit, session)
    if os.environ.get("FORTRANCL_VERIFY"):
        _verify(result.steps)
    messages += kernel_notes(result.kernels)
    return unit, result, session.lowered, messages


def _verify(steps: Sequence[Step]) -> None:
    """FORTRANCL_VERIFY=1: the kernel after each step, held against the invariants of the IR; a failure is ours."""
    from fortrancl.ir.verify import verify

    for step in steps:
        with stage(f"verification after {step.call}"):
            verify(step.after)


def _script_of(unit: SourceUnit, transform: str | None) -> Any:
    if transform is None:
        return unit.script
    from fortrancl.script.places import ScriptFile

    with stage("read"):
        return ScriptFile(read_source(transform))


class _Taken:
    """A procedure of the file, lowered when a script takes it."""

    def __init__(self, session: _Session, unit: SourceUnit, outline: Any) -> None:
        self.session, self.unit = session, unit
        self.outline: UnitOutline = outline
        self.name: str = outline.name
        self.qualified_name: str = outline.qualified_name

    def kernel(self) -> Kernel:
        """Its sequential kernel. Raises `CompileError` where the procedure is not supported."""
        with stage("frontend"):
            found = lower(self.unit, self.outline)
        self.session.lowered[self.qualified_name] = found
        return found.kernel


class _Session:
    """What a script may know of the file, and the procedures lowered so far."""

    def __init__(self, unit: SourceUnit) -> None:
        self.unit = unit
        self.lowered: dict[str, Procedure] = {}

    @property
    def text(self) -> str:
        """SOURCE."""
        return self.unit.fortran_text

    @property
    def path(self) -> str:
        """FILENAME."""
        return self.unit.source.path

    def procedures(self, text: str) -> tuple[_Taken, ...]:
        """Procedures of SOURCE, or of a text that the script made of it."""
        unit = self.unit
        if text != self.unit.fortran_text:
            unit = scan(self.unit.source, self.unit.options, text=text, inputs=self.unit.inputs)
        return tuple(_Taken(self, unit, outline) for outline in unit.procedures)

    def preprocess(self, text: str, defines: Mapping[str, str], include_dirs: tuple[str, ...]) -> str:
        """The text after a C preprocessor; what it includes counts as read."""
        from fortrancl.frontend.preprocess import preprocess

        options = FrontendOptions(tuple(f"{n}={v}" if v else n for n, v in defines.items()), include_dirs)
        done = preprocess(SourceFile(self.path, text), options)
        for path in done.included:
            self.unit.inputs.add(path)
        return done.text


def _automatic(session: _Session, request: Request) -> tuple[ScriptResult, list[Diagnostic]]:
    """Without a script: every procedure that can be is mapped by proof; the others stay, with a note."""
    from fortrancl.transform.automatic import auto_parallelize

    wanted = {name.lower() for name in request.kernels}
    procedures = session.procedures(session.text)
    _require_named(wanted, [p.qualified_name for p in procedures], session.unit)
    kernels: list[Kernel] = []
    steps: list[Step] = []
    messages: list[Diagnostic] = []
    refused: list[Diagnostic] = []
    mistakes: list[Diagnostic] = []
    for procedure in procedures:
        if wanted and not wanted & {procedure.name.lower(), procedure.qualified_name}:
            continue
        try:
            before = procedure.kernel()
            after = auto_parallelize(before)
        except CompileError as error:
            if wanted:
                raise
            refused.extend(error.diagnostics)
            if are_mistakes(error.diagnostics):
                mistakes += [replace(d, hints=(*d.hints, _OTHERS)) for d in error.diagnostics]
            messages.append(stays(procedure.outline, session.unit, error.diagnostics))
            continue
        kernels.append(after)
        where = heading(procedure.outline, session.unit.source)
        steps.append(Step("auto_parallelize", where, before, after))
    if mistakes and kernels:
        raise CompileError(mistakes)
    if not kernels:
        start = beginning(session.unit.source)
        raise CompileError(refused or [Diagnostic("FCL202", "there is no procedure in this file to compile", start)])
    return ScriptResult(tuple(kernels), tuple(steps)), messages


_OTHERS = "--kernel NAME compiles only the procedures that you name"


def _require_named(wanted: set[str], known: Sequence[str], unit: SourceUnit) -> None:
    names = {name.rsplit("::", 1)[-1] for name in known} | set(known)
    missing = sorted(wanted - names)
    if missing:
        where = beginning(unit.source)
        raise CompileError(
            Diagnostic("FCL202", f"there is no procedure '{name}' here", where, hints=did_you_mean(name, names))
            for name in missing
        )


def _require_in_place(result: ScriptResult, unit: SourceUnit, session: _Session) -> None:
    """Kernels replace procedures of this file, at the lines where the file has them.

    A script may hand `parse_fortran` any text; what it says of other lines than the file's cannot be put in place.
    """
    here = {outline.qualified_name: outline for outline in unit.procedures}
    for name in (name for kernel in result.kernels for name in kernel.origin):
        outline = here.get(name)
        if outline is None:
            message = f"RESULT holds '{name}', which is no procedure of this file"
            raise CompileError([Diagnostic("FCL217", message, result.span, hints=did_you_mean(name, here))])
        found = session.lowered[name]
        if (found.first_line, found.last_line) != (outline.first_line, outline.last_line):
            message = f"the script parsed '{name}' from a text in which it has other lines than in the file"
            hint = "lp.c_preprocess keeps track of lines; other changes of SOURCE must keep their number"
            raise CompileError([Diagnostic("FCL217", message, result.span, hints=(hint,))])
    taken = {known.name.lower(): known for known in unit.units if known.name}
    for kernel in result.kernels:
        known = taken.get(kernel.name.lower())
        if len(kernel.origin) > 1 and known is not None:
            message = f"the new procedure '{kernel.name}' has the name of one that the file has"
            where = Related("it stands here", heading(known, unit.source))
            hint = f'give it another: lp.rename_kernel(kernel, "{kernel.name}", "...")'
            raise CompileError([Diagnostic("FCL606", message, result.span, related=(where,), hints=(hint,))])


def _selected(result: ScriptResult, request: Request, unit: SourceUnit) -> ScriptResult:
    """The kernels that ``--kernel`` names."""
    if not request.kernels:
        return result
    wanted = {name.lower() for name in request.kernels}
    _require_named(wanted, [o for k in result.kernels for o in (*k.origin, k.name.lower())], unit)
    chosen = tuple(
        k for k in result.kernels if wanted & {k.name.lower(), *k.origin, *(o.rsplit("::", 1)[-1] for o in k.origin)}
    )
    return replace(result, kernels=chosen)


def final_kernel(kernel: Kernel, steps: Sequence[Step] = ()) -> Kernel:
    """The kernel with lanes and address spaces decided, asked of the judge in full.

    Raises `CompileError` at the statement at fault, naming that one of ``steps`` which made the kernel so.
    """
    from fortrancl.analysis.legality import require_legal
    from fortrancl.schedule.build import finalise

    with stage("finalise"):
        final = finalise(kernel)
    with stage("legality"):
        try:
            require_legal(final)
        except StepError as refused:
            diagnostic = refused.at(None)
            first, *others = (*refused.related, *culprit(kernel, steps))
            raise CompileError([replace(diagnostic, span=first.span, related=tuple(others))]) from None
    return final


def procedure_of(kernel: Kernel, procedures: Mapping[str, Procedure]) -> Procedure:
    """What launches a kernel: the procedure it was made of, or a new one that stands for several."""
    if len(kernel.origin) == 1:
        return procedures[kernel.origin[0]]
    from fortrancl.ir.procedure import fused
    from fortrancl.transform.fuse import sequence

    parts = tuple(procedures[name] for name in kernel.origin)
    return fused(parts, sequence([part.kernel for part in parts], kernel.name))


def _device_code(kernel: Kernel, procedure: Procedure, target: str, steps: Sequence[Step]) -> CompiledKernel:
    from fortrancl.schedule.build import plan
    from fortrancl.target.opencl import generate

    final = final_kernel(kernel, steps)
    with stage("schedule"):
        launches = plan(final)
    with stage("target"):
        return CompiledKernel(procedure, launches, generate(launches, target))


__all__ = [
    "Compilation",
    "InternalError",
    "Request",
    "compile_file",
    "final_kernel",
    "procedure_of",
    "stage",
    "transformed",
]
