"""Codes FCL25x–FCL28x: a transformation cannot do what its arguments ask."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

_LOCAL = """  do i = 1, n
    t = 2*y(i)
    x(i) = t
  end do
"""
_SUMS = """  do i = 1, 8
    x(i) = 0
    do j = 1, 8
      x(i) = x(i) + y(j)
    end do
  end do
"""
_ROWS = """  do i = 1, n
    do j = 1, rows(i)
      x(i) = x(i) + y(j)
    end do
  end do
"""
_CONDITIONAL = """  do i = 1, n
    do j = 1, 8
      if (x(i) > 0) x(i) = x(i) + y(i+j-1)
    end do
  end do
"""
_TWICE = """  do i = 1, 8
    x(i) = 2*x(i)
    y(i) = x(i)
  end do
"""
_PLANE = """  do i = 1, n
    z(1,i) = x(i)
  end do
"""
_TABLE = """  do i = 1, n
    x(i) = tab(mod(i, 2) + 1)
  end do
"""


def _example(*steps: str, body: str = _LOCAL, other: str = "") -> str:
    return (
        "subroutine s(n, x, y, rows)\n  implicit none\n  integer, intent(in) :: n, rows(n)\n  real(8) :: x(n), y(n)\n"
        f"  integer :: i{', j' if ' j ' in body else ''}\n{'  real(8) :: t' + chr(10) if ' t ' in body else ''}{body}"
        f"end subroutine s\n{other}!$loopy begin\n! s = lp.parse_fortran(SOURCE, FILENAME)\n"
        + "".join(f"! {step}\n" for step in steps)
        + "! RESULT = s\n!$loopy end\n"
    )


TRANSFORM_CODES: tuple[CodeEntry, ...] = (
    CodeEntry(
        "FCL250",
        "string is no expression of the kernel",
        "Expression strings are Python-like and 0-based: a[i,k+1], 16*j+i. Names are those of the kernel's loops, "
        "scalars, arrays and rules.",
        _example('s = lp.extract_subst(s, "acc", "x[i,,]", parameters="i")'),
    ),
    CodeEntry(
        "FCL251",
        "no such loop",
        "The name is no loop variable of this kernel (any more). `fortrancl show --stage steps` prints the loops after "
        "each step.",
        _example('s = lp.split_iname(s, "k", 16)'),
    ),
    CodeEntry(
        "FCL252",
        "argument out of range",
        "Lengths are positive integers, names are identifiers that nothing else uses.",
        _example('s = lp.split_iname(s, "i", 0)'),
    ),
    CodeEntry(
        "FCL253",
        "loop length is data",
        "The loop's trip count is computed by the program (a CSR row). Such a loop stays one sequential loop.",
        _example('s = lp.split_iname(s, "j", 16)', body=_ROWS),
    ),
    CodeEntry(
        "FCL254",
        "loop is tagged already",
        "A loop that became a work-group or work-item axis cannot be split, joined or tagged again. Do it before "
        "tagging, "
        "or untag it.",
        _example('s = lp.tag_inames(s, {"i": "l.0"})', 's = lp.tag_inames(s, {"i": "g.0"})'),
    ),
    CodeEntry(
        "FCL255",
        "unknown tag",
        "Loop tags are g.0 g.1 g.2, l.0 l.1 l.2, l.auto, unr, for (and ord, the same).",
        _example('s = lp.tag_inames(s, {"i": "q.0"})'),
    ),
    CodeEntry(
        "FCL256",
        "two loops of one statement on one axis",
        "Each hardware axis can carry one loop of a statement. Choose another axis, or join the loops first.",
        _example('s = lp.split_iname(s, "i", 16, outer_tag="g.0", inner_tag="g.0")'),
    ),
    CodeEntry(
        "FCL257",
        "loops are not nested as the step needs",
        "The step works on loops directly inside one another, in the order given. lp.prioritize_loops changes the "
        "order.",
        _example('s = lp.join_inames(s, "i,j", "ij")', body=_SUMS),
    ),
    CodeEntry(
        "FCL258",
        "assumption is not affine in the sizes",
        "lp.assume takes conditions like 'n >= 1 and n mod 16 = 0' over integer scalar arguments that are never "
        "written.",
        _example('s = lp.assume(s, "n*n > 4")'),
    ),
    CodeEntry(
        "FCL259",
        "statement is no update",
        "lp.set_atomic and lp.allow_reassociation are about updates x = x op e, where e does not read x.",
        _example('s = lp.set_atomic(s, "x")'),
    ),
    CodeEntry(
        "FCL260",
        "no place for a barrier",
        "The statements before the barrier must come before those after it in one block of the loop tree.",
        _example('s = lp.add_barrier(s, "writes:x", "writes:x")'),
    ),
    CodeEntry(
        "FCL261",
        "nothing to transform",
        "No statement, read or rule call is what the step looks for.",
        _example('s = lp.extract_subst(s, "acc", "x[k]", parameters="k", within="writes:t")'),
    ),
    CodeEntry(
        "FCL262",
        "assignment cannot become a rule",
        "The left-hand side must be a local variable whose subscripts are distinct loop variables, and every use must "
        "run inside the other loops that the right-hand side needs.",
        _example('s = lp.assignment_to_subst(s, "x")'),
    ),
    CodeEntry(
        "FCL263",
        "no single place for the staged copy",
        "The copy goes where the enclosing loops are just the outer loops of the step; the uses lie in several such "
        "places, or the loops are nested in another order. lp.prioritize_loops or more outer inames may help.",
        _example('s = lp.add_prefetch(s, "y", "i")', body=_SUMS.replace("y(j)", "y(i+j)")),
    ),
    CodeEntry(
        "FCL264",
        "footprint has no constant size",
        "The part to be staged must have a constant extent along each axis. Split the swept loop first.",
        _example('s = lp.add_prefetch(s, "y", "i")'),
    ),
    CodeEntry(
        "FCL265",
        "footprint not a box inside the array",
        "The elements used are no box, and the smallest box round them may leave the array. fetch_bounding_box=True "
        "fetches it with a guard.",
        _example('s = lp.add_prefetch(s, "y", "j")', body=_CONDITIONAL),
    ),
    CodeEntry(
        "FCL266",
        "other accesses to the buffered array",
        "While a buffer holds elements of an array, every access to them must go through it. Widen within=.",
        _example('s = lp.buffer_array(s, "x", "i", within="writes:x")', body=_TWICE),
    ),
    CodeEntry(
        "FCL267",
        "buffer expressions would change the result",
        "init_expression and store_expression other than the defaults need every access to be an update x = x op e "
        "with "
        "the matching op (init 0 and base + buffer for sums).",
        _example('s = lp.buffer_array(s, "x", [], init_expression="0", store_expression="base+buffer")'),
    ),
    CodeEntry(
        "FCL268",
        "no such array, scalar or rule",
        "The name is not one of this kernel's.",
        _example('s = lp.precompute(s, "q", "i")'),
    ),
    CodeEntry(
        "FCL269",
        "parameter cannot be fixed",
        "lp.fix_parameters takes scalar arguments that the kernel never writes, and values of their declared type.",
        _example("s = lp.fix_parameters(s, n=1.5)"),
    ),
    CodeEntry(
        "FCL290",
        "kernels cannot be fused",
        "Arguments of one name become one argument, so their types and shapes must agree, and one kernel must not "
        "write what another takes as a size. Data flows through arguments, from an earlier kernel to a later one.",
        _example(
            's = lp.fuse_kernels([s["s"], s["t"]])',
            other="subroutine t(x)\n  real(4) :: x\n  x = 0\nend subroutine t\n",
        ),
    ),
    CodeEntry(
        "FCL270",
        "no such axis",
        "Axes of an array are told by number from 0, or by names: lp.set_array_axis_names gives one to each.",
        _example('s = lp.split_array_axis(s, "x", 1, 4)'),
    ),
    CodeEntry(
        "FCL271",
        "axis cannot be a vector",
        "A vector axis has a constant extent of 2, 4, 8 or 16. lp.split_array_axis makes one of a longer axis.",
        _example('s = lp.tag_array_axes(s, "x", "vec")'),
    ),
    CodeEntry(
        "FCL272",
        "axis tags do not fit",
        "One tag for each axis: N0 (varies fastest) N1 …, vec, stride:<elements>, or c or f for all; tags that end "
        "with ? are dropped where there are too many.",
        _example('s = lp.tag_array_axes(s, "x", "N0,N1")'),
    ),
    CodeEntry(
        "FCL273",
        "assumed-size axis",
        "An axis declared * has no extent here: it cannot be split and must vary slowest. Declare its extent.",
        _example('s = lp.split_array_axis(s, "x", 0, 4)').replace("x(n),", "x(*),"),
    ),
    CodeEntry(
        "FCL274",
        "elements would overlap",
        "Strides that a script tells must keep all elements apart, and vectors aligned: each beyond all that the "
        "smaller ones reach.",
        _example('s = lp.tag_array_axes(s, "z", "N0,stride:4")', body=_PLANE)
        .replace("x(n),", "x(n), z(8,n),")
        .replace("(n, x,", "(n, z, x,"),
    ),
    CodeEntry(
        "FCL275",
        "padding cannot be computed",
        "lp.add_padding rounds a stride that is known at compile time up to whole elements. lp.fix_parameters makes "
        "sizes constants.",
        _example('s = lp.add_padding(s, "x", 0, 12)'),
    ),
    CodeEntry(
        "FCL276",
        "memory of a table",
        "An array of constants stays in memory as its values are written.",
        _example('s = lp.tag_array_axes(s, "tab", "c")', body=_TABLE).replace(
            "  integer :: i\n", "  integer :: i\n  integer, parameter :: tab(2) = [3, 5]\n"
        ),
    ),
)
"""Codes of `fortrancl.transform`."""
