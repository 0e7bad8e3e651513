"""Random small kernels, each with the same program as plain Python: loops, guards, reductions, indirection, locals.

Values are small whole numbers and every right-hand side is reduced modulo 97, so that sums of reals are exact in any
order: what still differs between two orders differs because they compute something else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from fortrancl.analysis.privatise import privatise
from fortrancl.ir.expr import Binary, Call, Expr, Literal_, Subscript, Unary, Var, integer, walk
from fortrancl.ir.kernel import Argument, Guard, Iname, Kernel, Statement, Temporary
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.tree import Block, Loop, Node, Run
from fortrancl.ir.types import INTEGER4, LOGICAL4, REAL8
from fortrancl.poly import Set
from tests.property.builders import array, at, expr, local, op, size

WIDTH = op(op(3, "*", "n"), "+", 16)
"""Extent of every array: no subscript below leaves it for n >= 0."""
MODULUS = 97
REALS = ("x", "y", "z")


class Case:
    """A kernel, the same as Python text, and data to run both on."""

    # No dataclass: hypothesis would print every field of the kernel, where a person wants the program.
    def __init__(self, kernel: Kernel, python: str) -> None:
        self.kernel = kernel
        self.python = python

    def __repr__(self) -> str:
        return f"Case:\n{self.python}\n{dump_tree(self.kernel)}"

    def data(self, n: int, seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and scalars for one size."""
        random = np.random.default_rng([n, seed])
        width = 3 * n + 16
        arrays = {name: random.integers(-9, 10, width).astype(float) for name in REALS}
        arrays["a"] = np.asfortranarray(random.integers(-9, 10, (width, width)).astype(float))
        arrays["c"] = np.asfortranarray(random.integers(-9, 10, (width, width)).astype(float))
        arrays["h"] = random.integers(-9, 10, width).astype(np.int32)
        arrays["map"] = random.permutation(width).astype(np.int32)
        return arrays, {"n": n, "s": 3.0}

    def run_python(self, n: int, seed: int = 0) -> dict[str, Any]:
        """Results of the Python text, by names as the interpreter gives them."""
        arrays, scalars = self.data(n, seed)
        scope: dict[str, Any] = {name: value.copy() for name, value in arrays.items()} | dict(scalars)
        scope |= {t.name: np.full(4, np.nan) for t in self.kernel.temporaries if t.shape}
        exec(self.python, {"fmod": math.fmod, "imod": lambda a, b: int(math.fmod(a, b)), "at": _at, "put": _put}, scope)
        names = [*arrays, *(["s"] if "s" in self.kernel.written else [])]
        return {name: scope[name] for name in names}


def _at(values: np.ndarray, *index: int) -> Any:
    assert all(0 <= i < extent for i, extent in zip(index, values.shape, strict=True)), index
    return values[index].item()


def _put(values: np.ndarray, value: Any, *index: int) -> None:
    assert all(0 <= i < extent for i, extent in zip(index, values.shape, strict=True)), index
    values[index] = value


def python_text(expression: Expr) -> str:
    """The expression as Python, for the few forms that this file makes."""
    if isinstance(expression, Literal_):
        return repr(expression.value)
    if isinstance(expression, Var):
        return expression.name
    if isinstance(expression, Subscript):
        return f"at({expression.array}, {', '.join(python_text(i) for i in expression.indices)})"
    if isinstance(expression, Unary):
        return f"(-{python_text(expression.operand)})"
    if isinstance(expression, Binary):
        sign = {"/=": "!="}.get(expression.op, expression.op)
        return f"({python_text(expression.left)} {sign} {python_text(expression.right)})"
    assert isinstance(expression, Call)
    name = expression.function
    if name == "mod":
        name = "imod" if expression.arguments[1] == integer(4) else "fmod"
    return f"{name}({', '.join(python_text(a) for a in expression.arguments)})"


@dataclass
class _Nest:
    """Where the generator stands: loops round it (iname, isl constraint), guards, locals that surely hold a value."""

    inames: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    scalars: tuple[str, ...] = ()
    depth: int = 0


