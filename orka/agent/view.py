"""The one typed view of an output: `.response`, `.result` and fields mean the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from orka.value import Json, canonical


class _Missing:
    """What a field is that is not there: no value, and not null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()

# Names under which an output without such a field is meant itself.
ITSELF = ("response", "result")
# What holds an output's own fields, if the output does not.
_HOLDERS = ("result", "response")


def field(value: Json, key: str) -> Json | _Missing:
    """The field `key` of an output. `response` and `result` are the output itself if it has no such
    field; a map's other fields are looked for in its `result` and `response` too."""
    if isinstance(value, Mapping):
        if key in value:
            return value[key]
        if key in ITSELF or key == "merged":
            return value
        for holder in _HOLDERS:
            inside = value.get(holder)
            if isinstance(inside, Mapping) and key in inside:
                return inside[key]
        return MISSING
    return value if key in ITSELF else MISSING


def answer_of(value: Json) -> Json:
    """What an output says at the end of a run of OrKa 0.9: its `response`, and of a path that was
    taken what its last agent says."""
    while isinstance(value, Mapping):
        path, results = value.get("executed_path"), value.get("results")
        if isinstance(path, list) and isinstance(results, Mapping):
            done = [id for id in path if isinstance(id, str) and id in results]
            if not done:
                return value
            value = results[done[-1]]
        elif "response" in value:
            value = value["response"]
        else:
            break
    return value


def text_of(value: Json) -> str:
    """An output as text: text as it is; of a map its `response` or `result`; anything else as
    JSON."""
    while isinstance(value, Mapping):
        held = next((value[key] for key in _HOLDERS if key in value), MISSING)
        if held is MISSING:
            break
        value = held
    return value if isinstance(value, str) else canonical(value).decode()
