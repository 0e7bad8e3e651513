"""Statement queries: what they mean, and where a bad one is wrong."""

from __future__ import annotations

import pytest

from fortrancl.diagnostics import StepError
from fortrancl.ir.match import find_instructions, matches
from tests.support.scripts import UNIT, run

FORTRAN = """\
subroutine Flow(n, q, flux, area)
  integer, intent(in) :: n
  real(8) :: q(n), flux(n), area
  real(8) :: up
  integer :: i, j
!$loopy begin tagged: init
  do i = 1, n
    flux(i) = 0
  end do
!$loopy end tagged: init
  do j = 1, n
    if (q(j) > 0) then
      Up = q(j)*area
!$loopy begin tagged: sum_up
      flux(j) = flux(j) + up
!$loopy end tagged: sum_up
    end if
  end do
end subroutine Flow
"""


@pytest.fixture(scope="module")
def kernel():
    return run(UNIT + "RESULT = unit", fortran=FORTRAN).kernels[0]


def written(kernel, query):
    return [statement.target_name for statement in find_instructions(kernel, query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("*", ["flux", "p_0", "up", "flux"]),
        (None, ["flux", "p_0", "up", "flux"]),
        ("", ["flux", "p_0", "up", "flux"]),
        ("  ", ["flux", "p_0", "up", "flux"]),
        ("id:*", ["flux", "p_0", "up", "flux"]),
        ("id:s0", ["flux"]),
        ("id:S?", ["flux", "p_0", "up", "flux"]),
        ("tag:init", ["flux"]),
        ("tag:sum*", ["flux"]),
        ("tag:*", ["flux", "flux"]),
        ("not tag:*", ["p_0", "up"]),
        ("writes:flux", ["flux", "flux"]),
        ("writes:FLUX", ["flux", "flux"]),
        ("Writes:f*x", ["flux", "flux"]),
        ("writes : flux", ["flux", "flux"]),
        ("reads:q", ["p_0", "up"]),
        ("reads:flux", ["flux"]),
        ("reads:area or reads:up", ["up", "flux"]),
        ("reads:p_0", ["up", "flux"]),
        ("reads:j and writes:up", ["up"]),
        ("iname:i", ["flux"]),
        ("iname:j", ["p_0", "up", "flux"]),
        ("iname:i*", ["flux"]),
        ("in_kernel:flow", ["flux", "p_0", "up", "flux"]),
        ("in_kernel:other", []),
        ("writes:flux and not tag:init", ["flux"]),
        ("not (tag:init or writes:up)", ["p_0", "flux"]),
        ("not not tag:init", ["flux"]),
        ("tag:init or writes:up and reads:area", ["flux", "up"]),
        ("(tag:init or writes:up) and reads:area", ["up"]),
        ("tag:init AND writes:flux OR NOT iname:j", ["flux"]),
        ("writes:x", []),
    ],
)
def test_queries(kernel, query, expected):
    assert sorted(written(kernel, query)) == sorted(expected)
    assert written(kernel, query) == [s.target_name for s in kernel.statements if s.id in matches(kernel, query)]


@pytest.mark.parametrize(
    ("query", "value", "position", "message"),
    [
        ("writs:x", "writs", 0, "a query has no field 'writs'"),
        ("id:a writes:b", "writes", 5, "expected 'and', 'or' or the end of the query here"),
        ("id:a and", None, None, "the query ends where a condition is expected"),
        ("id:a or or id:b", "or", 8, "expected a condition here"),
        ("(id:a", "(", 0, "this '(' is never closed"),
        ("id:a)", ")", 4, "expected 'and', 'or' or the end of the query here"),
        ("()", ")", 1, "expected a condition here"),
        ("id:", ":", 2, "expected a name after ':'"),
        ("id", "id", 0, "'id' needs ':' and a name"),
        ("flux", "flux", 0, "'flux' is no condition"),
        ("not", None, None, "the query ends where a condition is expected"),
        ("id:a > id:b", ">", 5, "the stack syntax '>' is not supported in a query"),
        ("id:a>id:b", ">", 4, "the stack syntax '>' is not supported in a query"),
        ("id:a & id:b", "&", 5, "a query has no '&'"),
        ("id:a, id:b", ",", 4, "a query has no ','"),
        ("(" * 60 + "id:a" + ")" * 60, "(", 51, "the query is nested too deeply"),
        ("not " * 60 + "id:a", "not", 204, "the query is nested too deeply"),
    ],
)
def test_bad_queries(kernel, query, value, position, message):
    with pytest.raises(StepError) as caught:
        matches(kernel, query, argument="within")
    found = caught.value
    assert (found.code, found.message, found.argument) == ("FCL220", message, "within")
    assert (found.value, found.position) == (value, position)
    if position is not None:
        assert query[position:].startswith(value)


def test_a_close_field_is_suggested(kernel):
    with pytest.raises(StepError) as caught:
        matches(kernel, "raeds:x")
    assert caught.value.hints == ("did you mean 'reads'?",)


def test_reads_go_through_rules():
    text = UNIT + "RESULT = lp.assignment_to_subst(unit, 'up')"
    (kernel,) = run(text, fortran=FORTRAN.replace("if (q(j) > 0) then", "").replace("end if", "")).kernels
    assert written(kernel, "reads:area and writes:flux") == ["flux"]


def test_a_pathological_query_takes_no_time(kernel):
    assert matches(kernel, "writes:" + "*" * 200 + "z") == frozenset()
