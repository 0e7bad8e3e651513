"""What ``lp.`` offers: the transformations, and a few functions about whole files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from fortrancl.analysis.accesses import reduction_of
from fortrancl.diagnostics import StepError
from fortrancl.ir.kernel import Kernel, Note, Statement
from fortrancl.ir.match import find_instructions as query
from fortrancl.script.unit import TranslationUnit
from fortrancl.script.values import Namespace, Value
from fortrancl.transform import TRANSFORMATIONS
from fortrancl.transform.layout import find_padding_multiple
from fortrancl.transform.substitution import find_rules


@dataclass(frozen=True)
class LibraryFunction:
    """A member of ``lp``; ``function`` is called after its arguments were checked against its annotations.

    ``of_session``: the function is about the file, not about a kernel; the interpreter has it by its name.
    """

    name: str
    function: Callable[..., Any] = field(repr=False)
    of_session: bool = False

    KIND: ClassVar[str] = "a function"


def find_instructions(kernel: Kernel, insn_match: str | None = None) -> list[Statement]:
    """The statements that a query means, in the kernel's order. Errors: FCL220."""
    return list(query(kernel, insn_match, argument="insn_match"))


def find_rules_matching(kernel: Kernel, pattern: str) -> list[str]:
    """Names of the substitution rules that a glob means, in the kernel's order."""
    return list(find_rules(kernel, pattern))


def find_one_rule_matching(kernel: Kernel, pattern: str) -> str:
    """The name of the one rule that a glob means. Errors: FCL268 (none, or several)."""
    found = find_rules(kernel, pattern)
    if len(found) == 1:
        return found[0]
    raise StepError(
        "FCL268",
        f"{len(found) or 'no'} rule{'s match' if found else ' matches'} '{pattern}' in kernel '{kernel.name}'",
        argument="pattern",
        value=pattern,
        notes=(f"its rules are {', '.join(kernel.rule_by_name)}",) if kernel.rules else (),
    )


def merge(programs: Sequence[Kernel | TranslationUnit]) -> list[Kernel]:
    """All kernels of several kernels and translation units, for RESULT. Errors: FCL223 (one name twice)."""
    found: list[Kernel] = []
    for program in programs:
        found.extend(program.script_elements() if isinstance(program, TranslationUnit) else (program,))
    names = [kernel.name.lower() for kernel in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise StepError("FCL223", f"there is more than one '{twice}'", argument="programs", value=twice)
    return found


def unchanged(kernel: Kernel) -> Kernel:
    """The kernel as it is: the peer's scripts call steps that have nothing to do here."""
    return kernel


def set_options(kernel: Kernel, **options: Any) -> Kernel:
    """The kernel as it is: options of the peer that have no meaning here are accepted."""
    return kernel


def relax_order(kernel: Kernel) -> Kernel:
    """Every update ``x = x op e`` may change places with others of its kind (``seq_dependencies=False``)."""
    updates = [s for s in kernel.statements if reduction_of(s, kernel) is not None and not s.reassociable]
    if not updates:
        return kernel
    names = ", ".join(dict.fromkeys(s.target_name for s in updates))
    note = Note(f"seq_dependencies=False allows the updates of {names} to run in another order", updates[0].span)
    changed = kernel.with_statements({s.id: replace(s, reassociable=True) for s in updates})
    return replace(changed, notes=(*changed.notes, note))


# Signatures of the functions about files and the command line; the interpreter does the work, knowing those.
def parse_fortran(
    source: str,
    filename: str = "",
    free_form: bool | None = None,
    strict: bool = True,
    seq_dependencies: bool | None = None,
    auto_dependencies: bool | None = None,
    target: Any = None,
) -> None:
    """The translation unit of a Fortran text; each procedure is lowered when the script takes it."""


def c_preprocess(
    source: str,
    defines: Mapping[str, str | int | float | bool | None] | Sequence[str] | None = None,
    include_paths: Sequence[str] | None = None,
) -> None:
    """The text after a C preprocessor; lines keep their numbers. ``defines``: a dictionary, or strings ``"NAME VALUE"``
    or ``"NAME=VALUE"``."""


def setting(name: str, default: Any) -> None:
    """The value that ``--set`` gave a variable, or the default."""


def definitions(given: Mapping[str, Any] | Sequence[str] | None) -> dict[str, str]:
    """Preprocessor names and their texts.

    >>> definitions(["factor 4.0", "N=8", "FAST"]), definitions({"N": 8, "FAST": None})
    ({'factor': '4.0', 'N': '8', 'FAST': ''}, {'N': '8', 'FAST': ''})
    """
    if isinstance(given, Mapping):
        return {name: "" if value is None else str(value) for name, value in given.items()}
    parts = (re.split(r"[\s=]", text.strip(), maxsplit=1) for text in given or ())
    return {part[0]: part[1].strip() if len(part) > 1 else "" for part in parts}


def optional(value: Any = None) -> Any:
    """The value itself: the peer wraps values that may be left out."""
    return value


_SESSION = (parse_fortran, c_preprocess, setting)
_NOTHING_TO_DO = (
    "preprocess_kernel",
    "preprocess_program",
    "allocate_temporaries_for_base_storage",
    "specialize_fortran_division",
    "infer_unknown_types",
)


def namespace() -> Namespace:
    """``lp`` itself."""
    members: dict[str, Value] = {name: LibraryFunction(name, step) for name, step in TRANSFORMATIONS.items()}
    members.update({name: LibraryFunction(name, unchanged) for name in _NOTHING_TO_DO})
    members["find_instructions"] = LibraryFunction("find_instructions", find_instructions)
    for function in (find_rules_matching, find_one_rule_matching, merge):
        members[function.__name__] = LibraryFunction(function.__name__, function)
    members["find_padding_multiple"] = LibraryFunction("find_padding_multiple", find_padding_multiple)
    members["set_options"] = LibraryFunction("set_options", set_options)
    members.update({f.__name__: LibraryFunction(f.__name__, f, of_session=True) for f in _SESSION})
    spaces = {name.upper(): name for name in ("auto", "private", "local", "global")}
    members["AddressSpace"] = Namespace("lp.AddressSpace", dict(spaces))
    members["auto"] = "auto"
    members["Optional"] = LibraryFunction("Optional", optional)
    return Namespace("lp", members)
