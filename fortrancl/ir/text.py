"""Expression strings of scripts, read and written.

Script strings are Python-like and 0-based: ``a[i, k+1]``, ``x(i)``, ``//`` and ``%`` round down, ``/`` is Fortran's.
Names are looked up case-blind; an iname that a step replaced means what it became. A real without more digits than
real(4) holds is real(4), so that a script cannot widen a single-precision kernel by accident; any other is real(8).
"""

from __future__ import annotations

import ast
import keyword
import re
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.expr import (
    Binary,
    BinaryOp,
    Call,
    Convert,
    Expr,
    Literal_,
    RuleCall,
    Subscript,
    Unary,
    Var,
    integer,
    logical,
)
from fortrancl.ir.kernel import Declaration, Kernel
from fortrancl.ir.types import INTEGER4, INTEGER8, REAL4, REAL8, ScalarType

INTRINSICS = frozenset(
    "abs sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh min max mod modulo sign floor ceiling nint "
    "aint anint merge iand ior ieor not ishft btest dim hypot gamma erf floordiv floormod".split()
)
_CONVERSIONS = {"int": INTEGER4, "real": REAL4, "dble": REAL8}
_OPERATORS: dict[type[ast.operator], BinaryOp] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}
_COMPARISONS: dict[type[ast.cmpop], BinaryOp] = {
    ast.Eq: "==",
    ast.NotEq: "/=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_MAX_LENGTH = 20_000
_REAL4, _REAL8, _INTEGER4, _INTEGER8 = "_real4_", "_real8_", "_integer4_", "_integer8_"
_MARKS = {_REAL4: REAL4, _REAL8: REAL8, _INTEGER4: INTEGER4, _INTEGER8: INTEGER8}
"""Functions that stand for a literal whose kind its Fortran spelling tells."""


@dataclass(frozen=True)
class _Reader:
    kernel: Kernel
    text: str
    argument: str | None
    bound: dict[str, str] = field(default_factory=dict)

    def fail(self, message: str, value: str | None = None, hints: Iterable[str] = ()) -> StepError:
        shown = None if value is None else _as_written(value)
        return StepError("FCL250", _as_written(message), argument=self.argument, value=shown, hints=hints)

    def read(self, node: ast.expr) -> Expr:
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.Name):
            return self.name(node.id)
        if isinstance(node, ast.UnaryOp):
            operand = self.read(node.operand)
            if isinstance(node.op, ast.Not):
                return Unary("not", operand)
            if isinstance(node.op, ast.USub):
                if isinstance(operand, Literal_) and type(operand.value) is int:
                    return integer(-operand.value)
                return Unary("-", operand)
            if isinstance(node.op, ast.UAdd):
                return operand
        if isinstance(node, ast.BinOp):
            return self.operation(node)
        if isinstance(node, ast.BoolOp):
            op: BinaryOp = "and" if isinstance(node.op, ast.And) else "or"
            result = self.read(node.values[0])
            for value in node.values[1:]:
                result = Binary(op, result, self.read(value))
            return result
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        raise self.fail(f"'{ast.unparse(node)}' is no expression of a kernel", ast.unparse(node))

    def constant(self, value: object) -> Expr:
        if isinstance(value, bool):
            return logical(value)
        if isinstance(value, int):
            return integer(value, INTEGER4 if -(2**31) <= value < 2**31 else INTEGER8)
        if isinstance(value, float):
            try:
                single = struct.unpack("f", struct.pack("f", value))[0] == value
            except OverflowError:
                single = False
            return Literal_(value, REAL4 if single else REAL8)
        raise self.fail(f"{value!r} is no number")

    def name(self, name: str) -> Expr:
        name = name.removeprefix("_name_")
        lower = name.lower()
        if lower in self.bound:
            return Var(self.bound[lower])
        found = find_scalar(self.kernel, lower)
        if found is not None:
            return Var(found)
        for old, current in self.kernel.rewrites:
            if old.lower() == lower:
                return current
        raise self.fail(
            f"no loop or scalar named '{name}' in kernel '{self.kernel.name}'",
            name,
            did_you_mean(
                name, (*self.kernel.iname_by_name, *(a.name for a in self.kernel.arguments), *self.bound.values())
            ),
        )

    def operation(self, node: ast.BinOp) -> Expr:
        left, right = self.read(node.left), self.read(node.right)
        if isinstance(node.op, ast.FloorDiv):
            return Call("floordiv", (left, right))
        if isinstance(node.op, ast.Mod):
            return Call("floormod", (left, right))
        op = _OPERATORS.get(type(node.op))
        if op is None:
            raise self.fail(f"'{ast.unparse(node)}' uses an operator that Fortran lacks", ast.unparse(node))
        return Binary(op, left, right)

    def comparison(self, node: ast.Compare) -> Expr:
        operands = [self.read(node.left), *(self.read(other) for other in node.comparators)]
        result: Expr | None = None
        for op, left, right in zip(node.ops, operands, operands[1:], strict=False):
            known = _COMPARISONS.get(type(op))
            if known is None:
                raise self.fail(f"'{ast.unparse(node)}' is no comparison of numbers", ast.unparse(node))
            test = Binary(known, left, right)
            result = test if result is None else Binary("and", result, test)
        assert result is not None
        return result

    def subscript(self, node: ast.Subscript) -> Expr:
        if not isinstance(node.value, ast.Name):
            raise self.fail(f"'{ast.unparse(node)}' is no array element", ast.unparse(node))
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return self.element(node.value.id, [self.read(part) for part in parts])

    def element(self, name: str, indices: list[Expr]) -> Expr:
        array = find_array(self.kernel, name)
        if array is None:
            raise self.fail(
                f"no array named '{name}' in kernel '{self.kernel.name}'",
                name,
                did_you_mean(name, (d.name for d in declarations(self.kernel) if d.shape)),
            )
        rank = len(self.kernel.declaration(array).shape)
        if rank != len(indices):
            raise self.fail(f"'{array}' has {rank} dimension{'s'[: rank != 1]}, not {len(indices)}", name)
        return Subscript(array, tuple(indices))

    def call(self, node: ast.Call) -> Expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self.fail(f"'{ast.unparse(node)}' is no function or array of the kernel", ast.unparse(node))
        name, arguments = node.func.id, [self.read(argument) for argument in node.args]
        rule = find_rule(self.kernel, name)
        if rule is not None:
            expected = len(self.kernel.rule_by_name[rule].parameters)
            if expected != len(arguments):
                raise self.fail(f"rule '{rule}' takes {expected} arguments, not {len(arguments)}", name)
            return RuleCall(rule, tuple(arguments))
        if find_array(self.kernel, name) is not None:
            return self.element(name, arguments)
        lower = name.lower()
        mark = arguments[0] if name in _MARKS and len(arguments) == 1 else None
        if isinstance(mark, Literal_) and isinstance(mark.value, int | float):
            return Literal_(float(mark.value) if name in (_REAL4, _REAL8) else mark.value, _MARKS[name])
        if lower in _CONVERSIONS and len(arguments) == 1:
            return Convert(_CONVERSIONS[lower], arguments[0])
        if lower in INTRINSICS and arguments:
            return Call(lower, tuple(arguments))
        raise self.fail(
            f"no function, rule or array named '{name}'",
            name,
            did_you_mean(name, (*INTRINSICS, *self.kernel.rule_by_name)),
        )