@dataclass
class _Maker:
    draw: Any
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    statements: list[Statement] = field(default_factory=list)
    temporaries: dict[str, Temporary] = field(default_factory=dict)
    trips: dict[str, str] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    loops: int = 0
    budget: int = 7

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def line(self, nest: _Nest, text: str) -> None:
        self.text.append("    " * (len(nest.inames) + len(nest.guards)) + text)

    # -- expressions --------------------------------------------------------------------------------------------
    def subscript(self, nest: _Nest) -> Expr:
        """A subscript that stays inside WIDTH: at most 3 inames' worth, plus at most 4."""
        if not nest.inames:
            return expr(self.pick(0, 1, 2))
        one = Var(self.pick(*nest.inames, *nest.inames[-1:]))
        two = Var(self.pick(*nest.inames))
        offset = self.pick(0, 0, 0, 1, 2)
        form = self.pick("i", "i", "i", "i", "2i", "i+j", "2i+j", "n-1-i", "c")
        found: Expr = {
            "i": one,
            "2i": op(2, "*", one),
            "i+j": op(one, "+", two),
            "2i+j": op(op(2, "*", one), "+", two),
            # Constant loops run to 4 whatever n is, so the mirrored subscript starts from n + 4.
            "n-1-i": op(op("n", "+", 4), "-", one),
            "c": expr(self.pick(0, 1)),
        }[form]
        return op(found, "+", offset) if offset else found

    def element(self, nest: _Nest, name: str, subscripts: tuple[Expr, ...] | None = None) -> Subscript:
        rank = 2 if name in ("a", "c") else 1
        return Subscript(name, subscripts or tuple(self.subscript(nest) for _ in range(rank)))

    def read(self, nest: _Nest) -> Expr:
        kind = self.pick("array", "array", "array", "scalar", "scalar", "iname", "literal", "indirect")
        if kind == "scalar" and nest.scalars:
            return Var(self.pick(*nest.scalars))
        if kind == "iname" and nest.inames:
            return Var(self.pick(*nest.inames))
        if kind == "literal":
            return integer(self.pick(1, 2, 3))
        if kind == "indirect" and nest.inames:
            return at(self.pick(*[n for n in self.inputs if n != "a"], "x"), at("map", self.pick(*nest.inames)))
        return self.element(nest, self.pick(*self.inputs))

    def value(self, nest: _Nest, real: bool = True) -> Expr:
        """A bounded right-hand side."""
        result = self.read(nest)
        for _ in range(self.pick(0, 1, 1, 2)):
            result = Binary(self.pick("+", "-", "+", "*"), result, self.read(nest))
        return self.bounded(op(result, "*", Literal_(1.0, REAL8)) if real else result, real)

    @staticmethod
    def bounded(value: Expr, real: bool = True) -> Expr:
        return Call("mod", (value, Literal_(float(MODULUS), REAL8) if real else integer(MODULUS)))

    # -- statements ---------------------------------------------------------------------------------------------
    def assign(self, nest: _Nest, target: Var | Subscript, value: Expr, *extra: str, **options: Any) -> Node:
        identifier = f"s{len(self.statements)}"
        names = sorted({*nest.inames, "n"})
        domain = Set.parse(" and ".join([*nest.constraints, *extra]) or "1 = 1", names)
        self.statements.append(Statement(identifier, target, value, nest.inames, domain, guards=nest.guards, **options))
        text = python_text(value)
        stored = (
            f"put({target.array}, {text}, {', '.join(map(python_text, target.indices))})"
            if isinstance(target, Subscript)
            else f"{target.name} = {text}"
        )
        condition = "".join(f"if {c}: ".replace(" = ", " == ").replace(" != ", " != ") for c in extra)
        self.line(nest, condition + stored)
        self.budget -= 1
        return Run(identifier)

    def target(self, nest: _Nest) -> Subscript:
        return self.element(nest, self.pick(*self.outputs))

    def plain(self, nest: _Nest) -> list[Node]:
        extra = []
        if len(nest.inames) > 1 and self.pick(False, False, True):
            extra = [f"{nest.inames[0]} {self.pick('!=', '<', '<=')} {nest.inames[-1]}"]
        elif nest.inames and self.pick(False, False, False, True):
            extra = [f"{nest.inames[-1]} >= 1"]
        return [self.assign(nest, self.target(nest), self.value(nest), *extra)]

    def integer_update(self, nest: _Nest) -> list[Node]:
        direct = not nest.inames or self.pick(True, False)
        index = self.subscript(nest) if direct else at("map", self.pick(*nest.inames))
        target = at("h", index)
        return [self.assign(nest, target, op(target, "+", self.pick(1, 2, *nest.inames)))]

    def reduction(self, nest: _Nest) -> list[Node]:
        target: Var | Subscript = self.target(nest) if self.pick(True, True, False) else Var("s")
        operation = self.pick("+", "+", "-", "max")
        value = self.value(_Nest(nest.inames, scalars=tuple(s for s in nest.scalars if Var(s) != target)))
        free = {node.array for node in walk(value) if isinstance(node, Subscript)}
        if isinstance(target, Subscript) and target.array in free:
            value = self.bounded(op(Var(nest.inames[-1]) if nest.inames else 2, "*", Literal_(1.0, REAL8)))
        whole = Call("max", (target, value)) if operation == "max" else Binary(operation, target, value)
        return [self.assign(nest, target, whole, reassociable=self.pick(True, False))]

    def scalar(self, nest: _Nest) -> list[Node]:
        """``t = e`` and, in what follows, t may be read."""
        name = self.pick("t", "u")
        self.temporaries.setdefault(name, local(name))
        node = self.assign(nest, Var(name), self.value(nest))
        if not nest.guards:
            nest.scalars = (*(s for s in nest.scalars if s != name), name)
        return [node]

    def accumulator(self, nest: _Nest) -> list[Node]:
        """t = 0; do j: t = t + e; y(...) = t."""
        name = f"acc{len(self.temporaries)}"
        self.temporaries[name] = local(name)
        first = self.assign(nest, Var(name), Literal_(0.0, REAL8))
        inner = self.open_loop(nest)
        body = self.assign(inner, Var(name), op(name, "+", self.value(inner)), reassociable=self.pick(True, False))
        loop = Loop(inner.inames[-1], Block((body,)))
        last = self.assign(nest, self.target(nest), self.bounded(expr(name)))
        return [first, loop, last]

    def stage(self, nest: _Nest) -> list[Node]:
        """A small local array, filled in one loop and read in another."""
        name = f"b{len(self.temporaries)}"
        self.temporaries[name] = local(name, 4)
        fill = self.open_loop(nest, constant=True)
        one = self.assign(fill, at(name, fill.inames[-1]), self.value(fill))
        use = self.open_loop(nest, constant=True)
        index: Expr = Var(use.inames[-1]) if self.pick(True, False) else op(3, "-", use.inames[-1])
        two = self.assign(use, self.target(use), self.bounded(op(at(name, index), "+", self.read(use))))
        return [Loop(fill.inames[-1], Block((one,))), Loop(use.inames[-1], Block((two,)))]

    def ragged(self, nest: _Nest) -> list[Node]:
        """A loop whose length is data (0 to 3), as rows of a sparse matrix have."""
        if not nest.inames:
            return self.plain(nest)
        name = f"cnt{len(self.temporaries)}"
        self.temporaries[name] = local(name, type=INTEGER4, origin="bound")
        first = self.assign(nest, Var(name), Call("mod", (at("map", self.subscript(nest)), integer(4))))
        iname = f"r{self.loops}"
        self.loops += 1
        self.trips[iname] = name
        self.line(nest, f"for {iname} in range({name}):")
        inside = _Nest((*nest.inames, iname), (*nest.constraints, f"{iname} >= 0"), nest.guards, nest.scalars, 9)
        target = at("z", op(self.pick(*nest.inames), "+", iname)) if self.pick(True, False) else self.target(nest)
        value = self.bounded(op(self.read(nest), "+", op(iname, "*", Literal_(1.0, REAL8))))
        return [first, Loop(iname, Block((self.assign(inside, target, value),)))]

    def conditional(self, nest: _Nest) -> list[Node]:
        """A condition on data: a logical, assigned once, and statements under it."""
        name = f"p_{len(self.temporaries)}"
        self.temporaries[name] = Temporary(name, LOGICAL4, origin="guard")
        test = op(self.element(nest, self.pick(*self.inputs)), self.pick(">", "<", "/="), self.pick(0, 2))
        first = self.assign(nest, Var(name), test)
        nodes: list[Node] = [first]
        for value in (True, False)[: self.pick(1, 1, 2)]:
            self.line(nest, f"if {name}:" if value else "else:")
            inside = _Nest(nest.inames, nest.constraints, (*nest.guards, Guard(name, value)), nest.scalars, nest.depth)
            nodes.extend(self.items(inside, 1))
        return nodes

    # -- loops --------------------------------------------------------------------------------------------------
    def open_loop(self, nest: _Nest, constant: bool = False, only: tuple[str, ...] = ()) -> _Nest:
        name = f"{self.pick('i', 'j', 'k') if not nest.inames else 'q'}{self.loops}"
        self.loops += 1
        forms = {
            "n": (f"0 <= {name} < n", "range(n)"),
            "4": (f"0 <= {name} < 4", "range(4)"),
            "n-1": (f"0 <= {name} < n - 1", "range(n - 1)"),
        }
        # A triangle over a constant loop of 4 may reach beyond n; the arrays are wide enough for that.
        if nest.inames:
            outer = nest.inames[-1]
            forms["lower"] = (f"0 <= {name} <= {outer}", f"range({outer} + 1)")
            forms["upper"] = (f"0 <= {name} < n - {outer}", f"range(n - {outer})")
        form = "4" if constant else self.pick(*(only or ("n", "n", *forms)))
        constraint, text = forms[form]
        self.line(nest, f"for {name} in {text}:")
        return _Nest((*nest.inames, name), (*nest.constraints, constraint), nest.guards, nest.scalars, nest.depth + 1)

    def loop(self, nest: _Nest) -> list[Node]:
        inner = self.open_loop(nest)
        if nest.depth < 2 and self.pick(True, False):
            second = self.open_loop(inner)
            return [Loop(inner.inames[-1], Block((Loop(second.inames[-1], Block(tuple(self.items(second, 2)))),)))]
        return [Loop(inner.inames[-1], Block(tuple(self.items(inner, 3))))]

    def items(self, nest: _Nest, most: int) -> list[Node]:
        result: list[Node] = []
        for number in range(self.draw(st.integers(1, most))):
            if number and self.budget <= 0:
                break
            kinds = ["plain", "plain", "scalar", "reduction", "integer_update"]
            if self.budget > 3 and not nest.guards:
                kinds += ["accumulator", "stage", "conditional", "ragged"] if nest.depth < 3 else ["conditional"]
                kinds += ["loop"] * 2 if nest.depth < 3 else []
            result.extend(getattr(self, self.pick(*kinds))(nest))
        return result

    def case(self, nodes: list[Node]) -> Case:
        """The kernel of what was made, its locals privatised as the frontend would."""
        names = dict.fromkeys(name for s in self.statements for name in s.inames)
        arguments = (
            size("n"),
            *(array(name, WIDTH) for name in REALS),
            array("a", WIDTH, WIDTH),
            array("c", WIDTH, WIDTH),
            array("h", WIDTH, type=INTEGER4),
            Argument("map", INTEGER4, array("map", WIDTH).shape, intent="in"),
            Argument("s", REAL8),
        )
        kernel = Kernel(
            "k",
            arguments,
            tuple(self.temporaries.values()),
            tuple(Iname(name, trip=self.trips.get(name)) for name in names),
            tuple(self.statements),
            Block(tuple(nodes)),
        )
        return Case(privatise(kernel), "\n".join(self.text))


