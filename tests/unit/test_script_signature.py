"""Which values fit which annotations, and what they become."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from typing import Any, Literal

import pytest

from fortrancl.ir.kernel import Kernel
from fortrancl.script.places import Places, ScriptFile
from fortrancl.script.signature import Mismatch, expected, fit, signature_of
from fortrancl.script.values import FrozenScriptSet, ScriptSet
from fortrancl.source import SourceFile

NAMES = str | Sequence[str]


@pytest.mark.parametrize(
    ("value", "annotation", "result"),
    [
        ("a", str, "a"),
        (3, int, 3),
        (3, float, 3.0),
        (True, bool, True),
        (None, str | None, None),
        ("a", NAMES, "a"),
        (["a", "b"], NAMES, ("a", "b")),
        (("a",), NAMES, ("a",)),
        (ScriptSet(["z", "b", "a"]), NAMES, ("z", "b", "a")),
        (FrozenScriptSet(["z", "b"]), Collection[str], ("z", "b")),
        (ScriptSet(["z", "b"]), frozenset[str], frozenset({"z", "b"})),
        (["z"], Set[str], frozenset({"z"})),
        (range(3), Sequence[int], (0, 1, 2)),
        ([1, 2], tuple[int, int], (1, 2)),
        ([1, 2], tuple[int, ...], (1, 2)),
        ((1, 2), list[int], [1, 2]),
        ([1], Iterable[int], (1,)),
        ({"i": "g.0"}, Mapping[str, str], {"i": "g.0"}),
        ({"i": None}, Mapping[str, str | None], {"i": None}),
        ({"i": [1]}, dict[str, Sequence[int]], {"i": (1,)}),
        ("local", Literal["local", "global"], "local"),
        (0, Literal[0, 1], 0),
        ([1, "a"], Any, [1, "a"]),
        (1, object, 1),
        (2, int | str, 2),
    ],
)
def test_what_fits(value, annotation, result):
    found = fit(value, annotation)
    assert found == result and type(found) is type(result)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (1, str),
        ("1", int),
        (True, int),
        (1, bool),
        (1.0, int),
        ("a", Sequence[str]),
        ([1], Sequence[str]),
        ({"i": 1}, Mapping[str, str]),
        ({1: "i"}, Mapping[str, str]),
        ([("i", "g.0")], Mapping[str, str]),
        ([1], tuple[int, int]),
        ("ab", tuple[str, str]),
        (None, str),
        (0, None | str),
        ("shared", Literal["local", "global"]),
        (True, Literal[0, 1]),
        ("k", Kernel),
        (["a", 1], NAMES),
    ],
)
def test_what_does_not(value, annotation):
    with pytest.raises(Mismatch):
        fit(value, annotation)


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (str, "a string"),
        (int, "an integer"),
        (float, "a number"),
        (bool, "True or False"),
        (str | None, "a string or None"),
        (NAMES, "a string or a list of strings"),
        (int | str | None, "an integer, a string or None"),
        (Sequence[int], "a list of integers"),
        (frozenset[str], "a list of strings"),
        (tuple[int, int], "a tuple of 2"),
        (Mapping[str, str], "a dictionary"),
        (Literal["a", "b", "c"], "'a', 'b' or 'c'"),
        (Kernel, "a kernel"),
    ],
)
def test_in_words(annotation, words):
    assert expected(annotation) == words


def test_a_signature():
    def step(kernel: Kernel, name: str, *others: int, tag: str = "x", **more: bool) -> Kernel:
        return kernel

    found = signature_of(step)
    shape = [(parameter.name, parameter.needed, parameter.by_position) for parameter in found.parameters]
    assert shape == [("kernel", True, True), ("name", True, True), ("tag", False, False)]
    assert found.takes_kernel and (found.rest, found.named_rest) == ("others", "more")


def test_a_function_without_a_kernel_takes_none():
    def about(source: str) -> Callable[[], None]:
        return lambda: None

    assert not signature_of(about).takes_kernel


def test_offsets_count_characters_not_bytes():
    import ast

    text = "größe = 'ä' + x\nb = (1 +\n    ü)\n"
    places = Places(ScriptFile(SourceFile("t.py", text)))
    tree = ast.parse(text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    assert [(node.id, places.span(node).text) for node in nodes] == [(node.id, node.id) for node in nodes]
    assert places.text(tree.body[1]) == "b = (1 +\n    ü)"
    assert places.span(tree.body[0]).column == 1
