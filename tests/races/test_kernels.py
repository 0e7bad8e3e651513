"""Every kernel with local memory that the whole path's tests make, under Oclgrind: not one race or bad access.

That the check sees anything at all is tested too: without any one of its barriers, a kernel is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.support.build import SAMPLES
from tests.support.catalogue import ENTRIES
from tests.support.oclgrind import OclgrindReport
from tests.support.whole import Call, Libraries, assert_same, build

Env = dict[str, str]
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"
ANY_BARRIER = re.compile(r"barrier\(CLK_\w+\);")


def call_of(name: str) -> Call:
    """A call with sizes that leave a partial tile at every edge."""
    rng = np.random.default_rng(3)
    if name == "dgemm":
        m, n, ell = 18, 17, 19
        arrays = (np.asfortranarray(rng.random(shape)) for shape in ((m, ell), (ell, n), (m, n)))
        return Call("dgemm", (m, n, ell, *arrays))
    if name == "stencil2d":
        return Call("run", (17, 19, 0.1, 1, np.asfortranarray(rng.random((19, 21)))), module="heat")
    return next(entry.call(entry.tiny) for entry in ENTRIES if entry.name == name)


def source_of(name: str) -> str:
    sample = SAMPLES / f"{name}.f90"
    return (sample if sample.exists() else next(entry.path for entry in ENTRIES if entry.name == name)).read_text()


NAMES = ["dgemm", "stencil2d", *(entry.name for entry in ENTRIES if entry.tiny)]
NO_LOCAL_MEMORY = {"batched_csr", "gather_staged", "three_axes"}
"""Their staged values are each lane's own: no work-item reads another's."""
GLOBAL_MEMORY = {"shifting"}
"""Its work-items exchange values in global memory, within their group."""


@dataclass(frozen=True)
class Checked:
    libraries: Libraries
    values: list[list[Any]]
    report: OclgrindReport


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory, pocl_env: Env) -> Checked:
    """All calls in one process: starting it takes longer than a kernel does."""
    libraries = build(tmp_path_factory.mktemp("races"), {f"{name}.f90": source_of(name) for name in NAMES})
    cache = {"FORTRANCL_CACHE_DIR": str(libraries.folder / "cache")}
    values, report = libraries.under_oclgrind([call_of(name) for name in NAMES], {**pocl_env, **cache})
    return Checked(libraries, values, report)


def test_not_one_report(checked: Checked) -> None:
    checked.report.assert_clean()


@pytest.mark.parametrize("name", NAMES)
def test_each_was_checked(checked: Checked, pocl_env: Env, name: str) -> None:
    """It ran there, it does use local memory, and it computed what gfortran's build computes."""
    function = "step_kernel" if name == "stencil2d" else f"{name}_kernel"
    assert function in checked.report.kernels
    text = checked.libraries.compilations[f"{name}.f90"].files.cl_text
    assert ("__local" in text and BARRIER in text) == (name not in NO_LOCAL_MEMORY | GLOBAL_MEMORY)
    assert ("barrier(CLK_GLOBAL_MEM_FENCE);" in text) == (name in GLOBAL_MEMORY)
    expected = checked.libraries.referee([call_of(name)], pocl_env).values[0]
    rtol = 1e-13 if "buffer" in name else 0.0
    assert_same(checked.values[NAMES.index(name)], expected, rtol=rtol, what=name)


@pytest.mark.parametrize(
    ("name", "barrier"),
    [("dgemm", 0), ("dgemm", 1), ("stencil2d", 0), ("element", 0), ("element", 1), ("shifting", 0), ("shifting", 1)],
)
def test_a_barrier_that_is_missing_is_reported(
    tmp_path_factory: pytest.TempPathFactory, pocl_env: Env, name: str, barrier: int
) -> None:
    removed = []

    def change(text: str) -> str:
        found = list(ANY_BARRIER.finditer(text))[barrier]
        removed.append(found)
        return text[: found.start()] + text[found.end() :]

    folder = tmp_path_factory.mktemp("spoilt")
    libraries = build(folder, {f"{name}.f90": source_of(name)}, change=change)
    _, report = libraries.under_oclgrind([call_of(name)], {**pocl_env, "FORTRANCL_CACHE_DIR": str(folder / "cache")})
    assert removed and report.kernels
    assert report.races, "Oclgrind saw nothing"
