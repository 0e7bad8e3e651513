"""Golden files: text that a test made, held against what is in the repository."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Golden:
    """The expected texts of one test file, in the folder of the same name beside it."""

    folder: Path
    update: bool

    def __call__(self, name: str, text: str) -> None:
        """Fail unless `text` is what `name` holds. With --update-golden, write it instead."""
        path = self.folder / name
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            return
        if not path.exists():
            raise AssertionError(f"there is no {path}; pytest --update-golden writes it:\n{text}")
        expected = path.read_text()
        if text != expected:
            lines = difflib.unified_diff(
                expected.splitlines(), text.splitlines(), f"{name} (expected)", f"{name} (now)", lineterm=""
            )
            raise AssertionError("\n".join(("golden text differs; pytest --update-golden accepts it:", *lines)))


def golden_for(test_file: Path, *, update: bool) -> Golden:
    """tests/golden/test_dgemm.py keeps its texts in tests/golden/dgemm/."""
    return Golden(test_file.parent / test_file.stem.removeprefix("test_"), update)
