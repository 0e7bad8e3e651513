"""A file taken apart: script and its places, tagged regions, statements, program units."""

from __future__ import annotations

from pathlib import Path

import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.frontend import FrontendOptions, SourceUnit, read_source, scan
from fortrancl.frontend.classify import classify
from fortrancl.source import SourceFile


def scanned(text: str, path: str = "a.f90", **options: tuple[str, ...]) -> SourceUnit:
    return scan(SourceFile(path, text), FrontendOptions(**options))


FREE = """\
module m
contains
  subroutine s(x)
    real :: x
    x = 1
  end subroutine s
end module m
!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! if True:
!   knl = knl  # "é"
!$loopy end
 !$LOOPY BEGIN
 !   RESULT = knl
 !$Loopy End
"""


def test_script_blocks_are_joined_and_dedented() -> None:
    script = scanned(FREE).script
    assert script is not None
    assert script.text == '\nknl = lp.parse_fortran(SOURCE, FILENAME)\nif True:\n  knl = knl  # "é"\nRESULT = knl\n'


@pytest.mark.parametrize("word", ["knl = lp.parse", "SOURCE", "if True:", "knl  #", '"é"', "RESULT"])
def test_script_places_are_places_in_the_file(word: str) -> None:
    script = scanned(FREE).script
    assert script is not None
    start = script.text.index(word)
    span = script.span(start, start + len(word))
    assert span.text == word
    assert span.start == FREE.index(word)


def test_script_lines_are_blanked_line_for_line() -> None:
    text = scanned(FREE).fortran_text
    assert text.count("\n") == FREE.count("\n")
    assert "loopy" not in text.lower() and "RESULT" not in text
    assert text.startswith(FREE[: FREE.index("!$loopy")])


def test_no_script() -> None:
    assert scanned("subroutine s()\nend\n").script is None


FIXED = """\
C     A comment
      SUBROUTINE S(N, X)
      INTEGER N
      REAL X(N)
c$loopy begin tagged: first
      X(1) = 1.0 +
     &       2.0 ! comment
*$loopy end tagged: first
      X(2) = 'a!b&c' // "d"                                             ignored
   10 CONTINUE
      END
!$loopy begin
c x = 1
* y = 2
!$loopy end
"""


def test_fixed_form_comments_labels_continuations_and_columns() -> None:
    unit = scanned(FIXED, "a.f")
    assert unit.form == "fixed"
    texts = [statement.text for statement in unit.statements]
    assert texts[3] == "X(1) = 1.0 +       2.0"
    assert texts[4] == "X(2) = 'a!b&c' // \"d\""
    assert (unit.statements[5].label, texts[5]) == ("10", "CONTINUE")
    place = unit.statements[3].span(texts[3].index("2.0"))
    assert (place.line, place.column, place.text) == (7, 14, "2.0")
    assert unit.script is not None and unit.script.text == "x = 1\ny = 2\n"


def test_tags_belong_to_the_statements_between() -> None:
    unit = scanned(FIXED, "a.f")
    assert [(r.name, r.first_line, r.last_line) for r in unit.tag_regions] == [("first", 5, 8)]
    assert [sorted(unit.tags_at(s)) for s in unit.statements[2:5]] == [[], ["first"], []]


def test_overlapping_regions() -> None:
    unit = scanned(
        "subroutine s(x)\nreal :: x\n!$loopy begin tagged: a\nx = 1\n!$loopy begin tagged: b\nx = 2\n"
        "!$loopy end tagged: a\nx = 3\n!$loopy end tagged: b\nend\n"
    )
    assert [sorted(unit.tags_at(s)) for s in unit.statements[2:5]] == [["a"], ["a", "b"], ["b"]]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("x = 1; y = 2 ! z = 3\n", ["x = 1", "y = 2"]),
        ("x = 'a;b' ; y = \"it's ! & so\"\n", ["x = 'a;b'", 'y = "it\'s ! & so"']),
        ("x = 1 + & ! one\n\n  ! two\n  & 2\n", ["x = 1 +  2"]),
        ("call f('ab&\n   &cd')\n", ["call f('abcd')"]),
        ("x = a&\n&b\n", ["x = ab"]),
        ("x = 'don''t' ! don't\ny = 1\n", ["x = 'don''t'", "y = 1"]),
        ("#ifdef\nx = 1\n", ["x = 1"]),
        ("x = 1 & y\n", ["x = 1 & y"]),
        ("  &  \n", []),
    ],
)
def test_free_form_statements(text: str, statements: list[str]) -> None:
    from fortrancl.frontend.lines import lines_of
    from fortrancl.frontend.logical import statements_of

    assert [s.text for s in statements_of(lines_of(SourceFile("a.f90", text)), "free")] == statements


def test_places_of_continued_statements() -> None:
    unit = scanned("subroutine s(x)\n  real :: x\n  x = 1.0 + & ! first\n\n   & 2.5\nend\n")
    statement = unit.statements[2]
    assert (statement.span().line, statement.span().end_line) == (3, 5)
    assert statement.span(statement.text.index("2.5")).column == 6


