"""The environment in which native programs of the tests run: the embedded PoCL, and caches of the tests' own."""

from __future__ import annotations

import os
from pathlib import Path

from fortrancl.devices import icd_environment

_MINE = ("OCL_ICD_", "OCLGRIND_", "FORTRANCL_", "POCL_")


def pocl_environment(scratch: Path) -> dict[str, str]:
    """The process's environment without the user's OpenCL and fortrancl settings, plus the embedded PoCL.

    Workers share `scratch`: PoCL's cache takes that, and a kernel that two tests use is compiled once.
    """
    exports = icd_environment(alone=True, cache=scratch)
    if not exports:
        raise RuntimeError("pocl-binary-distribution is not installed in this environment; run: make setup")
    env = {name: value for name, value in os.environ.items() if not name.startswith(_MINE)}
    caches = {"POCL_CACHE_DIR": scratch / "pocl", "FORTRANCL_CACHE_DIR": scratch / "fortrancl"}
    for folder in caches.values():
        folder.mkdir(parents=True, exist_ok=True)
    return env | exports | {name: str(folder) for name, folder in caches.items()}
