"""The structured code of one launch: what is left to do is only to spell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fortrancl.ir.expr import Expr
from fortrancl.ir.kernel import Guard


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


CodeNode: TypeAlias = Execute | For | Branch | Synchronise


def lane_name(kind: str, axis: int) -> str:
    """The name that conditions and bounds use for a hardware number (``@g0``: group 0, ``@l1``: work-item 1)."""
    return f"@{kind}{axis}"
