"""Programs whose calls nobody touched: gfortran builds the written files, PoCL runs the kernels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fortrancl.host import CompiledKernel, HostOptions, host_files
from fortrancl.ir.build import build_kernel
from fortrancl.ir.expr import Var, integer, substitute
from fortrancl.ir.kernel import ExtentParameter, Kernel
from fortrancl.ir.types import ScalarType
from tests.support.build import build_program
from tests.support.host import STRICT, Unit, build, compiled, parallel, unit, write

Env = dict[str, str]

SCALE_BODY = """\
  subroutine scale(n, a, x)
    integer, intent(in) :: n
    real(8), intent(in) :: a
    real(8), intent(inout) :: x(n)
    integer :: i
    ! body
    do i = 1, n
      x(i) = a*x(i)
    end do
  end subroutine scale
"""
SCALE = f"module work\n  implicit none\ncontains\n{SCALE_BODY}end module work\n"
OPTIMISATION = {"debug": (*STRICT, "-O0", "-g", "-fcheck=all"), "fast": (*STRICT, "-O3")}


def scale_kernel() -> Kernel:
    return build_kernel("scale", "n; real8 a; x(n)", [("x[i]", "a*x[i]", {"i": "n"})])


def scale(source: Unit) -> CompiledKernel:
    kernel = scale_kernel()
    return compiled(source.procedure(kernel), parallel(kernel, "i"))


# -- calls of every kind ------------------------------------------------------------------------------------------
CALLS = """\
program main
  use work, only: scale
  implicit none
  real(8) :: a(3,50), x(100)
  real(8), allocatable :: empty(:)
  a = 1
  x = 1
  allocate (empty(0))
  call scale(50, 2d0, a(2,:))
  call scale(25, 3d0, a(3,50:1:-2))
  call scale(10, 5d0, x(91))
  call scale(0, 2d0, empty)
  call scale(-3, 2d0, empty)
  print '(4f8.1)', sum(a(1,:)), sum(a(2,:)), sum(a(3,:)), sum(x)
end program main
"""


@pytest.mark.parametrize("kind", OPTIMISATION)
@pytest.mark.parametrize("offload", ["mandatory", "disabled"])
def test_sections_and_empty_arrays(tmp_path: Path, pocl_env: Env, kind: str, offload: str) -> None:
    source = unit(SCALE)
    program = build(tmp_path, source, [scale(source)], CALLS, OPTIMISATION[kind])
    result = program.run(pocl_env | {"FORTRANCL_OFFLOAD": offload})
    assert result.stdout.split() == ["50.0", "100.0", "100.0", "140.0"]


INSIDE = f"""\
module work
  implicit none
  private
  public :: twice, size
  integer :: size = 7
  interface twice
    module procedure scale
  end interface
contains
{SCALE_BODY}
  subroutine outer(x)
    real(8), intent(inout) :: x(:)
    call scale(4, 2d0, x)
  end subroutine outer
end module work
"""


def test_generic_and_inner_calls_of_a_private_procedure(tmp_path: Path, pocl_env: Env) -> None:
    source = unit(INSIDE.replace("public :: twice, size", "public :: twice, outer, size"))
    main = """\
program main
  use work
  implicit none
  real(8) :: x(8)
  x = 1
  call twice(8, 3d0, x)
  call outer(x(::2))
  print '(f8.1)', sum(x)
end program main
"""
    program = build(tmp_path, source, [scale(source)], main)
    result = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert result.stdout.split() == ["36.0"]
    assert "timing kernel=scale_kernel launches=2 ms=" in result.stderr


FIXED = """\
C     Old Fortran, a bare subroutine.
      SUBROUTINE SCALE(N, A, X)
      INTEGER N
      REAL*8 A, X(*)
      INTEGER I
c body
      DO 10 I = 1, N
        X(I) = A*X(I)
   10 CONTINUE
      RETURN
      END
