"""What the environment asks for, what goes wrong at run time, and what is said then."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fortrancl.host import CompiledKernel, HostOptions, host_files
from fortrancl.ir.build import build_kernel
from fortrancl.ir.expr import Binary, Call, Literal_, Var, integer
from fortrancl.ir.kernel import Argument, Dim, FixedParameter, Kernel, Tag, Temporary
from fortrancl.ir.types import INTEGER4, LOGICAL4, REAL4, REAL8
from fortrancl.schedule.build import plan
from fortrancl.schedule.plan import LaunchPlan
from fortrancl.target.opencl import generate
from tests.support.build import Program, build_program, run
from tests.support.host import STRICT, STRICT_C, build, compiled, parallel, unit
from tests.support.launch import make_kernel

Env = dict[str, str]

SCALE = """\
module work
  implicit none
contains
  subroutine scale(n, a, x)
    integer, intent(in) :: n
    real(8), intent(in) :: a
    real(8), intent(inout) :: x(0:n-1)
    integer :: i
    ! body
    do i = 0, n - 1
      x(i) = a*x(i)
    end do
  end subroutine scale
end module work
"""
MAIN = """\
program main
  use work
  implicit none
  real(8) :: x(0:39)
  x = 1
  call scale(40, 2d0, x)
  call scale(40, 2d0, x)
  print '(f8.1)', sum(x)
