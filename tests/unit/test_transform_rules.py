"""Steps on substitution rules: what becomes a rule, what a rule means at its uses, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fortrancl.analysis.privatise import privatise
from fortrancl.diagnostics import StepError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.interpret import interpret
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.text import expr_text
from fortrancl.ir.verify import verify
from fortrancl.poly import Aff
from fortrancl.transform import TRANSFORMATIONS as lp


def rules(kernel: Kernel) -> dict[str, str]:
    verify(kernel)
    return {f"{rule.name}({', '.join(rule.parameters)})": expr_text(rule.body) for rule in kernel.rules}


def last(kernel: Kernel) -> str:
    return dump_tree(kernel).splitlines()[-1].strip()


def same_results(one: Kernel, two: Kernel, *names: str) -> None:
    scalars = {"n": 7}
    found = []
    for kernel in (one, two):
        arrays = {name: np.arange(8.0) + 10 * number for number, name in enumerate(names)}
        found.append(interpret(kernel, arrays, scalars))
    for name in names:
        np.testing.assert_array_equal(found[0][name], found[1][name])


def refusal(step: str, *arguments: object, **options: object) -> StepError:
    with pytest.raises(StepError) as refused:
        lp[step](*arguments, **options)
    return refused.value


def kernel_of(value: str) -> Kernel:
    return build_kernel("k", "n; x(n+1); y(n+1); m(n,n)", [("y[i]", value, {"i": "n"})])


# -- templates --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "template", "parameters", "expected"),
    [
        ("x[i] + x[i+1]", "x[a]", "a", "r(i) + r(i + 1)"),
        ("x[i] + x[i+1]", "X(i + 1)", "", "x[i] + r()"),
        ("x[i+1]", "x[1+i]", "", "r()"),
        ("m[i,2] + m[2,i]", "m[a,b]", "a, b", "r(i, 2) + r(2, i)"),
        ("m[i,2] + m[i,i]", "m[a,a]", ("a",), "m[i, 2] + r(i)"),
        ("2d0*x[i] + 2*x[i]", "2.0_8*x[a]", ["a"], "r(i) + 2*x[i]"),
        ("x[i]*x[i] + x[i]", "x[a]*x[b]", "a,b", "r(i, i) + x[i]"),
        ("sqrt(x[i])", "sqrt(x[a])", "a", "r(i)"),
        ("x[x[i]]", "x[a]", "a", "r(r(i))"),
    ],
)
def test_reads_that_look_like_the_template_become_calls(value, template, parameters, expected):
    kernel = build_kernel("k", "n; int x(n+1); y(n+1); m(n,n)", [("y[i]", value, {"i": "n"})])
    kernel = lp["extract_subst"](kernel, "r", template, parameters=parameters)
    assert last(kernel) == f"s0: y[i] = {expected}"


def test_targets_stay_and_their_subscripts_do_not():
    kernel = build_kernel("k", "n; int p(n); x(n)", [("x[p[i]]", "x[p[i]] + 1", {"i": "n"})])
    assert last(lp["extract_subst"](kernel, "r", "x[a]", parameters="a")) == "s0: x[p[i]] = r(p[i]) + 1"
    assert last(lp["extract_subst"](kernel, "r", "p[a]", parameters="a")) == "s0: x[r(i)] = x[r(i)] + 1"


def test_within_restricts_extraction():
    kernel = build_kernel("k", "n; x(n); y(n); z(n)", [("y[i]", "x[i]", {"i": "n"}), ("z[i]", "x[i]", {"i": "n"})])
    kernel = lp["extract_subst"](kernel, "r", "x[i]", within="writes:z")
    assert dump_tree(kernel).splitlines()[1:] == ["  s0: y[i] = x[i]", "  s1: z[i] = r()"]


@pytest.mark.parametrize(
    ("name", "template", "parameters", "code", "argument"),
    [
        ("r", "q[i]", "", "FCL250", "template"),
        ("r", "x[i", "", "FCL250", "template"),
        ("r", "x[i,i]", "", "FCL250", "template"),
        ("x", "x[i]", "", "FCL252", "subst_name"),
        ("r", "x[i]", "a", "FCL252", "parameters"),
        ("r", "x[i+3]", "", "FCL261", "template"),
    ],
)
def test_extraction_refuses(name, template, parameters, code, argument):
    error = refusal("extract_subst", kernel_of("x[i]"), name, template, parameters=parameters)
    assert (error.code, error.argument) == (code, argument)


def test_expansion_undoes_extraction():
    kernel = kernel_of("x[i] + 2*x[i+1]")
    nested = lp["extract_subst"](lp["extract_subst"](kernel, "r", "x[a]", parameters="a"), "f", "2*r(i+1)")
    assert rules(nested) == {"r(a)": "x[a]", "f()": "2*r(i + 1)"}
    assert lp["expand_subst"](nested).statements == kernel.statements
    assert not lp["expand_subst"](nested).rules


# -- assignments ------------------------------------------------------------------------------------------------
def local(*statements: tuple[str, str], declarations: str = "n; x(n+1); y(n+1); z(n+1); temp t") -> Kernel:
    kernel = build_kernel("k", declarations, [(target, value, {"i": "n"}) for target, value in statements])
    return privatise(kernel)


def test_an_assignment_becomes_a_rule_and_the_local_goes():
    kernel = local(("t", "2*x[i]"), ("y[i]", "t + t"))
    changed = lp["assignment_to_subst"](kernel, "T")
    assert rules(changed) == {"t_subst()": "2*x[i]"}
    assert last(changed) == "s1: y[i] = t_subst() + t_subst()"
    assert not changed.temporaries
    same_results(kernel, changed, "x", "y", "z")


def test_each_definition_has_its_rule():
    kernel = local(("t", "x[i]"), ("y[i]", "t"), ("t", "3*x[i]"), ("z[i]", "t"))
    changed = lp["assignment_to_subst"](kernel, "t")
    assert rules(changed) == {"t_subst()": "x[i]", "t_subst_0()": "3*x[i]"}
    same_results(kernel, changed, "x", "y", "z")


def test_a_definition_may_use_the_one_before():
    kernel = local(("t", "x[i]"), ("t", "t + 1"), ("y[i]", "t"))
    changed = lp["assignment_to_subst"](kernel, "t")
    assert rules(changed) == {"t_subst()": "x[i]", "t_subst_0()": "t_subst() + 1"}
    assert dump_tree(changed).splitlines() == ["for i = 0 .. n - 1", "  s2: y[i] = t_subst_0()"]
    same_results(kernel, changed, "x", "y", "z")
    error = refusal("assignment_to_subst", kernel, "t", within="writes:y")
    assert (error.code, error.argument) == ("FCL262", "within")


def test_uses_outside_within_keep_the_local():
    kernel = local(("t", "x[i]"), ("y[i]", "t"), ("z[i]", "t"))
    changed = lp["assignment_to_subst"](kernel, "t", within="writes:y")
    assert dump_tree(changed).splitlines()[1:] == ["  s0: t = x[i]", "  s1: y[i] = t_subst()", "  s2: z[i] = t"]


def test_the_local_s_type_rounds_in_the_rule_too():
    kernel = local(("t", "x[i]/3"), ("y[i]", "t"), declarations="n; x(n+1); y(n+1); z(n+1); temp real4 t")
    assert rules(lp["assignment_to_subst"](kernel, "t")) == {"t_subst()": "real(x[i]/3, 4)"}


def test_array_subscripts_are_the_rule_s_parameters():
    kernel = build_kernel(
        "k",
        "n; x(n,8); y(n,8); temp t(8)",
        [("t[i]", "2*x[e,i]", {"e": "n", "i": "8"}), ("y[e,j]", "t[7-j]", {"e": "n", "j": "8"})],
    )
    changed = lp["assignment_to_subst"](privatise(kernel), "t")
    assert rules(changed) == {"t_subst(i)": "2*x[e, i]"}
    assert last(changed) == "s1: y[e, j] = t_subst(7 - j)"


def test_a_value_of_an_earlier_iteration_is_no_rule():
    """t keeps what an even iteration assigned; in an odd one the right-hand side is another."""
    kernel = build_kernel("k", "n; x(n+1); y(n+1); temp t", [("t", "x[i]", {"i": "n"}), ("y[i]", "t", {"i": "n"})])
    first = kernel.statement_by_id["s0"]
    even = replace(first, domain=first.domain & Aff.name("i").floormod(2).eq(0))
    kernel = privatise(kernel.with_statements({"s0": even}))
    assert refusal("assignment_to_subst", kernel, "t").code == "FCL262"


def test_what_the_right_hand_side_reads_must_not_change():
    kernel = local(("t", "x[i]"), ("x[i]", "0"), ("y[i]", "t"))
    assert refusal("assignment_to_subst", kernel, "t").code == "FCL307"


@pytest.mark.parametrize(("name", "code"), [("q", "FCL262"), ("x", "FCL262"), ("i", "FCL262")])
def test_only_locals_become_rules(name, code):
    error = refusal("assignment_to_subst", local(("t", "x[i]"), ("y[i]", "t")), name)
    assert (error.code, error.argument) == (code, "lhs_name")


def test_a_local_that_is_never_used_is_no_rule():
    assert refusal("assignment_to_subst", local(("t", "x[i]"), ("y[i]", "1")), "t").code == "FCL261"
