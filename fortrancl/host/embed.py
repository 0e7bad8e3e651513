"""Text inside C: string literals for names, tables of bytes for programs."""

from __future__ import annotations

_ON_A_LINE = 24


def c_string(text: str) -> str:
    r"""A C string literal; what is not plain ASCII becomes octal escapes of its UTF-8 bytes.

    >>> c_string('a"b\\c')
    '"a\\"b\\\\c"'
    """
    return '"' + "".join(_escaped(byte) for byte in text.encode()) + '"'


def _escaped(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':
        # A question mark could begin a trigraph.
        return f"\\{character}"
    return character if 32 <= byte < 127 else f"\\{byte:03o}"


def byte_table(text: str) -> str:
    """The UTF-8 bytes and a final zero as lines of integers.

    Not a string literal: C99 compilers need take only 4,095 characters in one (5.2.4.1).

    >>> byte_table("ab")
    '    97,98,0'
    """
    numbers = [str(byte) for byte in (*text.encode(), 0)]
    lines = (",".join(numbers[at : at + _ON_A_LINE]) for at in range(0, len(numbers), _ON_A_LINE))
    return ",\n".join(f"    {line}" for line in lines)
