"""Codes FCL4xx: a legal kernel for which no device code can be made as tagged."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry


def _example(body: str, script: str, declarations: str = "real(8) :: x(n,n), y(n)") -> str:
    return (
        f"subroutine s(n, x, y, k)\n  implicit none\n  integer, intent(in) :: n\n  integer, intent(in) :: k(n)\n"
        f"  {declarations}\n  integer :: i, j, p\n{body}end subroutine s\n"
        f"!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n{script}! RESULT = s\n!$loopy end\n"
    )


_NEST = "  do j = 1, n\n    do i = 1, n\n      x(i,j) = 2*x(i,j)\n    end do\n  end do\n"
_DATA = "  do i = 1, n\n    do j = 1, k(i)\n      x(j,i) = 1\n      y(i) = y(i) + x(j,i)\n    end do\n  end do\n"
_LOCAL = (
    "  do i = 1, n\n    do j = 1, n\n      t(j) = x(i,j)\n    end do\n    do j = 1, n\n      y(i) = y(i) + t(j)\n"
    "    end do\n  end do\n"
)

SCHEDULE_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL401",
        "l.auto without an explicit l tag",
        "l.auto shares out lanes that other loops' tags have made: the work-group's shape comes from loops tagged l.0, "
        "l.1 or l.2. Tag one of the kernel's loops so.",
        _example(_NEST, '! s = lp.tag_inames(s, "j:g.0, i:l.auto")\n'),
    ),
    CodeEntry(
        "FCL402",
        "length of an l loop is not a constant",
        "The number of work-items in a work-group is fixed when the kernel is compiled, so a loop tagged l must have a "
        "constant length. Split it, and tag the inner part.",
        _example(_NEST, '! s = lp.tag_inames(s, "j:g.0, i:l.0")\n'),
    ),
    CodeEntry(
        "FCL403",
        "two loops of one statement on one hardware axis",
        "Both loops would be the same work-item number, so only the diagonal would be computed. Give one of them "
        "another axis.",
    ),
    CodeEntry(
        "FCL404",
        "number of work-groups has no formula",
        "The host computes the number of work-groups from the scalar arguments before it launches the kernel. A loop "
        "whose length is data of the device cannot be tagged g.",
    ),
    CodeEntry(
        "FCL405",
        "a barrier that not every work-item would reach",
        "A work-group barrier must be executed by all work-items of the group, equally often. Inside a loop whose "
        "length differs between work-items that cannot be.",
    ),
    CodeEntry(
        "FCL406",
        "a value cannot be kept across a global barrier",
        "A global barrier ends one kernel launch and starts another; private and local memory do not survive it. "
        "Values that do are moved to global memory, one cell for each work-item that owns one. "
        "Here that is not possible.",
        _example(
            _DATA,
            '! s = lp.tag_inames(s, "i:g.0")\n! s = lp.rename_iname(s, "j", "jj", within="writes:x")\n'
            '! s = lp.add_barrier(s, "writes:x", "writes:y")\n',
        ),
    ),
    CodeEntry(
        "FCL407",
        "the host cannot run this loop",
        "A loop round a global barrier is run by the host, which launches what is inside once for each iteration. Its "
        "bounds must follow from the scalar arguments.",
        _example(
            "  do p = 1, k(1)\n    x(1,1) = x(1,1) + 1\n    y(1) = x(1,1)\n  end do\n",
            '! s = lp.add_barrier(s, "writes:x", "writes:y")\n',
        ),
    ),
    CodeEntry(
        "FCL408",
        "a loop without an end",
        "The loop's last iteration cannot be computed before it starts, neither from the arguments nor from data.",
    ),
    CodeEntry(
        "FCL409",
        "no device form",
        "OpenCL C has nothing that computes this intrinsic, and fortrancl has no replacement for it yet. Keep it out "
        "of the procedure, or write it with the intrinsics that the manual lists.",
    ),
    CodeEntry(
        "FCL410",
        "size of a private or local array is not known",
        "Arrays in private and local memory are declared in the kernel with constant sizes. Fix the parameters that "
        "the size depends on, or let the caller pass the array.",
        _example(_LOCAL, '! s = lp.tag_inames(s, "i:g.0")\n', "real(8) :: x(n,n), y(n), t(n)"),
    ),
    CodeEntry(
        "FCL411",
        "an array's shape depends on a variable that changes",
        "Fortran evaluates the bounds of a dummy once, at entry. The kernel computes subscripts from the same scalar, "
        "so it must not change.",
    ),
)
