"""What the frontend makes of Fortran, run by the reference interpreter, against gfortran's build of the same text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from fortrancl.frontend import lower, scan
from fortrancl.ir.interpret import interpret
from fortrancl.ir.verify import verify
from fortrancl.source import SourceFile
from tests.support.build import run

N = 10
X = np.arange(N) * 0.25
Y = np.array([-3.7, 2.5, -2.5, 0.5, -0.5, 1.2, 4.9, -7.1, 3.5, -1.0])
Z = np.array([1.5, -2.2, 3.3, -0.1, 0.7, -4.4, 2.6, 5.5, -1.1, 9.9])
K = np.arange(N, dtype=np.int32)
M = np.array([-7, 7, -8, 8, -1, 1, 0, 5, -5, 3], dtype=np.int32)

HEAD = """subroutine {name}(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
"""

# name → (declarations, statements)
BODIES: dict[str, tuple[str, str]] = {
    "order_of_minus": ("", "do i = 1, n\n x(i) = y(i) - z(i) - 1.5d0 - (y(i) - (z(i) - x(i)))\nend do"),
    "power": ("", "do i = 1, n\n x(i) = -y(i)**2 + 2d0**m(i)\n k(i) = 2**(-i) + (-1)**i + m(i)**2\nend do"),
    "integer_division": ("", "do i = 1, n\n k(i) = m(i)/3 + (-i)/2*2\n x(i) = i/2\nend do"),
    "single_precision": ("real :: r", "do i = 1, n\n r = y(i)\n x(i) = 0.1*z(i) + r*r + 1.1\nend do"),
    "step_three": ("", "do i = 2, n, 3\n x(i) = y(i)\nend do"),
    "step_back": ("", "do i = n - 1, 1, -1\n x(i) = x(i+1) + y(i)\nend do"),
    "step_back_by_two": ("", "do i = n, 2, -2\n x(i) = x(i-1) + i\nend do\nk(1) = i"),
    "no_iteration": ("", "do i = n, 1\n x(i) = 9\nend do\nk(1) = i\ndo i = 1, n, -1\n x(i) = 8\nend do\nk(2) = i"),
    "last_values": ("", "do i = 1, n, 4\n do j = i, n, 3\n  x(j) = x(j) + i\n end do\n k(i) = j\nend do\nk(2) = i + j"),
    "variable_both_ways": ("", "i = 3\nx(i) = 7\ndo i = i, n\n x(i) = x(i) + i\nend do\nk(1) = i\ni = i - 8\nx(i) = -1"),
    "triangle": ("", "do i = 1, n\n do j = 1, i\n  x(i) = x(i) + y(j)*j\n end do\nend do"),
    "bounds_of_mod": ("", "do i = 1, n\n do j = 1, mod(i, 3) + 1\n  x(i) = x(i) + j\n end do\nend do"),
    "bounds_of_data": ("", "do i = 1, n\n do j = m(i), k(i), 2\n  x(i) = x(i) + j\n end do\nend do\nk(1) = j"),
    "guarded_bounds_of_data": (
        "",
        "do i = 1, n\n if (y(i) > 0) then\n  do j = 1, k(i)\n   x(j) = x(j) + z(i)\n  end do\n end if\nend do",
    ),
    "changing_bound": ("", "q = 3\ndo i = 1, q\n q = q + 1\n x(i) = q\nend do"),
    "sizes": ("integer :: nm1, half", "nm1 = n - 1\nhalf = nm1/2\ndo i = 2, nm1\n x(i) = half + y(i-1)\nend do\nx(half) = 0"),
    "labels": ("", "do 10 i = 1, n\n do 10 j = 1, 2\n10 x(i) = x(i) + y(j)\ndo 20 i = 1, 3\n k(i) = i\n20 continue"),
    "if_chain": (
        "",
        "do i = 1, n\n if (y(i) > 1) then\n  x(i) = 1\n else if (y(i) > 0 .and. i > 3) then\n  x(i) = 2\n"
        " else if (i == 3) then\n  x(i) = 4\n else\n  x(i) = 3\n end if\nend do",
    ),
    "if_changes_what_it_read": ("", "do i = 1, n\n if (x(i) < 1) then\n  x(i) = 5\n  y(i) = x(i)\n else\n  x(i) = 0\n end if\nend do"),
    "affine_conditions": (
        "",
        "do i = 1, n\n if (mod(i, 2) == 0 .or. i > 7) x(i) = -x(i)\n if (.not. (i < 3)) y(i) = x(i-2)\nend do",
    ),
    "guard_before_bound": ("", "do i = 1, n\n if (y(i) > 0 .and. i < n) x(i) = y(i+1)\nend do"),
    "logicals": (
        "logical :: a, b, c(2)",
        "do i = 1, n\n a = y(i) > 0\n b = z(i) > 0 .eqv. a\n c(1) = a .neqv. b\n c(2) = .not. c(1) .or. a .and. b\n"
        " if (c(2)) x(i) = 1\n k(i) = merge(1, 0, c(1))\nend do",
    ),
    "cycle_affine": ("", "do i = 1, n\n if (mod(i, 2) == 0) cycle\n x(i) = 7\nend do"),
    "cycle_in_arms": (
        "",
        "do i = 1, n\n if (y(i) > 0) then\n  x(i) = 1\n  if (z(i) > 0) cycle\n  x(i) = 2\n else if (k(i) > 5) then\n  cycle\n"
        " end if\n y(i) = 0\nend do",
    ),
    "select": (
        "",
        "do i = 1, n\n select case (m(i))\n case (:-5)\n  x(i) = 1\n case default\n  x(i) = 4\n case (-1, 5:7)\n  x(i) = 2\n"
        " case (8:)\n  x(i) = 3\n end select\n select case (i)\n case (2:4)\n  cycle\n end select\n k(i) = -k(i)\nend do",
    ),
    "early_return": ("", "if (n < 2) return\nx(1) = 1\nif (m(1) < 0) then\n x(2) = 2\n return\nend if\nx(3) = 3"),
    "late_return": ("", "x(1) = 1\nif (m(1) < 0) then\n if (m(2) < 0) return\n x(2) = 2\nend if\nx(3) = 3\nreturn"),
    "lower_bounds": ("real(8) :: w(0:4), v(-2:2, 3)", "do i = 0, 4\n w(i) = i\n v(i-2, 2) = 2*i\nend do\ndo i = 1, n\n x(i) = w(mod(i, 5)) + v(2-mod(i,5), 2)\nend do"),
    "constants": (
        "integer, parameter :: np = 4, dp = kind(1d0)\nreal(dp), parameter :: h = 1.0_dp/3, tab(np) = [1.5_dp, h, 2*h, -1.0_dp]\n"
        "integer, parameter :: sq(2:4) = [(i*i, i = 2, 4)]\nreal, parameter :: tenth = 0.1\nlogical, parameter :: on = np > 3",
        "do i = 1, np\n x(i) = tab(i)*h + tenth\n if (on) k(i) = sq(3) + sq(mod(i, 3) + 2)\nend do\nk(9) = np**2/3\nx(9) = huge(1)",
    ),
    "integer_intrinsics": (
        "",
        "do i = 1, n\n k(i) = abs(m(i)) + mod(m(i), 3)*10 + modulo(m(i), 3)*100 + sign(5, m(i))*1000 + dim(m(i), 2)\nend do\n"
        "do i = 1, n\n m(i) = iand(m(i), 12) + ior(m(i), 5) - ieor(m(i), 3) + not(m(i)) + ishft(m(i), 2) + ishft(m(i), -30)"
        " + merge(1, 0, btest(m(i), 1)) + ibset(m(i), 4) + ibclr(m(i), 0) + max(m(i), i, 3) - min(m(i), 2)\nend do",
    ),
    "roundings": (
        "",
        "do i = 1, n\n k(i) = int(y(i)) + 10*nint(y(i)) + 100*floor(y(i)) + 1000*ceiling(y(i))\n x(i) = aint(y(i)) + anint(z(i))"
        " + real(int(floor(z(i), 8) + nint(y(i), 8) + ceiling(y(i), kind=8)), 8)\nend do",
    ),
    "real_intrinsics": (
        "",
        "do i = 1, n\n x(i) = sqrt(abs(y(i))) + exp(z(i)/5) + atan2(y(i), z(i)) + sin(y(i))*cos(z(i)) + tan(y(i)/9)\n"
        " y(i) = log(abs(z(i))) + log10(abs(z(i))) + sinh(y(i)/4) + cosh(y(i)/4) + tanh(y(i)) + hypot(y(i), z(i))\n"
        " z(i) = asin(z(i)/10) + acos(z(i)/10) + atan(z(i)) + sign(y(i), z(i)) + mod(y(i), 1.5d0) + modulo(z(i), 1.5d0)"
        " + dim(y(i), z(i)) + max(y(i), z(i), 1d0) + min(y(i), 0d0)\nend do",
    ),
    "specific_names": (
        "real :: r, s\ndouble precision :: dsqrt",
        "r = 2.25\ns = -1.5\nx(1) = dsqrt(dabs(y(1))) + dexp(1d0) + dmax1(y(1), z(1)) + dmod(y(2), 2d0) + dsign(1d0, y(1))\n"
        "x(2) = amax1(r, s) + amin0(3, 4) + float(n) + sngl(y(1)) + alog(r) + amod(r, s)\nk(1) = iabs(m(1)) + max0(1, n)"
        " + max1(r, s) + ifix(r) + idint(y(1)) + idnint(y(1)) + isign(3, m(1)) + idim(5, 3)\nx(3) = dble(r)*s + dprod(r, s)",
    ),
    "conversions": (
        "integer(8) :: wide\ninteger(2) :: small",
        "wide = 3000000000_8\nsmall = 7\ndo i = 1, n\n x(i) = wide*i + real(y(i)) + int(z(i), 8)\n k(i) = int(wide/1000000) + small\n"
        " y(i) = m(i)\nend do",
    ),
    "wide_loops": (
        "integer(8) :: w",
        "do w = 1, n\n x(w) = w*1000000000\nend do\ndo w = int(n, 8), 3_8, -3_8\n y(w) = 2*w + 1\nend do\nx(1) = w",
    ),
    "shadowing": ("real(8) :: sum(10), scale(3, 2)", "do i = 1, n\n sum(i) = y(i)\n scale(mod(i, 3) + 1, 1) = i\nend do\nx(1) = sum(3) + scale(2, 1)"),
    "mixed_case": ("", "DO I = 1, N\n X(I) = Y(i)\nEnd Do"),
    "continued": ("", "do i = 1, &\n   n ! to the end\n x(i) = y(i) & ! first\n\n   & + z(i); k(i) = 3\nend do"),
    "inner_scalars": ("", "do i = 1, n\n t = y(i)*2\n x(i) = t\n t = z(i) + 1\n y(i) = t\nend do\nx(1) = t"),
    "gather": ("", "do i = 1, n\n x(i) = y(k(i) + 1) + z(n - k(i))\nend do"),
}  # fmt: skip


def text_of(name: str) -> str:
    """The subroutine of a case."""
    declarations, statements = BODIES[name]
    return HEAD.format(name=name) + declarations + "\n" + statements + f"\nend subroutine {name}\n"


@pytest.fixture(scope="module")
def referee(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, np.ndarray]]:
    """What gfortran's program computes, all cases in one build."""
    folder = tmp_path_factory.mktemp("referee")
    data = "".join(
        f"  {a} = [{', '.join(repr(v.item()) + ('d0' if a in 'xyz' else '') for v in values)}]\n"
        for a, values in (("x", X), ("y", Y), ("z", Z), ("k", K), ("m", M))
    )
    calls = "".join(f"  call reset()\n  call {name}({N}, x, y, z, k, m)\n  call show('{name}')\n" for name in BODIES)
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
    (folder / "cases.f90").write_text("".join(text_of(name) for name in BODIES))
    (folder / "main.f90").write_text(main)
    run(
        [
            "gfortran",
            "-O0",
            "-w",
            "-ffp-contract=off",
            "-ffree-line-length-none",
            "cases.f90",
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


@pytest.mark.parametrize("name", sorted(BODIES))
def test_same_numbers_as_gfortran(name: str, referee: dict[str, dict[str, np.ndarray]]) -> None:
    unit = scan(SourceFile("cases.f90", text_of(name)))
    kernel = lower(unit, unit.procedures[0]).kernel
    verify(kernel)
    found = interpret(kernel, {"x": X, "y": Y, "z": Z, "k": K, "m": M}, {"n": N})
    for array in "xyzkm":
        expected = referee[name][array]
        if array in "km":
            np.testing.assert_array_equal(found[array], expected, err_msg=f"{name}: {array}")
        else:
            np.testing.assert_allclose(found[array], expected, rtol=1e-15, atol=0, err_msg=f"{name}: {array}")


def test_the_cases_of_the_referee_have_plain_names() -> None:
    assert all(re.fullmatch(r"[a-z_]+", name) for name in BODIES)
    assert Path(__file__).name.startswith("test_")