end program main
"""


def scale_kernel() -> Kernel:
    kernel = build_kernel("scale", "n; real8 a; x(n)", [("x[i]", "a*x[i]", {"i": "n"})])
    x = kernel.argument_by_name["x"]
    x = replace(x, shape=(Dim(integer(0), x.shape[0].extent),))
    return replace(kernel, arguments=(*kernel.arguments[:2], x))


def scale_program(folder: Path, spoil: tuple[str, str] = ("", "")) -> Program:
    source = unit(SCALE)
    kernel = scale_kernel()
    made = compiled(source.procedure(kernel), parallel(kernel, "i"), lambda text: text.replace(*spoil))
    return build(folder, source, [made], MAIN)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return scale_program(tmp_path_factory.mktemp("scale"))


# -- devices ------------------------------------------------------------------------------------------------------
def test_no_platform(program: Program, pocl_env: Env) -> None:
    result = program.run(pocl_env | {"OCL_ICD_VENDORS": "/nonexistent"}, check=False)
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr == (
        "fortrancl: error[FCL651]: work.f90:4: procedure 'scale': no OpenCL device was found\n"
        '  = hint: eval "$(fortrancl devices --env)" lets this program find the embedded PoCL (a device on the CPU)\n'
        "  = hint: FORTRANCL_OFFLOAD=disabled runs the Fortran as it stands, without a device\n"
    )


def test_disabled_needs_no_device(program: Program, pocl_env: Env) -> None:
    result = program.run(pocl_env | {"OCL_ICD_VENDORS": "/nonexistent", "FORTRANCL_OFFLOAD": "disabled"})
    assert (result.stdout.split(), result.stderr) == (["160.0"], "")


def test_default_falls_back_and_says_so_once(program: Program, pocl_env: Env) -> None:
    result = program.run(pocl_env | {"OCL_ICD_VENDORS": "/nonexistent", "FORTRANCL_OFFLOAD": "default"})
    assert result.stdout.split() == ["160.0"]
    assert result.stderr.count("fortrancl: warning[FCL662]: work.f90:4: procedure 'scale': runs on the host") == 1
    assert "FCL651: no OpenCL device was found" in result.stderr


@pytest.mark.parametrize("wanted", ["0", "0:0", "portable:0", "PTHREAD", "Portable:pthread", "cpu"])
def test_device_by_name_and_number(program: Program, pocl_env: Env, wanted: str) -> None:
    result = program.run(pocl_env | {"FORTRANCL_DEVICE": wanted, "FORTRANCL_VERBOSE": "1"}, check=False)
    if wanted == "cpu" and result.returncode != 0:
        assert "error[FCL652]" in result.stderr
    else:
        assert re.search(r"fortrancl: device 0 '.*' \(platform 'Portable Computing Language'\)", result.stderr)


@pytest.mark.parametrize("wanted", ["7", "1:0", "0:1", "H200", "nobody:0"])
def test_a_device_that_is_not_there(program: Program, pocl_env: Env, wanted: str) -> None:
    result = program.run(pocl_env | {"FORTRANCL_DEVICE": wanted}, check=False)
    assert result.returncode == 1
    assert f"error[FCL652]: work.f90:4: procedure 'scale': FORTRANCL_DEVICE={wanted} names no device" in result.stderr
    assert "there are: 0 '" in result.stderr


def test_ranks_share_devices(program: Program, pocl_env: Env) -> None:
    """Rank 5 of a node with one device takes that one."""
    result = program.run(pocl_env | {"OMPI_COMM_WORLD_LOCAL_RANK": "5", "FORTRANCL_VERBOSE": "1"})
    assert "fortrancl: device 0 " in result.stderr


@pytest.mark.parametrize(
    ("name", "value", "choices"),
    [
        ("FORTRANCL_OFFLOAD", "maybe", "mandatory, disabled or default"),
        ("FORTRANCL_COMPARE", "2", "0, 1 (every bit), or a relative tolerance below 1"),
        ("FORTRANCL_INDEX_BITS", "16", "32 or 64"),
    ],
)
def test_wrong_values_of_switches(program: Program, pocl_env: Env, name: str, value: str, choices: str) -> None:
    result = program.run(pocl_env | {name: value}, check=False)
    assert result.returncode == 1
    assert f"error[FCL659]: work.f90:4: procedure 'scale': {name} is '{value}', but must be {choices}" in result.stderr


# -- programs -----------------------------------------------------------------------------------------------------
def test_refused_device_code(tmp_path: Path, pocl_env: Env) -> None:
    broken = scale_program(tmp_path, ("a*x[", "a*nonsense["))
    result = broken.run(pocl_env, check=False)
    assert result.returncode == 1
    # PoCL's compiler may speak first.
    first = next(line for line in result.stderr.splitlines() if line.startswith("fortrancl"))
    assert first.startswith("fortrancl: error[FCL653]: work.f90:4: procedure 'scale': the compiler of device '")
    assert "CL_BUILD_PROGRAM_FAILURE (-11)" in first and "nonsense" in result.stderr
    fallen = broken.run(pocl_env | {"FORTRANCL_OFFLOAD": "default"})
    assert fallen.stdout.split() == ["160.0"] and fallen.stderr.count("warning[FCL662]") == 1


def test_programs_are_kept_from_run_to_run(program: Program, pocl_env: Env, tmp_path: Path) -> None:
    env = pocl_env | {"FORTRANCL_CACHE_DIR": str(tmp_path / "deep" / "cache"), "FORTRANCL_VERBOSE": "1"}
    first = program.run(env)
    files = list((tmp_path / "deep" / "cache").iterdir())
    assert [file.suffix for file in files] == [".clbin"] and "is built" in first.stderr
    second = program.run(env)
    assert "comes from the cache" in second.stderr and second.stdout == first.stdout
    good = files[0].read_bytes()
    for bad in (b"", good[:100], good[:-1], good + b"x", b"x" * 5000, good[:2000] + b"?" + good[2001:]):
        files[0].write_bytes(bad)
        again = program.run(env)
        assert "is built" in again.stderr and again.stdout == first.stdout
    assert files[0].read_bytes()[:8] == b"FCLBIN01"
    assert "comes from the cache" in program.run(env).stderr


def test_a_cache_that_cannot_be_written_is_no_error(program: Program, pocl_env: Env, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    env = pocl_env | {"FORTRANCL_CACHE_DIR": str(tmp_path / "file" / "cache"), "FORTRANCL_VERBOSE": "1"}
    result = program.run(env)
    assert "is built" in result.stderr and result.stdout.split() == ["160.0"]


def test_wide_indices_are_another_build(program: Program, pocl_env: Env) -> None:
    result = program.run(pocl_env | {"FORTRANCL_INDEX_BITS": "64", "FORTRANCL_VERBOSE": "1"})
    assert "program of 'scale' with 64-bit indices" in result.stderr and "32-bit" not in result.stderr
    assert result.stdout.split() == ["160.0"]


def test_timing_lines_are_as_the_demo_reads_them(program: Program, pocl_env: Env) -> None:
    result = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    line = r"fortrancl: timing kernel=scale_kernel launches=2 ms=\d+\.\d+ device=\S.*\n"
    assert re.fullmatch(line, result.stderr)


# -- comparison ---------------------------------------------------------------------------------------------------
def test_compare_says_nothing_where_all_agree(program: Program, pocl_env: Env) -> None:
    result = program.run(pocl_env | {"FORTRANCL_COMPARE": "1", "FORTRANCL_TIMING": "1"})
    assert result.stdout.split() == ["160.0"]
    assert "launches=2" in result.stderr and "warning" not in result.stderr


def test_compare_names_the_first_element(tmp_path: Path, pocl_env: Env) -> None:
    spoilt = scale_program(tmp_path, ("= a*x[", "= (i_outer == 1 ? a + 1e-9 : a)*x["))
    result = spoilt.run(pocl_env | {"FORTRANCL_COMPARE": "1"})
    assert result.stdout.split() == ["160.0"], "the body's results are what the program goes on with"
    assert result.stderr.splitlines()[0] == (
        "fortrancl: warning[FCL661]: work.f90:4: procedure 'scale': device and Fortran differ: x(16) is "
        "2.0000000010000001 on the device and 2 in Fortran; 16 of 40 elements of 'x' differ, by 5e-10 (relative) "
        "at most"
    )
    assert result.stderr.count("FCL661") == 2
    assert spoilt.run(pocl_env | {"FORTRANCL_COMPARE": "1e-8"}).stderr == ""


def test_compare_tells_when_a_body_was_left_early(tmp_path: Path, pocl_env: Env) -> None:
    text = SCALE.replace(
        "    do i", "    if (n > 100000) return\n    if (n == 40) then\n      return\n    end if\n    do i"
    )
    source = unit(text)
    kernel = scale_kernel()
    early = build(tmp_path, source, [compiled(source.procedure(kernel), parallel(kernel, "i"))], MAIN)
    result = early.run(pocl_env | {"FORTRANCL_COMPARE": "1"})
    assert result.stderr.splitlines() == [
        "fortrancl: warning[FCL663]: work.f90:4: procedure 'scale': its last call was not compared: "
        "the body was left before its end"
    ]


# -- arguments ----------------------------------------------------------------------------------------------------
TWO = """\
module work
  implicit none
