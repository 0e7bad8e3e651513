"""A program calls procedures of every shape; linked with what fortrancl wrote, it prints the same bits as before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fortrancl.driver import Request, compile_file
from fortrancl.output import write_all
from tests.support.build import build_program
from tests.support.whole import ORDER_KEPT, STRICT

PROGRAMS = Path(__file__).with_name("programs")
SOURCE, MAIN = PROGRAMS / "procedures.f90", PROGRAMS / "procedures_main.f90"
Env = dict[str, str]


# Arguments with gaps are packed for the device, which -fcheck=array-temps would tell each time.
CHECKED = ("-O0", "-fcheck=all", "-fcheck=no-array-temps", "-ffp-contract=off")


@pytest.mark.parametrize("flags", [(*STRICT, *ORDER_KEPT), (*STRICT, *CHECKED)])
def test_a_program_prints_the_same_bits(tmp_path: Path, pocl_env: Env, flags: tuple[str, ...]) -> None:
    made = compile_file(Request(str(SOURCE), fortran_path=str(tmp_path / SOURCE.name)))
    assert made.files.fortran_text is not None
    write_all({str(tmp_path / SOURCE.name): made.files.fortran_text, str(tmp_path / "launch.c"): made.files.c_text})
    before = build_program(tmp_path / "before", [SOURCE, MAIN], flags=flags, runtime=False)
    after = build_program(tmp_path, [SOURCE.name, MAIN], ["launch.c"], flags, c_flags=("-std=c99", "-Wall", "-Wextra"))
    assert (before.messages, after.messages) == ("", "")
    expected = before.run(pocl_env).stdout
    device = after.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert device.stdout == expected
    launched = set(re.findall(r"timing kernel=(\w+?)_kernel", device.stderr))
    assert launched == {item.procedure.name for item in made.compiled} and len(launched) == 12
    assert after.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}).stdout == expected
    compared = after.run(pocl_env | {"FORTRANCL_COMPARE": "1"})
    assert (compared.stdout, compared.stderr) == (expected, "")
