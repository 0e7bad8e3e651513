"""Small kernels from compact text, for examples and tests; real ones come from the frontend."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fortrancl.ir.affine import to_aff
from fortrancl.ir.expr import Subscript, Var, integer
from fortrancl.ir.kernel import Argument, Dim, Iname, Kernel, Statement, Temporary
from fortrancl.ir.text import parse_expression
from fortrancl.ir.tree import Block, Loop, Node, Run
from fortrancl.ir.types import INTEGER4, LOGICAL4, REAL4, REAL8, ScalarType
from fortrancl.poly import Aff, Set

_TYPES: dict[str, ScalarType] = {"real8": REAL8, "real4": REAL4, "int": INTEGER4, "logical": LOGICAL4}
_ITEM = re.compile(
    r"(?P<temp>temp\s+)?(?:(?P<type>real8|real4|int|logical)\s+)?(?P<name>\w+)(?:\((?P<shape>[^)]*)\))?$"
)


def build_kernel(
    name: str, declarations: str, statements: Sequence[tuple[str, str, Mapping[str, str]]], assumptions: str = ""
) -> Kernel:
    """A sequential kernel from declarations and (target, value, loops) triples.

    Declarations are separated by ``;``: ``n; x(n); real4 y(n,8); int map(*); temp t; temp int k``. Scalars are
    integer(4) unless told, arrays and temporaries real(8). ``loops`` maps inames, outermost first, to their lengths;
    statements in a row with the same first loops share them.

    >>> from fortrancl.ir.pretty import dump_tree
    >>> print(dump_tree(build_kernel("k", "n; x(n); temp t", [("t", "x[i]", {"i": "n"}), ("x[i]", "2*t", {"i": "n"})])))
    for i = 0 .. n - 1
      s0: t = x[i]
      s1: x[i] = 2*t
    """
    kernel = _declared(name, declarations)
    inames = dict.fromkeys(iname for _, _, loops in statements for iname in loops)
    kernel = replace(kernel, inames=tuple(Iname(iname, variable=iname, start=integer(0)) for iname in inames))
    result = []
    for number, (target, value, loops) in enumerate(statements):
        left = parse_expression(target, kernel)
        assert isinstance(left, Var | Subscript)
        domain = _domain(kernel, loops)
        result.append(Statement(f"s{number}", left, parse_expression(value, kernel), tuple(loops), domain))
    paths = [(tuple(loops), f"s{number}") for number, (_, _, loops) in enumerate(statements)]
    kernel = replace(kernel, statements=tuple(result), tree=_nest(paths))
    if assumptions:
        kernel = replace(kernel, assumptions=Set.parse(assumptions, kernel.parameters))
    return kernel


def _declared(name: str, declarations: str) -> Kernel:
    arguments: list[Argument] = []
    temporaries: list[Temporary] = []
    shapes: list[tuple[str, str]] = []
    for item in filter(None, (part.strip() for part in declarations.split(";"))):
        found = _ITEM.match(item)
        assert found is not None, item
        default = REAL8 if found["shape"] or found["temp"] else INTEGER4
        type = _TYPES[found["type"]] if found["type"] else default
        shapes.append((found["name"], found["shape"] or ""))
        if found["temp"]:
            temporaries.append(Temporary(found["name"], type))
        else:
            arguments.append(Argument(found["name"], type))
    kernel = Kernel(name, tuple(arguments), tuple(temporaries), (), (), Block())
    dims = {array: _dims(kernel, shape) for array, shape in shapes if shape}
    return replace(
        kernel,
        arguments=tuple(replace(a, shape=dims.get(a.name, ())) for a in kernel.arguments),
        temporaries=tuple(replace(t, shape=dims.get(t.name, ())) for t in kernel.temporaries),
    )


def _dims(kernel: Kernel, shape: str) -> tuple[Dim, ...]:
    extents = [None if part.strip() == "*" else parse_expression(part, kernel) for part in shape.split(",")]
    return tuple(Dim(integer(1), extent) for extent in extents)


def _domain(kernel: Kernel, loops: Mapping[str, str]) -> Set:
    known = {*kernel.parameters, *loops}
    domain = Set.universe()
    for iname, length in loops.items():
        extent = to_aff(parse_expression(length, kernel), known.__contains__)
        assert extent is not None, length
        domain = domain & (Aff.name(iname) >= 0) & (Aff.name(iname) < extent)
    return domain


def _nest(paths: Sequence[tuple[tuple[str, ...], str]]) -> Block:
    children: list[Node] = []
    position = 0
    while position < len(paths):
        loops, statement = paths[position]
        if not loops:
            children.append(Run(statement))
            position += 1
            continue
        end = position
        while end < len(paths) and paths[end][0][:1] == loops[:1]:
            end += 1
        children.append(Loop(loops[0], _nest([(rest[1:], s) for rest, s in paths[position:end]])))
        position = end
    return Block(tuple(children))
