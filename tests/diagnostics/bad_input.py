"""Inputs that must be refused, by name: the Fortran, or the script that follows a plain subroutine."""

from __future__ import annotations

HEAD = """\
subroutine s(n, x, y, map)
  implicit none
  integer, intent(in) :: n, map(n)
  real(8) :: x(n), y(n)
  integer :: i, j
"""
LOOP = "  do i = 1, n\n    x(i) = 2*y(i)\n  end do\n"
PARSE = "s = lp.parse_fortran(SOURCE, FILENAME)"


def procedure(body: str, declarations: str = "") -> str:
    """A subroutine of n, x, y, map round a body."""
    return f"{HEAD}{declarations}{body}end subroutine s\n"


def with_script(*lines: str, body: str = LOOP, declarations: str = "", parse: bool = True) -> str:
    """The subroutine and a script; RESULT is s."""
    script = (PARSE, *lines, "RESULT = s") if parse else lines
    text = "".join(f"! {line}".rstrip() + "\n" for line in script)
    return f"{procedure(body, declarations)}!$loopy begin\n{text}!$loopy end\n"


def loop(statement: str) -> str:
    """One loop over i."""
    return f"  do i = 1, n\n    {statement}\n  end do\n"


RECURRENCE = loop("x(i+1) = x(i) + y(i)")
MATRIX = "  real(8) :: a(n,n)\n"
SKEWED = "  do j = 2, n\n    do i = 1, n - 1\n      a(i,j) = a(i+1,j-1)\n    end do\n  end do\n"

FORTRAN = {
    "syntax_error": procedure("  do i = 1, n\n    x(i) = (2*y(i)\n  end do\n"),
    "missing_end_do": procedure("  do i = 1, n\n    x(i) = 2*y(i)\n"),
    "unsupported_statement": procedure(loop("write (*,*) x(i)")),
    "goto": procedure("10 x(1) = 0\n  goto 10\n"),
    "unbalanced_begin": procedure(LOOP) + f"!$loopy begin\n! {PARSE}\n! RESULT = s\n",
    "unbalanced_end": procedure(LOOP) + "!$loopy end\n",
    "empty": "",
    "blank": "\n\n   \n",
    "only_comments": "! nothing here\n",
    "script_without_fortran": f"!$loopy begin\n! {PARSE}\n! RESULT = s\n!$loopy end\n",
    "main_program": "program p\n  print *, 1\nend program p\n",
    "out_of_bounds": procedure(loop("x(i) = y(n+1)")),
    "out_of_bounds_below": procedure(loop("x(i-n) = y(i)")),
    "long_line": procedure(loop("x(i) = y(i)" + " + y(i)" * 15_000)),
    "long_name": procedure(loop("x(i) = " + "y" * 100_000)),
    "deep_parentheses": procedure(loop("x(i) = " + "(" * 500 + "y(i)" + ")" * 500)),
    "nul": procedure(loop("x(i) = y(i)\0")),
    "empty_script": procedure(LOOP) + "!$loopy begin\n!$loopy end\n",
}

