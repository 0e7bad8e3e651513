"""The whole path for many small procedures: compile, build once, call each with NumPy arrays.

`build` makes two shared libraries of the same procedures: the files that fortrancl wrote, and the originals as gfortran
alone builds them. `Libraries.offloaded` and `.referee` call them in a process of its own, so that a failing launcher
ends that process only, and so that the same calls can run under Oclgrind or with FORTRANCL_OFFLOAD=disabled.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from fortrancl.driver import Compilation, Request, compile_file
from fortrancl.host import HostFiles, HostOptions, host_files
from fortrancl.output import write_all
from fortrancl.target.opencl import DeviceProgram
from tests.support.build import C_FLAGS, INCLUDE, LIBRARIES, ROOT, RUNTIME, run
from tests.support.oclgrind import OclgrindReport, run_under_oclgrind

STRICT = ("-std=f2008", "-Wall", "-Wextra")
ORDER_KEPT = ("-O2", "-ffp-contract=off")
"""How the referee is built: what fortrancl promises to be equal to, bit for bit."""
RUNNER = [sys.executable, "-m", "tests.support.calls"]

Arguments = tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """A call of an external procedure, or of a module's (`module` named); integers go as integer(4)."""

    procedure: str
    arguments: Arguments
    module: str | None = None

    @property
    def symbol(self) -> str:
        """What gfortran calls it."""
        name = self.procedure.lower()
        return f"__{self.module.lower()}_MOD_{name}" if self.module else f"{name}_"


@dataclass(frozen=True)
class Answers:
    """The arguments after each call, and what was written to stderr."""

    values: list[list[Any]]
    stderr: str

    @property
    def launched(self) -> dict[str, int]:
        """Launches of each kernel, as FORTRANCL_TIMING tells them."""
        found: dict[str, int] = {}
        for line in self.stderr.splitlines():
            if line.startswith("fortrancl: timing "):
                words = dict(word.split("=", 1) for word in line.split()[2:] if "=" in word)
                found[words["kernel"]] = found.get(words["kernel"], 0) + int(words["launches"])
        return found


@dataclass(frozen=True)
class Libraries:
    """Procedures built twice; `compilations` by file name."""

    folder: Path
    compilations: Mapping[str, Compilation]
    messages: str

    def offloaded(self, calls: Sequence[Call], env: Mapping[str, str]) -> Answers:
        """Call what fortrancl wrote."""
        return self._call("offloaded.so", calls, {"FORTRANCL_TIMING": "1", **env})

    def referee(self, calls: Sequence[Call], env: Mapping[str, str]) -> Answers:
        """Call gfortran's own build of the originals."""
        return self._call("referee.so", calls, env)

    def under_oclgrind(self, calls: Sequence[Call], env: Mapping[str, str]) -> tuple[list[list[Any]], OclgrindReport]:
        """Call what fortrancl wrote, on Oclgrind's device, with its checks."""
        request, answer = self._request("offloaded.so", calls)
        report = run_under_oclgrind([*RUNNER, request, answer], ROOT, env)
        return (pickle.loads(answer.read_bytes()) if report.returncode == 0 else [], report)

    def _call(self, library: str, calls: Sequence[Call], env: Mapping[str, str]) -> Answers:
        request, answer = self._request(library, calls)
        done = run([*RUNNER, request, answer], ROOT, env=env)
        return Answers(pickle.loads(answer.read_bytes()), done.stderr)

    def _request(self, library: str, calls: Sequence[Call]) -> tuple[Path, Path]:
        request, answer = self.folder / f"{library}.calls", self.folder / f"{library}.answer"
        answer.unlink(missing_ok=True)
        request.write_bytes(pickle.dumps((str(self.folder / library), [(c.symbol, c.arguments) for c in calls])))
        return request, answer


def build(
    folder: Path,
    sources: Mapping[str, str],
    *,
    flags: Sequence[str] = (*ORDER_KEPT, "-g"),
    change: Callable[[str], str] | None = None,
    variables: Mapping[str, Any] | None = None,
) -> Libraries:
    """Compile, write and build `sources` (file name to text); `change` spoils the OpenCL text of every file;
    `variables` are those of `--set`.

    gfortran's warnings about the written files are kept in `messages`; C files may not cause any.
    """
    originals, written = folder / "original", folder / "written"
    originals.mkdir(parents=True, exist_ok=True)
    compilations = {}
    c_files = []
    for name, text in sources.items():
        (originals / name).write_text(text)
        stem = name.rsplit(".", 1)[0]
        paths = written / name, written / f"{stem}_fcl.c", written / f"{stem}.cl"
        made = compile_file(Request(str(originals / name), variables=variables or {}, fortran_path=str(paths[0])))
        compilations[name] = made
        files = made.files if change is None else _spoilt(made, change)
        assert files.fortran_text is not None
        texts = (files.fortran_text, files.c_text, files.cl_text)
        write_all({str(path): one for path, one in zip(paths, texts, strict=True)})
        c_files.append(paths[1])
    shared = ("-shared", "-fPIC")
    names = list(sources)
    run(["gfortran", *flags, "-w", *shared, *names, "-o", folder / "referee.so"], originals)
    c_flags = [flag for flag in C_FLAGS if flag != "-g"]
    sources_c = [*c_files, *sorted(RUNTIME.glob("*.c"))]
    objects = [f"{Path(path).stem}.o" for path in sources_c]
    messages = run(["gcc", *c_flags, "-Wall", "-Wextra", "-fPIC", *INCLUDE, "-c", *sources_c], written).stderr
    assert messages == "", messages
    command: list[str | Path] = [
        "gfortran",
        *flags,
        *shared,
        *names,
        *objects,
        *LIBRARIES,
        "-o",
        folder / "offloaded.so",
    ]
    return Libraries(folder, compilations, run(command, written).stderr)


def _spoilt(made: Compilation, change: Callable[[str], str]) -> HostFiles:
    """The files with another OpenCL text."""
    kernels = [
        replace(one, program=DeviceProgram(change(one.program.text), one.program.functions)) for one in made.compiled
    ]
    return host_files(kernels[0].procedure.source, kernels, HostOptions(fortran_path=made.request.fortran_path))


def assert_same(found: Sequence[Any], expected: Sequence[Any], *, rtol: float = 0.0, what: str = "") -> None:
    """Equal arguments: bit for bit, or within `rtol` where they are real and it is not zero."""
    assert len(found) == len(expected)
    for position, (one, other) in enumerate(zip(found, expected, strict=True)):
        where = f"{what} argument {position + 1}"
        if rtol and np.asarray(one).dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol, err_msg=where)
        else:
            np.testing.assert_array_equal(one, other, err_msg=where)
