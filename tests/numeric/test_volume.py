"""The volume term against gfortran: a real(8) build of its parts called one after another is the truth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fortrancl.driver import Request, compile_file
from tests.support.build import SAMPLES, build_program, run
from tests.support.whole import STRICT, Call, Libraries, build

SOURCE = (SAMPLES / "volume.f90").read_text()
CONSTANTS = (np.float32(1e5), np.float32(1.4), np.float32(287.0))
"""p0, gam, rgas."""
UNUSED = 3
"""Field 4, counted from 0."""
Env = Mapping[str, str]


def inputs(nq: int, nelem: int, seed: int) -> list[Any]:
    """Air near the ground, and a reference element that is somewhat bent: real(4), in the order of the dummies."""
    rng = np.random.default_rng(seed)
    node = (nq, nq, nq)
    geo = rng.uniform(-0.3, 0.3, (*node, 11, nelem))
    geo[:, :, :, [0, 4, 8]] += 1
    geo[:, :, :, 9] = rng.uniform(0.5, 2, (*node, nelem))
    q = rng.uniform(-1, 1, (*node, 8, nelem))
    q[:, :, :, :3] *= 20
    q[:, :, :, 4] = rng.uniform(0.9, 1.3, (*node, nelem))
    q[:, :, :, 5] = 300 * q[:, :, :, 4] + rng.uniform(-5, 5, (*node, nelem))
    d = rng.uniform(-3, 3, (nq, nq))
    rhs = rng.uniform(-1e4, 1e4, (*node, 8, nelem))
    q[:, :, :, UNUSED] = np.nan
    return [nq, nelem, *CONSTANTS, *(a.astype(np.float32) for a in (geo, d, q, rhs))]


def in_turn(libraries: Libraries, parts: str, arguments: list[Any], env: Env) -> Any:
    """rhs after the parts, called one after another."""
    current = list(arguments)
    for part in parts:
        current[-1] = libraries.referee([Call(f"volume_{part}", tuple(current))], env).values[0][-1]
    return current[-1]


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    """gfortran's real(8) build of the same text."""
    folder = tmp_path_factory.mktemp("double")
    (folder / "volume.f90").write_text(SOURCE)
    run(["gfortran", "-O2", "-freal-4-real-8", "-w", "-shared", "-fPIC", "volume.f90", "-o", "referee.so"], folder)
    return Libraries(folder, {}, "")


def widened(arguments: list[Any]) -> list[Any]:
    return [np.float64(a) if np.asarray(a).dtype == np.float32 else a for a in arguments]


def assert_accurate(found: Any, own: Any, true: Any, before: Any) -> None:
    """Within 5e-7 of the largest value, and within three times gfortran's own error; field 4 as it was."""
    largest = np.abs(true).max()
    error, own_error = (np.abs(one.astype(np.float64) - true).max() / largest for one in (found, own))
    assert error <= 5e-7
    assert error <= 3 * own_error
    np.testing.assert_array_equal(found[:, :, :, UNUSED], before[:, :, :, UNUSED])


QUICK = {("rs", 3), ("rst", 4)}
CASES = [
    pytest.param(directions, nq, marks=() if (directions, nq) in QUICK else pytest.mark.nightly)
    for directions in ("rs", "rst")
    for nq in (3, 4, 5, 6, 7, 8, 10)
]


@pytest.mark.parametrize(("directions", "nq"), CASES)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_volume(tmp_path: Path, double: Libraries, pocl_env: Env, level: int, directions: str, nq: int) -> None:
    variables = {"NQ": nq, "DIRECTIONS": directions, "LEVEL": level}
    libraries = build(tmp_path, {"volume.f90": SOURCE}, variables=variables)
    assert libraries.messages == ""
    assert_single(code(libraries))
    cases = [inputs(nq, nelem, seed) for nelem, seed in ((1, 1), (5, 2), (7, 3))]
    name = f"volume_{directions}"
    answers = libraries.offloaded([Call(name, tuple(case)) for case in cases], pocl_env)
    assert answers.launched == {f"{name}_kernel": len(cases)}
    for case, found in zip(cases, answers.values, strict=True):
        true = in_turn(double, directions, widened(case), pocl_env)
        own = in_turn(libraries, directions, case, pocl_env)
        assert_accurate(found[-1], own, true, case[-1])


def code(libraries: Libraries) -> str:
    """OpenCL without comments."""
    return re.sub(r"/\*.*?\*/", "", libraries.compilations["volume.f90"].files.cl_text, flags=re.DOTALL)


def assert_single(text: str) -> None:
    """No type and no constant of 8 bytes."""
    assert "double" not in text
    constants = re.findall(r"\b\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)f?", text)
    assert all(constant.endswith("f") for constant in constants), constants


def test_switches(tmp_path: Path, pocl_env: Env) -> None:
    """Without a device the new procedure calls its parts; with FORTRANCL_COMPARE it does both."""
    libraries = build(tmp_path, {"volume.f90": SOURCE}, variables={"NQ": 3, "DIRECTIONS": "rst", "LEVEL": 0})
    case = inputs(3, 3, 4)
    case[-2] = np.nan_to_num(case[-2])
    call = [Call("volume_rst", tuple(case))]
    expected = in_turn(libraries, "rst", case, pocl_env)
    disabled = libraries.offloaded(call, {**pocl_env, "FORTRANCL_OFFLOAD": "disabled"})
    np.testing.assert_array_equal(disabled.values[0][-1], expected)
    assert disabled.launched == {}
    compared = libraries.offloaded(call, {**pocl_env, "FORTRANCL_COMPARE": "1e-5"})
    np.testing.assert_array_equal(compared.values[0][-1], expected)
    assert compared.launched == {"volume_rst_kernel": 1}


def test_the_shipped_program(tmp_path: Path, pocl_env: Env) -> None:
    """What the script makes by itself, called beside its parts."""
    made = compile_file(Request(str(SAMPLES / "volume.f90"), fortran_path=str(tmp_path / "volume.f90")))
    assert made.files.fortran_text is not None
    (tmp_path / "volume.f90").write_text(made.files.fortran_text)
    (tmp_path / "volume_fcl.c").write_text(made.files.c_text)
    program = build_program(tmp_path, ["volume.f90", SAMPLES / "volume_main.f90"], ["volume_fcl.c"], (*STRICT, "-O2"))
    assert program.messages == ""
    told = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert "RESULT name=volume sizes=8x301 error=" in told.stdout
    assert "kernel=volume_rs_kernel" in told.stderr
