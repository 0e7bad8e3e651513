"""The OpenCL devices of this machine, and the way for native programs to the PoCL that PyPI's wheel brings.

Input: the process's environment. Output: plain records and shell text. Imports neither pyopencl nor anything else that
takes time: `fortrancl devices` must answer on a machine where only half of the set-up worked.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import importlib.util
import os
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")


class OpenCLMissing(Exception):
    """There is no OpenCL loader (libOpenCL) to ask."""


@dataclass(frozen=True)
class Device:
    """One OpenCL device; sizes in bytes."""

    index: int
    """Position over all platforms, as FORTRANCL_DEVICE counts."""
    platform: str
    name: str
    kind: str
    """cpu, gpu, accelerator or other."""
    version: str
    driver: str
    fp64: bool
    compute_units: int
    max_work_group: int
    max_work_items: tuple[int, ...]
    global_memory: int
    local_memory: int
    constant_memory: int


# --- the embedded PoCL ---------------------------------------------------------------------------------------------


def embedded_pocl_library() -> Path | None:
    """The PoCL that `pocl-binary-distribution` installed, or None. (The wheel puts it into pyopencl's folder.)"""
    for package in ("pyopencl", "pocl_binary_distribution"):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            continue
        found = sorted((Path(spec.origin).parent / ".libs").glob("libpocl*.so*"))
        if found:
            return found[0].resolve()
    return None


def icd_environment(*, alone: bool = False, cache: Path | None = None) -> dict[str, str]:
    """Environment variables that let a native program find the embedded PoCL; empty without one.

    OCL_ICD_VENDORS replaces the loader's folder, so ours also repeats what the system registers (a GPU must not vanish
    because a CPU device was added). Where the system registers a PoCL of its own, that one serves: two in one
    process clash over LLVM. `alone` leaves the system's out altogether, for tests.
    """
    library = embedded_pocl_library()
    if library is None:
        return {}
    others = {} if alone else _registered(_vendors_in_force())
    if any("libpocl" in text and str(library) not in text for text in others.values()):
        return {}
    files = {name: text for name, text in others.items() if str(library) not in text}
    files["fortrancl-pocl.icd"] = f"{library}\n"
    # The name follows from the content: two virtual environments never write over each other's file.
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:12]
    folder = (cache or cache_directory()) / "icd" / digest
    _write_all(folder, files)
    return {"OCL_ICD_VENDORS": str(folder)}


