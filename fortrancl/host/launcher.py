"""The launcher: C99 that checks, copies, launches and reads back, one function for each compiled procedure.

It is written on the runtime's calls alone (``fortrancl_rt.h``): whatever fails there is kept, later calls do nothing,
and the last one tells. So the text has no branches for failures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from string import Template

from fortrancl.host.embed import byte_table, c_string
from fortrancl.host.extents import BufferUse, formula, plan_expressions
from fortrancl.host.face import Face, Passed
from fortrancl.ir.expr import Binary, Expr, Literal_, integer, scalar_names
from fortrancl.ir.types import ScalarType
from fortrancl.schedule.plan import DeviceBuffer, DeviceParameter, HostIf, HostLoop, HostNode, Launch
from fortrancl.target import ctree as c
from fortrancl.target.expressions import real_literal
from fortrancl.target.names import c_names
from fortrancl.target.render import expression, file

_HEAD = Template(
    "/* Written by fortrancl from $origin. It carries no licence obligations. */\n#include <fortrancl_rt.h>"
)
_TABLES = Template("""\
static const unsigned char fcl_source_$number[] = {
$source
};

static const fcl_buffer_info fcl_buffers_$number[] = {
$buffers
};

static fcl_kernel fcl_kernels_$number[] = {
$kernels
};

