"""Scripts mean what Python means, wherever they may."""

from __future__ import annotations

import pytest

from tests.support.scripts import holds, refusal

EXPRESSIONS = """
1 + 2*3 - 4//3
-7 // 2
-7 % 3
2**10
2**-1
7 / 2
7 & 3 | 8 ^ 1
~5
1 << 4 >> 2
+3
not 0
not [1]
None is None
1 == 1.0
True + 1
1 < 2 < 3
1 < 3 < 2
1 if [] else 2
0 or "x"
1 and 0
"a" "b" + 'c'
"ab"*3
3*[1, 2]
[1] + [2, 3]
(1,) + (2,)
(1, *[2, 3], 4)
[*range(3), *(7,)]
{"a": 1, **{"b": 2}}["b"]
"abc"[1]
"abcdef"[1:5:2]
"abc"[::-1]
[1, 2, 3][-1]
(1, 2, 3)[1:]
range(10)[3]
range(10)[2:4][0]
len(range(3, 30, 4))
{"a": [1, 2]}["a"][1]
2 in [1, 2]
"b" in "abc"
"z" not in {"a": 1}
3 in range(5)
[i*i for i in range(5) if i % 2]
[i + j for i in range(3) for j in range(i)]
[[j for j in range(i)] for i in range(3)]
{i: str(i) for i in range(3)}
sorted({c for c in "abca"})
sum(i for i in range(5))
[a for a, (b, c) in [(1, (2, 3))]]
f"{1 + 1}"
f"i_{3}_{'x'}"
f"{3.14159:.2f}"
f"{42:05d}|{42:<6}|{42:>6}|{42:^6}|{42:x}"
f"{'a':*^5}"
f"{'a'!r}"
f"{[1, 'b']}"
f"{1:{4}}"
f"{{}}"
"%s and %d" % ("a", 3)
"%5.2f%%" % 1.5
"%(a)s" % {"a": 1}
"%r" % "a"
"%s" % [1, 2]
"i_outer,i_inner".split(",")
" a b  c ".split()
"a,b,c".split(",", 1)
"a-b".partition("-")
"-".join(["a", "b"])
"-".join(str(i) for i in range(3))
"abc".upper().lower().capitalize()
"abc".replace("b", "xx")
"abc".startswith("ab"), "abc".endswith(("x", "c"))
" a ".strip() + "xxa".lstrip("x") + "a--".rstrip("-")
"abcabc".find("c"), "abcabc".rfind("c"), "abcabc".index("b"), "abcabc".count("a")
"7".zfill(3) + "a".ljust(3) + "a".rjust(3) + "a".center(5, "*")
"abc".removeprefix("a").removesuffix("c")
"abc".isalpha(), "12".isdigit(), "a b".isidentifier()
"a\\nb".splitlines()
abs(-3), abs(-2.5)
all([1, 1]), any([0, 0]), all([]), any([])
bool([]), bool("x")
dict([("a", 1)], b=2)
dict(a=1)
divmod(17, 5)
enumerate("ab", 1)[0] if False else list(enumerate("ab", 1))
list(filter(None, [0, 1, 2]))
list(filter(lambda x: x > 1, [1, 2, 3]))
float("1.5"), float(2)
int("12"), int(3.9), int("ff", 16), int()
len("abc"), len([1]), len({"a": 1})
list("abc"), tuple([1, 2]), list((1, 2))
list(map(lambda x, y: x + y, [1, 2], [3, 4]))
list(map(str, [1, 2]))
max(1, 3, 2), min([4, 2]), max("abc")
max([], default=7), min(["aa", "b"], key=len)
repr("a"), str(1.5), str(None), str([1, "a"]), str()
list(reversed([1, 2, 3]))
round(2.5), round(3.14159, 2)
sorted([3, 1, 2]), sorted("bca", reverse=True), sorted(["bb", "a"], key=lambda s: len(s))
sorted([(2, "a"), (1, "b")])
sum([1, 2], 10), sum([0.5, 0.25])
list(zip([1, 2], "ab")), list(zip())
(lambda x, y=2, *z, k=5, **w: [x, y, z, k, w])(1)
(lambda *a, **k: (a, k))(1, 2, c=3)
(lambda f: f(f(2)))(lambda x: x*x)
[1, 2].index(2), [1, 1].count(1), (1, 2).index(2)
{"a": 1}.get("a"), {"a": 1}.get("b"), {"a": 1}.get("b", 3)
list({"a": 1, "b": 2}.items()), list({"a": 1}.keys()), list({"a": 1}.values())
sorted({1, 2} | {2, 3}), sorted({1, 2} & {2, 3}), sorted({1, 2} - {2}), sorted({1, 2} ^ {2, 3})
{1, 2} <= {1, 2, 3}, {1, 2} == {2, 1}, {1} < {1}, set() == frozenset()
sorted(set([1]).union([2], (3,))), sorted(frozenset([1, 2]).difference([1]))
{1}.issubset([1, 2]), {1, 2}.issuperset([1]), {1}.isdisjoint({2})
sorted(set("ab").intersection("b")), sorted({1, 2}.symmetric_difference([2, 3]))
[1, 2] < [1, 3], (1, 2) == (1, 2), "a" < "b", [1] != (1,)
{frozenset([1]): 2}[frozenset([1])]
1_000, 0x10, 0b11, 1e3
"""

