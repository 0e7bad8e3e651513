"""Expressions: from fparser's nodes to typed IR, names resolved by their declarations and never by the node's type."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from fortrancl.diagnostics import did_you_mean
from fortrancl.frontend import constants, intrinsics
from fortrancl.frontend.kinds import check_kind
from fortrancl.frontend.linear import is_affine_in_names, normalise
from fortrancl.frontend.options import FrontendOptions
from fortrancl.frontend.parse import Fparser, Node, Parsed, fparser, unshadowed
from fortrancl.frontend.problems import Refused
from fortrancl.frontend.scope import Constant, ConstantArray, ExternalProcedure, Scope, Unusable, Variable
from fortrancl.frontend.values import Value
from fortrancl.ir.expr import LOGICAL_OPS, Binary, BinaryOp, Expr, Literal_, Subscript, Unary, Var, integer
from fortrancl.ir.kernel import Dim
from fortrancl.ir.typeof import operation_type
from fortrancl.ir.types import INTEGER4, ScalarType
from fortrancl.source import Span

_OPERATORS: dict[str, BinaryOp] = {
    "+": "+", "-": "-", "*": "*", "/": "/", "**": "**",
    "==": "==", "/=": "/=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
    ".eq.": "==", ".ne.": "/=", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=",
    ".and.": "and", ".or.": "or", ".eqv.": "eqv", ".neqv.": "neqv",
}  # fmt: skip


@dataclass
class Names:
    """What an expression's names stand for at one place: ``values`` are scalars that are known as expressions (loop
    variables inside their loops), by lower-case name; ``spelled`` gives other scalars their name in the IR."""

    values: Mapping[str, Value] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)


class ExpressionReader:
    """Makes IR of parsed expressions in one scope.

    ``use`` is told of every variable and constant array that an expression refers to. In the specification part
    (``specification``) only dummies and constants may be used.
    """

    def __init__(
        self,
        scope: Scope,
        options: FrontendOptions,
        use: Callable[[Variable | ConstantArray], None] | None = None,
        *,
        specification: bool = False,
    ) -> None:
        self.scope, self.options = scope, options
        self.use = use or (lambda entity: None)
        self.specification = specification
        self.names = Names()
        # Names declared so far that are no constants (while a specification part is read).
        self.pending: Collection[str] = ()
        self.grammar: Fparser = fparser()
        # Inside an array assignment: the counters of its loops, first dimension first.
        self.counters: tuple[Expr, ...] = ()

    # -- names --------------------------------------------------------------------------------------------------
    def resolve(self, name: str, span: Span) -> Variable | Constant | ConstantArray | ExternalProcedure:
        """What a name means, implicit typing included. Refuses with FCL114 and what made a name unusable."""
        entity = self.scope.find(name)
        if isinstance(entity, Unusable):
            raise entity.refuse(span)
        if entity is not None:
            return entity
        if name.lower() in self.pending:
            raise Refused("FCL116", f"'{name}' is not a constant", span)
        implicit = self.scope.implicit.type_of(name, self.options.default_integer, self.options.default_real)
        if implicit is None or self.scope.modules_not_found():
            raise self.undeclared(name, span)
        made = Variable(name, implicit[0], default_kind=implicit[1], implicit=True, span=span)
        self.scope.add(made)
        return made

    def undeclared(self, name: str, span: Span) -> Refused:
        """FCL114, with the modules that could have declared it."""
        modules = self.scope.modules_not_found()
        notes = tuple(f"module '{module}' is used here, but its source was not found" for module in modules)
        hints = did_you_mean(name, self.scope.known_names)
        if modules:
            hints = (*hints, "give the folder of the module's source with -I; its file must be named after the module")
        return Refused("FCL114", f"'{name}' is not declared", span, notes=notes, hints=hints)

    # -- entry points -------------------------------------------------------------------------------------------
    def read(self, parsed: Parsed) -> Value:
        """The value of an expression. Refuses with FCL110 … FCL128."""
        return self.node(parsed, parsed.node)

    def integer(self, parsed: Parsed, what: str) -> Value:
        """An integer expression; ``what`` names its role. Refuses with FCL126."""
        value = self.read(parsed)
        if value.type.base != "integer":
            raise Refused("FCL126", f"{what} must be an integer, not {value.type}", parsed.span())
        return value

    def logical(self, parsed: Parsed, what: str) -> Value:
        """A logical expression. Refuses with FCL126."""
        value = self.read(parsed)
        if value.type.base != "logical":
            raise Refused("FCL126", f"{what} must be logical, not {value.type}", parsed.span())
        return value

    def constant(self, parsed: Parsed, what: str) -> Literal_:
        """A constant expression's value. Refuses with FCL116."""
        value = constants.fold(self.read(parsed).expr)
        if value is None:
            raise Refused("FCL116", f"{what} must be a constant expression with a value", parsed.span())
        return value

    # -- nodes --------------------------------------------------------------------------------------------------
    def node(self, at: Parsed, node: Node) -> Value:
        """One node; ``at`` knows the text round it."""
        grammar = self.grammar.f2003
        if isinstance(node, grammar.Name):
            return self.name(unshadowed(str(node)), at.span_of(node))
        if isinstance(node, grammar.Parenthesis):
            return self.node(at, node.items[1])
        if isinstance(node, grammar.NumberBase) or type(node).__name__.endswith("_Literal_Constant"):
            return self.literal(at, node)
        if isinstance(node, grammar.BinaryOpBase):
            return self.binary(at, node)
        if isinstance(node, grammar.UnaryOpBase):
            return self.unary(at, node)
        call = reference(node)
        if call is not None:
            return self.reference(at, node, *call)
        raise Refused("FCL110", f"{_construct_name(node)} is not supported here", at.span_of(node))

    def name(self, name: str, span: Span) -> Value:
        known = self.names.values.get(name.lower())
        if known is not None:
            return known
        entity = self.resolve(name, span)
        if isinstance(entity, Constant):
            return Value(entity.value, entity.value.type)
        if isinstance(entity, ExternalProcedure):
            raise Refused("FCL121", f"'{name}' is a procedure; calls are not supported", span)
        if isinstance(entity, ConstantArray) or entity.dims is not None:
            return self.whole_array(entity, span)
        self.require_specification(entity, span)
        self.use(entity)
        return Value(Var(self.names.spelled.get(name.lower(), entity.name)), entity.type)

    def whole_array(self, entity: Variable | ConstantArray, span: Span) -> Value:
        """The element that an array assignment is at. Refuses with FCL125."""
        if len(self.counters) != len(entity.dims or ()):
            why = (
                f"has rank {len(entity.dims or ())}, which does not fit here"
                if self.counters
                else "is not supported here"
            )
            hint = "write a DO loop over its elements"
            raise Refused("FCL125", f"the whole array '{entity.name}' {why}", span, hints=(hint,))
        self.use(entity)
        return Value(Subscript(entity.name, self.counters), entity.type)

    def require_specification(self, entity: Variable, span: Span) -> None:
        """In the specification part a local variable has no value yet. Refuses with FCL116."""
        if self.specification and not entity.is_dummy:
            raise Refused("FCL116", f"'{entity.name}' has no value in the specification part", span)

    def literal(self, at: Parsed, node: Node) -> Value:
        kind_name = type(node).__name__
        span = at.span_of(node)
        if kind_name.endswith("Int_Literal_Constant"):
            kind = self.literal_kind(at, node.items[1], self.options.default_integer, "integer")
            value = int(str(node.items[0]))
            if value >= 1 << (8 * kind - 1):
                raise Refused(
                    "FCL119",
                    f"{value} does not fit integer({kind})",
                    span,
                    hints=("give it a kind: with int64 from iso_fortran_env, 1_int64",),
                )
            result = ScalarType("integer", kind)
            return Value(integer(value, result), result)
        if kind_name.endswith("Real_Literal_Constant"):
            digits = str(node.items[0])
            default = self.options.default_double if re.search("[dD]", digits) else self.options.default_real
            result = ScalarType("real", self.literal_kind(at, node.items[1], default, "real"))
            return Value(constants.real_literal(digits, result), result)
        if kind_name == "Logical_Literal_Constant":
            kind = self.literal_kind(at, node.items[1], self.options.default_integer, "logical")
            result = ScalarType("logical", kind)
            return Value(Literal_(str(node.items[0]).lower() == ".true.", result), result)
        what = {"Char": "a character constant", "Complex": "a complex constant"}.get(
            kind_name.split("_")[0], "a binary, octal or hexadecimal constant"
        )
        raise Refused("FCL112", f"{what} is not supported", span)

    def literal_kind(self, at: Parsed, kind: Node, default: int, base: str) -> int:
        """Bytes of a literal with a kind suffix."""
        if kind is None:
            value = default
        elif str(kind).isdigit():
            value = int(str(kind))
        else:
            span = at.fragment.find(str(kind))
            found = constants.fold(self.name(unshadowed(str(kind)), span).expr)
            if found is None or not isinstance(found.value, int):
                raise Refused("FCL116", f"'{kind}' is not a constant integer", span)
            value = found.value
        return check_kind(base, value, at.span())

    # -- operations ---------------------------------------------------------------------------------------------
    def binary(self, at: Parsed, node: Node) -> Value:
        left_node, spelled, right_node = node.items
        op = _OPERATORS.get(str(spelled).lower())
        if op is None:
            what = "character concatenation" if spelled == "//" else f"the defined operator {str(spelled).lower()}"
            raise Refused("FCL110", f"{what} is not supported", at.fragment.find(str(spelled)))
        # A chain a + b + c … is as deep as it is long: walk its left spine in a loop.
        spine = [(op, right_node)]
        while isinstance(left_node, self.grammar.f2003.BinaryOpBase):
            inner = _OPERATORS.get(str(left_node.items[1]).lower())
            if inner is None:
                break
            spine.append((inner, left_node.items[2]))
            left_node = left_node.items[0]
        value = self.node(at, left_node)
        for operator, operand in reversed(spine):
            value = self.operate(operator, value, self.node(at, operand), at)
        return value

    def operate(self, op: BinaryOp, left: Value, right: Value, at: Parsed) -> Value:
        """A binary operation on two values. Refuses with FCL126."""
        logical = [value.type.base == "logical" for value in (left, right)]
        if op in LOGICAL_OPS and not all(logical):
            raise Refused("FCL126", f".{op}. needs logical operands, not {left.type} and {right.type}", at.span())
        if op not in LOGICAL_OPS and any(logical):
            hints = ("use .eqv. or .neqv. to compare logicals",) if all(logical) else ()
            raise Refused("FCL126", f"'{op}' does not join {left.type} and {right.type}", at.span(), hints=hints)
        result = operation_type(op, left.type, right.type)
        expr: Expr = Binary(op, left.expr, right.expr)
        if op in ("+", "-", "*") and left.type == right.type == INTEGER4 and is_affine_in_names(expr):
            expr = normalise(expr)
        return Value(expr, result)

    def unary(self, at: Parsed, node: Node) -> Value:
        op, operand = str(node.items[0]).lower(), self.node(at, node.items[1])
        if op == ".not.":
            if operand.type.base != "logical":
                raise Refused("FCL126", f".not. needs a logical operand, not {operand.type}", at.span())
            return Value(Unary("not", operand.expr), operand.type)
        if op not in ("-", "+"):
            raise Refused("FCL110", f"the defined operator {op} is not supported", at.fragment.find(op))
        if operand.type.base == "logical":
            raise Refused("FCL126", f"'{op}' needs a number, not {operand.type}", at.span())
        if op == "+":
            return operand
        value = operand.expr
        if isinstance(value, Literal_) and isinstance(value.value, int) and operand.type.base == "integer":
            return Value(integer(-value.value, value.type), operand.type)
        return Value(Unary("-", value), operand.type)

    # -- name(arguments) ----------------------------------------------------------------------------------------
    def reference(self, at: Parsed, node: Node, name: str, arguments: tuple[Node, ...]) -> Value:
        """``name(arguments)``: an element where ``name`` is an array, else an intrinsic."""
        span = at.fragment.find(name)
        entity = self.scope.find(name)
        if isinstance(entity, Unusable):
            raise entity.refuse(span)
        if (isinstance(entity, Variable) and entity.dims is not None) or isinstance(entity, ConstantArray):
            return self.element(at, entity, arguments, span)
        is_function = not isinstance(entity, Variable | Constant) or (
            isinstance(entity, Variable) and not entity.is_dummy and intrinsics.is_known(name)
        )
        if is_function and not isinstance(entity, ExternalProcedure) and intrinsics.is_known(name):
            return intrinsics.call(self, at, name.lower(), arguments, span)
        if isinstance(entity, Constant):
            raise Refused("FCL124", f"'{name}' is a scalar and takes no subscript", span)
        if entity is not None:
            raise Refused(
                "FCL121",
                f"'{name}' is a function here; calls are not supported",
                span,
                hints=("inline the function by hand, or declare the array's shape",),
            )
        if name.lower() in self.pending:
            raise Refused("FCL116", f"'{name}' is not a constant", span)
        why = self.undeclared(name, span).diagnostic
        raise Refused("FCL120", f"'{name}' is neither a declared array nor an intrinsic function that is supported",
                      span, notes=why.notes, hints=why.hints)  # fmt: skip

    def element(self, at: Parsed, entity: Variable | ConstantArray, arguments: tuple[Node, ...], span: Span) -> Value:
        """An array element with 0-based subscripts. Refuses with FCL124, FCL125, FCL126."""
        dims = entity.dims or ()
        if len(arguments) != len(dims):
            raise Refused(
                "FCL124", f"'{entity.name}' has {_count(len(dims), 'dimension')} but {len(arguments)} here", span
            )
        sections = sum(type(argument).__name__ == "Subscript_Triplet" for argument in arguments)
        if sections and sections != len(self.counters):
            hint = "write a DO loop over its elements"
            raise Refused("FCL125", f"the array section of '{entity.name}' is not supported here", span, hints=(hint,))
        counters = iter(self.counters)
        indices = tuple(
            self.section_index(at, argument, dim, next(counters))
            if type(argument).__name__ == "Subscript_Triplet"
            else self.index(at, argument, dim)
            for argument, dim in zip(arguments, dims, strict=True)
        )
        if isinstance(entity, ConstantArray):
            known = element_of(entity, indices)
            if known is not None:
                return Value(known, entity.type)
        else:
            self.require_specification(entity, span)
        self.use(entity)
        return Value(Subscript(entity.name, indices), entity.type)

    def section_index(self, at: Parsed, node: Node, dim: Dim, counter: Expr) -> Expr:
        """Where a section's ``counter``-th element is along one dimension, from 0."""
        start, stride = self.section_start(at, node, dim)
        return normalise(Binary("+", start, Binary("*", integer(stride), counter)))

    def section_start(self, at: Parsed, node: Node, dim: Dim) -> tuple[Expr, int]:
        """(0-based first index, stride) of ``first:last:stride``. Refuses with FCL125."""
        first, _, stride_node = node.items
        stride: object = 1
        if stride_node is not None:
            stride = self.constant(at.of(stride_node), "the stride of a section").value
        if not isinstance(stride, int) or stride == 0:
            raise Refused("FCL125", "the stride of a section must be a constant other than 0", at.span_of(node))
        if first is not None:
            return self.index(at, first, dim), stride
        if stride > 0:
            return integer(0), stride
        if dim.extent is None:
            raise Refused("FCL125", "this section has no known first element", at.span_of(node))
        return normalise(Binary("-", dim.extent, integer(1))), stride

    def index(self, at: Parsed, node: Node, dim: Dim) -> Expr:
        """A subscript, the lower bound subtracted."""
        value = self.node(at, node)
        if value.type.base != "integer":
            raise Refused("FCL126", f"a subscript must be an integer, not {value.type}", at.span_of(node))
        return normalise(Binary("-", value.expr, dim.lower))