def declarations(kernel: Kernel) -> tuple[Declaration, ...]:
    """Arguments, then temporaries."""
    return (*kernel.arguments, *kernel.temporaries)


def find_scalar(kernel: Kernel, name: str) -> str | None:
    """Declared spelling of an iname, scalar or extent parameter, or None."""
    lower = name.lower()
    for known in kernel.iname_by_name:
        if known.lower() == lower:
            return known
    for declaration in declarations(kernel):
        if declaration.name.lower() == lower and not declaration.shape:
            return declaration.name
    return next((extent.name for extent in kernel.extents if extent.name.lower() == lower), None)


def find_array(kernel: Kernel, name: str) -> str | None:
    """Declared spelling of an array, or None."""
    lower = name.lower()
    return next((d.name for d in declarations(kernel) if d.shape and d.name.lower() == lower), None)


def find_rule(kernel: Kernel, name: str) -> str | None:
    """Spelling of a rule's name, or None."""
    return next((rule.name for rule in kernel.rules if rule.name.lower() == name.lower()), None)


def parse_expression(text: str, kernel: Kernel, *, names: Iterable[str] = (), argument: str | None = None) -> Expr:
    """A script string as an expression over a kernel's names and, before them, ``names`` (a rule's parameters).

    Errors: FCL250 (a `StepError` on ``argument``), with the part at fault as its value.
    """
    reader = _Reader(kernel, text, argument, {name.lower(): name for name in names})
    if len(text) > _MAX_LENGTH:
        raise reader.fail("the expression is too long")
    try:
        tree = ast.parse(_python_spelling(text), mode="eval")
        return reader.read(tree.body)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        hints = ("write array elements as a[i,j]",)
        raise reader.fail(f"'{text}' is no expression: {_reason(error)}", hints=hints) from None


