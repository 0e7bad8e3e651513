"""A procedure's statements: specification and executable part, INCLUDE lines filled in; where code may be inserted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.frontend.blocks import SourceUnit
from fortrancl.frontend.classify import classify
from fortrancl.frontend.lines import lines_of, read_source
from fortrancl.frontend.logical import LogicalStatement, statements_of
from fortrancl.frontend.problems import Problems
from fortrancl.frontend.units import UnitOutline

_MAX_INCLUDES = 20
_SKIPPED = {"INTERFACE": "END INTERFACE", "derived TYPE": "END TYPE", "ENUM": "END ENUM"}
_INCLUDE = re.compile(r"include\s*(['\"])(.*)\1$", re.IGNORECASE)


@dataclass(frozen=True)
class Parts:
    """``insert_after``: line of the file after which a BLOCK may stand, before the first executable statement."""

    specification: tuple[LogicalStatement, ...]
    executable: tuple[LogicalStatement, ...]
    insert_after: int


def split_parts(unit: SourceUnit, outline: UnitOutline, problems: Problems) -> Parts:
    """Cut a procedure at its first executable statement. Reports FCL134, FCL135."""
    stop = outline.contains if outline.contains is not None else outline.last
    header = unit.statements[outline.first]
    specification: list[LogicalStatement] = []
    executable: list[LogicalStatement] = []
    last = header
    skipping = ""
    for own in unit.statements[outline.first + 1 : stop]:
        for statement in _included(unit, own, problems, 0):
            kind = classify(statement.text)
            if executable:
                executable.append(statement)
            elif skipping:
                # Inside an interface body or a type nothing is executable, whatever it looks like.
                specification.append(statement)
                skipping = "" if kind.word == skipping else skipping
            elif kind.part == "executable":
                executable.append(statement)
            else:
                skipping = _SKIPPED.get(kind.word, "")
                specification.append(statement)
        if not executable:
            last = own
        elif _same_line(last, own):
            message = "a specification and an executable statement stand on one line"
            problems.add(Diagnostic("FCL134", message, own.span(), hints=("write them on two lines",)))
            break
    if not executable:
        end = unit.statements[stop]
        return Parts(tuple(specification), (), unit.lines[end.first].number - 1)
    return Parts(tuple(specification), tuple(executable), _after(unit, last, executable[0]))


def _same_line(one: LogicalStatement, two: LogicalStatement) -> bool:
    return one.last == two.first


def _after(unit: SourceUnit, last: LogicalStatement, first_executable: LogicalStatement) -> int:
    """The line that ends the specification part; past the END of a preprocessor condition that is still open there."""
    line = unit.lines[last.last].number
    text = unit.source.text
    if "\n#" not in text and not text.startswith("#"):
        return line
    depth, position = _depth(unit, 1, line, 0), line
    limit = first_executable.line if first_executable.lines is unit.lines else line
    while depth > _depth(unit, 1, unit_start(unit, last), 0) and position + 1 < limit:
        position += 1
        depth = _depth(unit, position, position, depth)
    return position


def unit_start(unit: SourceUnit, statement: LogicalStatement) -> int:
    """First line of the innermost program unit round a statement."""
    starts = [u.first_line for u in unit.units if u.first_line <= statement.line <= u.last_line]
    return max(starts, default=1)


def _depth(unit: SourceUnit, first: int, last: int, depth: int) -> int:
    """Open preprocessor conditions after the lines ``first`` … ``last`` of the file."""
    for number in range(first, last + 1):
        text = unit.source.line_text(number)
        if text.startswith("#"):
            word = text[1:].lstrip()
            depth += word.startswith("if")
            depth -= word.startswith("endif")
    return depth


def _included(
    unit: SourceUnit, statement: LogicalStatement, problems: Problems, level: int
) -> tuple[LogicalStatement, ...]:
    """A statement, or what its INCLUDE line names."""
    match = _INCLUDE.match(statement.text)
    if match is None:
        return (statement,)
    if level >= _MAX_INCLUDES:
        problems.add(Diagnostic("FCL135", "INCLUDE lines are nested too deeply", statement.span()))
        return ()
    here = Path(statement.lines[statement.first].source.path).parent
    for folder in (here, *map(Path, unit.options.include_dirs)):
        path = folder / match[2]
        if path.is_file():
            try:
                source = read_source(str(path))
            except CompileError as error:
                problems.add(Diagnostic("FCL135", error.diagnostics[0].message, statement.span()))
                return ()
            unit.inputs.add(str(path))
            inner = statements_of(lines_of(source), unit.form)
            return tuple(s for own in inner for s in _included(unit, own, problems, level + 1))
    hint = "give its folder with -I"
    problems.add(Diagnostic("FCL135", f"the included file '{match[2]}' was not found", statement.span(), hints=(hint,)))
    return ()


@dataclass(frozen=True)
class Access:
    """How a procedure can be reached."""

    is_public: bool
    is_generic_or_bound: bool


def access_of(unit: SourceUnit, outline: UnitOutline) -> Access:
    """PUBLIC or PRIVATE, and whether an interface or a type names the procedure."""
    module = outline.parent
    if module is None:
        return Access(True, False)
    name = outline.name.lower()
    stop = module.contains if module.contains is not None else module.last
    default, own, bound = True, None, False
    for statement in unit.statements[module.first + 1 : stop]:
        text = statement.text.lower()
        match = re.match(r"(private|public)\b\s*(?:::)?\s*(.*)$", text)
        if match and not match[2]:
            default = match[1] == "public"
        elif match and name in re.findall(r"\w+", match[2]):
            own = match[1] == "public"
        elif re.match(r"(?:module\s+)?procedure\b", text) and name in re.findall(r"\w+", text):
            bound = True
    return Access(default if own is None else own, bound)
