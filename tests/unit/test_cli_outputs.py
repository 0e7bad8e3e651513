"""What `compile`, `check` and `show` write, and where."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import run
from tests.unit.test_cli_commands import command

ROOT = Path(__file__).parents[2]
SAMPLES = [Path(str(main).replace("_main", "")) for main in sorted((ROOT / "samples" / "fortran").glob("*_main.f90"))]
LOOP = "  do i = 1, n\n    x(i) = 2*x(i)\n  end do\n"


def subroutine(name: str, body: str = LOOP) -> str:
    declarations = "  integer, intent(in) :: n\n  real(8) :: x(n)\n  integer :: i\n"
    return f"subroutine {name}(n, x)\n{declarations}{body}end subroutine\n"


def script(*lines: str) -> str:
    return "!$loopy begin\n" + "".join(f"! {line}\n" for line in lines) + "!$loopy end\n"


TILED = subroutine("g") + script(
    "s = lp.parse_fortran(SOURCE)", 's = lp.split_iname(s, "i", tile, outer_tag="g.0", inner_tag="l.0")', "RESULT = s"
)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_three_files(tmp_path):
    found = run(tmp_path, {"src/m.F90": subroutine("g")}, "compile", "src/m.F90", "-o", "a/b", form="text")
    assert (found.status, found.out) == (0, "")
    assert names(tmp_path / "a" / "b") == ["m.F90", "m.cl", "m_fcl.c"]
    assert names(tmp_path / "src") == ["m.F90"]
    fortran = (tmp_path / "a" / "b" / "m.F90").read_text()
    assert set(subroutine("g").splitlines()) <= set(fortran.splitlines())
    assert "__kernel" in (tmp_path / "a" / "b" / "m.cl").read_text()


def test_emit_c(tmp_path):
    assert run(tmp_path, {"m.f90": subroutine("g")}, "compile", "m.f90", "-o", "out", "--emit", "c").status == 0
    assert names(tmp_path / "out") == ["m.cl", "m_fcl.c"]


def test_emit_c_may_write_beside_its_input(tmp_path):
    assert run(tmp_path, {"m.f90": subroutine("g")}, "compile", "m.f90", "--emit", "c").status == 0
    assert names(tmp_path) == ["m.cl", "m.f90", "m_fcl.c"]


def test_emit_module(tmp_path):
    text = f"module m\ncontains\n{subroutine('g')}end module m\n"
    assert run(tmp_path, {"m.f90": text}, "compile", "m.f90", "-o", "out", "--emit", "module").status == 0
    assert "module m_cl" in (tmp_path / "out" / "m.f90").read_text().lower()


def test_prefix_is_in_every_external_name(tmp_path):
    defined = []
    for prefix in ("one_", "two_"):
        arguments = ("compile", "m.f90", "-o", prefix, "--prefix", prefix)
        assert run(tmp_path, {"m.f90": subroutine("g")}, *arguments).status == 0
        text = (tmp_path / prefix / "m_fcl.c").read_text()
        found = set(re.findall(r"^(?!static)[a-z]\w*(?: \w+)* \*?(\w+)\([^;]*$", text, re.MULTILINE))
        assert found and all(prefix in name for name in found)
        defined.append(found)
        assert all(name in (tmp_path / prefix / "m.f90").read_text() for name in found if "compare" not in name)
    assert not defined[0] & defined[1]


def test_check_writes_nothing(tmp_path):
    found = run(tmp_path, {"m.f90": subroutine("g")}, "check", "m.f90")
    assert (found.status, found.out, names(tmp_path)) == (0, "", ["m.f90"])


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("kernel", "i_outer"),
        ("steps", "before:\n"),
        ("schedule", "groups ((n + 31)/32, 1, 1)"),
        ("opencl", "__kernel"),
    ],
)
def test_show(stage, said, tmp_path):
    found = run(tmp_path, {"m.f90": TILED}, "show", "m.f90", "--stage", stage, "--set", "tile=32", form="text")
    assert found.status == 0 and said in found.out and found.out.endswith("\n")
    assert "__kernel" not in found.err and "before" not in found.err
    assert names(tmp_path) == ["m.f90"]


def test_show_steps_tells_before_and_after(tmp_path):
    found = run(tmp_path, {"m.f90": TILED}, "show", "m.f90", "--stage", "steps", "--set", "tile=32")
    assert found.out == (
        '# m.f90:11: lp.split_iname(s, "i", tile, outer_tag="g.0", inner_tag="l.0")\n'
        "before:\n"
        "  for i = 0 .. n - 1\n"
        "    s0: x[i] = 2*x[i]\n"
        "after:\n"
        "  lanes: i_outer (g.0) = 0 .. (n - 1)/32, i_inner (l.0) = 0 .. min(31, n - 1)\n"
        "  s0: x[i_inner + 32*i_outer] = 2*x[i_inner + 32*i_outer]\n\n"
    )


def test_show_of_a_bad_file_prints_nothing(tmp_path):
    found = run(tmp_path, {"m.f90": subroutine("g", "  x(1) = \n")}, "show", "m.f90")
    assert (found.status, found.out) == (1, "") and found.records[0]["code"] == "FCL103"


def test_notes_of_a_file_without_script(tmp_path):
    text = subroutine("good") + subroutine("bad", "  print *, x(1)\n") + subroutine("last")
    found = run(tmp_path, {"m.f90": text}, "compile", "m.f90", "-o", "out")
    assert (found.status, found.out) == (0, "")
    told = [(record["severity"], record["code"], record["place"]["line"]) for record in found.records]
    assert told == [("note", "FCL001", 9), ("note", "FCL000", 1), ("note", "FCL000", 15)]
    assert found.records[0]["message"] == "'bad' stays as it is: PRINT statement is not supported (line 13)"
    written = (tmp_path / "out" / "m.f90").read_text()
    assert "fcl_good" in written and "fcl_last" in written and "fcl_bad" not in written


def test_notes_of_a_script_that_leaves_procedures_alone(tmp_path):
    text = subroutine("one") + subroutine("two") + script('RESULT = lp.parse_fortran(SOURCE)["two"]')
    found = run(tmp_path, {"m.f90": text}, "compile", "m.f90", "-o", "out")
    assert found.status == 0
    assert [record["message"] for record in found.records] == [
        "'two' is offloaded (1 launch)",
        "'one' stays as it is: the script does not take it",
    ]


SEQUENTIAL = subroutine("g", "  do i = 2, n\n    x(i) = 2*x(i-1)\n  end do\n")


def test_a_sequential_kernel_is_a_warning_that_says_why(tmp_path):
    found = run(tmp_path, {"m.f90": SEQUENTIAL}, "compile", "m.f90", "-o", "out")
    assert found.status == 0
    (warning,) = [record for record in found.records if record["severity"] == "warning"]
    assert "one work-item runs everything" in warning["message"] and "through 'x'" in warning["message"]


def test_warnings_are_errors_if_asked(tmp_path):
    found = run(tmp_path, {"m.f90": SEQUENTIAL}, "compile", "m.f90", "-o", "out", "-Werror")
    assert found.status == 1 and not (tmp_path / "out").exists()
    assert [record["severity"] for record in found.records if record["code"] == "FCL002"] == ["error"]
    assert "FCL000" not in [record["code"] for record in found.records]
    assert run(tmp_path, {"n.f90": subroutine("g")}, "compile", "n.f90", "-o", "out", "-Werror").status == 0


def test_kernel_selects(tmp_path):
    text = subroutine("one") + subroutine("two")
    found = run(tmp_path, {"m.f90": text}, "compile", "m.f90", "-o", "out", "--kernel", "TWO")
    assert [record["message"] for record in found.records] == ["'two' is offloaded (1 launch)"]
    found = run(tmp_path, {"m.f90": text}, "check", "m.f90", "--kernel", "tow")
    assert (found.status, found.records[0]["code"]) == (1, "FCL202")
    assert found.records[0]["hints"] == ["did you mean 'two'?"]
    found = run(tmp_path, {"m.f90": TILED}, "check", "m.f90", "--kernel", "h", "--set", "tile=2")
    assert (found.status, found.records[0]["code"]) == (1, "FCL202")


def test_set_predefines_a_variable(tmp_path):
    assert run(tmp_path, {"m.f90": TILED}, "check", "m.f90").records[0]["code"] == "FCL208"
    found = run(tmp_path, {"m.f90": TILED}, "show", "m.f90", "--set", "tile=48", "--stage", "opencl")
    assert "48" in found.out
    found = run(tmp_path, {"m.f90": TILED}, "check", "m.f90", "--set", "tile=48x")
    assert (found.records[0]["code"], found.records[0]["notes"]) == ("FCL205", ["it is '48x'"])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", "1"),
        ("-2.5", "-2.5"),
        ("True", "True"),
        ("None", "None"),
        ("word", "'word'"),
        ("two words", "'two words'"),
        ("'quoted'", "'quoted'"),
        ("[1, (2, 'a')]", "[1, (2, 'a')]"),
        ("{'i': 'g.0'}", "{'i': 'g.0'}"),
        ("__import__('os')", "\"__import__('os')\""),
        ("a=b", "'a=b'"),
        ("", "''"),
        ("\\d", "'\\\\d'"),
        ("9**9**9**9", "'9**9**9**9'"),
        ("(" * 3000, f"'{'(' * 3000}'"),
    ],
)
def test_values_of_set(text, value, tmp_path):
    source = subroutine("g") + script("assert repr(v) == w, repr(v)", "RESULT = lp.parse_fortran(SOURCE)")
    found = run(tmp_path, {"m.f90": source}, "check", "m.f90", "--set", f"v={text}", "--set", f"w={value!r}")
    assert found.status == 0, found.err


def test_a_transform_file_replaces_the_script(tmp_path):
    tile = "s = lp.parse_fortran(SOURCE)\nRESULT = lp.split_iname(s, 'i', 24, outer_tag='g.0', inner_tag='l.0')\n"
    arguments = ("--transform", "tile.py", "--stage", "opencl")
    found = run(tmp_path, {"m.f90": TILED, "tile.py": tile}, "show", "m.f90", *arguments)
    assert found.status == 0 and "24" in found.out


def test_definitions_and_include_folders(tmp_path):
    text = subroutine("g", "#ifdef TWICE\n  x(1) = FACTOR\n#endif\n  include 'body.inc'\n")
    files = {"m.F90": text, "inc/body.inc": "  x(2) = 7\n"}
    found = run(tmp_path, files, "show", "m.F90", "-D", "TWICE", "-D", "FACTOR=2.5d0", "-I", "inc")
    assert found.status == 0 and "2.5" in found.out and "= 7" in found.out
    found = run(tmp_path, files, "show", "m.F90", "-DTWICE", "-DFACTOR=3.5d0", "-Iinc")
    assert "3.5" in found.out
    found = run(tmp_path, files, "show", "m.F90", "-Iinc")
    assert "2.5" not in found.out and "= 7" in found.out
    assert run(tmp_path, files, "check", "m.F90").records[0]["code"] == "FCL135"


def test_error_formats_of_a_whole_run(tmp_path):
    text = subroutine("g", "  print *, x\n")
    found = run(tmp_path, {"m.f90": text}, "check", "m.f90", form="sarif")
    document = json.loads(found.err)
    assert [result["ruleId"] for result in document["runs"][0]["results"]] == ["FCL110"]
    assert (
        json.loads(run(tmp_path, {"n.f90": subroutine("g")}, "check", "n.f90", form="sarif").err)["version"] == "2.1.0"
    )


# -- the same bytes, and whole files ------------------------------------------------------------------------------
def compiled(folder: Path, seed: str) -> dict[str, bytes]:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [*command(), "compile", *map(str, SAMPLES), "-o", "out", "-MF", "all.d"],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    files = [*sorted((folder / "out").iterdir()), folder / "all.d"]
    return {path.name: path.read_bytes() for path in files}


def test_the_same_input_gives_the_same_bytes(tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    first, second = compiled(tmp_path / "1", "1"), compiled(tmp_path / "2", "4711")
    assert len(first) == 3 * len(SAMPLES) + 1
    assert first == second


def test_all_or_nothing_when_the_disk_is_full(tmp_path, monkeypatch):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "m.f90").write_text("old")
    replace = os.replace

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device", target)

    monkeypatch.setattr("os.replace", full)
    found = run(tmp_path, {"m.f90": subroutine("g")}, "compile", "m.f90", "-o", "out")
    monkeypatch.setattr("os.replace", replace)
    assert (found.status, found.records[-1]["code"]) == (1, "FCL608")
    assert "No space left" in found.records[-1]["message"]
    assert names(tmp_path / "out") == ["m.f90"] and (tmp_path / "out" / "m.f90").read_text() == "old"
    assert "FCL000" not in [record["code"] for record in found.records]


def test_outputs_replace_old_ones_as_whole_files(tmp_path):
    """A reader that has the old file open keeps it: the new one is another file."""
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "m.cl"
    path.write_text("old text")
    with path.open() as reader:
        assert run(tmp_path, {"m.f90": subroutine("g")}, "compile", "m.f90", "-o", "out").status == 0
        assert reader.read() == "old text"
    assert "__kernel" in path.read_text()


def test_a_surrogate_in_a_message_is_no_crash(tmp_path):
    text = subroutine("g") + script('assert False, "\\ud800 \\u00fc"')
    (tmp_path / "m.f90").write_text(text)
    for encoding in ("utf-8", "ascii", "latin-1"):
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
        for form in ("text", "json", "sarif"):
            result = subprocess.run(
                [sys.executable, "-m", "fortrancl.cli", "check", "m.f90", "--error-format", form],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
            )
            assert result.returncode == 1 and b"Traceback" not in result.stderr and b"FCL218" in result.stderr
            if form != "text":
                json.loads(result.stderr)


GATHER = """\
subroutine gather(n, x, y, map)
  integer, intent(in) :: n, map(n)
  real(8) :: x(n), y(*)
  integer :: i
  do i = 1, n
    x(i) = y(map(i))
  end do
