"""What the host must do to run a kernel: which launches, how large, with which parameters, in which order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from fortrancl.analysis.bounds import CopyRange
from fortrancl.ir.expr import Expr
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.types import ScalarType
from fortrancl.schedule.nodes import CodeNode


@dataclass(frozen=True)
class DeviceBuffer:
    """A ``__global`` pointer parameter, followed in the OpenCL signature by its element offset (``long``).

    ``origin``: an array dummy; a scalar dummy that the kernel writes (one element); or a temporary kept in global
    memory between launches, whose ``element_count`` is an integer(8) expression over the parameters.
    """

    name: str
    type: ScalarType
    read: bool
    written: bool
    origin: Literal["array_argument", "scalar_argument", "temporary"]
    element_count: Expr | None = None


@dataclass(frozen=True)
class DeviceScalar:
    """A by-value parameter: a scalar dummy, an extent parameter, or the variable of a host loop."""

    name: str
    type: ScalarType
    origin: Literal["argument", "extent", "host_loop"]


DeviceParameter: TypeAlias = DeviceBuffer | DeviceScalar


@dataclass(frozen=True)
class Launch:
    """One OpenCL kernel launch.

    ``group_counts`` are integer(8) expressions over parameters and host-loop variables; where any is ≤ 0 nothing runs.
    ``code`` is what each work-item does.
    """

    function: str
    parameters: tuple[DeviceParameter, ...]
    group_size: tuple[int, int, int]
    group_counts: tuple[Expr, Expr, Expr]
    code: tuple[CodeNode, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class HostLoop:
    """A sequential loop round global barriers: the host runs it, ``lower`` … ``upper`` inclusive, step 1."""

    iname: str
    lower: Expr
    upper: Expr
    body: tuple[HostNode, ...]


@dataclass(frozen=True)
class HostIf:
    """Launches that only some parameter values need."""

    condition: Expr
    body: tuple[HostNode, ...]


HostNode: TypeAlias = Launch | HostLoop | HostIf


@dataclass(frozen=True)
class Repacked:
    """An argument whose elements the kernel sees in another array: ``range`` is what is copied between them."""

    argument: str
    temporary: str
    range: CopyRange


@dataclass(frozen=True)
class LaunchPlan:
    """The whole kernel as the host sees it; ``kernel`` is final: lanes, address spaces and barriers are decided.

    ``repacked`` arguments occur in ``body`` only, in launches that copy them.
    """

    kernel: Kernel
    body: tuple[HostNode, ...]
    repacked: tuple[Repacked, ...] = ()


def launches(nodes: tuple[HostNode, ...]) -> tuple[Launch, ...]:
    """All launches in program order."""
    result: list[Launch] = []
    for node in nodes:
        if isinstance(node, Launch):
            result.append(node)
        else:
            result.extend(launches(node.body))
    return tuple(result)