STATEMENTS = {
    "assignment": "a = b = 3\nassert a == 3 and b == 3",
    "unpacking": "a, (b, c) = 1, [2, 3]\n[d, e] = 'xy'\nassert (a, b, c, d, e) == (1, 2, 3, 'x', 'y')",
    "starred": "a, *b, c = range(5)\nassert (a, b, c) == (0, [1, 2, 3], 4)\n*d, e = [1]\nassert d == [] and e == 1",
    "swap": "a, b = 1, 2\na, b = b, a\nassert (a, b) == (2, 1)",
    "subscript": "a = {}\na['x'] = 1\nb = [1, 2]\nb[0] = 3\nb[-1] = 4\nassert a == {'x': 1} and b == [3, 4]",
    "augmented": "a = 2\na += 3\na *= 2\na -= 1\na //= 2\na **= 2\nassert a == 16\nb = {'x': 1}\nb['x'] += 1\n"
    "assert b['x'] == 2",
    "a list grows in place": "a = b = [1]\na += [2]\na += (3,)\nassert b == [1, 2, 3]",
    "a tuple does not": "a = b = (1,)\na += (2,)\nassert b == (1,) and a == (1, 2)",
    "annotated": "a: int = 3\nb: str\nassert a == 3",
    "for": "s = 0\nfor i in range(5):\n    if i == 1: continue\n    if i == 4: break\n    s += i\nelse:\n    s = -1\n"
    "assert s == 5 and i == 4",
    "for else": "for i in []:\n    pass\nelse:\n    i = 9\nassert i == 9",
    "for over keys": "r = []\nfor k in {'a': 1, 'b': 2}:\n    r.append(k)\nassert r == ['a', 'b']",
    "for over pairs": "r = []\nfor k, v in {'a': 1}.items():\n    r.append(k*v)\nassert r == ['a']",
    "nested break": "n = 0\nfor i in range(3):\n    for j in range(3):\n        if j == 1: break\n        n += 1\n"
    "assert n == 3",
    "while": "n = 10\nwhile n > 3:\n    n -= 2\n    if n == 6: continue\nelse:\n    m = n\nassert m == 2",
    "while break": "n = 0\nwhile True:\n    n += 1\n    if n > 4: break\nassert n == 5",
    "if": "a = []\nfor i in range(3):\n    if i == 0: a.append('z')\n    elif i == 1: a.append('o')\n"
    "    else: a.append('m')\nassert a == ['z', 'o', 'm']",
    "def": "def f(a, b=2, *c, d, e=5, **g):\n    'doc'\n    return [a, b, c, d, e, g]\n"
    "assert f(1, d=4) == [1, 2, (), 4, 5, {}]\nassert f(1, 2, 3, d=4, h=6) == [1, 2, (3,), 4, 5, {'h': 6}]",
    "no return": "def f(): pass\nassert f() is None",
    "positional only": "def f(a, /, b): return a - b\nassert f(3, 2) == 1 and f(3, b=1) == 2",
    "closures": "def f(a):\n    def g(b): return a + b\n    return g\nassert f(1)(2) == 3 and f(10)(2) == 12",
    "default is evaluated once": "n = 1\ndef f(a=n): return a\nn = 2\nassert f() == 1",
    "late look-up": "def f(): return n\nn = 2\nassert f() == 2",
    "local names stay local": "n = 1\ndef f():\n    n = 2\n    return n\nassert f() == 2 and n == 1",
    "recursion": "def f(n): return 1 if n == 0 else n*f(n - 1)\nassert f(10) == 3628800",
    "early return from a loop": "def f():\n    for i in range(9):\n        if i == 3: return i\nassert f() == 3",
    "lists": "a = [3, 1]\na.append(2)\na.extend([5, 4])\na.insert(0, 9)\na.remove(9)\nassert a.pop() == 4\na.sort()\n"
    "a.reverse()\nassert a == [5, 3, 2, 1]\nb = a.copy()\nb.clear()\nassert a and not b\n"
    "a.sort(key=lambda x: -x)\nassert a == [5, 3, 2, 1]",
    "dictionaries": "a = {'x': 1}\na.update({'y': 2})\nassert a.pop('x') == 1 and a.pop('z', 7) == 7\n"
    "assert a.setdefault('y', 5) == 2 and a.setdefault('w', 6) == 6\nb = a.copy()\nb.clear()\nassert len(a) == 2",
    "sets": "a = {1}\na.add(2)\na.discard(1)\na.discard(8)\na.update([3])\na.remove(3)\nassert a == {2}\nb = a.copy()\n"
    "b.clear()\nassert a and not b",
    "sets keep their order": "assert list({'q', 'b', 'z', 'a'}) == ['q', 'b', 'z', 'a']\n"
    "assert list(set('hello')) == ['h', 'e', 'l', 'o']\nassert f\"{ {3, 1} }\" == '{3, 1}'",
    "comprehension scope": "i = 7\na = [i for i in range(3)]\nassert i == 7",
    "import": "import loopy as lp\nassert lp.auto == 'auto'",
    "many names": "a = 1; b = a; assert b == 1",
    "unicode": "größe = 3\nassert f'{größe}é' == '3é'",
}

