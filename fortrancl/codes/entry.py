"""What is known about one diagnostic code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CodeEntry:
    """A code, its one-line title, why it is said and what to do, and a short example that provokes it.

    ``example`` is a whole input file (Fortran, with its script if the code is about one); empty for codes that
    depend on the machine rather than on an input.
    """

    code: str
    title: str
    explanation: str
    example: str = ""
