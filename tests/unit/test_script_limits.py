"""What a script may not use up: steps, memory, nesting. Each is refused before it is spent."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import pytest

from fortrancl.script.faults import Fault
from fortrancl.script.limits import MAX_STEPS, Limits
from tests.support.scripts import UNIT, holds, refusal

STEPS = {
    "while": "while True: pass",
    "while with a call": "def f(): pass\nwhile 1: f()",
    "nested for": "for i in range(10**6):\n    for j in range(10**6): pass",
    "comprehension": "a = sum(1 for i in range(10**9) for j in range(10**9))",
    "any": "any(0 for i in range(10**9))",
    "deep search": "a = list(range(100000))\nwhile True: a.index(99999)",
    "long search": "a = 'x'*1000000\nwhile True: a.find('y')",
    "long compare": "a = 'x'*1000000\nb = 'x'*1000000\nwhile a == b: pass",
    "membership": "a = list(range(100000))\nwhile 7.5 not in a: pass",
    "sorting": "a = list(range(100000))\nwhile True: a.sort()",
    "inserting": "a = [0]*100000\nwhile True: a.insert(0, a.pop())",
    "copying": "a = [0]*100000\nfor i in range(10**9):\n    for x in a: break",
    "transformations": UNIT + "while True: lp.tag_inames(unit['first'], {})",
    "other functions of lp": "while True: lp.parse_fortran('')",
}

MEMORY = {
    "text": "'x'*10**9",
    "text from the left": "10**9*'x'",
    "list": "[0]*10**10",
    "tuple": "(0,)*10**10",
    "power": "2**10**9",
    "powers of powers": "9**9**9**9",
    "negative power base": "(-3)**10**8",
    "shift": "1 << 10**9",
    "factorial": "def f(n): return 1 if n < 2 else n*f(n - 1)\na = 1\nfor i in range(2, 10000): a *= i",
    "doubling text": "a = 'x'\nwhile 1: a = a + a",
    "doubling text by format": "a = 'x'\nwhile 1: a = f'{a}{a}'",
    "doubling text by percent": "a = 'x'\nwhile 1: a = '%s%s' % (a, a)",
    "doubling text by join": "a = 'x'\nwhile 1: a = a.join(['y', 'y', 'y'])",
    "doubling text by replace": "a = 'xx'\nwhile 1: a = a.replace('x', 'xx')",
    "doubling list": "a = [0]\nwhile 1: a = a + a",
    "doubling list in place": "a = [0]\nwhile 1: a += a",
    "doubling list by extend": "a = [0]\nwhile 1: a.extend(a)",
    "doubling by display": "a = [0]\nwhile 1: a = [*a, *a]",
    "doubling tuple": "a = (0,)\nwhile 1: a = (*a, *a)",
    "appending": "a = []\nwhile 1: a.append('x'*1000)",
    "appending texts": "a = []\nfor i in range(10**6): a.append(str(i)*100)",
    "dictionary": "a = {}\ni = 0\nwhile 1:\n    a[i] = [0]*1000\n    i += 1",
    "dictionary of ranges": "dict(zip(range(10**8), range(10**8)))",
    "set": "set(range(10**8))",
    "set comprehension": "a = {str(i)*50 for i in range(10**7)}",
    "range": "list(range(10**12))",
    "range through sorted": "sorted(range(10**12))",
    "range through enumerate": "enumerate(range(10**12))",
    "range through map": "map(str, range(10**12))",
    "range through reversed": "reversed(range(10**12))",
    "range through tuple": "tuple(range(10**12))",
    "range through max": "max(range(10**12))",
    "range spliced": "[*range(10**12)]",
    "range as arguments": "max(*range(10**12))",
    "padding": "'x'.zfill(10**9)",
    "replace with nothing to find": "('x'*10**6).replace('', 'y'*1000)",
    "join": "('x'*10**6).join('y'*10**6)",
    "split": "('x '*10**6).split()",
    "characters": "list('x'*10**6)",
    "shared parts printed": "a = ['x']\nfor i in range(50): a = [a, a]\nb = str(a)",
    "shared parts formatted": "a = ['x']\nfor i in range(50): a = [a, a]\nb = f'{a}'",
    "shared parts compared": "a = [1]\nb = [1]\nfor i in range(50):\n    a = [a, a]\n    b = [b, b]\nc = a == b",
    "shared parts hashed": "a = (1,)\nfor i in range(50): a = (a, a)\nb = {a}",
    "shared parts sorted": "a = [1]\nb = [1]\nfor i in range(50):\n    a = [a, a]\n    b = [b, b]\nsorted([a, b])",
    "shared parts given to lp": UNIT + "a = ['x']\nfor i in range(50): a = [a, a]\nlp.tag_inames(unit['first'], a)",
    "a list inside itself printed": "a = []\na.append(a)\nb = str(a)",
    "sum of lists": "sum([[0]*1000]*100000, [])",
    "many variables": "for i in range(100000): a = ['x'*10000, i]",
}

DEPTH = {
    "recursion": "def f(x): return f(x)\nf(1)",
    "mutual recursion": "def f(): g()\ndef g(): f()\nf()",
    "recursion by lambda": "f = lambda g: g(g)\nf(f)",
    "recursion through sorted": "def f(x): return sorted([1], key=f)\nf(1)",
    "recursion through a comprehension": "def f(): return [f() for i in range(2)]\nf()",
    "brackets": "a = " + "["*160 + "]"*160,
    "operators": "a = " + "+".join("1"*400),
    "minus": "a = " + "-"*400 + "1",
    "calls": "f = lambda x: x\na = " + "f("*180 + "1" + ")"*180,
    "attributes": "a = 'x'" + ".upper()"*300,
    "list in list": "a = []\nfor i in range(1000): a = [a]\nb = str(a)",
    "RESULT in itself": "RESULT = []\nRESULT.append(RESULT)",
    "RESULT nested": "RESULT = []\nfor i in range(10000): RESULT = [RESULT]",
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_steps(name):
    begin = time.monotonic()
    assert refusal(STEPS[name]).code in ("FCL214", "FCL215")
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("name", MEMORY)
def test_memory(name):
    begin = time.monotonic()
    found = refusal(MEMORY[name])
    assert found.code in ("FCL214", "FCL215", "FCL216"), found
    assert time.monotonic() - begin < 10


@pytest.mark.parametrize("name", DEPTH)
def test_depth(name):
    found = refusal(DEPTH[name])
    assert found.code in ("FCL216", "FCL215"), found


GROWTH = {
    "loops": (
        "n, name = 0, 'i'\nwhile True:\n    n += 1\n"
        "    k = lp.split_iname(k, name, 2, outer_iname=f'a{n}', inner_iname=f'b{n}')\n    name = f'a{n}'",
        "FCL216",
        "a statement of the kernel now runs inside more than 32 loops",
    ),
    "rules": (
        "n = 0\nwhile True:\n    n += 1\n    k = lp.extract_subst(k, f'r{n}', 'y[q]', parameters='q')",
        "FCL216",
        "rules of the kernel now call each other more than 40 levels deep",
    ),
    "assumptions": (
        "n = 0\nwhile True:\n    n += 1\n    k = lp.assume(k, f'n > {n}')",
        "FCL214",
        None,
    ),
    "other texts": ("n = 0\nwhile True:\n    n += 1\n    lp.parse_fortran(f'! {n}')", "FCL214", None),
}


@pytest.mark.parametrize("name", GROWTH)
def test_kernels_that_grow(name):
    text, code, message = GROWTH[name]
    begin = time.monotonic()
    found = refusal(UNIT + "k = unit['first']\n" + text)
    assert found.code == code and (message is None or found.message == message)
    assert found.span is not None and "lp." in found.span.text
    assert time.monotonic() - begin < 20


def test_rules_that_double():
    count = 25
    names = ", ".join(f"a{n}" for n in range(count + 1))
    sums = "".join(f"    a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, count + 1))
    fortran = (
        f"subroutine s(n, x)\n  integer, intent(in) :: n\n  real(8) :: x(n), {names}\n  integer :: i\n"
        f"  do i = 1, n\n    a0 = x(i)\n{sums}    x(i) = a{count}\n  end do\nend subroutine s\n"
    )
    text = f"k = lp.parse_fortran(SOURCE)\nfor n in range({count + 1}):\n    k = lp.assignment_to_subst(k, f'a{{n}}')"
    found = refusal(text, fortran=fortran)
    assert (found.code, found.message) == ("FCL215", "an expression of the kernel now has more than 8,000 parts")


OVERWHELMING = {
    "minus": "-" * 100_000 + "1",
    "open brackets": "(" * 100_000,
    "not": "not " * 50_000 + "1",
    "lambda": "lambda:" * 30_000 + "1",
    "sum": "1" + "+1" * 60_000,
    "attributes": "a" + ".a" * 60_000,
    "conditions": "1 if 1 else " * 20_000 + "1",
    "one long line": "1" * 300_000,
    "blank lines": "[" * 90 + "]" * 90 + "\n" * 100_000,
}


@pytest.mark.parametrize("name", OVERWHELMING)
def test_text_that_overwhelms_a_parser(name):
    assert refusal(OVERWHELMING[name]).code in ("FCL200", "FCL215", "FCL216", "FCL217")


def test_a_long_script_is_refused_before_it_is_parsed():
    found = refusal("a = 1\n" * 100_000)
    assert (found.code, found.message) == ("FCL215", "the script is longer than 262,144 characters")
    assert found.span is not None and found.span.line == 1


def test_the_bound_is_the_same_every_time():
    text = "n = 0\nwhile True: n += 1"
    assert refusal(text) == refusal(text)


def test_honest_scripts_are_far_from_the_bounds():
    holds(
        "names = [f'i_{n}' for n in range(200)]\n"
        "table = {name: [part for part in name.split('_')] for name in names}\n"
        "text = ', '.join(f'{name}:{parts[1]}' for name, parts in table.items())\n"
        "lines = [line.strip() for line in SOURCE.split('\\n') if 'integer' in line]\n"
        "for round in range(100):\n"
        "    changed = SOURCE.replace('real(8)', 'real(4)')\n"
        "def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "assert fib(15) == 610 and len(lines) == 4\n"
    )


def test_an_account_counts():
    limits = Limits()
    limits.step(MAX_STEPS)
    with pytest.raises(Fault) as caught:
        limits.step()
    assert caught.value.code == "FCL214"


WORST = "\n".join(
    (
        "a = []",
        "try_text = 'é'*60000",
        "for i in range(100000):",
        "    a.append({j: try_text.replace('é', 'e', j) for j in range(20)})",
    )
)


@pytest.mark.parametrize("name", ["appending texts", "dictionary", "many variables", "doubling text by percent"])
def test_memory_of_the_process(name, tmp_path):
    """The whole command stays below 1 GiB and 10 s."""
    _measured(MEMORY[name], tmp_path)


def test_memory_of_the_process_at_its_worst(tmp_path):
    _measured(WORST, tmp_path)


def _measured(script: str, folder) -> None:
    (folder / "t.py").write_text(script)
    (folder / "s.f90").write_text("subroutine s(x)\n  real :: x\n  x = 1\nend subroutine s\n")
    code = "from fortrancl.cli import main; main(['check', 's.f90', '--transform', 't.py'])"
    begin = time.monotonic()
    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)),
    )
    assert process.returncode == 1, process.stderr
    assert "error[FCL21" in process.stderr and "Traceback" not in process.stderr
    assert time.monotonic() - begin < 10
