"""What is said of a compilation that is no refusal of a stage: notes, and places for what has none of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fortrancl.diagnostics import CompileError, Diagnostic, Related, StepError
from fortrancl.frontend import SourceUnit, UnitOutline
from fortrancl.host import CompiledKernel
from fortrancl.host.compiled import heading_span
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.procedure import Procedure
from fortrancl.script.interpreter import Step
from fortrancl.source import SourceFile, Span

_MISTAKES = {"FCL103", "FCL309", "FCL604"}


def are_mistakes(diagnostics: Sequence[Diagnostic]) -> bool:
    """Whether the input is wrong, not merely more than a kernel can do: no Fortran, never in bounds, no such module."""
    return any(diagnostic.code in _MISTAKES for diagnostic in diagnostics)


def heading(outline: UnitOutline | Procedure, source: SourceFile) -> Span:
    """The name in a procedure's first line, or that line."""
    line = source.span_of_lines(outline.first_line)
    return line.find(outline.name) or line


def beginning(source: SourceFile) -> Span:
    """The first line that says something."""
    lines = (line for line in range(1, source.line_count + 1) if source.line_text(line).strip())
    return source.span_of_lines(next(lines, 1))


def stays(procedure: UnitOutline | Procedure, unit: SourceUnit, diagnostics: Sequence[Diagnostic]) -> Diagnostic:
    """FCL001 for a procedure that cannot be compiled."""
    first = diagnostics[0]
    where = f" (line {first.span.line})" if first.span is not None else ""
    return Diagnostic(
        "FCL001",
        f"'{procedure.name}' stays as it is: {first.message}{where}",
        heading(procedure, unit.source),
        severity="note",
    )


def culprit(kernel: Kernel, steps: Sequence[Step]) -> list[Related]:
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


def placed(diagnostic: Diagnostic, kernel: Kernel, steps: Sequence[Step]) -> Diagnostic:
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


def kernel_notes(kernels: Sequence[Kernel]) -> list[Diagnostic]:
    """FCL002: what steps took for granted."""
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


def offload_notes(unit: SourceUnit, compiled: Sequence[CompiledKernel], *, by_script: bool) -> list[Diagnostic]:
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
            where = heading(outline, unit.source)
            messages.append(Diagnostic("FCL001", message, where, severity="note"))
    return messages
