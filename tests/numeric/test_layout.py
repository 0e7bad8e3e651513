"""Arrays in other layouts, on PoCL against gfortran's build of the same Fortran, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.support.whole import Answers, Call, Libraries, assert_same, build

Env = Mapping[str, str]

FIELDS = """\
subroutine fields(n, m, q, r, w)
  implicit none
  integer, intent(in) :: n, m
  real(4), intent(in) :: q(n,n,n,8,m)
  real(4), intent(inout) :: r(n,n,n,8,m)
  real(4), intent(out) :: w(n,8,m)
  integer :: i, j, k, f, e
  do e = 1, m
    do k = 1, n
      do j = 1, n
        do i = 1, n
          r(i,j,k,1,e) = r(i,j,k,1,e) + q(i,j,k,5,e)*q(j,i,k,7,e)
          r(i,j,k,6,e) = r(i,j,k,6,e) - 2*q(i,j,k,8,e)
        end do
      end do
    end do
    do f = 1, 8
      do i = 1, n
        w(i,f,e) = 3*q(i,1,1,f,e)
      end do
    end do
  end do
end subroutine fields
!$loopy begin
! s = lp.parse_fortran(SOURCE, FILENAME)["fields"]
! s = lp.set_array_axis_names(s, "q,r", "i,j,k,field,e")
! s = lp.split_array_axis(s, "q,r", "field", 4, order="F")
! s = lp.tag_data_axes(s, "q,r", "N0,N1,N2,vec,N4,N3")
! s = lp.tag_array_axes(s, "w", "N2,N0,N1")
! s = lp.tag_inames(s, {"e": "g.0"})
! RESULT = s
!$loopy end
"""
PARTS = """\
subroutine parts(n, lda, a, b)
  implicit none
  integer, intent(in) :: n, lda
  real(8), intent(inout) :: a(lda,*)
  integer, intent(inout) :: b(n,7)
  integer :: i, j
  do j = 3, 5
    do i = 2, n - 1
      a(i,j) = a(i,j) + b(i,j) + a(1,j)
    end do
  end do
  do j = 1, 7
    do i = 1, n, 2
      b(i,j) = b(i,j)*j
    end do
  end do
