"""Codes FCL2xx: the script, and what it asks of a kernel by name."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

_FORTRAN = """\
subroutine scale(n, x)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 1, n
    x(i) = 2.0d0*x(i)
  end do
end subroutine
"""


def _with_script(*lines: str) -> str:
    """A whole input file: the sample subroutine and a script of the given lines."""
    return _FORTRAN + "!$loopy begin\n" + "".join(f"! {line}".rstrip() + "\n" for line in lines) + "!$loopy end\n"


_PARSE = "unit = lp.parse_fortran(SOURCE, FILENAME)"

SCRIPT_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL200",
        "the script is not Python",
        "A script is written in Python's syntax. The place shown is where Python's grammar stopped. In a Fortran "
        "comment block every script line begins with '!'; what follows keeps its indentation.",
        _with_script(_PARSE, "RESULT = unit)"),
    ),
    CodeEntry(
        "FCL202",
        "no kernel of that name",
        "The script asks a translation unit for a procedure that the file does not hold, or that could not be "
        "compiled. Names ignore case; a module procedure may be written module::procedure.",
        _with_script(_PARSE, 'RESULT = unit["sclae"]'),
    ),
    CodeEntry(
        "FCL204",
        "'lp' has no function of that name",
        "The script calls a transformation that does not exist. 'fortrancl' knows the ones listed in docs/script.md.",
        _with_script(_PARSE, 'RESULT = lp.split_inames(unit, "i", 16)'),
    ),
    CodeEntry(
        "FCL205",
        "an argument has the wrong type",
        "A transformation got a value of a type that it cannot use, for example a number where it wants the name of "
        "a loop.",
        _with_script(_PARSE, 'RESULT = lp.split_iname(unit, "i", "16")'),
    ),
    CodeEntry(
        "FCL206",
        "arguments do not fit the function",
        "A call gives too many arguments, leaves out one that is needed, gives one twice, or names one that the "
        "function does not have.",
        _with_script(_PARSE, 'RESULT = lp.split_iname(unit, "i", 16, outer="o")'),
    ),
    CodeEntry(
        "FCL208",
        "the script uses a name it has not set",
        "Scripts know the names they assign, those given by --set, and SOURCE, FILENAME, lp and a few of Python's "
        "functions.",
        _with_script("RESULT = lp.parse_fortran(SORCE, FILENAME)"),
    ),
    CodeEntry(
        "FCL209",
        "the script went wrong while it ran",
        "Python would have raised an exception here: a key that is not there, a division by zero, operands that do "
        "not fit the operator.",
        _with_script(_PARSE, 'tags = {"i": "g.0"}', 'RESULT = lp.tag_inames(unit, {"i": tags["j"]})'),
    ),
    CodeEntry(
        "FCL210",
        "scripts cannot import",
        "A script is data: it is interpreted, with no access to Python's modules, to files or to the network. "
        "'import loopy as lp' is accepted and does nothing; 'lp' is always there.",
        _with_script("import os", _PARSE, "RESULT = unit"),
    ),
    CodeEntry(
        "FCL211",
        "scripts cannot use this attribute",
        "Only the attributes and methods listed in docs/script.md exist: those of strings, lists, sets and "
        "dictionaries that make new values, and a few of kernels and statements. Names with two underscores never do.",
        _with_script(_PARSE, "RESULT = unit.__class__"),
    ),
    CodeEntry(
        "FCL212",
        "scripts cannot use this part of Python",
        "The interpreter knows assignments, for, while, if, def, lambda, assert, expressions and comprehensions. "
        "Classes, exceptions, with, generators, decorators and the rest are not part of the script language.",
        _with_script("class Tile:", "    pass", _PARSE, "RESULT = unit"),
    ),
    CodeEntry(
        "FCL213",
        "scripts cannot call this function",
        "Of Python's own functions only those without effect on anything outside the script exist; there is no open, "
        "eval, exec, getattr, input or print.",
        _with_script('RESULT = eval("1")'),
    ),
    CodeEntry(
        "FCL214",
        "the script takes too many steps",
        "A script may take half a million steps of the interpreter; real ones take some hundreds. Most likely a loop "
        "does not end.",
        _with_script("while True:", "    pass"),
    ),
    CodeEntry(
        "FCL215",
        "the script asks for too much memory",
        "The values of a script are bounded: strings, lists and numbers may grow as large as any real script needs and "
        "no further.",
        _with_script('text = "x"*10**9'),
    ),
    CodeEntry(
        "FCL216",
        "the script is nested too deeply",
        "Expressions, blocks and calls of the script's own functions may be nested some dozen levels deep; a function "
        "that calls itself without end is refused here.",
        _with_script("def again(x):", "    return again(x)", "RESULT = again(1)"),
    ),
    CodeEntry(
        "FCL217",
        "the script has no usable result",
        "A script must leave in RESULT what is to be compiled: a kernel, a translation unit, or a list of them.",
        _with_script(_PARSE, 'scaled = lp.split_iname(unit, "i", 16)'),
    ),
    CodeEntry(
        "FCL218",
        "an assertion of the script failed",
        "The script's own 'assert' was not true.",
        _with_script('assert 1 > 2, "one is small"'),
    ),
    CodeEntry(
        "FCL219",
        "two parts of the result are the same procedure",
        "Every procedure of the Fortran file can be replaced by one kernel only.",
        _with_script(_PARSE, "RESULT = [unit, unit]"),
    ),
    CodeEntry(
        "FCL220",
        "a statement query cannot be read",
        "A query is made of id:, tag:, writes:, reads:, iname: and in_kernel:, each followed by a name in which * "
        "and ? "
        "stand for any letters, joined by and, or, not and parentheses. The peer's '>' is not supported.",
        _with_script(_PARSE, 'RESULT = lp.tag_instructions(unit, "hot", "writs:x")'),
    ),
    CodeEntry(
        "FCL223",
        "the script means several things where one is needed",
        "A query, or a translation unit given where one kernel is wanted, stands for more than one. Take the kernel "
        'that is meant: unit["name"].',
        _FORTRAN.replace("scale", "grow") + _with_script(_PARSE, 'RESULT = lp.split_iname(unit, "i", 16)'),
    ),
)
