"""The parts of the manual that are made from the program, so that they cannot say something else."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from fortrancl.codes import CODES
from fortrancl.script import limits, methods
from fortrancl.script.builtins import BUILTINS
from fortrancl.script.library import LibraryFunction, namespace
from fortrancl.script.unit import TranslationUnit
from fortrancl.script.values import kind_of
from fortrancl.transform import TRANSFORMATIONS

_STAGES = (
    ("0", "Notes", "Nothing is wrong; `-Werror` makes the warnings among them errors."),
    ("1", "Fortran", "The Fortran is not understood, or not supported."),
    ("2", "The script", "The script, and what it asks of a kernel by name."),
    ("3", "Legality", "A step, or the finished kernel, is not proved to compute what the Fortran computes."),
    ("4", "Schedule", "No device code can be made of the kernel as it is tagged."),
    ("5", "Device limits", "The device cannot hold the kernel, or lacks a type."),
    ("6", "Host and run time", "What cannot be launched, and (from 651) what a running program says."),
    ("9", "Internal", "Faults of fortrancl itself."),
)


def diagnostics_page() -> str:
    """docs/diagnostics.md."""
    parts = [
        "# Diagnostics\n",
        "Every message has a code. `fortrancl explain CODE` prints what stands here. This page is made from the table "
        "of codes (`pytest --update-golden tests/unit/test_docs.py` writes it).\n",
        "```\nerror[FCL251]: no loop named 'ki' in kernel 'dgemm'      what is wrong\n"
        "  --> m.f90:14:33                                        where: file, line, column\n"
        '14 | ! dgemm = lp.tag_inames(dgemm, {"ki": "l.0"})\n'
        "   |                                 ^^^^\n"
        "   = note: the loops here are j, k, i                    what else matters\n"
        "   = hint: did you mean 'k'?                             what to write instead\n```\n",
        "`--error-format json` prints one JSON object a line (`severity`, `code`, `message`, `place`, `related`, "
        "`notes`, `hints`; lines and columns count from 1, `end_column` is the one after the last character), "
        "`--error-format sarif` one SARIF 2.1.0 document. Diagnostics go to stderr, and nothing else does.\n",
    ]
    for digit, title, about in _STAGES:
        parts.append(f"## {title}: FCL{digit}xx\n\n{about}\n")
        for entry in (entry for code, entry in CODES.items() if code[3] == digit):
            parts.append(f"### {entry.code}: {entry.title}\n\n{entry.explanation}\n")
            if entry.example:
                parts.append(f"```fortran\n{entry.example.rstrip()}\n```\n")
    return "\n".join(parts)


def functions_section() -> str:
    """What `lp.` offers, a sentence for each."""
    members = {name: value for name, value in namespace().members.items() if isinstance(value, LibraryFunction)}
    own = {name: member.function for name, member in members.items() if member.function.__name__ == name}
    told = [name for name in (*TRANSFORMATIONS, *members) if name in own and name != "set_options"]
    rows = [f"| `{name}` | {_sentence(own[name])} |\n" for name in dict.fromkeys(told)]
    aliases = [f"`{name}` is `{step.__name__}`" for name, step in TRANSFORMATIONS.items() if step.__name__ != name]
    silent = [f"`{name}`" for name in members if name not in TRANSFORMATIONS and name not in told]
    return (
        f"| function | what it does |\n|---|---|\n{''.join(rows)}\n"
        f"Other names: {', '.join(aliases)}.\n\nAccepted, with nothing to do here: {', '.join(silent)}.\n"
    )


def _sentence(function: Callable[..., Any]) -> str:
    """The first paragraph of a docstring, as a cell of a table."""
    first = (inspect.getdoc(function) or "").split("\n\n")[0]
    return " ".join(first.split()).replace("``", "`").replace("|", "\\|")


def limits_section() -> str:
    """What a script may use."""
    rows = (
        ("steps of the interpreter", f"{limits.MAX_STEPS:,}", "FCL214"),
        ("calls of what `lp` offers", f"{limits.MAX_TRANSFORMATIONS:,}", "FCL214"),
        ("memory of all values it makes", f"{limits.MAX_MEMORY >> 20} MiB", "FCL215"),
        ("characters of a string", f"{limits.MAX_TEXT:,}", "FCL215"),
        ("elements of a list, tuple, set or dictionary", f"{limits.MAX_ITEMS:,}", "FCL215"),
        ("bits of an integer", f"{limits.MAX_BITS:,}", "FCL215"),
        ("characters of the script", f"{limits.MAX_SCRIPT:,}", "FCL215"),
        ("loops round one statement of a kernel", f"{limits.MAX_STATEMENT_LOOPS}", "FCL216"),
        ("levels of rules that call each other", f"{limits.MAX_RULE_DEPTH}", "FCL216"),
        ("parts of one expression of a kernel", f"{limits.MAX_NODES:,}", "FCL215"),
        ("levels of expressions and blocks", f"{limits.MAX_DEPTH}", "FCL216"),
        ("levels of calls of its own functions", f"{limits.MAX_CALLS}", "FCL216"),
    )
    return "| of | at most | else |\n|---|---|---|\n" + "".join(f"| {a} | {b} | {c} |\n" for a, b, c in rows)


def _listed(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))


def values_section() -> str:
    """Functions and attributes."""
    rows = [("functions", _listed(BUILTINS))]
    samples = {str: "", list: [], tuple: (), dict: {}}
    for kind, names in methods._ALLOWED:
        what = (
            kind_of(samples[kind]) if kind in samples else ("a set" if kind.__name__ == "ScriptSet" else "a frozen set")
        )
        rows.append((what, _listed(names)))
    words = {
        "Kernel": "a kernel",
        "Statement": "a statement",
        "Temporary": "a local variable",
        "Argument": "an argument",
    }
    rows += [(words[kind.__name__], _listed(names)) for kind, names in methods._PROPERTIES.items()]
    rows.append(("a translation unit", '`["name"]` ' + _listed(TranslationUnit.ATTRIBUTES)))
    return "| of | there are |\n|---|---|\n" + "".join(f"| {what} | {names} |\n" for what, names in rows)


SECTIONS = {"functions": functions_section, "limits": limits_section, "values": values_section}


def with_sections(page: str) -> str:
    """A page with the parts between its ``<!-- made: NAME -->`` and ``<!-- end -->`` lines made anew."""

    def made(match: re.Match[str]) -> str:
        return f"{match[1]}\n\n{SECTIONS[match[2]]().strip()}\n\n{match[3]}"

    return re.sub(r"(<!-- made: (\w+) -->)\n.*?\n(<!-- end -->)", made, page, flags=re.DOTALL)
