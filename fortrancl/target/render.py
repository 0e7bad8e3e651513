"""The one printer of the C tree. It decides nothing but white space and parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

from fortrancl.target.ctree import (
    BINARY_PRECEDENCE,
    CONDITIONAL,
    PRIMARY,
    UNARY,
    Assign,
    Binary,
    Call,
    Cast,
    Comment,
    Conditional,
    Declare,
    Do,
    Expression,
    File,
    For,
    Function,
    Name,
    Number,
    Statement,
    Text,
    Unary,
    precedence,
)

_INDENT = "    "
_WIDTH = 110
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# Nothing else in a line is a private-use character, and textwrap does not take it for a space.
_KEPT_SPACE = "\ue000"
_TIGHT = frozenset({"*", "/", "%"})
# Right without parentheses, but compilers and readers ask for them.
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_BITS = frozenset({"&", "|", "^"})
_UNCLEAR = (
    {"||": frozenset({"&&", *_BITS}), "&&": _BITS}
    | {op: frozenset(BINARY_PRECEDENCE) - {op} for op in ("&", "|", "^", "<<", ">>")}
    | {op: frozenset(BINARY_PRECEDENCE) for op in _COMPARISONS}
)
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})


def expression(node: Expression) -> str:
    """One expression.

    >>> a, b, c = Name("a"), Name("b"), Name("c")
    >>> expression(Binary("-", a, Binary("-", b, c))), expression(Binary("-", Binary("-", a, b), c))
    ('a - (b - c)', 'a - b - c')
    """
    if isinstance(node, Name | Number):
        return node.text
    if isinstance(node, Unary):
        inner = _within(node.operand, UNARY)
        # --x and &&x would be other tokens.
        return f"{node.op}({inner})" if inner.startswith(node.op) and node.op in "-&" else node.op + inner
    if isinstance(node, Cast):
        return f"({node.type}){_within(node.operand, UNARY)}"
    if isinstance(node, Binary):
        return _binary(node)
    if isinstance(node, Conditional):
        condition, yes, no = (_within(part, CONDITIONAL + 1) for part in (node.condition, node.yes, node.no))
        return f"{condition} ? {yes} : {no}"
    if isinstance(node, Call):
        return f"{node.function}({', '.join(expression(argument) for argument in node.arguments)})"
    return f"{_within(node.array, PRIMARY)}[{expression(node.index)}]"


def _within(node: Expression, least: int) -> str:
    text = expression(node)
    return f"({text})" if precedence(node) < least else text


def _binary(node: Binary) -> str:
    own = BINARY_PRECEDENCE[node.op]
    left = _operand(node.op, node.left, own)
    right = _operand(node.op, node.right, own + 1)
    if node.op in _TIGHT:
        # a/*p would open a comment.
        return f"{left}{node.op}({right})" if right.startswith("*") else f"{left}{node.op}{right}"
    return f"{left} {node.op} {right}"


def _operand(op: str, node: Expression, least: int) -> str:
    if isinstance(node, Binary) and node.op in _UNCLEAR.get(op, ()):
        clear = op in _COMPARISONS and node.op in _ARITHMETIC
        if not clear:
            return f"({expression(node)})"
    if op in _BITS and isinstance(node, Unary) and node.op == "!":
        return f"({expression(node)})"
    return _within(node, least)


def statements(nodes: Iterable[Statement], depth: int = 0) -> list[str]:
    """Lines of statements."""
    return [line for node in nodes for line in _statement(node, depth)]


def _statement(node: Statement, depth: int) -> list[str]:
    pad = _INDENT * depth
    if isinstance(node, Comment):
        return [f"{pad}/* {node.text} */"]
    if isinstance(node, Declare):
        return [f"{pad}{_declaration(node)};"]
    if isinstance(node, Assign):
        lines = _wrapped(f"{pad}{expression(node.target)} {node.op} {expression(node.value)};", depth)
        return _remarked(lines, node.comment)
    if isinstance(node, Do):
        return _remarked(_wrapped(f"{pad}{expression(node.expression)};", depth), node.comment)
    if isinstance(node, For):
        stop = _within(node.stop, BINARY_PRECEDENCE["<"] + 1)
        head = f"for ({node.type} {node.name} = {expression(node.start)}; {node.name} < {stop}; ++{node.name})"
        before = [f"{pad}{node.pragma}"] if node.pragma else []
        return [*before, *_wrapped(f"{pad}{head} {{", depth), *statements(node.body, depth + 1), f"{pad}}}"]
    lines = [*_wrapped(f"{pad}if ({expression(node.condition)}) {{", depth), *statements(node.body, depth + 1)]
    if node.otherwise:
        lines += [f"{pad}}} else {{", *statements(node.otherwise, depth + 1)]
    return [*lines, f"{pad}}}"]


def _remarked(lines: list[str], comment: str) -> list[str]:
    return [*lines[:-1], f"{lines[-1]}  /* {comment} */"] if comment else lines


def _wrapped(line: str, depth: int) -> list[str]:
    """A long line broken between words; C does not mind where, but for its strings, which stay whole."""
    if len(line) <= _WIDTH:
        return [line]
    pad = _INDENT * (depth + 2)
    whole = _STRING.sub(lambda found: found[0].replace(" ", _KEPT_SPACE), line)
    lines = wrap(whole, _WIDTH, subsequent_indent=pad, break_long_words=False, break_on_hyphens=False)
    return [part.replace(_KEPT_SPACE, " ") for part in lines]


def _declaration(node: Declare) -> str:
    text = f"{node.type} {node.name}"
    if node.length is not None:
        text += f"[{expression(node.length)}]"
    if node.values:
        return f"{text} = {{{', '.join(expression(value) for value in node.values)}}}"
    return text if node.value is None else f"{text} = {expression(node.value)}"


def function(node: Function) -> str:
    """A whole function; parameters stand one a line where they would not fit."""
    parameters = [f"{parameter.type} {parameter.name}".replace("* ", "*") for parameter in node.parameters]
    one_line = f"{node.heading} {node.name}({', '.join(parameters) or 'void'})"
    if len(one_line) <= _WIDTH:
        head = [one_line]
    else:
        head = [f"{node.heading} {node.name}("]
        head += [f"{_INDENT}{parameter}," for parameter in parameters[:-1]]
        head += [f"{_INDENT}{parameters[-1]})"]
    return "\n".join([*head, "{", *statements(node.body, 1), "}"])


def file(node: File) -> str:
    """A whole file, ending in a newline."""
    parts = []
    for item in node.items:
        if isinstance(item, Text):
            parts.append(item.text.strip("\n"))
        else:
            parts.append(function(item) if isinstance(item, Function) else f"{_declaration(item)};")
    return "\n\n".join(parts) + "\n"
