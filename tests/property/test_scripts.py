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
    "storage": ("share", "share", "privatize", "privatize", "split", "tag", "part", "prefetch", "fix", "rule"),
    "domains": ("part", "part", "chunk", "skew", "skew", "fold", "tag", "fix", "join", "split"),
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


@pytest.mark.parametrize("mixture", ["everything", "tiles"])
def test_scripts_on_pocl(mixture: str) -> None:
    check(mixture, 20, on_device=True)


@pytest.mark.nightly
@pytest.mark.parametrize("mixture", [*MIXTURES, *TILED])
def test_many_scripts_on_pocl(mixture: str) -> None:
    check(mixture, 100, on_device=True)


def check(mixture: str, count: int, *, on_device: bool = False) -> None:
    """Run ``count`` random (kernel, script) pairs."""
    kinds = (MIXTURES | TILED)[mixture]
    tiled = mixture in TILED

    @settings(max_examples=count, suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink])
    @given(tiles() if tiled else cases(), st.data())
    def one(case: Case, data: Any) -> None:
        # What is drawn is printed with a failure: the kernel, then each choice that made the script.
        run_script(data.draw, case, kinds, tiled=tiled, on_device=on_device)

    one()
