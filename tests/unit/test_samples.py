"""What the samples promise to show: each its own part of the main job."""

from __future__ import annotations

import pytest

from fortrancl.driver import Compilation, Request, compile_file
from fortrancl.schedule.plan import launches
from tests.support.build import SAMPLES

NAMES = ("dgemm", "saxpy", "spmv", "fill_scale", "stencil2d", "histogram")


@pytest.fixture(scope="module")
def samples() -> dict[str, Compilation]:
    return {name: compile_file(Request(str(SAMPLES / f"{name}.f90"))) for name in NAMES}


def text(made: Compilation) -> str:
    return made.files.cl_text


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_driver_that_prints_its_error(name: str) -> None:
    driver = (SAMPLES / f"{name}_main.f90").read_text()
    assert f"RESULT name={name} sizes=" in driver and "error stop" in driver


@pytest.mark.parametrize("name", NAMES)
def test_no_sample_gives_a_warning(samples: dict[str, Compilation], name: str) -> None:
    assert [m.message for m in samples[name].messages if m.severity != "note"] == []


@pytest.mark.parametrize("name", NAMES)
def test_launches(samples: dict[str, Compilation], name: str) -> None:
    (kernel,) = samples[name].compiled
    made = launches(kernel.plan.body)
    assert len(made) == (2 if name == "fill_scale" else 1)
    sizes = {"dgemm": (16, 16, 1), "stencil2d": (16, 16, 1), "histogram": (256, 1, 1)}
    assert all(launch.group_size == sizes.get(name, (128, 1, 1)) for launch in made)


def test_dgemm_stages_both_operands(samples: dict[str, Compilation]) -> None:
    assert text(samples["dgemm"]).count("__local double") == 2
    assert text(samples["dgemm"]).count("barrier(") == 2


def test_stencil_stages_its_halo(samples: dict[str, Compilation]) -> None:
    assert "__local double u_fetch[324];" in text(samples["stencil2d"])
    fortran = samples["stencil2d"].files.fortran_text
    assert fortran is not None and fortran.count("block ! by fortrancl: launch") == 1, "the time loop stays as it is"


def test_histogram_is_atomic(samples: dict[str, Compilation]) -> None:
    assert "atomic" in text(samples["histogram"])


def test_the_others_need_no_local_memory(samples: dict[str, Compilation]) -> None:
    assert not any("__local" in text(samples[name]) for name in ("saxpy", "spmv", "fill_scale", "histogram"))
    assert "!$loopy" not in (SAMPLES / "saxpy.f90").read_text()
