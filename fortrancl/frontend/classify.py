"""What kind of statement a line is, by its first words. Fortran has no reserved words: assignments are told first."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fortrancl.frontend.fragment import closing, depth_zero, equals_sign, find_top


@dataclass(frozen=True, slots=True)
class Kind:
    """``word``: the statement's kind. ``part``: ``specification``, ``executable``, or ``either`` (FORMAT, INCLUDE …).

    ``skip``: characters of a construct's name and colon before the statement; ``name``: that name.
    """

    word: str
    part: str
    skip: int = 0
    name: str | None = None


_NAME = re.compile(r"[a-z]\w*")
_CONSTRUCT_NAME = re.compile(
    r"([a-z]\w*)\s*:\s*(?=(?:do|if|select|where|forall|block|associate|critical)\b)(?!do\s*=[^=])"
)
_TYPE_SPEC = re.compile(
    r"(?:integer|real|logical|complex|character|double\s*precision|double\s*complex|byte|type\s*\(|class\s*\()"
)

# word → pattern at the beginning of the lower-case text, in the order to try
_EXECUTABLE: tuple[tuple[str, str], ...] = (
    ("END DO", r"end\s*do\b"),
    ("END IF", r"end\s*if\b"),
    ("END SELECT", r"end\s*select\b"),
    ("END WHERE", r"end\s*where\b"),
    ("END FORALL", r"end\s*forall\b"),
    ("END ASSOCIATE", r"end\s*associate\b"),
    ("END BLOCK", r"end\s*block\b(?!\s*data)"),
    ("END CRITICAL", r"end\s*critical\b"),
    ("ELSE IF", r"else\s*if\s*\("),
    ("ELSEWHERE", r"else\s*where\b"),
    ("ELSE", r"else\b"),
    ("DO WHILE", r"do\b\s*(?:\d+\s*)?,?\s*while\s*\("),
    ("DO CONCURRENT", r"do\b\s*(?:\d+\s*)?,?\s*concurrent\s*\("),
    ("DO", r"do(?:\b|\d)"),
    ("SELECT CASE", r"select\s*case\s*\("),
    ("SELECT TYPE", r"select\s*type\s*\("),
    ("CASE", r"case\s*(?:\(|default\b)"),
    ("TYPE IS", r"(?:type\s*is|class\s*is)\s*\(|class\s*default\b"),
    ("WHERE", r"where\s*\("),
    ("FORALL", r"forall\s*\("),
    ("ASSOCIATE", r"associate\s*\("),
    ("BLOCK", r"block$"),
    ("CRITICAL", r"critical\b"),
    ("CYCLE", r"cycle\b"),
    ("EXIT", r"exit\b"),
    ("CONTINUE", r"continue$"),
    ("RETURN", r"return\b"),
    ("CALL", r"call\s+[a-z]"),
    ("GO TO", r"go\s*to\b"),
    ("STOP", r"(?:error\s*)?stop\b"),
    ("PRINT", r"print\b"),
    ("WRITE", r"write\s*\("),
    ("READ", r"read\b"),
    ("OPEN", r"open\s*\("),
    ("CLOSE", r"close\s*\("),
    ("INQUIRE", r"inquire\s*\("),
    ("REWIND", r"rewind\b"),
    ("BACKSPACE", r"backspace\b"),
    ("FLUSH", r"flush\b"),
    ("WAIT", r"wait\s*\("),
    ("ALLOCATE", r"allocate\s*\("),
    ("DEALLOCATE", r"deallocate\s*\("),
    ("NULLIFY", r"nullify\s*\("),
    ("SYNC", r"sync\s*(?:all|images|memory)\b"),
    ("LOCK", r"(?:un)?lock\s*\("),
    ("PAUSE", r"pause\b"),
    ("ASSIGN", r"assign\s+\d+\s+to\b"),
    ("IF", r"if\s*\("),
)
_EITHER: tuple[tuple[str, str], ...] = (
    ("FORMAT", r"format\s*\("),
    ("ENTRY", r"entry\s+[a-z]"),
    ("DATA", r"data\b"),
    ("INCLUDE", r"include\s*['\"]"),
)
_SPECIFICATION: tuple[tuple[str, str], ...] = (
    ("USE", r"use\b"),
    ("IMPORT", r"import\b"),
    ("IMPLICIT", r"implicit\b"),
    ("PARAMETER", r"parameter\s*\("),
    ("PROCEDURE", r"procedure\s*(?:\(|::)"),
    ("END INTERFACE", r"end\s*interface\b"),
    ("END TYPE", r"end\s*type\b"),
    ("END ENUM", r"end\s*enum\b"),
    ("INTERFACE", r"(?:abstract\s+)?interface\b"),
    ("ENUM", r"enum\b"),
    ("derived TYPE", r"type\b\s*(?:,|::|[a-z]\w*$)"),
    ("DIMENSION", r"dimension\b"),
    ("INTENT", r"intent\s*\("),
    ("OPTIONAL", r"optional\b"),
    ("VALUE", r"value\b"),
    ("EXTERNAL", r"external\b"),
    ("INTRINSIC", r"intrinsic\b"),
    ("SAVE", r"save\b"),
    ("COMMON", r"common\b"),
    ("EQUIVALENCE", r"equivalence\s*\("),
    ("NAMELIST", r"namelist\s*/"),
    ("ALLOCATABLE", r"allocatable\b"),
    ("POINTER", r"pointer\b"),
    ("TARGET", r"target\b"),
    ("VOLATILE", r"volatile\b"),
    ("ASYNCHRONOUS", r"asynchronous\b"),
    ("CONTIGUOUS", r"contiguous\b"),
    ("CODIMENSION", r"codimension\b"),
    ("PROTECTED", r"protected\b"),
    ("PUBLIC", r"public\b"),
    ("PRIVATE", r"private\b"),
    ("BIND", r"bind\s*\("),
)
_TABLES = tuple(
    (part, tuple((word, re.compile(pattern)) for word, pattern in table))
    for part, table in (("executable", _EXECUTABLE), ("either", _EITHER), ("specification", _SPECIFICATION))
)


def is_assignment(text: str) -> bool:
    """Whether a lower-case text is ``name = …``, ``name(…) = …`` or ``name%… = …``.

    >>> is_assignment("if(i) = 3"), is_assignment("if (i == 3) x = 3"), is_assignment("do i = 1, 3")
    (True, False, False)
    """
    equals = equals_sign(text)
    if equals < 0:
        return False
    left = text[:equals].strip()
    name = _NAME.match(left)
    if name is None:
        return False
    rest = left[name.end() :].lstrip()
    while rest.startswith("("):
        end = closing(rest)
        if end < 0:
            return False
        rest = rest[end + 1 :].lstrip()
    if rest and not rest.startswith("%"):
        return False
    # "do10i = 1, n" of old fixed form.
    return not (re.match(r"do\s*\d*\s*[a-z]", left) and find_top(text[equals:], ",") >= 0)


def classify(text: str) -> Kind:
    """The kind of a statement."""
    lower = text.lower()
    if is_assignment(lower):
        return Kind("assignment", "executable")
    named = _CONSTRUCT_NAME.match(lower)
    skip, name = (named.end(), named[1]) if named else (0, None)
    body = lower[skip:]
    declares = _TYPE_SPEC.match(body)
    if declares and not named and not re.match(r"(?:type|class)\s*(?:is\b|default\b)", body):
        return Kind("type declaration", "specification")
    for part, table in _TABLES:
        for word, pattern in table:
            if pattern.match(body):
                return Kind(_refine(word, body), part, skip, name)
    if any(text[p : p + 2] == "=>" for p, c in depth_zero(lower) if c == "="):
        return Kind("pointer assignment", "executable")
    return Kind("unknown", "executable")


def _refine(word: str, text: str) -> str:
    """IF: tell the block form, the arithmetic one, and the one-line one apart; the same for WHERE and FORALL."""
    if word not in ("IF", "WHERE", "FORALL"):
        return word
    end = closing(text, text.index("("))
    rest = text[end + 1 :].strip() if end >= 0 else ""
    if word == "IF":
        if re.fullmatch(r"then", rest):
            return "IF THEN"
        return "arithmetic IF" if re.fullmatch(r"\d+\s*,\s*\d+\s*,\s*\d+", rest) else "IF"
    return f"{word} construct" if not rest else word
