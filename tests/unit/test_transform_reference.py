"""Every step says what it does, shows it, and names its errors."""

from __future__ import annotations

import re

import pytest

from fortrancl.codes import CODES
from fortrancl.transform import TRANSFORMATIONS
from fortrancl.transform.reference import reference


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_step_is_documented(name):
    text = TRANSFORMATIONS[name].__doc__ or ""
    first = text.strip().split("\n\n")[0]
    assert first.endswith((".", ".)", ":")) and first[0].isupper(), first
    assert set(re.findall(r"FCL\d{3}", text)) <= set(CODES)
    assert f"`{name}`" in reference() or f"## {name}\n" in reference()


def test_examples_are_fenced():
    assert reference().count("```") % 2 == 0
    assert ">>>" not in re.sub(r"```python\n.*?```", "", reference(), flags=re.DOTALL)