def parse_subscripts(text: str, kernel: Kernel, rank: int, *, argument: str | None = None) -> tuple[Expr | None, ...]:
    """``rank`` subscripts, None for a colon alone (a whole axis).

    Errors: FCL250.
    """
    reader = _Reader(kernel, text, argument)
    try:
        node = ast.parse(f"_[{_python_spelling(text)}]", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise reader.fail(f"'{text}' is no list of subscripts: {_reason(error)}") from None
    assert isinstance(node, ast.Subscript)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if len(parts) != rank:
        raise reader.fail(f"'{text}' has {len(parts)} subscripts where the array has {rank} dimensions")
    whole = ast.dump(ast.Slice())
    return tuple(None if ast.dump(part) == whole else reader.read(part) for part in parts)


def _reason(error: Exception) -> str:
    return error.msg if isinstance(error, SyntaxError) else "it is nested too deeply or holds odd characters"


def parse_condition(text: str, kernel: Kernel, *, names: Iterable[str] = (), argument: str | None = None) -> Expr:
    """An assumption: a logical expression, also in the peer's spelling (``n mod 32 = 0``).

    Errors: FCL250.
    """
    # 'n mod (k+1)' and 'mod(n, 2)': the operator stands behind a value.
    spelled = re.sub(r"(?<=[\w)\]])\s+mod\b", " %", text)
    spelled = re.sub(r"(?<![<>=!/:])=(?!=)", "==", spelled)
    return parse_expression(spelled, kernel, names=names, argument=argument)


_DOTTED = {
    "and": "and", "or": "or", "not": "not", "true": "True", "false": "False",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_KEYWORD = re.compile(
    rf"(?<![\w.])({'|'.join(sorted({*keyword.kwlist} - {'and', 'or', 'not', 'True', 'False'}))})\b", re.IGNORECASE
)
_FORTRAN_REAL = re.compile(
    r"(?<![\w.])(?P<digits>\d+\.?\d*|\.\d+)(?:[dD](?P<double>[+-]?\d+)|[eE](?P<single>[+-]?\d+))?(?:_(?P<kind>[48]))?"
    r"(?![\w.])"
)


def _python_spelling(text: str) -> str:
    """Fortran's spellings in Python's: ``.and.``, ``/=``, ``2d0``, names that are Python's keywords; no ``$tag``.

    >>> _python_spelling("x$left[i] /= 2d0 .AND. lambda > 1_8")
    'x[i] != _real8_(2e0)  and  _name_lambda > _integer8_(1)'
    """
    spelled = re.sub(r"\$\w+", "", text).strip().replace("\n", " ").replace("/=", "!=")
    dotted = rf"\.({'|'.join(_DOTTED)})\."
    spelled = re.sub(dotted, lambda found: f" {_DOTTED[found[1].lower()]} ", spelled, flags=re.IGNORECASE)
    spelled = _FORTRAN_REAL.sub(_python_real, spelled)
    return _KEYWORD.sub(r"_name_\1", spelled)


def _as_written(message: str) -> str:
    """A message without the marks of `_python_spelling`."""
    return re.sub(r"_(?:real|integer)[48]_\(([^)]*)\)", r"\1", message.replace("_name_", ""))


def _python_real(found: re.Match[str]) -> str:
    if found["double"] is not None:
        return f"{_REAL8}({found['digits']}e{found['double']})"
    if found["kind"] is None:
        return found[0]
    number = found["digits"] + (f"e{found['single']}" if found["single"] is not None else "")
    marks = (_INTEGER4, _INTEGER8) if number.isdecimal() else (_REAL4, _REAL8)
    return f"{marks[found['kind'] == '8']}({number})"


_LEVELS = {
    "or": 1, "and": 2, "==": 4, "/=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5, "*": 7, "/": 7, "**": 9,
}  # fmt: skip
_NOT, _SIGN, _ATOM = 3, 6, 10


def expr_text(expr: Expr) -> str:
    """An expression as text; the parentheses tell the tree's shape.

    >>> expr_text(Binary("*", Binary("-", Var("a"), Binary("-", Var("b"), integer(1))), Subscript("x", (Var("i"),))))
    '(a - (b - 1))*x[i]'
    """
    return _text(expr)[0]


def _text(expr: Expr) -> tuple[str, int]:
    if isinstance(expr, Literal_):
        text = _literal_text(expr)
        return text, (_SIGN if text.startswith("-") else _ATOM)
    if isinstance(expr, Var):
        return expr.name, _ATOM
    if isinstance(expr, Subscript):
        return f"{expr.array}[{', '.join(map(expr_text, expr.indices))}]", _ATOM
    if isinstance(expr, Unary):
        level = _NOT if expr.op == "not" else _SIGN
        return ("not " if expr.op == "not" else expr.op) + _at(expr.operand, level + 1), level
    if isinstance(expr, Binary):
        if expr.op in ("eqv", "neqv"):
            return f"{expr.op}({expr_text(expr.left)}, {expr_text(expr.right)})", _ATOM
        level = _LEVELS[expr.op]
        right_first = expr.op == "**"
        left, right = _at(expr.left, level + right_first), _at(expr.right, level + (not right_first))
        joint = expr.op if level >= 7 else f" {expr.op} "
        return f"{left}{joint}{right}", level
    if isinstance(expr, Convert):
        return f"{expr.type.base}({expr_text(expr.operand)}, {expr.type.kind})", _ATOM
    name = expr.rule if isinstance(expr, RuleCall) else expr.function
    return f"{name}({', '.join(map(expr_text, expr.arguments))})", _ATOM


def _at(expr: Expr, least: int) -> str:
    text, level = _text(expr)
    return text if level >= least else f"({text})"


def _literal_text(expr: Literal_) -> str:
    if expr.text is not None:
        return expr.text
    if isinstance(expr.value, bool):
        return ".true." if expr.value else ".false."
    if isinstance(expr.value, float):
        text = repr(expr.value)
        if expr.type != REAL8:
            return text
        return text.replace("e", "d") if "e" in text else text + "d0"
    return str(expr.value)


def literal_of(value: object, type: ScalarType) -> Literal_ | None:
    """A Python number as a literal of a Fortran type, or None where it is not one of it."""
    if type.base == "integer" and isinstance(value, int) and not isinstance(value, bool):
        # Fortran's integers are symmetric: -2**31 is no integer(4) constant.
        return Literal_(value, type) if abs(value) < 2 ** (8 * type.kind - 1) else None
    if type.base == "real" and isinstance(value, int | float) and not isinstance(value, bool):
        largest = 3.4028235e38 if type.kind == 4 else sys.float_info.max
        return Literal_(float(value), type) if abs(value) <= largest else None
    if type.base == "logical" and isinstance(value, bool):
        return Literal_(value, type)
    return None
