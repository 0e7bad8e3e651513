"""The command line, run inside the test's process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from fortrancl.cli import main


@dataclass(frozen=True)
class Outcome:
    """What one command did."""

    status: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Diagnostics of ``--error-format json``."""
        return [json.loads(line) for line in self.err.splitlines()]


def run(folder: Path, files: Mapping[str, str], command: str, *arguments: str, form: str = "json") -> Outcome:
    """``fortrancl COMMAND ARGUMENTS`` in a folder that holds the files. A traceback fails the test."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = Path.cwd()
    os.chdir(folder)
    try:
        format_option = ("--error-format", form) if command in ("compile", "check", "show") else ()
        result = CliRunner().invoke(main, [command, *arguments, *format_option])
    finally:
        os.chdir(before)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert "Traceback" not in result.stderr
    return Outcome(result.exit_code, result.stdout, result.stderr)
