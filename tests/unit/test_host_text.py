"""The written texts: what changes in the user's file, names, line widths, refusals."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fortrancl.codes import CODES
from fortrancl.diagnostics import CompileError
from fortrancl.host import CompiledKernel, HostOptions, host_files, runtime_directory, runtime_source
from fortrancl.host.embed import byte_table, c_string
from fortrancl.host.face import face, procedure_prefixes
from fortrancl.host.fortran import Statement, fortran_lines
from fortrancl.host.inplace import end_of_body
from fortrancl.host.made import fortran_text
from fortrancl.ir.build import build_kernel
from fortrancl.ir.expr import Binary, Call, Subscript, Var, integer
from fortrancl.ir.kernel import Kernel
from fortrancl.ir.procedure import DummyArgument, Procedure
from tests.support.host import Unit, compiled, parallel, unit

TEXT = """\
! A comment, \t a tab, trailing blanks   
module work
  implicit none
contains
  subroutine scale(n, a, x) ! here
    integer, intent(in) :: n; real(8), intent(in) :: a
    real(8), intent(inout) :: x(n)
    integer :: i
    ! body
    do i = 1, n
      x(i) = a*x(i)
    end do
  end subroutine scale

  subroutine other
  end subroutine other
end module work"""  # noqa: W291


def kernel() -> Kernel:
    return build_kernel("scale", "n; real8 a; x(n)", [("x[i]", "a*x[i]", {"i": "n"})])


def made(source: Unit | None = None, **changes: object) -> CompiledKernel:
    source = source or unit(TEXT)
    return compiled(source.procedure(kernel(), "scale", **changes), parallel(kernel(), "i"))


def procedure(text: str, path: str = "work.f90") -> Procedure:
    return unit(text, path).procedure(kernel(), "scale")


def code_of(error: pytest.ExceptionInfo[CompileError]) -> list[str]:
    assert all(d.hints and d.span is not None for d in error.value.diagnostics)
    return [d.code for d in error.value.diagnostics]


# -- in place -----------------------------------------------------------------------------------------------------
def test_all_else_stays_byte_for_byte() -> None:
    source = unit(TEXT)
    text = host_files(source.source, [made(source)]).fortran_text
    assert text is not None
    kept = re.sub(r'# \d+ "[^"]*"\n', "", re.sub(r"    block !.*?\n    end block\n", "", text, flags=re.DOTALL))
    assert kept == TEXT


def test_markers_name_each_line_of_both_files() -> None:
    """Following the markers as a compiler does, every line of the user's is at its own number, and every other line at
    its number in the written file."""
    source = unit(TEXT, "in dir/work.f90")
    options = HostOptions(fortran_path="out/work.f90")
    text = host_files(source.source, [made(source)], options).fortran_text
    assert text is not None
    written, original = text.split("\n"), TEXT.split("\n")
    path, line, seen = "", 0, []
    for number, content in enumerate(written, 1):
        marker = re.fullmatch(r'# (\d+) "(.*)"', content)
        if marker:
            line, path = int(marker[1]), marker[2]
            continue
        if path == "in dir/work.f90":
            assert original[line - 1] == content
            seen.append(line)
        else:
            assert (path, line) == ("out/work.f90", number)
        line += 1
    assert seen == list(range(1, len(original) + 1))


def test_preprocessed_files_get_the_preprocessors_markers() -> None:
    source = unit(TEXT, "work.F90")
    text = host_files(source.source, [made(source)]).fortran_text
    assert text is not None and text.startswith('#line 1 "work.F90"\n') and "\n# " not in text


def test_same_input_same_bytes() -> None:
    assert host_files(unit(TEXT).source, [made()]) == host_files(unit(TEXT).source, [made()])


@pytest.mark.parametrize(
    ("tail", "last"),
    [
        ("x = 1\nend subroutine scale", "x = 1"),
        ("x = 1\nend", "x = 1"),
        ("x = 1\nreturn ! done\n\n! c\nEND SUBROUTINE scale", "x = 1"),
        ("x = 1\nreturn\nreturn\nend", "x = 1"),
        ("x = 1\n10 return\nend", "10 return"),
        ("x = 1\nif (a > 1) return\nend", "if (a > 1) return"),
        ("x = 1\n! c\nend", "! c"),
        ("x = 1\nCONTAINS\nsubroutine inner\nend subroutine inner\nend", "x = 1"),
        ("x = 1; end", None),
        ("x = 1\n10 end", None),
        ("x = 1\n#endif\nend", "#endif"),
    ],
)
def test_where_a_body_ends(tail: str, last: str | None) -> None:
    text = f"subroutine scale(n, a, x)\ninteger n\n! body\n{tail}\n"
    found = procedure("subroutine scale(n, a, x)\n! body\nend subroutine")
    lines = text.rstrip("\n").split("\n")
    found = replace(found, source=unit(text).source, insert_after=2, last_line=len(lines))
    line = end_of_body(found)
    assert (None if line is None else lines[line - 1]) == last


# -- names and lines ----------------------------------------------------------------------------------------------
def test_symbols_are_lower_case_and_short() -> None:
    assert face(made(replace_name("Work", "Scale"))).symbol == "fcl_work__scale"
    assert face(made(), "P_").symbol == "fcl_p_work__scale"
    long = face(made(replace_name("a" * 40, "scale"), module="a" * 63))
    assert len(long.after_symbol) <= 63
    assert re.fullmatch(r"fcl_a{41}_[0-9a-f]{8}", long.symbol)
    assert long.symbol != face(made(module="a" * 62 + "b")).symbol


def replace_name(module: str, name: str) -> Unit:
    return unit(
        TEXT.replace("module work", f"module {module}").replace("subroutine scale", f"subroutine {name.lower()}")
    )


def test_long_interfaces_fit_their_form() -> None:
    names = [f"argument_with_a_rather_long_name_{number:02d}" for number in range(20)]
    text = f'call fcl_module__procedure({", ".join(names)}) and("a string  with two blanks, kept")'
    for form, width in (("free", 132), ("fixed", 72)):
        lines = fortran_lines([Statement(3, text)], form)  # type: ignore[arg-type]
        assert len(lines) > 1 and all(len(line) <= width for line in lines)
        joined = "".join(line.rstrip("&").lstrip() for line in lines) if form == "free" else ""
        if form == "free":
            assert joined.replace(" ", "") == text.replace(" ", "")
            assert all(line.endswith(" &") for line in lines[:-1])
        else:
            assert all(line.startswith("     &") for line in lines[1:])
        assert any('"a string  with two blanks, kept"' in line for line in lines)


def test_dummies_may_be_called_like_kinds_and_helpers() -> None:
    odd = build_kernel("scale", "c_int; real8 fcl_todo; c_double(c_int)", [("c_double[i]", "fcl_todo", {"i": "c_int"})])
    text = "subroutine scale(c_int, fcl_todo, c_double)\n! body\nend subroutine scale\n"
    written = host_files(unit(text).source, [compiled(unit(text).procedure(odd))]).fortran_text
    assert written is not None
    assert "only: fcl_c_double => c_double, fcl_c_int => c_int, c_int32_t" in written
    assert "integer(fcl_c_int), intent(out) :: fcl_todo2" in written
    assert "real(fcl_c_double), intent(inout) :: c_double(*)" in written


def test_c_texts() -> None:
    assert c_string('C:\\a"??/\n') == '"C:\\\\a\\"\\?\\?/\\012"'
    assert c_string("é") == '"\\303\\251"'
    table = byte_table("x" * 10_000)
    assert table.count(",") == 10_000 and max(map(len, table.split("\n"))) < 120


def test_prefixes_of_procedures() -> None:
    assert procedure_prefixes(procedure("pure recursive subroutine scale(n)\n! body\nend subroutine")) == {
        "pure",
        "recursive",
    }
    # A name in the text above is none.
    assert procedure_prefixes(procedure("subroutine scale(pure)\n! body\nend subroutine")) == frozenset()


# -- refusals -----------------------------------------------------------------------------------------------------
def test_elemental_procedures_stay() -> None:
    with pytest.raises(CompileError) as error:
        host_files(unit(TEXT).source, [made(unit(TEXT.replace("  subroutine scale", "  elemental subroutine scale")))])
    assert code_of(error) == ["FCL601"]


@pytest.mark.parametrize("attribute", ["optional", "allocatable", "pointer"])
def test_dummies_that_cannot_cross(attribute: str) -> None:
    dummies = (DummyArgument("n", 0), DummyArgument("a", 0), DummyArgument("X", 1, frozenset({attribute})))
    with pytest.raises(CompileError, match=f"'x' is {attribute}") as error:
        host_files(unit(TEXT).source, [made(dummies=dummies)])
    assert code_of(error) == ["FCL602"]


def test_two_kernels_of_one_procedure() -> None:
    with pytest.raises(CompileError) as error:
        host_files(unit(TEXT).source, [made(), made()])
    assert code_of(error) == ["FCL603"]


def test_a_kernel_with_another_name() -> None:
    with pytest.raises(CompileError, match=r"kernel 'scale' is not a procedure of 'work\.f90'") as error:
        host_files(unit(TEXT).source, [replace(made(), procedure=replace(made().procedure, name="other"))])
    assert code_of(error) == ["FCL605"]


def test_a_size_that_is_data() -> None:
    source = made()
    launch = replace(source.plan.body[0], group_counts=(Subscript("x", (integer(0),)), integer(1), integer(1)))  # type: ignore[type-var]
    with pytest.raises(CompileError, match="depends on data") as error:
        host_files(unit(TEXT).source, [replace(source, plan=replace(source.plan, body=(launch,)))])
    assert code_of(error) == ["FCL607"]


@pytest.mark.parametrize(
    "changes", [{"module": None}, {"is_public": False}, {"is_generic_or_bound": True}, {"kind": "function"}]
)
def test_what_emit_module_cannot_wrap(changes: dict[str, object]) -> None:
    with pytest.raises(CompileError) as error:
        host_files(unit(TEXT).source, [made(**changes)], HostOptions(emit="module"))
    assert code_of(error) == ["FCL604"]


def test_emit_c_makes_no_fortran() -> None:
    files = host_files(unit(TEXT).source, [made()], HostOptions(emit="c"))
    assert files.fortran_text is None and "void fcl_work__scale(" in files.c_text and "__kernel" in files.cl_text


def test_shapes_in_fortran() -> None:
    n, m = Var("n"), Var("m")
    assert fortran_text(Binary("-", n, Binary("-", m, integer(1)))) == "n-(m-1)"
    assert fortran_text(Binary("*", integer(-2), Binary("+", n, m))) == "(-2)*(n+m)"
    assert fortran_text(Call("floordiv", (n, m))) is None


# -- the run-time library -----------------------------------------------------------------------------------------
def test_every_code_of_the_library_is_explained() -> None:
    texts = "".join(path.read_text() for path in sorted(runtime_directory().iterdir()))
    found = set(re.findall(r"(?:FCL|fail\(run, |message\(\"\w{1,9}\", |\? )(6\d\d)\b", texts))
    assert found >= {str(number) for number in range(651, 664)}
    assert all(f"FCL{number}" in CODES for number in found)


def test_one_file_to_compile() -> None:
    assert runtime_source().name == "fortrancl_rt.c"
    assert [path.name for path in runtime_directory().glob("*.c")] == ["fortrancl_rt.c"]
