"""The steps of a script as one page, made of their docstrings: ``python -m fortrancl.transform.reference``."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator

from fortrancl.ir.kernel import Kernel
from fortrancl.transform import TRANSFORMATIONS


def reference() -> str:
    """Markdown: each step with its signature, what it does, and its examples, in the order of the table.

    >>> "## split_iname" in reference()
    True
    """
    lines = [
        "# Steps of a script",
        "",
        "Made by `python -m fortrancl.transform.reference` from the docstrings, whose examples are tests. A step takes",
        "a kernel and gives a new one; it is refused unless it is proved to change no result. `fortrancl explain CODE`",
        "says more about an error.",
    ]
    for name, step in TRANSFORMATIONS.items():
        if step.__name__ == name:
            aliases = [other for other, same in TRANSFORMATIONS.items() if same is step and other != name]
            lines.extend(("", *_section(step, aliases)))
    return "\n".join(lines) + "\n"


def _section(step: Callable[..., Kernel], aliases: list[str]) -> Iterator[str]:
    yield f"## {step.__name__}"
    yield ""
    yield "```python"
    yield f"lp.{step.__name__}({_parameters(step)})"
    yield "```"
    yield ""
    if aliases:
        yield f"Also called {', '.join(f'`{alias}`' for alias in aliases)}."
        yield ""
    yield from _body(inspect.cleandoc(step.__doc__ or "").splitlines())


def _parameters(step: Callable[..., Kernel]) -> str:
    shown: list[str] = []
    keyword_only = False
    for parameter in inspect.signature(step).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        sign = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        sign = "**" if parameter.kind is parameter.VAR_KEYWORD else sign
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        shown.append(f"{sign}{parameter.name}{default}")
    return ", ".join(shown)


def _body(lines: list[str]) -> Iterator[str]:
    """Prose as it is, examples fenced, double backquotes single."""
    in_example = False
    for line in lines:
        if line.startswith(">>>") and not in_example:
            in_example = True
            yield "```python"
        if not line.strip() and in_example:
            in_example = False
            yield "```"
        yield line if in_example else re.sub(r"``(.+?)``", r"`\1`", line)
    if in_example:
        yield "```"


if __name__ == "__main__":
    sys.stdout.write(reference())
