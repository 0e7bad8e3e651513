"""The OpenCL C of a launch plan: one file, one ``__kernel`` function for each launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from fortrancl.analysis.accesses import accesses
from fortrancl.analysis.lanes import lanes_of, storage_space
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.ir.expr import Expr, Subscript, Var
from fortrancl.ir.kernel import Guard, Kernel, Statement, Temporary
from fortrancl.ir.layout import alignment
from fortrancl.schedule.check import constant_elements
from fortrancl.schedule.nodes import Branch, CodeNode, Execute, For, Repack, lane_name
from fortrancl.schedule.parameters import executed
from fortrancl.schedule.plan import DeviceBuffer, DeviceScalar, Launch, LaunchPlan, launches
from fortrancl.source import Span
from fortrancl.target import atomics, ctree, helpers, nvidia, render, repack
from fortrancl.target.expressions import Translator
from fortrancl.target.names import c_names
from fortrancl.target.types import INDEX, NoDeviceFormError, c_type

_HEAD = """\
/* Made by fortrancl from {origin}. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;"""
_EXACT = "#pragma OPENCL FP_CONTRACT OFF"
_FENCES = {"local": "CLK_LOCAL_MEM_FENCE", "global": "CLK_GLOBAL_MEM_FENCE"}


@dataclass(frozen=True)
class DeviceProgram:
    """OpenCL C source and the names of its kernel functions, in the order of the launches."""

    text: str
    functions: tuple[str, ...]


def generate(plan: LaunchPlan, target: str = "opencl") -> DeviceProgram:
    """The device program of a plan; ``target`` is ``opencl`` or ``opencl-nvidia``.

    The text depends on the plan alone. Raises `CompileError`: FCL409 (no device form of an intrinsic), FCL505 (of a
    type), FCL506 (of an atomic update).
    """
    names = _names(plan)
    functions = tuple(_Writer(plan.kernel, launch, names, target).function() for launch in launches(plan.body))
    tables = tuple(_table(plan.kernel, table, names) for table in _tables(plan))
    calls = set(_called(functions))
    pragmas = [_EXACT]
    body = ctree.File((*tables, *functions))
    library = (*helpers.definitions(calls), *atomics.definitions(calls), *nvidia.definitions(calls))
    text = render.file(ctree.File((*(ctree.Text(item) for item in library), *body.items)))
    if "double" in text:
        pragmas.append("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
    pragmas += [f"#pragma OPENCL EXTENSION {name} : enable" for name in atomics.extensions(calls)]
    head = "\n".join((_HEAD.format(origin=_origin(plan.kernel)), *pragmas))
    return DeviceProgram(f"{head}\n\n{text}", tuple(function.name for function in functions))


def _origin(kernel: Kernel) -> str:
    name = ", ".join(kernel.origin) or kernel.name
    spans = [kernel.span, *(statement.span for statement in kernel.statements)]
    span = next((span for span in spans if span is not None), None)
    return f"{name} in {PurePath(span.source.path).name}" if span is not None else name


def _names(plan: LaunchPlan) -> dict[str, str]:
    """C spelling of every name; ``off:x`` is the element offset of x, ``host:t`` the parameter of a host loop."""
    kernel = plan.kernel
    plain = [a.name for a in kernel.arguments] + [t.name for t in kernel.temporaries]
    plain += [i.name for i in kernel.inames] + [e.name for e in kernel.extents]
    plain += [*kernel.temporaries_by_base]
    wanted = c_names([*plain, *(launch.function for launch in launches(plan.body))])
    # Temporaries that share storage are one variable.
    wanted |= {t.name: wanted[t.base] for t in kernel.temporaries if t.base is not None}
    taken = set(wanted.values())
    for name in plain:
        for key, suffix in (("off", "_off"), ("host", "_value")):
            spelled = wanted[name] + suffix
            while spelled in taken:
                spelled += "_"
            wanted[f"{key}:{name}"] = spelled
    return wanted


def _tables(plan: LaunchPlan) -> tuple[Temporary, ...]:
    used = {access.array for access in accesses(plan.kernel)}
    return tuple(t for t in plan.kernel.temporaries if t.values and t.name in used)


def _table(kernel: Kernel, table: Temporary, names: dict[str, str]) -> ctree.Declare:
    scope = Translator(kernel, names, frozenset(), frozenset())
    values = tuple(scope.value(value).c for value in table.values)
    return ctree.Declare(
        f"__constant {c_type(table.type)}", names[table.name], length=ctree.Number(str(len(values))), values=values
    )


@dataclass(frozen=True)
class _Writer:
    kernel: Kernel
    launch: Launch
    names: dict[str, str]
    target: str

    def function(self) -> ctree.Function:
        scope = self._scope()
        body = [*self._offsets(), *self._numbers(), *self._storage(), *self._code(self.launch.code, scope)]
        x, y, z = self.launch.group_size
        heading = f"__kernel __attribute__((reqd_work_group_size({x}, {y}, {z})))\nvoid"
        return ctree.Function(heading, self.names[self.launch.function], tuple(self._parameters()), tuple(body))

    def _scope(self) -> Translator:
        lanes = dict(self._axes())
        boxed = {p.name for p in self.launch.parameters if isinstance(p, DeviceBuffer)}
        for members in self.kernel.temporaries_by_base.values():
            if any(member.shape for member in members):
                boxed |= {member.name for member in members}
        scalars = frozenset(name for name in boxed if not self.kernel.declaration(name).shape)
        indices = frozenset((*self.kernel.iname_by_name, *lanes))
        return Translator(self.kernel, self.names | lanes, indices, scalars)

    def _statements(self) -> list[Statement]:
        return [self.kernel.statement_by_id[name] for name in dict.fromkeys(executed(self.launch.code))]

    def _lane_inames(self) -> dict[str, tuple[str, int]]:
        """Tagged inames of the launch with their axes, in the kernel's order."""
        found = {name: axis for s in self._statements() for axis, name in lanes_of(self.kernel, s.id).items()}
        return {iname.name: found[iname.name] for iname in self.kernel.inames if iname.name in found}

    def _axes(self) -> Iterator[tuple[str, str]]:
        """(hardware number, C name): conditions use the variable of the first iname on the axis."""
        inames = list(self._lane_inames().items())
        for name, axis in reversed(inames):
            yield lane_name(*axis), self.names[name]

    def _parameters(self) -> Iterator[ctree.Parameter]:
        for parameter in self.launch.parameters:
            type = self._type(parameter)
            name = self.names[parameter.name]
            if isinstance(parameter, DeviceBuffer):
                const = "" if parameter.written else "const "
                # Fortran's dummies do not alias where one is written, and temporaries are ours.
                yield ctree.Parameter(f"__global {const}{type} *restrict", name)
                yield ctree.Parameter("long", self.names[f"off:{parameter.name}"])
            elif parameter.origin == "host_loop":
                yield ctree.Parameter("long", self.names[f"host:{parameter.name}"])
            else:
                yield ctree.Parameter(type, name)

    def _type(self, parameter: DeviceBuffer | DeviceScalar) -> str:
        try:
            return c_type(parameter.type)
        except NoDeviceFormError as error:
            span = None
            if parameter.name in (*self.kernel.argument_by_name, *self.kernel.temporary_by_name):
                span = self.kernel.declaration(parameter.name).span
            raise _placed(error, span or self.kernel.span) from error

    def _offsets(self) -> Iterator[ctree.Statement]:
        for parameter in self.launch.parameters:
            if isinstance(parameter, DeviceBuffer):
                offset = ctree.Name(self.names[f"off:{parameter.name}"])
                yield ctree.Assign(ctree.Name(self.names[parameter.name]), offset, "+=")

    def _numbers(self) -> Iterator[ctree.Statement]:
        """Lanes, groups and host loops as ``fcl_idx`` variables under their inames' names."""
        for name, (kind, axis) in self._lane_inames().items():
            function = "get_group_id" if kind == "g" else "get_local_id"
            number = ctree.Call(function, (ctree.Number(str(axis)),))
            yield ctree.Declare(f"const {INDEX}", self.names[name], number)
        for parameter in self.launch.parameters:
            if isinstance(parameter, DeviceScalar) and parameter.origin == "host_loop":
                value = ctree.Cast(INDEX, ctree.Name(self.names[f"host:{parameter.name}"]))
                yield ctree.Declare(f"const {INDEX}", self.names[parameter.name], value)

    def _storage(self) -> Iterator[ctree.Statement]:
        ids = {statement.id for statement in self._statements()}
        used = {access.array for access in accesses(self.kernel) if access.statement in ids}
        declared: set[str] = set()
        for temporary in self.kernel.temporaries:
            if temporary.name not in used or temporary.values or temporary.base in declared:
                continue
            if temporary.base is not None:
                declared.add(temporary.base)
                # One declaration for all that share the storage, as large as the largest of them.
                members = self.kernel.temporaries_by_base[temporary.base]
                temporary = max(members, key=lambda member: (bool(member.shape), constant_elements(member)))
            space = storage_space(self.kernel, temporary)
            if space == "global":
                continue
            try:
                type = c_type(temporary.type)
            except NoDeviceFormError as error:
                raise _placed(error, temporary.span or self.kernel.span) from error
            length = ctree.Number(str(constant_elements(temporary))) if temporary.shape else None
            where = "__local " if space == "local" else ""
            sharing = self.kernel.temporaries_by_base[temporary.base] if temporary.base is not None else (temporary,)
            if any(place.is_vector for member in sharing for place in member.layout):
                # Whole vectors can be loaded from it.
                where += f"__attribute__((aligned({max(map(alignment, sharing))}))) "
            yield ctree.Declare(f"{where}{type}", self.names[temporary.name], length=length)

    # -- code ---------------------------------------------------------------------------------------------------
    def _code(self, nodes: Iterable[CodeNode], scope: Translator) -> Iterator[ctree.Statement]:
        for node in nodes:
            if isinstance(node, Execute):
                yield self._statement(self.kernel.statement_by_id[node.statement], scope)
            elif isinstance(node, For):
                body = tuple(self._code(node.body, scope))
                start, stop = scope.index(node.start), scope.index(node.stop)
                pragma = "#pragma unroll" if node.unroll else ""
                yield ctree.For(INDEX, self.names[node.iname], start, stop, body, pragma)
            elif isinstance(node, Branch):
                test = self._conjunction(node.conditions, self._for_first(node, scope))
                otherwise = tuple(self._code(node.otherwise, scope))
                yield ctree.If(test, tuple(self._code(node.body, scope)), otherwise)
            elif isinstance(node, Repack):
                yield from repack.statements(node, scope)
            else:
                fences = [ctree.Name(_FENCES[fence]) for fence in node.fences]
                flags: ctree.Expression = fences[0]
                for fence in fences[1:]:
                    flags = ctree.Binary("|", flags, fence)
                yield ctree.Do(ctree.Call("barrier", (flags,)))

    def _for_first(self, node: Branch, scope: Translator) -> Translator:
        """Conditions name lanes as the first statement under them does."""
        first = next(executed((node,)), None)
        if first is None:
            return scope
        own = {lane_name(*axis): self.names[name] for axis, name in lanes_of(self.kernel, first).items()}
        return replace(scope, names={**scope.names, **own})

    def _conjunction(self, conditions: tuple[Expr | Guard, ...], scope: Translator) -> ctree.Expression:
        result: ctree.Expression | None = None
        for condition in conditions:
            if isinstance(condition, Guard):
                place = Subscript(condition.name, condition.indices) if condition.indices else Var(condition.name)
                test = scope.truth(place)
                test = test if condition.value else ctree.Unary("!", test)
            else:
                test = scope.index(condition)
            result = test if result is None else ctree.Binary("&&", result, test)
        assert result is not None
        return result

    def _statement(self, statement: Statement, scope: Translator) -> ctree.Statement:
        comment = _place(statement.span)
        try:
            if statement.atomic and (space := self._space(statement)) != "private":
                update = atomics.atomic_update(scope, statement, space, self.target)
                return ctree.Do(update, comment)
            target = scope.place(statement.target)
            return ctree.Assign(target, scope.value(statement.value).c, comment=comment)
        except NoDeviceFormError as error:
            raise _placed(error, statement.span or self.kernel.span) from error

    def _space(self, statement: Statement) -> str:
        declaration = self.kernel.declaration(statement.target_name)
        return storage_space(self.kernel, declaration) if isinstance(declaration, Temporary) else "global"


def _placed(error: NoDeviceFormError, span: Span | None) -> CompileError:
    return CompileError([Diagnostic(error.code, error.message, span)])


def _place(span: Span | None) -> str:
    return "" if span is None else f"{PurePath(span.source.path).name}:{span.line}"


def _called(functions: Iterable[ctree.Function]) -> Iterator[str]:
    """Names of all functions called anywhere."""
    waiting: list[object] = [statement for function in functions for statement in function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif hasattr(node, "__dataclass_fields__"):
            if isinstance(node, ctree.Call):
                yield node.function
            waiting.extend(getattr(node, name) for name in node.__dataclass_fields__)
