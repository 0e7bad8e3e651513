"""Bad input is refused with exit 1, a code and a place, no output file and no traceback; scripts also within limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.diagnostics.bad_input import ALL, SCRIPTS_BY_NAME, with_script
from tests.support.command import run

ROOT = Path(__file__).parents[2]
NO_PLACE = {"fortran_nul"}
NO_CARET = NO_PLACE | {"fortran_empty", "fortran_blank"}


@pytest.mark.parametrize("name", sorted(ALL))
def test_is_refused(name, tmp_path, golden):
    found = run(tmp_path, {"m.f90": ALL[name]}, "compile", "m.f90", "-o", "out", "--depfile", "out/m.d", form="text")
    assert found.status == 1
    assert found.out == ""
    assert found.err.startswith("error[FCL") and "error[FCL9" not in found.err
    if name not in NO_PLACE:
        assert " --> m.f90:" in found.err
    if name not in NO_CARET:
        assert "^" in found.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.f90"]
    golden(f"{name}.txt", found.err)


LIMITED = textwrap.dedent("""
    import json, resource, sys, time
    resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    from click.testing import CliRunner
    from fortrancl.cli import main
    for name in sys.argv[1:]:
        start = time.perf_counter()
        result = CliRunner().invoke(main, ["check", name, "--error-format", "json"])
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps([name, result.exit_code, seconds, peak, result.stderr[:2000]]))
""")


def test_scripts_stay_within_ten_seconds_and_a_gibibyte(tmp_path):
    for name, text in SCRIPTS_BY_NAME.items():
        (tmp_path / f"{name}.f90").write_text(text)
    # fparser and islpy map files, threads map stacks: addresses count against the limit, memory is what is used.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    names = [f"{name}.f90" for name in SCRIPTS_BY_NAME]
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, *names], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr[-2000:]
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert [name for name, *_ in told] == names
    for name, status, seconds, peak, text in told:
        assert status == 1, (name, text)
        assert seconds < 10, name
        assert peak < 2**30, name
        assert json.loads(text.splitlines()[0])["code"].startswith(("FCL2", "FCL108")), (name, text)


def test_a_script_cannot_reach_the_machine(tmp_path):
    """What would happen if an escape worked does not happen."""
    mark = tmp_path / "mark"
    attempts = [
        f'__import__("os").system("touch {mark}")',
        f'open("{mark}", "w")',
        f'eval("__import__(\\"os\\").system(\\"touch {mark}\\")")',
        f'().__class__.__base__.__subclasses__()[0].__init__.__globals__["os"].system("touch {mark}")',
        f'lp.parse_fortran.__globals__["__builtins__"]["open"]("{mark}", "w")',
        f"\"{{0.__class__}}\".format(open('{mark}', 'w'))",
        f"f\"{{__import__('os').system('touch {mark}')}}\"",
        f'[x for x in ().__class__.__mro__][1].__subclasses__()[0]("{mark}")',
        f'(lambda: __builtins__)()["open"]("{mark}", "w")',
    ]
    for attempt in attempts:
        found = run(tmp_path, {"m.f90": with_script(attempt, parse=False)}, "check", "m.f90")
        assert found.status == 1
        assert {record["code"] for record in found.records} <= {"FCL211", "FCL213", "FCL212"}
    assert not mark.exists()


def test_a_script_in_a_file_of_its_own_has_its_places_there(tmp_path):
    files = {"m.f90": ALL["fortran_out_of_bounds"], "tile.py": "s = lp.parse_fortran(SOURCE)\nRESULT = s[\n"}
    found = run(tmp_path, files, "check", "m.f90", "--transform", "tile.py")
    (record,) = found.records
    assert (found.status, record["code"], record["place"]["file"], record["place"]["line"]) == (
        1,
        "FCL200",
        "tile.py",
        2,
    )


def test_all_problems_of_a_stage_are_told_at_once(tmp_path):
    text = "subroutine s(x)\n  real :: x\n  print *, x\n  stop\n  x = y + z%a\nend subroutine s\n"
    found = run(tmp_path, {"m.f90": text}, "check", "m.f90")
    assert [record["place"]["line"] for record in found.records][:2] == [3, 4]


def test_bad_files_among_good_ones(tmp_path):
    good = "subroutine g(x)\n  real :: x\n  x = 1\nend subroutine g\n"
    files = {"a.f90": ALL["fortran_syntax_error"], "b.f90": good, "c.f90": ALL["step_recurrence_g"]}
    found = run(tmp_path, files, "compile", "a.f90", "b.f90", "c.f90", "-o", "out")
    assert found.status == 1 and not (tmp_path / "out").exists()
    assert [record["place"]["file"] for record in found.records if record["severity"] == "error"] == ["a.f90", "c.f90"]


# -- files that cannot be read or written -------------------------------------------------------------------------
def test_a_missing_file(tmp_path):
    found = run(tmp_path, {}, "check", "nothing.f90")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL101"])
    assert "nothing.f90" in found.records[0]["message"]


def test_a_folder_as_input(tmp_path):
    (tmp_path / "dir.f90").mkdir()
    found = run(tmp_path, {}, "check", "dir.f90")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL101"])


def test_a_binary_file(tmp_path):
    (tmp_path / "a.f90").write_bytes(bytes(range(256)) * 40)
    found = run(tmp_path, {}, "check", "a.f90")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL102"])


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_a_file_without_end(tmp_path):
    for arguments in (("/dev/zero",), ("a.f90", "--transform", "/dev/zero")):
        found = run(tmp_path, {"a.f90": GOOD}, "check", *arguments)
        assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL102"])


def test_a_latin_1_comment_is_no_obstacle(tmp_path):
    text = "! caf\u00e9\nsubroutine g(x)\n  real :: x\n  x = 1\nend subroutine g\n"
    (tmp_path / "a.f90").write_bytes(text.encode("latin-1"))
    assert run(tmp_path, {}, "check", "a.f90").status == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission_to_read(tmp_path):
    path = tmp_path / "a.f90"
    path.write_text("subroutine s\nend\n")
    path.chmod(0)
    found = run(tmp_path, {}, "check", "a.f90")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL101"])


def test_no_permission_is_told_by_what_reads(tmp_path, monkeypatch):
    """click would ask `os.access` first and call it wrong usage."""
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert run(tmp_path, {"m.f90": GOOD}, "check", "m.f90").status == 0


def test_a_missing_transform_file(tmp_path):
    found = run(tmp_path, {"m.f90": "subroutine s\nend\n"}, "check", "m.f90", "--transform", "none.py")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL101"])


GOOD = (
    "subroutine g(n, x)\n  integer :: n, i\n  real :: x(n)\n  do i = 1, n\n    x(i) = 1\n  end do\nend subroutine g\n"
)


@pytest.mark.parametrize("where", ["file", "file/below", "/proc/nowhere"])
def test_an_output_folder_that_cannot_be(where, tmp_path):
    found = run(tmp_path, {"m.f90": GOOD, "file": "x"}, "compile", "m.f90", "-o", where)
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL608"])
    assert "-o" in found.records[0]["hints"][0] and ".tmp" not in found.records[0]["message"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "m.f90"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_no_permission_to_write(tmp_path):
    out = tmp_path / "out"
    out.mkdir(mode=0o500)
    found = run(tmp_path, {"m.f90": GOOD}, "compile", "m.f90", "-o", "out")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL608"])
    assert list(out.iterdir()) == []


def test_an_output_that_is_a_folder_leaves_the_others_alone(tmp_path):
    (tmp_path / "out" / "m.cl").mkdir(parents=True)
    (tmp_path / "out" / "m.f90").write_text("old")
    found = run(tmp_path, {"m.f90": GOOD}, "compile", "m.f90", "-o", "out")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL608"])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["m.cl", "m.f90"]
    assert (tmp_path / "out" / "m.f90").read_text() == "old"


def test_a_depfile_that_cannot_be_written_leaves_no_output(tmp_path):
    found = run(tmp_path, {"m.f90": GOOD, "file": "x"}, "compile", "m.f90", "-o", "out", "-MF", "file/m.d")
    assert (found.status, [r["code"] for r in found.records]) == (1, ["FCL608"])
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


# -- faults of our own --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("target", "stage"),
    [
        ("fortrancl.driver.scan", "scan"),
        ("fortrancl.driver.lower", "frontend"),
        ("fortrancl.schedule.build.finalise", "finalise"),
        ("fortrancl.analysis.legality.require_legal", "legality"),
        ("fortrancl.schedule.build.plan", "schedule"),
        ("fortrancl.target.opencl.generate", "target"),
        ("fortrancl.driver.host_files", "host"),
        ("fortrancl.output.write_all", "command line"),
    ],
)
def test_an_internal_error(target, stage, tmp_path, monkeypatch):
    def broken(*arguments, **options):
        raise KeyError("a fault")

    monkeypatch.setattr(target, broken)
    source = with_script('s = lp.split_iname(s, "i", 64, outer_tag="g.0", inner_tag="l.0")')
    found = run(tmp_path, {"m.f90": source}, "compile", "m.f90", "-o", "out", form="text")
    assert found.status == 70
    assert f"error[FCL900]: internal error in stage '{stage}'" in found.err
    assert "please report it" in found.err and "Traceback" not in found.err
    assert not (tmp_path / "out").exists()


def test_an_internal_error_in_a_step(tmp_path, monkeypatch):
    monkeypatch.setattr("fortrancl.transform.loops.find_iname", lambda *_: 1 / 0)
    found = run(tmp_path, {"m.f90": with_script('s = lp.split_iname(s, "i", 64)')}, "check", "m.f90", form="text")
    assert found.status == 70
    assert (
        "stage 'script'" in found.err and "'split_iname' at m.f90:12" in found.err and "ZeroDivisionError" in found.err
    )