STEPS = {
    "unknown_iname": with_script('s = lp.split_iname(s, "k", 16)'),
    "unknown_kernel": with_script('s = lp.parse_fortran(SOURCE, FILENAME)["dgem"]', "RESULT = s", parse=False),
    "unknown_array": with_script('s = lp.add_prefetch(s, "z", "i")'),
    "unknown_function": with_script('s = lp.split_inames(s, "i", 16)'),
    "wrong_argument_type": with_script('s = lp.split_iname(s, "i", "16")'),
    "illegal_interchange": with_script('s = lp.prioritize_loops(s, "i,j")', body=SKEWED, declarations=MATRIX),
    "illegal_distribution": with_script(
        's = lp.rename_iname(s, "i", "i2", within="writes:y")',
        body="  do i = 2, n\n    x(i) = y(i-1)\n    y(i) = x(i)\n  end do\n",
    ),
    "illegal_parallel_tag": with_script(
        's = lp.tag_inames(s, "i:g.0")', body="  do i = 1, n\n    x(1) = x(1)*y(i) + 1\n  end do\n"
    ),
    "recurrence_g": with_script('s = lp.tag_inames(s, {"i": "g.0"})', body=RECURRENCE),
    "recurrence_l": with_script(
        's = lp.split_iname(s, "i", 64)', 's = lp.tag_inames(s, {"i_inner": "l.0"})', body=RECURRENCE
    ),
    "indirect_race": with_script('s = lp.tag_inames(s, "i:g.0")', body=loop("x(map(i)) = x(map(i)) + y(i)")),
    "work_group_too_large": with_script('s = lp.split_iname(s, "i", 2048, outer_tag="g.0", inner_tag="l.0")'),
    "local_array_too_large": with_script(
        's = lp.split_iname(s, "i", 64, outer_tag="g.0", inner_tag="l.0")',
        's = lp.split_iname(s, "j", 64)',
        's = lp.add_prefetch(s, "y", "j_outer,j_inner", fetch_outer_inames="i_outer", default_tag="l.auto")',
        body="  do i = 1, n\n    do j = 1, 8192\n      x(i) = x(i) + y(j)\n    end do\n  end do\n",
    ),
    "negative_length": with_script('s = lp.split_iname(s, "i", -3)'),
    "huge_length": with_script('s = lp.split_iname(s, "i", 10**30)'),
    "empty_name": with_script('s = lp.split_iname(s, "", 16)'),
    "odd_name": with_script('s = lp.split_iname(s, "i", 16, outer_iname="a b; c")'),
    "long_iname": with_script('s = lp.rename_iname(s, "i", "i"*100000)'),
    "fixed_to_text": with_script('s = lp.fix_parameters(s, n="large")'),
    "parameter_beyond_its_type": with_script("s = lp.fix_parameters(s, n=2**31)"),
    "infinite_parameter": with_script(
        "s = lp.fix_parameters(s, a=1e308*10)",
        body=loop("x(i) = a*x(i)"),
        declarations="  real(8), intent(in) :: a\n",
    ).replace("y, map)", "y, map, a)"),
    "huge_parameter": with_script("s = lp.fix_parameters(s, n=10**100)"),
    "contradiction": with_script('s = lp.assume(s, "n > 4 and n < 3")'),
    "not_an_assumption": with_script('s = lp.assume(s, "__import__(1)")'),
    "expression_trick": with_script('s = lp.extract_subst(s, "a", "y.__class__", parameters="")'),
    "deep_expression": with_script('s = lp.assume(s, "("*5000 + "n" + ")"*5000 + " > 0")'),
    "query_trick": with_script('s = lp.set_atomic(s, "writes:" + "*"*50 + "z")'),
    "subst_of_itself": with_script('s = lp.assignment_to_subst(s, "x")'),
}

