"""USE: names of modules in this file, in files beside it, and of the two intrinsic modules that give kinds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from fortrancl.frontend.blocks import SourceUnit, scan
from fortrancl.frontend.classify import classify
from fortrancl.frontend.declarations import DeclarationReader
from fortrancl.frontend.expressions import ExpressionReader
from fortrancl.frontend.fragment import Fragment
from fortrancl.frontend.lines import read_source
from fortrancl.frontend.logical import LogicalStatement
from fortrancl.frontend.parse import Parser
from fortrancl.frontend.problems import Problems, Refused
from fortrancl.frontend.scope import Constant, ConstantArray, Entity, ExternalProcedure, Scope, Unusable
from fortrancl.frontend.units import UnitOutline
from fortrancl.ir.expr import integer

_SUFFIXES = (".f90", ".F90", ".f95", ".F95", ".f03", ".F03", ".f08", ".F08", ".f", ".F", ".for", ".FOR")
_INTRINSIC: dict[str, dict[str, int]] = {
    "iso_fortran_env": {
        "int8": 1, "int16": 2, "int32": 4, "int64": 8, "real32": 4, "real64": 8, "real128": 16,
        "logical8": 1, "logical16": 2, "logical32": 4, "logical64": 8,
    },
    "iso_c_binding": {
        "c_int": 4, "c_short": 2, "c_long": 8, "c_long_long": 8, "c_signed_char": 1, "c_size_t": 8,
        "c_int8_t": 1, "c_int16_t": 2, "c_int32_t": 4, "c_int64_t": 8, "c_intptr_t": 8, "c_ptrdiff_t": 8,
        "c_float": 4, "c_double": 8, "c_long_double": 16, "c_bool": 1, "c_float_complex": 4, "c_double_complex": 8,
    },
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z]\w*")


class Modules:
    """Scopes of modules, as one procedure needs them. ``needed``: the names that the procedure's text mentions."""

    def __init__(self, unit: SourceUnit, needed: Iterable[str]) -> None:
        self.unit = unit
        self.needed = {name.lower() for name in needed}
        self.scopes: dict[str, Scope | None] = {}

    # -- USE ----------------------------------------------------------------------------------------------------
    def use(self, scope: Scope, statement: LogicalStatement, parser: Parser) -> None:
        """Enter what a USE statement gives. Refuses with FCL103."""
        parsed = parser.parse("Use_Stmt", Fragment.whole(statement), "a USE statement")
        _, _, module, separator, listed = parsed.node.items
        name = str(module)
        items = tuple(listed.items) if listed is not None else ()
        renamed = [
            (str(item.items[1]), str(item.items[2])) if type(item).__name__ == "Rename" else (str(item), str(item))
            for item in items
            if type(item).__name__ != "Generic_Spec"
        ]
        self.needed |= {original.lower() for _, original in renamed}
        found = self.scope(name)
        only = "ONLY" in str(separator).upper()
        if found is None:
            if not only:
                scope.unknown_modules.append(name)
            for local, _ in renamed:
                scope.add(not_found(local, name))
            return
        if not only:
            hidden = {original.lower() for _, original in renamed}
            for key, entity in found.entities.items():
                if key not in hidden:
                    scope.add(entity)
            scope.unknown_modules.extend(found.unknown_modules)
        for local, original in renamed:
            given = found.entities.get(original.lower())
            scope.add(_called(given, local) if given is not None else _missing(local, original, name))

    # -- finding ------------------------------------------------------------------------------------------------
    def scope(self, name: str) -> Scope | None:
        """What a module gives; None where its text is not at hand."""
        key = name.lower()
        if key not in self.scopes:
            self.scopes[key] = None  # a module that uses itself by way of others
            self.scopes[key] = self.find(key)
        return self.scopes[key]

    def find(self, name: str) -> Scope | None:
        if name in _INTRINSIC:
            return intrinsic_scope(name)
        for outline in self.unit.units:
            if outline.kind == "module" and outline.name.lower() == name:
                return self.read(self.unit, outline)
        folders = (str(Path(self.unit.source.path).parent), *self.unit.options.include_dirs)
        for folder in folders:
            for suffix in _SUFFIXES:
                path = Path(folder) / (name + suffix)
                if path.is_file():
                    unit = scan(read_source(str(path)), self.unit.options, inputs=self.unit.inputs)
                    for outline in unit.units:
                        if outline.kind == "module" and outline.name.lower() == name:
                            return self.read(unit, outline)
        return None

    def read(self, unit: SourceUnit, outline: UnitOutline) -> Scope:
        """The scope of a module or of another unit round a procedure; only statements that matter are parsed."""
        parent = self.read(unit, outline.parent) if outline.parent is not None else None
        scope = Scope(parent)
        stop = outline.contains if outline.contains is not None else outline.last
        statements = unit.statements[outline.first + (1 if outline.name else 0) : stop]
        expressions = ExpressionReader(scope, unit.options, specification=True)
        problems = Problems()
        reader = DeclarationReader(scope, expressions, problems, self.use, keep_faults=True)
        reader.read(self.relevant(statements))
        what = "module" if outline.kind in ("module", "submodule") else outline.kind
        for entry in reader.pending.values():
            if not entry.is_constant:
                scope.add(_outer_variable(entry.name, what, outline.name))
        for child in unit.units:
            if child.parent is outline:
                scope.add(ExternalProcedure(child.name))
        return scope

    def relevant(self, statements: Sequence[LogicalStatement]) -> list[LogicalStatement]:
        """Statements that declare a needed name or one that those need, in order, and all that declare no names."""
        declared = [_declares(statement) for statement in statements]
        chosen = [names is None for names in declared]
        needed = set(self.needed)
        grew = True
        while grew:
            grew = False
            for position, names in enumerate(declared):
                if not chosen[position] and names is not None and names & needed:
                    chosen[position] = grew = True
                    needed |= {m[0].lower() for m in _NAME.finditer(statements[position].text)}
        return [statement for statement, keep in zip(statements, chosen, strict=True) if keep]


