"""fparser at work on one statement or expression at a time.

Whole program units are not given to it: its errors would name the wrong line, a syntax error inside nested IFs triples
its time at each level, and a first assignment ``a(i) = …`` would become a statement function. Statements by themselves
have none of this; what is left (nested references double the time at each level, deep recursion) is bounded here.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fortrancl.frontend.fragment import Fragment, closing, depth_zero
from fortrancl.frontend.problems import Refused
from fortrancl.source import Span

_RECURSION = 20_000
MAX_OPERATORS = 1000
MAX_PARENTHESES = 60
# Measured: nested references that are no intrinsics cost 0.2 ms times 2 to the power of their depth.
MAX_REFERENCE_COST = 8_000
_SHADOW = "_fclv"

Node = Any
"""An fparser node."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A node and the text it was made of."""

    node: Node
    fragment: Fragment

    def span(self) -> Span:
        """All of it."""
        return self.fragment.span()

    def span_of(self, node: Node) -> Span:
        """Place of a node inside (its first textual occurrence)."""
        text = unshadowed(str(getattr(node, "string", node)))
        found = self.fragment.find(text)
        return found if "F2PY" not in text else self.span()

    def of(self, node: Node) -> Parsed:
        """A node inside, with the same text round it."""
        return Parsed(node, self.fragment)


class Fparser:
    """fparser, imported on first use and only once (50 ms)."""

    def __init__(self) -> None:
        from fparser.two import Fortran2003, Fortran2008
        from fparser.two.parser import ParserFactory

        ParserFactory().create(std="f2008")
        self.classes: dict[str, Any] = {
            "Expr": Fortran2003.Expr,
            "Type_Declaration_Stmt": Fortran2008.Type_Declaration_Stmt,
            "Use_Stmt": Fortran2003.Use_Stmt,
            "Implicit_Stmt": Fortran2003.Implicit_Stmt,
            "Parameter_Stmt": Fortran2003.Parameter_Stmt,
            "Dimension_Stmt": Fortran2003.Dimension_Stmt,
            "Case_Selector": Fortran2003.Case_Selector,
            "Dummy_Arg_List": Fortran2003.Dummy_Arg_List,
        }
        self.intrinsics = frozenset(name.lower() for name in Fortran2003.Intrinsic_Name.function_names)
        self.f2003 = Fortran2003


@lru_cache(maxsize=1)
def fparser() -> Fparser:
    """The one parser."""
    return Fparser()


def unshadowed(text: str) -> str:
    """A text as the user wrote it."""
    return text.replace(_SHADOW, "")


class Parser:
    """Parses fragments of one program unit; ``variables`` are names that are variables even where they look like
    intrinsics (``scale(i)``), lower case."""

    def __init__(self, variables: frozenset[str] = frozenset()) -> None:
        # Fortran 2008 gave ATAN a second argument that fparser does not know.
        self.shadowing = (variables & fparser().intrinsics) | {"atan"}

    def expression(self, fragment: Fragment) -> Parsed:
        """An expression, or a variable. Refuses with FCL103, FCL109."""
        return self.parse("Expr", fragment, "an expression")

    def parse(self, rule: str, fragment: Fragment, wanted: str) -> Parsed:
        """A piece of text by a rule of the grammar; ``wanted`` names it in messages. Refuses with FCL103, FCL109."""
        text = fragment.text
        if not text.strip():
            raise Refused("FCL103", f"{wanted} is missing", fragment.span())
        _check_words(fragment)
        _check_delimiters(fragment)
        if rule == "Expr":
            _check_blanks(fragment)
        self._check_size(fragment)
        if self.shadowing:
            text = re.sub(r"(?<![\w%.])[A-Za-z]\w*", self._shadow, text)
        known = fparser()
        try:
            with _deep_recursion():
                node = known.classes[rule](text)
        except (Exception, SystemExit) as error:  # whatever a third party's parser raises, it does not take the text
            wrong = re.match(r"Intrinsic '(\w+)' expects (.*?)\.?$", str(error))
            if wrong:
                name = wrong[1].lower()
                message = f"{name}: it expects {wrong[2].replace('arg(s)', 'arguments')}"
                raise Refused("FCL123", message, fragment.find(name)) from None
            node = None
        if node is None:
            raise Refused("FCL103", f"this is not {wanted}", self._culprit(rule, fragment))
        return Parsed(node, fragment)

    def _shadow(self, match: re.Match[str]) -> str:
        return match[0] + _SHADOW if match[0].lower() in self.shadowing else match[0]

    def _check_size(self, fragment: Fragment) -> None:
        text = fragment.text
        depth = deepest = 0
        for character in text:
            depth += (character == "(") - (character == ")")
            deepest = max(deepest, depth)
        operators = len(re.findall(r"[-+*/=<>,]|\.[a-z]+\.", text, re.IGNORECASE))
        if deepest > MAX_PARENTHESES or operators > MAX_OPERATORS or self._cost(text) > MAX_REFERENCE_COST:
            raise Refused(
                "FCL109",
                "this statement is too large to be parsed in reasonable time",
                fragment.span(),
                hints=("split it over several statements with local variables",),
            )

    def _cost(self, text: str) -> int:
        """Work for references nested in references, in units of 0.1 ms."""
        intrinsics = fparser().intrinsics - self.shadowing
        stack: list[int] = []
        level = total = 0
        for match in re.finditer(r"(?<!\w)([A-Za-z]\w*)\s*\(|\(|\)", text):
            if match[0] == ")":
                level -= stack.pop() if stack else 0
                continue
            weight = 1 if match[1] is not None and match[1].lower() not in intrinsics else 0
            stack.append(weight)
            level += weight
            total += (1 << level) if weight else 0
        return total

    def _culprit(self, rule: str, fragment: Fragment) -> Span:
        """The smallest operand that is not an expression, to put the caret there."""
        if rule != "Expr":
            return fragment.span()
        smallest = fragment
        while True:
            broken = next((part for part in _operands(smallest) if not self._is_expression(part)), None)
            if broken is None or broken == smallest:
                return smallest.span()
            smallest = broken

    def _is_expression(self, fragment: Fragment) -> bool:
        try:
            with _deep_recursion():
                return fparser().classes["Expr"](fragment.text) is not None
        except (Exception, SystemExit):
            return False


