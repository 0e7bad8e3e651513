"""Scripts run on a small Fortran file, without the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.driver import _Session
from fortrancl.frontend import scan
from fortrancl.script.interpreter import ScriptResult, run_script
from fortrancl.script.places import ScriptFile
from fortrancl.source import SourceFile

FORTRAN = """\
subroutine first(n, x, y)
  integer, intent(in) :: n
  real(8) :: x(n), y(n)
  integer :: i
  do i = 1, n
    x(i) = x(i) + y(i)
  end do
end subroutine first
subroutine second(m, a)
  integer, intent(in) :: m
  real(4) :: a(m,m)
  real(4) :: t
  integer :: i, j
  do j = 1, m
    do i = 1, m
      t = 2*a(i,j)
      a(i,j) = t
    end do
  end do
end subroutine second
subroutine odd(c)
  complex :: c
  write (*,*) c
end subroutine odd
"""
ONE = FORTRAN[: FORTRAN.index("subroutine second")]
UNIT = "unit = lp.parse_fortran(SOURCE, FILENAME)\n"


def run(text: str, variables: Mapping[str, Any] | None = None, fortran: str = FORTRAN) -> ScriptResult:
    """What a script leaves, ``text`` being its Python."""
    session = _Session(scan(SourceFile("s.f90", fortran)))
    return run_script(ScriptFile(SourceFile("s.py", text)), session, variables)


def refusal(text: str, variables: Mapping[str, Any] | None = None, fortran: str = FORTRAN) -> Diagnostic:
    """The one diagnostic that a script gets."""
    with pytest.raises(CompileError) as caught:
        run(text, variables, fortran)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def holds(text: str, variables: Mapping[str, Any] | None = None) -> None:
    """Run a script for its assertions."""
    run(f'{text}\nRESULT = lp.parse_fortran(SOURCE)["first"]\n', variables)