"""


@pytest.mark.parametrize("offload", ["mandatory", "disabled"])
def test_fixed_form_external(tmp_path: Path, pocl_env: Env, offload: str) -> None:
    kernel = build_kernel("SCALE", "N; real8 A; X(*)", [("X[I]", "A*X[I]", {"I": "N"})])
    text = FIXED.replace("SUBROUTINE", "subroutine").replace("      END", "      end")
    source = unit(text, "scale.f")
    main = """\
program main
  implicit none
  real(8) :: x(40)
  external :: scale
  x = 1
  call scale(40, 2d0, x)
  print '(f8.1)', sum(x)
end program main
"""
    # Before F2018 a labelled DO is no news, and REAL*8 is an extension whatever fortrancl does.
    flags = ("-std=gnu", "-Wall", "-Wextra", "-fcheck=all")
    program = build(tmp_path, source, [compiled(source.procedure(kernel), parallel(kernel, "I"))], main, flags)
    lines = (tmp_path / "scale.f").read_text().splitlines()
    assert all(len(line) <= 72 for line in lines)
    result = program.run(pocl_env | {"FORTRANCL_OFFLOAD": offload, "FORTRANCL_COMPARE": "1"})
    assert (result.stdout.split(), result.stderr) == (["80.0"], "")


# -- types --------------------------------------------------------------------------------------------------------
KINDS = """\
subroutine mix(n, flag, seen, mask, one, two, eight, r, total)
  implicit none
  integer, intent(in) :: n
  logical, intent(in) :: flag
  logical, intent(inout) :: seen
  logical, intent(inout) :: mask(n)
  integer(1), intent(inout) :: one(n)
  integer(2), intent(inout) :: two(n)
  integer(8), intent(inout) :: eight(n)
  real(4), intent(inout) :: r(n)
  integer(8), intent(inout) :: total
  integer :: i
  ! body
  do i = 1, n
    mask(i) = .not. mask(i) .and. flag
    one(i) = one(i) + 1_1
    two(i) = two(i) + two(i)
    eight(i) = eight(i)*eight(i)
    r(i) = r(i)*2
  end do
  seen = flag
  total = total + 5
end subroutine mix
"""


def mix_kernel() -> Kernel:
    loops = {"i": "n"}
    kernel = build_kernel(
        "mix",
        "n; logical flag; logical seen; logical mask(n); int one(n); int two(n); int eight(n); real4 r(n); int total",
        [
            ("mask[i]", "not mask[i] and flag", loops),
            ("one[i]", "one[i] + 1", loops),
            ("two[i]", "two[i] + two[i]", loops),
            ("eight[i]", "eight[i]*eight[i]", loops),
            ("r[i]", "r[i]*2", loops),
            ("seen", "flag", {}),
            ("total", "total + 5", {}),
        ],
    )
    kinds = {"one": 1, "two": 2, "eight": 8, "total": 8}
    arguments = tuple(
        replace(a, type=ScalarType("integer", kinds[a.name])) if a.name in kinds else a for a in kernel.arguments
    )
    return replace(kernel, arguments=arguments)


MIX_MAIN = """\
program main
  implicit none
  interface
    subroutine mix(n, flag, seen, mask, one, two, eight, r, total)
      integer, intent(in) :: n
      logical, intent(in) :: flag
      logical, intent(inout) :: seen
      logical, intent(inout) :: mask(n)
      integer(1), intent(inout) :: one(n)
      integer(2), intent(inout) :: two(n)
      integer(8), intent(inout) :: eight(n)
      real(4), intent(inout) :: r(n)
      integer(8), intent(inout) :: total
    end subroutine
  end interface
  logical :: mask(6), seen
  integer(1) :: one(6)
  integer(2) :: two(6)
  integer(8) :: eight(6), total
  real(4) :: r(6)
  mask = [.true., .false., .true., .false., .true., .true.]
  one = -7_1
  two = 300_2
  eight = 3000000000_8
  r = 0.5
  seen = .false.
  total = 8000000000_8
  call mix(6, .true., seen, mask, one, two, eight, r, total)
  print '(7l2,4i22,f5.1)', seen, mask, one(6), two(6), eight(6), total, r(6)
  if (count(mask) /= 2) error stop 1
