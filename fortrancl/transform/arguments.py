"""What a script's arguments mean: names of loops, tags, name lists. All look-ups are case-blind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.kernel import Kernel, Tag

Names: TypeAlias = str | Sequence[str] | frozenset[str] | set[str]
"""A comma-separated string, or a collection of names."""

_TAGS = {"unr": Tag("unr"), "for": Tag("for"), "ord": Tag("for"), "l.auto": Tag("l")}


def name_list(names: Names | None) -> tuple[str, ...]:
    """Names in the given order (sets: sorted, so that the same script gives the same kernel).

    >>> name_list("i, j"), name_list(frozenset({"b", "a"}))
    (('i', 'j'), ('a', 'b'))
    """
    if names is None:
        return ()
    if isinstance(names, str):
        return tuple(part.strip() for part in names.split(",") if part.strip())
    ordered: Iterable[str] = sorted(names) if isinstance(names, set | frozenset) else names
    return tuple(name.strip() for name in ordered)


def find_iname(kernel: Kernel, name: str, argument: str) -> str:
    """Declared spelling of a loop variable. Errors: FCL251."""
    for known in kernel.iname_by_name:
        if known.lower() == name.strip().lower():
            return known
    became = next((old for old, _ in kernel.rewrites if old.lower() == name.strip().lower()), None)
    notes = [f"the loops here are {', '.join(kernel.iname_by_name)}" if kernel.inames else "it has no loops"]
    if became is not None:
        notes.append(f"an earlier step replaced '{became}'")
    raise StepError(
        "FCL251",
        f"no loop named '{name.strip()}' in kernel '{kernel.name}'",
        argument=argument,
        value=name.strip(),
        notes=notes,
        hints=did_you_mean(name.strip(), kernel.iname_by_name),
    )


def find_inames(kernel: Kernel, names: Names | None, argument: str) -> tuple[str, ...]:
    """Several loop variables. Errors: FCL251."""
    return tuple(find_iname(kernel, name, argument) for name in name_list(names))


def matching_inames(kernel: Kernel, pattern: str, argument: str, missing_ok: bool = False) -> tuple[str, ...]:
    """Loop variables that a name or glob means. Errors: FCL251."""
    if any(sign in pattern for sign in "*?"):
        found = tuple(n for n in kernel.iname_by_name if fnmatchcase(n.lower(), pattern.strip().lower()))
        if found or missing_ok:
            return found
    elif missing_ok and pattern.strip().lower() not in {n.lower() for n in kernel.iname_by_name}:
        return ()
    return (find_iname(kernel, pattern, argument),)


def parse_tag(text: str | None, argument: str) -> Tag | None:
    """A tag by its script spelling; None means no tag. Errors: FCL255.

    >>> str(parse_tag("g.1", "tag")), parse_tag(None, "tag")
    ('g.1', None)
    """
    if text is None:
        return None
    lower = text.strip().lower()
    if lower in _TAGS:
        return _TAGS[lower]
    kind, dot, axis = lower.partition(".")
    if dot and kind in ("g", "l") and axis in ("0", "1", "2"):
        return Tag("g" if kind == "g" else "l", int(axis))
    raise StepError(
        "FCL255",
        f"'{text}' is no loop tag",
        argument=argument,
        value=text,
        hints=(
            *did_you_mean(lower, (*_TAGS, "g.0", "g.1", "g.2", "l.0", "l.1", "l.2")),
            "tags are g.N l.N l.auto unr for",
        ),
    )


def tag_pairs(
    tags: Mapping[str, str | None] | Sequence[Any] | str, argument: str
) -> tuple[tuple[str, Tag | None], ...]:
    """(iname pattern, tag) from a dict, a list of pairs, or ``"i:g.0, j:l.0"``. Errors: FCL252, FCL255."""
    if isinstance(tags, str):
        parts = [part.partition(":") for part in tags.split(",") if part.strip()]
        return tuple((name.strip(), parse_tag(tag, argument)) for name, _, tag in parts)
    pairs: Iterable[Any] = tags.items() if isinstance(tags, Mapping) else tags
    result = []
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)):
            raise StepError("FCL252", "tags are pairs of a loop and a tag", argument=argument, value=str(pair))
        if not (pair[1] is None or isinstance(pair[1], str)):
            raise StepError("FCL252", f"{pair[1]!r} is no tag", argument=argument, value=str(pair[1]))
        result.append((pair[0], parse_tag(pair[1], argument)))
    return tuple(result)


def require_name(wanted: str, argument: str) -> None:
    """A name that both C and Fortran take. Errors: FCL252."""
    if not (wanted.isidentifier() and wanted.isascii()) or len(wanted) > 63:
        raise StepError(
            "FCL252",
            f"'{wanted}' is no name",
            argument=argument,
            value=wanted,
            notes=("names are made of letters, digits and '_', begin with no digit, and have at most 63 characters",),
        )


def new_name(kernel: Kernel, wanted: str | None, default: str, argument: str, also: Iterable[str] = ()) -> str:
    """A name for something new: the user's, which must be free, or a default made free. Errors: FCL252."""
    taken = tuple(also)
    if wanted is None:
        return kernel.fresh_name(default, taken)
    require_name(wanted, argument)
    if wanted.lower() in kernel.names | {name.lower() for name in taken}:
        raise StepError("FCL252", f"the name '{wanted}' is taken", argument=argument, value=wanted)
    return wanted
