"""Calls of what `lp` offers: where a refusal points, what a call takes, what RESULT may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from fortrancl.diagnostics import CompileError
from fortrancl.driver import InternalError, _Session, stage
from fortrancl.frontend import scan
from fortrancl.render import render
from fortrancl.script.interpreter import run_script
from fortrancl.script.library import LibraryFunction, namespace
from fortrancl.source import SourceFile
from tests.support.scripts import ONE, UNIT, holds, refusal, run

FIRST = UNIT + "k = unit['first']\n"


@pytest.mark.parametrize(
    ("call", "place"),
    [
        ("lp.tag_inames(k, {'ii': 'g.0'})", "'ii'"),
        ("lp.tag_inames(k, 'i:g.0, jj:l.0')", "jj"),
        ("lp.tag_inames(k, {'i': 'q.7'})", "'q.7'"),
        ("lp.split_iname(k, 'nope', 16)", "'nope'"),
        ("lp.split_iname(k, 'i', 0)", "0"),
        ("lp.split_iname(k, 'i', inner_length=-1)", "-1"),
        ("lp.split_iname(kernel=k, inner_length=4, split_iname='nope')", "'nope'"),
        ("lp.split_iname(k, *['nope', 16])", "'nope'"),
        ("lp.split_iname(k, **{'split_iname': 'nope', 'inner_length': 16})", "'nope'"),
        ("lp.find_instructions(k, 'id:a and writs:x')", "writs"),
        ("lp.find_instructions(k, 'id:a and (tag:b')", "("),
        ("lp.find_instructions(k, 'id:a > id:b')", ">"),
        ('lp.find_instructions(k, """id:a and b""")', "b"),
        ("lp.find_instructions(k, insn_match='tag:')", ":"),
        ("lp.split_iname(k, 'i', 16, within='writes:x or')", "'writes:x or'"),
        ("lp.add_prefetch(k, 'zz', 'i')", "'zz'"),
    ],
)  # fmt: skip
def test_a_refusal_points_at_the_argument(call, place):
    found = refusal(FIRST + f"RESULT = {call}")
    assert found.span is not None
    assert found.span.text == place


def test_a_refusal_of_a_variable_tells_its_value():
    found = refusal(FIRST + "loops = ['i', 'jay']\nRESULT = lp.prioritize_loops(k, loops)")
    assert found.span is not None and found.span.text == "loops"
    assert "loops is ['i', 'jay'] here" in found.notes


def test_a_refusal_inside_a_function_points_there():
    found = refusal(FIRST + "def tile(name):\n    return lp.split_iname(k, name, 16)\nRESULT = tile('nope')")
    assert found.span is not None and (found.span.text, found.span.line) == ("name", 4)
    assert found.notes[-1] == "name is 'nope' here"


@pytest.mark.parametrize(
    ("call", "code", "place", "message"),
    [
        ("lp.split_iname(k, 'i', '16')", "FCL205", "'16'", "is an integer, not a string"),
        ("lp.split_iname(k, 'i', True)", "FCL205", "True", "is an integer, not True or False"),
        ("lp.split_iname(k, 'i', 16.0)", "FCL205", "16.0", "is an integer, not a real number"),
        ("lp.split_iname(k, ['i'], 16)", "FCL205", "['i']", "'split_iname' of 'split_iname' is a string, not a list"),
        ("lp.split_iname('k', 'i', 16)", "FCL205", "'k'", "'kernel' of 'split_iname' is a kernel, not a string"),
        ("lp.split_iname(k, 'i')", "FCL206", "lp.split_iname(k, 'i')", "'split_iname' needs 'inner_length'"),
        ("lp.split_iname()", "FCL206", "lp.split_iname()", "needs 'kernel' and 'split_iname' and 'inner_length'"),
        ("lp.split_iname(k, 'i', 16, 17)", "FCL206", "17", "'split_iname' takes at most 3 arguments by position"),
        ("lp.split_iname(k, 'i', 16, inner_length=8)", "FCL206", "8", "'split_iname' gets 'inner_length' twice"),
        ("lp.split_iname(k, 'i', 16, outer='o')", "FCL206", "'o'", "'split_iname' has no argument 'outer'"),
        ("lp.split_inames(k, 'i', 16)", "FCL204", "lp.split_inames", "'lp' has no 'split_inames'"),
        ("lp.fix_parameters(k, n='four')", "FCL205", "'four'", None),
        ("lp.find_instructions(k, 3)", "FCL205", "3", None),
        ("unit['frist']", "FCL202", "'frist'", "there is no procedure 'frist' here"),
        ("unit[0]", "FCL205", "0", "a translation unit is indexed by a procedure's name, not an integer"),
        ("lp.split_iname(unit, 'i', 16)", "FCL223", "unit", "this translation unit has more than one kernel"),
        ("unit.with_kernel(1)", "FCL205", "unit.with_kernel(1)", "'with_kernel' takes one kernel, not an integer"),
        ("unit.kernels", "FCL211", "unit.kernels", "a translation unit has no 'kernels' in scripts"),
        ("k.statements", "FCL211", "k.statements", "a kernel has no 'statements' in scripts"),
        ("k.all_inames(1)", "FCL209", "k.all_inames(1)", "'all_inames' takes no arguments"),
    ],
)  # fmt: skip
def test_arguments(call, code, place, message):
    found = refusal(FIRST + f"RESULT = {call}")
    assert found.code == code and found.span is not None and found.span.text == place
    assert message is None or found.message.endswith(message)


def test_an_unknown_argument_comes_with_the_known_ones():
    found = refusal(FIRST + "lp.split_iname(k, 'i', 16, outer_tagg='g.0')")
    assert found.hints == ("did you mean 'outer_tag'?",)
    assert found.notes[0].startswith("its arguments are kernel, split_iname, inner_length, outer_iname")


def test_steps_are_kept_with_place_and_kernels():
    text = FIRST + "k = lp.split_iname(k, 'i', 16)\nk = lp.tag_inames(k, 'i_inner:unr')\nRESULT = k"
    result = run(text)
    assert [step.call for step in result.steps] == ["lp.split_iname(k, 'i', 16)", "lp.tag_inames(k, 'i_inner:unr')"]
    assert [step.span.line for step in result.steps] == [3, 4]
    assert result.steps[0].after is result.steps[1].before and result.steps[1].after is result.kernels[0]
    assert result.span is not None and result.span.text == "RESULT = k"


@pytest.mark.parametrize("inames", ["'i, j'", "['i', 'j']", "('i', 'j')", "(c for c in 'ij')", "{'i', 'j'}"])
def test_lists_of_loops_in_every_spelling(inames):
    result = run(UNIT + f"RESULT = lp.prioritize_loops(unit['second'], {inames})")
    assert [step.after.tree.children[0].iname for step in result.steps] == ["i"]  # type: ignore[union-attr]


@pytest.mark.parametrize("tags", ["{'i': 'g.0'}", "'i:g.0'", "'i: g.0'", "[('i', 'g.0')]", "{'I': 'g.0'}"])
def test_tags_in_every_spelling(tags):
    result = run(FIRST + f"RESULT = lp.tag_inames(k, {tags})")
    assert str(result.kernels[0].iname_by_name["i"].tag) == "g.0"


@pytest.mark.parametrize(
    "lines",
    [
        "RESULT = unit['first']",
        "RESULT = unit['FIRST']",
        "RESULT = [unit['first']]",
        "RESULT = unit.with_kernel(lp.split_iname(unit['first'], 'i', 16))",
        "unit = unit.with_kernel(unit['first'])\nRESULT = lp.split_iname(unit, 'i', 16)",
        "RESULT = unit.with_kernel(lp.rename_kernel(unit['first'], 'first', 'quick'))",
    ],
)
def test_what_a_script_takes_is_compiled(lines):
    (kernel,) = run(UNIT + lines).kernels
    assert kernel.origin == ("first",)


def test_a_unit_of_one_procedure_is_its_kernel():
    (kernel,) = run(UNIT + "RESULT = lp.split_iname(unit, 'i', 4)", fortran=ONE).kernels
    assert "i_outer" in kernel.iname_by_name


def test_several_results_in_order():
    lines = "RESULT = unit['second'], unit['first']"
    assert [kernel.name for kernel in run(UNIT + lines).kernels] == ["second", "first"]
    lines = "unit = unit.with_kernel(unit['second']).with_kernel(unit['first'])\nRESULT = unit"
    assert [kernel.name for kernel in run(UNIT + lines).kernels] == ["second", "first"]


def test_with_kernel_replaces_in_place():
    lines = (
        "both = unit.with_kernel(unit['second']).with_kernel(unit['first'])\n"
        "RESULT = both.with_kernel(lp.split_iname(both['second'], 'i', 4))"
    )
    second, first = run(UNIT + lines).kernels
    assert (second.name, first.name) == ("second", "first") and "i_outer" in second.iname_by_name


def test_procedures_that_no_script_takes_may_be_anything():
    assert len(run(UNIT + "RESULT = unit['first']").kernels) == 1
    with pytest.raises(CompileError) as caught:
        run(UNIT + "RESULT = unit['odd']")
    assert caught.value.diagnostics[0].code.startswith("FCL1")
    assert caught.value.diagnostics[0].span.source.path == "s.f90"


def test_a_unit_can_be_unpacked():
    (kernel,) = run(UNIT + "k, = unit\nRESULT = k", fortran=ONE).kernels
    assert kernel.name == "first"


@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ("kernel = unit['first']", "FCL217", "the script does not set RESULT"),
        ("RESULT = 3", "FCL217", "RESULT is a kernel or several, not an integer"),
        ("RESULT = [unit['first'], None]", "FCL217", "RESULT is a kernel or several, not None"),
        ("RESULT = []", "FCL217", "RESULT holds no kernel"),
        ("RESULT = [unit['first'], unit['first']]", "FCL219", "RESULT holds procedure 'first' twice"),
    ],
)
def test_results_that_are_none(lines, code, message):
    found = refusal(UNIT + lines)
    assert (found.code, found.message) == (code, message)
    assert found.span is not None and found.span.line == 2


def test_a_missing_result_names_what_looks_like_it():
    found = refusal(UNIT + "tiled = lp.split_iname(unit['first'], 'i', 16)")
    assert found.hints == ("end the script with 'RESULT = tiled'",)


def test_attributes_of_kernels_and_statements():
    holds(
        FIRST
        + "assert k.name == 'first' and list(k.all_inames()) == ['i'] and 'i' in k.all_inames()\n"
        + "s, = lp.find_instructions(k, 'writes:x')\n"
        + "assert s.id == 's0' and s.assignee_var_names() == ('x',) and list(s.within_inames) == ['i']\n"
        + "assert len(s.tags) == 0 and [t.id for t in k.instructions] == ['s0']\n"
        + "k = lp.tag_instructions(k, 'hot', 'id:s0')\n"
        + "assert list(lp.find_instructions(k, 'tag:HOT')[0].tags) == ['hot']\n"
        + "t = unit['second'].temporary_variables\nassert list(t) == ['t'] and t['t'].name == 't'\n"
        + "assert list(unit['second'].arg_dict) == ['m', 'a']\n"
        + "assert list(unit.entrypoints)[:2] == ['first', 'second']\n"
    )


def test_steps_of_the_peer_that_do_nothing_here():
    holds(
        FIRST + "assert lp.preprocess_kernel(k) == k and lp.set_options(k, write_cl=True) == k\n"
        "assert lp.AddressSpace.PRIVATE == 'private' and lp.auto == 'auto' and lp.Optional('l.0') == 'l.0'\n"
    )


def test_order_may_change_where_the_script_says_so():
    text = "unit = lp.parse_fortran(SOURCE, FILENAME, seq_dependencies={})\nRESULT = unit['first']"
    (strict,), (relaxed,) = run(text.format("True")).kernels, run(text.format("False")).kernels
    assert not strict.statements[0].reassociable and relaxed.statements[0].reassociable
    assert [note.message for note in relaxed.notes] == [
        "seq_dependencies=False allows the updates of x to run in another order"
    ]


def test_the_preprocessor_takes_the_peers_spellings():
    fortran = ONE.replace("x(i) + y(i)", "x(i)*factor")
    for defines in ("['factor 4.0']", "['factor=4.0']", "{'factor': 4.0}", "{'factor': '4.0'}"):
        text = f"text = lp.c_preprocess(SOURCE, {defines})\nRESULT = lp.parse_fortran(text, FILENAME)"
        (kernel,) = run(text, fortran=fortran).kernels
        assert "4.0" in repr(kernel.statements[0].value)


def test_two_texts_give_two_kernels():
    """No kernel of one text may pass for a kernel of another."""
    fortran = ONE.replace("x(i) + y(i)", "x(i)*factor")
    text = (
        "ids = []\nfor f in ['2.0', '3.0']:\n"
        "    k = lp.parse_fortran(lp.c_preprocess(SOURCE, {'factor': f}))['first']\nRESULT = k"
    )
    (kernel,) = run(text, fortran=fortran).kernels
    assert "3.0" in repr(kernel.statements[0].value) and "2.0" not in repr(kernel.statements[0].value)


def test_a_fault_of_ours_names_the_step(monkeypatch):
    def broken(kernel):
        raise KeyError("lost")

    members = namespace().members
    monkeypatch.setitem(members, "broken", LibraryFunction("broken", broken))
    monkeypatch.setattr("fortrancl.script.interpreter.namespace", lambda: type(namespace())("lp", members))
    with pytest.raises(InternalError) as caught, stage("script"):
        run(FIRST + "\nRESULT = lp.broken(k)")
    assert caught.value.stage == "script"
    assert "'broken' at s.py:4: KeyError: 'lost'" in str(caught.value)


def test_places_inside_a_fortran_file():
    fortran = (
        ONE + "!$loopy begin\n!\n!  # ä: tags\n!  knl = lp.parse_fortran(SOURCE, FILENAME)\n"
        '!  knl = lp.tag_inames(knl,\n!      {"ki": "l.0"})\n!  RESULT = knl\n!$loopy end\n'
    )
    unit = scan(SourceFile("m.f90", fortran))
    assert unit.script is not None
    with pytest.raises(CompileError) as caught:
        run_script(unit.script, _Session(unit))
    assert render(caught.value.diagnostics, "text", "0").splitlines()[:4] == [
        "error[FCL251]: no loop named 'ki' in kernel 'first'",
        "   --> m.f90:14:9",
        '14 | !      {"ki": "l.0"})',
        "   |         ^^^^",
    ]


def test_everything_in_lp_has_a_signature_the_interpreter_reads():
    from fortrancl.script.signature import expected, signature_of

    for member in namespace().members.values():
        if isinstance(member, LibraryFunction):
            spec = signature_of(member.function)
            for parameter in spec.parameters:
                words = expected(spec.annotations.get(parameter.name, object))
                assert words and "typing" not in words, (member.name, parameter.name, words)


def test_scripts_reach_no_module_of_the_package():
    """The interpreter's own files neither evaluate nor open anything."""
    import fortrancl.script

    for path in Path(fortrancl.script.__file__).parent.glob("*.py"):
        text = path.read_text()
        for word in ("exec(", "eval(", "open(", "__import__(", "subprocess", "os."):
            assert f" {word}" not in text and f"({word}" not in text, (path.name, word)
