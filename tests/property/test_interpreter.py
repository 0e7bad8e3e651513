"""The interpreter against the same programs as plain Python, and the invariants of every random kernel."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings

from fortrancl.ir.interpret import interpret
from fortrancl.ir.pretty import dump_kernel
from fortrancl.ir.verify import verify
from tests.property.kernels import Case, cases


@settings(max_examples=150, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink])
@given(cases())
def test_interpreter_is_python(case: Case) -> None:
    verify(case.kernel)
    assert dump_kernel(case.kernel)
    for n in (0, 1, 4):
        arrays, scalars = case.data(n)
        found = interpret(case.kernel, arrays, scalars)
        for name, wanted in case.run_python(n).items():
            assert np.array_equal(found[name], wanted), (name, n)
