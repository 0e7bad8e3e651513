"""Run native programs under Oclgrind, which checks every memory access of every work-item for data races."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.build import run

_KERNEL = re.compile(r"^Instructions executed for kernel '(.*)':$")
_COUNT = re.compile(r"^ *\d+ - ")


@dataclass(frozen=True)
class OclgrindReport:
    """What Oclgrind said about one run."""

    races: tuple[str, ...]
    """One paragraph per race."""
    other: tuple[str, ...]
    """Everything else: invalid accesses, barriers that part of a group misses, and so on."""
    kernels: tuple[str, ...]
    """The kernels that ran, in order. Empty means that nothing was checked, which is not the same as no race."""
    stdout: str
    stderr: str
    returncode: int

    def assert_clean(self) -> None:
        """The program ended well, ran at least one kernel, and Oclgrind had nothing to report."""
        assert self.returncode == 0, f"exit {self.returncode}\n{self.stdout}{self.stderr}"
        assert self.kernels, "no kernel ran under Oclgrind, so nothing was checked"
        assert not self.races and not self.other, "\n\n".join((*self.races[:3], *self.other[:3]))


def run_under_oclgrind(
    command: Sequence[str | Path],
    cwd: Path,
    env: Mapping[str, str] | None = None,
    *,
    uniform_writes: bool = False,
    timeout: float = 300,
) -> OclgrindReport:
    """Run `command` in `cwd` with Oclgrind as its only OpenCL device.

    Oclgrind preloads its own OpenCL, so OCL_ICD_VENDORS does not matter. `uniform_writes` also reports lanes that all
    write the same value to one place, which Oclgrind lets pass unless asked.
    """
    with tempfile.TemporaryDirectory(prefix="fortrancl-oclgrind-") as scratch:
        log = Path(scratch) / "log"
        options = ["--data-races", "--inst-counts", "--max-errors", "100", "--log", str(log)]
        if uniform_writes:
            options.append("--uniform-writes")
        result = run(["oclgrind", *options, *command], cwd, env=env, check=False, timeout=timeout)
        text = log.read_text(errors="replace") if log.exists() else ""
    return _report(text, result)


def _report(log: str, result: subprocess.CompletedProcess[str]) -> OclgrindReport:
    # A report starts at the left margin and goes on in indented lines.
    paragraphs = [part.strip() for part in re.split(r"\n(?=[^\t\n ])", log) if part.strip()]
    races = tuple(part for part in paragraphs if "data race" in part.splitlines()[0])
    kernels = []
    rest = []
    for line in result.stdout.splitlines(keepends=True):
        header = _KERNEL.match(line.rstrip("\n"))
        if header:
            kernels.append(header[1])
        elif not _COUNT.match(line):
            rest.append(line)
    return OclgrindReport(
        races=races,
        other=tuple(part for part in paragraphs if part not in races),
        kernels=tuple(kernels),
        stdout="".join(rest),
        stderr=result.stderr,
        returncode=result.returncode,
    )
