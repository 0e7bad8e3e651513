"""`make demo`: the main job on every sample, one line each: name, device, sizes, error, kernel time.

Each sample goes the way a user's file goes: `fortrancl compile`, then one gfortran command with what `fortrancl config`
says, then the program, which compares with plain Fortran and prints `RESULT name=… sizes=… error=…`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fortrancl.devices import OpenCLMissing, icd_environment, list_devices

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples" / "fortran"
BUILD = ROOT / "build" / "demo"
RESULT = re.compile(r"^\s*RESULT name=(?P<name>\S+) sizes=(?P<sizes>.*?) error=\s*(?P<error>\S+)\s*$", re.MULTILINE)
TIMING = re.compile(r"^fortrancl: timing kernel=(\S+) launches=(\d+) ms=(\S+)(?: device=(.*))?$", re.MULTILINE)
HEADER = ("sample", "device", "sizes", "error", "kernel time")


class Failed(Exception):
    """One sample did not come through; the text says at which command."""


@dataclass(frozen=True)
class Outcome:
    """What a sample's program told."""

    name: str
    device: str
    sizes: str
    error: str
    time: str


def fortrancl() -> str:
    """The command of this environment, not another that PATH may have."""
    beside = Path(sys.executable).with_name("fortrancl")
    return str(beside) if beside.exists() else "fortrancl"


def run(command: list[str], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    result = subprocess.run(command, cwd=cwd, env=dict(env), capture_output=True, text=True, timeout=300, check=False)
    if result.returncode != 0:
        raise Failed(f"exit {result.returncode} from: {shlex.join(command)}\n{result.stdout}{result.stderr}".rstrip())
    return result


def config(option: str, env: Mapping[str, str]) -> list[str]:
    return shlex.split(run([fortrancl(), "config", option], ROOT, env).stdout)


def demonstrate(sample: Path, env: Mapping[str, str], device: str) -> Outcome:
    """Compile, build and run one sample in a fresh folder."""
    driver = sample.with_name(f"{sample.stem}_main.f90")
    if not driver.exists():
        raise Failed(f"{sample.name} has no driver program {driver.name}")
    folder = BUILD / sample.stem
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run([fortrancl(), "compile", str(sample), "-o", str(folder)], ROOT, env)
    written = [str(folder / sample.name), str(folder / f"{sample.stem}_fcl.c")]
    parts = [*written, *config("--runtime-source", env), *config("--cflags", env), str(driver)]
    run(["gfortran", "-O2", *parts, *config("--libs", env), "-o", "program"], folder, env)
    return outcome(sample.stem, run([str(folder / "program")], folder, env), device)


def outcome(name: str, process: subprocess.CompletedProcess[str], device: str) -> Outcome:
    """Read the driver's line and the runtime's. Without the runtime's the kernel did not run on the device."""
    results = list(RESULT.finditer(process.stdout))
    if not results:
        raise Failed(f"the driver printed no RESULT line:\n{process.stdout}{process.stderr}".rstrip())
    timings = TIMING.findall(process.stderr)
    if not timings:
        raise Failed(f"no kernel was launched (FORTRANCL_TIMING told nothing):\n{process.stderr}".rstrip())
    launches = sum(int(count) for _, count, _, _ in timings)
    total = sum(float(ms) for _, _, ms, _ in timings)
    named = next((text for *_, text in timings if text), device)
    last = results[-1]
    plural = "" if launches == 1 else "es"
    return Outcome(
        last["name"] or name, named, last["sizes"], last["error"], f"{total:.3f} ms, {launches} launch{plural}"
    )


def visible_device(env: Mapping[str, str]) -> str:
    """A name for the table, for a runtime that does not say which device it took."""
    os.environ.update(env)
    try:
        devices = list_devices()
    except OpenCLMissing as missing:
        raise SystemExit(f"demo: {missing}") from None
    if not devices:
        raise SystemExit("demo: no OpenCL device; make setup installs one that runs on the CPU")
    return os.environ.get("FORTRANCL_DEVICE", "") or devices[0].name


def main() -> int:
    env = {**os.environ, **icd_environment(), "FORTRANCL_TIMING": "1"}
    device = visible_device(env)
    samples = sorted(path for path in SAMPLES.glob("*.[fF]*") if not path.stem.endswith("_main"))
    if not samples:
        raise SystemExit(f"demo: there is no sample in {SAMPLES}")
    failures = 0
    print("{:<12} {:<36} {:<24} {:<12} {}".format(*HEADER))
    for sample in samples:
        try:
            told = demonstrate(sample, env, device)
        except (Failed, subprocess.TimeoutExpired) as problem:
            failures += 1
            print(f"{sample.stem:<12} FAILED\n    " + str(problem).replace("\n", "\n    "), flush=True)
            continue
        print(f"{told.name:<12} {told.device:<36} {told.sizes:<24} {told.error:<12} {told.time}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
