"""The user's file with a BLOCK in each compiled procedure that calls its launcher.

Input: the file's text and the seams of its compiled procedures. Output: the same text with lines inserted and line
markers round them, so that compilers' messages and debuggers speak of the user's lines. Everything else is the user's,
byte for byte: names, dummies, calls, generics, host association all keep their meaning, because the procedure still is
the user's.

Two places change. After the specification part: ask the launcher, and return if it did the work. Before the end, for
FORTRANCL_COMPARE: hand over what the body made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from fortrancl.host.face import Face
from fortrancl.host.fortran import Call, Statement, after_call, after_interface, fortran_lines, interface, launch_call
from fortrancl.host.made import calls_of_parts, declarations, dummy_arguments, kinds_needed
from fortrancl.ir.procedure import Procedure
from fortrancl.source import SourceFile

_END = re.compile(r"\s*end(\s*(subroutine|function)(\s+\w+)?)?\s*(!.*)?", re.IGNORECASE)
_CONTAINS = re.compile(r"\s*contains\s*(!.*)?", re.IGNORECASE)
_RETURN = re.compile(r"\s*return\s*(!.*)?", re.IGNORECASE)


@dataclass(frozen=True)
class _Insertion:
    """Lines to put after a line of the source."""

    after_line: int
    lines: tuple[str, ...]


def inplace_file(source: SourceFile, faces: Sequence[Face], fortran_path: str | None = None) -> str:
    """The file's new text. ``fortran_path`` names it in line markers (default: the input's name).

    Raises FCL602 as `fortran.launch_call` does.
    """
    insertions = sorted(
        (insertion for face in faces for insertion in _insertions(face)), key=lambda insertion: insertion.after_line
    )
    path = fortran_path or PurePath(source.path).name
    word = "#line" if _is_preprocessed(source.path) else "#"
    result = [_marker(word, 1, source.path)]
    lines = source.text.split("\n")
    done = 0
    for insertion in insertions:
        result += lines[done : insertion.after_line]
        done = insertion.after_line
        # The marker names the line after it.
        result.append(_marker(word, len(result) + 2, path))
        result += insertion.lines
        result.append(_marker(word, done + 1, source.path))
    result += lines[done:]
    return "\n".join(result)


def _is_preprocessed(path: str) -> bool:
    """By the suffix, as compilers decide: only a preprocessor reads ``#line``, and only gfortran itself ``#``."""
    suffix = PurePath(path).suffix
    return suffix[1:2].isupper() or suffix == ".fpp"


def _marker(word: str, line: int, path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'{word} {line} "{escaped}"'


def _insertions(face: Face) -> Iterator[_Insertion]:
    procedure = face.compiled.procedure
    if procedure.parts:
        yield _Insertion(procedure.last_line, ("", *_new_procedure(face)))
        return
    indent = _indent(procedure)
    start = fortran_lines(_launch_block(face), procedure.form, indent)
    yield _Insertion(procedure.insert_after, tuple(start))
    end = end_of_body(procedure)
    if face.results and end is not None:
        lines = fortran_lines(_compare_block(face), procedure.form, indent)
        yield _Insertion(end, tuple(lines))


def _indent(procedure: Procedure) -> int:
    """As deep as the body, or as the heading and two more."""
    for line in range(procedure.insert_after + 1, procedure.last_line):
        text = procedure.source.line_text(line)
        if text.strip() and not text.lstrip().startswith("!"):
            return min(len(text) - len(text.lstrip()), 24)
    heading = procedure.source.line_text(procedure.first_line)
    return min(len(heading) - len(heading.lstrip()) + 2, 24)


def _launch_block(face: Face) -> Iterator[Statement]:
    call = launch_call(face)
    yield Statement(0, "block ! by fortrancl: launch, or go on below")
    yield from (Statement(1, use) for use in call.uses)
    yield Statement(1, "interface")
    yield from interface(face, 2)
    yield Statement(1, "end interface")
    yield from _executable(call)
    yield Statement(1, f"if ({call.todo} == 0) return")
    yield Statement(0, "end block")


def _compare_block(face: Face) -> Iterator[Statement]:
    call = after_call(face)
    yield Statement(0, "block ! by fortrancl: FORTRANCL_COMPARE")
    yield from (Statement(1, use) for use in call.uses)
    yield Statement(1, "interface")
    yield from after_interface(face, 2)
    yield Statement(1, "end interface")
    yield from _executable(call)
    yield Statement(0, "end block")


def _new_procedure(face: Face) -> Iterator[str]:
    """A procedure that launches, or calls its parts."""
    procedure = face.compiled.procedure
    heading = procedure.source.line_text(procedure.first_line)
    yield from fortran_lines(_new_statements(face), procedure.form, min(len(heading) - len(heading.lstrip()), 24))


def _new_statements(face: Face) -> Iterator[Statement]:
    procedure = face.compiled.procedure
    arguments = dummy_arguments(procedure)
    names = ", ".join(argument.name for argument in arguments)
    yield Statement(0, f"subroutine {procedure.name}({names}) ! by fortrancl")
    yield Statement(1, f"use, intrinsic :: iso_c_binding, only: {kinds_needed(arguments)}")
    yield Statement(1, "implicit none")
    yield from (Statement(1, text) for text in declarations(arguments))
    if procedure.module is None:
        yield Statement(1, f"external :: {', '.join(dict.fromkeys(part.name for part in procedure.parts))}")
    yield from (Statement(line.depth + 1, line.text) for line in _launch_block(face))
    yield from (Statement(1, text) for text in calls_of_parts(procedure))
    if face.results:
        yield from (Statement(line.depth + 1, line.text) for line in _compare_block(face))
    yield Statement(0, f"end subroutine {procedure.name}")


def _executable(call: Call) -> Iterator[Statement]:
    for text in (*call.declarations, *call.before, call.call, *call.after):
        yield Statement(1, text)


def end_of_body(procedure: Procedure) -> int | None:
    """The line after which the body's end can be seen: before END or CONTAINS, and before a RETURN in front of it.

    None where END is not plain to see (two statements on its line, a label): no comparison then.
    """
    last = procedure.last_line
    if not _END.fullmatch(procedure.source.line_text(last)):
        return None
    first = procedure.insert_after + 1
    last = next((n for n in range(first, last) if _is(_CONTAINS, procedure, n)), last)
    before = last - 1
    while before >= first and (_is_passive(procedure, before) or _is(_RETURN, procedure, before)):
        if _is(_RETURN, procedure, before):
            last = before
        before -= 1
    return last - 1


def _is(pattern: re.Pattern[str], procedure: Procedure, line: int) -> bool:
    return pattern.fullmatch(procedure.source.line_text(line)) is not None


def _is_passive(procedure: Procedure, line: int) -> bool:
    """Nothing, or a comment."""
    text = procedure.source.line_text(line)
    if procedure.form == "fixed" and text[:1] in ("c", "C", "*", "d", "D"):
        return True
    return not text.strip() or text.lstrip().startswith("!")
