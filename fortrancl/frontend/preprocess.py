"""The C preprocessor for Fortran: directives and macros by pcpp, strings and comments kept out of its hands."""

from __future__ import annotations

import io
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fortrancl.diagnostics import CompileError, Diagnostic
from fortrancl.frontend.lines import Form, form_of
from fortrancl.frontend.options import FrontendOptions
from fortrancl.source import SourceFile, Span

# What C would read otherwise: '//' begins a comment there, and an apostrophe a character constant.
_GUARDED = re.compile(r"//|/\*|\*/|\\$|'[^'\n]*'?|\"[^\"\n]*\"?|!.*")
_FIXED_COMMENT = re.compile(r"[cC*]")
_MARK = "FCLguardedQ{}Q"
_MARKED = re.compile(r"FCLguardedQ(\d+)Q")
# More text than this out of one file is taken for a macro that grows without end.
_MAX_OUTPUT = 50_000_000
_MAX_TOKENS = 50_000
_MAX_SECONDS = 5.0


@dataclass
class Preprocessed:
    """The text, with ``# 12 "file"`` markers where lines moved; ``included`` holds the files read, by path."""

    text: str
    included: dict[str, SourceFile] = field(default_factory=dict)


def preprocess(source: SourceFile, options: FrontendOptions) -> Preprocessed:
    """Run the directives of a file. Raises `CompileError`: FCL136, all errors of the file at once.

    >>> text = "#ifdef N\\nx = N // 'a'\\n#endif\\n"
    >>> preprocess(SourceFile("a.F90", text), FrontendOptions(("N=3",))).text.split("\\n")[1]
    "x = 3 // 'a'"
    """
    run = _Run(source, options)
    return run.result()


class _Run:
    def __init__(self, source: SourceFile, options: FrontendOptions) -> None:
        self.source, self.options = source, options
        self.guarded: list[str] = []
        self.included: dict[str, SourceFile] = {}
        self.problems: list[Diagnostic] = []

    def result(self) -> Preprocessed:
        cpp = _make_preprocessor(self)
        for definition in self.options.defines:
            name, _, value = definition.partition("=")
            if not re.fullmatch(r"[A-Za-z_]\w*", name):
                raise CompileError([Diagnostic("FCL136", f"'-D{definition}' does not define a name")])
            cpp.define(f"{name} {value if '=' in definition else '1'}")
        for folder in self.options.include_dirs:
            cpp.add_path(folder)
        out = io.StringIO()
        try:
            cpp.parse(self.guard(self.source.text, form_of(self.source.path)), self.source.path)
            cpp.write(out)
        except RecursionError:
            self.problems.append(Diagnostic("FCL136", "macros or includes grow without end", self.place("", 1)))
        except Exception as error:  # pcpp raises many kinds for text it does not understand
            why = str(error) or "a directive is malformed or not closed"
            self.problems.append(Diagnostic("FCL136", f"the preprocessor gave up: {why}", self.place("", 1)))
        if self.problems:
            raise CompileError(self.problems)
        return Preprocessed(_aligned(self.restore(out.getvalue()), self.source), self.included)

    # -- strings and comments -----------------------------------------------------------------------------------
    def guard(self, text: str, form: Form) -> str:
        """Text with strings, comments and ``//`` of lines that are no directives behind plain names."""
        lines: list[str] = []
        directive = False
        for line in text.split("\n"):
            if directive or line.startswith("#"):
                directive = line.endswith("\\")
                lines.append(line)
            elif form == "fixed" and _FIXED_COMMENT.match(line):
                lines.append(self.keep(line))
            else:
                lines.append(_GUARDED.sub(lambda match: self.keep(match[0]), line))
        return "\n".join(lines)

    def keep(self, text: str) -> str:
        self.guarded.append(text)
        return _MARK.format(len(self.guarded) - 1)

    def restore(self, text: str) -> str:
        return _MARKED.sub(lambda match: self.guarded[int(match[1])], text)

    # -- what pcpp reports --------------------------------------------------------------------------------------
    def place(self, path: str, line: int) -> Span:
        source = self.included.get(path, self.source)
        return source.span_of_lines(min(max(line, 1), max(source.line_count, 1)))

    def say(self, path: str, line: int, message: str) -> None:
        self.problems.append(Diagnostic("FCL136", message, self.place(path, line)))

    def included_text(self, path: str, text: str) -> str:
        """Remember an included file; its guarded text."""
        normal = text.replace("\r\n", "\n")
        self.included[path] = SourceFile(path, normal)
        return self.guard(normal, form_of(self.source.path))


def _make_preprocessor(run: _Run) -> Any:
    """A pcpp preprocessor that reports to ``run``. pcpp is imported here: few files need it."""
    import pcpp

    deadline = time.monotonic() + _MAX_SECONDS

    class ForFortran(pcpp.Preprocessor):  # type: ignore[misc]
        expanded = 0

        def expand_macros(self, tokens: Any, expanding_from: Any = ()) -> Any:
            # Thirty macros that each name the one before twice make a billion tokens.
            self.expanded = len(tokens) + (self.expanded if expanding_from else 0)
            if self.expanded > _MAX_TOKENS or time.monotonic() > deadline:
                raise RecursionError
            return super().expand_macros(tokens, list(expanding_from))

        def on_error(self, file: str, line: int, msg: str) -> None:
            run.say(file, line, msg)

        def on_include_not_found(
            self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
        ) -> None:
            what = "this #include is malformed" if is_malformed else f"the included file '{includepath}' was not found"
            run.say(self.lastdirective.source, self.lastdirective.lineno, what)

        def on_directive_handle(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> Any:
            if directive.value == "error":
                text = "".join(token.value for token in toks).strip()
                run.say(directive.source, directive.lineno, f"#error {text}")
                raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)
            return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

        def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
            text = Path(includepath).read_text(encoding="utf-8", errors="replace")
            return io.StringIO(run.included_text(includepath, text))

    made = ForFortran()
    made.line_directive = "#line"
    for name in ("__DATE__", "__TIME__", "__PCPP__", "__STDC__", "__STDC_VERSION__"):
        made.macros.pop(name, None)
    return made


_LINE = re.compile(r'#line (\d+)(?: "([^"]*)")?$')


def _aligned(text: str, source: SourceFile) -> str:
    """Blank lines in place of markers that only skip lines of the file itself, so that its lines keep their numbers."""
    if len(text) > _MAX_OUTPUT:
        raise CompileError([Diagnostic("FCL136", "the preprocessed text is too large", source.span_of_lines(1))])
    result: list[str] = []
    current, number = source.path, 1
    plain = True
    for line in text.split("\n"):
        marker = _LINE.match(line)
        if marker is None:
            result.append(line)
            number += 1
            continue
        path, wanted = marker[2] or current, int(marker[1])
        if plain and path == source.path and wanted >= number:
            result.extend([""] * (wanted - number))
        else:
            plain = False
            result.append(f'# {wanted} "{path}"')
        current, number = path, wanted
    return "\n".join(result)
