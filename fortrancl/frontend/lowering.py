"""One procedure: from its statements to `ir.procedure.Procedure` with its sequential kernel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fortrancl.analysis.privatise import privatise
from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.frontend.blocks import SourceUnit
from fortrancl.frontend.builder import Context, KernelBuilder
from fortrancl.frontend.constructs import ConstructReader
from fortrancl.frontend.declarations import DeclarationReader, Pending, refused_attribute
from fortrancl.frontend.expressions import ExpressionReader
from fortrancl.frontend.fragment import Fragment, closing, split_commas
from fortrancl.frontend.modules import Modules
from fortrancl.frontend.parse import Parser
from fortrancl.frontend.parts import Parts, access_of, split_parts
from fortrancl.frontend.problems import Problems, Refused
from fortrancl.frontend.scope import ConstantArray, ExternalProcedure, Scope, Unusable, Variable
from fortrancl.frontend.shapes import dims_of, form_of
from fortrancl.frontend.statements import StatementLowerer
from fortrancl.frontend.units import UnitOutline
from fortrancl.frontend.usage import Usage, usage_of
from fortrancl.ir.expr import scalar_names
from fortrancl.ir.kernel import Argument, ExtentParameter, Kernel, Temporary
from fortrancl.ir.procedure import DummyArgument, Procedure
from fortrancl.ir.tree import Block
from fortrancl.source import Span

_NAME = re.compile(r"[A-Za-z]\w*")
_HOST_ATTRIBUTES = frozenset({"optional", "value", "target", "allocatable", "pointer", "contiguous"})


def lower(unit: SourceUnit, outline: UnitOutline) -> Procedure:
    """The procedure and its kernel. Raises `CompileError` with all that is not understood or not supported:
    FCL103, FCL109 … FCL135."""
    try:
        return _Lowering(unit, outline).procedure()
    except RecursionError as error:
        span = unit.statements[outline.first].span()
        message = f"'{outline.name}' is nested too deeply to be compiled"
        raise CompileError([Diagnostic("FCL109", message, span)]) from error


@dataclass
class _Dummy:
    name: str
    span: Span


class _Lowering:
    def __init__(self, unit: SourceUnit, outline: UnitOutline) -> None:
        self.unit, self.outline = unit, outline
        self.problems = Problems()
        self.header = unit.statements[outline.first]
        self.parts: Parts = split_parts(unit, outline, self.problems)
        everything = (self.header, *self.parts.specification, *self.parts.executable)
        self.identifiers = {m[0].lower() for s in everything for m in _NAME.finditer(s.text)}
        self.builder = KernelBuilder(self.identifiers)
        self.modules = Modules(unit, self.identifiers)
        self.used: dict[str, Variable | ConstantArray] = {}
        self.extents: list[ExtentParameter] = []

    def procedure(self) -> Procedure:
        """Everything, in order; stops where the problems found make the rest meaningless."""
        self.refuse_unsupported_kind()
        dummies = self.dummies()
        parent = self.outline.parent
        self.scope = Scope(self.modules.read(self.unit, parent) if parent is not None else None)
        if self.scope.parent is not None:
            self.scope.implicit = self.scope.parent.implicit
        for child in self.unit.units:
            if child.parent is self.outline:
                self.scope.add(ExternalProcedure(child.name))
        self.declarations(dummies)
        items = ConstructReader(Parser(self.variable_names()), self.problems).read(self.parts.executable)
        kernel = self.kernel(dummies, usage_of(items), items)
        self.problems.raise_any()
        return self.finished(dummies, privatise(kernel))

    # -- heading ------------------------------------------------------------------------------------------------
    def refuse_unsupported_kind(self) -> None:
        text, span = self.header.text.lower(), self.header.span()
        before = len(self.problems.found)
        if self.outline.is_internal:
            self.problems.add(
                Diagnostic(
                    "FCL128",
                    f"'{self.outline.name}' is an internal procedure, which is not supported",
                    span,
                    hints=("make it a module procedure",),
                )
            )
        if self.outline.kind == "function":
            self.problems.add(
                Diagnostic(
                    "FCL128",
                    f"'{self.outline.name}' is a function, which is not supported as a kernel",
                    span,
                    hints=("make it a subroutine with an intent(out) argument",),
                )
            )
        prefix = re.match(r"(?:(?:recursive|module)\s+)*(pure|elemental|impure)\b", text)
        if prefix and prefix[1] != "impure":
            self.problems.add(
                Diagnostic(
                    "FCL128",
                    f"'{self.outline.name}' is {prefix[1].upper()}; what launches a kernel is not",
                    span,
                    hints=(f"remove {prefix[1].upper()}",),
                )
            )
        if len(self.problems.found) > before:
            self.problems.raise_any()

    def dummies(self) -> list[_Dummy]:
        """Names in the parentheses of the SUBROUTINE statement."""
        whole = Fragment.whole(self.header)
        match = re.search(rf"\bsubroutine\s+{self.outline.name}\s*\(", whole.text, re.IGNORECASE)
        if match is None:
            return []
        end = closing(whole.text, match.end() - 1)
        if end < 0:
            opened = whole.part(match.end() - 1, match.end())
            self.problems.add(Diagnostic("FCL103", "'(' without its partner", opened.span()))
            self.problems.raise_any()
        result: list[_Dummy] = []
        inside = whole.part(match.end(), end)
        for part in split_commas(inside) if inside.text else ():
            if not _NAME.fullmatch(part.text):
                what = "an alternate return" if part.text == "*" else f"'{part.text}'"
                self.problems.add(
                    Diagnostic("FCL128", f"{what} among the dummy arguments is not supported", part.span())
                )
            else:
                result.append(_Dummy(part.text, part.span()))
        return result

    # -- declarations -------------------------------------------------------------------------------------------
    def declarations(self, dummies: Sequence[_Dummy]) -> None:
        """Fill the scope. Scalars come first: shapes refer to them wherever they are declared."""
        expressions = ExpressionReader(self.scope, self.unit.options, specification=True)
        reader = DeclarationReader(self.scope, expressions, self.problems, self.modules.use)
        reader.read(self.parts.specification)
        expressions.pending = ()
        for dummy in dummies:
            entry = reader.entry(dummy.name, dummy.span)
            entry.span = entry.span if entry.type is not None else dummy.span
        by_name = {dummy.name.lower() for dummy in dummies}
        entries = [entry for entry in reader.pending.values() if not entry.is_constant]
        if reader.save_all:
            for entry in entries:
                if entry.name.lower() not in by_name:
                    entry.attributes.add("save")
        for arrays in (False, True):
            for entry in entries:
                if (entry.bounds is not None) == arrays:
                    with self.problems.collecting():
                        self.declare(entry, expressions, entry.name.lower() in by_name, reader)

    def declare(self, entry: Pending, expressions: ExpressionReader, is_dummy: bool, reader: DeclarationReader) -> None:
        """Enter one variable; a local one that is not supported is refused where it is used."""
        if isinstance(self.scope.entities.get(entry.name.lower()), ExternalProcedure):
            if is_dummy:
                raise Refused("FCL128", f"the dummy procedure '{entry.name}' is not supported", entry.span)
            return
        try:
            self.scope.add(self.variable(entry, expressions, is_dummy, reader))
        except Refused as refused:
            said = refused.diagnostic
            self.scope.add(Unusable(entry.name, said.code, said.message, said.notes, said.hints))
            if is_dummy or said.code not in ("FCL111", "FCL112", "FCL113", "FCL117"):
                raise

    def variable(
        self, entry: Pending, expressions: ExpressionReader, is_dummy: bool, reader: DeclarationReader
    ) -> Variable:
        fault = entry.fault or refused_attribute(entry)
        if fault is not None:
            raise fault
        type, default_kind = (entry.type, entry.default_kind) if entry.type is not None else reader.implicit_type(entry)
        name = entry.name
        attributes = frozenset(entry.attributes)
        if entry.bounds is None:
            return Variable(
                name, type, None, "explicit", is_dummy, entry.intent, attributes, default_kind, span=entry.span
            )
        form = form_of(entry.bounds)
        extents = tuple(
            self.extent(name, axis) if bound.upper == ":" and is_dummy else ""
            for axis, bound in enumerate(entry.bounds)
        )
        dims = dims_of(expressions, entry.bounds, extents, is_dummy=is_dummy, span=entry.span)
        if form == "explicit" and dims[-1].extent is None:
            form = "assumed_size"
        return Variable(name, type, dims, form, is_dummy, entry.intent, attributes, default_kind, span=entry.span)

    def extent(self, array: str, axis: int) -> str:
        name = self.builder.fresh(f"{array}_n{axis + 1}")
        self.extents.append(ExtentParameter(name, array, axis))
        return name

    def variable_names(self) -> frozenset[str]:
        """Names that are variables whatever they look like."""
        arrays = (Variable, ConstantArray)
        return frozenset(
            key
            for key, entity in self.scope.entities.items()
            if isinstance(entity, arrays)
            and (isinstance(entity, ConstantArray) or entity.dims is not None or entity.is_dummy)
        )

    # -- kernel -------------------------------------------------------------------------------------------------
    def kernel(self, dummies: Sequence[_Dummy], usage: Usage, items: Sequence[object]) -> Kernel:
        names = {dummy.name.lower() for dummy in dummies}
        kept, written = usage.kept_loops(names), usage.written(names)
        spelled: dict[str, str] = {}
        for name in sorted(kept - names):
            entity = self.scope.find(name)
            spelled[name] = self.builder.fresh(entity.name if isinstance(entity, Variable) else name)
        variables = [v for v in (self.scope.entities.get(d.name.lower()) for d in dummies) if isinstance(v, Variable)]
        parameters = {
            v.name for v in variables if v.dims is None and v.type.base == "integer" and v.name.lower() not in written
        } | {extent.name for extent in self.extents}
        expressions = ExpressionReader(self.scope, self.unit.options, self.use)
        root = Context()
        lowerer = StatementLowerer(
            self.builder, expressions, self.problems, frozenset(parameters), kept, spelled, self.unit.tags_at
        )
        lowerer.procedure(items, root)  # type: ignore[arg-type]
        self.check_shapes(variables, written)
        return Kernel(
            self.outline.name,
            tuple(self.argument(v) for v in variables),
            (*self.locals(spelled), *self.builder.temporaries),
            tuple(self.builder.inames),
            tuple(self.builder.statements),
            Block(tuple(root.body)),
            tuple(self.extents),
            origin=(self.outline.qualified_name,),
            span=self.header.span(),
        )

    def use(self, entity: Variable | ConstantArray) -> None:
        self.used.setdefault(entity.name.lower(), entity)

    def check_shapes(self, dummies: Sequence[Variable], written: set[str]) -> None:
        """A shape means the values at entry: its scalars must keep them. Reports FCL133."""
        for entity in {v.name: v for v in (*dummies, *self.used.values())}.values():
            for dim in entity.dims or ():
                for expr in (dim.lower, dim.extent):
                    for name in sorted(scalar_names(expr)) if expr is not None else ():
                        assigned = self.scope.find(name)
                        if name.lower() in written and not (isinstance(assigned, Variable) and assigned.intent == "in"):
                            message = f"the shape of '{entity.name}' depends on '{name}', which this procedure assigns"
                            hint = f"copy '{name}' to a local variable and change that"
                            self.problems.add(Diagnostic("FCL133", message, entity.span, hints=(hint,)))

    def argument(self, v: Variable) -> Argument:
        return Argument(v.name, v.type, v.dims or (), v.intent, v.form, "value" in v.attributes, v.span)

    def locals(self, spelled: dict[str, str]) -> list[Temporary]:
        """Local variables and constant arrays that statements refer to, in the order of their declarations."""
        found = [e for e in self.used.values() if isinstance(e, ConstantArray) or not e.is_dummy]
        found.sort(key=lambda e: (e.span.start if e.span is not None else 0, e.name))
        result: list[Temporary] = []
        for e in found:
            if isinstance(e, ConstantArray):
                result.append(Temporary(e.name, e.type, e.dims, values=e.values, span=e.span))
            else:
                result.append(Temporary(spelled.get(e.name.lower(), e.name), e.type, e.dims or (), span=e.span))
        return result

    def finished(self, dummies: Sequence[_Dummy], kernel: Kernel) -> Procedure:
        outline = self.outline
        made: list[DummyArgument] = []
        for dummy in dummies:
            v = self.scope.entities[dummy.name.lower()]
            assert isinstance(v, Variable)
            made.append(DummyArgument(v.name, len(v.dims or ()), v.attributes & _HOST_ATTRIBUTES, v.default_kind))
        access = access_of(self.unit, outline)
        return Procedure(
            outline.name,
            outline.module,
            "subroutine",
            self.unit.source,
            self.unit.form,
            outline.first_line,
            outline.last_line,
            self.parts.insert_after,
            kernel,
            tuple(made),
            access.is_public,
            access.is_generic_or_bound,
        )