end subroutine
"""
HIDDEN = """\
subroutine hidden(size, ubound, x)
  integer, intent(in) :: size, ubound
  real(8) :: x(:)
  integer :: i
  do i = 1, size
    x(i) = ubound
  end do
end subroutine
"""


def test_what_no_stage_can_do_stays_with_a_note(tmp_path):
    found = run(tmp_path, {"m.f90": subroutine("good") + HIDDEN + GATHER}, "compile", "m.f90", "-o", "out")
    assert found.status == 0
    assert [record["code"] for record in found.records] == ["FCL001", "FCL001", "FCL000"]
    assert "'hidden' stays as it is" in found.err and "'gather' stays as it is" in found.err
    found = run(tmp_path, {"m.f90": subroutine("good") + GATHER}, "check", "m.f90", "--kernel", "gather")
    assert (found.status, found.records[0]["code"]) == (1, "FCL311")
    found = run(tmp_path, {"m.f90": HIDDEN + GATHER}, "check", "m.f90")
    assert found.status == 1 and {record["severity"] for record in found.records} == {"error"}


def test_a_mistake_in_one_procedure_is_an_error_of_the_file(tmp_path):
    text = subroutine("good") + subroutine("bad", "  x(1) = (2\n")
    found = run(tmp_path, {"m.f90": text}, "compile", "m.f90", "-o", "out")
    assert (found.status, [record["code"] for record in found.records]) == (1, ["FCL103"])
    assert "--kernel" in found.records[0]["hints"][-1]
    assert run(tmp_path, {"m.f90": text}, "compile", "m.f90", "-o", "out", "--kernel", "good").status == 0