def _declares(statement: LogicalStatement) -> frozenset[str] | None:
    """Names that a type declaration or PARAMETER may declare; None for other statements, which are always read."""
    word = classify(statement.text).word
    if word not in ("type declaration", "PARAMETER"):
        return None
    text = statement.text.split("::", 1)[-1] if word == "type declaration" else statement.text
    return frozenset(match[0].lower() for match in _NAME.finditer(text))


def intrinsic_scope(name: str) -> Scope:
    """Kinds of ISO_FORTRAN_ENV and ISO_C_BINDING as they are on Linux and 64-bit machines."""
    scope = Scope()
    for constant, value in _INTRINSIC[name].items():
        scope.add(Constant(constant, integer(value)))
    return scope


def not_found(name: str, module: str) -> Unusable:
    """A name of a module whose text is not at hand."""
    return Unusable(
        name,
        "FCL118",
        f"the source of module '{module}', which declares '{name}', was not found",
        hints=(f"put {module.lower()}.f90 beside this file, or give its folder with -I",),
    )


def _missing(local: str, original: str, module: str) -> Unusable:
    return Unusable(local, "FCL118", f"'{original}' is not a constant or procedure of module '{module}'")


def _outer_variable(name: str, kind: str, owner: str) -> Unusable:
    return Unusable(
        name,
        "FCL127",
        f"'{name}' is a variable of {kind} '{owner}'; a kernel has its arguments, local variables and constants",
        hints=("pass it as a dummy argument, or make it a PARAMETER",),
    )


def _called(entity: Entity, local: str) -> Entity:
    return entity if isinstance(entity, ConstantArray) and entity.name == local else replace(entity, name=local)


def refused_internal(outline: UnitOutline) -> Refused | None:
    """Why a unit cannot become a kernel at all, or None."""
    if outline.is_internal:
        return Refused(
            "FCL128", f"'{outline.name}' is an internal procedure; only module and external ones compile", None
        )
    return None
