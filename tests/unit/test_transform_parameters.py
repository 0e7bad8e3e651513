"""Steps on parameters and promises, and the spellings that strings of a script may use."""

from __future__ import annotations

import pytest

from fortrancl.diagnostics import StepError
from fortrancl.ir.build import build_kernel
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.pretty import dump_tree
from fortrancl.ir.text import expr_text, parse_expression
from fortrancl.ir.types import INTEGER8, REAL4, REAL8
from fortrancl.ir.verify import verify
from fortrancl.transform import TRANSFORMATIONS as lp


def sample() -> Kernel:
    return build_kernel(
        "k",
        "n; m; lambda; real4 alpha; real8 in; x(n,m); int map(n); y(*)",
        [("x[i,j]", "alpha*x[i,j] + y[map[i]]", {"j": "m", "i": "n"})],
    )


def refusal(step: str, *arguments: object, **options: object) -> StepError:
    with pytest.raises(StepError) as refused:
        lp[step](*arguments, **options)
    return refused.value


def test_fixed_parameters_take_the_declared_type():
    kernel = lp["fix_parameters"](sample(), N=5, alpha=1.4)
    verify(kernel)
    assert {f.name: (f.value.value, f.value.type) for f in kernel.fixed} == {
        "n": (5, kernel.argument_by_name["n"].type),
        "alpha": (1.4, REAL4),
    }
    assert dump_tree(kernel).splitlines()[1:] == ["  for i = 0 .. 4", "    s0: x[i, j] = 1.4*x[i, j] + y[map[i]]"]
    assert [argument.name for argument in kernel.arguments] == [a.name for a in sample().arguments]
    extent = kernel.argument_by_name["x"].shape[0].extent
    assert extent is not None
    assert expr_text(extent) == "5"


def test_fixing_reaches_rules_and_assumptions():
    kernel = lp["assume"](lp["extract_subst"](sample(), "r", "alpha*x[i,j]"), "n >= m")
    kernel = lp["fix_parameters"](kernel, n=3, alpha=2)
    assert expr_text(kernel.rules[0].body) == "2.0*x[i, j]"
    assert kernel.assumptions.constraints == "m <= 3"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"q": 1}, "FCL268"),
        ({"x": 1}, "FCL268"),
        ({"n": 1.5}, "FCL269"),
        ({"n": True}, "FCL269"),
        ({"n": 2**40}, "FCL269"),
    ],
)
def test_fixing_refuses(values, code):
    error = refusal("fix_parameters", sample(), **values)
    assert (error.code, error.argument) == (code, next(iter(values)))


def test_a_written_scalar_is_not_fixed():
    kernel = build_kernel("k", "n; s; x(n)", [("s", "1", {}), ("x[i]", "s", {"i": "n"})])
    assert refusal("fix_parameters", kernel, s=1).code == "FCL269"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("n >= 1", "n > 0"),
        ("N mod 32 = 0", "(n) mod 32 = 0"),
        ("n mod (4) = 0 .and. m .ge. n", "(n) mod 4 = 0 and m >= n"),
        ("mod(n, 4) == 0", "(n) mod 4 = 0"),
        ("0 < n <= m", "n > 0 and m >= n"),
        ("n /= 3", "n <= 2 or n >= 4"),
        ("not n > 3", "n <= 3"),
        ("lambda > 1", "lambda >= 2"),
        ("n // 4 >= 2", "n >= 8"),
    ],
)
def test_assumptions(text, expected):
    assert lp["assume"](sample(), text).assumptions.constraints == expected


def test_assumptions_add_up():
    kernel = lp["assume"](lp["assume"](sample(), "n >= 1"), "n <= 3")
    assert kernel.assumptions.constraints == "0 < n <= 3"
    assert refusal("assume", kernel, "n = 4").code == "FCL258"


@pytest.mark.parametrize(
    ("text", "code"),
    [("n >=", "FCL250"), ("q > 1", "FCL250"), ("i > 1", "FCL258"), ("n*m > 1", "FCL258"), ("n", "FCL258"),
     ("map[0] > 1", "FCL258"), ("alpha > 1", "FCL258"), ("n >= 1; import os", "FCL250"), ("n.real > 0", "FCL250"),
     ("(lambda: 1)()", "FCL250"), ("(" * 500 + "n" + ")" * 500, "FCL250")],
)  # fmt: skip
def test_assumptions_refuse(text, code):
    error = refusal("assume", sample(), text)
    assert (error.code, error.argument) == (code, "assumptions")


def test_promises_about_data():
    kernel = lp["assume_extent"](sample(), "Y", "1+(n-1)*abs(m)")
    assert [(name, expr_text(count)) for name, count in kernel.promised_extents] == [("y", "1 + (n - 1)*abs(m)")]
    assert lp["assume_extent"](kernel, "y", "n").promised_extents[0][1] == parse_expression("n", kernel)
    assert lp["assume_injective"](kernel, "MAP").injective == {"map"}
    assert lp["assume_no_alias"](kernel, "x", "y") == kernel


@pytest.mark.parametrize(
    ("step", "arguments", "code"),
    [
        ("assume_extent", ("z", "n"), "FCL268"),
        ("assume_extent", ("n", "n"), "FCL268"),
        ("assume_extent", ("y", "n+"), "FCL250"),
        ("assume_extent", ("y", "map[0]"), "FCL252"),
        ("assume_extent", ("y", "i"), "FCL252"),
        ("assume_injective", ("x",), "FCL252"),
        ("assume_injective", ("q",), "FCL268"),
        ("assume_no_alias", ("q",), "FCL268"),
    ],
)
def test_promises_refuse(step, arguments, code):
    assert refusal(step, sample(), *arguments).code == code


@pytest.mark.parametrize(
    ("text", "expected", "type"),
    [
        ("2d0*x(i,j)", "2.0d0*x[i, j]", REAL8),
        ("1.5D-3", "0.0015d0", REAL8),
        ("2.0_8", "2.0d0", REAL8),
        ("2_8", "2", INTEGER8),
        ("1e3_4", "1000.0", REAL4),
        ("2.*x[i,j]", "2.0*x[i, j]", REAL4),
        ("LAMBDA + in", "lambda + in", None),
        ("x(i,j) .GT. 1 .and. .not. n .eq. 3", "x[i, j] > 1 and not n == 3", None),
        ("a$left[i]", None, None),
    ],
)
def test_fortran_s_spellings(text, expected, type):
    if expected is None:
        with pytest.raises(StepError):
            parse_expression(text, sample())
        return
    found = parse_expression(text, sample())
    assert expr_text(found) == expected
    literal = next((node for node in (found, getattr(found, "left", None)) if hasattr(node, "value")), None)
    assert type is None or (literal is not None and literal.type == type)


def test_errors_show_what_was_written():
    with pytest.raises(StepError) as refused:
        parse_expression("x[i,j] + lambda.size", sample())
    assert "lambda.size" in refused.value.message and "_name_" not in refused.value.message