static fcl_procedure fcl_procedure_$number = {
    .abi = &fcl_abi_1,
    .name = $name,
    .file = $file,
    .line = $line,
    .source = fcl_source_$number,
    .source_length = sizeof fcl_source_$number - 1,
    .options = $options,
    .buffers = fcl_buffers_$number,
    .buffer_count = $buffer_count,
    .kernels = fcl_kernels_$number,
    .kernel_count = $kernel_count
};""")
_CALL = c.Unary("&", c.Name("fcl_call"))
_TODO = c.Unary("*", c.Name("fcl_todo"))


def launcher_file(faces: Sequence[Face], origin: str) -> str:
    """The C file for one input file; ``origin`` is the input's path.

    The file depends on nothing but its input: no time, no machine. Raises FCL607 where a size cannot be computed by
    the host.
    """
    items: list[c.Function | c.Text] = [c.Text(_HEAD.substitute(origin=PurePath(origin).name.replace("*/", "* /")))]
    for number, face in enumerate(faces):
        writer = _Writer(face, number)
        items += [c.Text(writer.tables()), writer.launcher()]
        if face.results:
            items.append(writer.after())
    return file(c.File(tuple(items)))


@dataclass(frozen=True)
class _Writer:
    face: Face
    number: int
    names: Mapping[str, str] = field(init=False)

    def __post_init__(self) -> None:
        kernel = self.face.compiled.plan.kernel
        plain = [passed.name for passed in self.face.passed] + [iname.name for iname in kernel.inames]
        names = {name: _apart_from_types(spelled) for name, spelled in c_names(plain).items()}
        taken = set(names.values())
        for passed in self.face.passed:
            spelled = f"{names[passed.name]}_ref"
            while spelled in taken:
                spelled += "_"
            taken.add(spelled)
            names[f"ref:{passed.name}"] = spelled
        object.__setattr__(self, "names", names)

    # -- tables -------------------------------------------------------------------------------------------------
    def tables(self) -> str:
        procedure, program = self.face.compiled.procedure, self.face.compiled.program
        buffers = [_buffer_row(use) for use in self.face.sizes.buffers]
        kernels = [f"    {{.name = {c_string(name)}}}" for name in program.functions]
        return _TABLES.substitute(
            number=self.number,
            source=byte_table(program.text),
            buffers=",\n".join(buffers or ["    {\"\", 'i', 0, 0}"]),
            kernels=",\n".join(kernels or ['    {.name = ""}']),
            name=c_string(procedure.name),
            file=c_string(procedure.source.path),
            line=procedure.first_line,
            options=c_string(" ".join(self.face.compiled.build_options)),
            buffer_count=len(buffers),
            kernel_count=len(kernels),
        )

    # -- the launcher -------------------------------------------------------------------------------------------
    def launcher(self) -> c.Function:
        count = max(1, len(self.face.sizes.buffers))
        begin = c.Call("fcl_begin", (_CALL, self._procedure(), c.Name("fcl_parts")))
        work = (
            *self._checks(),
            *self._arrays(),
            c.Do(c.Call("fcl_copy_in", (_CALL,))),
            *self._nodes(self.face.compiled.plan.body, _Counter()),
            c.Assign(_TODO, c.Call("fcl_end", (_CALL,))),
            *self._logical_results(),
        )
        body = (
            *self._locals(),
            c.Declare("fcl_run", "fcl_call"),
            c.Declare("fcl_buffer", "fcl_parts", length=c.Number(str(count))),
            c.Assign(_TODO, c.Name("FCL_RUN_BODY")),
            c.If(begin, work),
        )
        parameters = (*(self._parameter(passed) for passed in self.face.passed), c.Parameter("int *", "fcl_todo"))
        return self._function(self.face.symbol, parameters, body)

    def after(self) -> c.Function:
        """Hands the body's results over for comparison."""
        results = self.face.results
        values = tuple(self._result_address(passed) for passed in results)
        table = c.Declare("const void *const", "fcl_values", length=c.Number(str(len(values))), values=values)
        parameters = tuple(self._parameter(passed, written=False) for passed in results)
        locals_ = tuple(self._narrow(passed) for passed in results if _is_narrow(passed))
        call = c.Do(c.Call("fcl_compare", (self._procedure(), c.Name("fcl_values"))))
        return self._function(self.face.after_symbol, parameters, (*locals_, table, call))

    def _function(self, symbol: str, parameters: tuple[c.Parameter, ...], body: tuple[c.Statement, ...]) -> c.Function:
        """With a prototype before it, which -Wmissing-prototypes asks for."""
        name = self.face.c_symbol(symbol)
        types = ", ".join(parameter.type.strip() for parameter in parameters)
        return c.Function(f"void {name}({types});\n\nvoid", name, parameters, body)

    def _procedure(self) -> c.Expression:
        return c.Unary("&", c.Name(f"fcl_procedure_{self.number}"))

    def _parameter(self, passed: Passed, written: bool | None = None) -> c.Parameter:
        const = "" if (passed.written if written is None else written) else "const "
        name = self.names[passed.name] if passed.role == "array" else self.names[f"ref:{passed.name}"]
        return c.Parameter(f"{const}{_c_type(passed)} *", name)

    def _locals(self) -> Iterator[c.Statement]:
        """Integers by value, for formulas; logicals of a size that is not a C int's."""
        for passed in self.face.passed:
            wanted = passed.type.base == "integer" or (passed.is_logical_scalar and passed.name in self._in_formulas)
            if passed.role != "array" and not passed.written and wanted:
                yield c.Declare("const int64_t", self.names[passed.name], c.Unary("*", self._reference(passed)))
            if _is_narrow(passed):
                yield self._narrow(passed)

    @property
    def _in_formulas(self) -> frozenset[str]:
        plan = self.face.compiled.plan
        names: frozenset[str] = frozenset()
        for expr in (*self.face.sizes.expressions(), *plan_expressions(plan.body)):
            names |= scalar_names(expr)
        return names

    def _reference(self, passed: Passed) -> c.Expression:
        return c.Name(self.names[f"ref:{passed.name}"])

    def _narrow(self, passed: Passed) -> c.Declare:
        type = f"int{8 * passed.type.kind}_t"
        value = c.Cast(type, c.Unary("*", self._reference(passed)))
        return c.Declare(type, _narrow_name(passed), value)

    def _checks(self) -> Iterator[c.Statement]:
        kernel = self.face.compiled.plan.kernel
        for fixed in kernel.fixed:
            passed = next((p for p in self.face.passed if p.name == fixed.name), None)
            if passed is not None:
                kind = passed.type.base
                wanted = _constant(fixed.value, passed.type)
                actual = c.Unary("*", self._reference(passed))
                yield c.Do(c.Call(f"fcl_fixed_{kind}", (_CALL, _quoted(fixed.name), actual, wanted)))
        for check in self.face.sizes.checks:
            line = check.span.line if check.span is not None else 0
            yield self._do("fcl_require", check.condition, _quoted(check.message), c.Number(str(line)))
        for passed in self.face.passed:
            if passed.role != "array" and passed.type.base == "integer" and not passed.written:
                yield self._do("fcl_size", c.Name(self.names[passed.name]))

    def _arrays(self) -> Iterator[c.Statement]:
        by_name = {passed.name: passed for passed in self.face.passed}
        for position, use in enumerate(self.face.sizes.buffers):
            at = c.Number(str(position))
            if use.is_temporary:
                yield self._do("fcl_temporary", at, Binary("+", use.last, integer(1)))
                continue
            passed = by_name[use.name]
            address = c.Name(self.names[use.name]) if passed.role == "array" else self._result_address(passed)
            yield self._do("fcl_array", at, address, use.first, use.last)
            for dim in use.shape:
                extent = c.Name("FCL_OPEN") if dim.extent is None else dim.extent
                yield self._do("fcl_dimension", at, dim.lower, extent)
            if use.rows is not None:
                yield self._do("fcl_rows", at, *use.rows)

    def _result_address(self, passed: Passed) -> c.Expression:
        if passed.role == "array":
            return c.Name(self.names[passed.name])
        return c.Unary("&", c.Name(_narrow_name(passed))) if _is_narrow(passed) else self._reference(passed)

    def _logical_results(self) -> Iterator[c.Statement]:
        for passed in self.face.results:
            if _is_narrow(passed):
                bit = c.Binary("&", c.Name(_narrow_name(passed)), c.Number("1"))
                yield c.Assign(c.Unary("*", self._reference(passed)), bit)

    # -- launches -----------------------------------------------------------------------------------------------
    def _nodes(self, nodes: tuple[HostNode, ...], counter: _Counter) -> Iterator[c.Statement]:
        for node in nodes:
            if isinstance(node, HostLoop):
                name = self.names[node.iname]
                stop = self._formula(Binary("+", node.upper, integer(1)))
                body = tuple(self._nodes(node.body, counter))
                yield c.For("int64_t", name, self._formula(node.lower), stop, body)
            elif isinstance(node, HostIf):
                yield c.If(self._formula(node.condition), tuple(self._nodes(node.body, counter)))
            else:
                yield from self._launch(node, counter.next())

    def _launch(self, launch: Launch, number: int) -> Iterator[c.Statement]:
        groups, items = f"fcl_groups_{number}", f"fcl_items_{number}"
        three = c.Number("3")
        counts = tuple(self._formula(count) for count in launch.group_counts)
        sizes = tuple(c.Number(str(size)) for size in launch.group_size)
        yield c.Declare("const int64_t", groups, length=three, values=counts)
        yield c.Declare("const int64_t", items, length=three, values=sizes)
        start = c.Call("fcl_launch", (_CALL, c.Number(str(number)), c.Name(groups), c.Name(items)))
        passing = (self._pass(parameter) for parameter in launch.parameters)
        yield c.If(start, (*passing, c.Do(c.Call("fcl_enqueue", (_CALL,)))))

    def _pass(self, parameter: DeviceParameter) -> c.Statement:
        if isinstance(parameter, DeviceBuffer):
            position = [use.name for use in self.face.sizes.buffers].index(parameter.name)
            return self._do("fcl_pass_buffer", c.Number(str(position)), comment=parameter.name)
        if parameter.origin == "host_loop":
            name = c.Name(self.names[parameter.name])
            return self._do("fcl_pass_value", _size_of(name), c.Unary("&", name))
        passed = next(p for p in self.face.passed if p.name == parameter.name)
        if _is_narrow(passed):
            narrow = c.Name(_narrow_name(passed))
            return self._do("fcl_pass_value", _size_of(narrow), c.Unary("&", narrow))
        reference = self._reference(passed)
        return self._do("fcl_pass_value", _size_of(c.Unary("*", reference)), reference)

    # -- formulas -----------------------------------------------------------------------------------------------
    def _formula(self, expr: Expr) -> c.Expression:
        return formula(expr, self.names, self.face.compiled)

    def _do(self, function: str, *arguments: Expr | c.Expression, comment: str = "") -> c.Do:
        ready = (a if isinstance(a, c.Expression) else self._formula(a) for a in arguments)
        return c.Do(c.Call(function, (_CALL, *ready)), comment)