end program main
"""


@pytest.mark.parametrize("kind", OPTIMISATION)
@pytest.mark.parametrize("offload", ["mandatory", "disabled"])
def test_logicals_and_integer_kinds(tmp_path: Path, pocl_env: Env, kind: str, offload: str) -> None:
    source = unit(KINDS)
    program = build(tmp_path, source, [compiled(source.procedure(mix_kernel()))], MIX_MAIN, OPTIMISATION[kind])
    words = program.run(pocl_env | {"FORTRANCL_OFFLOAD": offload}).stdout.split()
    assert words == [*"TFTFTFF", "-6", "600", "9000000000000000000", "8000000005", "1.0"]


@pytest.mark.parametrize("size", [1, 2, 8])
def test_logical_scalars_of_other_kinds(tmp_path: Path, pocl_env: Env, size: int) -> None:
    kernel = build_kernel("flip", "logical l; logical m", [("m", "not l", {})])
    kernel = replace(kernel, arguments=tuple(replace(a, type=ScalarType("logical", size)) for a in kernel.arguments))
    text = f"""\
module work
contains
  subroutine flip(l, m)
    logical({size}), intent(in) :: l
    logical({size}), intent(inout) :: m
    ! body
    m = .not. l
  end subroutine flip
end module work
"""
    main = f"""\
program main
  use work
  logical({size}) :: l, m(2)
  l = .true.
  m = .true.
  call flip(l, m(1))
  l = .false.
  call flip(l, m(2))
  print *, m
end program main
"""
    source = unit(text)
    program = build(tmp_path, source, [compiled(source.procedure(kernel))], main)
    assert program.run(pocl_env | {"FORTRANCL_COMPARE": "1"}).stderr == ""
    assert program.run(pocl_env).stdout.split() == ["F", "T"]


# -- assumed shape ------------------------------------------------------------------------------------------------
def shaped_kernel() -> Kernel:
    """u(0:,:) = k, whose extents only the call knows."""
    kernel = build_kernel("fill", "k; n; m; u(n,m)", [("u[i,j]", "u[i,j] + k + 10*i", {"j": "m", "i": "n"})])
    u = kernel.argument_by_name["u"]
    dims = (replace(u.shape[0], lower=integer(0)), u.shape[1])
    u = replace(u, shape=dims, form="assumed_shape")
    return replace(
        kernel,
        arguments=(kernel.argument_by_name["k"], u),
        extents=(ExtentParameter("n", "u", 0), ExtentParameter("m", "u", 1)),
    )


@pytest.mark.parametrize("kind", OPTIMISATION)
@pytest.mark.parametrize("name", ["k", "size"])
def test_assumed_shape(tmp_path: Path, pocl_env: Env, kind: str, name: str) -> None:
    text = f"""\
module work
  implicit none
contains
  subroutine fill({name}, u)
    integer, intent(in) :: {name}
    real(8), intent(inout) :: u(0:,:)
    integer :: i, j
    ! body
    do j = lbound(u, 2), ubound(u, 2)
      do i = lbound(u, 1), ubound(u, 1)
        u(i,j) = u(i,j) + {name} + 10*i
      end do
    end do
  end subroutine fill
end module work
"""
    main = """\
program main
  use work
  implicit none
  real(8) :: a(6,5), b(6,5)
  integer :: i, j
  a = 0
  b = 0
  call fill(3, a(2:6:2,5:1:-2))
  call fill(4, a(1:0,:))
  do j = 1, 5, 2
    do i = 2, 6, 2
      b(i,j) = 3 + 10*(i/2 - 1)
    end do
  end do
  print '(2f8.1)', sum(a), maxval(abs(a - b))
