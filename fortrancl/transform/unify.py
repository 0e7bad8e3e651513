"""Names of several kernels brought together: arguments and loops that are one, locals that are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from fortrancl.diagnostics import Related, StepError
from fortrancl.ir.expr import Expr, rule_names, scalar_names, subscripts
from fortrancl.ir.kernel import Argument, Intent, Kernel, Rule
from fortrancl.ir.rename import rename
from fortrancl.ir.tree import Block, Node, flatten
from fortrancl.poly import Set


def refused(
    message: str,
    *,
    argument: str = "kernels",
    value: str | None = None,
    notes: Iterable[str] = (),
    hints: Iterable[str] = (),
    related: Iterable[Related] = (),
) -> StepError:
    """FCL290."""
    return StepError("FCL290", message, argument=argument, value=value, notes=notes, hints=hints, related=related)


def unified(kernels: Sequence[Kernel], suffixes: Sequence[str] | None) -> list[Kernel]:
    """The kernels with names that mean one thing in all of them: arguments, and loops of equal range, of one name are
    one; other names that clash are changed, by suffix or number. Errors: FCL290.
    """
    parts = _same_spelling(kernels)
    _require_agreement(parts)
    parts = _distinct(parts, suffixes, _clashing_locals, lambda part, wanted, taken: part.fresh_name(wanted, taken))
    return _distinct_statements(parts, suffixes)


# -- arguments ------------------------------------------------------------------------------------------------------
def _same_spelling(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Arguments and loops spelled as where they come first."""
    spelled: dict[str, str] = {}
    result: list[Kernel] = []
    for kernel in kernels:
        names = [a.name for a in kernel.arguments] + [i.name for i in kernel.inames]
        changed = {n: spelled[n.lower()] for n in names if spelled.get(n.lower(), n) != n}
        part = rename(kernel, changed, {}) if changed else kernel
        for name in names:
            spelled.setdefault(name.lower(), name)
        result.append(part)
    return result


def _require_agreement(parts: Sequence[Kernel]) -> None:
    first: dict[str, tuple[Kernel, Argument]] = {}
    for part in parts:
        for argument in part.arguments:
            owner, known = first.setdefault(argument.name, (part, argument))
            _require_same(owner, known, part, argument)
    for part in parts:
        steady = {*part.parameters, *(f.name for f in part.fixed), *part.injective}
        for other in parts:
            changed = sorted(steady & other.written & set(other.argument_by_name))
            if other is not part and changed:
                raise refused(
                    f"'{other.name}' writes '{changed[0]}', which '{part.name}' takes to stay as it is",
                    related=_places(other.argument_by_name[changed[0]]),
                    hints=("leave these procedures apart, or pass the new value as another argument",),
                )


def _require_same(owner: Kernel, known: Argument, part: Kernel, argument: Argument) -> None:
    fixed = [{f.name: f.value.value for f in k.fixed}.get(argument.name) for k in (owner, part)]
    what = None
    if known.type != argument.type:
        what = f"is {known.type} in '{owner.name}' and {argument.type} in '{part.name}'"
    elif (known.shape, known.declared, known.splits, known.form) != (
        argument.shape,
        argument.declared,
        argument.splits,
        argument.form,
    ):
        what = f"has one shape in '{owner.name}' and another in '{part.name}'"
    elif known.by_value != argument.by_value:
        what = f"is passed by value in one of '{owner.name}' and '{part.name}' only"
    elif None not in fixed and fixed[0] != fixed[1]:
        what = f"is fixed to {fixed[0]} in '{owner.name}' and to {fixed[1]} in '{part.name}'"
    if what is not None:
        raise refused(
            f"argument '{argument.name}' {what}, so it cannot be one argument",
            related=(*_places(known), *_places(argument)),
            hints=("declare it alike in both, or give one of them another name",),
        )


def _places(argument: Argument) -> tuple[Related, ...]:
    return () if argument.span is None else (Related("declared here", argument.span),)


def _merged_intent(first: Intent | None, second: Intent | None) -> Intent | None:
    """What a caller of both, one after another, must allow for."""
    if first is None or second is None or first == second:
        return first if first == second else None
    return "out" if first == "out" else "inout"


# -- locals ---------------------------------------------------------------------------------------------------------
def _distinct(
    parts: Sequence[Kernel],
    suffixes: Sequence[str] | None,
    clashing: Callable[[Sequence[Kernel], int, bool], list[str]],
    free: Callable[[Kernel, str, set[str]], str],
) -> list[Kernel]:
    taken = {name for part in parts for name in part.names}
    result: list[Kernel] = []
    for number, part in enumerate(parts):
        names: dict[str, str] = {}
        for old in clashing(parts, number, suffixes is not None):
            names[old] = free(part, f"{old}{suffixes[number]}" if suffixes else old, taken)
            taken.add(names[old].lower())
        result.append(rename(part, names, {}) if names else part)
    return result


