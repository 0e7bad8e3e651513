"""Codes FCL1xx: the Fortran is not understood, or not supported."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry


def _body(text: str, declarations: str = "") -> str:
    """A subroutine round a few lines."""
    lines = ["subroutine s(n, x)", "  implicit none", "  integer, intent(in) :: n", "  real(8), intent(inout) :: x(n)"]
    lines += [f"  {line}" for line in (*declarations.splitlines(), "integer :: i", *text.splitlines())]
    return "\n".join([*lines, "end subroutine s", ""])


FRONTEND_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL101",
        "a file cannot be read",
        "The operating system did not give the file: it does not exist, or it may not be read. The message holds the "
        "system's reason.",
    ),
    CodeEntry(
        "FCL102",
        "not a text file",
        "The file holds bytes that no text file has. Give the Fortran source, not an object file or an archive.",
    ),
    CodeEntry(
        "FCL103",
        "syntax error",
        "The statement is not Fortran 2008, or a construct is not closed. The caret stands at the smallest part that "
        "could not be read.",
        _body("do i = 1, n\n  x(i) = x(i) * (2 + \nend do"),
    ),
    CodeEntry(
        "FCL104",
        "script block not balanced",
        "Every '!$loopy begin' needs a '!$loopy end', and blocks do not nest. A file may hold several blocks; they are "
        "one script.",
        "!$loopy begin\n! knl = lp.parse_fortran(SOURCE, FILENAME)\nsubroutine s()\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL105",
        "script line is not a comment",
        "Lines between '!$loopy begin' and '!$loopy end' must be comments, so that other compilers skip them. Usually "
        "the '!$loopy end' is missing.",
        "!$loopy begin\nx = 1\n!$loopy end\nsubroutine s()\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL106",
        "unknown !$loopy line",
        "Known are '!$loopy begin', '!$loopy end', '!$loopy begin tagged: name' and '!$loopy end tagged: name'.",
        "!$loopy start\nsubroutine s()\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL107",
        "tagged region not balanced",
        "A region begins with '!$loopy begin tagged: name' and ends with '!$loopy end tagged: name'. Regions of "
        "different names may overlap.",
        _body("!$loopy begin tagged: init\ndo i = 1, n\n  x(i) = 0\nend do"),
    ),
    CodeEntry(
        "FCL108",
        "program units do not match their ENDs",
        "A module, subroutine or function has no END, an END of another kind or name, or an END stands alone.",
        "subroutine s()\nend subroutine t\n",
    ),
    CodeEntry(
        "FCL109",
        "statement too large",
        "Parsing time grows steeply with the depth of nested references and with very long sums, so both are bounded. "
        "Split the statement with local variables.",
        _body("x(1) = " + "g(" * 14 + "1" + ")" * 14),
    ),
    CodeEntry(
        "FCL110",
        "statement or construct not supported",
        "This Fortran construct cannot be made into a kernel, or not yet. The message names it; the rest of the file "
        "compiles. Procedures that a script does not take may use it.",
        _body("do i = 1, n\n  print *, x(i)\nend do"),
    ),
    CodeEntry(
        "FCL111",
        "attribute or shape not supported",
        "A variable has an attribute (POINTER, ALLOCATABLE, VOLATILE, OPTIONAL …) or a shape that a kernel's variable "
        "cannot have.",
        "subroutine s(x)\n  real, pointer :: x(:)\n  x(1) = 0\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL112",
        "type not supported",
        "Kernels compute with integer, real and logical values. Characters, complex numbers and derived types are not "
        "supported.",
        "subroutine s(c)\n  character(len=8) :: c\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL113",
        "kind not supported",
        "Kinds are bytes: integer and logical 1, 2, 4, 8; real 4 and 8.",
        "subroutine s(x)\n  real(16) :: x\n  x = 0\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL114",
        "name not declared",
        "Under IMPLICIT NONE every name needs a declaration. The name may also come from a module whose source was not "
        "found: modules are looked for in this file, then in files named after them beside it and in -I folders.",
        _body("do i = 1, n\n  x(i) = y\nend do"),
    ),
    CodeEntry(
        "FCL115",
        "declared twice",
        "A name has two type declarations in one program unit.",
        _body("x(1) = 0", "real :: x"),
    ),
    CodeEntry(
        "FCL116",
        "constant expression needed",
        "Kinds, PARAMETERs, CASE values and shapes of constants are computed at compile time: they may use literals, "
        "other PARAMETERs and intrinsic functions of them.",
        _body("x(1) = a", "real(8), parameter :: a = x(1)"),
    ),
    CodeEntry(
        "FCL117",
        "variable keeps its value between calls",
        "SAVE, COMMON, EQUIVALENCE, DATA and an initial value in a declaration make a variable outlive the call. A "
        "kernel has no such memory: pass the variable as an argument.",
        _body("count = count + 1\nx(1) = count", "integer :: count = 0"),
    ),
    CodeEntry(
        "FCL118",
        "module, or a name in it, not found",
        "The source of a used module is needed for the constants it declares. It is looked for in this file, then as "
        "<module>.f90 (and other suffixes) beside it and in -I folders.",
        "subroutine s(x)\n  use grid, only: h\n  real :: x\n  x = h\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL119",
        "integer constant too large",
        "An integer constant without a kind is integer(4). Give it a kind: 3000000000_8.",
        _body("x(1) = 3000000000"),
    ),
    CodeEntry(
        "FCL120",
        "neither an array nor a function",
        "name(…) is an array element if 'name' is declared with a shape, else it must be an intrinsic function.",
        _body("x(1) = sqroot(x(2))"),
    ),
    CodeEntry(
        "FCL121",
        "function call",
        "Calls of functions are not supported; only intrinsic functions are. Write the function's expression out.",
        _body("x(1) = f(x(2))", "real(8), external :: f"),
    ),
    CodeEntry(
        "FCL122",
        "intrinsic function not supported",
        "This intrinsic function of Fortran has no form in a kernel, or not yet. Functions that reduce arrays (sum, "
        "maxval …) can be written as loops.",
        _body("x(1) = sum(x)"),
    ),
    CodeEntry(
        "FCL123",
        "wrong arguments of an intrinsic",
        "The number, keywords, types or kinds of the arguments do not fit the intrinsic function.",
        _body("x(1) = sqrt(n)"),
    ),
    CodeEntry(
        "FCL124",
        "wrong number of subscripts",
        "An array element needs one subscript for each declared dimension; a scalar takes none.",
        _body("x(1, 2) = 0"),
    ),
    CodeEntry(
        "FCL125",
        "whole array or section",
        "An array or section stands where one element is needed, or ranks do not fit, or an array assignment or WHERE "
        "reads elements that it overwrites in no order of loops that is right. Write a DO loop over the elements.",
        _body("x(1) = x(2:3)"),
    ),
    CodeEntry(
        "FCL126",
        "types do not fit",
        "The operand, argument or value has a type that this place does not take: logical where a number is needed, "
        "real as a subscript or loop bound …",
        _body("do i = 1, n\n  x(i) = x(i) > 0\nend do"),
    ),
    CodeEntry(
        "FCL127",
        "variable of a surrounding unit",
        "A kernel reads and writes its dummy arguments and local variables only. Module variables must be passed as "
        "arguments; constants of modules (PARAMETER) are fine.",
        "module m\n  real :: h\ncontains\n  subroutine s(x)\n    real :: x\n    x = h\n  end subroutine s\n"
        "end module m\n",
    ),
    CodeEntry(
        "FCL128",
        "procedure of an unsupported form",
        "Kernels are made of external and module subroutines whose dummies are variables: no functions, internal, PURE "
        "or ELEMENTAL procedures, alternate returns or dummy procedures.",
        "function f(x)\n  real :: f, x\n  f = x\nend function f\n",
    ),
    CodeEntry(
        "FCL129",
        "cannot be assigned",
        "The target is a loop variable inside its loop, a PARAMETER, a procedure, or an intent(in) argument.",
        _body("n = 3"),
    ),
    CodeEntry(
        "FCL130",
        "unsuitable loop variable",
        "A DO variable must be an integer scalar.",
        _body("do t = 1, n\n  x(1) = t\nend do", "real :: t"),
    ),
    CodeEntry(
        "FCL131",
        "loop inside a loop over the same variable",
        "Fortran forbids a loop to change the variable of a loop round it.",
        _body("do i = 1, n\n  do i = 1, 3\n    x(i) = 0\n  end do\nend do"),
    ),
    CodeEntry(
        "FCL132",
        "loop step is not a constant",
        "The step of a DO loop must be a constant other than 0, negative ones included: its sign decides how the loop "
        "runs.",
        _body("do i = 1, n, n\n  x(i) = 0\nend do"),
    ),
    CodeEntry(
        "FCL133",
        "shape depends on a variable that changes",
        "A declared shape means the values that its variables have at entry. The procedure assigns one of them; let it "
        "change a copy.",
        "subroutine s(n, x)\n  integer :: n\n  real :: x(n)\n  n = n - 1\n  x(1) = n\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL134",
        "specification and executable statement on one line",
        "The launch is inserted between the two parts, line by line. Write them on two lines.",
        "subroutine s(x)\n  real :: x; x = 0\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL135",
        "included file not found",
        "INCLUDE files are looked for beside the file that names them and in -I folders.",
        "subroutine s(x)\n  include 'sizes.inc'\n  real :: x\n  x = 0\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL136",
        "preprocessor error",
        "A directive of the C preprocessor is malformed, an included file is missing, an #error was met, or macros "
        "grow without end.",
        "#error choose a size\nsubroutine s()\nend subroutine s\n",
    ),
)
