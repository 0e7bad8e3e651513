"""What cannot become device code is refused, with a code and a way out."""

from __future__ import annotations

import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.ir.kernel import Argument, Iname, Tag, Temporary
from fortrancl.ir.limits import DeviceLimits
from fortrancl.ir.types import COMPLEX8, INTEGER1, INTEGER4, REAL8, ScalarType
from fortrancl.schedule.build import plan
from fortrancl.target.opencl import generate
from tests.property.builders import array, dim, local, size
from tests.support.hand_kernels import AUTO, G0, G1, L0, L1
from tests.support.launch import make_kernel

WHERE = "0 <= i < n"
WHERE2 = "0 <= ii < 64 and io >= 0 and 64io+ii < n and 0 <= ji < 32 and jo >= 0 and 32jo+ji < n"
BLOCK = "0 <= ii < {0} and io >= 0 and {0}io+ii < n"


def refused(kernel, code, limits=None):
    with pytest.raises(CompileError) as caught:
        generate(plan(kernel, limits))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    return diagnostic


def one(tags, where=WHERE, inames="i", target="x[i]", value="2*x[i]", more=(), **options):
    declarations = [size("n"), array("x", "n"), *more]
    return make_kernel(declarations, [("s", target, value, inames, where)], ["s"], tags, **options)


def test_l_auto_needs_an_explicit_lane():
    kernel = make_kernel([size("n"), array("x", "n")], [("s", "x[i]", "1", "i", WHERE)], [["i", "s"]], {"i": AUTO})
    assert "no loop of 'k' is tagged" in refused(kernel, "FCL401").message


def test_a_group_has_a_constant_size():
    assert "lp.split_iname" in refused(one({"i": L0}), "FCL402").hints[0]


def test_two_loops_on_one_axis():
    kernel = one({"i": G0, "j": G0}, "0 <= i < n and 0 <= j < n", "i j", "x[i]", "x[i] + j")
    assert "'i' and 'j'" in refused(kernel, "FCL403").message


def test_groups_need_a_formula():
    kernel = make_kernel(
        [size("n"), array("x", "n"), local("trip", type=INTEGER4)],
        [("b", "trip", "int(x[0])", "", ""), ("s", "x[k]", "1", "k", "k >= 0")],
        ["b", "s"],
        {"k": G0},
        inames=(Iname("k", trip="trip"),),
    )
    refused(kernel, "FCL404")


def test_a_value_that_cannot_cross_a_global_barrier():
    owner = ("io", "ii")
    kernel = make_kernel(
        [size("n"), array("x", "n"), local("t", private_to=owner)],
        [
            ("z", "t", "0", "", ""),
            ("a", "t", "t + x[32*io+ii]", "io ii", BLOCK.format(32)),
            ("b", "x[32*io+ii]", "t", "io ii", BLOCK.format(32)),
        ],
        ["z", "a", "||", "b"],
        {"io": G0, "ii": L0},
    )
    assert "keeps a value across a global barrier" in refused(kernel, "FCL406").message


def test_the_host_cannot_run_a_loop_of_unknown_length():
    kernel = make_kernel(
        [size("n"), array("x", "n"), array("m", 4, type=INTEGER4), local("trip", type=INTEGER4)],
        [
            ("b", "trip", "m[0]", "", ""),
            ("s", "x[i]", "x[i] + 1", "k i", "k >= 0 and 0 <= i < n"),
            ("t", "x[i]", "2*x[i]", "k i", "k >= 0 and 0 <= i < n"),
        ],
        ["b", ["k", ["i", "s"], "||", ["i", "t"]]],
        inames=(Iname("k", trip="trip"),),
    )
    refused(kernel, "FCL407")


def test_a_loop_without_end():
    kernel = make_kernel([size("n"), array("x", "n")], [("s", "x[i]", "1", "i", "i >= 0")], [["i", "s"]])
    refused(kernel, "FCL408")


def test_private_arrays_have_constant_sizes():
    kernel = make_kernel(
        [size("n"), array("x", "n"), local("t", "n")],
        [("s", "t[i]", "x[i]", "i", WHERE), ("u", "x[i]", "t[i]", "i", WHERE)],
        [["i", "s"], ["i", "u"]],
    )
    assert "lp.fix_parameters" in refused(kernel, "FCL410").hints[0]


def test_extents_do_not_change():
    kernel = make_kernel([size("n"), array("x", "n")], [("s", "n", "n - 1", "", "")], ["s"])
    refused(kernel, "FCL411")


def test_work_groups_fit():
    kernel = make_kernel(
        [size("n"), array("x", "n", "n")],
        [("s", "x[64*io+ii, 32*jo+ji]", "1", "io ii jo ji", WHERE2)],
        ["s"],
        {"io": G0, "ii": L0, "jo": G1, "ji": L1},
    )
    found = refused(kernel, "FCL501")
    assert "64 x 32 = 2048" in found.message and "'ii' (l.0): 64, 'ji' (l.1): 32" in found.notes[0]


def test_an_axis_fits():
    kernel = one({"io": G0, "ii": Tag("l", 2)}, BLOCK.format(65), "io ii", "x[65*io+ii]", "1")
    assert "64 work-items along that axis" in refused(kernel, "FCL503").message


def test_local_memory_fits():
    kernel = make_kernel(
        [size("n"), array("x", "n"), local("t", 100, 64, address_space="local")],
        [("a", "t[0, i]", "x[i]", "i", "0 <= i < 64"), ("b", "x[i]", "t[0, 63-i]", "i", "0 <= i < 64")],
        ["a", "b"],
        {"i": L0},
    )
    found = refused(kernel, "FCL502")
    assert "51200 bytes" in found.message and "'t' (100, 64) of real(8): 51200 bytes" in found.notes[0]
    plan(kernel, DeviceLimits(local_bytes=64 * 1024))


def test_constant_memory_fits():
    from fortrancl.ir.expr import Literal_

    table = Temporary("w", REAL8, (dim(9000),), values=(Literal_(1.0, REAL8, "1d0"),) * 9000)
    refused(one({}, "0 <= i < 9000", value="w[i]", more=[table]), "FCL504")


@pytest.mark.parametrize("type", [COMPLEX8, ScalarType("real", 16), ScalarType("integer", 16)])
def test_types_that_opencl_lacks(type):
    kernel = make_kernel([array("z", 5, type=type)], [("s", "z[0]", "z[1]", "", "")], ["s"])
    assert str(type) in refused(kernel, "FCL505").message


def test_atomic_updates_that_opencl_lacks():
    kernel = make_kernel(
        [size("n"), array("b", 5, type=INTEGER1)], [("s", "b[0]", "b[0] + 1", "", "")], ["s"], atomic=frozenset({"s"})
    )
    refused(kernel, "FCL506")


def test_intrinsics_without_device_form():
    from dataclasses import replace

    from fortrancl.ir.expr import Call, Var

    kernel = make_kernel([Argument("q", REAL8)], [("s", "q", "1.5", "", "")], ["s"])
    body = replace(kernel.statements[0], value=Call("bessel_j0", (Var("q"),)))
    refused(replace(kernel, statements=(body,)), "FCL409")
