"""Codes FCL28x: storage of local variables, algebra, new domains; and what the whole vocabulary asks of a kernel."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry


def _example(body: str, script: str, declarations: str = "real(8) :: x(n), y(n), t") -> str:
    return (
        f"subroutine s(n, x, y)\n  implicit none\n  integer, intent(in) :: n\n  {declarations}\n  integer :: i, j\n"
        f"{body}end subroutine s\n!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n! {script}\n! RESULT = s\n"
        "!$loopy end\n"
    )


_LEFT = "  do i = 1, n\n    do j = 1, 8\n      t = y(j)\n      x(j) = t\n    end do\n    x(i) = t\n  end do\n"
_SCALED = "  do i = 1, n\n    t = 1\n    do j = 1, n\n      t = t + y(i)*y(j)\n    end do\n    x(i) = t\n  end do\n"
_SQUARE = "  do j = 1, n\n    do i = 1, n\n      x(i) = y(j)\n    end do\n  end do\n"

VOCABULARY_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL285",
        "storage of a local variable is tied",
        "Tables of constants, lengths of loops, and variables that statements outside the loop use too, keep the "
        "storage that they have. Variables that share storage have one type.",
        _example(_LEFT, 's = lp.privatize_temporaries_with_inames(s, "j", only_var_names="t")'),
    ),
    CodeEntry(
        "FCL286",
        "common factors cannot be collected",
        "The variable is set to 0 and then only added to, and the factor can be computed wherever the sum is read: it "
        "is in bounds there, and nothing that it reads is written by the kernel.",
        _example(_SCALED, 's = lp.collect_common_factors_on_increment(s, "t")'),
    ),
    CodeEntry(
        "FCL287",
        "the kernel says otherwise",
        "lp.add_dependency, lp.add_nosync and lp.remove_unused_inames state what a kernel is: the order of the tree, "
        "the barriers that are needed, the loops in use. They change nothing else, so a wrong statement is refused.",
        _example(_SCALED, 's = lp.add_dependency(s, "writes:t", "writes:x")'),
    ),
    CodeEntry(
        "FCL288",
        "map of loops is not one to one",
        "lp.map_domain takes an affine map that gives every iteration of the old loops exactly one of the new ones, "
        "and the other way round.",
        _example(_SQUARE, 's = lp.map_domain(s, "{ [j, i] -> [k] : k = i + j }")'),
    ),
    CodeEntry(
        "FCL289",
        "no reduction expression",
        "Fortran sums are loops with updates x = x + e. lp.split_iname splits such a loop, and lp.buffer_array sums "
        "its parts apart.",
        _example(_SCALED, 's = lp.split_reduction_inward(s, "j")'),
    ),
)
"""Codes of `fortrancl.transform`'s further steps and of the questions that they ask."""
