"""The manual says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fortrancl.script.library import LibraryFunction, namespace
from fortrancl.transform.reference import reference
from tests.support.command import run
from tests.support.documents import diagnostics_page, with_sections

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def held(request):
    """Hold a page against its text; --update-golden writes it."""

    def hold(name: str, text: str) -> None:
        path = DOCS / name
        if request.config.getoption("--update-golden"):
            path.write_text(text)
        assert path.read_text() == text, "pytest --update-golden tests/unit/test_docs.py writes it"

    return hold


def test_diagnostics_are_up_to_date(held):
    held("diagnostics.md", diagnostics_page())


def test_the_script_page_is_up_to_date(held):
    held("script.md", with_sections((DOCS / "script.md").read_text()))


def test_the_page_of_steps_is_up_to_date(held):
    held("transformations.md", reference())


def test_every_function_of_lp_is_told():
    page = (DOCS / "script.md").read_text()
    for name, value in namespace().members.items():
        if isinstance(value, LibraryFunction):
            assert f"`{name}`" in page, name


def test_every_option_is_told(tmp_path):
    page = (DOCS / "command-line.md").read_text()
    for command in ("compile", "check", "show", "config", "devices"):
        for option in re.findall(
            r"^  (?:-\w+, )?(-{1,2}[\w-]+)", run(tmp_path, {}, command, "--help").out, re.MULTILINE
        ):
            assert option in page, (command, option)


@pytest.mark.parametrize("page", ["script.md", "command-line.md", "diagnostics.md"])
def test_links_and_codes_lead_somewhere(page):
    from fortrancl.codes import CODES

    text = (DOCS / page).read_text()
    for target in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (DOCS / target).exists(), target
    assert set(re.findall(r"FCL\d{3}\b", text)) <= set(CODES)
    assert "\t" not in text.replace("\n\t$(FORTRANCL)", "").replace("\n\tgfortran", "")


def test_the_first_script_of_the_page_compiles(tmp_path):
    block = re.search(r"```fortran\n(!\$loopy begin.*?)```", (DOCS / "script.md").read_text(), re.DOTALL)
    assert block is not None
    text = (
        "subroutine s(n, x)\n  integer :: n, i\n  real :: x(n)\n  do i = 1, n\n    x(i) = 1\n  end do\nend subroutine\n"
    )
    assert run(tmp_path, {"m.f90": text + block[1]}, "check", "m.f90").status == 0