contains
  subroutine copy(n, lda, m, x, y)
    integer, intent(in) :: n, lda, m
    real(8), intent(in) :: x(lda,m)
    real(8), intent(inout) :: y(lda,m)
    integer :: i, j
    ! body
    do j = 1, m
      do i = 1, n
        y(i,j) = y(i,j) + 2*x(i,j)
      end do
    end do
  end subroutine copy
end module work
"""


def copy_program(folder: Path, main: str) -> Program:
    kernel = build_kernel(
        "copy", "n; lda; m; x(lda,m); y(lda,m)", [("y[i,j]", "y[i,j] + 2*x[i,j]", {"j": "m", "i": "n"})]
    )
    source = unit(TWO)
    flags = ("-std=f2008", "-O1")
    return build(folder, source, [compiled(source.procedure(kernel), parallel(kernel, "i", 4))], main, flags)


def copy_main(call: str) -> str:
    return f"""\
program main
  use work
  implicit none
  real(8) :: a(10,6)
  integer :: i, j
  do j = 1, 6
    do i = 1, 10
      a(i,j) = i + 100*j
    end do
  end do
  {call}
  print '(4f9.1)', a(1,1), a(6,1), a(10,6), sum(a)
end program main
"""


def test_overlapping_arguments(tmp_path: Path, pocl_env: Env) -> None:
    result = copy_program(tmp_path, copy_main("call copy(6, 10, 5, a(1,1), a(5,1))")).run(pocl_env, check=False)
    assert result.returncode == 1
    assert result.stderr.splitlines()[0] == (
        "fortrancl: error[FCL657]: work.f90:4: procedure 'copy': arguments 'x' and 'y' overlap in memory, "
        "and 'y' is written, which Fortran forbids"
    )


def test_parts_of_one_matrix_are_apart(tmp_path: Path, pocl_env: Env) -> None:
    """Rows 1-4 and rows 5-10 of the same columns interleave in memory without meeting."""
    program = copy_program(tmp_path, copy_main("call copy(4, 10, 6, a(1,1), a(5,1))"))
    device = program.run(pocl_env)
    assert device.stdout == program.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}).stdout
    assert program.run(pocl_env | {"FORTRANCL_COMPARE": "1"}).stderr == ""


def test_a_launch_whose_subscripts_would_leave_the_array(tmp_path: Path, pocl_env: Env) -> None:
    result = copy_program(tmp_path, copy_main("call copy(5, 4, 2, a(1,1), a(1,4))")).run(pocl_env, check=False)
    assert result.returncode == 1
    assert "error[FCL656]: work.f90:4: procedure 'copy': subscript 1 of '" in result.stderr
    assert "leaves its bounds with these arguments" in result.stderr


FIXED = """\
module work
  implicit none
