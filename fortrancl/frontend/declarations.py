"""The specification part: from declaration statements to a scope."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fortrancl.diagnostics import Diagnostic
from fortrancl.frontend import constant_arrays, constants
from fortrancl.frontend.classify import classify
from fortrancl.frontend.expressions import ExpressionReader
from fortrancl.frontend.fragment import Fragment
from fortrancl.frontend.logical import LogicalStatement
from fortrancl.frontend.parse import Node, Parsed, Parser
from fortrancl.frontend.problems import Problems, Refused
from fortrancl.frontend.scope import Constant, ExternalProcedure, ImplicitRules, Scope, Unusable
from fortrancl.frontend.shapes import Bounds, array_spec
from fortrancl.frontend.type_specs import type_of_spec, unsupported_type
from fortrancl.ir.kernel import Intent
from fortrancl.ir.types import ScalarType
from fortrancl.source import Span

UseHandler = Callable[[Scope, LogicalStatement, Parser], None]


@dataclass
class Pending:
    """A name as far as its declarations have been read."""

    name: str
    span: Span
    type: ScalarType | None = None
    default_kind: bool = False
    bounds: tuple[Bounds, ...] | None = None
    intent: Intent | None = None
    attributes: set[str] = field(default_factory=set)
    # What makes the name unusable, if anything does.
    fault: Refused | None = None
    is_constant: bool = False


# Attributes that change nothing for a kernel, or that the host side passes on.
_HARMLESS = frozenset(
    {"target", "contiguous", "asynchronous", "public", "private", "protected", "value", "bind", "intrinsic"}
)
_ATTRIBUTE_STATEMENTS = frozenset(
    "OPTIONAL VALUE SAVE ALLOCATABLE POINTER TARGET VOLATILE ASYNCHRONOUS CONTIGUOUS PROTECTED CODIMENSION".split()
)
_NAMES = re.compile(r"[A-Za-z]\w*")


class DeclarationReader:
    """Reads specification statements in order; `finish` then makes the entities.

    ``keep_faults``: what cannot be read makes its names unusable instead of being reported (modules, where only what
    a procedure refers to matters).
    """

    def __init__(
        self,
        scope: Scope,
        expressions: ExpressionReader,
        problems: Problems,
        use: UseHandler,
        *,
        keep_faults: bool = False,
    ) -> None:
        self.scope, self.expressions, self.problems, self.use = scope, expressions, problems, use
        self.keep_faults = keep_faults
        self.pending: dict[str, Pending] = {}
        expressions.pending = self.pending
        self.parser = Parser()
        self.skipping: str | None = None
        self.save_all = False

    # -- statements ---------------------------------------------------------------------------------------------
    def read(self, statements: Sequence[LogicalStatement]) -> None:
        """All statements of a specification part. Reports FCL103, FCL110 … FCL118."""
        for statement in statements:
            with self.problems.collecting():
                self.statement(statement)

    def statement(self, statement: LogicalStatement) -> None:
        word = classify(statement.text).word
        if self.skipping is not None:
            self.skip(statement, word)
        elif word in ("derived TYPE", "INTERFACE", "ENUM"):
            self.skipping = {"derived TYPE": "END TYPE", "INTERFACE": "END INTERFACE", "ENUM": "END ENUM"}[word]
        elif word == "type declaration":
            self.type_declaration(statement)
        elif word == "USE":
            self.use(self.scope, statement, self.parser)
        elif word == "IMPLICIT":
            self.implicit(statement)
        elif word == "PARAMETER":
            self.parameter(statement)
        elif word == "DIMENSION":
            self.dimension(statement)
        elif word == "INTENT":
            self.intent(statement)
        elif word in _ATTRIBUTE_STATEMENTS:
            self.attribute(statement, word)
        elif word in ("EXTERNAL", "PROCEDURE"):
            for name, _ in self.names_after(statement, "::" if "::" in statement.text else word):
                self.scope.add(ExternalProcedure(name))
        elif word in ("COMMON", "EQUIVALENCE", "DATA"):
            self.storage(statement, word)
        elif word == "ENTRY":
            raise Refused("FCL110", "ENTRY statement is not supported", statement.span())

    def skip(self, statement: LogicalStatement, word: str) -> None:
        """Inside an interface body or a type: only the names of procedures matter."""
        if word == self.skipping:
            self.skipping = None
            return
        if self.skipping == "END INTERFACE":
            match = re.search(r"\b(?:subroutine|function)\s+([A-Za-z]\w*)", statement.text, re.IGNORECASE)
            if match and not statement.text.lower().startswith("end"):
                self.scope.add(ExternalProcedure(match[1]))

    def names_after(self, statement: LogicalStatement, word: str) -> list[tuple[str, Span]]:
        """Names in a list after a keyword, with their places."""
        start = statement.text.lower().find(word.lower()) + len(word)
        return [
            (m[0], statement.span(start + m.start(), start + m.end())) for m in _NAMES.finditer(statement.text[start:])
        ]

    def entry(self, name: str, span: Span) -> Pending:
        """The pending declaration of a name."""
        return self.pending.setdefault(name.lower(), Pending(name, span))

    # -- each kind ----------------------------------------------------------------------------------------------
    def type_declaration(self, statement: LogicalStatement) -> None:
        parsed = self.parser.parse("Type_Declaration_Stmt", Fragment.whole(statement), "a type declaration")
        spec, attributes, entities = parsed.node.items
        found: set[str] = set()
        bounds: tuple[Bounds, ...] | None = None
        intent: Intent | None = None
        for attribute in attributes.items if attributes is not None else ():
            kind = type(attribute).__name__
            if kind == "Dimension_Attr_Spec":
                bounds = array_spec(parsed, attribute.items[1])
            elif kind == "Intent_Attr_Spec":
                intent = _intent(str(attribute.items[1]))
            else:
                found.add(str(attribute).lower().split("(")[0].strip())
        fault: Refused | None = None
        base: tuple[ScalarType, bool] | None = None
        try:
            base = type_of_spec(self.expressions, parsed, spec)
        except Refused as refused:
            fault = refused
        for entity in entities.items:
            with self.problems.collecting():
                self.entity(parsed, entity, base, fault, found, bounds, intent)

    def entity(
        self,
        parsed: Parsed,
        node: Node,
        base: tuple[ScalarType, bool] | None,
        fault: Refused | None,
        attributes: set[str],
        bounds: tuple[Bounds, ...] | None,
        intent: Intent | None,
    ) -> None:
        """One name of a type declaration."""
        if attributes & {"external", "intrinsic"}:
            if "external" in attributes:
                self.scope.add(ExternalProcedure(str(node.items[0])))
            return
        name, shape, length, initial = (*node.items, None, None, None)[:4]
        spelled = str(name)
        span = parsed.fragment.find(spelled) if base is None else _entity_span(parsed, spelled)
        entry = self.entry(spelled, span)
        if entry.type is not None or entry.fault is not None:
            raise Refused("FCL115", f"'{spelled}' is declared twice", span)
        entry.name, entry.span, entry.fault = spelled, span, fault
        if base is not None:
            entry.type, entry.default_kind = base
            if length is not None:
                entry.type, entry.default_kind = type_of_spec(self.expressions, parsed, None, base[0].base, length)
        entry.attributes |= attributes
        entry.intent = intent or entry.intent
        entry.bounds = array_spec(parsed, shape) if shape is not None else bounds or entry.bounds
        if "parameter" in attributes:
            if initial is None:
                raise Refused("FCL103", f"the parameter '{spelled}' has no value", span)
            self.constant(entry, parsed.of(initial.items[1]))
        elif initial is not None:
            entry.attributes.add("save")

    def constant(self, entry: Pending, value: Parsed) -> None:
        """A PARAMETER gets its value."""
        entry.is_constant = True
        try:
            if entry.fault is not None:
                raise entry.fault
            if entry.type is None:
                entry.type, entry.default_kind = self.implicit_type(entry)
            if entry.bounds is not None:
                self.scope.add(
                    constant_arrays.read(self.expressions, entry.name, entry.type, entry.bounds, value, entry.span)
                )
                return
            literal = constants.converted(self.expressions.constant(value, f"the parameter '{entry.name}'"), entry.type)
            if literal is None:
                raise Refused("FCL116", f"the value of '{entry.name}' does not fit {entry.type}", value.span())
            self.scope.add(Constant(entry.name, literal))
        except Refused as refused:
            self.unusable(entry, refused)

    def unusable(self, entry: Pending, refused: Refused) -> None:
        """A name that cannot be used: reported now, or at its first use."""
        said = refused.diagnostic
        self.scope.add(Unusable(entry.name, said.code, said.message, said.notes, said.hints))
        if not self.keep_faults:
            self.problems.add(said)

    def implicit_type(self, entry: Pending) -> tuple[ScalarType, bool]:
        options = self.expressions.options
        found = self.scope.implicit.type_of(entry.name, options.default_integer, options.default_real)
        if found is None:
            raise Refused("FCL114", f"'{entry.name}' is not declared", entry.span)
        return found

    def implicit(self, statement: LogicalStatement) -> None:
        parsed = self.parser.parse("Implicit_Stmt", Fragment.whole(statement), "an IMPLICIT statement")
        specs = parsed.node.items[0]
        if str(specs).upper() == "NONE":
            self.scope.implicit = ImplicitRules(none=True)
            return
        rules = ImplicitRules(False, dict(self.scope.implicit.letters))
        for spec in specs.items:
            type_of = type_of_spec(self.expressions, parsed, spec.items[0])
            for letters in spec.items[1].items:
                first, last = str(letters.items[0]).lower(), str(letters.items[1] or letters.items[0]).lower()
                for code in range(ord(first), ord(last) + 1):
                    rules.letters[chr(code)] = type_of
        self.scope.implicit = rules

    def parameter(self, statement: LogicalStatement) -> None:
        parsed = self.parser.parse("Parameter_Stmt", Fragment.whole(statement), "a PARAMETER statement")
        for definition in parsed.node.items[1].items:
            with self.problems.collecting():
                name = str(definition.items[0])
                entry = self.entry(name, parsed.fragment.find(name))
                self.constant(entry, parsed.of(definition.items[1]))

    def dimension(self, statement: LogicalStatement) -> None:
        parsed = self.parser.parse("Dimension_Stmt", Fragment.whole(statement), "a DIMENSION statement")
        for name, shape in parsed.node.items[0]:
            self.entry(str(name), parsed.fragment.find(str(name))).bounds = array_spec(parsed, shape)

    def intent(self, statement: LogicalStatement) -> None:
        end = statement.text.index(")")
        intent = _intent(statement.text[statement.text.index("(") + 1 : end])
        for name, span in self.names_after(statement, statement.text[: end + 1]):
            self.entry(name, span).intent = intent

    def attribute(self, statement: LogicalStatement, word: str) -> None:
        names = self.names_after(statement, word)
        self.save_all = self.save_all or (word == "SAVE" and not names)
        shape_free = re.sub(r"\([^()]*\)", "", statement.text)
        wanted = {m[0].lower() for m in _NAMES.finditer(shape_free)}
        for name, span in names:
            if name.lower() in wanted:
                self.entry(name, span).attributes.add(word.lower())

    def storage(self, statement: LogicalStatement, word: str) -> None:
        """COMMON, EQUIVALENCE and DATA give names storage that outlives the call."""
        text = statement.text if word != "DATA" else re.sub(r"/[^/]*/", " ", statement.text)
        text = re.sub(r"/\s*\w*\s*/", " ", text)
        for match in _NAMES.finditer(text[len(word) :]):
            entry = self.entry(match[0], statement.span())
            entry.attributes.add("save" if word == "DATA" else word.lower())
            entry.span = entry.span if entry.type is not None else statement.span()


def _entity_span(parsed: Parsed, name: str) -> Span:
    """The name after the type and its attributes: ``real(n) :: n`` must not point at the first ``n``."""
    text = parsed.fragment.text
    start = text.find("::") + 2 if "::" in text else 0
    return parsed.fragment.part(start).find(name)


def _intent(text: str) -> Intent:
    word = text.replace(" ", "").lower()
    return "in" if word == "in" else "out" if word == "out" else "inout"


def refused_attribute(entry: Pending) -> Refused | None:
    """FCL111 or FCL117 for an attribute that a kernel's variable cannot have."""
    for attribute in sorted(entry.attributes - _HARMLESS - {"parameter"}):
        if attribute in ("save", "common", "equivalence"):
            return Refused(
                "FCL117",
                f"'{entry.name}' keeps its value between calls ({attribute.upper()}), which a kernel cannot",
                entry.span,
                hints=("make it a dummy argument, or a PARAMETER if it never changes",),
            )
        return Refused("FCL111", f"the attribute {attribute.upper()} of '{entry.name}' is not supported", entry.span)
    return None


def report(problems: Problems, refused: Refused) -> None:
    """Add a refusal."""
    problems.add(Diagnostic(**vars(refused.diagnostic)))


__all__ = ["DeclarationReader", "Pending", "refused_attribute", "unsupported_type"]