UNITS = """\
module outer
  type :: t
  contains
    procedure :: run => first
  end type t
  interface generic
    module procedure first
    subroutine external_one(x)
      real :: x
    end subroutine external_one
  end interface generic
contains
  pure subroutine first(self)
    class(t), intent(in) :: self
  contains
    real(kind=8) function inner(x)
      real(8) :: x
      inner = x
    end function inner
  end subroutine first
  elemental integer(4) function second(end) result(r)
    integer, intent(in) :: end
    r = end
  end function
end module outer
subroutine last
  end = 3
  function = 4
  do i = 1, 3
  end do
END
integer function f(x)
end function f
program p
end program p
"""


def test_units_are_found_without_parsing() -> None:
    unit = scanned(UNITS)
    assert [(u.kind, u.name, u.module, u.first_line, u.last_line, u.contains_line) for u in unit.units] == [
        ("module", "outer", None, 1, 25, 12),
        ("subroutine", "first", "outer", 13, 20, 15),
        ("function", "inner", None, 16, 19, None),
        ("function", "second", "outer", 21, 24, None),
        ("subroutine", "last", None, 26, 31, None),
        ("function", "f", None, 32, 33, None),
        ("program", "p", None, 34, 35, None),
    ]
    assert [u.qualified_name for u in unit.procedures] == ["outer::first", "outer::second", "last", "f"]
    assert unit.units[2].is_internal


def test_a_main_program_without_program_statement() -> None:
    units = scanned("x = 1\nend\nsubroutine s\nend\n").units
    assert [(u.kind, u.name) for u in units] == [("program", ""), ("subroutine", "s")]


@pytest.mark.parametrize(
    ("text", "word", "part"),
    [
        ("if(i) = 3", "assignment", "executable"),
        ("do = 3", "assignment", "executable"),
        ("real(3) = x", "assignment", "executable"),
        ("end%do(3) = x", "assignment", "executable"),
        ("x(i)(1:2) = y", "assignment", "executable"),
        ("if (i == 3) x = 4", "IF", "executable"),
        ("if (a) then", "IF THEN", "executable"),
        ("if (a) 10, 20, 30", "arithmetic IF", "executable"),
        ("do10i=1,3", "DO", "executable"),
        ("do 10, i = 1, 3", "DO", "executable"),
        ("outer : do i = 1, 3", "DO", "executable"),
        ("enddo", "END DO", "executable"),
        ("do while (x)", "DO WHILE", "executable"),
        ("elseif (x) then", "ELSE IF", "executable"),
        ("where (x > 3) y = 2", "WHERE", "executable"),
        ("where (x > 3)", "WHERE construct", "executable"),
        ("p => q(1:3)", "pointer assignment", "executable"),
        ("integer, parameter :: n = 3", "type declaration", "specification"),
        ("real*8 x", "type declaration", "specification"),
        ("type(t) :: x", "type declaration", "specification"),
        ("type :: t", "derived TYPE", "specification"),
        ("parameter (a = 3)", "PARAMETER", "specification"),
        ("data x /3/", "DATA", "either"),
        ("call f(x = 3)", "CALL", "executable"),
        ("write (*, *) x == y", "WRITE", "executable"),
        ("foo bar", "unknown", "executable"),
    ],
)
def test_statements_are_told_apart(text: str, word: str, part: str) -> None:
    kind = classify(text)
    assert (kind.word, kind.part) == (word, part)


def test_reading_normalises_line_ends_marks_and_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.f90"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\ny = 2\r")
    assert read_source(str(path)).text == "x = 1\ny = 2\n"
    path.write_bytes(b"! caf\xe9\n")
    assert read_source(str(path)).text == "! caf\u00e9\n"


@pytest.mark.parametrize("text", ["", "\n", "! only a comment\n", "   "])
def test_files_without_statements(text: str) -> None:
    assert scanned(text).units == ()


def test_preprocessed_lines_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#define HALF(x) ((x)/2)\n")
    path = tmp_path / "a.F90"
    path.write_text(
        '#include "sizes.h"\nsubroutine s(x)\n  real(KIND_) :: x ! don\'t // stop\n#if defined(NO)\n  x = "//"\n#else\n'
        "  x = HALF(x)\n#endif\nend\n"
    )
    unit = scan(read_source(str(path)), FrontendOptions(defines=("KIND_=8",)))
    assert [(s.text, s.line) for s in unit.statements] == [
        ("subroutine s(x)", 2),
        ("real(8) :: x", 3),
        ("x = ((x)/2)", 7),
        ("end", 9),
    ]
    assert unit.inputs_read == (str(path), str(tmp_path / "sizes.h"))
    # A line that a macro changed is shown whole: its columns are not the file's.
    assert unit.statements[2].span(0, 1).text == "x = HALF(x)"


def test_macros_without_end_are_refused() -> None:
    bomb = "#define A0 x x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 40)) + "A39\n"
    with pytest.raises(CompileError) as caught:
        scanned(bomb, "a.F90")
    assert caught.value.diagnostics[0].code == "FCL136"
