"""A function becomes a tool only if each of its parameters is one that JSON can hold."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

import orka
from orka.agent.tool import FunctionTool
from orka.errors import PluginError
from orka.value import plain


class Thing:
    """A type that JSON does not have."""

    def __call__(self, a: int) -> int:
        return a


def missing(a: "Nope") -> None: ...  # type: ignore[name-defined]  # noqa: F821, UP037  # the mistake


def positional(a: int, /) -> None: ...


def foreign(a: Thing) -> None: ...


def foreign_default(a: Any = Thing()) -> None: ...  # noqa: B008  # the mistake


def items(a: int) -> Iterator[int]:
    yield a


async def pieces(a: int) -> AsyncIterator[int]:
    yield a


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (missing, ["'missing'", "'a'", "Nope"]),
        (positional, ["'positional'", "'a'", "positional-only"]),
        (foreign, ["'foreign'", "'a'", "Thing"]),
        (foreign_default, ["'foreign_default'", "'a'", "default"]),
        (items, ["'items'", "yields"]),
        (pieces, ["'pieces'", "yields"]),
        (functools.partial(positional, 1), ["partial", "positional"]),
        (Thing(), ["Thing", "not a function"]),
        (Thing, ["'Thing'", "a class"]),
    ],
)
def test_a_function_that_cannot_be_a_tool_is_refused_by_name(
    function: Callable[..., Any],  # Any: as a tool's function
    named: list[str],
) -> None:
    with pytest.raises(PluginError) as raised:
        orka.tool(function)
    assert raised.value.code == "plugin.tool_signature" and raised.value.fix
    for name in named:
        assert name in str(raised.value)


def test_an_object_is_any_json() -> None:
    @orka.tool
    def show(x: object, y: object = None) -> object:
        return [x, y]

    assert isinstance(show, FunctionTool)
    assert show.schema["properties"] == {"x": {}, "y": {"default": None}}
    assert show.call({"x": {"a": [1]}}, "") == [{"a": [1]}, None]


def test_the_type_of_a_result_need_not_be_known() -> None:
    @orka.tool
    def give() -> "Nope":  # type: ignore[name-defined]  # noqa: F821, UP037  # the point
        return 1

    assert give.call({}, "") == 1


def test_two_keys_that_become_one_are_noted() -> None:
    value, notes = plain({"m": {1: "lost", "1": "kept"}})
    assert value == {"m": {"1": "kept"}}
    assert "m: two keys became '1'; the value of the last was kept" in notes
    assert plain({1: 2, 3: 4})[1] == ("$: key 1 was int", "$: key 3 was int")
