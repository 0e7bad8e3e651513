"""One file taken apart without parsing it: script, tagged regions, statements, program units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from fortrancl.frontend.lines import Form, Line, form_of, lines_of
from fortrancl.frontend.logical import LogicalStatement, statements_of
from fortrancl.frontend.options import FrontendOptions
from fortrancl.frontend.problems import Problems
from fortrancl.frontend.script_blocks import ScriptText, TagRegion, find_sentinels
from fortrancl.frontend.units import UnitOutline, find_units
from fortrancl.source import SourceFile


@dataclass
class Inputs:
    """Files read so far on behalf of one input, in order; grows while procedures are lowered."""

    paths: list[str] = field(default_factory=list)

    def add(self, path: str) -> None:
        """Remember a file."""
        if path not in self.paths:
            self.paths.append(path)


@dataclass(frozen=True)
class SourceUnit:
    """A scanned file. ``fortran_text`` is its text with script lines blanked, line for line (the script's SOURCE)."""

    source: SourceFile
    form: Form
    lines: tuple[Line, ...] = field(repr=False)
    statements: tuple[LogicalStatement, ...] = field(repr=False)
    script: ScriptText | None
    tag_regions: tuple[TagRegion, ...]
    units: tuple[UnitOutline, ...]
    fortran_text: str = field(repr=False)
    options: FrontendOptions
    inputs: Inputs = field(compare=False, repr=False)

    @property
    def inputs_read(self) -> tuple[str, ...]:
        """Every file read so far for this input: itself, included files, files of used modules."""
        return tuple(self.inputs.paths)

    @property
    def procedures(self) -> tuple[UnitOutline, ...]:
        """Module procedures and external ones: those a kernel can be made of."""
        return tuple(unit for unit in self.units if unit.kind in ("subroutine", "function") and not unit.is_internal)

    def tags_at(self, statement: LogicalStatement) -> frozenset[str]:
        """Names of the regions that hold a statement."""
        if not self.tag_regions:
            return frozenset()
        return frozenset(r.name for r in self.tag_regions if r.first < statement.first and statement.last < r.last)


def scan(
    source: SourceFile, options: FrontendOptions | None = None, text: str | None = None, inputs: Inputs | None = None
) -> SourceUnit:
    """Find the script, the tagged regions and the program units of a file; nothing is parsed.

    ``text`` is given for a form of ``source`` that a preprocessor made (line markers ``# 12 "file"`` say what moved).
    Without it the file is preprocessed when it needs it.
    Raises `CompileError`: FCL103 (a string that does not end), FCL104 … FCL108, FCL136 (preprocessor).
    """
    options = options or FrontendOptions()
    inputs = inputs or Inputs()
    inputs.add(source.path)
    form = form_of(source.path)
    included: dict[str, SourceFile] = {}
    if text is None and needs_preprocessing(source.text, options):
        from fortrancl.frontend.preprocess import preprocess

        done = preprocess(source, options)
        text, included = done.text, done.included
        for path in included:
            inputs.add(path)
    lines = lines_of(source, text, included)
    problems = Problems()
    sentinels = find_sentinels(lines, form, problems)
    problems.raise_any()
    statements = statements_of(lines, form)
    units = find_units(statements, problems)
    problems.raise_any()
    return SourceUnit(
        source,
        form,
        lines,
        statements,
        sentinels.script,
        sentinels.regions,
        units,
        _blanked(lines, sentinels.script_lines),
        options,
        inputs,
    )


def needs_preprocessing(text: str, options: FrontendOptions) -> bool:
    """Whether a C preprocessor could change the text: it has directives, or names that ``-D`` defines."""
    if text.startswith("#") or "\n#" in text:
        return True
    return any(definition.split("=")[0] in text for definition in options.defines)


def _blanked(lines: Sequence[Line], script_lines: frozenset[int]) -> str:
    return "".join(("" if position in script_lines else line.text) + "\n" for position, line in enumerate(lines))
