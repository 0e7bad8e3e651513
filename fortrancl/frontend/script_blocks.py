"""`!$loopy` lines: the script in the comments, and the tagged regions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from fortrancl.diagnostics import Diagnostic, Related
from fortrancl.frontend.lines import Form, Line
from fortrancl.frontend.problems import Problems
from fortrancl.source import SourceFile, Span

_SENTINEL = {
    "free": re.compile(r"\s*!\$loopy\b(.*)$", re.IGNORECASE),
    "fixed": re.compile(r"(?:[c*!]|\s+!)\$loopy\b(.*)$", re.IGNORECASE),
}
_COMMENT = {"free": re.compile(r"\s*!"), "fixed": re.compile(r"[cC*!]|\s+!")}
_ORDER = re.compile(r"\s*(begin|end)\s*(?:tagged\s*:\s*(\S.*?))?\s*$", re.IGNORECASE)
_TAG = re.compile(r"[A-Za-z_]\w*$")
_FORMS_HINT = "write '!$loopy begin', '!$loopy end', '!$loopy begin tagged: name' or '!$loopy end tagged: name'"


@dataclass(frozen=True)
class ScriptText:
    """The script of a file: its blocks one after the other, comment characters and common indentation removed.

    ``starts`` holds, for each line of ``text``, the offset in ``text`` and the offset in the file where it begins.
    """

    text: str
    source: SourceFile = field(repr=False)
    starts: tuple[tuple[int, int], ...] = field(repr=False)

    def span(self, start: int, end: int) -> Span:
        """Place in the Fortran file of the characters ``[start, end)`` of ``text``."""
        return Span(self.source, self._offset(start), max(self._offset(end - 1) + 1, self._offset(start)))

    def _offset(self, position: int) -> int:
        found = self.starts[max(bisect_right(self.starts, position, key=lambda pair: pair[0]) - 1, 0)]
        return min(found[1] + position - found[0], len(self.source.text))


@dataclass(frozen=True)
class TagRegion:
    """Statements between two lines carry a tag. ``first`` and ``last`` are the positions (0-based) of those lines;
    ``first_line`` and ``last_line`` their numbers in the file."""

    name: str
    first: int
    last: int
    first_line: int
    last_line: int


@dataclass(frozen=True)
class Sentinels:
    """What the `!$loopy` lines of a file say; ``script_lines`` are the positions of lines that belong to the script."""

    script: ScriptText | None
    regions: tuple[TagRegion, ...]
    script_lines: frozenset[int]


def find_sentinels(lines: Sequence[Line], form: Form, problems: Problems) -> Sentinels:
    """Read all `!$loopy` lines. Reports FCL104, FCL105, FCL106, FCL107."""
    reader = _Reader(lines, form, problems)
    pattern = _SENTINEL[form]
    for position, line in enumerate(lines):
        if "$" in line.text and (match := pattern.match(line.text)):
            reader.sentinel(position, match[1])
        elif reader.begin is not None:
            reader.script_line(position)
    return reader.finish()


class _Reader:
    def __init__(self, lines: Sequence[Line], form: Form, problems: Problems) -> None:
        self.lines, self.form, self.problems = lines, form, problems
        self.begin: int | None = None
        # First line of the open block that is no comment: a mistake if the block ends, else the block's end is missing.
        self.broken: int | None = None
        self.blocks: list[list[int]] = []
        self.script_lines: set[int] = set()
        self.open: dict[str, int] = {}
        self.regions: list[TagRegion] = []

    def say(self, code: str, message: str, position: int, related: int | None = None, hint: str = "") -> None:
        places = () if related is None else (Related("the other line", self.place(related)),)
        hints = (hint,) if hint else ()
        self.problems.add(Diagnostic(code, message, self.place(position), places, (), hints))

    def place(self, position: int) -> Span:
        line = self.lines[position]
        return line.source.span_of_lines(line.number)

    def sentinel(self, position: int, rest: str) -> None:
        order = _ORDER.match(rest)
        if order is None:
            self.say("FCL106", f"'!$loopy{rest.rstrip()}' is not understood", position, hint=_FORMS_HINT)
        elif order[2] is not None:
            self.tag(position, order[1].lower(), order[2])
        elif order[1].lower() == "begin":
            if self.begin is not None:
                self.say("FCL104", "a script block begins inside another", position, self.begin, "end the first one")
            else:
                self.begin = position
                self.blocks.append([])
                self.script_lines.add(position)
        elif self.begin is None:
            self.say("FCL104", "'!$loopy end' without '!$loopy begin'", position)
        else:
            if self.broken is not None:
                hint = "start each script line with '!'"
                self.say("FCL105", "this line of a script block is not a comment", self.broken, self.begin, hint)
            self.begin, self.broken = None, None
            self.script_lines.add(position)

    def tag(self, position: int, order: str, name: str) -> None:
        if not _TAG.match(name):
            self.say("FCL106", f"'{name}' is not a name for a tag", position, hint=_FORMS_HINT)
        elif order == "begin" and name in self.open:
            self.say("FCL107", f"region '{name}' is already open", position, self.open[name])
        elif order == "begin":
            self.open[name] = position
        elif name not in self.open:
            self.say("FCL107", f"no region '{name}' is open here", position)
        else:
            first = self.open.pop(name)
            numbers = self.lines[first].number, self.lines[position].number
            self.regions.append(TagRegion(name, first, position, *numbers))

    def script_line(self, position: int) -> None:
        text = self.lines[position].text
        if text.strip() and not _COMMENT[self.form].match(text):
            self.broken = position if self.broken is None else self.broken
            return
        self.blocks[-1].append(position)
        self.script_lines.add(position)

    def finish(self) -> Sentinels:
        if self.begin is not None:
            self.say("FCL104", "'!$loopy begin' without '!$loopy end'", self.begin, hint="add '!$loopy end'")
        for name, first in self.open.items():
            hint = f"add '!$loopy end tagged: {name}'"
            self.say("FCL107", f"region '{name}' is never ended", first, hint=hint)
        return Sentinels(self.script(), tuple(self.regions), frozenset(self.script_lines))

    def script(self) -> ScriptText | None:
        if not self.blocks:
            return None
        texts: list[str] = []
        starts: list[tuple[int, int]] = []
        length = 0
        for block in self.blocks:
            bodies = [self.body(position) for position in block]
            indents = [len(body) - len(body.lstrip()) for _, body in bodies if body.strip()]
            common = min(indents, default=0)
            for position, (column, body) in zip(block, bodies, strict=True):
                shown = body[common:].rstrip()
                line = self.lines[position]
                starts.append((length, line.source.line_starts[line.number - 1] + column + min(common, len(body))))
                texts.append(shown)
                length += len(shown) + 1
        source = self.lines[0].source
        if not starts:
            # An empty script still has a place: its first line.
            starts.append((0, min(self.place(position).start for position in self.script_lines)))
        return ScriptText("".join(f"{text}\n" for text in texts), source, tuple(starts))

    def body(self, position: int) -> tuple[int, str]:
        """(column after the comment character, text from there on) of a script line."""
        text = self.lines[position].text
        match = _COMMENT[self.form].match(text)
        return (match.end(), text[match.end() :]) if match else (0, "")
