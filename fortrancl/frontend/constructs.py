"""From statements to nested constructs: DO, IF and SELECT CASE closed by their ENDs or labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fortrancl.diagnostics import Diagnostic, Related
from fortrancl.frontend.classify import Kind, classify
from fortrancl.frontend.fragment import Fragment, closing, depth_zero, equals_sign, split_commas
from fortrancl.frontend.logical import LogicalStatement
from fortrancl.frontend.parse import Parsed, Parser
from fortrancl.frontend.problems import Problems, Refused
from fortrancl.frontend.syntax import Assignment, Branch, Case, Cycle, Do, Executable, If, Select, Where

_ENDS = {
    "END DO": "DO",
    "END IF": "IF",
    "END SELECT": "SELECT CASE",
    "END WHERE": "WHERE",
    "END FORALL": "FORALL",
    "END ASSOCIATE": "ASSOCIATE",
    "END BLOCK": "BLOCK",
    "END CRITICAL": "CRITICAL",
}
_OPENS = {"DO": "DO", "IF THEN": "IF", "SELECT CASE": "SELECT CASE", "WHERE construct": "WHERE"}
# Constructs that are refused as a whole; what stands in them is still looked at, save where its names mean others.
_BLOCKS = {
    "DO WHILE": "DO",
    "DO CONCURRENT": "DO",
    "SELECT TYPE": "SELECT CASE",
    "FORALL construct": "FORALL",
    "ASSOCIATE": "ASSOCIATE",
    "BLOCK": "BLOCK",
    "CRITICAL": "CRITICAL",
}
_HINTS = {
    "CALL": "inline the subroutine by hand",
    "GO TO": "use IF blocks, CYCLE or a loop",
    "arithmetic IF": "use IF … ELSE IF … ELSE",
    "RETURN inside a loop": "guard the statements that follow with an IF",
    "EXIT": "bound the loop, or guard its body with a logical variable",
    "DO WHILE": "use a counted loop",
    "DO CONCURRENT": "use ordinary nested DO loops",
    "FORALL": "use ordinary DO loops",
    "FORALL construct": "use ordinary DO loops",
    "PRINT": "print in the procedure that calls this one",
    "WRITE": "print in the procedure that calls this one",
    "STOP": "test for errors in the procedure that calls this one",
}


@dataclass
class _Frame:
    """An open construct: where statements go now, and what ends it."""

    closes: str
    body: list[Executable]
    opening: LogicalStatement
    item: Executable | None
    name: str | None = None
    label: str | None = None
    mute: bool = False


class ConstructReader:
    """Reads an executable part. All problems are gathered, none stops the reading."""

    def __init__(self, parser: Parser, problems: Problems) -> None:
        self.parser, self.problems = parser, problems
        self.root: list[Executable] = []
        self.stack: list[_Frame] = []

    @property
    def body(self) -> list[Executable]:
        return self.stack[-1].body if self.stack else self.root

    def read(self, statements: Sequence[LogicalStatement]) -> list[Executable]:
        """The constructs of an executable part, its last RETURN left out. Reports FCL103, FCL109, FCL110."""
        for position, statement in enumerate(statements):
            kind = classify(statement.text)
            if kind.word == "RETURN" and position == len(statements) - 1 and not self.stack:
                break
            with self.problems.collecting():
                self.statement(statement, kind)
            self.close_labelled(statement)
        for frame in self.stack:
            self.problems.add(
                Diagnostic("FCL103", f"{frame.closes} has no END {frame.closes.split()[0]}", frame.opening.span())
            )
        return self.root

    def statement(self, statement: LogicalStatement, kind: Kind) -> None:
        """One statement, by its kind."""
        word = kind.word
        rest = Fragment(statement, kind.skip, len(statement.text))
        if word in _ENDS:
            self.end(statement, _ENDS[word])
        elif word in ("ELSE", "ELSE IF"):
            self.otherwise(statement, rest, word)
        elif word == "CASE":
            self.case(statement, rest)
        elif word == "ELSEWHERE":
            self.elsewhere(statement, rest)
        elif word == "TYPE IS":
            if not self.stack or self.stack[-1].closes != "SELECT CASE":
                raise Refused("FCL103", f"{word} outside its construct", statement.span())
        elif word in ("DO", "IF THEN", "SELECT CASE", "WHERE construct") or word in _BLOCKS:
            self.open(statement, kind, rest)
        elif self.stack and self.stack[-1].mute:
            return
        elif word != "CONTINUE" and word not in ("FORMAT", "DATA"):
            self.body.append(self.action(rest, word))

    def action(self, rest: Fragment, word: str) -> Executable:
        """A statement that opens no construct."""
        statement = rest.statement
        if word == "assignment":
            equals = equals_sign(rest.text)
            target = self.parser.expression(rest.part(0, equals))
            return Assignment(statement, target, self.parser.expression(rest.part(equals + 1)), rest.span())
        if word == "IF":
            end = closing(rest.text, rest.text.index("("))
            condition = self.parser.expression(rest.part(rest.text.index("(") + 1, end))
            inner = rest.part(end + 1)
            body = [self.action(inner, classify(inner.text).word)]
            return If(statement, [Branch(statement, condition, body)])
        if word == "WHERE":
            opening = rest.text.index("(")
            end = closing(rest.text, opening)
            mask = self.parser.expression(rest.part(opening + 1, end))
            return Where(statement, [Branch(statement, mask, [self.action(rest.part(end + 1), "assignment")])])
        if word == "CYCLE":
            return self.cycle(rest, rest.text[5:].strip().lower() or None)
        if word == "RETURN" and rest.text.lower() == "return":
            if any(frame.closes == "DO" for frame in self.stack):
                raise unsupported("RETURN inside a loop", rest)
            return Cycle(statement, None)
        if word == "unknown":
            raise Refused("FCL103", "this is not a Fortran statement", rest.span())
        raise unsupported(word, rest)

    def cycle(self, rest: Fragment, name: str | None) -> Cycle:
        loops = [frame for frame in self.stack if frame.closes == "DO"]
        if not loops:
            raise Refused("FCL103", "CYCLE outside a loop", rest.span())
        if name is not None and name != loops[-1].name:
            if name not in [frame.name for frame in loops]:
                raise Refused("FCL103", f"there is no loop '{name}' round this CYCLE", rest.span())
            raise unsupported("CYCLE of an outer loop", rest)
        return Cycle(rest.statement, name)

    def open(self, statement: LogicalStatement, kind: Kind, rest: Fragment) -> None:
        """A construct begins; one that is refused is still closed by its END."""
        closes = _OPENS.get(kind.word) or _BLOCKS[kind.word]
        mute = bool(self.stack and self.stack[-1].mute) or (kind.word in _BLOCKS and kind.word != "DO WHILE")
        frame = _Frame(closes, [], statement, None, kind.name, None, mute)
        if kind.word in ("DO", "DO WHILE", "DO CONCURRENT"):
            label = re.match(r"do\s*(\d+)", rest.text, re.IGNORECASE)
            frame.label = label[1] if label else None
        outer = self.body
        self.stack.append(frame)
        if kind.word in _BLOCKS:
            raise unsupported(kind.word, rest)
        if mute:
            return
        if kind.word == "DO":
            frame.item = item = self.do(rest, kind.name, frame.label)
            frame.body = item.body
            outer.append(item)
        elif kind.word in ("IF THEN", "WHERE construct"):
            text = rest.text
            condition = self.parser.expression(rest.part(text.index("(") + 1, closing(text, text.index("("))))
            branch = Branch(statement, condition)
            frame.item = If(statement, [branch], kind.name) if closes == "IF" else Where(statement, [branch])
            frame.body = branch.body
            outer.append(frame.item)
        else:
            text = rest.text
            selector = self.parser.expression(rest.part(text.index("(") + 1, closing(text, text.index("("))))
            frame.item = Select(statement, selector, [], kind.name)
            outer.append(frame.item)

    def do(self, rest: Fragment, name: str | None, label: str | None) -> Do:
        """The header of a counted loop."""
        match = re.match(r"do\s*(?:\d+)?\s*,?\s*", rest.text, re.IGNORECASE)
        control = rest.part(match.end() if match else 2)
        equals = equals_sign(control.text)
        if not control.text:
            raise Refused(
                "FCL110", "DO without a loop variable is not supported", rest.span(), hints=(_HINTS["DO WHILE"],)
            )
        if equals < 0:
            raise Refused("FCL103", "this is not a loop control 'variable = first, last'", control.span())
        parts = split_commas(control.part(equals + 1))
        if len(parts) not in (2, 3):
            raise Refused("FCL103", "a loop control has a first, a last and perhaps a step", control.span())
        variable = self.parser.expression(control.part(0, equals))
        bounds = [self.parser.expression(part) for part in parts]
        step = bounds[2] if len(bounds) == 3 else None
        return Do(rest.statement, variable, bounds[0], bounds[1], step, rest.span(), name, label)

    def otherwise(self, statement: LogicalStatement, rest: Fragment, word: str) -> None:
        frame = self.stack[-1] if self.stack else None
        if frame is None or frame.closes != "IF":
            raise Refused("FCL103", f"{word} outside an IF", statement.span())
        item = frame.item
        branch = Branch(statement, None)
        frame.body = branch.body
        if not isinstance(item, If):
            return
        if item.branches[-1].condition is None:
            raise Refused("FCL103", f"{word} after ELSE", statement.span())
        item.branches.append(branch)
        if word == "ELSE IF":
            text = rest.text
            end = closing(text, text.index("("))
            if not re.match(r"then\b", text[end + 1 :].strip(), re.IGNORECASE):
                raise Refused("FCL103", "ELSE IF without THEN", statement.span())
            # A condition that is refused must not turn into an ELSE.
            branch.condition = Parsed(None, rest)
            branch.condition = self.parser.expression(rest.part(text.index("(") + 1, end))

    def elsewhere(self, statement: LogicalStatement, rest: Fragment) -> None:
        frame = self.stack[-1] if self.stack else None
        if frame is None or frame.closes != "WHERE":
            raise Refused("FCL103", "ELSEWHERE outside a WHERE", statement.span())
        branch = Branch(statement, None)
        frame.body = branch.body
        if not isinstance(frame.item, Where):
            return
        if frame.item.branches[-1].condition is None:
            raise Refused("FCL103", "ELSEWHERE after one without a mask", statement.span())
        frame.item.branches.append(branch)
        if "(" in rest.text:
            opening = rest.text.index("(")
            branch.condition = Parsed(None, rest)
            branch.condition = self.parser.expression(rest.part(opening + 1, closing(rest.text, opening)))

    def case(self, statement: LogicalStatement, rest: Fragment) -> None:
        frame = self.stack[-1] if self.stack else None
        if frame is None or frame.closes != "SELECT CASE":
            raise Refused("FCL103", "CASE outside a SELECT CASE", statement.span())
        case = Case(statement, None)
        frame.body = case.body
        if not isinstance(frame.item, Select):
            return
        if "(" in rest.text:
            text = rest.text
            inner = rest.part(text.index("(") + 1, closing(text, text.index("(")))
            case.ranges = [self.case_range(part) for part in split_commas(inner)]
        frame.item.cases.append(case)

    def case_range(self, part: Fragment) -> tuple[Parsed | None, Parsed | None]:
        colon = next((position for position, c in depth_zero(part.text) if c == ":"), -1)
        if colon < 0:
            value = self.parser.expression(part)
            return value, value
        ends = part.part(0, colon), part.part(colon + 1)
        low, high = (self.parser.expression(end) if end.text else None for end in ends)
        return low, high

    def end(self, statement: LogicalStatement, closes: str) -> None:
        if not self.stack or self.stack[-1].closes != closes:
            related = (Related("this is open", self.stack[-1].opening.span()),) if self.stack else ()
            word = "SELECT" if closes == "SELECT CASE" else closes
            raise Refused("FCL103", f"END {word} without {closes}", statement.span(), related=related)
        # "end do" with the loop's label closes that loop like any other; close_labelled must not see it again.
        self.stack.pop()

    def close_labelled(self, statement: LogicalStatement) -> None:
        """A labelled statement ends every loop that names its label."""
        while statement.label and self.stack and self.stack[-1].label is not None:
            if int(self.stack[-1].label) != int(statement.label):
                break
            self.stack.pop()


def unsupported(word: str, place: Fragment) -> Refused:
    """The refusal of a statement, by its Fortran name."""
    hint = _HINTS.get(word)
    form = "" if word.endswith(("construct", "assignment", "loop")) else " statement"
    return Refused("FCL110", f"{word}{form} is not supported", place.span(), hints=(hint,) if hint else ())
