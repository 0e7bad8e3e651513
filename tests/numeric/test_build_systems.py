"""The example projects build with make and CMake, rebuild when an input changes, and only then."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.support.build import ROOT, SAMPLES, run


@pytest.fixture
def project(tmp_path, pocl_env):
    """Copies of the example project and the Fortran it builds; a smaller problem, so that PoCL is quick."""
    folder = tmp_path / "build"
    shutil.copytree(ROOT / "samples" / "projects", folder)
    sources = tmp_path / "fortran"
    sources.mkdir()
    for name in ("dgemm.f90", "dgemm_main.f90"):
        text = (SAMPLES / name).read_text().replace("= 512", "= 40")
        (sources / name).write_text(text)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return folder, sources, {**pocl_env, "PATH": path}


def age(*files: Path) -> list[int]:
    return [file.stat().st_mtime_ns for file in files]


def test_make(project):
    folder, sources, env = project
    run(["make", "program"], folder, env=env)
    assert "RESULT name=dgemm" in run([folder / "program"], folder, env=env).stdout
    outputs = (folder / "gpu" / "dgemm.f90", folder / "program")
    before = age(*outputs)
    run(["make", "program"], folder, env=env)
    assert age(*outputs) == before
    source = sources / "dgemm.f90"
    source.write_text(source.read_text().replace('"i", 16', '"i", 8'))
    os.utime(source, ns=(before[1] + 10**9, before[1] + 10**9))
    run(["make", "program"], folder, env=env)
    assert all(new > old for new, old in zip(age(*outputs), before, strict=True))
    assert "RESULT name=dgemm" in run([folder / "program"], folder, env=env).stdout


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_cmake(project, generator, tmp_path):
    if shutil.which("cmake") is None or (generator == "Ninja" and shutil.which("ninja") is None):
        pytest.skip("no such build tool on this machine")
    folder, sources, env = project
    out = tmp_path / "out"
    run(["cmake", "-G", generator, "-S", folder, "-B", out, f"-DSOURCES={sources}"], tmp_path, env=env)
    run(["cmake", "--build", out], tmp_path, env=env)
    assert "RESULT name=dgemm" in run([out / "program"], out, env=env).stdout
    outputs = (out / "gpu" / "dgemm.f90", out / "program")
    before = age(*outputs)
    run(["cmake", "--build", out], tmp_path, env=env)
    assert age(*outputs) == before
    source = sources / "dgemm.f90"
    source.write_text(source.read_text().replace('"i", 16', '"i", 8'))
    os.utime(source, ns=(before[1] + 10**9, before[1] + 10**9))
    run(["cmake", "--build", out], tmp_path, env=env)
    assert all(new > old for new, old in zip(age(*outputs), before, strict=True))