@dataclass
class _Counter:
    """Launches in program order: the number of each is its kernel's."""

    count: int = 0

    def next(self) -> int:
        self.count += 1
        return self.count - 1


def _apart_from_types(name: str) -> str:
    """OpenCL C leaves the names of stdint.h free; here they are types.

    >>> _apart_from_types("int64_t"), _apart_from_types("u")
    ('v_int64_t', 'u')
    """
    return f"v_{name}" if re.fullmatch(r"u?int\w*_t|U?INT\w*", name) else name


def _buffer_row(use: BufferUse) -> str:
    flags = [name for name, on in (("FCL_IN", use.copy_in), ("FCL_OUT", use.copy_out)) if on]
    flags = ["FCL_TEMPORARY"] if use.is_temporary else flags
    return f"    {{{c_string(use.name)}, '{use.type.base[0]}', {use.type.kind}, {' | '.join(flags) or '0'}}}"


def _c_type(passed: Passed) -> str:
    if passed.role == "array" and passed.type.base in ("logical", "complex"):
        return "void"
    if passed.is_logical_scalar:
        return "int"
    if passed.type.base == "integer":
        return f"int{8 * passed.type.kind}_t"
    base = "float" if passed.type.kind == 4 else "double"
    return f"{base} _Complex" if passed.type.base == "complex" else base


def _is_narrow(passed: Passed) -> bool:
    """A logical scalar whose device type is not the C int that crosses."""
    return passed.is_logical_scalar and passed.type.kind != 4


def _narrow_name(passed: Passed) -> str:
    return f"fcl_logical_{passed.name.lower()}"


def _size_of(operand: c.Expression) -> c.Expression:
    return c.Name(f"sizeof {expression(operand)}")


def _quoted(text: str) -> c.Expression:
    return c.Name(c_string(text))


def _constant(value: Literal_, type: ScalarType) -> c.Expression:
    """A fixed value as the argument's own type holds it."""
    if type.base == "real":
        return real_literal(Literal_(value.value, type, value.text))
    return c.Number(str(int(value.value.real)))
