"""Codes FCL5xx: a kernel that the device cannot hold, or a type that it does not have."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry


def _example(script: str, body: str = "    x(i) = 2*x(i)\n", declarations: str = "  real(8) :: x(n)\n") -> str:
    return (
        f"subroutine s(n, x)\n  implicit none\n  integer, intent(in) :: n\n{declarations}  integer :: i\n"
        f"  do i = 1, n\n{body}  end do\nend subroutine s\n"
        f"!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n{script}! RESULT = s\n!$loopy end\n"
    )


DEVICE_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL501",
        "work-group too large",
        "The product of the lengths of all loops tagged l.0, l.1 and l.2 is the number of work-items of a group. "
        "Devices allow 1,024 at most. Split the loops shorter.",
        "subroutine s(n, x)\n  implicit none\n  integer, intent(in) :: n\n  real(8) :: x(n,n)\n  integer :: i, j\n"
        "  do j = 1, n\n    do i = 1, n\n      x(i,j) = 2*x(i,j)\n    end do\n  end do\nend subroutine s\n"
        "!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n"
        '! s = lp.split_iname(s, "i", 64, outer_tag="g.0", inner_tag="l.0")\n'
        '! s = lp.split_iname(s, "j", 64, outer_tag="g.1", inner_tag="l.1")\n! RESULT = s\n!$loopy end\n',
    ),
    CodeEntry(
        "FCL502",
        "local memory too small",
        "Arrays shared by a work-group live in local memory: 48 KiB on common devices. Make the tiles smaller.",
        "subroutine s(n, x, y)\n  implicit none\n  integer, intent(in) :: n\n  real(8) :: x(n), y(n), t(8192)\n"
        "  integer :: i\n  do i = 1, 8192\n    t(i) = y(i)\n  end do\n  do i = 1, 8192\n    x(i) = t(8193-i)\n  end "
        "do\n"
        "end subroutine s\n!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n"
        '! s = lp.split_iname(s, "i", 64, inner_tag="l.0")\n! s = lp.split_iname(s, "i_1", 64, inner_tag="l.0")\n'
        "! RESULT = s\n!$loopy end\n",
    ),
    CodeEntry(
        "FCL503",
        "too many work-items along one axis",
        "Devices bound the length of each axis of a work-group: 1,024 along l.0 and l.1, 64 along l.2.",
        _example('! s = lp.split_iname(s, "i", 128, outer_tag="g.0", inner_tag="l.2")\n'),
    ),
    CodeEntry(
        "FCL504",
        "constant memory too small",
        "Named constant arrays (parameter) live in constant memory: 64 KiB on common devices. Pass large tables as "
        "arguments.",
        _example(
            "", "    x(i) = x(i) + table(i)\n", "  real(8) :: x(n)\n  real(8), parameter :: table(9000) = 1.5d0\n"
        ),
    ),
    CodeEntry(
        "FCL505",
        "a type that OpenCL does not have",
        "OpenCL C computes in integers of 1, 2, 4 and 8 bytes and reals of 4 and 8 bytes. Other kinds, and complex "
        "numbers, have no counterpart yet.",
    ),
    CodeEntry(
        "FCL506",
        "no such atomic update",
        "OpenCL updates integers and reals of 4 and 8 bytes indivisibly, by x = x op e where e does not read x; op is "
        "one of + - * min max, and on integers and logicals iand, ior, ieor, .and., .or., .eqv., .neqv.",
        _example('! s = lp.set_atomic(s, "writes:x")\n', "    x(1) = x(1) + 1_1\n", "  integer(1) :: x(n)\n"),
    ),
)
