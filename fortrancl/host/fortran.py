"""Fortran lines of either form, and the interface of a launcher: shared by in-place files and modules of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from fortrancl.host.compiled import heading_span, refusal
from fortrancl.host.face import Face, Passed, procedure_prefixes
from fortrancl.host.kinds import fresh, kind_name

Form = Literal["free", "fixed"]

_FREE_WIDTH = 132
_FIXED_WIDTH = 72
_PIECE = re.compile(r'"[^"]*"\s*|[^\s"(]*\(|[^\s"(]+\s*|\s+')


@dataclass(frozen=True)
class Statement:
    """One statement of generated Fortran: nesting depth and text."""

    depth: int
    text: str


def fortran_lines(statements: Iterable[Statement], form: Form, indent: int = 0) -> list[str]:
    """Lines of the form's width; breaks fall on blanks outside strings and behind opening parentheses.

    >>> fortran_lines([Statement(1, "call s(a, b)")], "fixed")
    ['        call s(a, b)']
    """
    return [line for statement in statements for line in _lines(statement, form, indent)]


def _lines(statement: Statement, form: Form, indent: int) -> list[str]:
    margin = 6 if form == "fixed" else indent
    width = _FIXED_WIDTH if form == "fixed" else _FREE_WIDTH - 2
    # Deep nesting must not eat up the line.
    start = " " * min(margin + 2 * statement.depth, margin + 24)
    follow = f"     &{start[6:]}    " if form == "fixed" else f"{start}    "
    lines = [start]
    for piece in _PIECE.findall(statement.text):
        if len(lines[-1]) + len(piece.rstrip()) > width and lines[-1].strip() not in ("", "&"):
            lines[-1] = lines[-1].rstrip()
            room = len(follow) + len(piece.rstrip()) <= width
            lines.append(follow if room else "     & " if form == "fixed" else "")
        lines[-1] += piece
    lines[-1] = lines[-1].rstrip()
    if form == "free":
        lines[:-1] = [f"{line} &" for line in lines[:-1]]
    return lines


# -- the interface --------------------------------------------------------------------------------------------------
def interface(face: Face, depth: int) -> Iterator[Statement]:
    """The launcher's interface body."""
    names = [passed.name for passed in face.passed]
    todo = fresh("fcl_todo", names)
    extra = f"integer({_imported('c_int', names)}), intent(out) :: {todo}"
    yield from _body(face, face.symbol, face.passed, depth, ((todo, extra),), reads_only=False)


def after_interface(face: Face, depth: int) -> Iterator[Statement]:
    """The interface body of what compares results."""
    yield from _body(face, face.after_symbol, face.results, depth, (), reads_only=True)


def _body(
    face: Face,
    symbol: str,
    passed: tuple[Passed, ...],
    depth: int,
    extra: tuple[tuple[str, str], ...],
    reads_only: bool,
) -> Iterator[Statement]:
    names = [p.name for p in passed]
    listed = ", ".join((*names, *(name for name, _ in extra)))
    binding = f' bind(c, name="{symbol}")' if face.binds_to_c else ""
    pure = "pure " if is_pure(face) else ""
    kinds = [kind_name(p.type) for p in passed if not _is_logical_array(p)] + (["c_int"] if extra else [])
    yield Statement(depth, f"{pure}subroutine {symbol}({listed}){binding}")
    if kinds:
        imports = (_import_text(kind, names) for kind in sorted(set(kinds)))
        yield Statement(depth + 1, f"use, intrinsic :: iso_c_binding, only: {', '.join(imports)}")
    for p in passed:
        intent = "inout" if p.written and not reads_only else "in"
        shape = "(*)" if p.role == "array" else ""
        yield Statement(depth + 1, f"{_type_text(p, names)}, intent({intent}) :: {p.name}{shape}")
    for _, declaration in extra:
        yield Statement(depth + 1, declaration)
    yield Statement(depth, f"end subroutine {symbol}")


def _is_logical_array(passed: Passed) -> bool:
    return passed.role == "array" and passed.type.base == "logical"


def _type_text(passed: Passed, names: list[str]) -> str:
    if _is_logical_array(passed):
        return f"logical({passed.type.kind})"
    base = "integer" if passed.type.base == "logical" else passed.type.base
    return f"{base}({_imported(kind_name(passed.type), names)})"


def _imported(kind: str, names: Iterable[str]) -> str:
    """Dummies of the interface are called as in the procedure: a kind's name may be one of them."""
    return kind if kind not in {name.lower() for name in names} else fresh(f"fcl_{kind}", names)


