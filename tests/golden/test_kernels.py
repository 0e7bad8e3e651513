"""The OpenCL text of scripts of the kinds that people write; tests/numeric/test_kernels.py says that it is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from fortrancl.driver import Compilation, Request, compile_file
from tests.support.build import ROOT, SAMPLES
from tests.support.catalogue import ENTRIES
from tests.support.golden import Golden

FILES = [entry.path for entry in ENTRIES] + sorted(p for p in SAMPLES.glob("*.f90") if not p.stem.endswith("_main"))


def compiled(path: Path, folder: str = "out") -> Compilation:
    """A file by its relative name, so that no text holds where this checkout lies."""
    return compile_file(Request(str(path.relative_to(ROOT)), fortran_path=f"{folder}/{path.name}"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_opencl_text(golden: Golden, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.chdir(ROOT)
    golden(f"{path.stem}.cl", compiled(path).files.cl_text)


def test_host_side_texts(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Fortran file and the launcher of the sample that is a module, with a local procedure and a called one."""
    monkeypatch.chdir(ROOT)
    files = compiled(SAMPLES / "stencil2d.f90").files
    assert files.fortran_text is not None
    golden("stencil2d.f90", files.fortran_text)
    golden("stencil2d_fcl.c", files.c_text)


def test_same_input_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for path in FILES[:3]:
        assert compiled(path).files == compiled(path).files
