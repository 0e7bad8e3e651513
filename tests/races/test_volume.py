"""Every level of the volume term that has local memory, under Oclgrind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.numeric.test_volume import SOURCE, inputs
from tests.support.whole import Call, build


@pytest.mark.parametrize("directions", ["rs", "rst"])
@pytest.mark.parametrize("level", [1, 2])
def test_no_race(tmp_path: Path, pocl_env: Mapping[str, str], level: int, directions: str) -> None:
    libraries = build(tmp_path, {"volume.f90": SOURCE}, variables={"NQ": 3, "DIRECTIONS": directions, "LEVEL": level})
    arguments = inputs(3, 2, 5)
    call = [Call(f"volume_{directions}", tuple(arguments))]
    values, report = libraries.under_oclgrind(call, pocl_env)
    report.assert_clean()
    expected = libraries.offloaded(call, pocl_env).values
    np.testing.assert_allclose(values[0][-1], expected[0][-1], rtol=1e-5)