REFUSED = {
    "a = 1 +": "FCL200",
    "assert 1 > 2, 'why'": "FCL218",
    "1 + 'a'": "FCL209",
    "None + 1": "FCL209",
    "lp + 1": "FCL209",
    "-'a'": "FCL209",
    "1 < 'a'": "FCL209",
    "sorted([1, 'a'])": "FCL209",
    "1/0": "FCL209",
    "1 % 0": "FCL209",
    "1 in 2": "FCL209",
    "for i in 3: pass": "FCL209",
    "[][0]": "FCL209",
    "{}['a']": "FCL209",
    "'a'['b']": "FCL209",
    "(1,)[0] = 1": "FCL209",
    "'%d' % 'a'": "FCL209",
    "'%s' % ()": "FCL209",
    "'%s' % (1, 2)": "FCL209",
    "'%q' % 1": "FCL209",
    "int('x')": "FCL209",
    "len(1)": "FCL209",
    "max([])": "FCL209",
    "range('a')": "FCL209",
    "range(1, 2, 0)": "FCL209",
    "'a'.join([1])": "FCL209",
    "[].pop()": "FCL209",
    "[1].remove(2)": "FCL209",
    "'a'.index('b')": "FCL209",
    "str(lp)": "FCL209",
    "f'{lp}'": "FCL209",
    "sum(['a'])": "FCL209",
    "zip([1], [1, 2], strict=True)": "FCL209",
    "sorted([1], cmp=1)": "FCL209",
    "[].append(1, 2)": "FCL209",
    "{}.update(1)": "FCL209",
    "a, b = 1,": "FCL209",
    "*a, b, c = [1]": "FCL209",
    "(-8)**0.5": "FCL209",
    "(lambda x: x)()": "FCL206",
    "(lambda x: x)(1, 2)": "FCL206",
    "(lambda x: x)(y=1)": "FCL206",
    "(lambda x: x)(1, x=1)": "FCL206",
    "(lambda **k: k)(**{'a': 1}, **{'a': 2})": "FCL206",
    "(lambda **k: k)(**{1: 2})": "FCL209",
    "del a": "FCL212",
    "[1][0:1] = [2]": "FCL209",
    "1j": "FCL212",
    "b'a'": "FCL212",
    "...": "FCL212",
    "1 @ 2": "FCL212",
    "print(1)": "FCL213",
    "next([])": "FCL213",
    "'a'.format(1)": "FCL211",
    "'a'.encode()": "FCL211",
    "(1).real": "FCL211",
    "[].__len__": "FCL211",
    "lp.__dict__": "FCL211",
    "__file__": "FCL211",
    "f(__a=1)": "FCL208",
    "import loopy": "FCL210",
    "import loopy as x": "FCL210",
    "import numpy as np": "FCL210",
}


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expressions_are_pythons(expression):
    # The table is Python of ours: eval is the referee.
    expected = eval(expression)
    holds(f"value = {expression}\nassert value == {expected!r}")


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(name):
    holds(STATEMENTS[name])


