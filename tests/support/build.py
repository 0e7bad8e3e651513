"""Compile native programs from Fortran and C sources, with fortrancl's runtime linked in where it is wanted."""

from __future__ import annotations

import functools
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples" / "fortran"
RUNTIME = ROOT / "fortrancl" / "host" / "runtime"
INCLUDE = ("-I", str(RUNTIME))
LIBRARIES = ("-lOpenCL", "-lpthread", "-lm")
C_FLAGS = ("-std=c99", "-O1", "-g")


class BuildError(AssertionError):
    """A compiler refused; the text holds the command and what it said."""


@dataclass(frozen=True)
class Program:
    """A linked program, and what the compilers printed on the way (empty when nothing was worth a warning)."""

    path: Path
    messages: str

    def run(
        self, env: Mapping[str, str], *arguments: str, check: bool = True, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run it in its own folder. `env` is what the fixture `pocl_env` gives, with additions where needed."""
        return run([str(self.path), *arguments], self.path.parent, env=env, check=check, timeout=timeout)


def run(
    command: Sequence[str | Path],
    cwd: Path,
    *,
    env: Mapping[str, str] | None = None,
    check: bool = True,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a command and keep its text. With `check`, a failing one raises BuildError with everything it printed."""
    words = [str(word) for word in command]
    result = subprocess.run(
        words,
        cwd=cwd,
        env=None if env is None else dict(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )
    if check and result.returncode != 0:
        raise BuildError(f"exit {result.returncode}: {' '.join(words)}\n{result.stdout}{result.stderr}")
    return result


def gfortran(*arguments: str | Path, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run gfortran in `cwd`; module files go there."""
    return run(["gfortran", *arguments], cwd, check=check)


def build_program(
    folder: Path,
    fortran: Sequence[str | Path],
    c: Sequence[str | Path] = (),
    flags: Sequence[str] = ("-O1", "-g"),
    *,
    c_flags: Sequence[str] = C_FLAGS,
    runtime: bool = True,
    name: str = "program",
) -> Program:
    """Compile Fortran (in the order given) and C sources in `folder` and link them.

    `flags` are gfortran's alone: gcc would warn about -std=f2008. With `runtime`, fortrancl's runtime and OpenCL are
    linked, as `fortrancl config` tells users to. Relative names are taken from `folder`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    messages = []
    objects = []
    include = INCLUDE if runtime else ()
    for number, source in enumerate(c):
        target = f"{name}_c{number}.o"
        messages.append(run(["gcc", *c_flags, *include, "-c", source, "-o", target], folder).stderr)
        objects.append(target)
    for number, source in enumerate(fortran):
        target = f"{name}_f{number}.o"
        messages.append(gfortran(*flags, *include, "-c", source, "-o", target, cwd=folder).stderr)
        objects.append(target)
    if runtime:
        objects += [str(path) for path in runtime_objects(tuple(c_flags))]
    link = ["gfortran", *_link_flags(flags), *objects, "-o", name, *(LIBRARIES if runtime else ())]
    messages.append(run(link, folder).stderr)
    return Program(folder / name, "".join(messages))


def _link_flags(flags: Sequence[str]) -> list[str]:
    """Only what matters to the linker; -fcheck and -std would be noise, and sanitizers must be repeated."""
    return [flag for flag in flags if flag.startswith(("-fsanitize", "-fopenmp", "-pg", "--coverage"))]


@functools.cache
def runtime_objects(c_flags: tuple[str, ...] = C_FLAGS) -> tuple[Path, ...]:
    """fortrancl's runtime, compiled once per test process: half of every build would be its compilation."""
    folder = Path(_scratch().name) / f"runtime-{abs(hash(c_flags))}"
    folder.mkdir()
    objects = []
    for source in sorted(RUNTIME.glob("*.c")):
        target = folder / f"{source.stem}.o"
        run(["gcc", *c_flags, *INCLUDE, "-c", source, "-o", target], folder)
        objects.append(target)
    return tuple(objects)


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=f"fortrancl-tests-{os.getpid()}-")
