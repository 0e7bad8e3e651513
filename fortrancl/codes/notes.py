"""Codes FCL0xx: notes and warnings about what was done; nothing is wrong."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

_SCALE = (
    "subroutine s(n, x)\n  integer, intent(in) :: n\n  real :: x(n)\n  integer :: i\n  do i = 1, n\n    x(i) = "
    "2*x(i)\n  end do\n"
    "end subroutine s\n"
)

NOTE_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL000",
        "procedure is offloaded",
        "Calls of this procedure now launch its OpenCL kernels. The number of launches is told; each global barrier "
        "adds "
        "one.",
        _SCALE,
    ),
    CodeEntry(
        "FCL001",
        "procedure stays as it is",
        "The script does not take this procedure; or the file has no script, and the procedure holds something that "
        "cannot be compiled. It stays plain Fortran and runs where it did.",
        _SCALE + "subroutine t(x)\n  real :: x\n  print *, x\nend subroutine t\n",
    ),
    CodeEntry(
        "FCL002",
        "about a step",
        "A step took a permission for granted (the order of a sum, say), or automatic mapping found no independent "
        "loop.",
        _SCALE.replace("do i = 1", "do i = 2").replace("2*x(i)", "2*x(i-1)"),
    ),
)
"""Codes of messages that are no errors."""
