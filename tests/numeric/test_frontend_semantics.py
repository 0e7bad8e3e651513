"""What the frontend makes of Fortran, run by the reference interpreter, against gfortran's build of the same text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fortrancl.frontend import lower, read_source, scan
from fortrancl.ir.interpret import interpret
from fortrancl.ir.verify import verify
from tests.support.build import run

N = 10
X = np.arange(N) * 0.25
Y = np.array([-3.7, 2.5, -2.5, 0.5, -0.5, 1.2, 4.9, -7.1, 3.5, -1.0])
Z = np.array([1.5, -2.2, 3.3, -0.1, 0.7, -4.4, 2.6, 5.5, -1.1, 9.9])
K = np.arange(N, dtype=np.int32)
M = np.array([-7, 7, -8, 8, -1, 1, 0, 5, -5, 3], dtype=np.int32)

SOURCE = Path(__file__).with_name("frontend_semantics.f90")
UNIT = scan(read_source(str(SOURCE)))
NAMES = [outline.name for outline in UNIT.procedures]


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, np.ndarray]]:
    """What gfortran's program computes, all cases in one build."""
    folder = tmp_path_factory.mktemp("referee")
    data = "".join(
        f"  {a} = [{', '.join(repr(v.item()) + ('d0' if a in 'xyz' else '') for v in values)}]\n"
        for a, values in (("x", X), ("y", Y), ("z", Z), ("k", K), ("m", M))
    )
    calls = "".join(f"  call reset()\n  call {name}({N}, x, y, z, k, m)\n  call show('{name}')\n" for name in NAMES)
    main = f"""program main
  implicit none
  real(8) :: x({N}), y({N}), z({N})
  integer :: k({N}), m({N})
{calls}contains
  subroutine reset()
{data}  end subroutine
  subroutine show(name)
    character(len=*), intent(in) :: name
    print '(a)', name
    print '(*(es26.17e3))', x
    print '(*(es26.17e3))', y
    print '(*(es26.17e3))', z
    print '(*(i12))', k
    print '(*(i12))', m
  end subroutine
end program
"""
    (folder / "main.f90").write_text(main)
    run(
        [
            "gfortran",
            "-O0",
            "-w",
            "-ffp-contract=off",
            SOURCE,
            "main.f90",
            "-o",
            "cases",
        ],
        folder,
    )
    lines = run(["./cases"], folder).stdout.splitlines()
    result = {}
    for start in range(0, len(lines), 6):
        values = [np.array(lines[start + 1 + row].split(), dtype=float) for row in range(5)]
        result[lines[start]] = dict(zip("xyzkm", values, strict=True))
    return result


@pytest.mark.parametrize("name", NAMES)
def test_same_numbers_as_gfortran(name: str, referee: dict[str, dict[str, np.ndarray]]) -> None:
    kernel = lower(UNIT, UNIT.procedures[NAMES.index(name)]).kernel
    verify(kernel)
    found = interpret(kernel, {"x": X, "y": Y, "z": Z, "k": K, "m": M}, {"n": N})
    for array in "xyzkm":
        expected = referee[name][array]
        if array in "km":
            np.testing.assert_array_equal(found[array], expected, err_msg=f"{name}: {array}")
        else:
            np.testing.assert_allclose(found[array], expected, rtol=1e-15, atol=0, err_msg=f"{name}: {array}")