@pytest.mark.parametrize("name", [name for name in STATEMENTS if name not in ("import", "sets keep their order")])
def test_statements_are_pythons(name):
    exec(STATEMENTS[name], {})


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    found = refusal(text)
    assert found.code == REFUSED[text]
    assert found.span is not None and found.span.line == 1 and found.span.source.path == "s.py"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a = [1, 2]\nb = a[5]", "5"),
        ("a = {'tile': 1}\nb = a['tiel']", "'tiel'"),
        ("for i in range(3):\n    x = y", "y"),
        ("def f(a):\n    return a.foo\nf(1)", "a.foo"),
        ("a = [1/i for i in range(2)]", "1/i"),
        ("a = (1 +\n     'x')", "1 +\n     'x'"),
        ("f = lambda a: a\nf(1, 22)", "22"),
        ("assert 1 == 2, 'no'", "1 == 2"),
        ("a = 'ä' + 'ö' + 3", "'ä' + 'ö' + 3"),
        ("a = f'{b}'", "b"),
        ("for i in 7: pass", "7"),
        ("a, b = 1, 2, 3", "a, b"),
        ("if 1:\n    return 3", "return 3"),
        ("x = 1\nbreak", "break"),
    ],
)
def test_the_place_is_the_innermost_expression(text, place):
    found = refusal(text)
    assert found.span is not None
    if "f'" not in text:  # Python 3.11 and before place f-string parts at the whole string
        assert found.span.text == place


def test_hints_name_what_is_close():
    assert refusal("tile = 16\na = tiel").hints == ("did you mean 'tile'?",)
    assert refusal("a = {'tile': 1}\nb = a['tiel']").hints == ("did you mean 'tile'?",)
    assert refusal("a = 'x'.uper()").hints == ("did you mean 'upper'?",)
    assert refusal("lp.splt_iname").hints == ("did you mean 'split_iname'?",)
    assert refusal("lp.AddressSpace.SHARED").hints == ("it has AUTO, PRIVATE, LOCAL, GLOBAL",)


def test_variables_of_the_command_line():
    holds("assert TILE == 16 and NAME == 'x' and SIZES == [1, 2]", {"TILE": 16, "NAME": "x", "SIZES": [1, 2]})


def test_variables_of_the_command_line_can_be_set_anew():
    holds("TILE = 2*TILE\nassert TILE == 32", {"TILE": 16})


def test_predefined_names():
    holds("assert FILENAME == 's.f90' and SOURCE.startswith('subroutine first(n, x, y)')")


def test_python_warnings_stay_inside(recwarn):
    holds(r"a = '\d'" + "\nassert len(a) == 2")
    assert not recwarn.list
