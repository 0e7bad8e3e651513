"""Random kernels under random scripts: what is accepted agrees with the reference, what is refused has a true witness.

Each test draws its own mixture of steps, so that xdist spreads them over workers.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.property.kernels import Case, cases, tiles
from tests.property.steps import KINDS, run_script

MIXTURES = {
    "everything": KINDS,
    "lanes": ("split", "tag", "tag", "tag", "untag", "parallelize", "fix"),
    "order": ("prioritize", "distribute", "distribute", "join", "split", "tag", "reassociate"),
    "staging": ("split", "split", "tag", "tag", "prefetch", "prefetch", "rule", "rule", "fix", "buffer"),
    "buffers": ("buffer", "buffer", "split", "tag", "fix", "prioritize", "inline"),
    "launches": ("barrier", "barrier", "tag", "split", "parallelize", "distribute", "inline"),
    "updates": ("atomic", "atomic", "reassociate", "tag", "tag", "split", "injective", "buffer"),
}


TILED = {
    "tiles": ("prefetch", "prefetch", "prefetch", "rule", "rule", "buffer", "tag", "distribute", "prioritize"),
}
"""Scripts that begin by cutting the outer loops into groups and lanes."""


@pytest.mark.parametrize("mixture", [*MIXTURES, *TILED])
def test_scripts(mixture: str) -> None:
    check(mixture, 120)


@pytest.mark.nightly
@pytest.mark.parametrize("mixture", [*MIXTURES, *TILED])
def test_many_scripts(mixture: str) -> None:
    check(mixture, 5000 // (len(MIXTURES) + len(TILED)) + 1)


def check(mixture: str, count: int) -> None:
    """Run ``count`` random (kernel, script) pairs."""

    @settings(max_examples=count, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink])
    @given(tiles() if mixture in TILED else cases(), st.data())
    def one(case: Case, data: Any) -> None:
        if mixture in TILED:
            outcome = run_script(data.draw, case, TILED[mixture], tiled=True)
        else:
            outcome = run_script(data.draw, case, MIXTURES[mixture])
        data.draw(st.just(outcome), label="outcome")

    one()
