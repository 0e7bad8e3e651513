"""35 small subroutines, mapped by proof alone: right beside gfortran's own build, or refused with the construct's name.

The data are those of cases/README.md, and the rule is stricter: every bit, but for elementary functions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.driver import Request, compile_file
from tests.support.whole import ORDER_KEPT, Call, Libraries, assert_same, build

CASES = {path.stem: path for path in sorted(Path(__file__).with_name("cases").glob("*.f90"))}
MAY_BE_REFUSED = {
    "array_overlap_x_2_n_x_1_n_1": ("FCL125", "array section of 'x'"),
    "array_syntax_whole": ("FCL125", "whole array 'x'"),
    "sum_intrinsic": ("FCL122", "'sum'"),
    "where": ("FCL110", "WHERE construct"),
}
"""What a later issue may bring: the code until then, and what the message names."""
SEQUENTIAL = {"array_overlap_x_2_n_x_1_n_1", "prefix_sum_x_i_x_i_1_y_i", "recurrence_negative_step"}
"""One work-item runs these, and a warning says so."""
NOT_EVERY_BIT = {"sqrt_exp_atan2": 1e-12}
"""Elementary functions are PoCL's here and glibc's there. All else is equal, bit for bit."""
Env = dict[str, str]

X = np.arange(10) * 0.25
Y = np.array([-3.7, 2.5, -2.5, 0.5, -0.5, 1.2, 4.9, -7.1, 3.5, -1.0])
Z = np.array([1.5, -2.2, 3.3, -0.1, 0.7, -4.4, 2.6, 5.5, -1.1, 9.9])
K = np.arange(10, dtype=np.int32)
M = np.array([-7, 7, -8, 8, -1, 1, 0, 5, -5, 3], dtype=np.int32)


def text_of(name: str) -> str:
    """The case with a name of its own, so that one library holds them all."""
    return re.sub(r"\bsubroutine s\b", f"subroutine case_{name}", CASES[name].read_text())


@pytest.fixture(scope="module")
def refusals() -> dict[str, CompileError]:
    """Those of the four that are refused."""
    found = {}
    for name in MAY_BE_REFUSED:
        try:
            compile_file(Request(str(CASES[name])))
        except CompileError as refused:
            found[name] = refused
    return found


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory, refusals: dict[str, CompileError]) -> Libraries:
    sources = {f"{name}.f90": text_of(name) for name in CASES if name not in refusals}
    return build(tmp_path_factory.mktemp("cases"), sources, flags=ORDER_KEPT)


@pytest.fixture(scope="module")
def answers(libraries: Libraries, pocl_env: Env) -> dict[str, tuple[list[Any], list[Any]]]:
    """Arguments after the call, from the device and from gfortran's own build."""
    names = [file.removesuffix(".f90") for file in libraries.compilations]
    calls = [Call(f"case_{name}", (10, X, Y, Z, K, M)) for name in names]
    device, referee = libraries.offloaded(calls, pocl_env), libraries.referee(calls, pocl_env)
    assert {re.sub(r"_kernel(_\d+)?$", "", kernel) for kernel in device.launched} == {f"case_{name}" for name in names}
    return dict(zip(names, zip(device.values, referee.values, strict=True), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_right_or_refused(
    answers: dict[str, tuple[list[Any], list[Any]]],
    libraries: Libraries,
    refusals: dict[str, CompileError],
    name: str,
) -> None:
    if name in refusals:
        found = refusals[name].diagnostics
        code, construct = MAY_BE_REFUSED[name]
        assert [d.code for d in found] == [code]
        assert construct in found[0].message
        assert found[0].span is not None and found[0].span.line == 9
        return
    assert_same(*answers[name], rtol=NOT_EVERY_BIT.get(name, 0.0), what=name)
    warned = [m.message for m in libraries.compilations[f"{name}.f90"].messages if m.severity == "warning"]
    assert bool(warned) == (name in SEQUENTIAL), warned
    assert all("one work-item runs everything" in message for message in warned)


def test_there_are_thirty_five() -> None:
    assert len(CASES) == 35 and set(MAY_BE_REFUSED) | SEQUENTIAL | set(NOT_EVERY_BIT) <= set(CASES)