contains
  subroutine scale(n, a, on, x)
    integer, intent(in) :: n
    real(4), intent(in) :: a
    logical, intent(in) :: on
    real(4), intent(inout) :: x(n)
    integer :: i
    ! body
    do i = 1, n
      if (on) x(i) = a*x(i)
    end do
  end subroutine scale
end module work
"""
FIXED_MAIN = """\
program main
  use work
  implicit none
  real(4) :: x(8), a
  integer :: n
  logical :: on
  x = 1
  read *, n, a, on
  call scale(n, a, on, x)
  print '(f8.3)', sum(x)
end program main
"""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("8 1.4 T", ""),
        ("7 1.4 T", "'n' is 7, but the script fixed it at 8"),
        ("8 1.5 T", "'a' is 1.5, but the script fixed it at 1.39999"),
        ("8 1.4 F", "'on' is .false., but the script fixed it at .true."),
    ],
)
def test_fixed_parameters(tmp_path: Path, pocl_env: Env, given: str, said: str) -> None:
    kernel = build_kernel("scale", "n; real4 a; logical on; real4 x(n)", [("x[i]", "a*x[i]", {"i": "n"})])
    final = build_kernel("scale", "n; real4 a; logical on; real4 x(8)", [("x[i]", "1.4*x[i]", {"i": "8"})])
    statement = replace(final.statements[0], value=_single(final.statements[0].value))
    fixed = (
        FixedParameter("n", integer(8)),
        FixedParameter("a", Literal_(1.4, REAL4, "1.4")),
        FixedParameter("on", Literal_(True, LOGICAL4)),
    )
    final = replace(final, statements=(statement,), fixed=fixed)
    source = unit(FIXED)
    program = build(tmp_path, source, [compiled(source.procedure(kernel), final)], FIXED_MAIN)
    # The program reads its arguments, so that gfortran cannot know them.
    result = subprocess.run([str(program.path)], input=given, env=pocl_env, capture_output=True, text=True, check=False)
    if said:
        assert result.returncode == 1
        assert f"fortrancl: error[FCL655]: work.f90:4: procedure 'scale': {said}" in result.stderr
        assert "= hint: change lp.fix_parameters in the script, or the call" in result.stderr
    else:
        assert (result.returncode, result.stdout.split()) == (0, ["11.200"])


def _single(value: object) -> Binary:
    assert isinstance(value, Binary)
    return replace(value, left=Literal_(1.4, REAL4, "1.4"))


# -- who hears of failures ----------------------------------------------------------------------------------------
HANDLER_MAIN = """\
module handling
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int) :: seen = 0
  interface
    subroutine fcl_set_error_handler(handler, user) bind(c)
      import :: c_funptr, c_ptr
      type(c_funptr), value :: handler
      type(c_ptr), value :: user
    end subroutine
  end interface
