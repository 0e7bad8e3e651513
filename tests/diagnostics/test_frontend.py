"""Bad Fortran in tests/diagnostics/frontend, and the exact text of what the frontend says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fortrancl.codes import CODES
from fortrancl.codes.frontend import FRONTEND_CODES
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.frontend import FrontendOptions, lower, read_source, scan
from fortrancl.source import SourceFile
from tests.support.golden import Golden

FOLDER = Path(__file__).with_name("frontend")
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix.lower() in (".f90", ".f"))


def found(source: SourceFile) -> list[Diagnostic]:
    """Everything said about a file: by the scan, else about each of its procedures."""
    options = FrontendOptions(include_dirs=(str(FOLDER / "include"),))
    try:
        unit = scan(source, options)
    except CompileError as error:
        return list(error.diagnostics)
    result: list[Diagnostic] = []
    for outline in unit.procedures:
        try:
            lower(unit, outline)
        except CompileError as error:
            result.extend(error.diagnostics)
    return result


def shown(diagnostic: Diagnostic) -> str:
    """Code, place, the text that the caret covers, message, and what comes with it."""
    span = diagnostic.span
    if span is None:
        lines = [f"{diagnostic.code} {diagnostic.message}"]
    else:
        name = Path(span.source.path).name
        lines = [f"{diagnostic.code} {name}:{span.line}:{span.column} `{span.text}`: {diagnostic.message}"]
    lines += [f"  at {r.span.line}:{r.span.column}: {r.message}" for r in diagnostic.related]
    lines += [f"  note: {note}" for note in diagnostic.notes]
    lines += [f"  hint: {hint}" for hint in diagnostic.hints]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", FILES)
def test_exact_text(name: str, golden: Golden) -> None:
    diagnostics = found(read_source(str(FOLDER / name)))
    assert diagnostics
    assert all(diagnostic.code in CODES for diagnostic in diagnostics)
    golden(f"{name}.txt", "".join(map(shown, diagnostics)))


@pytest.mark.parametrize("entry", [e for e in FRONTEND_CODES if e.example], ids=lambda entry: entry.code)
def test_each_example_provokes_its_code_alone(entry) -> None:
    assert [diagnostic.code for diagnostic in found(SourceFile("example.f90", entry.example))] == [entry.code]


def test_every_code_of_the_frontend_is_explained() -> None:
    text = "".join(path.read_text() for path in Path("fortrancl/frontend").glob("*.py"))
    used = {word for word in text.replace('"', " ").split() if word.startswith("FCL1") and len(word) == 6}
    assert used <= set(CODES)
    assert {entry.code for entry in FRONTEND_CODES} <= {code for code in CODES if code in text}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        read_source(str(tmp_path / "none.f90"))
    assert caught.value.diagnostics[0].code == "FCL101"
    assert "No such file" in caught.value.diagnostics[0].message


def test_a_binary_file(tmp_path: Path) -> None:
    (tmp_path / "a.f90").write_bytes(b"\x7fELF\0\0")
    with pytest.raises(CompileError) as caught:
        read_source(str(tmp_path / "a.f90"))
    assert caught.value.diagnostics[0].code == "FCL102"
