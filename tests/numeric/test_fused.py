"""New procedures for fused kernels: in modules, in fixed form, with every switch, beside the parts' own launches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.driver import Request, compile_file
from tests.support.build import build_program
from tests.support.host import STRICT
from tests.support.whole import Call, assert_same, build

Env = Mapping[str, str]
SCRIPT = """!$loopy begin
! unit = lp.parse_fortran(SOURCE, FILENAME)
! both = lp.fuse_kernels((unit["scale"], unit["shift"]), suffixes=["_1", "_2"], data_flow=[("x", 0, 1)], name="affine")
! both = lp.split_iname(both, "i", 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = {result}
!$loopy end
"""
EXTERNAL = """subroutine scale(n, a, x)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a
  real(8), intent(inout) :: x(n)
  integer :: i
  real(8) :: t
  do i = 1, n
    t = a*x(i)
    x(i) = t
  end do
end subroutine scale

subroutine shift(n, b, x, negative)
  implicit none
  integer, intent(in) :: n
  logical, intent(in) :: negative
  real(8), intent(in) :: b
  real(8), intent(inout) :: x(n)
  integer :: i
  real(8) :: t
  do i = 1, n
    t = x(i) + b
    if (negative) t = -t
    x(i) = t
  end do
end subroutine shift
"""
MODULE = """module work
  implicit none
contains
  subroutine scale(a, x)
    real(8), intent(in) :: a
    real(8), intent(inout) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = a*x(i)
    end do
  end subroutine scale

  subroutine shift(b, x)
    real(8), intent(in) :: b
    real(8), intent(inout) :: x(:)
    integer :: i
    do i = 1, size(x)
      x(i) = x(i) + b
    end do
  end subroutine shift
end module work
"""
MODULE_MAIN = """program main
  use {module}
  implicit none
  real(8) :: x(100)
  integer :: i
  x = [(real(i, 8), i = 1, 100)]
  call affine(2d0, x(1:99:2), 1d0)
  call affine(2d0, x(2:100:2), 1d0)
  if (any(abs(x - [(2*real(i, 8) + 1, i = 1, 100)]) > 0)) error stop 'wrong'
end program main
"""


def fixed_form(text: str) -> str:
    return "".join(f"      {line}" if line.strip() else line for line in text.splitlines(keepends=True))


def script(result: str = "both") -> str:
    return SCRIPT.format(result=result)


@pytest.mark.parametrize("form", ["free", "fixed"])
def test_external_procedures(tmp_path: Path, pocl_env: Env, form: str) -> None:
    text = EXTERNAL if form == "free" else fixed_form(EXTERNAL)
    name = "work.f90" if form == "free" else "work.f"
    libraries = build(tmp_path, {name: text + script('[both, lp.tag_inames(unit["scale"], {{"i": "g.0"}})]'.format())})
    assert libraries.messages == ""
    x = np.arange(1.0, 38.0)
    calls = [Call("affine", (37, np.float64(3), x, np.float64(2), negative)) for negative in (False, True)]
    calls.append(Call("scale", (37, np.float64(3), x)))
    expected = [[37, 3.0, 3 * x + 2, 2.0, 0], [37, 3.0, -(3 * x + 2), 2.0, 1], [37, 3.0, 3 * x]]
    device = libraries.offloaded(calls, pocl_env)
    assert device.launched == {"affine_kernel": 2, "scale_kernel": 1}
    host = libraries.offloaded(calls, {**pocl_env, "FORTRANCL_OFFLOAD": "disabled"})
    assert host.launched == {}
    # The Fortran body of the new procedure launches what its parts launch.
    compared = libraries.offloaded(calls, {**pocl_env, "FORTRANCL_COMPARE": "1"})
    for found in (device, host, compared):
        for one, other in zip(found.values, expected, strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("emit", ["inplace", "module"])
def test_module_procedures(tmp_path: Path, pocl_env: Env, emit: str) -> None:
    source = tmp_path / "work.f90"
    source.write_text(MODULE + script())
    path = tmp_path / ("out.f90" if emit == "inplace" else "work_cl.f90")
    made = compile_file(Request(str(source), emit=emit, fortran_path=str(path)))
    assert made.files.fortran_text is not None
    path.write_text(made.files.fortran_text)
    (tmp_path / "work_fcl.c").write_text(made.files.c_text)
    main = tmp_path / "main.f90"
    main.write_text(MODULE_MAIN.format(module="work" if emit == "inplace" else "work_cl"))
    sources = ["out.f90"] if emit == "inplace" else ["work.f90", "work_cl.f90"]
    program = build_program(tmp_path, [*sources, "main.f90"], ["work_fcl.c"], (*STRICT, "-O1"))
    assert program.messages == ""
    told = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert "kernel=affine_kernel launches=2" in told.stderr
    assert program.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled", "FORTRANCL_TIMING": "1"}).stderr == ""


def problem(folder: Path, text: str) -> tuple[str, str]:
    source = folder / "work.f90"
    source.write_text(text)
    with pytest.raises(CompileError) as refused:
        compile_file(Request(str(source)))
    (diagnostic,) = refused.value.diagnostics
    assert diagnostic.span is not None
    return diagnostic.code, diagnostic.message


def test_refusals(tmp_path: Path) -> None:
    external = "\n".join(line.removeprefix("  ") for line in MODULE.splitlines()[3:-1]) + "\n"
    code, message = problem(tmp_path, external + script())
    assert code == "FCL606" and "'x' of the external procedure 'scale' needs an explicit interface" in message
    border = "end module work\nmodule other\n  implicit none\ncontains\n"
    first, second = MODULE.split("  subroutine shift")
    apart = f"{first}{border}  subroutine shift{second}".removesuffix("end module work\n") + "end module other\n"
    code, message = problem(tmp_path, apart + script())
    assert code == "FCL606" and "in different modules" in message
    taken = script().replace("! RESULT", '! both = lp.rename_kernel(both, "affine", "Shift")\n! RESULT')
    code, message = problem(tmp_path, EXTERNAL + taken)
    assert code == "FCL606" and "'Shift' has the name of one that the file has" in message
    code, message = problem(tmp_path, EXTERNAL + script("[both, both]"))
    assert code == "FCL219" and "'affine'" in message
