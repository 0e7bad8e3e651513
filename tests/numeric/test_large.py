"""Arrays of more than 2^31 elements: the launcher takes the 64-bit build by the sizes, and the offsets are right.

Only the touched stretch of an array is copied, so a stretch far behind an array's start is all that must exist.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.build import build_program
from tests.support.calls import Shifted
from tests.support.whole import Call, Libraries, assert_same, build

Env = dict[str, str]

COLUMN = """\
subroutine column(lda, m, n, col, x, y)
  implicit none
  integer, intent(in) :: lda, m, n, col
  real(8), intent(in) :: x(lda,m)
  real(8), intent(inout) :: y(n)
  integer :: i

  do i = 1, n
    y(i) = y(i) + 2*x(i,col)
  end do
end subroutine column
"""
FAR = """\
subroutine far(base, n, x)
  implicit none
  integer(8), intent(in) :: base
  integer, intent(in) :: n
  real(4), intent(inout) :: x(*)
  integer :: i

  do i = 1, n
    x(base+i) = 2*x(base+i) + i
  end do
end subroutine far

!$loopy begin
! k = lp.parse_fortran(SOURCE, FILENAME)
! k = lp.split_iname(k, "i", 16, outer_tag="g.0", inner_tag="l.0")
! k = lp.add_prefetch(k, "x", "i_inner", default_tag="l.auto")
! RESULT = k
!$loopy end
"""


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return build(tmp_path_factory.mktemp("large"), {"column.f90": COLUMN, "far.f90": FAR})


def column(lda: int, col: int) -> Call:
    x, y = np.arange(50.0), np.arange(50.0) / 3
    return Call("column", (lda, col, 50, col, Shifted(x, lda * (col - 1)), y))


def index_bits(stderr: str) -> list[str]:
    return [line.split(" with ")[1].split("-bit")[0] for line in stderr.splitlines() if "-bit indices" in line]


@pytest.mark.parametrize(("lda", "col", "bits"), [(60, 3, "32"), (1_000_003, 4001, "64"), (2_000_000_000, 5, "64")])
def test_the_build_follows_the_sizes(libraries: Libraries, pocl_env: Env, lda: int, col: int, bits: str) -> None:
    """Every argument fits in 32 bits, lda*(col - 1) does not."""
    found = libraries.offloaded([column(lda, col)], pocl_env | {"FORTRANCL_VERBOSE": "1"})
    assert index_bits(found.stderr) == [bits]
    assert_same(found.values[0][5:], libraries.referee([column(lda, col)], pocl_env).values[0][5:])
    np.testing.assert_array_equal(found.values[0][5], np.arange(50.0) / 3 + 2 * np.arange(50.0))


def test_both_builds_in_one_process(libraries: Libraries, pocl_env: Env) -> None:
    calls = [column(60, 3), column(1_000_003, 4001), column(60, 2), column(2_000_000_000, 3)]
    found = libraries.offloaded(calls, pocl_env | {"FORTRANCL_VERBOSE": "1"})
    assert index_bits(found.stderr) == ["32", "64"]
    for values in found.values:
        np.testing.assert_array_equal(values[5], np.arange(50.0) / 3 + 2 * np.arange(50.0))


@pytest.mark.parametrize("base", [0, 2**31 - 20, 2**31, 2**33 + 7])
def test_a_base_of_eight_bytes(libraries: Libraries, pocl_env: Env, base: int) -> None:
    """Staged in local memory, too; around the limit, and far behind it."""
    x = np.arange(50, dtype=np.float32)
    call = Call("far", (np.int64(base), 50, Shifted(x, base)))
    found = libraries.offloaded([call], pocl_env | {"FORTRANCL_VERBOSE": "1"})
    assert index_bits(found.stderr) == ["64" if base else "32"]
    assert_same(found.values[0], libraries.referee([call], pocl_env).values[0])


BYTES = """\
subroutine bytes(n, x)
  implicit none
  integer(8), intent(in) :: n
  integer(1), intent(inout) :: x(n)
  integer(8) :: i

  do i = 1, n
    x(i) = x(i) + int(mod(i, 5_8), 1)
  end do
end subroutine bytes
"""
BYTES_MAIN = """\
program main
  implicit none
  integer(8), parameter :: n = 2_8**31 + 1000
  integer(1), allocatable :: x(:)
  integer(8) :: i, wrong
  allocate (x(n))
  x = 3
  call bytes(n, x)
  wrong = 0
  do i = 1, n
    if (x(i) /= 3 + mod(i, 5_8)) wrong = wrong + 1
  end do
  print '(i0)', wrong
end program main
"""


@pytest.mark.nightly
def test_more_than_two_to_the_31_elements(tmp_path: Path, pocl_env: Env) -> None:
    """Every element exists, here and in the device's buffer. A device that has no room says so; nothing crashes."""
    made = build(tmp_path, {"bytes.f90": BYTES})
    assert made.messages == ""
    (tmp_path / "main.f90").write_text(BYTES_MAIN)
    written = tmp_path / "written"
    program = build_program(tmp_path, [written / "bytes.f90", "main.f90"], [written / "bytes_fcl.c"], ("-O2",))
    result = program.run(pocl_env | {"FORTRANCL_VERBOSE": "1"}, check=False, timeout=600)
    if "error[FCL658]" in result.stderr:
        assert "'x' takes 2147484648 bytes" in result.stderr
        assert (result.returncode, result.stdout) == (1, "")
        pytest.skip("this device allows no buffer of 2 GiB")
    assert (result.stdout.split(), index_bits(result.stderr)) == (["0"], ["64"])