end program main
"""
    kernel = shaped_kernel()
    if name != "k":
        kernel = replace(
            kernel,
            arguments=(replace(kernel.arguments[0], name=name), kernel.arguments[1]),
            statements=tuple(replace(s, value=_renamed(s.value, "k", name)) for s in kernel.statements),
        )
    source = unit(text)
    program = build(tmp_path, source, [compiled(source.procedure(kernel))], main, OPTIMISATION[kind])
    assert program.run(pocl_env).stdout.split() == ["117.0", "0.0"]


def _renamed(expr: object, old: str, new: str) -> object:
    return substitute(expr, {old: Var(new)})  # type: ignore[arg-type]


# -- procedures of other kinds --------------------------------------------------------------------------------------
def test_pure_procedure(tmp_path: Path, pocl_env: Env) -> None:
    source = unit(SCALE.replace("  subroutine scale", "  pure subroutine scale"))
    main = """\
program main
  use work
  implicit none
  real(8) :: x(40)
  x = 1
  call scale(40, 2d0, x)
  print '(f8.1)', sum(x)
end program main
"""
    program = build(tmp_path, source, [scale(source)], main, (*STRICT, "-O3"))
    result = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert result.stdout.split() == ["80.0"] and "launches=1" in result.stderr


@pytest.mark.parametrize("offload", ["mandatory", "disabled"])
def test_function(tmp_path: Path, pocl_env: Env, offload: str) -> None:
    kernel = build_kernel(
        "total", "n; x(n); real8 total", [("total", "0.0", {}), ("total", "total + x[i]", {"i": "n"})]
    )
    text = """\
real(8) function total(n, x)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  integer :: i
  ! body
  total = 0
  do i = 1, n
    total = total + x(i)
  end do
end function total
"""
    main = """\
program main
  implicit none
  real(8), external :: total
  real(8) :: x(9)
  x = 3
  print '(f8.1)', total(9, x)
end program main
"""
    source = unit(text)
    program = build(tmp_path, source, [compiled(source.procedure(kernel))], main, (*STRICT, "-O2"))
    assert program.run(pocl_env | {"FORTRANCL_OFFLOAD": offload}).stdout.split() == ["27.0"]


def test_one_file_twice_with_a_prefix(tmp_path: Path, pocl_env: Env) -> None:
    """The same text under two module names links, and each part runs its own launcher."""
    first, second = unit(SCALE), unit(SCALE.replace("module work", "module work2"), "work2.f90")
    other = replace(scale(second), procedure=replace(scale(second).procedure, module="work"))
    files = host_files(second.source, [other], HostOptions(prefix="b_"))
    (tmp_path / "work2.f90").write_text(files.fortran_text or "")
    (tmp_path / "work2_fcl.c").write_text(files.c_text)
    main = """\
program main
  use work, only: one => scale
  use work2, only: two => scale
  implicit none
  real(8) :: x(4)
  x = 1
  call one(4, 2d0, x)
  call two(4, 5d0, x)
  print '(f8.1)', sum(x)
end program main
"""
    write(tmp_path, host_files(first.source, [scale(first)]), "work.f90", main)
    program = build_program(tmp_path, ["work.f90", "work2.f90", "main.f90"], ["work_fcl.c", "work2_fcl.c"])
    result = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert result.stdout.split() == ["40.0"]
    assert result.stderr.count("launches=1") == 2


def test_threads_share_the_device(tmp_path: Path, pocl_env: Env) -> None:
    source = unit(SCALE)
    main = """\
program main
  use work
  implicit none
  real(8) :: x(64,40)
  integer :: j
  x = 1
  !$omp parallel do num_threads(4) schedule(dynamic)
  do j = 1, 40
    call scale(64, real(j, 8), x(:,j))
  end do
  print '(f10.1)', sum(x)
end program main
"""
    program = build(tmp_path, source, [scale(source)], main, (*STRICT, "-O1", "-fopenmp"))
    for _ in range(3):
        assert program.run(pocl_env).stdout.split() == [f"{64 * 820:.1f}"]
