"""The arguments of one call, each with the part of the script it came from."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from fortrancl.diagnostics import did_you_mean
from fortrancl.script.faults import Fault
from fortrancl.script.values import Value


@dataclass(frozen=True)
class Given:
    """A value and the expression that it is the value of."""

    value: Value
    node: ast.expr


@dataclass(frozen=True)
class Parameter:
    """One parameter of a function: ``needed`` if it has no default."""

    name: str
    needed: bool
    by_position: bool = True


@dataclass(frozen=True)
class Arguments:
    """Arguments in the order given."""

    positional: tuple[Given, ...]
    named: Mapping[str, Given]

    @property
    def values(self) -> tuple[Value, ...]:
        """Positional values."""
        return tuple(given.value for given in self.positional)

    @property
    def named_values(self) -> dict[str, Value]:
        """Named values."""
        return {name: given.value for name, given in self.named.items()}


def bind(
    function: str, arguments: Arguments, parameters: Iterable[Parameter], *, rest: str | None, named_rest: str | None
) -> tuple[dict[str, Given], list[Given], dict[str, Given]]:
    """Which parameter gets which argument; then what ``*rest`` and ``**named_rest`` take.

    Errors: FCL206, at the argument too many, unknown or given twice.
    """
    parameters = list(parameters)
    places = [parameter.name for parameter in parameters if parameter.by_position]
    bound = dict(zip(places, arguments.positional, strict=False))
    extra = list(arguments.positional[len(places) :])
    if extra and rest is None:
        most = f"{len(places)} argument{'' if len(places) == 1 else 's'}"
        raise Fault("FCL206", f"'{function}' takes at most {most} by position", node=extra[0].node)
    others: dict[str, Given] = {}
    known = [parameter.name for parameter in parameters]
    for name, given in arguments.named.items():
        if name in bound:
            raise Fault("FCL206", f"'{function}' gets '{name}' twice", node=given.node)
        if name in known:
            bound[name] = given
        elif named_rest is not None:
            others[name] = given
        else:
            raise Fault(
                "FCL206",
                f"'{function}' has no argument '{name}'",
                node=given.node,
                notes=(f"its arguments are {', '.join(known)}",) if known else (),
                hints=did_you_mean(name, known),
            )
    missing = [f"'{parameter.name}'" for parameter in parameters if parameter.needed and parameter.name not in bound]
    if missing:
        raise Fault("FCL206", f"'{function}' needs {' and '.join(missing)}")
    return bound, extra, others