SCRIPTS = {
    "no_result": ("s = 1",),
    "result_number": ("RESULT = 42",),
    "result_text": ("RESULT = SOURCE",),
    "result_empty": ("RESULT = []",),
    "result_lp": ("RESULT = lp",),
    "result_deep": ("a = []", "for i in range(400):", "    a = [a]", "RESULT = a"),
    "result_itself": ("a = []", "a.append(a)", "RESULT = a"),
    "import_os": ("import os", "RESULT = os"),
    "import_from": ("from os import system",),
    "import_relative": ("from . import cli",),
    "import_inside": ("def f():", "    import subprocess", "f()"),
    "dunder_import": ('__import__("os").system("id")',),
    "open": ('open("/etc/passwd")',),
    "eval": ('eval("1")',),
    "exec": ('exec("x = 1")',),
    "compile": ('compile("1", "", "eval")',),
    "getattr": ('getattr(lp, "x")',),
    "globals": ("globals()",),
    "type": ("type(1)",),
    "dunder_class": ("().__class__.__bases__[0].__subclasses__()",),
    "dunder_globals": ("lp.tag_inames.__globals__",),
    "dunder_name": ("__builtins__",),
    "dunder_set": ("__name__ = 1",),
    "attribute": (PARSE, 's["s"].tree'),
    "attribute_set": (PARSE, "s.name = 1"),
    "attribute_of_function": ("f = lambda: 1", "f.func_globals"),
    "attribute_of_text": ('"a".encode()',),
    "format_method": ('"{0.__class__}".format(1)',),
    "format_map": ('"{a}".format_map({})',),
    "f_string_attribute": ('a = f"{().__class__}"',),
    "f_string_conversion": ('a = f"{lp!r}"',),
    "f_string_width": ('a = f"{1:1000000000}"',),
    "f_string_nested_width": ('a = f"{1:{10**9}}"',),
    "f_string_precision": ('a = f"{1.0:.999999999f}"',),
    "percent_width": ('a = "%1000000000d" % 1',),
    "percent_star": ('a = "%*d" % (10**9, 1)',),
    "percent_attribute": ('a = "%(a.__class__)s" % {}',),
    "lambda_scope": ("f = lambda: hidden", "f()"),
    "comprehension_scope": ("a = [i for i in range(3)]", "b = i"),
    "comprehension_forever": ("a = [0 for i in range(10**9) for j in range(10**9)]",),
    "walrus": ("a = (b := 1)",),
    "class": ("class A: pass",),
    "with": ('with open("x") as f: pass',),
    "try": ("try:", "    1/0", "except Exception: pass"),
    "raise": ("raise 1",),
    "del": ("a = 1", "del lp"),
    "global": ("def f():", "    global a", "    a = 1", "f()"),
    "yield": ("def f():", "    yield 1", "f()"),
    "async": ("async def f(): pass",),
    "await_": ("await 1",),
    "decorator": ("@lp", "def f(): pass"),
    "star_import": ("from loopy import *",),
    "while_forever": ("while True: pass",),
    "while_transform": (PARSE, "while True:", '    t = lp.split_iname(s, "i", 2)'),
    "for_growing": ("a = [1]", "for i in a: a.append(i)"),
    "recursion": ("def f(x): return f(x + 1)", "f(0)"),
    "mutual_recursion": ("def f(): return g()", "def g(): return f()", "f()"),
    "lambda_recursion": ("f = lambda g: g(g)", "f(f)"),
    "sort_forever": ("a = list(range(100000))", "while True: a.sort(key=lambda x: -x)"),
    "huge_text": ('a = "x"*10**10',),
    "huge_list": ("a = [0]*10**10",),
    "huge_range": ("a = list(range(10**12))",),
    "huge_integer": ("a = 10**10**10",),
    "huge_shift": ("a = 1 << 10**12",),
    "huge_negative_shift": ("a = 1 << -1",),
    "huge_product": ("a = 2**4000", "while True: a = a*a"),
    "huge_literal": ("a = " + "9" * 5000,),
    "int_of_text": ('a = int("9"*4000)',),
    "doubling": ("a = [0]", "while True: a = a + a"),
    "doubling_text": ('a = "x"', "while True: a += a"),
    "doubling_nest": ("a = []", "for i in range(1000): a = [a, a]", "b = str(a)"),
    "doubling_compare": ("a = []", "b = []", "for i in range(60):", "    a = [a, a]", "    b = [b, b]", "c = a == b"),
    "doubling_hash": ("a = ()", "for i in range(60): a = (a, a)", "b = {a: 1}"),
    "many_small": ("a = []", "for i in range(100000): a.append([i]*100)"),
    "replace_bomb": ('a = "a"*100000', 'b = a.replace("a", a)'),
    "join_bomb": ('a = "x"*100000', "b = a.join([a]*100000)"),
    "pad_bomb": ('a = "x".ljust(10**12)',),
    "zip_bomb": ("a = list(zip(range(10**9), range(10**9)))",),
    "sum_bomb": ("a = sum([[0]*1000]*100000, [])",),
    "pow_mod": ("a = pow(3, 10**9)",),
    "round_bomb": ("a = round(1, -10**9)",),
    "deep_minus": ("a = " + "-" * 3000 + "1",),
    "deep_list": ("a = " + "[" * 150 + "]" * 150,),
    "long_sum": ("a = " + " + ".join(["1"] * 20000),),
    "long_line": ("a = '" + "x" * 100_000 + "' + 1",),
    "many_lines": (*("a = 1",) * 20_000, "b = a + c"),
    "not_python": ("RESULT = = 1",),
    "unclosed": ("a = (1,",),
    "bad_indent": ("if True:", "a = 1"),
    "tabs": ("if True:", "        a = 1", "\ta = 2"),
    "unicode_digit": ("a = x²",),
    "bidi": ("a = '\u202e' + 1",),
    "surrogate": ('a = "\\ud800" + 1',),
    "division_by_zero": ("a = 1/0",),
    "overflow": ("a = 1e308*10", "b = int(a)"),
    "missing_key": ('a = {"i": 1}', 'b = a["j"]'),
    "unhashable": ("a = {[]: 1}",),
    "index": ("a = [1][5]",),
    "unpack": ("a, b = 1, 2, 3",),
    "call_number": ("a = 1(2)",),
    "assert": ('assert 1 == 2, "one is not two"',),
    "return_outside": ("return 1",),
    "break_outside": ("break",),
    "file_twice": ('a = lp.parse_fortran("subroutine t()\\nend")', "RESULT = a"),
    "parse_number": ("RESULT = lp.parse_fortran(1)",),
    "parse_other_text": ('RESULT = lp.parse_fortran("hello world")',),
    "preprocess_include": ('RESULT = lp.parse_fortran(lp.c_preprocess("#include \\"/etc/passwd\\"\\n"))',),
    "lp_rebound": ("lp = 1", "RESULT = lp.parse_fortran(SOURCE)"),
    "print": ('print("hello")',),
}
SCRIPTS_BY_NAME = {name: with_script(*lines, parse=False) for name, lines in SCRIPTS.items()}
ALL = {
    **{f"fortran_{name}": text for name, text in FORTRAN.items()},
    **{f"step_{name}": text for name, text in STEPS.items()},
    **{f"script_{name}": text for name, text in SCRIPTS_BY_NAME.items()},
}
