"""Expressions in OpenCL C against gfortran's own build of the same Fortran, on PoCL; texts that matter, literally."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from fortrancl.ir.expr import Binary, Call, Convert, Literal_, Subscript, Unary, Var, integer, logical
from fortrancl.ir.kernel import Argument
from fortrancl.ir.types import INTEGER1, INTEGER2, INTEGER4, INTEGER8, LOGICAL4, REAL4, REAL8, ScalarType
from fortrancl.schedule.build import plan
from fortrancl.target import render
from fortrancl.target.expressions import Translator
from fortrancl.target.host_expressions import host_integer_expression
from fortrancl.target.opencl import generate
from fortrancl.target.types import NoDeviceFormError
from tests.property.builders import array, kernel, loop, size, statement
from tests.support.build import run
from tests.support.launch import run_plan

N = 12
I = Var("i")  # noqa: E741
X, Y, S = (Subscript(name, (I,)) for name in ("x", "y", "s"))
K, M, B, H, W = (Subscript(name, (I,)) for name in ("k", "m", "b", "h", "w"))
ONE, TWO, THREE = integer(1), integer(2), integer(3)


def op(left, operator, right):
    return Binary(operator, left, right)


def f(function, *arguments):
    return Call(function, arguments)


def r8(text):
    return Literal_(float(text.replace("d", "e").split("_")[0]), REAL8, text)


def r4(text):
    return Literal_(float(np.float32(text)), REAL4, text)


# (Fortran, our tree, result type, exact)
CASES = [
    ("x(i) + y(i) + 1.1d0", op(op(X, "+", Y), "+", r8("1.1d0")), REAL8),
    ("x(i) + (y(i) + 1.1d0)", op(X, "+", op(Y, "+", r8("1.1d0"))), REAL8),
    ("x(i) - (y(i) - x(i))", op(X, "-", op(Y, "-", X)), REAL8),
    ("x(i)*y(i) + x(i)", op(op(X, "*", Y), "+", X), REAL8),
    ("x(i)*0.1", op(X, "*", r4("0.1")), REAL8),
    ("s(i)*0.1 + 1.4", op(op(S, "*", r4("0.1")), "+", r4("1.4")), REAL4),
    ("s(i)*x(i)", op(S, "*", X), REAL8),
    ("s(i)*k(i)", op(S, "*", K), REAL4),
    ("7*(k(i)/2)", op(integer(7), "*", op(K, "/", TWO)), INTEGER4),
    ("m(i)/k(i)*k(i)", op(op(M, "/", K), "*", K), INTEGER4),
    ("-x(i)**2", Unary("-", op(X, "**", TWO)), REAL8),
    ("x(i)**3", op(X, "**", THREE), REAL8),
    ("x(i)**5", op(X, "**", integer(5)), REAL8),
    ("x(i)**15", op(X, "**", integer(15)), REAL8),
    ("s(i)**7", op(S, "**", integer(7)), REAL4),
    ("x(i)**(-1)", op(X, "**", Unary("-", ONE)), REAL8),
    ("x(i)**0", op(X, "**", integer(0)), REAL8),
    ("2**m(i)", op(TWO, "**", M), INTEGER4),
    ("(-1)**m(i)", op(integer(-1), "**", M), INTEGER4),
    ("k(i)**3", op(K, "**", THREE), INTEGER4),
    ("k(i)**abs(m(i))", op(K, "**", f("abs", M)), INTEGER4),
    ("mod(m(i), 3)", f("mod", M, THREE), INTEGER4),
    ("modulo(m(i), 3)", f("modulo", M, THREE), INTEGER4),
    ("modulo(m(i), -3)", f("modulo", M, integer(-3)), INTEGER4),
    ("mod(x(i), y(i))", f("mod", X, Y), REAL8),
    ("modulo(x(i), y(i))", f("modulo", X, Y), REAL8),
    ("sign(x(i), y(i))", f("sign", X, Y), REAL8),
    ("sign(k(i), m(i))", f("sign", K, M), INTEGER4),
    ("dim(x(i), y(i))", f("dim", X, Y), REAL8),
    ("dim(k(i), m(i))", f("dim", K, M), INTEGER4),
    ("nint(x(i))", f("nint", X), INTEGER4),
    ("anint(x(i))", f("anint", X), REAL8),
    ("aint(y(i))", f("aint", Y), REAL8),
    ("floor(y(i)) + ceiling(x(i))", op(f("floor", Y), "+", f("ceiling", X)), INTEGER4),
    ("int(y(i))", Convert(INTEGER4, Y), INTEGER4),
    ("real(y(i))", Convert(REAL4, Y), REAL4),
    ("dble(i)/3", op(Convert(REAL8, op(I, "+", ONE)), "/", THREE), REAL8),
    ("i/2", op(op(I, "+", ONE), "/", TWO), REAL8),
    ("max(x(i), y(i), 1.5d0)", f("max", X, Y, r8("1.5d0")), REAL8),
    ("min(k(i), m(i), i)", f("min", K, M, op(I, "+", ONE)), INTEGER4),
    ("abs(x(i)) + abs(m(i))", op(f("abs", X), "+", f("abs", M)), REAL8),
    ("merge(x(i), y(i), k(i) > m(i))", f("merge", X, Y, op(K, ">", M)), REAL8),
    ("iand(k(i), 6) + ior(m(i), 9) - ieor(k(i), m(i)) + not(k(i))",
     op(op(op(f("iand", K, integer(6)), "+", f("ior", M, integer(9))), "-", f("ieor", K, M)), "+", f("not", K)),
     INTEGER4),
    ("ishft(m(i), 3) + ishft(m(i), -2)", op(f("ishft", M, THREE), "+", f("ishft", M, integer(-2))), INTEGER4),
    ("ishft(m(i), -i)", f("ishft", M, Unary("-", op(I, "+", ONE))), INTEGER4),
    ("w(i)*m(i) + 3000000000_8", op(op(W, "*", M), "+", integer(3000000000, INTEGER8)), INTEGER8),
    ("-2147483647_4 - 1", op(integer(-(2**31)), "+", integer(0)), INTEGER4),
    ("b(i)*b(i)", op(B, "*", B), INTEGER1),
    ("h(i)*h(i) - 1_2", op(op(H, "*", H), "-", integer(1, INTEGER2)), INTEGER2),
    ("(b(i)*b(i))/2_1", op(op(B, "*", B), "/", integer(2, INTEGER1)), INTEGER1),
    ("b(i) + k(i)", op(B, "+", K), INTEGER4),
    ("sqrt(abs(x(i)))", f("sqrt", f("abs", X)), REAL8),
    ("sqrt(abs(s(i)))", f("sqrt", f("abs", S)), REAL4),
    ("x(i)/y(i)", op(X, "/", Y), REAL8),
    ("s(i)/3", op(S, "/", THREE), REAL4),
    ("merge(1, 0, x(i) < y(i) .and. .not. (k(i) == 3 .or. m(i) /= 7))",
     f("merge", ONE, integer(0), op(op(X, "<", Y), "and", Unary("not", op(op(K, "==", THREE), "or",
                                                                          op(M, "/=", integer(7)))))), INTEGER4),
    ("merge(1, 0, (x(i) < y(i)) .eqv. (k(i) > m(i)))",
     f("merge", ONE, integer(0), op(op(X, "<", Y), "eqv", op(K, ">", M))), INTEGER4),
    ("merge(1, 0, (x(i) < y(i)) .neqv. btest(k(i), 1))",
     f("merge", ONE, integer(0), op(op(X, "<", Y), "neqv", f("btest", K, ONE))), INTEGER4),
]  # fmt: skip

CLOSE = [
    ("exp(x(i))", f("exp", X)),
    ("log(abs(y(i)) + 1)", f("log", op(f("abs", Y), "+", ONE))),
    ("log10(abs(y(i)) + 1)", f("log10", op(f("abs", Y), "+", ONE))),
    ("sin(x(i)) + cos(y(i)) + tan(x(i))", op(op(f("sin", X), "+", f("cos", Y)), "+", f("tan", X))),
    ("atan2(x(i), y(i)) + atan(x(i))", op(f("atan2", X, Y), "+", f("atan", X))),
    ("asin(x(i)/20) + acos(y(i)/20)", op(f("asin", op(X, "/", integer(20))), "+", f("acos", op(Y, "/", integer(20))))),
    ("sinh(x(i)) + cosh(y(i)) + tanh(x(i))", op(op(f("sinh", X), "+", f("cosh", Y)), "+", f("tanh", X))),
    ("hypot(x(i), y(i)) + erf(x(i))", op(f("hypot", X, Y), "+", f("erf", X))),
    ("gamma(abs(x(i)) + 0.5d0)", f("gamma", op(f("abs", X), "+", r8("0.5d0")))),
    ("abs(x(i))**1.4d0", op(f("abs", X), "**", r8("1.4d0"))),
    ("x(i)**m(i)", op(X, "**", M)),
]

FORTRAN_TYPES = {"real": "real", "integer": "integer", "logical": "logical"}


def fortran(type: ScalarType) -> str:
    return f"{FORTRAN_TYPES[type.base]}({type.kind})"


def inputs():
    x = np.array([0.3, -2.5, 2.5, 0.5, -0.5, 1.2, 4.9, -7.1, 3.5, -1.0, 0.0, 8.25])
    y = np.array([-3.7, 2.5, -2.5, 1.5, -2.2, 3.3, -0.1, 0.7, -4.4, 2.6, -5.5, 0.25])
    return {
        "x": x,
        "y": y,
        "s": (x * 1.3).astype(np.float32),
        "k": np.array([1, 2, 3, -4, 5, -1, 7, 8, 3, 10, 11, 1], np.int32),
        "m": np.array([-7, 7, -8, 8, -1, 1, 0, 5, -5, 3, 2, -2], np.int32),
        "b": np.array([1, 2, 3, -4, 5, -6, 7, 8, 9, 12, 11, -11], np.int8),
        "h": np.array([100, 2, 181, -4, 180, -6, 7, 8, 9, 12, 11, -100], np.int16),
        "w": np.arange(N, dtype=np.int64) * 3000000001,
    }


TYPES = {"x": REAL8, "y": REAL8, "s": REAL4, "k": INTEGER4, "m": INTEGER4, "b": INTEGER1, "h": INTEGER2, "w": INTEGER8}


def on_device(trees, types, index="int"):
    arrays = [array(name, "n", type=type) for name, type in TYPES.items()]
    results = [array(f"r{k}", "n", type=type) for k, type in enumerate(types)]
    where = "0 <= i < n"
    body = [statement(f"s{k}", Subscript(f"r{k}", (I,)), tree, "i", where, "n") for k, tree in enumerate(trees)]
    whole = kernel([size("n"), *arrays, *results], body, loop("i", *(s.id for s in body)))
    data = inputs() | {f"r{k}": np.zeros(N) for k in range(len(trees))}
    return run_plan(plan(whole), data, {"n": N}, index=index)


@pytest.fixture(scope="module")
def device():
    """All cases in one kernel: compiling is what takes time."""
    both = {}
    for index in ("int", "long"):
        both[index] = on_device([tree for _, tree, _ in CASES], [type for _, _, type in CASES], index)
    return both


@pytest.fixture(scope="module")
def gfortran_results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("f")
    source = ["module m", "contains"]
    names = ",".join(TYPES)
    declared = "".join(f"  {fortran(t)} :: {name}(n)\n" for name, t in TYPES.items())
    everything = [(text, type) for text, _, type in CASES] + [(text, REAL8) for text, _ in CLOSE]
    for number, (text, type) in enumerate(everything):
        source.append(
            f"subroutine f{number}(n,{names},r) bind(c)\n  integer, value :: n\n{declared}  {fortran(type)} :: r(n)\n"
            f"  integer :: i\n  do i = 1, n\n    r(i) = {text}\n  end do\nend subroutine\n"
        )
    (folder / "f.f90").write_text("\n".join([*source, "end module\n"]))
    flags = ["-O1", "-fno-range-check", "-ffp-contract=off", "-fwrapv", "-w", "-shared", "-fPIC"]
    flags += ["-ffree-line-length-none"]
    run(["gfortran", *flags, "f.f90", "-o", "f.so"], folder)
    library = ctypes.CDLL(str(folder / "f.so"))
    data = inputs()
    results = {}
    for number, (text, type) in enumerate(everything):
        result = np.zeros(N, f"{'f' if type.base == 'real' else 'i'}{type.kind}")
        pointers = (data[name].ctypes.data_as(ctypes.c_void_p) for name in TYPES)
        library[f"f{number}"](N, *pointers, result.ctypes.data_as(ctypes.c_void_p))
        results[text] = result
    return results


@pytest.mark.parametrize("index", ["int", "long"])
@pytest.mark.parametrize("number", range(len(CASES)), ids=[case[0] for case in CASES])
def test_bitwise_as_gfortran(number, index, device, gfortran_results):
    ours, theirs = device[index][f"r{number}"], gfortran_results[CASES[number][0]]
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours, theirs)
    assert (np.signbit(ours) == np.signbit(theirs)).all()


def test_library_functions_close_to_gfortran(gfortran_results):
    device = on_device([tree for _, tree in CLOSE], [REAL8] * len(CLOSE))
    for number, (text, _) in enumerate(CLOSE):
        np.testing.assert_allclose(device[f"r{number}"], gfortran_results[text], rtol=2e-14, err_msg=text)


def scope(*declarations, boxed=frozenset(), indices=frozenset({"i", "j", "t"})):
    whole = kernel(declarations, [])
    names = {d.name: d.name for d in declarations} | {name: name for name in indices}
    return Translator(whole, names, frozenset(indices), boxed)


def text(translated):
    return render.expression(translated)


def test_products_of_plain_integers_are_widened_in_indices():
    s = scope(array("u", "n", "m", "l"), size("n"), size("m"), size("l"))
    j = Var("j")
    assert text(s.place(Subscript("u", (I, j, integer(0))))) == "u[i + n*j]"
    assert text(s.place(Subscript("u", (integer(0), Var("n"), I)))) == "u[n*(n + m*i)]"
    assert text(s.index(op(Var("n"), "*", Var("m")))) == "(fcl_idx)n*m"
    assert text(s.index(op(Var("n"), "+", Var("m")))) == "(fcl_idx)n + m"
    assert text(s.index(op(I, "+", integer(-1)))) == "i - 1"


def test_one_large_constant_plane_is_widened_before_it_is_multiplied():
    s = scope(array("u", "n", "m", "l"), size("n"), size("m"), size("l"))
    last = text(s.place(Subscript("u", (integer(0), integer(0), integer(2)))))
    assert last == "u[n*((fcl_idx)m*2)]"


def test_integer8_and_data_subscripts():
    s = scope(Argument("big", INTEGER8), array("x", "n"), array("map", "n", type=INTEGER4), size("n"))
    assert text(s.place(Subscript("x", (op(Var("big"), "-", ONE),)))) == "x[(fcl_idx)big - 1]"
    inner = Subscript("map", (I,))
    assert text(s.place(Subscript("x", (op(inner, "-", ONE),)))) == "x[map[i] - 1]"


def test_logicals_test_the_lowest_bit():
    s = scope(array("p", "n", type=LOGICAL4), Argument("q", LOGICAL4), size("n"))
    p = Subscript("p", (I,))
    assert text(s.truth(op(Unary("not", p), "and", Var("q")))) == "!(p[i] & 1) && (q & 1)"
    assert text(s.truth(op(p, "eqv", Var("q")))) == "(p[i] & 1) == (q & 1)"
    assert text(s.value(logical(True)).c) == "1"


def test_written_scalars_stand_behind_a_pointer():
    s = scope(Argument("total", REAL8), boxed=frozenset({"total"}))
    assert text(s.place(Var("total"))) == "total[0]"


def test_nothing_in_a_single_precision_kernel_is_double():
    s4 = array("s", "n", type=REAL4)
    value = op(op(Subscript("s", (I,)), "**", r4("1.4")), "+", op(r4("0.1"), "*", integer(2)))
    body = statement("s0", Subscript("s", (I,)), value, "i", "0 <= i < n", "n")
    made = generate(plan(kernel([size("n"), s4], [body], loop("i", "s0")))).text
    assert "double" not in made and "fp64" not in made
    assert "pow(s[i], 1.4f) + 0.1f*2" in made


def test_names_that_c_or_opencl_has_are_changed():
    names = [
        "double",
        "int",
        "global",
        "get_local_id",
        "kernel",
        "float4",
        "sin",
        "fcl_idx",
        "double_",
        "x_off",
        "NULL",
    ]
    scalars = [Argument(name, REAL8) for name in names]
    total = Var(names[0])
    for name in names[1:]:
        total = op(total, "+", Var(name))
    body = statement("s0", Subscript("x", (Var("long"),)), total, "long", "0 <= long < 3")
    whole = kernel([*scalars, array("x", 3)], [body], loop("long", "s0"))
    made = generate(plan(whole)).text
    assert "double double_1" in made
    assert "int_ + global_ + v_get_local_id + kernel_ + float4_ + sin_ + v_fcl_idx" in made
    assert "fcl_idx long_ = 0" in made
    result = run_plan(plan(whole), {"x": np.zeros(3)}, {name: 2.0**k for k, name in enumerate(names)})
    assert (result["x"] == 2.0 ** len(names) - 1).all()


@pytest.mark.parametrize("bad", [f("bessel_j0", X), f("popcnt", K)])
def test_what_has_no_device_form_says_so(bad):
    s = scope(*(array(name, "n", type=type) for name, type in TYPES.items()), size("n"))
    with pytest.raises(NoDeviceFormError, match="has no device form"):
        s.value(bad)


def test_parameter_tables_are_constants():
    from fortrancl.ir.kernel import Temporary
    from tests.property.builders import dim

    values = tuple(Literal_(v, REAL8, t) for v, t in ((0.5, "0.5d0"), (-1.0, "-1d0"), (1e-3, "1d-3")))
    table = Temporary("w", REAL8, (dim(3),), values=values)
    body = statement("s0", Subscript("x", (I,)), op(Subscript("w", (I,)), "*", TWO), "i", "0 <= i < 3")
    made = plan(kernel([array("x", 3), table], [body], loop("i", "s0")))
    assert "__constant double w[3] = {0.5, -1.0, 1.0e-3};" in generate(made).text
    np.testing.assert_array_equal(run_plan(made, {"x": np.zeros(3)}, {})["x"], [1.0, -2.0, 2e-3])


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (op(Var("n"), "-", op(Var("m"), "-", ONE)), "n - (m - 1)"),
        (op(op(Var("n"), "+", TWO), "/", THREE), "(n + 2)/3"),
        (f("floordiv", Var("n"), THREE), "fcl_floordiv(n, 3)"),
        (f("min", Var("n"), Var("m"), ONE), "fcl_min(fcl_min(n, m), 1)"),
        (f("mod", Var("n"), TWO), "n%2"),
        (op(op(Var("n"), "<", ONE), "or", op(Var("m"), "/=", TWO)), "n < 1 || m != 2"),
        (integer(3000000000, INTEGER8), "INT64_C(3000000000)"),
        (Convert(INTEGER8, Var("n")), "n"),
    ],
)
def test_host_expressions(tree, expected):
    assert host_integer_expression(tree) == expected


def test_host_expressions_refuse_data():
    with pytest.raises(ValueError, match="host"):
        host_integer_expression(Subscript("x", (I,)))
