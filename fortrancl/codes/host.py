"""Codes FCL6xx: what cannot be launched from a Fortran procedure, and what the run-time library says."""

from __future__ import annotations

from fortrancl.codes.entry import CodeEntry

_LOOP = "  integer :: i\n  do i = 1, n\n    x(i) = 2*x(i)\n  end do\n"
_PLAIN = f"subroutine s(n, x)\n  integer, intent(in) :: n\n  real(8), intent(inout) :: x(n)\n{_LOOP}end subroutine s\n"


def _script(*steps: str) -> str:
    lines = ("s = lp.parse_fortran(SOURCE, FILENAME)", *steps)
    return "!$loopy begin\n" + "".join(f"! {line}\n" for line in lines) + "!$loopy end\n"


HOST_CODES: tuple[CodeEntry, ...] = (
    # -- compiling
    CodeEntry(
        "FCL601",
        "elemental procedure",
        "An elemental procedure is called for each element; a launch for each would be slower than the call. Write the "
        "loop over the elements into a subroutine.",
    ),
    CodeEntry(
        "FCL602",
        "dummy argument cannot cross to the launcher",
        "Optional, allocatable and pointer dummies are not passed to launchers yet, and the extents of assumed-shape "
        "arrays cannot be asked for where dummies are called like the intrinsics that tell them. Put the loops into a "
        "subroutine of their own with plain dummies.",
        "subroutine s(size, ubound, x)\n  integer, intent(in) :: size, ubound\n  real(8) :: x(:)\n  integer :: i\n"
        "  do i = 1, size\n    x(i) = ubound\n  end do\nend subroutine s\n",
    ),
    CodeEntry(
        "FCL603",
        "two kernels of one procedure",
        "Each procedure launches one kernel. Give RESULT one for each.",
    ),
    CodeEntry(
        "FCL604",
        "--emit module cannot wrap a procedure",
        "The new module calls the procedure of the old one, so the procedure must be public, in a module, and called "
        "by its own name. In-place files have none of these limits.",
        _PLAIN,
    ),
    CodeEntry(
        "FCL605",
        "kernel of no procedure",
        "A launcher stands for a procedure of the file, with its name and dummies. A kernel that a script renamed has "
        "none.",
        _PLAIN + _script('RESULT = lp.rename_kernel(s, "s", "other")'),
    ),
    CodeEntry(
        "FCL606",
        "new procedure has no place",
        "A kernel that lp.fuse_kernels made of several procedures becomes a new procedure behind the last of them. It "
        "needs a name of its own, parts that stand in one module, or external ones that can be called without an "
        "explicit interface.",
        _PLAIN
        + _PLAIN.replace("subroutine s", "subroutine t")
        + "!$loopy begin\n! u = lp.parse_fortran(SOURCE, FILENAME)\n"
        '! RESULT = lp.fuse_kernels([u["s"], u["t"]], name="t")\n!$loopy end\n',
    ),
    CodeEntry(
        "FCL607",
        "size depends on data",
        "The host computes the number of work-groups and the bytes to copy before a launch, from scalar arguments. A "
        "size that stands in an array, or comes from a real number, is known to the device only.",
    ),
    CodeEntry(
        "FCL608",
        "output cannot be written",
        "The operating system did not take a file: the folder may not be written, a part of its path is a file, or the "
        "disk is full. None of the outputs was changed.",
    ),
    # -- running
    CodeEntry(
        "FCL651",
        "no OpenCL device",
        'No OpenCL platform offers a device. `eval "$(fortrancl devices --env)"` makes the embedded PoCL, which runs '
        "on the CPU, visible to programs; FORTRANCL_OFFLOAD=disabled runs the Fortran as it stands.",
    ),
    CodeEntry(
        "FCL652",
        "FORTRANCL_DEVICE names no device",
        "Write [platform:]index or [platform:]name: an index counts over all platforms, or inside the given one; names "
        "are parts of names in any letter case. `fortrancl devices` lists them.",
    ),
    CodeEntry(
        "FCL653",
        "device compiler refused the code",
        "The message holds the compiler's log. The code is fortrancl's: please report it. FORTRANCL_OFFLOAD=disabled "
        "runs the Fortran as it stands.",
    ),
    CodeEntry(
        "FCL654",
        "OpenCL call failed",
        "The message names the call and its status. CL_MEM_OBJECT_ALLOCATION_FAILURE and CL_OUT_OF_RESOURCES mean "
        "that the device has too little memory for these sizes.",
    ),
    CodeEntry(
        "FCL655",
        "argument differs from its fixed value",
        "The script fixed this argument, so the kernel holds for that value alone. With FORTRANCL_OFFLOAD=default the "
        "Fortran body runs for other values.",
    ),
    CodeEntry(
        "FCL656",
        "subscript would leave its bounds",
        "With these sizes the Fortran would read or write outside the declared shape. The line is the statement's.",
    ),
    CodeEntry(
        "FCL657",
        "arguments overlap",
        "Two arguments share memory and one of them is written. Fortran forbids it (F2018, 15.5.2.13), and a device "
        "would work on two copies.",
    ),
    CodeEntry(
        "FCL658",
        "too large for the device",
        "The device takes fewer work-items in a group, fewer groups, or smaller buffers. Choose smaller tiles in the "
        "script, or another device.",
    ),
    CodeEntry(
        "FCL659",
        "environment variable has no such value",
        "One of the FORTRANCL_ variables has a value that means nothing; the message lists what does.",
    ),
    CodeEntry("FCL660", "out of memory", "The host's memory is used up."),
    CodeEntry(
        "FCL661",
        "device and Fortran differ",
        "FORTRANCL_COMPARE ran both. Reassociated sums and other mathematical libraries differ in the last digits: "
        "give a tolerance (FORTRANCL_COMPARE=1e-12).",
    ),
    CodeEntry(
        "FCL662",
        "procedure runs on the host",
        "FORTRANCL_OFFLOAD=default: the launch failed before any result came back, so the Fortran body did the work. "
        "Said once for each procedure.",
    ),
    CodeEntry(
        "FCL663",
        "call was not compared",
        "FORTRANCL_COMPARE compares where the body ends; this one was left by a RETURN before.",
    ),
)
"""Codes of `host` (below 650) and of its run-time library."""
