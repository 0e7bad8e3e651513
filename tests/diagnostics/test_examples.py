"""Every code in the table: its example provokes it, and it alone, at a place; and table and source agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fortrancl
from fortrancl.codes import CODES
from tests.support.command import run

PACKAGE = Path(fortrancl.__file__).parent
WITH_EXAMPLE = [code for code, entry in CODES.items() if entry.example]
NOTES = {"FCL000", "FCL001", "FCL002"}
OPTIONS = {"FCL604": ("--emit", "module")}


def sources(*patterns: str) -> dict[Path, str]:
    return {path: path.read_text() for pattern in patterns for path in PACKAGE.rglob(pattern)}


@pytest.mark.parametrize("code", [code for code in WITH_EXAMPLE if code not in NOTES])
def test_the_example_is_refused(code, tmp_path):
    found = run(tmp_path, {"m.F90": CODES[code].example}, "compile", "m.F90", "-o", "out", *OPTIONS.get(code, ()))
    assert found.status == 1
    assert {record["code"] for record in found.records} == {code}
    assert not (tmp_path / "out").exists()
    for record in found.records:
        assert record["severity"] == "error"
        assert record["place"]["file"] == "m.F90"
        assert record["place"]["end_column"] > 0
        text = CODES[code].example.splitlines()[record["place"]["line"] - 1]
        assert 1 <= record["place"]["column"] <= max(len(text), 1)


@pytest.mark.parametrize("code", [code for code in WITH_EXAMPLE if code not in NOTES])
def test_the_text_of_the_example(code, tmp_path, golden):
    found = run(tmp_path, {"m.F90": CODES[code].example}, "check", "m.F90", *OPTIONS.get(code, ()), form="text")
    assert found.status == 1
    assert f"error[{code}]: " in found.err and " --> m.F90:" in found.err and "^" in found.err
    golden(f"{code}.txt", found.err)


@pytest.mark.parametrize("code", sorted(NOTES))
def test_the_example_compiles_with_a_note(code, tmp_path):
    found = run(tmp_path, {"m.f90": CODES[code].example}, "compile", "m.f90", "-o", "out")
    assert found.status == 0
    record = next(record for record in found.records if record["code"] == code)
    assert record["severity"] in ("note", "warning") and record["place"]["file"] == "m.f90"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["m.cl", "m.f90", "m_fcl.c"]


def test_every_code_of_the_table_is_raised():
    raised = set()
    for path, text in sources("*.py").items():
        if path.parent.name != "codes":
            raised |= set(re.findall(r"\"(FCL\d{3})\"", text))
    for text in sources("*.c", "*.h").values():
        raised |= {f"FCL{number}" for number in re.findall(r"\b(6[5-9]\d)\b", text)}
    assert sorted(set(CODES) - raised) == []


def test_every_code_raised_is_in_the_table():
    for path, text in sources("*.py", "*.c", "*.h", "*.f90").items():
        unknown = set(re.findall(r"FCL\d{3}\b", text)) - set(CODES)
        assert not unknown, f"{path}: {sorted(unknown)}"


def test_codes_have_their_stage_and_are_told_once():
    tables = [path.read_text() for path in (PACKAGE / "codes").glob("*.py")]
    told = [code for text in tables for code in re.findall(r"CodeEntry\(\s*\"(FCL\d{3})\"", text)]
    assert sorted(told) == sorted(set(told)) == sorted(CODES)


def test_titles_and_explanations_are_sentences():
    for entry in CODES.values():
        assert entry.title and not entry.title.endswith(".") and "\n" not in entry.title
        assert entry.explanation.endswith((".", "…")) and len(entry.explanation) < 500


def test_hints_name_only_what_exists():
    from fortrancl.script.library import namespace

    known = set(namespace().members) | {"X"}
    texts = {path: text for path, text in sources("*.py").items() if path.parent.name != "codes"}
    texts.update({Path(code): entry.explanation for code, entry in CODES.items()})
    for path, text in texts.items():
        named = set(re.findall(r"\blp\.(\w+)", text)) - {"py"}
        assert named <= known, f"{path}: {sorted(named - known)}"
