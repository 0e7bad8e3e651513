"""The race detector detects: otherwise "no report" in every other test would say nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.build import C_FLAGS, LIBRARIES, run
from tests.support.oclgrind import run_under_oclgrind

SOURCE = Path(__file__).with_name("planted_race.c")


def build(folder: Path, *flags: str) -> Path:
    program = folder / "planted_race"
    run(["gcc", *C_FLAGS, *flags, SOURCE, "-o", program, *LIBRARIES], folder)
    return program


def test_a_planted_race_is_reported(tmp_path: Path, pocl_env: dict[str, str]) -> None:
    report = run_under_oclgrind([build(tmp_path)], tmp_path, pocl_env)
    assert report.kernels == ("shift",)
    assert any("local memory" in race and "Kernel: shift" in race for race in report.races)
    with pytest.raises(AssertionError, match="data race"):
        report.assert_clean()


def test_with_its_barrier_the_same_program_is_clean(tmp_path: Path, pocl_env: dict[str, str]) -> None:
    report = run_under_oclgrind([build(tmp_path, "-DWITH_BARRIER")], tmp_path, pocl_env)
    report.assert_clean()
    assert report.stdout.strip() == "x(1) = 1"


def test_a_program_that_launches_nothing_is_not_clean(tmp_path: Path, pocl_env: dict[str, str]) -> None:
    report = run_under_oclgrind(["true"], tmp_path, pocl_env)
    with pytest.raises(AssertionError, match="no kernel ran"):
        report.assert_clean()


def test_the_same_program_runs_on_the_embedded_pocl(tmp_path: Path, pocl_env: dict[str, str]) -> None:
    result = run([build(tmp_path, "-DWITH_BARRIER")], tmp_path, env=pocl_env)
    assert result.stdout.strip() == "x(1) = 1"
