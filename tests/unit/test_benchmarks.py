"""The demo and the benchmark judge by what programs print: they must not take silence for success."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import demo, peer_compile


def told(stdout: str, stderr: str) -> demo.Outcome:
    process = subprocess.CompletedProcess(["program"], 0, stdout, stderr)
    return demo.outcome("saxpy", process, "some device")


def test_the_demo_reads_driver_and_runtime() -> None:
    outcome = told(
        " RESULT name=fill_scale sizes=n=1000, twice error=  0.0000E+00\n",
        "fortrancl: timing kernel=fill launches=1 ms=0.25\n"
        "fortrancl: timing kernel=scale launches=1 ms=0.5 device=GPU 7\n",
    )
    assert outcome == demo.Outcome("fill_scale", "GPU 7", "n=1000, twice", "0.0000E+00", "0.750 ms, 2 launches")


def test_the_demo_wants_a_result_and_a_launch() -> None:
    with pytest.raises(demo.Failed, match="no RESULT line"):
        told("all is well\n", "fortrancl: timing kernel=f launches=1 ms=1\n")
    with pytest.raises(demo.Failed, match="no kernel was launched"):
        told("RESULT name=saxpy sizes=n=8 error=0.0\n", "")


def row(name: str, seconds: float, megabytes: float = 100.0) -> peer_compile.Row:
    return peer_compile.Row(name, seconds, seconds, seconds, megabytes, 1)


@pytest.mark.parametrize(
    ("ours", "version", "megabytes", "met"),
    [(0.3, 0.1, 100, True), (0.5, 0.1, 100, False), (0.3, 0.3, 100, False), (0.3, 0.1, 300, False)],
)
def test_the_benchmark_says_whether_targets_are_met(ours: float, version: float, megabytes: float, met: bool) -> None:
    rows = [row("peer, cold", 0.4), row("fortrancl, cold", ours, megabytes), row("fortrancl --version", version)]
    table, kept = peer_compile.report(rows)
    assert kept is met
    assert ("MISSED" in table) is not met
    assert f"{ours / 0.4:.2f}x" in table


def test_a_job_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    quiet = peer_compile.Job("quiet", (sys.executable, "-c", "pass"), (), tmp_path / "out.cl")
    with pytest.raises(SystemExit, match="quiet"):
        peer_compile.run_once(quiet)
    seconds, megabytes = peer_compile.run_once(peer_compile.Job("ok", (sys.executable, "-c", "pass"), (), None))
    assert 0 < seconds < 10
    assert 1 < megabytes < 500
