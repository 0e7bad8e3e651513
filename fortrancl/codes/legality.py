"""Codes FCL3xx: a step, or the finished kernel, that is not proved to compute what the Fortran computes."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry


def _example(body: str, script: str, declarations: str = "real(8) :: x(n), y(n)") -> str:
    return (
        f"subroutine s(n, x, y, map)\n  implicit none\n  integer, intent(in) :: n\n  integer, intent(in) :: map(n)\n"
        f"  {declarations}\n  integer :: i, j\n{body}end subroutine s\n"
        f"!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n{script}! RESULT = s\n!$loopy end\n"
    )


_RECURRENCE = "  do i = 2, n\n    x(i) = x(i-1) + y(i)\n  end do\n"
_MATRIX = "real(8) :: x(n,n), y(n)"
_SKEWED = "  do j = 2, n\n    do i = 1, n-1\n      x(i,j) = x(i+1,j-1)\n    end do\n  end do\n"
_REUSED = (
    "  do j = 1, n\n    do i = 1, 8\n      t(i) = j*y(i)\n    end do\n    do i = 1, 8\n      x(i) = x(i) + t(i)\n    "
    "end do\n"
    "  end do\n"
)

_BOTH = (
    "  do j = 1, n\n    do i = 1, 8\n      a(i) = x(i)\n      b(i) = y(i)\n    end do\n    do i = 1, 8\n"
    "      x(i) = a(i)*b(i)\n    end do\n  end do\n"
)
_RUNNING = "  do i = 1, 8\n    if (y(i) > 0) t = y(i)\n    x(i) = t\n  end do\n"

LEGALITY_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL301",
        "step reverses a dependence",
        "After the step an iteration would run before another one whose result it needs (or overwrites). The note "
        "names "
        "two such iterations. Keep the order, or choose other loops for the step.",
        _example(_SKEWED, '! s = lp.prioritize_loops(s, "i,j")\n', _MATRIX),
    ),
    CodeEntry(
        "FCL302",
        "independence cannot be proved",
        "A subscript is data (x(map(i))), so any two iterations may touch one element. If the index array never "
        "holds a "
        "value twice, say lp.assume_injective; if the statement is an update like x = x + e, lp.set_atomic makes it "
        "safe.",
        _example("  do i = 1, n\n    x(map(i)) = y(i)\n  end do\n", '! s = lp.tag_inames(s, {"i": "g.0"})\n'),
    ),
    CodeEntry(
        "FCL303",
        "parallel loop carries a dependence",
        "Iterations of the tagged loop need each other's results, so they cannot run as work-groups or work-items. The "
        "note names two such iterations. Parallelise another loop, or split so that the dependence stays inside one "
        "work-item.",
        _example(_RECURRENCE, '! s = lp.tag_inames(s, {"i": "l.0"})\n'),
    ),
    CodeEntry(
        "FCL304",
        "work-items race",
        "Two work-items of one group touch an element at the same time and one of them writes. Use lp.set_atomic for "
        "updates, or give each element one writer.",
    ),
    CodeEntry(
        "FCL305",
        "work-groups depend on each other",
        "One work-group needs what another writes. Groups have no order within a launch: put lp.add_barrier (a global "
        "barrier, hence two launches) between the statements, or use lp.set_atomic for updates.",
        _example(
            "  do i = 1, n\n    x(i) = y(i)\n  end do\n  do j = 2, n\n    y(j) = x(j-1)\n  end do\n",
            '! s = lp.tag_inames(s, {"i": "g.0", "j": "g.0"})\n',
        ),
    ),
    CodeEntry(
        "FCL306",
        "local value overwritten before its last use",
        "The step lets another iteration write a local variable while its value is still needed. Give the variable one "
        "more dimension, so that each iteration has its own.",
        _example(_REUSED, '! s = lp.prioritize_loops(s, "i,j")\n', "real(8) :: x(n), y(n), t(8)"),
    ),
    CodeEntry(
        "FCL307",
        "staged value changes before its use",
        "The step would read an array earlier than the program does, and a statement in between writes what is read. "
        "Choose outer inames that hold the write too, or stage less.",
        _example(_RECURRENCE.replace("n", "8", 1), '! s = lp.add_prefetch(s, "x", "i")\n'),
    ),
    CodeEntry(
        "FCL308",
        "no single definition reaches a use",
        "A local variable becomes a substitution rule only where each of its uses sees the value of one assignment. "
        "Restrict the step with within=, or rename one of the definitions.",
        _example(
            "  do i = 1, n\n    t = y(i)\n    if (y(i) > 0) t = 1\n    x(i) = t\n  end do\n",
            '! s = lp.assignment_to_subst(s, "t")\n',
            "real(8) :: x(n), y(n), t",
        ),
    ),
    CodeEntry(
        "FCL309",
        "access out of bounds for every size",
        "Whatever the sizes, this access leaves the declared bounds whenever it runs. Bounds that hold for some sizes "
        "are checked at launch instead.",
        _example("  do i = 1, n\n    x(i) = y(n+1)\n  end do\n", ""),
    ),
    CodeEntry(
        "FCL311",
        "extent of an assumed-size array unknown",
        "The launcher must know how many elements to copy. Where the subscript is data and the last dimension is "
        "assumed-size, say the count with lp.assume_extent, or declare the extent.",
        _example(
            "  do i = 1, n\n    x(i) = y(map(i))\n  end do\n",
            '! s = lp.tag_inames(s, {"i": "g.0"})\n',
            "real(8) :: x(n), y(*)",
        ),
    ),
    CodeEntry(
        "FCL312",
        "question too intricate to decide",
        "The dependence test exceeded its bound. Simplify the subscripts, or fix sizes with lp.fix_parameters.",
    ),
    CodeEntry(
        "FCL313",
        "local value passes from one iteration to another",
        "Each iteration can have a cell of its own only where it reads nothing but what it wrote itself. The note "
        "names two iterations, the later of which reads what the earlier one wrote.",
        _example(
            _RUNNING,
            '! s = lp.privatize_temporaries_with_inames(s, "i", only_var_names="t")\n',
            "real(8) :: x(n), y(n), t",
        ),
    ),
    CodeEntry(
        "FCL314",
        "shared storage still in use",
        "Variables share storage where each is read for the last time before the next one is written, by the same "
        "work-item (private memory) or group (local memory). lp.alias_temporaries never reorders the program.",
        _example(_BOTH, '! s = lp.alias_temporaries(s, "a, b")\n', "real(8) :: x(n), y(n), a(8), b(8)"),
    ),
)
"""Codes of `analysis.legality` and `analysis.bounds`."""
