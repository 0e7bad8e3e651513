"""Short ways to write kernels down in tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fortrancl.ir.expr import Binary, Expr, Subscript, Var, integer
from fortrancl.ir.kernel import Argument, Dim, Guard, Iname, Kernel, Statement, Temporary
from fortrancl.ir.tree import Block, Loop, Node, Run
from fortrancl.ir.types import INTEGER4, LOGICAL4, REAL8, ScalarType
from fortrancl.poly import Set

ONE = integer(1)


def dim(extent: Expr | int | str | None) -> Dim:
    """A dimension 1:extent."""
    if isinstance(extent, int):
        return Dim(ONE, integer(extent))
    return Dim(ONE, Var(extent) if isinstance(extent, str) else extent)


def size(name: str) -> Argument:
    return Argument(name, INTEGER4, intent="in")


def array(name: str, *extents: Expr | int | str | None, type: ScalarType = REAL8) -> Argument:
    return Argument(name, type, tuple(dim(extent) for extent in extents), intent="inout")


def local(name: str, *extents: Expr | int | str, type: ScalarType = REAL8, **options: object) -> Temporary:
    return Temporary(name, type, tuple(dim(extent) for extent in extents), **options)  # type: ignore[arg-type]


def guard(name: str) -> Temporary:
    return Temporary(name, LOGICAL4, origin="guard")


def at(name: str, *indices: Expr | str | int) -> Subscript:
    return Subscript(name, tuple(expr(index) for index in indices))


def expr(value: Expr | str | int) -> Expr:
    if isinstance(value, int):
        return integer(value)
    return Var(value) if isinstance(value, str) else value


def op(left: Expr | str | int, operator: str, right: Expr | str | int) -> Expr:
    return Binary(operator, expr(left), expr(right))  # type: ignore[arg-type]


def statement(
    id: str, target: Expr | str, value: Expr | str | int, inames: str, where: str, *sizes: str, **options: object
) -> Statement:
    """``inames`` separated by blanks, ``where`` in isl's syntax over them and ``sizes``."""
    names = tuple(inames.split())
    domain = Set.parse(where or "1 = 1", [*names, *sizes])
    lhs = expr(target)
    assert isinstance(lhs, Var | Subscript)
    return Statement(id, lhs, expr(value), names, domain, **options)  # type: ignore[arg-type]


def loop(iname: str, *children: Node | str) -> Loop:
    return Loop(iname, Block(tuple(Run(child) if isinstance(child, str) else child for child in children)))


def kernel(
    declarations: Iterable[Argument | Temporary],
    statements: Iterable[Statement],
    *children: Node | str,
    inames: Mapping[str, Iname] | None = None,
    **options: object,
) -> Kernel:
    """A kernel whose inames are those of its statements (or as given)."""
    found = tuple(statements)
    declared = tuple(declarations)
    names = dict.fromkeys(name for s in found for name in s.inames)
    return Kernel(
        "k",
        tuple(d for d in declared if isinstance(d, Argument)),
        tuple(d for d in declared if isinstance(d, Temporary)),
        tuple((inames or {}).get(name, Iname(name)) for name in names),
        found,
        Block(tuple(Run(child) if isinstance(child, str) else child for child in children)),
        **options,  # type: ignore[arg-type]
    )


__all__ = ["Guard", "array", "at", "dim", "expr", "guard", "kernel", "local", "loop", "op", "size", "statement"]
