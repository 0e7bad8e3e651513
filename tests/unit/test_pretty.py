"""Kernels as text: what a person reads after each step."""

from __future__ import annotations

from dataclasses import replace

from fortrancl.ir.expr import Literal_, integer
from fortrancl.ir.kernel import Argument, FixedParameter, Guard, Iname, Rule, Tag
from fortrancl.ir.pretty import dump_kernel, dump_tree
from fortrancl.ir.tree import Barrier
from fortrancl.ir.types import INTEGER4, REAL4
from fortrancl.poly import Aff
from tests.property.builders import array, at, guard, kernel, local, loop, op, size, statement

INSIDE = "0 <= io and 0 <= ii < 16 and 16io + ii < n and 0 <= j <= io"


def example():
    return kernel(
        [size("n"), array("a", "n", None), Argument("s", REAL4), local("t", private_to=("io",)), guard("p_0"),
         local("cnt", type=INTEGER4, origin="bound"), local("w", 2, values=(integer(1), integer(2)))],
        [
            statement("s0", "p_0", op("s", ">", 0), "ii", "0 <= ii < 16"),
            statement("s1", "t", at("a", op(op("io", "*", 16), "+", "ii"), "j"), "io ii j", INSIDE, "n",
                      guards=(Guard("p_0", False),), tags=frozenset({"flux", "a"})),
            statement("s2", at("a", "j", 0), op(at("a", "j", 0), "+", "t"), "io ii j", INSIDE, "n", atomic=True),
            statement("s3", "s", op("s", "-", "k"), "k", "k >= 0", reassociable=True),
        ],
        "s0",
        loop("io", loop("j", "s1", Barrier("local"), "s2")),
        Barrier("global"),
        loop("k", "s3"),
        inames={"ii": Iname("ii", Tag("l", 0)), "io": Iname("io", Tag("unr")), "k": Iname("k", trip="cnt"),
                "j": Iname("j", variable="jj", start=integer(3), step=-2)},
        rules=(Rule("f", ("v",), op("v", "+", 1)),),
        assumptions=Aff.name("n") >= 1,
        fixed=(FixedParameter("n", integer(40)),),
        injective=frozenset({"a"}),
        origin=("m::k",),
    )  # fmt: skip


def test_dump_tree():
    assert (
        dump_tree(example())
        == """\
lanes: ii (l.0) = 0 .. 15
s0: p_0 = s > 0
for io = 0 .. (n - ii - 1)/16  (unr)
  for j = 0 .. io
    s1: if (not p_0) t = a[io*16 + ii, j]
    --- local barrier ---
    s2: a[j, 0] = a[j, 0] + t {atomic}
--- global barrier ---
for k = 0 .. cnt - 1
  s3: s = s - k {any order}"""
    )


def test_dump_kernel():
    text = dump_kernel(example())
    assert text == dump_kernel(example())
    assert text.startswith(
        "kernel k (from m::k)\narguments:\n  n: integer(4), intent(in)\n  a[n, *]: real(8), intent(inout)\n"
    )
    for line in (
        "  t: real(8), auto, private to io\n",
        "  p_0: logical(4), auto, guard\n",
        "  w[2]: real(8), auto, constant 1 2\n",
        "  j: jj = 3 + -2*j\n",
        "  f(v) := v + 1\n",
        "  s0: p_0 = s > 0\n    for [ii] where 0 <= ii <= 15\n",
        "    tagged a, flux\n",
        "assumptions:\n  n > 0\n  n = 40\n  a has no value twice\n",
    ):
        assert line in text


def test_lower_bounds_and_what_never_runs():
    k = kernel(
        [replace(array("x", 3, 4), shape=(replace(array("x", 3).shape[0], lower=integer(0)), array("x", 4).shape[0]))],
        [statement("s0", at("x", "i", 0), Literal_(1.5, REAL4, "1.5"), "i", "0 <= i and i < 0")],
        loop("i", "s0"),
    )
    assert dump_tree(k) == "for i = (never)\n  s0: x[i, 0] = 1.5"
    assert "  x[from 0, 3; 4]: real(8), intent(inout)\n" in dump_kernel(k)