@st.composite
def cases(draw: Any) -> Case:
    """A random kernel with its Python twin."""
    split = draw(st.booleans())
    maker = _Maker(draw, ("x", "y", "a") if split else ("x", "y", "a", "z"), ("z",) if split else ("x", "z", "a"))
    root = _Nest()
    nodes: list[Node] = []
    for _ in range(draw(st.integers(1, 2))):
        nodes.extend(maker.loop(root))
        if maker.budget > 2 and draw(st.integers(0, 4)) == 0:
            nodes.extend(maker.items(root, 1))
    return maker.case(nodes)


@st.composite
def tiles(draw: Any) -> Case:
    """The kernels that tiling is made for: each element of an output from a neighbourhood, or a row and a column."""
    maker = _Maker(draw, ("x", "a"), ("z", "c"))
    rank = draw(st.integers(1, 2))
    nest = _Nest()
    for _ in range(rank):
        nest = maker.open_loop(nest, only=("n", "n", "n-1", "4"))
    reads = draw(st.integers(1, 3))

    def near(inames: tuple[str, ...]) -> Expr:
        name = maker.pick("x", "a")
        axes = [op(maker.pick(*inames), "+", maker.pick(0, 0, 1, 2)) for _ in range(2 if name == "a" else 1)]
        return Subscript(name, tuple(axes))

    def total(inames: tuple[str, ...]) -> Expr:
        result = near(inames)
        for _ in range(reads - 1):
            result = Binary(maker.pick("+", "-", "*"), result, near(inames))
        return maker.bounded(op(result, "*", Literal_(1.0, REAL8)))

    target = at("z" if rank == 1 else "c", *nest.inames)
    nodes: list[Node] = []
    if maker.pick(True, False):
        inner = maker.open_loop(_Nest(nest.inames, nest.constraints), only=("n", "4", "4"))
        update = maker.assign(inner, target, op(target, "+", total(inner.inames)), reassociable=maker.pick(True, False))
        nodes.append(Loop(inner.inames[-1], Block((update,))))
    else:
        nodes.append(maker.assign(nest, target, total(nest.inames)))
    if maker.pick(True, False, False):
        nodes.append(maker.assign(nest, target, maker.bounded(op(target, "+", near(nest.inames)))))
    for name in reversed(nest.inames):
        nodes = [Loop(name, Block(tuple(nodes)))]
    return maker.case(nodes)
