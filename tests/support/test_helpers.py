"""The helpers that other tests lean on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.build import BuildError, build_program, gfortran
from tests.support.golden import golden_for

MAIN = """\
program main
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    function answer() bind(c) result(n)
      import :: c_int
      integer(c_int) :: n
    end function
  end interface
  print '(a,i0)', 'answer ', answer()
end program
"""


def test_build_program_links_fortran_with_c(tmp_path: Path, pocl_env: dict[str, str]) -> None:
    (tmp_path / "main.f90").write_text(MAIN)
    (tmp_path / "answer.c").write_text("int answer(void) { return 42; }\n")
    program = build_program(tmp_path, ["main.f90"], ["answer.c"], ["-std=f2008", "-Wall", "-Wextra"], runtime=False)
    assert program.messages == ""
    assert program.run(pocl_env).stdout == "answer 42\n"


def test_what_the_compiler_says_is_kept(tmp_path: Path) -> None:
    (tmp_path / "bad.f90").write_text("program p\n  x = \nend program\n")
    with pytest.raises(BuildError, match=r"bad\.f90:2"):
        build_program(tmp_path, ["bad.f90"], runtime=False)
    assert gfortran("-c", "bad.f90", cwd=tmp_path, check=False).returncode != 0


def test_golden_compares_and_updates(tmp_path: Path) -> None:
    test_file = tmp_path / "test_some.py"
    compare = golden_for(test_file, update=False)
    with pytest.raises(AssertionError, match="--update-golden"):
        compare("a.txt", "one\n")
    golden_for(test_file, update=True)("a.txt", "one\n")
    assert (tmp_path / "some" / "a.txt").read_text() == "one\n"
    compare("a.txt", "one\n")
    with pytest.raises(AssertionError, match=r"(?s)-one\n\+two"):
        compare("a.txt", "two\n")
