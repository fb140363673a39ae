"""Chains such as `previous_outputs.plan.response[0]`: what they lead to, and where they end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from orka.agent.view import MISSING, field
from orka.errors import nearest
from orka.value import Json

KEY, ASKED, GET, GIVEN = range(4)  # a key; a key that is computed; .get(key); .get(key, default)


class Step(NamedTuple):
    """`text`: the chain up to and with this step, as its author wrote it."""

    kind: int
    key: Json
    text: str


class Mood(Enum):
    """What a chain does that leads nowhere: it is an error, it is said to be allowed, it is asked
    whether it is there, or it stands alone in a condition and is false."""

    HARD = "hard"
    SOFT = "soft"
    TEST = "test"
    BARE = "bare"


class Chain(NamedTuple):
    """`skip`: how many of the first steps are plain lookups, before outputs are seen as outputs
    (-1: all of them). `reply`: it is a call of `get_agent_response`. `early`: it can be followed
    before the template is rendered, which is cheaper."""

    root: str
    steps: tuple[Step, ...]
    skip: int
    mood: Mood
    line: int
    reply: bool = False
    early: bool = False

    @property
    def text(self) -> str:
        return self.steps[-1].text if self.steps else self.root


class Lost(NamedTuple):
    """Where a chain ends too early: the shortest part that is missing, and what was there."""

    text: str
    key: str
    known: tuple[str, ...]
    line: int


def follow(chain: Chain, root: object, arguments: Sequence[Json]) -> Json | Lost:
    """The value a chain leads to."""
    value: Json = root
    given = iter(arguments)
    for at, step in enumerate(chain.steps):
        key = step.key if step.kind == KEY else next(given)
        default = next(given) if step.kind == GIVEN else None
        if type(value) is dict and key in value:  # its own key: the same in every view
            value = value[key]
            continue
        plain = chain.skip < 0 or at < chain.skip
        found = _plainly(value, key) if plain else _seen(value, key)
        if step.kind >= GET and (found is MISSING or (not value and found is value)):
            found = default
        if found is MISSING:
            return Lost(step.text, str(key), known(value), chain.line)
        value = found
    return value


def _seen(value: Json, key: Json) -> Json:
    return field(value, key) if isinstance(key, str) else _plainly(value, key)


def _plainly(value: Json, key: Json) -> Json:
    if isinstance(value, Mapping):
        name = str(key) if type(key) is int else key  # the keys of JSON are text
        return value[name] if isinstance(name, str) and name in value else MISSING
    if type(key) is int and isinstance(value, (list, tuple, str)):
        return value[key] if -len(value) <= key < len(value) else MISSING
    return MISSING


def dotted(value: Json, path: str) -> Json:
    """The field at a dotted path of an output, or `MISSING`. A key with dots wins."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    for part in path.split("."):
        value = _plainly(value, int(part)) if part.isdecimal() else field(value, part)
        if value is MISSING:
            return MISSING
    return value


_SHOWN: Final = 12
_LONG: Final = 60


def known(value: object) -> tuple[str, ...]:
    """Names that could have been meant: keys, never values, and not too many of them."""
    if not isinstance(value, Mapping):
        return ()
    return tuple(_short(value))[:200]


def _short(names: Iterable[object]) -> Iterable[str]:
    return (name for name in names if isinstance(name, str) and len(name) <= _LONG)


def close(word: str, names: Iterable[str]) -> str:
    """The name that was meant, or where all of them stand: there are many."""
    near = nearest(word, sorted(names))
    return near if near.startswith("did") else "docs/language.md, Templates, lists what there is"


def some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
