"""What names mean in a program unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fortrancl.frontend.problems import Refused
from fortrancl.ir.expr import Literal_
from fortrancl.ir.kernel import Dim, Intent
from fortrancl.ir.types import ScalarType
from fortrancl.source import Span

ArrayForm = Literal["explicit", "assumed_size", "assumed_shape"]


@dataclass(frozen=True)
class Variable:
    """A dummy or local variable. ``dims`` is None for a scalar. ``default_kind``: no kind was given."""

    name: str
    type: ScalarType
    dims: tuple[Dim, ...] | None = None
    form: ArrayForm = "explicit"
    is_dummy: bool = False
    intent: Intent | None = None
    attributes: frozenset[str] = frozenset()
    default_kind: bool = False
    implicit: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Constant:
    """A scalar ``parameter``."""

    name: str
    value: Literal_


@dataclass(frozen=True)
class ConstantArray:
    """An array ``parameter``; ``values`` in element order."""

    name: str
    type: ScalarType
    dims: tuple[Dim, ...]
    values: tuple[Literal_, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class ExternalProcedure:
    """A name known to be a procedure."""

    name: str


@dataclass(frozen=True)
class Unusable:
    """A name that is declared as something not supported; ``why`` makes the refusal for the place of a use."""

    name: str
    code: str
    message: str
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    def refuse(self, span: Span | None) -> Refused:
        """The refusal of a use."""
        return Refused(self.code, self.message, span, notes=self.notes, hints=self.hints)


Entity: TypeAlias = Variable | Constant | ConstantArray | ExternalProcedure | Unusable


@dataclass
class ImplicitRules:
    """Types by first letter; ``none`` after IMPLICIT NONE."""

    none: bool = False
    letters: dict[str, tuple[ScalarType, bool]] = field(default_factory=dict)

    def type_of(self, name: str, default_integer: int, default_real: int) -> tuple[ScalarType, bool] | None:
        """(type, whether it is the default kind), or None under IMPLICIT NONE."""
        if self.none:
            return None
        letter = name[0].lower()
        if letter in self.letters:
            return self.letters[letter]
        if "i" <= letter <= "n":
            return ScalarType("integer", default_integer), True
        return ScalarType("real", default_real), True


class Scope:
    """Names of one program unit over those of the unit round it and of the modules it uses. Look-ups ignore case."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.parent = parent
        self.entities: dict[str, Entity] = {}
        self.implicit = ImplicitRules()
        # Modules used whole whose text was not found: a name may come from there.
        self.unknown_modules: list[str] = []

    def add(self, entity: Entity) -> None:
        """Enter a name of this unit."""
        self.entities[entity.name.lower()] = entity

    def find(self, name: str) -> Entity | None:
        """What a declared name means, here or in a unit round this one."""
        found = self.entities.get(name.lower())
        if found is None and self.parent is not None:
            return self.parent.find(name)
        return found

    @property
    def known_names(self) -> Iterable[str]:
        """Declared spellings of names that can be used, for hints."""
        yield from (entity.name for entity in self.entities.values() if not isinstance(entity, Unusable))
        if self.parent is not None:
            yield from self.parent.known_names

    def modules_not_found(self) -> list[str]:
        """Names of modules that may hold what is not declared here."""
        return [*self.unknown_modules, *(self.parent.modules_not_found() if self.parent is not None else ())]


Resolver = Callable[[str, Span], Entity]
"""The meaning of a name at a place; refuses unknown ones."""