end subroutine parts
!$loopy begin
! s = lp.parse_fortran(SOURCE, FILENAME)["parts"]
! s = lp.split_array_axis(s, "a", 0, 4)
! s = lp.tag_array_axes(s, "a", "N1,N0,N2")
! s = lp.split_array_axis(s, "b", 1, 4)
! s = lp.tag_array_axes(s, "b", "N1,N0,vec")
! RESULT = s
!$loopy end
"""
TURN = """\
subroutine turn(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(4), intent(in) :: x(n,n)
  real(4), intent(out) :: y(n,n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      y(i,j) = x(j,i)
    end do
  end do
end subroutine turn
!$loopy begin
! s = lp.parse_fortran(SOURCE, FILENAME)["turn"]
! s = lp.split_iname(s, "i", 16, outer_tag="g.0", inner_tag="l.0")
! s = lp.split_iname(s, "j", 16, outer_tag="g.1", inner_tag="l.1")
! s = lp.add_prefetch(s, "x", "i_inner,j_inner", temporary_name="tile", default_tag="l.auto", fetch_bounding_box=True)
! s = lp.tag_array_axes(s, "tile", "N0,stride:17")
! s = lp.tag_array_axes(s, "y", "c")
! RESULT = s
!$loopy end
"""
GATHER = """\
subroutine gather(n, m, map, x, y)
  implicit none
  integer, intent(in) :: n, m, map(n)
  complex, intent(in) :: unused
  real(8), intent(in) :: x(m,3)
  real(8), intent(inout) :: y(n,3)
  integer :: i, c
  do c = 1, 3
    do i = 1, n
      if (x(map(i),c) > 0.5d0) y(i,c) = y(i,c) + x(map(i),c)
    end do
  end do
end subroutine gather
!$loopy begin
! s = lp.parse_fortran(SOURCE, FILENAME)["gather"]
! s = lp.split_array_axis(s, "x", 0, 2)
! s = lp.tag_array_axes(s, "x", "N1,N2,N0")
! s = lp.tag_array_axes(s, "y,map", "N1?,N0")
! s = lp.split_array_axis(s, "map", 0, 8)
! s = lp.tag_inames(s, {"i": "g.0"})
! RESULT = s
!$loopy end
""".replace("  complex, intent(in) :: unused\n", "")
SOURCES = {"fields.f90": FIELDS, "parts.f90": PARTS, "turn.f90": TURN, "gather.f90": GATHER}


def calls() -> list[Call]:
    rng = np.random.default_rng(7)

    def real(*shape: int, kind: str = "f4") -> np.ndarray:
        return np.asfortranarray(rng.random(shape).astype(kind))

    result = []
    for n, m in ((3, 1), (4, 5), (1, 2), (0, 3)):
        result.append(Call("fields", (n, m, real(n, n, n, 8, m), real(n, n, n, 8, m), real(n, 8, m))))
    for n, lda in ((6, 6), (5, 9), (1, 3)):
        whole = np.asfortranarray(rng.integers(-9, 9, (n, 7)).astype("i4"))
        result.append(Call("parts", (n, lda, real(lda, 6, kind="f8"), whole)))
    result += [Call("turn", (n, real(n, n), real(n, n))) for n in (16, 19, 1)]
    for n, m in ((7, 5), (16, 9)):
        places = rng.integers(1, m + 1, n).astype("i4")
        result.append(Call("gather", (n, m, places, real(m, 3, kind="f8"), real(n, 3, kind="f8"))))
    return result


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return build(tmp_path_factory.mktemp("layout"), SOURCES)


@pytest.fixture(scope="module")
def answers(libraries: Libraries, pocl_env: Env) -> Answers:
    return libraries.offloaded(calls(), pocl_env)


def test_the_numbers_are_gfortrans(libraries: Libraries, answers: Answers, pocl_env: Env) -> None:
    expected = libraries.referee(calls(), pocl_env)
    for call, found, wanted in zip(calls(), answers.values, expected.values, strict=True):
        assert_same(found, wanted, what=call.procedure)


def test_copies_are_counted_apart(answers: Answers) -> None:
    """What is only read is not copied back, and what is surely overwritten in full is not copied there."""
    launched = answers.launched
    assert launched["fields_pack_q"] == launched["fields_unpack_r"] == 3
    assert "fields_unpack_q" not in launched
    assert "fields_pack_w" not in launched and launched["fields_unpack_w"] == 3
    assert "turn_pack_y" not in launched and launched["turn_unpack_y"] == 3
    assert launched["gather_pack_x"] == 2 and "gather_unpack_x" not in launched


def test_wide_indices_give_the_same(libraries: Libraries, pocl_env: Env, answers: Answers) -> None:
    wide = libraries.offloaded(calls(), {**pocl_env, "FORTRANCL_INDEX_BITS": "64"})
    for call, found, wanted in zip(calls(), wide.values, answers.values, strict=True):
        assert_same(found, wanted, what=call.procedure)


def test_not_one_report_under_oclgrind(libraries: Libraries, pocl_env: Env) -> None:
    cache = {"FORTRANCL_CACHE_DIR": str(libraries.folder / "cache")}
    values, report = libraries.under_oclgrind(calls(), {**pocl_env, **cache})
    report.assert_clean()
    for call, found, wanted in zip(calls(), values, libraries.referee(calls(), pocl_env).values, strict=True):
        assert_same(found, wanted, what=call.procedure)


def test_the_padded_tile_and_the_vector_are_in_the_text(libraries: Libraries) -> None:
    turn = libraries.compilations["turn.f90"].files.cl_text
    assert "__local float tile[272];" in turn and "17*" in turn
    fields = libraries.compilations["fields.f90"].files.cl_text
    assert "4*(i + n*(j + n*(k + n*(e + m" in fields
