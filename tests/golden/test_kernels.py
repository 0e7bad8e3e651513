"""The OpenCL text of scripts of the kinds that people write; tests/numeric/test_kernels.py says that it is right."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fortrancl.driver import Compilation, Request, compile_file
from tests.support.build import ROOT, SAMPLES, run
from tests.support.catalogue import ENTRIES
from tests.support.golden import Golden

SAMPLE_NAMES = ("dgemm", "fill_scale", "histogram", "saxpy", "spmv", "stencil2d")
FILES = [*(entry.path for entry in ENTRIES), *(SAMPLES / f"{name}.f90" for name in SAMPLE_NAMES)]


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


SHOW = """\
import sys
from fortrancl.driver import Request, compile_file
for path in sys.argv[1:]:
    files = compile_file(Request(path)).files
    print(files.fortran_text, files.c_text, files.cl_text)
"""


def test_same_input_same_bytes(pocl_env: dict[str, str]) -> None:
    """Whatever the order in which Python keeps its sets."""
    paths = [*FILES, ROOT / "tests" / "numeric" / "frontend_semantics.f90"]
    texts = {
        run([sys.executable, "-c", SHOW, *paths], ROOT, env=pocl_env | {"PYTHONHASHSEED": seed}).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1
