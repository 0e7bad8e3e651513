"""fortrancl.devices: the embedded PoCL, the loader's folder, the listing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fortrancl import devices


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("FORTRANCL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "vendors"))
    (tmp_path / "vendors").mkdir()
    return tmp_path / "vendors"


def texts(environment: dict[str, str]) -> set[str]:
    return {path.read_text().strip() for path in Path(environment["OCL_ICD_VENDORS"]).glob("*.icd")}


def test_the_library_is_found_without_importing_pyopencl() -> None:
    code = (
        "import sys; from fortrancl.devices import embedded_pocl_library as f; print(f());"
        "print('pyopencl' in sys.modules)"
    )
    path, imported = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert Path(path).is_file()
    assert imported == "False"


def test_the_systems_devices_stay_visible(clean_environment: Path) -> None:
    (clean_environment / "gpu.icd").write_text("libgpu.so.1\n")
    assert texts(devices.icd_environment()) == {"libgpu.so.1", str(devices.embedded_pocl_library())}
    assert texts(devices.icd_environment(alone=True)) == {str(devices.embedded_pocl_library())}


def test_a_pocl_of_the_systems_is_not_joined_by_a_second_one(clean_environment: Path) -> None:
    (clean_environment / "pocl.icd").write_text("libpocl.so.2\n")
    assert devices.icd_environment() == {}
    assert devices.shell_exports() == ""


def test_asking_twice_gives_the_same_folder(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = devices.icd_environment()
    monkeypatch.setenv("OCL_ICD_VENDORS", first["OCL_ICD_VENDORS"])
    assert devices.icd_environment() == first


def test_exports_are_shell_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FORTRANCL_CACHE_DIR", str(tmp_path / "with space"))
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    shell = f'{devices.shell_exports()}printf %s "$OCL_ICD_VENDORS"'
    shown = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True).stdout
    assert Path(shown).is_dir()


def test_devices_are_listed(pocl_env: dict[str, str]) -> None:
    # In a process of its own: the loader reads its environment once.
    code = (
        "import dataclasses, json; from fortrancl.devices import list_devices, format_devices as f; d = list_devices();"
        "print(json.dumps([dataclasses.asdict(x) for x in d])); print(f(d))"
    )
    result = subprocess.run([sys.executable, "-c", code], env=pocl_env, capture_output=True, text=True, check=True)
    listing, table = result.stdout.split("\n", 1)
    (device,) = json.loads(listing)
    assert device["platform"] == "Portable Computing Language"
    assert device["kind"] == "cpu"
    assert device["fp64"] is True
    assert device["max_work_group"] >= 256
    assert len(device["max_work_items"]) == 3
    assert device["local_memory"] > 0 and device["global_memory"] > device["local_memory"]
    assert device["name"] in table and "real(8)      yes" in table


def test_no_device_is_an_empty_list(pocl_env: dict[str, str], tmp_path: Path) -> None:
    code = "from fortrancl.devices import list_devices; print(list_devices())"
    env = pocl_env | {"OCL_ICD_VENDORS": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
