"""The frontend's cases down the whole path: mapped by proof, run on PoCL, against gfortran's own build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fortrancl.frontend import read_source, scan
from tests.support.whole import ORDER_KEPT, Call, assert_same, build

SOURCE = Path(__file__).with_name("frontend_semantics.f90")
NAMES = [outline.name for outline in scan(read_source(str(SOURCE))).procedures]
Env = dict[str, str]
Y = np.array([-3.7, 2.5, -2.5, 0.5, -0.5, 1.2, 4.9, -7.1, 3.5, -1.0])
Z = np.array([1.5, -2.2, 3.3, -0.1, 0.7, -4.4, 2.6, 5.5, -1.1, 9.9])
M = np.array([-7, 7, -8, 8, -1, 1, 0, 5, -5, 3], dtype=np.int32)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory, pocl_env: Env) -> dict[str, tuple[list[Any], list[Any]]]:
    """Arguments after each call, from the device and from gfortran."""
    libraries = build(tmp_path_factory.mktemp("semantics"), {SOURCE.name: SOURCE.read_text()}, flags=ORDER_KEPT)
    assert len(libraries.compilations[SOURCE.name].compiled) == len(NAMES), "each is offloaded"
    calls = [Call(name, (10, np.arange(10) * 0.25, Y, Z, np.arange(10, dtype=np.int32), M)) for name in NAMES]
    device, referee = libraries.offloaded(calls, pocl_env), libraries.referee(calls, pocl_env)
    return dict(zip(NAMES, zip(device.values, referee.values, strict=True), strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_same_numbers_as_gfortran(answers: dict[str, tuple[list[Any], list[Any]]], name: str) -> None:
    # Elementary functions are PoCL's here and glibc's there; all else is equal, bit for bit.
    assert_same(*answers[name], rtol=1e-15 if name == "real_intrinsics" else 0, what=name)


GUARDED_WRITES = """\
subroutine guarded_writes(n, m, flag, x, y, z, w)
  implicit none
  integer, intent(in) :: n, m
  integer, intent(in) :: flag(n)
  real(8), intent(inout) :: x(n), y(n), z(n), w(n,m)
  integer :: i, j
  do i = 1, n
    if (i > 3 .and. i < n - 2) x(i) = 1
    if (flag(i) > 0) y(i) = 2
    if (i <= 2) then
      y(i) = 3
    end if
    z(i) = 4
    if (flag(i) > 1) z(i) = 5
    do j = 2, m, 2
      w(i,j) = 6
    end do
  end do
end subroutine guarded_writes
"""


def test_elements_that_are_not_written_keep_their_values(tmp_path: Path, pocl_env: Env) -> None:
    """What comes back from the device must have gone there, unless it is sure to be overwritten."""
    libraries = build(tmp_path, {"guarded_writes.f90": GUARDED_WRITES})
    flag = np.array([0, 1, 2] * 4, np.int32)
    x = np.arange(12.0)
    calls = [
        Call("guarded_writes", (n, 5, flag[:n], x[:n], x[:n], x[:n], np.ones((n, 5), order="F"))) for n in (12, 6, 2, 1)
    ]
    found, expected = libraries.offloaded(calls, pocl_env), libraries.referee(calls, pocl_env)
    for one, other in zip(found.values, expected.values, strict=True):
        assert_same(one, other)
    assert "guarded_writes_kernel" in found.launched
