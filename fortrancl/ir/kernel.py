"""The kernel: one subroutine in the IR, immutable; every change makes a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

from fortrancl.ir.expr import Expr, Literal_, Subscript, Var
from fortrancl.ir.tree import Block, statement_paths
from fortrancl.ir.types import INTEGER4, INTEGER8, LOGICAL4, ScalarType
from fortrancl.poly import Set
from fortrancl.source import Span

AddressSpace = Literal["auto", "private", "local", "global"]
Intent = Literal["in", "out", "inout"]


@dataclass(frozen=True)
class Dim:
    """One declared dimension: Fortran lower bound and extent, over scalar arguments and extent parameters.

    ``extent`` is None for the last dimension of an assumed-size array (``x(*)``, and ``x(1)`` as last dimension of a
    dummy, which old Fortran writes for the same). Subscripts in the IR are already 0-based: ``lower`` serves
    diagnostics.
    """

    lower: Expr
    extent: Expr | None


@dataclass(frozen=True)
class AxisPlace:
    """Where one axis of an array lies in memory: ``rank`` 0 varies fastest, and a vector axis faster still.

    ``stride``: elements from one index to the next, where it is told instead of following from the faster axes.
    ``multiple``: the stride is rounded up to it.
    """

    rank: int = 0
    is_vector: bool = False
    stride: int | None = None
    multiple: int = 1


@dataclass(frozen=True)
class AxisSplit:
    """Axis ``axis`` (0-based, of the shape at that time) became two of which the inner has ``count`` elements.

    Order ``C``: outer axis first, ``F``: inner axis first.
    """

    axis: int
    count: int
    order: Literal["C", "F"] = "C"


@dataclass(frozen=True)
class Argument:
    """A dummy argument, never dropped, in the Fortran order. A scalar has no ``shape``.

    ``shape`` has the axes that subscripts have; where axes were split, ``declared`` is the Fortran's shape and
    ``splits`` says how one became the other, in order. ``layout`` is the memory that device code sees, () for
    column-major: a launcher copies elements there and back (`ir.layout`, `schedule.repack`).
    """

    name: str
    type: ScalarType
    shape: tuple[Dim, ...] = ()
    intent: Intent | None = None
    form: Literal["explicit", "assumed_size", "assumed_shape"] = "explicit"
    by_value: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    axis_names: tuple[str, ...] = ()
    layout: tuple[AxisPlace, ...] = ()
    declared: tuple[Dim, ...] = ()
    splits: tuple[AxisSplit, ...] = ()


@dataclass(frozen=True)
class ExtentParameter:
    """An integer(8) size that no dummy holds: the extent of declared axis ``axis`` (0-based) of an assumed-shape
    dummy."""

    name: str
    array: str
    axis: int


@dataclass(frozen=True)
class Temporary:
    """A local scalar or array.

    ``private_to``: inames whose every iteration has its own value (design section 5, point 0); for dependences the
    accesses carry them as extra subscripts, the storage does not have them. ``values``: constants of a ``parameter``
    array, in element order. ``origin``: what made it (``fortran``, ``guard``, ``bound``, ``fetch``, ``buffer``,
    ``repack``). ``layout``: its memory, () for column-major.
    ``base``: the name of the storage that it shares with all temporaries of that base (None: its own).
    """

    name: str
    type: ScalarType
    shape: tuple[Dim, ...] = ()
    private_to: tuple[str, ...] = ()
    address_space: AddressSpace = "auto"
    values: tuple[Literal_, ...] = ()
    origin: str = "fortran"
    base: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)
    axis_names: tuple[str, ...] = ()
    layout: tuple[AxisPlace, ...] = ()


Declaration: TypeAlias = Argument | Temporary


@dataclass(frozen=True)
class Tag:
    """What a loop becomes: ``g`` and ``l`` with an axis, ``l.auto`` (axis None), ``unr``, ``for``."""

    kind: Literal["g", "l", "unr", "for"]
    axis: int | None = None

    def __str__(self) -> str:
        if self.kind in ("g", "l"):
            return f"{self.kind}.{'auto' if self.axis is None else self.axis}"
        return self.kind

    @property
    def is_lane(self) -> bool:
        """Whether the iname leaves the tree (``l.auto`` stays a loop until the script ends)."""
        return self.kind in ("g", "l") and self.axis is not None


@dataclass(frozen=True)
class Iname:
    """A loop variable, 0 … trip−1, and how to say its value in Fortran: ``variable = start + step * iname``.

    ``trip``: for a loop whose bound is data (a CSR row), the integer temporary that holds the trip count, assigned by
    a statement before the loop; instances then have only ``iname >= 0`` in their domains. None where the domain says
    it all. ``variable`` is None for inames that transformations make.
    """

    name: str
    tag: Tag | None = None
    trip: str | None = None
    variable: str | None = None
    start: Expr | None = None
    step: int = 1
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Guard:
    """The statement runs only where logical temporary ``name`` equals ``value``."""

    name: str
    value: bool = True
    indices: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Statement:
    """One assignment. Its instances are the points of ``domain`` (over ``inames`` and parameters).

    ``inames`` lists all loops round it, outermost first as written, tagged ones included. Affine conditions narrow
    ``domain``; others are ``guards``. ``atomic``: the update is one indivisible operation. ``reassociable``: the order
    among updates ``x = x op e`` of one element may change.
    """

    id: str
    target: Var | Subscript
    value: Expr
    inames: tuple[str, ...]
    domain: Set = field(compare=False)
    guards: tuple[Guard, ...] = ()
    tags: frozenset[str] = frozenset()
    atomic: bool = False
    reassociable: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def where(self) -> str:
        """How messages name it: its line, or the id of a statement that a step made."""
        return f"line {self.span.line}" if self.span is not None else f"statement {self.id}"

    @property
    def target_name(self) -> str:
        """The variable written."""
        return self.target.array if isinstance(self.target, Subscript) else self.target.name

    def assignee_var_names(self) -> tuple[str, ...]:
        """Names written (the peer's spelling, kept for scripts)."""
        return (self.target_name,)


@dataclass(frozen=True)
class Rule:
    """A substitution rule: a named expression with parameters; it may use inames freely."""

    name: str
    parameters: tuple[str, ...]
    body: Expr


@dataclass(frozen=True)
class FixedParameter:
    """A scalar argument set to a constant by the script; the launcher checks the actual value."""

    name: str
    value: Literal_


@dataclass(frozen=True)
class Note:
    """Something the user should know about a step (an implied permission, a relaxed order); a warning if the program
    is likely not what was wanted."""

    message: str
    span: Span | None = field(default=None, compare=False, repr=False)
    is_warning: bool = False


@dataclass(frozen=True)
class Kernel:
    """One subroutine: declarations, statements, loop tree, and what the user vouched for.

    ``assumptions`` is a set over the parameters (integer scalar arguments never written, extent parameters).
    ``promised_extents``: element counts of assumed-size arrays by ``lp.assume_extent``. ``rewrites``: what each iname
    that steps replaced means in today's inames, and ``retired`` keeps those inames so that diagnostics can speak of
    Fortran's do-variables. ``origin``: the procedures it was made of, each as ``procedure`` or ``module::procedure``,
    in lower case. ``device_order``: arguments in the order of the device functions' parameters, () for the Fortran's.
    """

    name: str
    arguments: tuple[Argument, ...]
    temporaries: tuple[Temporary, ...]
    inames: tuple[Iname, ...]
    statements: tuple[Statement, ...]
    tree: Block
    extents: tuple[ExtentParameter, ...] = ()
    rules: tuple[Rule, ...] = ()
    assumptions: Set = field(default_factory=Set.universe, compare=False)
    fixed: tuple[FixedParameter, ...] = ()
    promised_extents: tuple[tuple[str, Expr], ...] = ()
    injective: frozenset[str] = frozenset()
    rewrites: tuple[tuple[str, Expr], ...] = ()
    retired: tuple[Iname, ...] = ()
    notes: tuple[Note, ...] = ()
    origin: tuple[str, ...] = ()
    device_order: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)

    # -- look-up ------------------------------------------------------------------------------------------------
    @cached_property
    def argument_by_name(self) -> Mapping[str, Argument]:
        return {argument.name: argument for argument in self.arguments}

    @cached_property
    def temporary_by_name(self) -> Mapping[str, Temporary]:
        return {temporary.name: temporary for temporary in self.temporaries}

    @cached_property
    def temporaries_by_base(self) -> Mapping[str, tuple[Temporary, ...]]:
        """Temporaries that share storage, by the storage's name."""
        found: dict[str, tuple[Temporary, ...]] = {}
        for temporary in self.temporaries:
            if temporary.base is not None:
                found[temporary.base] = (*found.get(temporary.base, ()), temporary)
        return found

    @cached_property
    def iname_by_name(self) -> Mapping[str, Iname]:
        return {iname.name: iname for iname in self.inames}

    @cached_property
    def statement_by_id(self) -> Mapping[str, Statement]:
        return {statement.id: statement for statement in self.statements}

    @cached_property
    def rule_by_name(self) -> Mapping[str, Rule]:
        return {rule.name: rule for rule in self.rules}

    @cached_property
    def paths(self) -> Mapping[str, tuple[tuple[int, ...], tuple[str, ...]]]:
        """For each statement its path in the tree and the Loops round it."""
        return statement_paths(self.tree)

    @cached_property
    def written(self) -> frozenset[str]:
        """Variables that some statement assigns."""
        return frozenset(statement.target_name for statement in self.statements)

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names constant during the kernel that bounds and subscripts may use: integer scalar arguments that are never
        written, then extent parameters."""
        scalars = (a.name for a in self.arguments if not a.shape and a.type.base == "integer")
        return (*(name for name in scalars if name not in self.written), *(e.name for e in self.extents))

    def declaration(self, name: str) -> Declaration:
        """The argument or temporary of that exact name. Raises `KeyError`."""
        found = self.argument_by_name.get(name) or self.temporary_by_name.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def scalar_type(self, name: str) -> ScalarType:
        """Type of a ``Var``: a declaration's, integer(4) for inames, integer(8) for extent parameters."""
        found = self.argument_by_name.get(name) or self.temporary_by_name.get(name)
        if found is not None:
            return found.type
        return INTEGER8 if any(extent.name == name for extent in self.extents) else INTEGER4

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name in use, lower case: new names must avoid them."""
        groups: Iterable[Iterable[str]] = (
            (a.name for a in self.arguments),
            (t.name for t in self.temporaries),
            (i.name for i in self.inames),
            (e.name for e in self.extents),
            (r.name for r in self.rules),
            (t.base for t in self.temporaries if t.base is not None),
        )
        return frozenset(name.lower() for group in groups for name in group)

    def fresh_name(self, wanted: str, also_taken: Iterable[str] = ()) -> str:
        """``wanted``, or ``wanted_0``, ``wanted_1`` … where it is taken (design section 4.2)."""
        taken = self.names | {name.lower() for name in also_taken}
        if wanted.lower() not in taken:
            return wanted
        number = 0
        while f"{wanted}_{number}".lower() in taken:
            number += 1
        return f"{wanted}_{number}"

    def fresh_statement_id(self, wanted: str, also_taken: Iterable[str] = ()) -> str:
        """An unused statement id, made like `fresh_name`."""
        taken = {*self.statement_by_id, *also_taken}
        if wanted not in taken:
            return wanted
        number = 0
        while f"{wanted}_{number}" in taken:
            number += 1
        return f"{wanted}_{number}"

    # -- change -------------------------------------------------------------------------------------------------
    def with_statements(self, changed: Mapping[str, Statement]) -> Kernel:
        """Statements replaced by id (the tree is not touched)."""
        return replace(self, statements=tuple(changed.get(s.id, s) for s in self.statements))

    def all_inames(self) -> frozenset[str]:
        """Names of all inames (for scripts)."""
        return frozenset(self.iname_by_name)


def guard_temporary(name: str, private_to: tuple[str, ...], span: Span | None) -> Temporary:
    """The logical temporary that holds a condition evaluated once (design section 4)."""
    return Temporary(name, LOGICAL4, private_to=private_to, origin="guard", span=span)
