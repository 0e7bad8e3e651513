"""Scripts of the kinds that people write, on Fortran of our own: the numbers are gfortran's, bit for bit.

Each file of kernels/ is compiled; the written files and the originals become a shared library each, and both get the
same calls, the former on PoCL, with FORTRANCL_OFFLOAD=disabled and with FORTRANCL_COMPARE.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.build import BuildError
from tests.support.catalogue import ENTRIES, Entry, calls
from tests.support.whole import Answers, Libraries, assert_same, build

CALLS = tuple(calls())
Env = dict[str, str]


@dataclass(frozen=True)
class Results:
    """The arguments after every call, by who ran it."""

    referee: Answers
    device: Answers
    host: Answers


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    sources = {entry.path.name: entry.path.read_text() for entry in ENTRIES}
    return build(tmp_path_factory.mktemp("kernels"), sources)


@pytest.fixture(scope="module")
def results(libraries: Libraries, pocl_env: Env) -> Results:
    made = [entry.call(sizes) for entry, sizes in CALLS]
    return Results(
        libraries.referee(made, pocl_env),
        libraries.offloaded(made, pocl_env),
        libraries.offloaded(made, pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}),
    )


def name(value: Any) -> str:
    return value.name if isinstance(value, Entry) else "x".join(map(str, value))


@pytest.mark.parametrize(("entry", "sizes"), CALLS, ids=name)
def test_same_numbers_as_gfortran(results: Results, entry: Entry, sizes: tuple[int, ...]) -> None:
    at = CALLS.index((entry, sizes))
    assert_same(results.device.values[at], results.referee.values[at], rtol=entry.rtol, what=entry.name)
    assert_same(results.host.values[at], results.referee.values[at], what=f"{entry.name} on the host")


@pytest.mark.parametrize("entry", ENTRIES, ids=name)
def test_each_ran_on_the_device(results: Results, entry: Entry) -> None:
    launched = {k: count for k, count in results.device.launched.items() if k.startswith(f"{entry.name}_kernel")}
    kernels = 2 if entry.name in ("distributed", "march", "pieces") else 1
    assert len(launched) == kernels
    assert all(count >= 2 for count in launched.values()), "sizes above 1"
    if entry.name == "march":
        assert set(launched.values()) == {6 + 1 + 3}, "a launch of each sweep for every time step"


def test_nothing_was_launched_on_the_host(results: Results) -> None:
    assert results.host.stderr == ""


def test_comparing_finds_no_difference(libraries: Libraries, pocl_env: Env) -> None:
    """FORTRANCL_COMPARE on the real data; where the order is kept, every bit."""
    exact = [entry.call(entry.sizes[0]) for entry in ENTRIES if entry.rtol == 0]
    near = [entry.call(entry.sizes[0]) for entry in ENTRIES if entry.rtol > 0]
    quiet = pocl_env | {"FORTRANCL_TIMING": "0"}
    assert libraries.offloaded(exact, quiet | {"FORTRANCL_COMPARE": "1"}).stderr == ""
    assert libraries.offloaded(near, quiet | {"FORTRANCL_COMPARE": "1e-12"}).stderr == ""


def test_a_fixed_parameter_is_checked(libraries: Libraries, pocl_env: Env) -> None:
    entry = next(entry for entry in ENTRIES if entry.name == "batched_csr")
    with pytest.raises(BuildError, match=r"error\[FCL655\].*'nvecs' is 3, but the script fixed it at 4"):
        libraries.offloaded([entry.call((20, 3))], pocl_env)


def test_wide_indices_give_the_same(libraries: Libraries, results: Results, pocl_env: Env) -> None:
    """The 64-bit build, which only arrays of more than 2^31 elements get by themselves."""
    names = ("dgemm_staged", "batched_csr", "unrolled", "march")
    chosen = [(entry, entry.sizes[0]) for entry in ENTRIES if entry.name in names]
    found = libraries.offloaded([e.call(s) for e, s in chosen], pocl_env | {"FORTRANCL_INDEX_BITS": "64"})
    for values, at in zip(found.values, map(CALLS.index, chosen), strict=True):
        assert_same(values, results.device.values[at], what=CALLS[at][0].name)


def test_written_files_cause_no_warning(libraries: Libraries) -> None:
    assert libraries.messages == ""
