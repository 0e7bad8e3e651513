"""The structured code of one launch: what is left to do is only to spell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fortrancl.ir.expr import Expr, Subscript
from fortrancl.ir.kernel import Dim, Guard


@dataclass(frozen=True, slots=True)
class Execute:
    """One statement, all its conditions tested."""

    statement: str


@dataclass(frozen=True, slots=True)
class For:
    """``iname`` = start … stop−1; ``unroll`` asks the OpenCL compiler to write all iterations out."""

    iname: str
    start: Expr
    stop: Expr
    body: tuple[CodeNode, ...]
    unroll: bool = False


@dataclass(frozen=True, slots=True)
class Branch:
    """``conditions`` (all must hold): integer tests over inames, lanes and parameters, and logical temporaries."""

    conditions: tuple[Expr | Guard, ...]
    body: tuple[CodeNode, ...]
    otherwise: tuple[CodeNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Synchronise:
    """A work-group barrier; ``fences`` names the memories it orders (``local``, ``global``)."""

    fences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repack:
    """One element of an argument copied to or from the array that holds it in another layout.

    Work-item m (of the whole grid) takes declared element ``first`` + m, column-major, up to ``last``, and leaves out
    those whose first subscript is not in ``rows``. ``target`` and ``value`` are over `element_name`, the declared
    subscripts.
    """

    first: Expr
    last: Expr
    rows: tuple[Expr, Expr] | None
    shape: tuple[Dim, ...]
    target: Subscript
    value: Subscript


CodeNode: TypeAlias = Execute | For | Branch | Synchronise | Repack


def element_name(axis: int) -> str:
    """The name that a `Repack` uses for a declared subscript."""
    return f"@e{axis}"


def lane_name(kind: str, axis: int) -> str:
    """The name that conditions and bounds use for a hardware number (``@g0``: group 0, ``@l1``: work-item 1)."""
    return f"@{kind}{axis}"
