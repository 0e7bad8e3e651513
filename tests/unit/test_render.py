"""Diagnostics as text, JSON lines and SARIF."""

from __future__ import annotations

import json
from urllib.parse import unquote

import jsonschema
import pytest

from fortrancl.codes import CODES
from fortrancl.diagnostics import Diagnostic, Related
from fortrancl.render import render
from fortrancl.source import SourceFile, Span
from fortrancl.version import VERSION

FILE = SourceFile("a dir/m#1.f90", "do i = 1, n\n\tx(i) = yy + \u00fc\nend do\n" + "\n" * 96 + "z = 1\n")


def at(line: int, word: str) -> Span:
    span = FILE.span_of_lines(line).find(word)
    assert span is not None
    return span


WHOLE = Diagnostic(
    "FCL301",
    "the step reverses a dependence",
    at(2, "yy"),
    (Related("writes x here", at(100, "z")), Related("and here", at(1, "do"))),
    ("iteration 2 reads what iteration 1 wrote",),
    ("keep the order", "or choose another loop"),
)
BARE = Diagnostic("FCL608", "cannot write 'o': no space left", severity="error")
LINES = Diagnostic("FCL103", "DO has no END DO", FILE.span_of_lines(1, 3))
NOTE = Diagnostic("FCL000", "'s' is offloaded", at(1, "do"), severity="note")
ALL = [WHOLE, BARE, LINES, NOTE]


def test_text():
    assert render([WHOLE], "text", VERSION) == (
        "error[FCL301]: the step reverses a dependence\n"
        "    --> a dir/m#1.f90:2:9\n"
        "  2 |         x(i) = yy + ü\n"
        "    |                ^^\n"
        "    ::: a dir/m#1.f90:100:1\n"
        "100 | z = 1\n"
        "    | - writes x here\n"
        "    ::: a dir/m#1.f90:1:1\n"
        "  1 | do i = 1, n\n"
        "    | -- and here\n"
        "    = note: iteration 2 reads what iteration 1 wrote\n"
        "    = hint: keep the order\n"
        "    = hint: or choose another loop\n"
    )


def test_text_without_a_place():
    assert render([BARE], "text", VERSION) == "error[FCL608]: cannot write 'o': no space left\n"


def test_text_of_several_lines_underlines_the_first():
    assert render([LINES], "text", VERSION) == (
        "error[FCL103]: DO has no END DO\n --> a dir/m#1.f90:1:1\n1 | do i = 1, n\n  | ^^^^^^^^^^^\n".replace(
            " -->", "  -->"
        )
    )


def test_text_of_an_empty_file_has_a_place_and_no_excerpt():
    empty = SourceFile("e.f90", "")
    assert render([Diagnostic("FCL202", "nothing here", Span(empty, 0, 0))], "text", VERSION) == (
        "error[FCL202]: nothing here\n  --> e.f90:1:1\n"
    )


def test_a_long_line_is_shown_round_the_place():
    long = SourceFile("l.f90", "a" * 50_000 + " bad " + "b" * 50_000)
    found = render([Diagnostic("FCL103", "odd", Span(long, 50_001, 50_004))], "text", VERSION)
    excerpt, underline = found.splitlines()[2:]
    assert len(excerpt) < 180 and "…a" in excerpt and "b…" in excerpt
    assert excerpt[underline.index("^") : underline.rindex("^") + 1] == "bad"
    assert "l.f90:1:50002" in found


def test_a_long_message_is_cut():
    found = render([Diagnostic("FCL103", "odd " + "y" * 100_000, notes=("z" * 100_000,))], "text", VERSION)
    assert len(found) < 2000 and found.count("…") == 2


def test_control_characters_stay_away_from_the_terminal():
    file = SourceFile("c.f90", "x = \x1b[31m \u202e 1")
    found = render([Diagnostic("FCL103", "odd \x1b]0;title\x07", Span(file, 0, 1))], "text", VERSION)
    assert "\x1b" not in found and "\u202e" not in found and "\x07" not in found


