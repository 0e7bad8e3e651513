"""A small tree for C: expressions that know their precedence, statements, functions, files.

Nothing here knows Fortran or OpenCL. `render` prints it; parentheses come from the numbers below and from nothing
else, so the tree that is built is the tree that a C compiler reads back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

PRIMARY = 16
UNARY = 14
CONDITIONAL = 3

BINARY_PRECEDENCE: dict[str, int] = {
    "*": 13, "/": 13, "%": 13,
    "+": 12, "-": 12,
    "<<": 11, ">>": 11,
    "<": 10, "<=": 10, ">": 10, ">=": 10,
    "==": 9, "!=": 9,
    "&": 8, "^": 7, "|": 6,
    "&&": 5, "||": 4,
}  # fmt: skip
"""C99's binary operators (6.5.5–6.5.14); all associate to the left."""


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A constant as it stands in C, its suffix included; it may begin with a minus sign."""

    text: str


@dataclass(frozen=True, slots=True)
class Unary:
    """``-x``, ``!x``, ``~x``, ``*x``, ``&x``."""

    op: Literal["-", "!", "~", "*", "&"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two operands."""

    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """``condition ? yes : no``."""

    condition: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True, slots=True)
class Cast:
    """``(type)operand``."""

    type: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A function by name."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """``array[index]``."""

    array: Expression
    index: Expression


Expression: TypeAlias = Name | Number | Unary | Binary | Conditional | Cast | Call | Index


@dataclass(frozen=True, slots=True)
class Declare:
    """``type name[length] = value;``: qualifiers are part of ``type``."""

    type: str
    name: str
    value: Expression | None = None
    length: Expression | None = None
    values: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Assign:
    """``target op value;`` where op is ``=`` or ``+=``; ``comment`` stands at the end of the line."""

    target: Expression
    value: Expression
    op: str = "="
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Do:
    """An expression for its effect."""

    expression: Expression
    comment: str = ""


@dataclass(frozen=True, slots=True)
class For:
    """``for (type name = start; name < stop; ++name)``, with lines (pragmas) before it."""

    type: str
    name: str
    start: Expression
    stop: Expression
    body: tuple[Statement, ...]
    pragma: str = ""


@dataclass(frozen=True, slots=True)
class If:
    """A branch."""

    condition: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment:
    """A line of its own for a reader."""

    text: str


Statement: TypeAlias = Declare | Assign | Do | For | If | Comment


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function."""

    type: str
    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function; ``heading`` holds everything before its name (``__kernel … void``)."""

    heading: str
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """Lines taken as they are: preprocessor directives and library functions."""

    text: str


@dataclass(frozen=True, slots=True)
class File:
    """Functions, text and declarations, in order, with a blank line between."""

    items: tuple[Function | Text | Declare, ...]


def precedence(expression: Expression) -> int:
    """How tightly the outermost operator binds (a larger number is tighter).

    >>> precedence(Binary("+", Name("a"), Name("b"))) < precedence(Unary("-", Name("a")))
    True
    """
    if isinstance(expression, Binary):
        return BINARY_PRECEDENCE[expression.op]
    if isinstance(expression, Conditional):
        return CONDITIONAL
    if isinstance(expression, Unary | Cast) or (isinstance(expression, Number) and expression.text.startswith("-")):
        return UNARY
    return PRIMARY
