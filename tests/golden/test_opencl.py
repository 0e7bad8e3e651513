"""The OpenCL text of kernels written down by hand: what changes here, a reader of the generated code sees."""

from __future__ import annotations

import pytest

from fortrancl.schedule.build import plan
from fortrancl.target.opencl import generate
from tests.support import hand_kernels
from tests.support.golden import Golden

KERNELS = ("saxpy", "dgemm", "stencil", "csr", "fill_scale", "time_loop", "one_lane", "reduction")


@pytest.mark.parametrize("name", KERNELS)
def test_text(name: str, golden: Golden):
    golden(f"{name}.cl", generate(plan(getattr(hand_kernels, name)())).text)


def test_text_with_unrolled_tiles(golden: Golden):
    golden("dgemm_unrolled.cl", generate(plan(hand_kernels.dgemm(unroll=True))).text)


def test_nvidia_adds_in_memory(golden: Golden):
    made = plan(hand_kernels.scatter())
    golden("scatter.cl", generate(made).text)
    golden("scatter_nvidia.cl", generate(made, "opencl-nvidia").text)


@pytest.mark.parametrize("name", KERNELS)
def test_the_text_depends_on_the_kernel_alone(name: str):
    first, second = (generate(plan(getattr(hand_kernels, name)())).text for _ in range(2))
    assert first == second
