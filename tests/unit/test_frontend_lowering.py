"""Declarations, loops, conditions and the host's facts: from Fortran text to kernels, looked at piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.frontend import FrontendOptions, lower, read_source, scan
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.pretty import assignment_text, expr_text
from fortrancl.ir.procedure import Procedure
from fortrancl.ir.verify import verify
from fortrancl.poly import Set
from fortrancl.source import SourceFile


def procedure(text: str, path: str = "a.f90", name: str | None = None, **options: object) -> Procedure:
    unit = scan(SourceFile(path, text), FrontendOptions(**options))  # type: ignore[arg-type]
    wanted = [u for u in unit.units if u.is_procedure and (name is None or u.name == name)]
    made = lower(unit, wanted[0])
    verify(made.kernel)
    return made


def kernel(declarations: str, statements: str, arguments: str = "n, x, y, idx", **options: object) -> Kernel:
    """A kernel of a few lines; n, x(n), y(n) are integer and real(8) dummies, idx(n) integer."""
    own = "integer :: n, idx(n)\nreal(8) :: x(n), y(n)\n" if arguments == "n, x, y, idx" else ""
    text = f"subroutine s({arguments})\nimplicit none\n{own}{declarations}\n{statements}\nend subroutine s\n"
    return procedure(text, **options).kernel


def code_of(declarations: str, statements: str, arguments: str = "n, x, y, idx") -> list[str]:
    with pytest.raises(CompileError) as caught:
        kernel(declarations, statements, arguments)
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


def assigned(k: Kernel) -> list[str]:
    return [assignment_text(statement) for statement in k.statements]


def domain(k: Kernel, statement: str, text: str, *names: str) -> bool:
    return k.statement_by_id[statement].domain == Set.parse(text, names)


# -- declarations -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("real :: a", "real(4)"),
        ("real*8 a", "real(8)"),
        ("real a*8", "real(8)"),
        ("real(8) :: a", "real(8)"),
        ("real(kind=8) a", "real(8)"),
        ("integer, parameter :: dp = kind(1d0)\nreal(dp) :: a", "real(8)"),
        ("integer, parameter :: dp = selected_real_kind(p=12, r=100)\nreal(kind=dp) :: a", "real(8)"),
        ("integer, parameter :: sp = selected_real_kind(6)\nreal(sp) :: a", "real(4)"),
        ("double precision a", "real(8)"),
        ("integer a", "integer(4)"),
        ("integer*2 a", "integer(2)"),
        ("integer(selected_int_kind(12)) :: a", "integer(8)"),
        ("integer(1) a", "integer(1)"),
        ("logical a", "logical(4)"),
        ("logical(1) :: a", "logical(1)"),
        ("use iso_fortran_env, only: wp => real64\nreal(wp) :: a", "real(8)"),
        ("use, intrinsic :: iso_c_binding\ninteger(c_int64_t) :: a", "integer(8)"),
    ],
)
def test_types(declaration: str, expected: str) -> None:
    made = procedure(f"subroutine s(a)\n{declaration}\na = a\nend subroutine s\n").kernel
    assert str(made.argument_by_name["a"].type) == expected


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ({"default_real_8": True, "default_double_8": True}, ["real(8)", "real(8)", "integer(4)", "logical(4)"]),
        ({"default_integer_8": True}, ["real(4)", "real(8)", "integer(8)", "logical(8)"]),
    ],
)
def test_flags_that_change_default_kinds(flags: dict[str, bool], expected: list[str]) -> None:
    text = "subroutine s(a, b, c, d)\nreal a\ndouble precision b\ninteger c\nlogical d\na = 1.0\nend\n"
    assert [str(a.type) for a in procedure(text, **flags).kernel.arguments] == expected


def test_implicit_rules() -> None:
    text = "subroutine s(a, i, z)\nimplicit real*8 (a-h, o-y), integer*8 (z)\nj = 3\nb = a\na = b + i + j\nz = 1\nend\n"
    k = procedure(text).kernel
    assert [str(a.type) for a in k.arguments] == ["real(8)", "integer(4)", "integer(8)"]
    assert {t.name: str(t.type) for t in k.temporaries} == {"b": "real(8)"}


def shapes(k: Kernel, name: str) -> list[tuple[str, str | None]]:
    return [(expr_text(d.lower), None if d.extent is None else expr_text(d.extent)) for d in k.declaration(name).shape]


def test_shapes() -> None:
    k = procedure(
        "subroutine s(n, m, lda, a, b, c, d, e, f2, g, h)\ninteger, intent(in) :: n, m\n"
        "real :: a(n, 0:m-1), b(lda, *), c(-1:), d(:, 0:), e(lda, 1)\ninteger lda\ndimension f2(n)\nreal f2\n"
        "real, dimension(2*n+1, m) :: g, h(4)\na(1, 0) = b(1, 1) + c(-1) + d(1, 0) + e(1, 2) + g(1, 1) + h(1)\nend\n"
    ).kernel
    assert shapes(k, "a") == [("1", "n"), ("0", "m")]
    assert shapes(k, "b") == [("1", "lda"), ("1", None)]
    assert shapes(k, "c") == [("-1", "c_n1")]
    assert shapes(k, "d") == [("1", "d_n1"), ("0", "d_n2")]
    assert shapes(k, "e") == [("1", "lda"), ("1", None)]
    assert shapes(k, "g") == [("1", "2*n + 1"), ("1", "m")]
    assert shapes(k, "h") == [("1", "4")]
    assert [a.form for a in k.arguments[3:8]] == [
        "explicit", "assumed_size", "assumed_shape", "assumed_shape", "assumed_size",
    ]  # fmt: skip
    assert [(e.name, e.array, e.axis) for e in k.extents] == [("c_n1", "c", 0), ("d_n1", "d", 0), ("d_n2", "d", 1)]
    assert expr_text(k.statements[0].target) == "a[0, 0]"


def test_extent_names_avoid_the_procedures_own() -> None:
    k = procedure("subroutine s(x, x_n1)\nreal :: x(:), x_n1\nx(1) = x_n1\nend\n").kernel
    assert k.extents[0].name == "x_n1_0"


def test_constants_are_folded() -> None:
    k = kernel(
        "integer, parameter :: np = 2**3 + 1\nreal(8), parameter :: third = 1d0/3, t(2) = [third, 2*third]\n"
        "real, parameter :: tenth = 0.1\nreal(8), parameter :: wide = 0.1",
        "x(np) = third + t(2) + tenth + wide",
    )
    assert assigned(k) == ["x[8] = 0.3333333333333333d0 + 0.6666666666666666d0 + 0.1 + 0.10000000149011612d0"]


def test_constant_arrays_become_temporaries_with_values() -> None:
    k = kernel("integer, parameter :: t(0:1, 2) = reshape([1, 2, 3, 4], [2, 2])", "x(1) = t(n, 2)")
    table = k.temporary_by_name["t"]
    assert [value.value for value in table.values] == [1, 2, 3, 4]
    assert shapes(k, "t") == [("0", "2"), ("1", "2")]
    assert assigned(k) == ["x[0] = t[n, 1]"]


def test_names_keep_their_declared_spelling() -> None:
    k = procedure(
        "SUBROUTINE Scale(N, Xs)\nInteger n\nReal xS(n), Tmp\nTMP = 2\nDO I = 1, N\nXS(I) = tmp\nEND DO\nEND\n"
    ).kernel
    assert (k.name, [a.name for a in k.arguments]) == ("Scale", ["n", "xS"])
    assert assigned(k) == ["Tmp = 2", "xS[I] = Tmp"]


def test_modules_give_constants(tmp_path: Path) -> None:
    (tmp_path / "kinds.F90").write_text(
        "module kinds\ninteger, parameter :: dp = 8, sp = 4\nreal :: junk(dp, wp)\nend module\n"
    )
    path = tmp_path / "a.f90"
    path.write_text(
        "module m\nuse kinds, only: wp => dp\nreal(wp), parameter :: h = 0.5_wp\ncharacter(3) :: c\ncontains\n"
        "subroutine s(x)\nuse kinds, short => sp\nreal(wp) :: x\nreal(short) :: y\ny = h\nx = y\n"
        "end subroutine\nend module\n"
    )
    unit = scan(read_source(str(path)))
    k = lower(unit, unit.procedures[0]).kernel
    assert str(k.argument_by_name["x"].type) == "real(8)"
    assert str(k.temporary_by_name["y"].type) == "real(4)"
    assert unit.inputs_read == (str(path), str(tmp_path / "kinds.F90"))


# -- loops --------------------------------------------------------------------------------------------------------
def test_loops_run_from_zero() -> None:
    k = kernel("integer :: i, j", "do i = 2, n\ndo j = i, n - 1\nx(i) = y(j + 1) + i\nend do\nend do")
    assert assigned(k) == ["x[i + 1] = y[i + j + 2] + (i + 2)"]
    assert domain(k, "s0", "i >= 0 and i + 2 <= n and j >= 0 and i + j + 2 <= n - 1", "i", "j", "n")
    loop = k.iname_by_name["j"]
    assert (loop.variable, expr_text(loop.start), loop.step, loop.trip) == ("j", "i + 2", 1, None)


@pytest.mark.parametrize(
    ("header", "index", "members"),
    [
        ("do i = n, 1, -1", "x[n - i - 1]", "0 <= i < n"),
        ("do i = n, 1, -3", "x[n - 3*i - 1]", "i >= 0 and n - 3i >= 1"),
        ("do i = 2, n, 3", "x[3*i + 1]", "i >= 0 and 3i + 2 <= n"),
        ("do i = 1, n, 1", "x[i]", "0 <= i < n"),
        ("do, i = 1, n", "x[i]", "0 <= i < n"),
        ("do i = n + 1, 2*n", "x[n + i]", "0 <= i < n"),
    ],
)
def test_steps(header: str, index: str, members: str) -> None:
    k = kernel("integer :: i", f"{header}\nx(i) = 0\nend do")
    assert assigned(k) == [f"{index} = 0"]
    assert domain(k, "s0", members, "i", "n")


def test_further_loops_over_a_variable_get_new_names() -> None:
    k = kernel(
        "integer :: i, i_1",
        "do i = 1, n\nx(i) = 0\nend do\ndo i = 1, n\ny(i) = i_1\nend do\ndo i = 1, 3\nx(i) = 1\nend do",
    )
    assert [iname.name for iname in k.inames] == ["i", "i_1_0", "i_2"]


def test_data_dependent_bounds_become_temporaries() -> None:
    k = kernel("integer :: i, j", "do i = 1, n - 1\ndo j = idx(i), idx(i + 1) - 1\nx(j) = y(i)\nend do\nend do")
    assert assigned(k) == ["j_start = idx[i]", "j_trip = idx[i + 1] - j_start", "x[j_start + j - 1] = y[i]"]
    assert k.iname_by_name["j"].trip == "j_trip"
    assert domain(k, "s2", "j >= 0 and 0 <= i < n - 1", "i", "j", "n")
    assert k.temporary_by_name["j_trip"].origin == "bound"
    assert k.temporary_by_name["j_trip"].private_to == ("i",)


def test_a_trip_count_under_a_condition_is_zero_where_the_condition_is_false() -> None:
    k = kernel("integer :: i, j", "do i = 1, n\nif (y(i) > 0) then\ndo j = 1, idx(i)\nx(j) = 0\nend do\nend if\nend do")
    assert assigned(k)[1:3] == ["j_trip = 0", "if (p_0) j_trip = idx[i]"]


def test_a_bound_that_changes_in_the_loop_is_read_once() -> None:
    k = kernel("integer :: i, q", "q = n\ndo i = 1, q\nq = q - 1\nx(i) = q\nend do")
    assert assigned(k)[:2] == ["q = n", "i_trip = q"]


def test_sizes_computed_once_are_read_as_what_they_stand_for() -> None:
    k = kernel("integer :: i, nm1, half", "nm1 = n - 1\nhalf = nm1/2\ndo i = 1, half\nx(i) = nm1\nend do")
    assert assigned(k) == ["x[i] = n - 1"]
    assert domain(k, "s0", "i >= 0 and exists h: 2h <= n - 1 and n - 1 <= 2h + 1 and i < h", "i", "n")
    assert not k.temporaries


def test_last_values_only_where_they_are_read() -> None:
    k = kernel("integer :: i, j", "do i = 1, n\ndo j = 1, n\nx(i) = y(j)\nend do\nend do\nidx(1) = i")
    assert assigned(k) == ["x[i] = y[j]", "i_0 = max(n, 0) + 1", "idx[0] = i_0"]


def test_a_dummy_loop_variable_keeps_its_last_value() -> None:
    k = procedure(
        "subroutine s(i, n, x)\ninteger :: i, n\nreal :: x(n)\ndo i = 1, n, 2\nx(i) = i\nend do\nend\n"
    ).kernel
    assert [iname.name for iname in k.inames] == ["i_0"]
    assert assigned(k) == ["x[2*i_0] = 2*i_0 + 1", "i = 2*max((n + 1)/2, 0) + 1"]
    assert "i" not in k.parameters


# -- conditions ---------------------------------------------------------------------------------------------------
def test_affine_conditions_narrow_domains() -> None:
    k = kernel("integer :: i", "do i = 1, n\nif (i > 2 .and. i /= n) then\nx(i) = 1\nelse\nx(i) = 2\nend if\nend do")
    assert assigned(k) == ["x[i] = 1", "x[i] = 2"]
    assert domain(k, "s0", "2 <= i < n - 1", "i", "n")
    assert domain(k, "s1", "(0 <= i <= 1 and i < n) or (i = n - 1 and i >= 0)", "i", "n")
    assert not k.temporaries


def test_other_conditions_become_guards_evaluated_once() -> None:
    k = kernel(
        "integer :: i", "do i = 1, n\nif (x(i) > 0) then\nx(i) = 0\nelse if (y(i) > 0) then\nx(i) = 1\nend if\nend do"
    )
    assert assigned(k) == [
        "p_0 = x[i] > 0", "if (p_0) x[i] = 0", "if (not p_0) p_1 = y[i] > 0", "if (not p_0 and p_1) x[i] = 1",
    ]  # fmt: skip
    assert {t.name: (str(t.type), t.origin, t.private_to) for t in k.temporaries} == {
        "p_0": ("logical(4)", "guard", ("i",)),
        "p_1": ("logical(4)", "guard", ("i",)),
    }


def test_the_affine_part_of_a_condition_keeps_the_rest_in_bounds() -> None:
    k = kernel("integer :: i", "do i = 1, n\nif (y(i + 1) > 0 .and. i < n) x(i) = 0\nend do")
    assert domain(k, "s0", "0 <= i < n - 1", "i", "n")


def test_a_written_scalar_is_not_affine() -> None:
    k = kernel("integer :: i, q", "q = 0\ndo i = 1, n\nq = q + 1\nif (q < i) x(i) = 0\nend do")
    assert assigned(k)[2:] == ["p_0 = q < i + 1", "if (p_0) x[i] = 0"]


def test_cycle_becomes_else() -> None:
    k = kernel("integer :: i", "do i = 1, n\nif (i == 3) cycle\nx(i) = 1\nif (y(i) > 0) cycle\nx(i) = 2\nend do")
    assert assigned(k) == ["x[i] = 1", "p_0 = y[i] > 0", "if (not p_0) x[i] = 2"]
    assert domain(k, "s0", "0 <= i < n and i != 2", "i", "n")


# -- arrays -------------------------------------------------------------------------------------------------------
def test_array_assignments_become_loops_first_dimension_innermost() -> None:
    k = kernel("real(8) :: a(3, 0:4)", "a = 0\na(2, :) = x(1:5)\nx(2:n) = x(1:n-1)")
    assert assigned(k) == ["a[a_i1, a_i2] = 0", "a[1, a_i] = x[a_i]", "x[n - x_i - 1] = x[n - x_i - 2]"]
    assert k.paths["s0"][1] == ("a_i2", "a_i1")
    assert domain(k, "s2", "0 <= x_i < n - 1", "x_i", "n")


def test_where_tries_masks_element_by_element() -> None:
    k = kernel("", "where (y > 0)\nx = 1\nelsewhere (x > 2)\nx = y\nelsewhere\nx = 2\nend where")
    assert assigned(k) == [
        "p_0 = y[x_i] > 0", "if (p_0) x[x_i] = 1", "if (not p_0) p_1 = x[x_i] > 2",
        "if (not p_0 and p_1) x[x_i] = y[x_i]", "if (not p_0 and not p_1) x[x_i] = 2",
    ]  # fmt: skip


# -- types and expressions ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("-y(1)**2", "-y[0]**2"),
        ("y(1) - (y(2) - y(3))", "y[0] - (y[1] - y[2])"),
        ("y(n) + y(n - 1)", "y[n - 1] + y[n - 2]"),
        ("y(idx(2) + 1)", "y[idx[1]]"),
        ("y((n + 1)/2)", "y[(n + 1)/2 - 1]"),
        ("y(2*(n - 3) + 6 - n)", "y[n - 1]"),
        ("1.5", "1.5"),
        ("real(n)", "real(n, 4)"),
        ("real(n, kind=8)", "real(n, 8)"),
        ("dble(1.5)", "real(1.5, 8)"),
        ("int(y(1))", "integer(y[0], 4)"),
        ("dsqrt(y(1))", "sqrt(y[0])"),
        ("mod(a=n, p=3)", "mod(n, 3)"),
        ("merge(y(1), y(2), n .gt. 3 .or. .not. n .eq. 2)", "merge(y[0], y[1], n > 3 or not n == 2)"),
        ("atan(y(1), y(2))", "atan2(y[0], y[1])"),
        ("size(y)*1d0", "integer(max(n, 0), 4)*1e0"),
        ("epsilon(1.0)", "1.1920928955078125e-07"),
        ("huge(n)", "2147483647"),
    ],
)
def test_expressions(expression: str, expected: str) -> None:
    assert expr_text(kernel("", f"x(1) = {expression}").statements[0].value) == expected


def test_arrays_may_shadow_intrinsics() -> None:
    k = kernel("real(8) :: sum(3), scale(2), abs", "sum(2) = scale(1)\nabs = 2\nx(1) = sum(3) + abs")
    assert assigned(k) == ["sum[1] = scale[0]", "abs = 2", "x[0] = sum[2] + abs"]


def test_a_first_assignment_to_an_element_is_no_statement_function() -> None:
    k = procedure("subroutine s(i, x)\ninteger :: i\nreal :: x(3)\nx(i) = i\nend\n").kernel
    assert assigned(k) == ["x[i - 1] = i"]


# -- places and tags ----------------------------------------------------------------------------------------------
def test_statements_know_their_lines_and_tags() -> None:
    text = (
        "subroutine s(n, x)\n  integer :: n, i\n  real :: x(n)\n!$loopy begin tagged: init\n  do i = 1, n; x(i) = &\n"
        "      0\n  end do\n!$loopy end tagged: init\n  x(1) = 1\nend\n"
    )
    first, second = procedure(text).kernel.statements
    assert first.span is not None and second.span is not None
    assert (first.span.line, first.span.column, first.span.end_line) == (5, 16, 6)
    assert (first.tags, second.tags) == (frozenset({"init"}), frozenset())
    assert second.span.text == "x(1) = 1"


# -- what the host needs ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "path", "line"),
    [
        ("subroutine s(x)\n  real :: x\n  x = 1\nend\n", "a.f90", 2),
        ("subroutine s(x)\n  implicit none\n  real :: &\n    & x   ! last\n\n  ! comment\n  x = 1\nend\n", "a.f90", 4),
        ("subroutine s(i)\n  parameter (n = 3)\n  data k /3/\n10 continue\n  i = n\nend\n", "a.f90", 3),
        ("subroutine s(i)\n  i = 3\nend\n", "a.f90", 1),
        ("subroutine s(i, &\n    j)\n  i = 3\nend\n", "a.f90", 2),
        ("subroutine s(i)\n  integer :: i\n  ! nothing\nend\n", "a.f90", 3),
        ("subroutine s(i)\n  integer :: i\n\ncontains\n  subroutine t\n  end subroutine t\nend\n", "a.f90", 3),
        ("subroutine s(i)\n interface\n  subroutine t(x)\n   x = 3\n  end\n end interface\n i = 1\nend\n", "a.f90", 6),
        ("      SUBROUTINE S(I)\n      INTEGER\n     & I\nC     x\n   10 CONTINUE\n      I = 3\n      END\n", "a.f", 3),
        ("subroutine s(i)\n#ifdef A\n  integer(8) :: i\n#else\n  integer :: i\n#endif\n  i = 3\nend\n", "a.F90", 6),
    ],
)  # fmt: skip
def test_insertion_point(text: str, path: str, line: int) -> None:
    assert procedure(text, path, "s" if path != "a.f" else "S").insert_after == line


def test_facts_of_a_module_procedure() -> None:
    text = (
        "module m\n  private\n  public :: s\n  interface g\n    module procedure t\n  end interface\ncontains\n"
        "  subroutine s(n, x, y)\n    integer, value :: n\n    real, target, intent(in) :: x(n)\n    real(4) :: y\n"
        "    y = x(1)\n  end subroutine s\n  subroutine t(x)\n    real :: x\n    x = 1\n  end subroutine t\n"
        "end module m\n"
    )
    s, t = procedure(text, name="s"), procedure(text, name="t")
    assert (s.qualified_name, s.module, s.form, s.first_line, s.last_line) == ("m::s", "m", "free", 8, 13)
    assert (s.is_public, s.is_generic_or_bound) == (True, False)
    assert (t.is_public, t.is_generic_or_bound) == (False, True)
    assert [(d.name, d.rank, d.attributes, d.default_kind) for d in s.dummies] == [
        ("n", 0, frozenset({"value"}), True),
        ("x", 1, frozenset({"target"}), True),
        ("y", 0, frozenset(), False),
    ]
    assert s.kernel.origin == ("m::s",)
    assert [a.by_value for a in s.kernel.arguments] == [True, False, False]


# -- bounds on work -----------------------------------------------------------------------------------------------
def test_long_sums_and_deep_parentheses_parse() -> None:
    total = " + ".join(["x(1)*y(2)"] * 150)
    assert len(kernel("", f"x(1) = {total}").statements) == 1
    assert len(kernel("", "x(1) = " + "(" * 50 + "y(1)" + ")" * 50).statements) == 1


def test_what_would_take_for_ever_is_refused() -> None:
    assert code_of("", "x(1) = " + "y(" * 20 + "1" + ")" * 20) == ["FCL109"]
    assert code_of("", "x(1) = " + "(" * 200 + "1" + ")" * 200) == ["FCL109"]
    assert code_of("", "x(1) = " + "+".join("1" * 5000)) == ["FCL109"]


def test_syntax_errors_in_nested_ifs_take_no_time() -> None:
    depth = 30
    text = "if (n > 1) then\n" * depth + "x(1) = = 2\n" + "end if\n" * depth
    assert code_of("", text) == ["FCL103"]


def test_all_mistakes_are_reported_at_once() -> None:
    assert code_of("integer :: i", "x(1) = a\ny(1) = b\ncall f\nx(1, 2) = 3") == [
        "FCL114",
        "FCL114",
        "FCL110",
        "FCL124",
    ]


def test_a_heading_without_its_closing_parenthesis() -> None:
    with pytest.raises(CompileError) as error:
        procedure("subroutine s(n, x\n  integer n\n  real x(n)\n  x(1) = 1\nend\n")
    found = error.value.diagnostics[0]
    assert found.span is not None
    assert (found.code, found.span.line, found.span.column) == ("FCL103", 1, 13)