def reference(node: Node) -> tuple[str, tuple[Node, ...]] | None:
    """(name, arguments) of a node that is written ``name(arguments)``, whatever fparser took it for."""
    kind = type(node).__name__
    if kind not in ("Part_Ref", "Structure_Constructor", "Function_Reference", "Intrinsic_Function_Reference"):
        if kind != "Array_Section" or node.items[1] is not None:
            return None
        return reference(node.items[0])
    name, arguments = node.items[0], node.items[1]
    if type(name).__name__ not in ("Name", "Type_Name", "Intrinsic_Name", "Procedure_Designator"):
        return None
    if arguments is None:
        items: tuple[Node, ...] = ()
    else:
        items = tuple(arguments.items) if type(arguments).__name__.endswith("_List") else (arguments,)
    spelled = str(name).lower() if type(name).__name__ == "Intrinsic_Name" else str(name)
    return unshadowed(spelled), items


def element_of(array: ConstantArray, indices: tuple[Expr, ...]) -> Literal_ | None:
    """The element at constant subscripts; None where one is not constant or out of bounds."""
    position, stride = 0, 1
    for index, dim in zip(indices, array.dims, strict=True):
        extent = dim.extent
        if not (isinstance(index, Literal_) and isinstance(extent, Literal_)):
            return None
        at, length = int(index.value.real), int(extent.value.real)
        if not 0 <= at < length:
            return None
        position, stride = position + at * stride, stride * length
    return array.values[position]


def _construct_name(node: Node) -> str:
    kind = type(node).__name__
    return {
        "Data_Ref": "a component of a derived type",
        "Array_Constructor": "an array constructor",
        "Substring": "a substring",
        "Proc_Component_Ref": "a component of a derived type",
    }.get(kind, kind.lower().replace("_", " "))


def _count(number: int, word: str) -> str:
    return f"{number} {word}" + ("" if number == 1 else "s")
