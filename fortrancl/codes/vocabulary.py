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
)
"""Codes of `fortrancl.transform`'s further steps and of the questions that they ask."""
