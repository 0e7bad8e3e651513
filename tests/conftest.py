"""Options and fixtures for every test. The helpers themselves are plain functions in tests/support."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.support.golden import Golden, golden_for
from tests.support.pocl import pocl_environment

# Every step of every script that a test runs is held against the invariants of the IR.
os.environ.setdefault("FORTRANCL_VERIFY", "1")

# No deadline: two workers on two cores make any single example slow now and then. CI wants the same run every time.
hypothesis.settings.register_profile("default-run", deadline=None, derandomize=True)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=5000)
hypothesis.settings.load_profile("default-run")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("markexpr") == "nightly":
        hypothesis.settings.load_profile("nightly")


@pytest.fixture(scope="session")
def pocl_env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment for a native program: it finds the embedded PoCL only, and keeps out of the user's caches.

    Copy it to add to it: `pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}`.
    """
    base = tmp_path_factory.getbasetemp()
    # Under xdist each worker has a folder of its own inside the run's.
    shared = base.parent if base.name.startswith("popen-") else base
    return pocl_environment(shared / "opencl")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden("dgemm.cl", text)` holds text against the file of that name in the test file's own folder."""
    return golden_for(Path(request.path), update=request.config.getoption("--update-golden"))
