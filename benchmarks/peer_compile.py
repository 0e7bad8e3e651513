"""`make bench`: compile time and peak memory of whole processes, beside Loo.py 2025.2 on the same file, in one run.

Both compile benchmarks/dgemm_tiled.f90, in turns, so that a slow moment of the machine meets both. Cold: neither may
use a cache from an earlier run (Python's own bytecode excepted). Warm: each has what its earlier runs left.
The peer lives in .venv-peer: it needs other releases of islpy and pymbolic than fortrancl does.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PEER = ROOT / ".venv-peer"
REQUIREMENTS = HERE / "peer-requirements.txt"
KERNEL = HERE / "dgemm_tiled.f90"
SAMPLE = ROOT / "samples" / "fortran" / "dgemm.f90"
VERSION_LIMIT_S = 0.2
MEMORY_LIMIT_MB = 200.0


@dataclass(frozen=True)
class Job:
    """A command to time; `fresh` names a cache folder that is emptied before every run."""

    name: str
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    output: Path | None
    fresh: Path | None = None


@dataclass(frozen=True)
class Row:
    """What was measured; times are wall-clock seconds of the whole process."""

    name: str
    median_s: float
    least_s: float
    most_s: float
    peak_mb: float
    runs: int


def prepare_peer() -> None:
    """Make the peer's environment, once for each content of its requirements."""
    stamp = PEER / ".installed"
    if stamp.exists() and stamp.read_text() == REQUIREMENTS.read_text():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(PEER)], check=True)
    pip = [str(PEER / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-r", str(REQUIREMENTS)], check=True)
    stamp.write_text(REQUIREMENTS.read_text())


def jobs(scratch: Path) -> list[Job]:
    ours = str(Path(sys.executable).with_name("fortrancl"))
    peer = (str(PEER / "bin" / "python"), str(HERE / "peer_dgemm.py"), str(KERNEL))
    cold, warm = scratch / "cold", scratch / "warm"

    def compiling(name: str, source: Path, cache: Path, fresh: bool) -> Job:
        folder = scratch / name.replace(" ", "-").replace(",", "")
        command = (ours, "compile", str(source), "-o", str(folder))
        output = folder / f"{source.stem}.cl"
        return Job(name, command, (("FORTRANCL_CACHE_DIR", str(cache)),), output, cache if fresh else None)

    def peering(name: str, environment: tuple[tuple[str, str], ...]) -> Job:
        output = scratch / f"{name.replace(' ', '-').replace(',', '')}.cl"
        return Job(name, (*peer, str(output)), environment, output)

    found = [
        peering("peer, cold", (("LOOPY_NO_CACHE", "1"),)),
        compiling("fortrancl, cold", KERNEL, cold, True),
        peering("peer, warm", (("XDG_CACHE_HOME", str(scratch / "peer-cache")),)),
        compiling("fortrancl, warm", KERNEL, warm, False),
    ]
    if SAMPLE.exists():
        found.append(compiling("fortrancl, sample dgemm.f90, cold", SAMPLE, cold, True))
    found.append(Job("fortrancl --version", (ours, "--version"), (), None))
    return found


def run_once(job: Job) -> tuple[float, float]:
    """Seconds and peak resident megabytes of one process. A job that writes nothing is an error, not a fast one."""
    if job.fresh is not None:
        shutil.rmtree(job.fresh, ignore_errors=True)
    if job.output is not None:
        job.output.unlink(missing_ok=True)
    with tempfile.TemporaryFile() as said:
        begin = time.perf_counter()
        process = subprocess.Popen(
            job.command, env={**os.environ, **dict(job.environment)}, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 or (job.output is not None and not job.output.exists()):
            said.seek(0)
            text = said.read().decode(errors="replace")
            raise SystemExit(f"{job.name}: exit {process.returncode} from {' '.join(job.command)}\n{text}")
    return seconds, usage.ru_maxrss / 1024


def measure(work: Sequence[Job], runs: int) -> list[Row]:
    """All jobs in turns, `runs` times; one round before that is not counted (bytecode, file cache)."""
    taken: dict[str, list[tuple[float, float]]] = {job.name: [] for job in work}
    for number in range(runs + 1):
        for job in work:
            result = run_once(job)
            if number > 0:
                taken[job.name].append(result)
    rows = []
    for name, results in taken.items():
        times = [seconds for seconds, _ in results]
        peak = max(megabytes for _, megabytes in results)
        rows.append(Row(name, statistics.median(times), min(times), max(times), peak, len(times)))
    return rows


def machine() -> dict[str, object]:
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else ""
    return {
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def commit() -> str:
    def git(*words: str) -> str:
        result = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return result.stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + ("+changes" if git("status", "--porcelain", "-uno") else "")


def report(rows: Sequence[Row]) -> tuple[str, bool]:
    """The table, and whether every target is met."""
    by_name = {row.name: row for row in rows}
    lines = [f"{'':<36}{'median s':>10}{'least':>8}{'most':>8}{'peak MB':>10}{'against peer':>14}"]
    kept = True
    for row in rows:
        peer = by_name["peer, warm" if row.name.endswith("warm") else "peer, cold"]
        ratio = f"{row.median_s / peer.median_s:>13.2f}x" if "version" not in row.name else ""
        times = f"{row.median_s:>10.3f}{row.least_s:>8.3f}{row.most_s:>8.3f}{row.peak_mb:>10.1f}"
        lines.append(f"{row.name:<36}{times}{ratio}")
        if row.name == "fortrancl --version":
            kept &= row.median_s <= VERSION_LIMIT_S
        elif row.name.startswith("fortrancl"):
            kept &= row.median_s <= peer.median_s and row.peak_mb <= MEMORY_LIMIT_MB
    limits = f"--version in {VERSION_LIMIT_S} s, no slower than the peer, at most {MEMORY_LIMIT_MB:.0f} MB"
    lines.append(f"targets ({limits}): {'met' if kept else 'MISSED'}")
    return "\n".join(lines), kept


def write(rows: Sequence[Row], folder: Path) -> Path:
    today = datetime.datetime.now(datetime.timezone.utc)
    record = {
        "benchmark": "peer_compile",
        "date": today.isoformat(timespec="seconds"),
        "commit": commit(),
        "machine": machine(),
        "peer": [line for line in REQUIREMENTS.read_text().split() if "==" in line],
        "ours": {name: importlib.metadata.version(name) for name in ("fortrancl", "islpy", "fparser", "numpy")},
        "rows": [asdict(row) for row in rows],
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"peer_compile-{today:%Y%m%d-%H%M%S}.json"
    path.write_text(json.dumps(record, indent=2) + "\n")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="counted runs of each job (default 7)")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where the JSON record goes")
    options = parser.parse_args()
    prepare_peer()
    with tempfile.TemporaryDirectory(prefix="fortrancl-bench-") as scratch:
        rows = measure(jobs(Path(scratch)), options.runs)
    table, kept = report(rows)
    print(table)
    print(f"written: {os.path.relpath(write(rows, options.results), ROOT)}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
