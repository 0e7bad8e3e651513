"""The samples as users build them: compiled, linked with programs that nobody touched, run on PoCL and without it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from fortrancl.driver import Request, compile_file
from fortrancl.output import write_all
from tests.support.build import SAMPLES, Program, build_program, gfortran
from tests.support.whole import ORDER_KEPT, STRICT

NAMES = ["dgemm", "fill_scale", "histogram", "saxpy", "spmv", "stencil2d"]
PROGRAMS = Path(__file__).with_name("programs")
FLAGS = {
    "strict": (*STRICT, *ORDER_KEPT),
    "checked": (*STRICT, "-O0", "-fcheck=all", "-ffp-contract=off"),
    "fast": (*STRICT, "-O3", "-ffp-contract=off"),
}
Env = dict[str, str]


def write(path: Path, folder: Path) -> None:
    """What `fortrancl compile` writes for a file."""
    made = compile_file(Request(str(path), fortran_path=str(folder / path.name)))
    texts = {path.name: made.files.fortran_text, f"{path.stem}_fcl.c": made.files.c_text}
    write_all({str(folder / name): text for name, text in texts.items() if text is not None})


def build(folder: Path, sources: Sequence[Path], main: Path, flags: Sequence[str]) -> Program:
    """Written files and a main program, linked. The written files cause no warning, as the originals cause none."""
    for source in sources:
        write(source, folder)
    written = [source.name for source in sources]
    assert gfortran("-fsyntax-only", *flags, *sources, cwd=folder).stderr == ""
    made = build_program(
        folder,
        [*written, main],
        [f"{source.stem}_fcl.c" for source in sources],
        flags,
        c_flags=("-std=c99", "-pedantic", "-Wall", "-Wextra", "-O1"),
    )
    assert made.messages == ""
    return made


def kernels(stderr: str) -> set[str]:
    """Those that ran on the device, as FORTRANCL_TIMING tells."""
    return set(re.findall(r"^fortrancl: timing kernel=(\w+) ", stderr, re.MULTILINE))


@pytest.mark.parametrize("flags", FLAGS)
def test_every_sample_at_small_sizes(tmp_path: Path, pocl_env: Env, flags: str) -> None:
    sources = [SAMPLES / f"{name}.f90" for name in NAMES]
    made = build(tmp_path, sources, PROGRAMS / "samples_main.f90", FLAGS[flags])
    device = made.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    told = [line.split() for line in device.stdout.splitlines()]
    assert len(told) == 19 and all(wrong == "0" for _, _, wrong in told), device.stdout
    assert kernels(device.stderr) == {
        *(f"{name}_kernel" for name in NAMES if name not in ("fill_scale", "stencil2d")),
        "fill_scale_kernel_0",
        "fill_scale_kernel_1",
        "step_kernel",
    }
    host = made.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled", "FORTRANCL_TIMING": "1"})
    assert (host.stdout, host.stderr) == (device.stdout, "")
    compared = made.run(pocl_env | {"FORTRANCL_COMPARE": "1"})
    assert (compared.stdout, compared.stderr) == (device.stdout, "")


@pytest.mark.parametrize("name", NAMES)
def test_shipped_programs(tmp_path: Path, pocl_env: Env, name: str) -> None:
    """The drivers compare at full size, dgemm at 512 x 512 x 512 to 1e-12, and stop where the result is wrong."""
    made = build(tmp_path, [SAMPLES / f"{name}.f90"], SAMPLES / f"{name}_main.f90", ("-O2",))
    result = made.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    found = re.search(rf"RESULT name={name} sizes=\S+ error= *(\S+)$", result.stdout, re.MULTILINE)
    assert found is not None and float(found[1]) <= 1e-12, result.stdout
    assert kernels(result.stderr)


@pytest.mark.parametrize("flags", [("-O2", "-Wall", "-Wextra"), ("-O0", "-fcheck=all", "-Wall", "-Wextra")])
def test_fixed_form(tmp_path: Path, pocl_env: Env, flags: Sequence[str]) -> None:
    """Fixed form, upper case, labelled loops, a script behind c$loopy."""
    flags = (*flags, "-ffp-contract=off")
    made = build(tmp_path, [PROGRAMS / "fixed.f"], PROGRAMS / "fixed_main.f90", flags)
    device = made.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert device.stdout.split() == ["fixed", "21", "0"]
    assert len(kernels(device.stderr)) == 1
    assert made.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}).stdout == device.stdout
