"""What a script may use: steps, memory, nesting. Everything is counted before it is spent.

Counts are deterministic: the same script stops at the same place on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from fortrancl.script.faults import Fault

MAX_STEPS = 500_000
"""Units of work; one takes some microseconds."""
MAX_MEMORY = 64 * 2**20
"""Bytes of all values a script ever makes, those it forgot included."""
MAX_TEXT = 4 * 2**20
"""Characters of one string."""
MAX_ITEMS = 200_000
"""Elements of one list, tuple, set or dictionary."""
MAX_BITS = 4096
"""Bits of one integer."""
MAX_DEPTH = 150
"""Levels of expressions, blocks and calls."""
MAX_CALLS = 30
"""Levels of calls of the script's own functions."""
MAX_TRANSFORMATIONS = 1000
"""Calls of what ``lp`` offers."""
MAX_STATEMENT_LOOPS = 32
"""Loops round one statement of a kernel."""
MAX_RULE_DEPTH = 40
"""Levels of substitution rules that call each other."""
MAX_NODES = 8_000
"""Operations and operands of one expression of a kernel, rules expanded (or twice what the largest has without)."""
MAX_SCRIPT = 256 * 1024
"""Characters of a script."""

_PATIENT_CALLS = 250
_PATIENCE = 6
_CHARACTERS_A_STEP = 512
_ITEMS_A_STEP = 16


class Limits:
    """The account of one script run."""

    def __init__(self) -> None:
        self.steps = 0
        self.memory = 0
        self.depth = 0
        self.calls = 0
        self.transformations = 0
        self.begin = time.process_time()

    def step(self, count: int = 1) -> None:
        """Work done. Errors: FCL214."""
        self.steps += count
        if self.steps > MAX_STEPS:
            raise Fault(
                "FCL214",
                f"the script takes more than {MAX_STEPS:,} steps",
                notes=("this is where it was when they ran out",),
                hints=("make sure that the loop ends",),
            )

    def text(self, length: int) -> None:
        """A string of ``length`` characters is about to be made, or read through. Errors: FCL215."""
        if length > MAX_TEXT:
            raise Fault("FCL215", f"a string of {_count(length)} characters is longer than {MAX_TEXT:,}")
        self._spend(64 + length)
        self.step(length // _CHARACTERS_A_STEP)

    def items(self, count: int) -> None:
        """A container of ``count`` elements is about to be made. Errors: FCL215."""
        if count > MAX_ITEMS:
            raise Fault("FCL215", f"{_count(count)} elements are more than {MAX_ITEMS:,}")
        self._spend(64 + 32 * count)
        self.step(count // _ITEMS_A_STEP)

    def bits(self, count: int) -> None:
        """An integer of ``count`` bits is about to be made. Errors: FCL215."""
        if count > MAX_BITS:
            raise Fault("FCL215", f"an integer of {_count(count)} bits is larger than 2**{MAX_BITS}")

    def transformation(self) -> None:
        """A call of what ``lp`` offers. Errors: FCL214."""
        self.transformations += 1
        if self.transformations > MAX_TRANSFORMATIONS:
            raise Fault("FCL214", f"the script calls more than {MAX_TRANSFORMATIONS:,} transformations")
        # The one bound that depends on the machine: for kernels that grow slowly, and far beyond any real script.
        if self.transformations > _PATIENT_CALLS and time.process_time() - self.begin > _PATIENCE:
            raise Fault(
                "FCL214",
                f"the script's transformations take too long: more than {_PATIENT_CALLS} of them, and {_PATIENCE} s",
            )

    def enter(self) -> None:
        """One level deeper; `leave` ends it. Errors: FCL216."""
        if self.depth >= MAX_DEPTH:
            raise Fault("FCL216", f"the script is nested more than {MAX_DEPTH} levels deep")
        self.depth += 1

    def leave(self) -> None:
        """The end of what `enter` began."""
        self.depth -= 1

    @contextmanager
    def called(self) -> Iterator[None]:
        """Inside one more function of the script. Errors: FCL216."""
        if self.calls >= MAX_CALLS:
            raise Fault(
                "FCL216",
                f"functions of the script call each other more than {MAX_CALLS} levels deep",
                hints=("a function that calls itself needs a case in which it does not",),
            )
        self.calls += 1
        try:
            yield
        finally:
            self.calls -= 1

    def _spend(self, size: int) -> None:
        self.memory += size
        if self.memory > MAX_MEMORY:
            raise Fault("FCL215", f"the script's values take more than {MAX_MEMORY >> 20} MiB in all")


def _count(number: int) -> str:
    return f"{number:,}" if number.bit_length() < 64 else "very many"
