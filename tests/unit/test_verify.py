"""Every invariant of the IR: a kernel that keeps it passes, one that breaks it is told which."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fortrancl.ir.expr import Binary, Call, Literal_, RuleCall, Unary, Var, integer, logical
from fortrancl.ir.kernel import Argument, ExtentParameter, Guard, Iname, Rule, Tag
from fortrancl.ir.tree import Block, Run
from fortrancl.ir.types import INTEGER4, REAL8
from fortrancl.ir.verify import InvalidKernel, verify
from fortrancl.poly import Aff
from tests.property.builders import array, at, guard, kernel, local, loop, op, size, statement

INSIDE = "0 <= i < n"


def good(**options):
    return kernel(
        [size("n"), array("x", "n"), local("t", private_to=("i",)), guard("p_0")],
        [
            statement("s0", "p_0", op(at("x", "i"), ">", 0), "i", INSIDE, "n"),
            statement("s1", "t", RuleCall("twice", (at("x", "i"),)), "i", INSIDE, "n", guards=(Guard("p_0"),)),
            statement("s2", at("x", "i"), "t", "i", INSIDE, "n", guards=(Guard("p_0"),)),
        ],
        loop("i", "s0", "s1", "s2"),
        rules=(Rule("twice", ("v",), op("v", "+", "v")),),
        **options,
    )


def changed(**fields):
    return replace(good(), **fields)


def with_statement(number, **fields):
    k = good()
    return k.with_statements({f"s{number}": replace(k.statements[number], **fields)})


def one(target, value, **options):
    """A kernel of one statement in a loop."""
    return kernel(
        [size("n"), array("x", "n"), array("k", "n", type=INTEGER4), Argument("r", REAL8)],
        [statement("s0", target, value, "i", INSIDE, "n", **options)],
        loop("i", "s0"),
    )


def test_a_good_kernel_passes():
    verify(good())


LANE = (Iname("i", Tag("g", 0)),)
BROKEN = {
    "statement 's2' stands 0 times": changed(tree=Block((loop("i", "s0", "s1"),))),
    "statement 's1' stands 2 times": changed(tree=Block((loop("i", "s0", "s1", "s1", "s2"),))),
    "the tree runs 's9'": changed(tree=Block((loop("i", "s0", "s1", "s2", "s9"),))),
    "has iname 'i', but no loop over it": changed(tree=Block((Run("s0"), loop("i", "s1", "s2")))),
    "is tagged g.0 but stands in the tree": changed(inames=LANE),
    "stands in a loop over 'j', which is not among": changed(
        inames=(Iname("i"), Iname("j")), tree=Block((loop("i", loop("j", "s0"), "s1", "s2"),))
    ),
    "the tree loops over 'j', which is no iname": changed(tree=Block((loop("i", "s0", loop("j", "s1"), "s2"),))),
    "a loop over 'i' stands inside another": changed(tree=Block((loop("i", loop("i", "s0"), "s1", "s2"),))),
    "a loop over 'i' is empty": changed(tree=Block((loop("i", "s0", "s1", "s2"), loop("i")))),
    "'x' names 2 things": changed(temporaries=(*good().temporaries, local("X"))),
    "2 statements are called 's0'": changed(statements=(*good().statements, good().statements[0])),
    "calls 'thrice', which is no rule": with_statement(1, value=RuleCall("thrice", ())),
    "calls 'twice' with 0 arguments, not 1": with_statement(1, value=RuleCall("twice", ())),
    "rule 'twice' calls itself": changed(rules=(Rule("twice", ("v",), RuleCall("twice", (Var("v"),))),)),
    "its domain mentions 'm'": with_statement(2, domain=Aff.name("i") < "m"),
    "the assumptions mention 'i'": changed(assumptions=Aff.name("i") > 0),
    "its guard 't' is no logical temporary": with_statement(2, guards=(Guard("t"),)),
    "its guard 'p_0' has 1 subscripts": with_statement(2, guards=(Guard("p_0", True, (Var("i"),)),)),
    "'t' is private to 'q', which is no iname": changed(temporaries=(local("t", private_to=("q",)), guard("p_0"))),
    "uses 't', private to 'i', outside that loop": kernel(
        [array("x", 4), local("t", private_to=("i",))],
        [statement("s0", "t", 1, "i", "0<=i<4"), statement("s1", at("x", 0), "t", "", "")],
        loop("i", "s0"),
        "s1",
    ),
    "'x' has 2 subscripts for rank 1": with_statement(2, value=at("x", "i", "i")),
    "'y' is not declared": with_statement(2, value=Var("y")),
    "'x' is an array": with_statement(2, value=Var("x")),
    "'n' is no array": with_statement(2, value=at("n", "i")),
    "it assigns 'i', which is no variable": with_statement(2, target=Var("i")),
    "a subscript of 'x' is real(8)": with_statement(2, value=at("x", "t")),
    "the trip count of 'i' is 't'": changed(inames=(Iname("i", trip="t"),)),
    "belongs to no axis": changed(extents=(ExtentParameter("x_1", "x", 1),)),
    "the shape of 'u' mentions 'i'": changed(temporaries=(*good().temporaries, local("u", "i"))),
    "intent(in) argument 'n' is written": one("n", 1),
    "'+' on logical(4) and real(8)": one("r", Binary("+", logical(True), Var("r"))),
    "'and' on integer(4) and logical(4)": one("r", Binary("and", Var("i"), logical(True))),
    "'not' on integer(4)": one("r", Unary("not", Var("i"))),
    "sqrt(integer(4)) is not an operation": one("r", Call("sqrt", (Var("i"),))),
    "mod(integer(4)) needs 2 arguments": one("r", Call("mod", (Var("i"),))),
    "iand(real(8), integer(4)) is not an operation": one("r", Call("iand", (Var("r"), integer(1)))),
    "a logical(4) value goes into a real(8) variable": one("r", op("i", "<", 1)),
    "literal 1.5 of type integer(4)": one("r", Literal_(1.5, INTEGER4)),
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken(message):
    with pytest.raises(InvalidKernel) as error:
        verify(BROKEN[message])
    assert message in str(error.value)


def test_all_violations_are_told_at_once():
    with pytest.raises(InvalidKernel) as error:
        verify(changed(tree=Block(())))
    assert len(error.value.violations) == 3


def test_two_inames_of_one_statement_on_one_axis():
    k = kernel(
        [array("x", 4, 4)],
        [statement("s0", at("x", "i", "j"), 0, "i j", "0<=i<4 and 0<=j<4")],
        "s0",
        inames={"i": Iname("i", Tag("l", 0)), "j": Iname("j", Tag("l", 0))},
    )
    with pytest.raises(InvalidKernel, match=r"has 2 inames on l\.0"):
        verify(k)


def test_rules_use_inames_of_the_statements_that_call_them():
    k = kernel(
        [size("n"), array("x", "n")],
        [
            statement("s0", at("x", "i"), RuleCall("f", ()), "i", INSIDE, "n"),
            statement("s1", at("x", 0), RuleCall("f", ()), "", ""),
        ],
        loop("i", "s0"),
        "s1",
        rules=(Rule("f", (), op("i", "+", 1)),),
    )  # fmt: skip
    with pytest.raises(InvalidKernel, match="statement 's1': 'i' is an iname of other statements"):
        verify(k)