contains
  subroutine keep(code, message, user) bind(c)
    integer(c_int), value :: code
    type(c_ptr), value :: message, user
    if (c_associated(message) .and. .not. c_associated(user)) seen = code
  end subroutine
end module handling
program main
  use work
  use handling
  implicit none
  real(8) :: x(0:39)
  x = 1
  call fcl_set_error_handler(c_funloc(keep), c_null_ptr)
  call scale(40, 2d0, x)
  print '(i0,f8.1)', seen, sum(x)
end program main
"""


def test_an_error_handler_of_the_program(tmp_path: Path, pocl_env: Env) -> None:
    source = unit(SCALE)
    kernel = scale_kernel()
    program = build(tmp_path, source, [compiled(source.procedure(kernel))], HANDLER_MAIN)
    result = program.run(pocl_env | {"OCL_ICD_VENDORS": "/nonexistent"})
    assert result.stdout.split() == ["651", "80.0"], "the body runs where the handler returns"
    assert "error[FCL651]" in result.stderr


# -- several launches ---------------------------------------------------------------------------------------------
SWEEP = """\
module work
  implicit none
contains
  subroutine sweep(n, steps, x)
    integer, intent(in) :: n, steps
    real(8), intent(inout) :: x(n)
    real(8) :: y(n)
    integer :: i, t
    ! body
    do t = 1, steps
      do i = 1, n
        y(i) = x(n+1-i) + t
      end do
      do i = 1, n
        x(i) = y(i)
      end do
    end do
  end subroutine sweep
end module work
"""


def sweep_plan() -> LaunchPlan:
    n = Dim(integer(1), Var("n"))
    arguments = [Argument("n", INTEGER4), Argument("steps", INTEGER4), Argument("x", REAL8, (n,))]
    kernel = make_kernel(
        [*arguments, Temporary("y", REAL8, (n,), address_space="global")],
        [
            ("s0", "y[i]", "x[n-1-i] + t + 1", "t i", "0 <= t < steps and 0 <= i < n"),
            ("s1", "x[j]", "y[j]", "t j", "0 <= t < steps and 0 <= j < n"),
        ],
        [["t", "s0", "||", "s1", "||"]],
        {"i": Tag("g", 0), "j": Tag("g", 0)},
        name="sweep",
    )
    return plan(kernel)


def test_host_loops_and_temporaries_in_global_memory(tmp_path: Path, pocl_env: Env) -> None:
    source = unit(SWEEP)
    launch_plan = sweep_plan()
    made = CompiledKernel(source.procedure(launch_plan.kernel), launch_plan, generate(launch_plan))
    main = """\
program main
  use work
  implicit none
  real(8) :: x(33)
  integer :: i
  x = [(real(i, 8), i = 1, 33)]
  call sweep(33, 5, x)
  print '(3f8.1)', x(1), x(2), x(33)
  call sweep(33, 0, x)
