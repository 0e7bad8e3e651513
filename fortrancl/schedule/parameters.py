"""Which arguments, extents and temporaries one launch's function takes, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fortrancl.analysis.accesses import accesses
from fortrancl.analysis.lanes import storage_space
from fortrancl.ir.expr import Expr, Subscript, Var, walk
from fortrancl.ir.kernel import Kernel, Temporary
from fortrancl.ir.layout import storage_elements, strides
from fortrancl.ir.types import INTEGER8
from fortrancl.schedule.nodes import Branch, CodeNode, Execute, For
from fortrancl.schedule.plan import DeviceBuffer, DeviceParameter, DeviceScalar


def executed(code: Iterable[CodeNode]) -> Iterator[str]:
    """Statement ids in the code, in order (an unrolled tile repeats its own)."""
    for node in code:
        if isinstance(node, Execute):
            yield node.statement
        elif isinstance(node, For):
            yield from executed(node.body)
        elif isinstance(node, Branch):
            yield from executed(node.body)
            yield from executed(node.otherwise)


def code_expressions(code: Iterable[CodeNode]) -> Iterator[Expr]:
    """Bounds and integer tests in the code."""
    for node in code:
        if isinstance(node, For):
            yield node.start
            yield node.stop
            yield from code_expressions(node.body)
        elif isinstance(node, Branch):
            for condition in node.conditions:
                if isinstance(condition, Expr):
                    yield condition
                else:
                    yield from condition.indices
            yield from code_expressions(node.body)
            yield from code_expressions(node.otherwise)


def launch_parameters(
    kernel: Kernel, code: tuple[CodeNode, ...], loops: tuple[str, ...]
) -> tuple[DeviceParameter, ...]:
    """Dummies in the Fortran order or the script's, extents, temporaries in global memory, host loops' variables."""
    statements = set(executed(code))
    read = {a.array for a in accesses(kernel) if a.statement in statements and not a.is_write}
    written = {a.array for a in accesses(kernel) if a.statement in statements and a.is_write}
    names = _mentioned(kernel, code, statements)
    result: list[DeviceParameter] = []
    for argument in kernel.arguments:
        name = argument.name
        if argument.shape or name in kernel.written:
            if name in read or name in written:
                used = (name in read, name in written)
                if argument.shape:
                    result.append(DeviceBuffer(name, argument.type, *used, "array_argument"))
                else:
                    result.append(DeviceBuffer(name, argument.type, *used, "scalar_argument"))
        elif name in names:
            result.append(DeviceScalar(name, argument.type, "argument"))
    place = {name: number for number, name in enumerate(kernel.device_order)}
    result.sort(key=lambda parameter: place.get(parameter.name, 0))
    result.extend(DeviceScalar(e.name, INTEGER8, "extent") for e in kernel.extents if e.name in names)
    for temporary in kernel.temporaries:
        name = temporary.name
        if (name in read or name in written) and is_global(kernel, temporary):
            count = storage_elements(temporary)
            result.append(DeviceBuffer(name, temporary.type, name in read, name in written, "temporary", count))
    result.extend(DeviceScalar(name, INTEGER8, "host_loop") for name in loops if name in names)
    return tuple(result)


def is_global(kernel: Kernel, temporary: Temporary) -> bool:
    """Whether a temporary is a buffer that the host allocates."""
    return not temporary.values and storage_space(kernel, temporary) == "global"


def _mentioned(kernel: Kernel, code: tuple[CodeNode, ...], statements: set[str]) -> set[str]:
    """Scalars that the function's text names: in values, subscripts, bounds, tests and array extents."""
    expressions: list[Expr] = list(code_expressions(code))
    for statement in (s for s in kernel.statements if s.id in statements):
        expressions += [statement.target, statement.value]
        expressions += [index for guard in statement.guards for index in guard.indices]
    found: set[str] = set()
    waiting = expressions
    arrays: set[str] = set()
    while waiting:
        for node in walk(waiting.pop()):
            if isinstance(node, Var):
                found.add(node.name)
            elif isinstance(node, Subscript) and node.array not in arrays:
                arrays.add(node.array)
                waiting.extend(strides(kernel.declaration(node.array)))
    return found