def test_json_lines():
    lines = render(ALL, "json", VERSION).splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["FCL301", "FCL608", "FCL103", "FCL000"]
    first, second, third, fourth = map(json.loads, lines)
    assert first == {
        "severity": "error",
        "code": "FCL301",
        "message": "the step reverses a dependence",
        "place": {"file": "a dir/m#1.f90", "line": 2, "column": 9, "end_line": 2, "end_column": 11},
        "related": [
            {
                "message": "writes x here",
                "place": {"file": "a dir/m#1.f90", "line": 100, "column": 1, "end_line": 100, "end_column": 2},
            },
            {
                "message": "and here",
                "place": {"file": "a dir/m#1.f90", "line": 1, "column": 1, "end_line": 1, "end_column": 3},
            },
        ],
        "notes": ["iteration 2 reads what iteration 1 wrote"],
        "hints": ["keep the order", "or choose another loop"],
    }
    assert second["place"] is None
    assert third["place"]["end_line"] == 3 and third["place"]["end_column"] == 7
    assert fourth["severity"] == "note"


def test_json_is_ascii_so_that_any_terminal_encoding_keeps_it_whole():
    line = render([Diagnostic("FCL218", "an assertion failed: \ud800 ü")], "json", VERSION)
    assert line.isascii() and json.loads(line)["message"].endswith("ü")


def test_no_diagnostics():
    assert render([], "text", VERSION) == "" == render([], "json", VERSION)


# What SARIF 2.1.0 asks of the parts that we write (OASIS standard, sections 3.13, 3.14, 3.18, 3.19, 3.27, 3.28 … 3.30,
# 3.49). "additionalProperties" is false as in the standard's own schema.
def _thing(required: list[str], **properties: object) -> dict[str, object]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


TEXT = _thing(["text"], text={"type": "string", "minLength": 1})
POSITIVE = {"type": "integer", "minimum": 1}
REGION = _thing(["startLine"], startLine=POSITIVE, startColumn=POSITIVE, endLine=POSITIVE, endColumn=POSITIVE)
LOCATION = _thing(
    ["physicalLocation"],
    physicalLocation=_thing(
        ["artifactLocation"],
        artifactLocation=_thing(["uri"], uri={"type": "string", "pattern": r"^[\w\-.~/%:]+$"}),
        region=REGION,
    ),
    message=TEXT,
)
RULE = _thing(["id"], id={"type": "string"}, shortDescription=TEXT, fullDescription=TEXT)
RESULT = _thing(
    ["message"],
    ruleId={"type": "string"},
    ruleIndex={"type": "integer", "minimum": 0},
    level={"enum": ["none", "note", "warning", "error"]},
    message=TEXT,
    locations={"type": "array", "items": LOCATION},
    relatedLocations={"type": "array", "items": LOCATION, "uniqueItems": True},
)
DRIVER = _thing(
    ["name"],
    name={"type": "string"},
    version={"type": "string"},
    informationUri={"type": "string"},
    rules={"type": "array", "items": RULE, "uniqueItems": True},
)
SARIF = {
    **_thing(
        ["version", "runs"],
        version={"const": "2.1.0"},
        runs={
            "type": "array",
            "items": _thing(
                ["tool"],
                tool=_thing(["driver"], driver=DRIVER),
                columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                results={"type": "array", "items": RESULT},
            ),
        },
    )
}
SARIF["properties"]["$schema"] = {"type": "string"}  # type: ignore[index]


def sarif(diagnostics):
    document = json.loads(render(diagnostics, "sarif", VERSION))
    jsonschema.validate(document, SARIF)
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            region = place["physicalLocation"]["region"]
            assert (region["endLine"], region["endColumn"]) > (region["startLine"], region["startColumn"])
    return run


def test_sarif():
    run = sarif(ALL)
    assert run["tool"]["driver"]["name"] == "fortrancl" and run["tool"]["driver"]["version"] == VERSION
    first, second, _, note = run["results"]
    assert unquote(first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == "a dir/m#1.f90"
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2,
        "startColumn": 9,
        "endLine": 2,
        "endColumn": 11,
    }
    assert [place["message"]["text"] for place in first["relatedLocations"]] == ["writes x here", "and here"]
    assert "hint: keep the order" in first["message"]["text"]
    assert second["locations"] == [] and note["level"] == "note"


def test_sarif_without_diagnostics_is_a_document():
    assert sarif([])["results"] == []


@pytest.mark.parametrize("code", sorted(CODES))
def test_sarif_of_every_code(code):
    (rule,) = sarif([Diagnostic(code, "said", FILE.span_of_lines(1))])["tool"]["driver"]["rules"]
    assert rule["shortDescription"]["text"] == CODES[code].title


def test_sarif_escapes_paths():
    for path in ("C:/x y.f90", "50%.f90", "ü.f90", "/abs/a?b.f90", "a:b.f90"):
        file = SourceFile(path, "x\n")
        (result,) = sarif([Diagnostic("FCL103", "odd", Span(file, 0, 1))])["results"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert unquote(uri) == path
