"""Files out: whole or not at all, and the dependency file that make and ninja read."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from fortrancl.diagnostics import CompileError, Diagnostic

_BESIDE = f".{os.getpid()}.tmp"


def write_all(texts: Mapping[str, str]) -> None:
    """Write every file beside its place, then rename all; on any failure none is left. Raises FCL608."""
    pending: list[tuple[str, str]] = []
    try:
        for path, text in texts.items():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            if os.path.isdir(path):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            beside = path + _BESIDE
            pending.append((beside, path))
            with open(beside, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        for beside, path in pending:
            os.replace(beside, path)
    except OSError as error:
        for beside, _ in pending:
            Path(beside).unlink(missing_ok=True)
        name = str(error.filename or next(iter(texts))).removesuffix(_BESIDE)
        message = f"cannot write '{name}': {error.strerror}"
        raise CompileError([Diagnostic("FCL608", message, hints=("choose another folder with -o",))]) from None


def dependency_text(outputs: Iterable[str], inputs: Iterable[str]) -> str:
    """A rule that makes the outputs depend on the inputs, and an empty rule for each input, so that a deleted one does
    not stop make.

    >>> print(dependency_text(["o/a b.f90"], ["a b.f90"]), end="")
    o/a\\ b.f90: a\\ b.f90
    <BLANKLINE>
    a\\ b.f90:
    """
    sources = [_escaped(path) for path in dict.fromkeys(inputs)]
    rules = [f"{' '.join(map(_escaped, outputs))}: {' '.join(sources)}"]
    rules += [f"{source}:" for source in sources]
    return "\n\n".join(rules) + "\n"


def _escaped(path: str) -> str:
    """Spaces and ``#`` behind a backslash, ``$`` doubled; a backslash before a space is doubled too."""
    result = ""
    for position, sign in enumerate(path):
        if sign == "$":
            result += "$$"
        elif sign in " #\t":
            backslashes = len(path[:position]) - len(path[:position].rstrip("\\"))
            result += "\\" * backslashes + "\\" + sign
        else:
            result += sign
    return result