def _clashing_locals(parts: Sequence[Kernel], number: int, everywhere: bool) -> list[str]:
    """Names of a part that another part has for something else; ``everywhere``: of both sides, not of the later one
    only."""
    part = parts[number]
    others = [other for place, other in enumerate(parts) if place != number]
    earlier = parts[:number]
    arguments = {a.name.lower() for other in others for a in other.arguments}
    rivals = {name for other in (others if everywhere else earlier) for name in other.names} | arguments
    found = [t.name for t in part.temporaries if t.name.lower() in rivals]
    found += [base for base in part.temporaries_by_base if base.lower() in rivals]
    found += [r.name for r in part.rules if r.name.lower() in rivals and not _is_shared_rule(r, part, others, found)]
    found += [e.name for e in part.extents if e.name.lower() in rivals and not any(e in o.extents for o in others)]
    for iname in part.inames:
        name = iname.name.lower()
        owner = next((other for other in earlier if name in {i.name.lower() for i in other.inames}), None)
        if name in arguments or (owner is not None and not _is_same_loop(owner, part, iname.name)):
            found.append(iname.name)
    return found


def _is_shared_rule(rule: Rule, part: Kernel, others: Sequence[Kernel], renamed: Sequence[str]) -> bool:
    own = {*part.temporary_by_name, *renamed}
    mentioned = (scalar_names(rule.body) - {*rule.parameters}) | {s.array for s in subscripts(rule.body)}
    if mentioned & own or rule_names(rule.body):
        return False
    rivals = [r for other in others for r in other.rules if r.name.lower() == rule.name.lower()]
    return all(r == rule for r in rivals) and not any(
        rule.name.lower() in other.names and not any(r == rule for r in other.rules) for other in others
    )


def _is_same_loop(first: Kernel, second: Kernel, name: str) -> bool:
    """Whether loops of one name have one tag and, wherever both run, one range."""
    one, two = first.iname_by_name[name], second.iname_by_name[name]
    if one.tag != two.tag or one.trip is not None or two.trip is not None:
        return False
    ranges = [iterations(kernel, name) for kernel in (first, second)]
    runs = [found.project_out([name]) for found in ranges]
    return (ranges[0] & runs[1]) == (ranges[1] & runs[0])


def iterations(kernel: Kernel, name: str) -> Set:
    """Values that a loop takes, over the parameters."""
    union = Set.nothing()
    for statement in kernel.statements:
        if name in statement.inames:
            union = union | (statement.domain & kernel.assumptions).project_onto([name, *kernel.parameters])
    return union.coalesce()


def _distinct_statements(parts: Sequence[Kernel], suffixes: Sequence[str] | None) -> list[Kernel]:
    taken = {statement for part in parts for statement in part.statement_by_id}
    result: list[Kernel] = []
    for number, part in enumerate(parts):
        others = [o for place, o in enumerate(parts) if place < number or (suffixes is not None and place != number)]
        rivals = {statement for other in others for statement in other.statement_by_id}
        names: dict[str, str] = {}
        for old in (statement.id for statement in part.statements if statement.id in rivals):
            names[old] = part.fresh_statement_id(f"{old}{suffixes[number]}" if suffixes else old, taken)
            taken.add(names[old])
        result.append(rename(part, {}, names) if names else part)
    return result


# -- together -------------------------------------------------------------------------------------------------------
def concatenated(parts: Sequence[Kernel], name: str) -> Kernel:
    """The parts one after another, as one kernel; their names must mean one thing in all of them (`unified`)."""
    arguments: dict[str, Argument] = {}
    for part in parts:
        for argument in part.arguments:
            known = arguments.get(argument.name)
            intent = argument.intent if known is None else _merged_intent(known.intent, argument.intent)
            arguments[argument.name] = replace(known or argument, intent=intent)
    assumptions = Set.universe()
    nodes: list[Node] = []
    for part in parts:
        assumptions = assumptions & part.assumptions
        nodes.extend(part.tree.children)
    inames = _once(i for part in parts for i in part.inames)
    return Kernel(
        name,
        tuple(arguments.values()),
        tuple(t for part in parts for t in part.temporaries),
        inames,
        tuple(s for part in parts for s in part.statements),
        Block(tuple(flatten(nodes))),
        extents=_once(e for part in parts for e in part.extents),
        rules=_once(r for part in parts for r in part.rules),
        assumptions=assumptions,
        fixed=_once(f for part in parts for f in part.fixed),
        promised_extents=_once_by_name(pair for part in parts for pair in part.promised_extents),
        injective=frozenset(array for part in parts for array in part.injective),
        rewrites=_agreed(parts, frozenset(i.name for i in inames)),
        retired=_once(i for part in parts for i in part.retired),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        origin=tuple(o for part in parts for o in part.origin),
        span=parts[0].span,
    )


def _once(items: Iterable[Any]) -> tuple[Any, ...]:
    """The first of each name."""
    found: dict[str, Any] = {}
    for item in items:
        found.setdefault(item.name, item)
    return tuple(found.values())


def _once_by_name(pairs: Iterable[tuple[str, Expr]]) -> tuple[tuple[str, Expr], ...]:
    found: dict[str, Expr] = {}
    for name, expr in pairs:
        found.setdefault(name, expr)
    return tuple(found.items())


def _agreed(parts: Sequence[Kernel], inames: frozenset[str]) -> tuple[tuple[str, Expr], ...]:
    """What replaced loops mean, where the parts agree on it."""
    meanings: dict[str, set[Expr]] = {}
    for part in parts:
        for old, expr in part.rewrites:
            meanings.setdefault(old, set()).add(expr)
    return tuple((old, next(iter(found))) for old, found in meanings.items() if len(found) == 1 and old not in inames)
