"""A launch plan as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator

from fortrancl.ir.kernel import Guard, Kernel
from fortrancl.ir.pretty import assignment_text
from fortrancl.ir.text import expr_text
from fortrancl.schedule.nodes import Branch, CodeNode, Execute, For, Repack, Synchronise
from fortrancl.schedule.plan import DeviceBuffer, HostIf, HostLoop, HostNode, Launch, LaunchPlan


def dump_plan(plan: LaunchPlan) -> str:
    """Launches with their geometry, parameters and code; memories of the temporaries first."""
    kernel = plan.kernel
    lines = [f"plan of {kernel.name}"]
    for temporary in kernel.temporaries:
        shape = ", ".join("*" if dim.extent is None else expr_text(dim.extent) for dim in temporary.shape)
        name = f"{temporary.name}[{shape}]" if shape else temporary.name
        lines.append(f"  {temporary.address_space} {temporary.type} {name}")
    for node in plan.body:
        lines.extend(_host_lines(kernel, node, "  "))
    return "\n".join(lines) + "\n"


def _host_lines(kernel: Kernel, node: HostNode, indent: str) -> Iterator[str]:
    if isinstance(node, HostLoop):
        yield f"{indent}host: for {node.iname} = {expr_text(node.lower)} .. {expr_text(node.upper)}"
    elif isinstance(node, HostIf):
        yield f"{indent}host: if {expr_text(node.condition)}"
    else:
        yield from _launch_lines(kernel, node, indent)
        return
    for child in node.body:
        yield from _host_lines(kernel, child, indent + "  ")


def _launch_lines(kernel: Kernel, launch: Launch, indent: str) -> Iterator[str]:
    counts = ", ".join(expr_text(count) for count in launch.group_counts)
    size = " x ".join(map(str, launch.group_size))
    yield f"{indent}launch {launch.function}: groups ({counts}) of {size}"
    for parameter in launch.parameters:
        how = ""
        if isinstance(parameter, DeviceBuffer):
            how = " " + "".join(("read " if parameter.read else "", "written" if parameter.written else "")).strip()
        yield f"{indent}  takes {parameter.name}: {parameter.type}{how}"
    for node in launch.code:
        yield from _code_lines(kernel, node, indent + "  ")


def _code_lines(kernel: Kernel, node: CodeNode, indent: str) -> Iterator[str]:
    if isinstance(node, Execute):
        yield f"{indent}{node.statement}: {assignment_text(kernel.statement_by_id[node.statement])}"
    elif isinstance(node, Synchronise):
        yield f"{indent}--- barrier ({', '.join(node.fences)}) ---"
    elif isinstance(node, For):
        mark = " (unrolled)" if node.unroll else ""
        yield f"{indent}for {node.iname} = {expr_text(node.start)} .. {expr_text(node.stop)} - 1{mark}"
        for child in node.body:
            yield from _code_lines(kernel, child, indent + "  ")
    elif isinstance(node, Repack):
        copied = f"{expr_text(node.target)} = {expr_text(node.value)}"
        yield f"{indent}elements {expr_text(node.first)} .. {expr_text(node.last)}: {copied}"
    elif isinstance(node, Branch):
        tests = (
            f"{'' if c.value else 'not '}{c.name}" if isinstance(c, Guard) else expr_text(c) for c in node.conditions
        )
        yield f"{indent}if {' and '.join(tests)}"
        for child in node.body:
            yield from _code_lines(kernel, child, indent + "  ")
        if node.otherwise:
            yield f"{indent}else"
            for child in node.otherwise:
                yield from _code_lines(kernel, child, indent + "  ")
