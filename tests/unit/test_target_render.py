"""The printer: what it prints is the tree that a C compiler reads."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fortrancl.target import render
from fortrancl.target.ctree import (
    Assign,
    Binary,
    Call,
    Cast,
    Conditional,
    Declare,
    Do,
    For,
    Function,
    If,
    Index,
    Name,
    Number,
    Parameter,
    Unary,
)
from tests.support.build import run

A, B, C = Name("a"), Name("b"), Name("c")


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (Binary("+", Binary("+", A, B), C), "a + b + c"),
        (Binary("+", A, Binary("+", B, C)), "a + (b + c)"),
        (Binary("*", Binary("/", A, B), C), "a/b*c"),
        (Binary("/", A, Binary("*", B, C)), "a/(b*c)"),
        (Unary("-", Unary("-", A)), "-(-a)"),
        (Unary("-", Number("-1")), "-(-1)"),
        (Binary("-", A, Number("-1")), "a - -1"),
        (Binary("/", A, Unary("*", B)), "a/(*b)"),
        (Binary("||", Binary("&&", A, B), C), "(a && b) || c"),
        (Binary("==", Binary("<", A, B), C), "(a < b) == c"),
        (Binary("<", Binary("+", A, B), C), "a + b < c"),
        (Binary("&", A, Binary("==", B, C)), "a & (b == c)"),
        (Cast("int", Binary("+", A, B)), "(int)(a + b)"),
        (Index(Name("x"), Binary("+", A, B)), "x[a + b]"),
        (Index(Binary("+", A, B), C), "(a + b)[c]"),
        (Conditional(A, Conditional(B, A, C), C), "a ? (b ? a : c) : c"),
        (Binary("+", Conditional(A, B, C), C), "(a ? b : c) + c"),
        (Call("f", (Binary("+", A, B), C)), "f(a + b, c)"),
    ],
)
def test_parentheses(tree, expected):
    assert render.expression(tree) == expected


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}


def random_tree(source: random.Random, depth: int):
    """(tree, value) with a=3, b=5, c=-2."""
    if depth == 0 or source.random() < 0.15:
        name, value = source.choice([(A, 3), (B, 5), (C, -2), (Number("7"), 7), (Number("-4"), -4)])
        return name, value
    kind = source.random()
    if kind < 0.15:
        inner, value = random_tree(source, depth - 1)
        op = source.choice("-!~")
        return Unary(op, inner), {"-": -value, "!": int(not value), "~": ~value}[op]
    if kind < 0.25:
        parts = [random_tree(source, depth - 1) for _ in range(3)]
        return Conditional(*(tree for tree, _ in parts)), parts[1][1] if parts[0][1] else parts[2][1]
    op = source.choice(sorted(OPERATORS))
    (left, one), (right, two) = random_tree(source, depth - 1), random_tree(source, depth - 1)
    return Binary(op, left, right), OPERATORS[op](one, two)


def test_a_compiler_reads_the_tree_back_without_a_warning(tmp_path: Path):
    source = random.Random(1)
    trees = [random_tree(source, 5) for _ in range(300)]
    trees = [(tree, value) for tree, value in trees if abs(value) < 2**60]
    lines = [f'    printf("%lld\\n", (long long)({render.expression(tree)}));' for tree, _ in trees]
    (tmp_path / "t.c").write_text(
        "#include <stdio.h>\nint main(void)\n{\n    long long a = 3, b = 5, c = -2;\n" + "\n".join(lines) + "\n}\n"
    )
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wno-bool-compare", "-Wno-int-in-bool-context", "-Wno-bool-operation"]
    flags += ["-Wno-tautological-compare", "-Wno-logical-not-parentheses", "-Wno-logical-op"]
    made = run(["gcc", *flags, "t.c", "-o", "t"], tmp_path)
    assert "parentheses" not in made.stderr
    printed = run([tmp_path / "t"], tmp_path).stdout.split()
    assert [int(word) for word in printed] == [value for _, value in trees]


def test_statements_and_functions():
    loop = For("int", "i", Number("0"), Conditional(A, B, C), (Assign(Index(Name("x"), Name("i")), A, "+=", "f:1"),))
    branch = If(Binary("<", A, B), (loop,), (Declare("int", "t", length=Number("4")),))
    function = Function("void", "f", (Parameter("__global int *restrict", "x"), Parameter("int", "a")), (branch,))
    assert render.function(function).splitlines() == [
        "void f(__global int *restrict x, int a)",
        "{",
        "    if (a < b) {",
        "        for (int i = 0; i < (a ? b : c); ++i) {",
        "            x[i] += a;  /* f:1 */",
        "        }",
        "    } else {",
        "        int t[4];",
        "    }",
        "}",
    ]


def test_long_lines_are_broken_between_words():
    total = A
    for _ in range(60):
        total = Binary("+", total, B)
    lines = render.statements([Assign(C, total)], 1)
    assert len(lines) > 1 and max(map(len, lines)) <= 110
    assert " ".join(line.strip() for line in lines) == f"c = {render.expression(total)};"


def test_strings_are_not_broken():
    text = '"subscript 1 of \'u\' at line 20 \\"leaves\\"  its bounds, which are too far away for this line"'
    lines = render.statements([Do(Call("fcl_require", (Name("a_condition_of_some_length"), Name(text))))], 2)
    assert len(lines) == 2 and text in lines[1]
