"""Codes FCL0xx: notes and warnings about what was done; nothing is wrong."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

NOTE_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL000",
        "procedure is offloaded",
        "Calls of this procedure now launch its OpenCL kernels. The number of launches is told; each global barrier adds "
        "one.",
        "subroutine s(n, x)\n  integer, intent(in) :: n\n  real :: x(n)\n  integer :: i\n  do i = 1, n\n    x(i) = 2*x(i)\n"
        "  end do\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL001",
        "procedure stays as it is",
        "The file has no script, and this procedure holds something that cannot be compiled. It stays plain Fortran and "
        "runs where it did.",
    ),
    CodeEntry(
        "FCL002",
        "about a step",
        "A step took a permission for granted (the order of a sum, say), or automatic mapping found no independent loop.",
    ),
)
"""Codes of messages that are no errors."""
