"""The statement query language: which statements of a kernel a script means.

A query is made of ``id: tag: writes: reads: iname: in_kernel:``, each with a glob (``*``, ``?``), joined by ``and``,
``or``, ``not`` and parentheses; ``*`` alone means every statement. Letter case does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TypeAlias

from fortrancl.diagnostics import StepError, did_you_mean
from fortrancl.ir.expr import Expr, RuleCall, Subscript, Var, children
from fortrancl.ir.kernel import Kernel, Statement

SYNTAX_CODE = "FCL220"

Test: TypeAlias = Callable[[Kernel, Statement], bool]
"""Whether one statement is meant."""

_FIELDS = ("id", "tag", "writes", "reads", "iname", "in_kernel")
_TOKEN = re.compile(
    r"\s*(?:(?P<field>\w+)\s*:\s*(?P<glob>[\w.*?]+)|(?P<word>[A-Za-z_]\w*)|(?P<sign>[()*])|(?P<bad>\S+))"
)
_DEPTH = 50


def matches(kernel: Kernel, query: str | None, *, argument: str = "within") -> frozenset[str]:
    """Ids of the statements that a query means; every statement for None and for an empty query.

    ``argument`` names the transformation's parameter that held the query, for diagnostics.
    Errors: FCL220 where the query is none.
    """
    return frozenset(statement.id for statement in find_instructions(kernel, query, argument=argument))


def find_instructions(kernel: Kernel, query: str | None, *, argument: str = "query") -> tuple[Statement, ...]:
    """The statements that a query means, in the kernel's own order.

    >>> from fortrancl.ir.tree import Block, Run
    >>> from fortrancl.poly import Set
    >>> one = Statement("s0", Var("x"), Var("a"), (), Set.universe(), tags=frozenset({"flux"}))
    >>> two = Statement("s1", Var("y"), Var("x"), (), Set.universe())
    >>> kernel = Kernel("k", (), (), (), (one, two), Block((Run("s0"), Run("s1"))))
    >>> [s.id for s in find_instructions(kernel, "reads:X and not tag:fl*")]
    ['s1']

    Errors: FCL220 where the query is none.
    """
    if query is None or not query.strip():
        return kernel.statements
    test = parse_query(query, argument)
    return tuple(statement for statement in kernel.statements if test(kernel, statement))


def names_read(kernel: Kernel, statement: Statement) -> frozenset[str]:
    """Variables and inames that a statement reads: its value, its subscripts, its guards, through rules."""
    found: set[str] = set()
    seen: set[str] = set()
    roots: list[Expr] = [statement.value]
    if isinstance(statement.target, Subscript):
        roots.extend(statement.target.indices)
    for guard in statement.guards:
        found.add(guard.name)
        roots.extend(guard.indices)
    # Parameters of a rule are not variables of the kernel: each root comes with the names that it binds.
    stack: list[tuple[Expr, frozenset[str]]] = [(root, frozenset()) for root in roots]
    while stack:
        node, bound = stack.pop()
        if isinstance(node, Var):
            if node.name not in bound:
                found.add(node.name)
        elif isinstance(node, Subscript):
            found.add(node.array)
        elif isinstance(node, RuleCall) and node.rule not in seen:
            seen.add(node.rule)
            rule = kernel.rule_by_name.get(node.rule)
            if rule is not None:
                stack.append((rule.body, frozenset(rule.parameters)))
        stack.extend((child, bound) for child in children(node))
    return frozenset(found)


# -- the parser -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    glob: str = ""


@lru_cache(maxsize=256)
def parse_query(query: str, argument: str = "query") -> Test:
    """The test that a query is. Errors: FCL220, with the position of the fault inside the query."""
    return _Parser(query, argument).whole()


class _Parser:
    """Recursive descent over ``or`` < ``and`` < ``not`` < one field."""

    def __init__(self, query: str, argument: str) -> None:
        self.query = query
        self.argument = argument
        self.tokens = list(self._scan())
        self.position = 0

    def whole(self) -> Test:
        test = self._either(0)
        token = self._next()
        if token is not None:
            raise self._error("expected 'and', 'or' or the end of the query here", token)
        return test

    def _scan(self) -> Iterator[_Token]:
        position = 0
        while match := _TOKEN.match(self.query, position):
            kind = match.lastgroup or ""
            if kind == "glob":
                name = match["field"].lower()
                token = _Token("field", name, match.start("field"), match["glob"].lower())
                if name not in _FIELDS:
                    raise self._error(f"a query has no field '{match['field']}'", token, did_you_mean(name, _FIELDS))
                yield token
            else:
                token = _Token(kind, match[kind], match.start(kind))
                if kind == "bad":
                    raise self._unreadable(token)
                yield token
            position = match.end()

    def _unreadable(self, token: _Token) -> StepError:
        if ">" in token.text:
            where = _Token("bad", ">", token.start + token.text.index(">"))
            hint = "name the statements themselves, for example by 'tag:' or 'writes:'"
            return self._error("the stack syntax '>' is not supported in a query", where, (hint,))
        if token.text.startswith(":"):
            return self._error("expected a name after ':'", _Token("bad", ":", token.start))
        return self._error(f"a query has no '{token.text}'", token)

    def _peek(self) -> _Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def _next(self) -> _Token | None:
        token = self._peek()
        self.position += 1
        return token

    def _takes(self, word: str) -> bool:
        token = self._peek()
        if token is not None and token.kind == "word" and token.text.lower() == word:
            self.position += 1
            return True
        return False

    def _either(self, depth: int) -> Test:
        tests = [self._both(depth)]
        while self._takes("or"):
            tests.append(self._both(depth))
        return tests[0] if len(tests) == 1 else lambda kernel, s: any(test(kernel, s) for test in tests)

    def _both(self, depth: int) -> Test:
        tests = [self._one(depth)]
        while self._takes("and"):
            tests.append(self._one(depth))
        return tests[0] if len(tests) == 1 else lambda kernel, s: all(test(kernel, s) for test in tests)

    def _one(self, depth: int) -> Test:
        token = self._next()
        if token is None:
            raise self._error("the query ends where a condition is expected", None)
        if depth > _DEPTH:
            raise self._error("the query is nested too deeply", token)
        if token.kind == "word" and token.text.lower() == "not":
            inner = self._one(depth + 1)
            return lambda kernel, s: not inner(kernel, s)
        if token.kind == "sign" and token.text == "(":
            inner = self._either(depth + 1)
            closing = self._next()
            if closing is None or closing.text != ")":
                raise self._error("this '(' is never closed", token)
            return inner
        if token.kind == "sign" and token.text == "*":
            return lambda kernel, s: True
        if token.kind == "field":
            return _field_test(token.text, token.glob)
        if token.kind == "word" and token.text.lower() in _FIELDS:
            raise self._error(f"'{token.text}' needs ':' and a name", token, (f"for example '{token.text}:x*'",))
        if token.kind == "word" and token.text.lower() not in ("and", "or"):
            hint = f"a condition is written 'id:{token.text}', 'tag:{token.text}' or 'writes:{token.text}'"
            raise self._error(f"'{token.text}' is no condition", token, (hint,))
        raise self._error("expected a condition here", token)

    def _error(self, message: str, token: _Token | None, hints: tuple[str, ...] = ()) -> StepError:
        return StepError(
            SYNTAX_CODE,
            message,
            argument=self.argument,
            value=token.text if token is not None else None,
            position=token.start if token is not None else None,
            notes=(f"a query joins {', '.join(f'{name}:' for name in _FIELDS)} with and, or, not and parentheses",),
            hints=hints,
        )


def _field_test(field: str, glob: str) -> Test:
    def fits(name: str) -> bool:
        return fnmatchcase(name.lower(), glob)

    tests: dict[str, Test] = {
        "id": lambda kernel, s: fits(s.id),
        "tag": lambda kernel, s: any(map(fits, s.tags)),
        "writes": lambda kernel, s: any(map(fits, s.assignee_var_names())),
        "reads": lambda kernel, s: any(map(fits, names_read(kernel, s))),
        "iname": lambda kernel, s: any(map(fits, s.inames)),
        "in_kernel": lambda kernel, s: fits(kernel.name),
    }
    return tests[field]
