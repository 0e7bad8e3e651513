"""The values of a script: Python's plain ones, sets that keep their order, functions, and kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSet, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from fortrancl.ir.kernel import Argument, Kernel, Statement, Temporary
from fortrancl.script.faults import Fault, went_wrong
from fortrancl.script.limits import Limits

Value: TypeAlias = Any
"""One of: None, bool, int, float, str, list, tuple, dict, range, `ScriptSet`, `FrozenScriptSet`, `Kernel`,
`Statement`, `Argument`, `Temporary`, `TranslationUnit`, `Namespace`, `BoundMethod`, `Builtin`, `ScriptFunction`,
or a library function. Checked where it matters, at the borders."""

_MAX_NESTING = 60
_MAX_PARTS = 200_000


class Caller(Protocol):
    """What builtins and methods need of the interpreter: its account, and a way to call the script's functions."""

    @property
    def limits(self) -> Limits: ...

    def call(self, function: Value, arguments: tuple[Value, ...]) -> Value:
        """The value of ``function(*arguments)``."""


class FrozenScriptSet(Set[Any]):
    """``frozenset`` in scripts: iterates in the order of insertion, so that two runs do the same."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return self._hash()

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self._items))
        return f"{{{inside}}}" if inside else "set()"


class ScriptSet(MutableSet[Any]):
    """``set`` in scripts; ordered like `FrozenScriptSet`."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self._items))
        return f"{{{inside}}}" if inside else "set()"

    def add(self, value: Any) -> None:
        self._items[value] = None

    def discard(self, value: Any) -> None:
        self._items.pop(value, None)


@dataclass(frozen=True)
class Namespace:
    """A name with members: ``lp`` itself, and ``lp.AddressSpace``."""

    name: str
    members: dict[str, Value] = field(repr=False)


@dataclass(frozen=True)
class BoundMethod:
    """A method of a value, from the list in `methods`."""

    name: str
    call: Callable[..., Value] = field(repr=False)
    takes_nothing: bool = False


@dataclass(frozen=True)
class Builtin:
    """One of Python's own functions; ``call`` gets the interpreter first, then positional and named arguments."""

    name: str
    call: Callable[..., Value] = field(repr=False)


CONTAINERS = (list, tuple, dict, ScriptSet, FrozenScriptSet)
SCALARS = (bool, int, float, str, type(None))

_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "True or False"),
    (str, "a string"),
    (int, "an integer"),
    (float, "a real number"),
    (list, "a list"),
    (tuple, "a tuple"),
    (dict, "a dictionary"),
    (range, "a range"),
    (ScriptSet, "a set"),
    (FrozenScriptSet, "a set"),
    (Kernel, "a kernel"),
    (Statement, "a statement"),
    (Argument, "an argument of a kernel"),
    (Temporary, "a temporary of a kernel"),
    (Namespace, "a namespace"),
    (BoundMethod, "a method"),
    (Builtin, "a function"),
)


def kind_of(value: Value) -> str:
    """What a value is, with its article, for messages."""
    if value is None:
        return "None"
    for kind, name in _KINDS:
        if isinstance(value, kind):
            return name
    return str(getattr(type(value), "KIND", "a value"))


def is_plain(value: Value) -> bool:
    """Numbers, strings, None, and containers (whatever is in them)."""
    return isinstance(value, (*SCALARS, *CONTAINERS, range))


def measure(value: Value, limits: Limits) -> int:
    """Number of parts of a value, all levels; charges for the walk.

    Containers may share parts, so a small one can be huge to whoever walks it (compares, hashes, prints it): every
    such operation asks here first. Errors: FCL215 and FCL216.
    """
    if not isinstance(value, CONTAINERS):
        return _weight(value)
    parts = 0
    stack: list[tuple[Value, int]] = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        parts += _weight(item)
        if parts > _MAX_PARTS:
            raise Fault("FCL215", f"a value has more than {_MAX_PARTS:,} parts")
        if not isinstance(item, CONTAINERS):
            continue
        if depth >= _MAX_NESTING:
            raise Fault("FCL216", f"a value is nested more than {_MAX_NESTING} levels deep")
        if len(item) > _MAX_PARTS - parts:
            raise Fault("FCL215", f"a value has more than {_MAX_PARTS:,} parts")
        stack.extend((part, depth + 1) for part in item)
        if isinstance(item, dict):
            stack.extend((part, depth + 1) for part in item.values())
    limits.step(parts // 4)
    return parts


def _weight(value: Value) -> int:
    return 1 + len(value) // 64 if isinstance(value, str) else 1


def text_of(value: Value, limits: Limits, *, quoted: bool = False) -> str:
    """``str(value)`` (``repr`` if quoted) of a plain value. Errors: FCL209 for others."""
    size = measure(value, limits)
    _only_plain(value)
    limits.text(64 * size)
    return repr(value) if quoted else str(value)


def _only_plain(value: Value) -> None:
    stack = [value]
    while stack:
        item = stack.pop()
        if not is_plain(item):
            raise went_wrong(f"{kind_of(item)} has no text")
        if isinstance(item, CONTAINERS):
            stack.extend(item)
        if isinstance(item, dict):
            stack.extend(item.values())


def short_text(value: Value) -> str:
    """A value in a few characters, for notes; what it is where it has no short text."""
    if isinstance(value, (*SCALARS, *CONTAINERS, range)):
        try:
            text = text_of(value, Limits(), quoted=True)
        except Fault:
            return kind_of(value)
        return text if len(text) <= 60 else text[:57] + "..."
    return kind_of(value)


def key(value: Value, limits: Limits) -> Value:
    """The value, fit to be a key or a set's element. Errors: FCL209."""
    measure(value, limits)
    try:
        hash(value)
    except TypeError:
        raise went_wrong(f"{kind_of(value)} cannot be a key or in a set") from None
    return value


def iterate(value: Value, limits: Limits) -> Iterator[Value]:
    """The elements of a finite thing, one step each. Errors: FCL209."""
    own = getattr(type(value), "script_elements", None)
    if own is not None:
        value = own(value)
    if not isinstance(value, (*CONTAINERS, range, str)):
        raise went_wrong(f"{kind_of(value)} has no elements to go through")
    if not isinstance(value, range):
        limits.step(len(value) // 16)
    # A copy: the body of the loop may change the list.
    for item in value if isinstance(value, (range, str, tuple)) else list(value):
        limits.step()
        yield item


def elements(value: Value, limits: Limits) -> list[Value]:
    """All elements of a finite thing, as a new list."""
    if isinstance(value, (*CONTAINERS, range, str)):
        limits.items(len(value))
    return list(iterate(value, limits))
