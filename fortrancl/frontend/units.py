"""Program units found by their first and last statements, without parsing what lies between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from fortrancl.diagnostics import Diagnostic, Related
from fortrancl.frontend.logical import LogicalStatement
from fortrancl.frontend.problems import Problems

UnitKind = Literal["module", "submodule", "subroutine", "function", "program", "procedure", "block data"]

_PREFIX = re.compile(
    r"(?:(?:recursive|non_recursive|pure|elemental|impure|module"
    r"|(?:integer|real|logical|complex|character|double\s*precision|type|class)"
    r"\s*(?:\*\s*\d+|\((?:[^()]|\([^()]*\))*\))?)\s*)*"
)
_PROCEDURE = re.compile(r"\b(subroutine|function)\s+([a-z]\w*)\s*(?=\(|$|bind\b|result\b)")
_MODULE = re.compile(r"module\s+(?!procedure\b|subroutine\b|function\b)([a-z]\w*)$")
_SUBMODULE = re.compile(r"submodule\s*\([^)]*\)\s*([a-z]\w*)$")
_SEPARATE = re.compile(r"module\s+procedure\s+([a-z]\w*)$")
_PROGRAM = re.compile(r"program\s+([a-z]\w*)$")
_BLOCK_DATA = re.compile(r"block\s*data(?:\s+([a-z]\w*))?$")
_END = re.compile(
    r"end(?:\s*(subroutine|function|module|submodule|program|procedure|block\s*data)(?:\s+([a-z]\w*))?)?$"
)
_INTERFACE = re.compile(r"(?:abstract\s+)?interface\b(?!\s*[=(%])")
_END_INTERFACE = re.compile(r"end\s*interface\b")
_TYPE = re.compile(r"type\b\s*(?:,|::|[a-z]\w*$)")
_END_TYPE = re.compile(r"end\s*type\b")
_CANDIDATE = re.compile(
    r"end|module|submodule|program|block|contains|interface|abstract|type|.*\b(?:subroutine|function)\b"
)


@dataclass(frozen=True)
class UnitOutline:
    """One program unit: ``statements[first:last + 1]`` of its file, END included.

    ``contains``: position of its CONTAINS statement, or None. ``module``: name of the module round it, if it is a
    module procedure. ``parent``: the unit round it. Lines are 1-based lines of the file.
    """

    kind: UnitKind
    name: str
    module: str | None
    parent: UnitOutline | None = field(repr=False)
    first: int
    last: int
    contains: int | None
    first_line: int
    last_line: int
    contains_line: int | None

    @property
    def qualified_name(self) -> str:
        """``module::procedure`` or ``procedure``, lower case, as `ir.procedure.Procedure` has it."""
        return f"{self.module}::{self.name}".lower() if self.module else self.name.lower()

    @property
    def is_procedure(self) -> bool:
        """A subroutine or function, one inside another procedure included."""
        return self.kind in ("subroutine", "function", "procedure")

    @property
    def is_internal(self) -> bool:
        """A procedure inside a procedure or program."""
        return self.parent is not None and self.parent.kind not in ("module", "submodule")


@dataclass
class _Open:
    kind: UnitKind
    name: str
    first: int
    contains: int | None = None
    last: int = -1
    children: list[_Open] = field(default_factory=list)


def find_units(statements: Sequence[LogicalStatement], problems: Problems) -> tuple[UnitOutline, ...]:
    """All program units, outer ones first, in the order of the file. Reports FCL108."""
    reader = _Reader(statements, problems)
    for position, statement in enumerate(statements):
        reader.read(position, statement)
    return reader.finish()


class _Reader:
    def __init__(self, statements: Sequence[LogicalStatement], problems: Problems) -> None:
        self.statements, self.problems = statements, problems
        self.stack: list[_Open] = []
        self.roots: list[_Open] = []
        # Procedures inside an interface body are declarations only; their ENDs are counted here.
        self.interface_depth = 0
        self.interface_units = 0
        self.in_type = False

    def read(self, position: int, statement: LogicalStatement) -> None:
        text = statement.text.lower()
        if not _CANDIDATE.match(text):
            if not self.stack and not text.startswith("include"):
                self.open(_Open("program", "", position))
            return
        if self.in_type:
            self.in_type = not _END_TYPE.match(text)
        elif self.interface_depth:
            self.read_in_interface(text)
        elif _INTERFACE.match(text) and "=" not in text.split("(")[0]:
            self.interface_depth = 1
        elif _TYPE.match(text) and "=" not in text:
            self.in_type = True
        elif text == "contains" and self.stack and self.stack[-1].contains is None:
            self.stack[-1].contains = position
        elif end := _END.match(text):
            self.close(position, end[1], end[2])
        elif opened := self.beginning(position, text):
            self.open(opened)
        elif not self.stack:
            self.open(_Open("program", "", position))

    def read_in_interface(self, text: str) -> None:
        if _END_INTERFACE.match(text):
            self.interface_depth = 0
            self.interface_units = 0
        elif _END.match(text):
            self.interface_units = max(self.interface_units - 1, 0)

    def beginning(self, position: int, text: str) -> _Open | None:
        procedure = _PROCEDURE.search(text)
        spelled = self.statements[position].text
        if procedure and _PREFIX.fullmatch(text[: procedure.start()]):
            kind: UnitKind = "subroutine" if procedure[1] == "subroutine" else "function"
            if kind == "subroutine" or text[procedure.end() :].startswith("("):
                return _Open(kind, spelled[procedure.start(2) : procedure.end(2)], position)
        patterns: tuple[tuple[UnitKind, re.Pattern[str]], ...] = (
            ("module", _MODULE),
            ("submodule", _SUBMODULE),
            ("program", _PROGRAM),
            ("block data", _BLOCK_DATA),
            ("procedure", _SEPARATE),
        )
        for kind, pattern in patterns:
            if match := pattern.fullmatch(text):
                name = spelled[match.start(1) : match.end(1)] if match[1] else ""
                return _Open(kind, name, position)
        return None

    def open(self, unit: _Open) -> None:
        (self.stack[-1].children if self.stack else self.roots).append(unit)
        self.stack.append(unit)

    def close(self, position: int, kind: str | None, name: str | None) -> None:
        span = self.statements[position].span()
        if not self.stack:
            self.problems.add(Diagnostic("FCL108", "END without the beginning of a program unit", span))
            return
        unit = self.stack.pop()
        unit.last = position
        opening = self.statements[unit.first].span()
        kind = " ".join(kind.split()).replace("blockdata", "block data") if kind else None
        wrong_kind = kind is not None and kind != unit.kind
        if wrong_kind or (name is not None and name != unit.name.lower()):
            wanted = f"end {unit.kind} {unit.name}".rstrip()
            self.problems.add(
                Diagnostic(
                    "FCL108",
                    f"this END does not fit {unit.kind} '{unit.name}'",
                    span,
                    (Related("the unit begins here", opening),),
                    (),
                    (f"write '{wanted}'",),
                )
            )

    def finish(self) -> tuple[UnitOutline, ...]:
        for unit in self.stack:
            span = self.statements[unit.first].span()
            self.problems.add(
                Diagnostic(
                    "FCL108",
                    f"{unit.kind} '{unit.name}' has no END" if unit.name else "a main program has no END",
                    span,
                    (),
                    (),
                    (f"add 'end {unit.kind}'",),
                )
            )
            unit.last = len(self.statements) - 1
        result: list[UnitOutline] = []
        for root in self.roots:
            self.outline(root, None, result)
        return tuple(result)

    def outline(self, unit: _Open, parent: UnitOutline | None, result: list[UnitOutline]) -> None:
        within = parent.name if parent is not None and parent.kind in ("module", "submodule") else None
        last = self.statements[unit.last]
        made = UnitOutline(
            unit.kind,
            unit.name,
            within,
            parent,
            unit.first,
            unit.last,
            unit.contains,
            self.statements[unit.first].line,
            last.lines[last.last].number,
            None if unit.contains is None else self.statements[unit.contains].line,
        )
        result.append(made)
        for child in unit.children:
            self.outline(child, made, result)
