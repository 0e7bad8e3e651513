"""The dependency file, as make reads it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from fortrancl.output import dependency_text
from tests.support.command import run
from tests.unit.test_cli_commands import command

TEXT = """\
module m
  use grid, only: h
contains
  subroutine g(n, x)
    integer, intent(in) :: n
    real(8) :: x(n)
    integer :: i
    include 'body.inc'
  end subroutine g
end module m
"""
FILES = {
    "src/m.f90": TEXT,
    "src/grid.f90": "module grid\n  real(8), parameter :: h = 0.5d0\nend module grid\n",
    "inc/body.inc": "  do i = 1, n\n    x(i) = h*x(i)\n  end do\n",
    "tile.py": "s = lp.parse_fortran(SOURCE)\nRESULT = lp.split_iname(s, 'i', 32, outer_tag='g.0', inner_tag='l.0')\n",
}


def rules(text: str) -> dict[str, list[str]]:
    return {left: right.split() for left, right in (line.split(":", 1) for line in text.splitlines() if line)}


def test_every_input_and_output_is_named(tmp_path):
    arguments = ("src/m.f90", "-o", "./out", "-I", "inc", "--transform", "tile.py", "--depfile", "m.d")
    found = run(tmp_path, FILES, "compile", *arguments, form="text")
    assert found.status == 0, found.err
    told = rules((tmp_path / "m.d").read_text())
    inputs = ["src/m.f90", "src/grid.f90", "inc/body.inc", "tile.py"]
    outputs = next(iter(told))
    assert outputs.split() == ["./out/m.f90", "./out/m_fcl.c", "./out/m.cl"]
    assert sorted(told[outputs]) == sorted(inputs)
    assert {name: told[name] for name in inputs} == {name: [] for name in inputs}


def test_mf_is_the_same_option(tmp_path):
    for option, name in (("--depfile", "a.d"), ("-MF", "b.d")):
        arguments = ("compile", "src/m.f90", "-o", "out", "-Iinc", option, name)
        assert run(tmp_path, FILES, *arguments).status == 0
    assert (tmp_path / "a.d").read_text() == (tmp_path / "b.d").read_text()


def test_emit_c_names_no_fortran(tmp_path):
    assert run(tmp_path, FILES, "compile", "src/m.f90", "-o", "out", "-Iinc", "--emit", "c", "-MF", "m.d").status == 0
    assert next(iter(rules((tmp_path / "m.d").read_text()))).split() == ["out/m_fcl.c", "out/m.cl"]


def test_check_takes_no_depfile(tmp_path):
    assert run(tmp_path, FILES, "check", "src/m.f90", "-MF", "m.d").status == 2


@pytest.mark.parametrize("name", ["a b", "a$b", "a#b", "a\\ b", "a\\#b", "$(HOME)", "a%b", "100%", "a  b", "#", "~a"])
def test_make_understands_every_name(name, tmp_path):
    """What make prints of its own reading is the name."""
    source, target = f"{name}.in", f"{name}.out"
    (tmp_path / source).write_text("")
    (tmp_path / "all.d").write_text(dependency_text([target], [source]))
    printed = subprocess.run(["make", "-pnrR", "-f", "all.d"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert f"\n{target}: {source}\n" in printed, [line for line in printed.splitlines() if ".out" in line]


MAKEFILE = """\
out/{stem}.f90 out/{stem}_fcl.c out/{stem}.cl &: src/{stem}.f90
\t$(FORTRANCL) compile '$<' -o out -I inc -MF m.d
\techo made >> log
-include m.d
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_rebuilds_what_changed(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "Makefile").write_text(MAKEFILE.format(stem="m"))

    def make() -> int:
        environment = {**os.environ, "FORTRANCL": " ".join(command())}
        subprocess.run(["make", "-s", "out/m.cl"], cwd=tmp_path, env=environment, check=True, capture_output=True)
        log = tmp_path / "log"
        return log.read_text().count("made")

    def newer(path: Path) -> None:
        later = time.time() + 5
        os.utime(path, (later, later))
        for output in (tmp_path / "out").iterdir():
            os.utime(output, (later - 3, later - 3))

    assert make() == 1
    assert make() == 1
    for count, name in enumerate(("src/m.f90", "src/grid.f90", "inc/body.inc"), start=2):
        newer(tmp_path / name)
        assert make() == count
        for path in (tmp_path / name, tmp_path / "m.d"):
            os.utime(path, (0, 0))
        assert make() == count
    # An input that is gone stops no build that does not need it any more.
    (tmp_path / "src" / "m.f90").write_text(TEXT.replace("    include 'body.inc'\n", FILES["inc/body.inc"]))
    (tmp_path / "inc" / "body.inc").unlink()
    newer(tmp_path / "src" / "m.f90")
    assert make() == 5
    assert "body.inc" not in (tmp_path / "m.d").read_text()
