"""The reference interpreter: Fortran's arithmetic, the loop tree's order, and everything it must not let pass."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fortrancl.ir.expr import Binary, Call, Convert, Literal_, RuleCall, Unary, Var, integer, logical
from fortrancl.ir.interpret import (
    ArithmeticFault,
    BarrierDivergence,
    DataRace,
    OutOfBounds,
    PoisonRead,
    interpret,
)
from fortrancl.ir.kernel import Argument, Guard, Iname, Rule, Tag
from fortrancl.ir.tree import Barrier
from fortrancl.ir.types import INTEGER1, INTEGER4, INTEGER8, LOGICAL4, REAL4, REAL8
from fortrancl.ir.verify import verify
from tests.property.builders import array, at, guard, kernel, local, loop, op, size, statement


def value_of(expression, type=REAL8, **scalars):
    """Result of ``r = expression`` over integer(4), real and logical scalars."""
    types = {bool: LOGICAL4, int: INTEGER4, float: REAL8, np.float32: REAL4, np.int64: INTEGER8}
    arguments = [Argument(name, types[value.__class__]) for name, value in scalars.items()]
    k = kernel([Argument("r", type), *arguments], [statement("s0", "r", expression, "", "")], "s0")
    verify(k)
    return interpret(k, {}, {"r": 0, **scalars})["r"]


REAL_TENTH = Literal_(0.1, REAL4, "0.1")


@pytest.mark.parametrize(
    ("expression", "type", "expected"),
    [
        (op(integer(-7), "/", 2), INTEGER4, -3),
        (op(7, "*", op(5, "/", 2)), INTEGER4, 14),
        (op(2, "**", integer(-1)), INTEGER4, 0),
        (op(integer(-1), "**", integer(-3)), INTEGER4, -1),
        (op(integer(2147483647), "+", 1), INTEGER4, -2147483648),
        (op(integer(2147483647, INTEGER8), "+", 1), INTEGER8, 2147483648),
        (Call("mod", (integer(-7), integer(3))), INTEGER4, -1),
        (Call("modulo", (integer(-7), integer(3))), INTEGER4, 2),
        (Call("floordiv", (integer(-7), integer(2))), INTEGER4, -4),
        (Call("floormod", (integer(-7), integer(2))), INTEGER4, 1),
        (Call("mod", (Literal_(-7.5, REAL8), Literal_(2.0, REAL8))), REAL8, -1.5),
        (Call("modulo", (Literal_(-7.5, REAL8), Literal_(2.0, REAL8))), REAL8, 0.5),
        (Call("sign", (Literal_(3.0, REAL8), Literal_(-0.0, REAL8))), REAL8, -3.0),
        (Call("sign", (integer(-3), integer(0))), INTEGER4, 3),
        (Call("nint", (Literal_(-2.5, REAL8),)), INTEGER4, -3),
        (Call("floor", (Literal_(-2.5, REAL8),)), INTEGER4, -3),
        (Call("ceiling", (Literal_(-2.5, REAL8),)), INTEGER4, -2),
        (Call("anint", (Literal_(2.5, REAL8),)), REAL8, 3.0),
        (Call("dim", (integer(3), integer(5))), INTEGER4, 0),
        (Call("max", (integer(3), integer(5), integer(4))), INTEGER4, 5),
        (Call("merge", (integer(3), integer(5), logical(False))), INTEGER4, 5),
        (Call("ishft", (integer(-1), integer(-28))), INTEGER4, 15),
        (Call("ieor", (integer(12), integer(10))), INTEGER4, 6),
        (Call("not", (integer(0),)), INTEGER4, -1),
        (Call("btest", (integer(4), integer(2))), LOGICAL4, True),
        (Convert(INTEGER4, Literal_(-2.7, REAL8)), INTEGER4, -2),
        (Unary("-", integer(-2147483648)), INTEGER4, -2147483648),
        (integer(300), INTEGER1, 44),
        (REAL_TENTH, REAL8, 0.10000000149011612),
        (Binary("+", REAL_TENTH, Literal_(0.2, REAL4, "0.2")), REAL8, float(np.float32(0.1) + np.float32(0.2))),
        (Binary("**", Literal_(0.0, REAL8), integer(-1)), REAL8, float("inf")),
        (Binary("/", Literal_(1.0, REAL8), Literal_(0.0, REAL8)), REAL8, float("inf")),
        (op(op(1, "<", 2), "and", Unary("not", op(1, "==", 2))), LOGICAL4, True),
        (op(logical(True), "neqv", logical(True)), LOGICAL4, False),
    ],
)
def test_arithmetic(expression, type, expected):
    result = value_of(expression, type)
    assert result == expected
    assert isinstance(result, bool) == (type == LOGICAL4)


def test_real4_never_widens():
    x = np.float32(1.1)
    result = value_of(op(op("x", "*", "x"), "+", "x"), REAL4, x=x)
    assert result.dtype == np.float32
    assert result == np.float32(np.float32(x * x) + x)


def test_integer_power_of_a_real_multiplies():
    assert value_of(op("x", "**", 5), REAL8, x=1.1) == (1.1 * ((1.1 * 1.1) * (1.1 * 1.1)))


def test_faults_of_integers():
    with pytest.raises(ArithmeticFault):
        value_of(op(1, "/", "n"), INTEGER4, n=0)
    with pytest.raises(ArithmeticFault):
        value_of(Convert(INTEGER4, op("x", "/", "x")), INTEGER4, x=0.0)


def test_nested_loops_match_numpy():
    inside = "0 <= i < n and 0 <= j <= i"
    k = kernel(
        [size("n"), array("a", "n", "n"), array("x", "n")],
        [
            statement("s0", at("x", "i"), 0, "i", "0 <= i < n", "n"),
            statement("s1", at("x", "i"), op(at("x", "i"), "+", op(at("a", "i", "j"), "*", "j")), "i j", inside, "n"),
        ],
        loop("i", "s0", loop("j", "s1")),
    )
    verify(k)
    a = np.asfortranarray(np.arange(16.0).reshape(4, 4))
    result = interpret(k, {"a": a, "x": np.full(4, np.nan)}, {"n": 4})
    expected = np.array([sum(a[i, j] * j for j in range(i + 1)) for i in range(4)])
    assert np.array_equal(result["x"], expected)
    assert np.array_equal(result["a"], a)


def test_prefix_sum_runs_in_order():
    k = kernel(
        [size("n"), array("x", "n")],
        [
            statement(
                "s0", at("x", op("i", "+", 1)), op(at("x", "i"), "+", at("x", op("i", "+", 1))), "i", "0<=i<n-1", "n"
            )
        ],
        loop("i", "s0"),
    )
    assert list(interpret(k, {"x": np.ones(5)}, {"n": 5})["x"]) == [1, 2, 3, 4, 5]


def test_empty_loops_run_nothing():
    k = kernel([size("n"), array("x", "n")], [statement("s0", at("x", "i"), 1, "i", "0<=i<n", "n")], loop("i", "s0"))
    assert interpret(k, {"x": np.empty(0)}, {"n": 0})["x"].size == 0


def test_guards_rules_and_scalar_results():
    k = kernel(
        [size("n"), array("x", "n"), Argument("total", REAL8), guard("p_0")],
        [
            statement("s0", "p_0", op(at("x", "i"), ">", 0), "i", "0<=i<n", "n"),
            statement("s1", "total", op("total", "+", RuleCall("sq", (at("x", "i"),))), "i", "0<=i<n", "n",
                      guards=(Guard("p_0"),)),
            statement("s2", at("x", "i"), 0, "i", "0<=i<n", "n", guards=(Guard("p_0", False),)),
        ],
        loop("i", "s0", "s1", "s2"),
        rules=(Rule("sq", ("v",), op("v", "*", "v")),),
    )  # fmt: skip
    verify(k)
    result = interpret(k, {"x": [1.0, -2.0, 3.0]}, {"n": 3, "total": 0.5})
    assert result["total"] == 10.5
    assert list(result["x"]) == [1.0, 0.0, 3.0]


def csr():
    """y(i) = sum of val(first(i) .. first(i+1)-1), 0-based pointers."""
    return kernel(
        [size("n"), array("first", op("n", "+", 1), type=INTEGER4), array("val", None), array("y", "n"),
         local("lo", type=INTEGER4), local("cnt", type=INTEGER4)],
        [
            statement("s0", "lo", at("first", "i"), "i", "0<=i<n", "n"),
            statement("s1", "cnt", op(at("first", op("i", "+", 1)), "-", "lo"), "i", "0<=i<n", "n"),
            statement(
                "s2", at("y", "i"), op(at("y", "i"), "+", at("val", op("lo", "+", "k"))), "i k", "0<=i<n and k>=0", "n"
            ),
        ],
        loop("i", "s0", "s1", loop("k", "s2")),
        inames={"k": Iname("k", trip="cnt")},
    )  # fmt: skip


def test_trip_counts_that_are_data():
    verify(csr())
    first = np.array([0, 2, 2, 22, 23], dtype=np.int32)
    val = np.arange(23.0)
    result = interpret(csr(), {"first": first, "val": val, "y": np.zeros(4)}, {"n": 4})
    assert list(result["y"]) == [val[a:b].sum() for a, b in pairwise(first)]


# -- what no correct program does -------------------------------------------------------------------------------
def test_out_of_bounds():
    k = kernel([size("n"), array("x", "n")], [statement("s0", at("x", op("i", "+", 1)), 1, "i", "0<=i<n", "n")],
               loop("i", "s0"))  # fmt: skip
    with pytest.raises(OutOfBounds, match=r"x\[3\] outside \[3\] in statement s0 at i=2"):
        interpret(k, {"x": np.zeros(3)}, {"n": 3})


def test_poison():
    k = kernel([size("n"), array("x", "n"), local("t", "n")],
               [statement("s0", at("x", "i"), at("t", "i"), "i", "0<=i<n", "n")], loop("i", "s0"))  # fmt: skip
    with pytest.raises(PoisonRead):
        interpret(k, {"x": np.zeros(3)}, {"n": 3})


def test_a_value_of_another_iteration_is_poison():
    k = kernel(
        [size("n"), array("x", "n"), local("t", private_to=("i",))],
        [
            statement("s0", "t", "i", "i", "i = 0 and 0 < n", "n"),
            statement("s1", at("x", "i"), "t", "i", "0<=i<n", "n"),
        ],
        loop("i", "s0", "s1"),
    )
    with pytest.raises(PoisonRead, match="another iteration"):
        interpret(k, {"x": np.zeros(3)}, {"n": 3})


def test_wrong_shapes_and_assumptions():
    k = kernel([size("n"), array("x", "n")], [statement("s0", at("x", "i"), 1, "i", "0<=i<n", "n")], loop("i", "s0"))
    with pytest.raises(ValueError, match="declared"):
        interpret(k, {"x": np.zeros(4)}, {"n": 3})


# -- lanes ------------------------------------------------------------------------------------------------------
LANES = {"g": Iname("g", Tag("g", 0)), "l": Iname("l", Tag("l", 0)), "m": Iname("m", Tag("l", 0))}


def reversal(*between, buffer_space="local"):
    """Each group reverses its four elements of x by way of a local buffer."""
    inside = "0 <= g < 2 and 0 <= l < 4"
    return kernel(
        [array("x", 8), local("b", 4, address_space=buffer_space)],
        [
            statement("s0", at("b", "l"), at("x", op(op(4, "*", "g"), "+", "l")), "g l", inside),
            statement("s1", at("x", op(op(4, "*", "g"), "+", "l")), at("b", op(3, "-", "l")), "g l", inside),
        ],
        "s0",
        *between,
        "s1",
        inames=LANES,
    )


def test_a_local_barrier_orders_lanes():
    k = reversal(Barrier("local"))
    verify(k)
    for seed in range(5):
        result = interpret(k, {"x": np.arange(8.0)}, {}, seed=seed)
        assert list(result["x"]) == [3, 2, 1, 0, 7, 6, 5, 4]


@pytest.mark.parametrize("seed", range(5))
def test_a_missing_barrier_is_seen_in_every_order(seed):
    with pytest.raises((DataRace, PoisonRead)):
        interpret(reversal(), {"x": np.arange(8.0)}, {}, seed=seed)


def test_private_memory_is_not_shared():
    with pytest.raises(PoisonRead):
        interpret(reversal(Barrier("local"), buffer_space="private"), {"x": np.arange(8.0)}, {})


def test_local_memory_does_not_outlive_a_launch():
    with pytest.raises(PoisonRead):
        interpret(reversal(Barrier("global")), {"x": np.arange(8.0)}, {})


def shift(*between):
    """y = x from the right neighbour, across groups."""
    return kernel(
        [array("x", 5), array("y", 5)],
        [
            statement("s0", at("x", "g"), "g", "g", "0<=g<5"),
            statement("s1", at("y", "g"), at("x", op(4, "-", "g")), "g", "0<=g<5"),
        ],
        "s0",
        *between,
        "s1",
        inames=LANES,
    )


def test_groups_need_a_global_barrier():
    data = {"x": np.zeros(5), "y": np.zeros(5)}
    assert list(interpret(shift(Barrier("global")), data, {})["y"]) == [4, 3, 2, 1, 0]
    for between in ((), (Barrier("local"),)):
        with pytest.raises(DataRace):
            interpret(shift(*between), data, {})


def test_atomic_updates_may_meet_and_others_not():
    def count(atomic):
        return kernel(
            [array("h", 2, type=INTEGER4)],
            [statement("s0", at("h", Call("mod", (Var("l"), integer(2)))),
            op(at("h", Call("mod", (Var("l"), integer(2)))), "+", 1,),
                       "l", "0<=l<6", atomic=atomic)],
            "s0",
            inames=LANES,
        )  # fmt: skip

    assert list(interpret(count(True), {"h": np.zeros(2)}, {})["h"]) == [3, 3]
    with pytest.raises(DataRace):
        interpret(count(False), {"h": np.zeros(2)}, {})


def test_statements_without_lanes():
    """A private scalar is set by every lane, an element of an argument by lane 0 of group 0 alone."""
    k = kernel(
        [array("x", 6), array("y", 1), local("t", address_space="private")],
        [
            statement("s0", "t", 7, "", ""),
            statement("s1", at("y", 0), op(at("y", 0), "+", 1), "", ""),
            statement("s2", at("x", op(op("g", "*", 3), "+", "l")), "t", "g l", "0<=g<2 and 0<=l<3"),
        ],
        "s0",
        "s1",
        "s2",
        inames=LANES,
    )
    result = interpret(k, {"x": np.zeros(6), "y": np.zeros(1)}, {})
    assert list(result["x"]) == [7] * 6
    assert list(result["y"]) == [1]


def test_two_inames_on_one_axis_of_different_length():
    k = kernel(
        [array("x", 3), array("y", 5)],
        [statement("s0", at("x", "l"), "l", "l", "0<=l<3"), statement("s1", at("y", "m"), "m", "m", "0<=m<5")],
        "s0",
        "s1",
        inames=LANES,
    )
    result = interpret(k, {"x": np.zeros(3), "y": np.zeros(5)}, {})
    assert list(result["x"]) == [0, 1, 2]
    assert list(result["y"]) == [0, 1, 2, 3, 4]


def test_barriers_in_loops_and_divergence():
    def staged(trip):
        return kernel(
            [array("c", 3, type=INTEGER4), array("x", 3), local("cnt", type=INTEGER4, address_space="private")],
            [
                statement("s0", "cnt", at("c", trip), "l", "0<=l<3"),
                statement("s1", at("x", Call("mod", (op("l", "+", "k"), integer(3)))), "k", "l k", "0<=l<3 and k>=0"),
            ],
            "s0",
            loop("k", "s1", Barrier("local")),
            inames={**LANES, "k": Iname("k", trip="cnt")},
        )

    data = {"c": np.array([2, 2, 3]), "x": np.zeros(3)}
    assert list(interpret(staged(0), data, {})["x"]) == [1, 1, 1]
    with pytest.raises(BarrierDivergence):
        interpret(staged("l"), data, {})


def test_a_host_loop_around_a_global_barrier():
    k = kernel(
        [size("n"), array("x", 4)],
        [
            statement(
                "s0", at("x", op(3, "-", "g")), op(at("x", op(3, "-", "g")), "+", 1), "k g", "0<=k<n and 0<=g<4", "n"
            ),
            statement("s1", at("x", "g"), op(at("x", "g"), "*", 2), "k g", "0<=k<n and 0<=g<4", "n"),
        ],
        loop("k", "s0", Barrier("global"), "s1", Barrier("global")),
        inames=LANES,
    )
    assert list(interpret(k, {"x": np.zeros(4)}, {"n": 3})["x"]) == [14] * 4
    assert list(interpret(k, {"x": np.zeros(4)}, {"n": 0})["x"]) == [0] * 4


def test_trace_tells_the_order():
    k = kernel(
        [array("x", 2)], [statement("s0", at("x", "i"), op(at("x", "i"), "+", 1), "i", "0<=i<2")], loop("i", "s0")
    )
    trace = []
    interpret(k, {"x": np.zeros(2)}, {}, trace=trace)
    assert [(e.statement, dict(e.inames), e.name, e.element, e.is_write) for e in trace] == [
        ("s0", {"i": i}, "x", i, write) for i in range(2) for write in (False, True)
    ]
