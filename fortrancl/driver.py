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

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from fortrancl.diagnostics import CompileError, Diagnostic, Related, StepError, did_you_mean
from fortrancl.frontend import FrontendOptions, SourceUnit, UnitOutline, lower, read_source, scan
from fortrancl.host import CompiledKernel, Emit, HostFiles, HostOptions, host_files
from fortrancl.host.compiled import heading_span
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.procedure import Procedure
from fortrancl.script.interpreter import ScriptResult, Step
from fortrancl.source import SourceFile, Span


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
    compiled = []
    problems: list[Diagnostic] = []
    for kernel in result.kernels:
        try:
            compiled.append(_device_code(kernel, procedure_of(kernel, procedures), request.target, result.steps))
        except CompileError as error:
            problems.extend(_placed(diagnostic, kernel, result.steps) for diagnostic in error.diagnostics)
    if problems:
        raise CompileError(problems)
    with stage("host"):
        options = HostOptions(request.emit, request.prefix, request.fortran_path)
        files = host_files(unit.source, compiled, options)
    messages += _offload_notes(unit, compiled, by_script=request.transform is not None or unit.script is not None)
    inputs = (*unit.inputs_read, *((request.transform,) if request.transform else ()))
    return Compilation(request, files, tuple(compiled), result.steps, tuple(messages), inputs)


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
    messages += _kernel_notes(result.kernels)
    return unit, result, session.lowered, messages


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
            messages.append(_stays(procedure, error, session.unit.source))
            continue
        kernels.append(after)
        heading = _heading(procedure.outline, session.unit.source)
        steps.append(Step("auto_parallelize", heading, before, after))
    if not kernels:
        where = _beginning(session.unit.source)
        raise CompileError(refused or [Diagnostic("FCL202", "there is no procedure in this file to compile", where)])
    return ScriptResult(tuple(kernels), tuple(steps)), messages


def _heading(outline: UnitOutline, source: SourceFile) -> Span:
    line = source.span_of_lines(outline.first_line)
    return line.find(outline.name) or line


def _beginning(source: SourceFile) -> Span:
    """The first line that says something."""
    lines = (line for line in range(1, source.line_count + 1) if source.line_text(line).strip())
    return source.span_of_lines(next(lines, 1))


def _stays(procedure: _Taken, error: CompileError, source: SourceFile) -> Diagnostic:
    first = error.diagnostics[0]
    where = f" (line {first.span.line})" if first.span is not None else ""
    return Diagnostic(
        "FCL001",
        f"'{procedure.name}' stays as it is: {first.message}{where}",
        _heading(procedure.outline, source),
        severity="note",
    )


def _require_named(wanted: set[str], known: Sequence[str], unit: SourceUnit) -> None:
    names = {name.rsplit("::", 1)[-1] for name in known} | set(known)
    missing = sorted(wanted - names)
    if missing:
        where = _beginning(unit.source)
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
            where = Related("it stands here", _heading(known, unit.source))
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
            first, *others = (*refused.related, *_culprit(kernel, steps))
            raise CompileError([replace(diagnostic, span=first.span, related=tuple(others))]) from None
    return final


def _culprit(kernel: Kernel, steps: Sequence[Step]) -> list[Related]:
    """The step after which the judge refuses the kernel, found by halving."""
    path = [step for step in steps if set(step.after.origin) & set(kernel.origin)]
    if not path or _is_refused(path[0].before):
        return [] if kernel.span is None else [Related("in this procedure", kernel.span)]
    legal, refused = -1, len(path) - 1
    while refused - legal > 1:
        middle = (legal + refused) // 2
        if _is_refused(path[middle].after):
            refused = middle
        else:
            legal = middle
    return [Related("since this step", path[refused].span)]


def _placed(diagnostic: Diagnostic, kernel: Kernel, steps: Sequence[Step]) -> Diagnostic:
    """A refusal about a variable that no line declares stands at the step that made the variable."""
    if diagnostic.span is not None:
        return diagnostic
    said = " ".join((diagnostic.message, *diagnostic.notes))
    for step in steps:
        for name in step.after.temporary_by_name.keys() - step.before.temporary_by_name.keys():
            if f"'{name}'" in said:
                return replace(diagnostic, span=step.span)
    return replace(diagnostic, span=kernel.span)


def _is_refused(kernel: Kernel) -> bool:
    from fortrancl.analysis.legality import require_legal
    from fortrancl.schedule.build import finalise

    try:
        require_legal(finalise(kernel))
    except (StepError, CompileError):
        return True
    return False


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


def _kernel_notes(kernels: Sequence[Kernel]) -> list[Diagnostic]:
    return [
        Diagnostic(
            "FCL002",
            f"in '{kernel.name}': {note.message}",
            note.span,
            severity="warning" if note.is_warning else "note",
        )
        for kernel in kernels
        for note in kernel.notes
    ]


_NOT_TAKEN = "the script does not take it"


def _offload_notes(unit: SourceUnit, compiled: Sequence[CompiledKernel], *, by_script: bool) -> list[Diagnostic]:
    """Which procedures launch now, and which of the file the script left alone."""
    from fortrancl.schedule.plan import launches

    messages = []
    for item in compiled:
        count = len(launches(item.plan.body))
        what = "1 launch" if count == 1 else f"{count} launches"
        where = heading_span(item.procedure)
        message = f"'{item.procedure.name}' is offloaded ({what})"
        if item.procedure.parts:
            names = ", ".join(part.name for part in item.procedure.parts)
            message = f"the new procedure '{item.procedure.name}', which stands for {names}, is offloaded ({what})"
        messages.append(Diagnostic("FCL000", message, where, severity="note"))
    taken = {item.procedure.qualified_name for item in compiled}
    parts = {part.qualified_name: item.procedure.name for item in compiled for part in item.procedure.parts}
    for outline in unit.procedures if by_script else ():
        if outline.qualified_name not in taken:
            why = f"only '{new}' is offloaded" if (new := parts.get(outline.qualified_name)) else _NOT_TAKEN
            message = f"'{outline.name}' stays as it is: {why}"
            where = _heading(outline, unit.source)
            messages.append(Diagnostic("FCL001", message, where, severity="note"))
    return messages


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