def shell_exports() -> str:
    """`export` lines for `eval "$(fortrancl devices --env)"`; empty where there is nothing to add."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in icd_environment().items())


def cache_directory() -> Path:
    """The folder for fortrancl's own files: FORTRANCL_CACHE_DIR, or the user's cache."""
    own = os.environ.get("FORTRANCL_CACHE_DIR")
    if own:
        return Path(own)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "fortrancl"


def _vendors_in_force() -> Path:
    return Path(os.environ.get("OCL_ICD_VENDORS") or _SYSTEM_VENDORS)


def _registered(vendors: Path) -> dict[str, str]:
    """The .icd files of a folder (or the one file), by name."""
    try:
        paths = [vendors] if vendors.is_file() else sorted(vendors.glob("*.icd"))
        return {path.name: path.read_text(errors="replace") for path in paths}
    except OSError:
        return {}


def _write_all(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        if path.exists() and path.read_text(errors="replace") == text:
            continue
        # Test workers come here at the same time: a reader must never see half a file.
        beside = folder / f".{name}.{os.getpid()}"
        beside.write_text(text)
        beside.replace(path)


# --- the devices ----------------------------------------------------------------------------------------------------

_Handle = ctypes.c_void_p
_SUCCESS = 0
_DEVICE_NOT_FOUND = -1
_PLATFORM_NOT_FOUND = -1001
_ALL_DEVICES = 0xFFFFFFFF
_PLATFORM_NAME = 0x0902
_KINDS = {2: "cpu", 4: "gpu", 8: "accelerator"}
_TYPE, _COMPUTE_UNITS, _MAX_WORK_GROUP, _MAX_WORK_ITEMS = 0x1000, 0x1002, 0x1004, 0x1005
_GLOBAL_MEMORY, _CONSTANT_MEMORY, _LOCAL_MEMORY = 0x101F, 0x1020, 0x1023
_NAME, _DRIVER, _VERSION, _EXTENSIONS = 0x102B, 0x102D, 0x102F, 0x1030


def list_devices() -> list[Device]:
    """Every device that a native program started from here would find. Raises OpenCLMissing without a loader."""
    opencl = _load()
    devices: list[Device] = []
    for platform in _handles(opencl.clGetPlatformIDs):
        name = _text(opencl.clGetPlatformInfo, platform, _PLATFORM_NAME)
        for device in _handles(opencl.clGetDeviceIDs, _Handle(platform), ctypes.c_uint64(_ALL_DEVICES)):
            devices.append(_describe(opencl, len(devices), name, device))
    return devices


def format_devices(devices: Iterable[Device]) -> str:
    """One paragraph per device, for people."""
    paragraphs = []
    for device in devices:
        paragraphs.append(
            f"[{device.index}] {device.name}\n"
            f"    platform     {device.platform}\n"
            f"    kind         {device.kind}, {device.compute_units} compute units\n"
            f"    version      {device.version} (driver {device.driver})\n"
            f"    real(8)      {'yes' if device.fp64 else 'no'}\n"
            f"    memory       {device.global_memory / 2**30:.1f} GiB global,"
            f" {device.local_memory / 2**10:.0f} KiB local, {device.constant_memory / 2**10:.0f} KiB constant\n"
            f"    work-group   at most {device.max_work_group} work-items"
            f" ({' x '.join(str(size) for size in device.max_work_items)})\n"
        )
    return "".join(paragraphs)


def _load() -> ctypes.CDLL:
    candidates = ["libOpenCL.so.1", "libOpenCL.so"]
    library = embedded_pocl_library()
    if library is not None:
        # pyopencl's wheel brings a loader, too: good enough to list devices where the system has none.
        candidates += [str(path) for path in sorted(library.parent.glob("libOpenCL*.so*"))]
    for candidate in candidates:
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    raise OpenCLMissing("no OpenCL loader (libOpenCL.so.1) was found; on Debian: apt-get install ocl-icd-libopencl1")


def _handles(function: ctypes._NamedFuncPointer, *leading: object) -> list[int]:
    """The OpenCL way to ask for a list: first its length, then its items."""
    count = ctypes.c_uint32(0)
    status = function(*leading, ctypes.c_uint32(0), None, ctypes.byref(count))
    if status in (_DEVICE_NOT_FOUND, _PLATFORM_NOT_FOUND) or count.value == 0:
        return []
    _check(status, function)
    items = (_Handle * count.value)()
    _check(function(*leading, count, items, None), function)
    return [item for item in items if item is not None]


def _describe(opencl: ctypes.CDLL, index: int, platform: str, device: int) -> Device:
    ask = opencl.clGetDeviceInfo
    kind = _number(ask, device, _TYPE)
    return Device(
        index=index,
        platform=platform,
        name=_text(ask, device, _NAME),
        kind=next((name for bit, name in _KINDS.items() if kind & bit), "other"),
        version=_text(ask, device, _VERSION),
        driver=_text(ask, device, _DRIVER),
        fp64="cl_khr_fp64" in _text(ask, device, _EXTENSIONS).split(),
        compute_units=_number(ask, device, _COMPUTE_UNITS),
        max_work_group=_number(ask, device, _MAX_WORK_GROUP),
        max_work_items=_numbers(ask, device, _MAX_WORK_ITEMS),
        global_memory=_number(ask, device, _GLOBAL_MEMORY),
        local_memory=_number(ask, device, _LOCAL_MEMORY),
        constant_memory=_number(ask, device, _CONSTANT_MEMORY),
    )


def _info(ask: ctypes._NamedFuncPointer, handle: int, what: int) -> bytes:
    size = ctypes.c_size_t(0)
    _check(ask(_Handle(handle), ctypes.c_uint32(what), ctypes.c_size_t(0), None, ctypes.byref(size)), ask)
    value = ctypes.create_string_buffer(size.value)
    _check(ask(_Handle(handle), ctypes.c_uint32(what), size, value, None), ask)
    return value.raw


def _text(ask: ctypes._NamedFuncPointer, handle: int, what: int) -> str:
    return _info(ask, handle, what).split(b"\0")[0].decode(errors="replace").strip()


def _number(ask: ctypes._NamedFuncPointer, handle: int, what: int) -> int:
    return int.from_bytes(_info(ask, handle, what), "little")


def _numbers(ask: ctypes._NamedFuncPointer, handle: int, what: int) -> tuple[int, ...]:
    raw = _info(ask, handle, what)
    width = ctypes.sizeof(ctypes.c_size_t)
    return tuple(int.from_bytes(raw[at : at + width], "little") for at in range(0, len(raw), width))


def _check(status: int, function: ctypes._NamedFuncPointer) -> None:
    if status != _SUCCESS:
        raise OSError(f"{function.__name__} failed with OpenCL status {status}")
