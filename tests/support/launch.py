"""Run launch plans on PoCL through pyopencl, as the generated launcher would."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fortrancl.ir.expr import Expr, Subscript, Var
from fortrancl.ir.kernel import Argument, Guard, Iname, Kernel, Statement, Tag, Temporary
from fortrancl.ir.text import parse_expression
from fortrancl.ir.tree import Barrier, Block, Loop, Node, Run
from fortrancl.poly import Set
from fortrancl.schedule.plan import DeviceBuffer, HostIf, HostLoop, Launch, LaunchPlan
from fortrancl.target.host_expressions import host_integer_expression
from fortrancl.target.opencl import DeviceProgram, generate

DTYPES = {
    ("integer", 1): np.int8,
    ("integer", 2): np.int16,
    ("integer", 4): np.int32,
    ("integer", 8): np.int64,
    ("real", 4): np.float32,
    ("real", 8): np.float64,
    ("logical", 1): np.int8,
    ("logical", 2): np.int16,
    ("logical", 4): np.int32,
    ("logical", 8): np.int64,
}
GUARD = 3
"""Elements before and after each buffer that must not change; so offsets are never 0."""


def make_kernel(
    declarations: list[Argument | Temporary],
    statements: list[tuple[str, str, str, str, str]],
    tree: list[Any],
    tags: Mapping[str, Tag] | None = None,
    *,
    guards: Mapping[str, tuple[Guard, ...]] | None = None,
    inames: tuple[Iname, ...] = (),
    name: str = "k",
    atomic: frozenset[str] = frozenset(),
    **options: Any,
) -> Kernel:
    """A kernel from texts: each statement is (id, target, value, inames, domain in isl's syntax); the tree is nested
    lists, ``["k", "s0", ["j", "s1"]]`` inside being a loop over k, and ``"|"``, ``"||"`` local and global barriers."""
    arguments = tuple(d for d in declarations if isinstance(d, Argument))
    temporaries = tuple(d for d in declarations if isinstance(d, Temporary))
    known = {iname.name: iname for iname in inames}
    found = dict.fromkeys(n for s in statements for n in s[3].split())
    tagged = tuple(replace(known.get(n, Iname(n)), tag=(tags or {}).get(n)) for n in found)
    empty = Kernel(name, arguments, temporaries, tagged, (), Block(()), **options)
    names = [*found, *(a.name for a in arguments if not a.shape and a.type.base == "integer")]
    made = tuple(
        Statement(
            id,
            _target(parse_expression(target, empty)),
            parse_expression(value, empty),
            tuple(loops.split()),
            Set.parse(domain, names) if domain else Set.universe(),
            guards=(guards or {}).get(id, ()),
            atomic=id in atomic,
        )
        for id, target, value, loops, domain in statements
    )
    return replace(empty, statements=made, tree=_block(tree))


def _target(expr: Expr) -> Var | Subscript:
    assert isinstance(expr, Var | Subscript)
    return expr


def _block(items: list[Any]) -> Block:
    nodes: list[Node] = []
    for item in items:
        if isinstance(item, list):
            nodes.append(Loop(item[0], _block(item[1:])))
        elif item in ("|", "||"):
            nodes.append(Barrier("local" if item == "|" else "global"))
        else:
            nodes.append(Run(item))
    return Block(tuple(nodes))


@functools.cache
def context() -> Any:
    import pyopencl as cl

    platforms = cl.get_platforms()
    # Under Oclgrind there is but one.
    platform = next((p for p in platforms if "Portable" in p.name), platforms[0])
    return cl.Context(platform.get_devices()[:1])


def evaluate(expr: Expr, values: Mapping[str, int]) -> int:
    """Value of a host expression (its C text, read as Python)."""
    text = host_integer_expression(expr).replace("&&", " and ").replace("||", " or ")
    assert "?" not in text, text
    helpers = {
        "fcl_floordiv": lambda a, b: a // b,
        "fcl_floormod": lambda a, b: a % b,
        "fcl_min": min,
        "fcl_max": max,
        "fcl_abs": abs,
    }
    # What is left of C's division has non-negative operands.
    return int(eval(text.replace("/", "//"), {"__builtins__": {}}, {**helpers, **values}))


def run_plan(
    plan: LaunchPlan,
    arrays: Mapping[str, np.ndarray[Any, Any]],
    scalars: Mapping[str, Any],
    *,
    index: str = "int",
    program: DeviceProgram | None = None,
) -> dict[str, Any]:
    """Arrays and written scalars after the whole plan ran on PoCL; arrays are column-major and not changed."""
    import pyopencl as cl

    made = program or generate(plan)
    built = cl.Program(context(), made.text).build(options=[f"-DFCL_IDX={index}", "-cl-std=CL1.2", "-Werror"])
    queue = cl.CommandQueue(context())
    kernel = plan.kernel
    host: dict[str, Any] = {}
    for argument in kernel.arguments:
        dtype = DTYPES[argument.type.base, argument.type.kind]
        if argument.shape:
            host[argument.name] = np.asarray(arrays[argument.name], dtype).ravel(order="F")
        else:
            host[argument.name] = np.array([scalars[argument.name]], dtype)
    buffers: dict[str, Any] = {}

    def buffer(parameter: DeviceBuffer, values: Mapping[str, int]) -> Any:
        if parameter.name not in buffers:
            dtype = DTYPES[parameter.type.base, parameter.type.kind]
            if parameter.origin == "temporary":
                count = evaluate(parameter.element_count, values)
                content = np.full(count, 77, dtype)
            else:
                content = host[parameter.name]
            fence = np.full(GUARD, 99, dtype)
            padded = np.concatenate([fence, content, fence])
            flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
            buffers[parameter.name] = (cl.Buffer(context(), flags, hostbuf=padded), padded)
        return buffers[parameter.name][0]

    def launch(node: Launch, values: Mapping[str, int]) -> None:
        counts = [evaluate(count, values) for count in node.group_counts]
        if min(counts) <= 0:
            return
        function = cl.Kernel(built, node.function)
        actual: list[Any] = []
        for parameter in node.parameters:
            if isinstance(parameter, DeviceBuffer):
                actual += [buffer(parameter, values), np.int64(GUARD)]
            else:
                actual.append(DTYPES[parameter.type.base, parameter.type.kind](values[parameter.name]))
        function(queue, [c * s for c, s in zip(counts, node.group_size, strict=True)], node.group_size, *actual)

    def run(nodes: tuple[Any, ...], values: Mapping[str, Any]) -> None:
        for node in nodes:
            if isinstance(node, Launch):
                launch(node, values)
            elif isinstance(node, HostIf):
                if evaluate(node.condition, values):
                    run(node.body, values)
            else:
                assert isinstance(node, HostLoop)
                for value in range(evaluate(node.lower, values), evaluate(node.upper, values) + 1):
                    run(node.body, {**values, node.iname: value})

    run(plan.body, dict(scalars))
    result: dict[str, Any] = {}
    for name, (device, padded) in buffers.items():
        cl.enqueue_copy(queue, padded, device)
        assert (padded[:GUARD] == 99).all() and (padded[-GUARD:] == 99).all(), f"{name} was written out of bounds"
        if name in kernel.argument_by_name:
            argument = kernel.argument_by_name[name]
            inner = padded[GUARD:-GUARD]
            result[name] = inner.reshape(arrays[name].shape, order="F") if argument.shape else inner[0]
    return result