end program main
"""
    program = build(tmp_path, source, [made], main)
    result = program.run(pocl_env | {"FORTRANCL_TIMING": "1"})
    assert result.stdout.split() == ["48.0", "47.0", "16.0"]
    assert re.findall(r"kernel=(\w+) launches=(\d+)", result.stderr) == [
        ("sweep_kernel_0", "5"),
        ("sweep_kernel_1", "5"),
    ]
    assert program.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}).stdout == result.stdout


def test_a_group_that_the_device_does_not_allow(tmp_path: Path, pocl_env: Env) -> None:
    kernel = scale_kernel()
    source = unit(SCALE)
    made = compiled(source.procedure(kernel), parallel(kernel, "i", 64))
    launch = made.plan.body[0]
    too_large = replace(made.plan, body=(replace(launch, group_size=(1 << 20, 1, 1)),))  # type: ignore[type-var]
    result = build(tmp_path, source, [replace(made, plan=too_large)], MAIN).run(pocl_env, check=False)
    assert result.returncode == 1
    assert "error[FCL658]: work.f90:4: procedure 'scale': kernel 'scale_kernel' wants work-groups of 1048576" in (
        result.stderr
    )


# -- the module of its own ------------------------------------------------------------------------------------------
def test_emit_module_reports_a_status(tmp_path: Path, pocl_env: Env) -> None:
    source = unit(SCALE)
    kernel = scale_kernel()
    files = host_files(
        source.source, [compiled(source.procedure(kernel), parallel(kernel, "i"))], HostOptions(emit="module")
    )
    main = """\
program main
  use work_cl
  implicit none
  real(8) :: x(0:39)
  character(60) :: text
  integer :: stat
  x = 1
  call scale(40, 2d0, x, stat, text)
  print '(i0,f8.1)', stat, sum(x)
  if (stat /= 0) print '(a)', text
  if (stat == 0) call scale(40, 2d0, x)
  if (stat == 0) print '(f8.1)', sum(x)
end program main
"""
    (tmp_path / "work.f90").write_text(SCALE)
    (tmp_path / "work_cl.f90").write_text(files.fortran_text or "")
    (tmp_path / "work_fcl.c").write_text(files.c_text)
    (tmp_path / "main.f90").write_text(main)
    sources = ["work.f90", "work_cl.f90", "main.f90"]
    program = build_program(tmp_path, sources, ["work_fcl.c"], (*STRICT, "-fcheck=all"), c_flags=STRICT_C)
    assert program.messages == ""
    assert program.run(pocl_env | {"FORTRANCL_COMPARE": "1"}).stdout.split() == ["0", "80.0", "160.0"]
    assert program.run(pocl_env).stdout.split() == ["0", "80.0", "160.0"]
    assert program.run(pocl_env | {"FORTRANCL_OFFLOAD": "disabled"}).stdout.split() == ["0", "80.0", "160.0"]
    failed = program.run(pocl_env | {"OCL_ICD_VENDORS": "/nonexistent"})
    assert failed.stderr == ""
    assert failed.stdout.splitlines() == ["651    40.0", "fortrancl: error[FCL651]: work.f90:4: procedure 'scale': no "]


def test_files_of_another_version_do_not_link(program: Program) -> None:
    listed = run(["nm", program.path.parent / "program_c0.o"], program.path.parent).stdout
    assert re.search(r" U fcl_abi_1$", listed, re.MULTILINE)


def test_sizes_with_minima_are_the_launchers_business(tmp_path: Path, pocl_env: Env) -> None:
    """Host formulas keep Fortran's integer functions."""
    kernel = scale_kernel()
    source = unit(SCALE)
    made = compiled(source.procedure(kernel), parallel(kernel, "i"))
    launch = made.plan.body[0]
    counts = (Call("min", (launch.group_counts[0], integer(1))), *launch.group_counts[1:])  # type: ignore[union-attr]
    fewer = replace(made.plan, body=(replace(launch, group_counts=counts),))  # type: ignore[type-var]
    result = build(tmp_path, source, [replace(made, plan=fewer)], MAIN).run(pocl_env)
    assert result.stdout.split() == [f"{16 * 4 + 24:.1f}"]