def _import_text(kind: str, names: Iterable[str]) -> str:
    local = _imported(kind, names)
    return kind if local == kind else f"{local} => {kind}"


def is_pure(face: Face) -> bool:
    """Whether the launcher must claim to be pure, because the procedure does."""
    return "pure" in procedure_prefixes(face.compiled.procedure)


# -- the call -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Call:
    """What stands round a call in the scope of the procedure's dummies.

    No intrinsic is called there but under an INTRINSIC statement of the block's own: a program may have a variable
    named ``size``.
    """

    uses: tuple[str, ...]
    declarations: tuple[str, ...]
    before: tuple[str, ...]
    call: str
    after: tuple[str, ...]
    todo: str


def launch_call(face: Face) -> Call:
    """The call of the launcher. Raises FCL602 where no way is left to ask for an extent."""
    names = _names_in_scope(face)
    kind_int, kind_long = fresh("fcl_int", names), fresh("fcl_long", names)
    todo = fresh("fcl_todo", names)
    logicals = {p.name: fresh(f"fcl_{p.name}", [*names, todo])[:63] for p in face.passed if p.is_logical_scalar}
    asking, intrinsics = _asking(face, kind_long)
    actual = [_actual(p, logicals, asking) for p in face.passed]
    uses = [f"{kind_int} => c_int"] + ([f"{kind_long} => c_int64_t"] if intrinsics else [])
    declarations = [f"intrinsic :: {', '.join(intrinsics)}"] if intrinsics else []
    declarations.append(f"integer({kind_int}) :: {', '.join((todo, *logicals.values()))}")
    return Call(
        (f"use, intrinsic :: iso_c_binding, only: {', '.join(uses)}",),
        tuple(declarations),
        tuple(_to_integers(logicals)),
        f"call {face.symbol}({', '.join([*actual, todo])})",
        tuple(f"if ({todo} == 0) {name} = {logicals[name]} /= 0" for name in _written_logicals(face)),
        todo,
    )


def after_call(face: Face) -> Call:
    """The call of what compares results."""
    names = _names_in_scope(face)
    kind_int = fresh("fcl_int", names)
    logicals = {p.name: fresh(f"fcl_{p.name}", names)[:63] for p in face.results if p.is_logical_scalar}
    actual = [logicals.get(p.name, p.name) for p in face.results]
    return Call(
        (f"use, intrinsic :: iso_c_binding, only: {kind_int} => c_int",) if logicals else (),
        (f"integer({kind_int}) :: {', '.join(logicals.values())}",) if logicals else (),
        tuple(_to_integers(logicals)),
        f"call {face.after_symbol}({', '.join(actual)})",
        (),
        "",
    )


def _names_in_scope(face: Face) -> list[str]:
    return [dummy.name for dummy in face.compiled.procedure.dummies] + [p.name for p in face.passed]


def _written_logicals(face: Face) -> list[str]:
    return [p.name for p in face.results if p.is_logical_scalar]


def _to_integers(logicals: dict[str, str]) -> Iterator[str]:
    """No MERGE: it may be a variable here."""
    for name, local in logicals.items():
        yield f"{local} = 0"
        yield f"if ({name}) {local} = 1"


def _asking(face: Face, kind: str) -> tuple[str, tuple[str, ...]]:
    """How to ask for an extent (a template over array and axis), and the intrinsics that takes."""
    if not any(p.role == "extent" for p in face.passed):
        return "", ()
    names = {name.lower() for name in _names_in_scope(face)}
    if "size" not in names:
        return f"size({{array}}, {{axis}}, {kind})", ("size",)
    if not names & {"ubound", "lbound"}:
        return f"ubound({{array}}, {{axis}}, {kind}) - lbound({{array}}, {{axis}}, {kind}) + 1", ("ubound", "lbound")
    procedure = face.compiled.procedure
    raise refusal(
        "FCL602",
        "dummy arguments hide SIZE and UBOUND or LBOUND, so the extents of assumed-shape arrays cannot be asked for",
        heading_span(procedure),
        hints=("rename the dummy argument that is called size",),
    )


def _actual(passed: Passed, logicals: dict[str, str], asking: str) -> str:
    if passed.extent is not None:
        return asking.format(array=passed.extent.array, axis=passed.extent.axis + 1)
    return logicals.get(passed.name, passed.name)