_OPERATORS = re.compile(r"\*\*|//|[-+*/]|\.[a-z]+\.|==|/=|<=|>=|<|>", re.IGNORECASE)


def _operands(fragment: Fragment) -> Iterator[Fragment]:
    """Operands between operators of depth 0; of a single ``name(…)`` or ``(…)``, what stands in the parentheses."""
    text = fragment.text
    top = {position for position, _ in depth_zero(text)}
    cuts = [m for m in _OPERATORS.finditer(text) if m.start() in top and not _in_number(text, m.start())]
    if cuts:
        start = 0
        for cut in cuts:
            if text[start : cut.start()].strip():
                yield fragment.part(start, cut.start())
            start = cut.end()
        if not text[start:].strip():
            yield Fragment(fragment.statement, fragment.start + cuts[-1].start(), fragment.end)
        else:
            yield fragment.part(start)
        return
    opening = text.find("(")
    end = closing(text, opening) if opening >= 0 else -1
    if end == len(text) - 1 and opening >= 0:
        inner = fragment.part(opening + 1, end)
        cuts_at = [-1, *(p for p, c in depth_zero(inner.text) if c in ",:"), len(inner.text)]
        for a, b in itertools.pairwise(cuts_at):
            part = inner.part(a + 1, b)
            if part.text:
                yield part


def _in_number(text: str, position: int) -> bool:
    """Whether a sign at ``position`` belongs to an exponent (``1.0e-3``)."""
    return text[position] in "+-" and re.search(r"(?<![\w])\d+\.?\d*[deDE]$|\.\d+[deDE]$", text[:position]) is not None


def _check_words(fragment: Fragment) -> None:
    """FCL109 at a word longer than any name may be: what reads them takes time that grows with the square."""
    if long := re.search(r"(?<!\w)\w{64}", fragment.text):
        where = fragment.part(long.start(), long.end()).span()
        raise Refused("FCL109", "names and numbers have at most 63 characters", where)


def _check_delimiters(fragment: Fragment) -> None:
    """FCL103 at a parenthesis without its partner, or a string that does not end."""
    text = fragment.text
    stack: list[int] = []
    quote, opened = "", 0
    for position, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote, opened = character, position
        elif character in "([":
            stack.append(position)
        elif character in ")]":
            if not stack:
                raise Refused(
                    "FCL103", f"'{character}' without its partner", fragment.part(position, position + 1).span()
                )
            stack.pop()
    if quote:
        raise Refused("FCL103", "this character constant does not end", fragment.part(opened).span())
    if stack:
        where = fragment.part(stack[-1], stack[-1] + 1).span()
        raise Refused("FCL103", f"'{text[stack[-1]]}' without its partner", where)


def _check_blanks(fragment: Fragment) -> None:
    """FCL103 at two words side by side: fparser would join ``3 4`` to 34."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", lambda match: "'" * len(match[0]), fragment.text)
    match = re.search(r"\w+(\s+)\w+", text)
    if match is not None:
        raise Refused(
            "FCL103", "an operator is missing between these", fragment.part(match.start(), match.end()).span()
        )


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
