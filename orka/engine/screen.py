"""The filters at the engine's boundary: what comes in is looked at before it is recorded, and what
a tool may know is given back to it right before the call."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from msgspec import structs

from orka.engine.look import PLAIN, WITHHELD, Look, texts
from orka.engine.stream import Streams, StreamScreen
from orka.engine.vault import Vault
from orka.errors import Failure, ScreenError
from orka.event.event import EffectAnswered
from orka.graph.graph import Graph, Node
from orka.graph.guards import Filter
from orka.port.placeholders import NUMBERED, Placeholders
from orka.run.scope import Asked
from orka.value import Json

# What comes back for each kind of effect, in the words of `on`.
PLACES = {
    "llm": "models",
    "tool": "tools",
    "memory": "memory",
    "history": "memory",
    "ask": "people",
}
# Kinds of effects that bring nothing in from outside.
_OWN = ("sleep", "random", "graph")
# What is the code of an error, and no words of its own.
_CODE = re.compile(r"\w{1,40}(?:[.-]\w{1,40}){0,5}")
# Characters from which on a value is looked at in a thread, so that other runs go on.
_LARGE = 65_536

T = TypeVar("T")
Seen = tuple[Json, Mapping[str, Json] | None]


class Screens:
    """`streams` is where models stream to; `vault` has what placeholders stand for."""

    def __init__(self, vault: Vault | None = None, streams: Streams | None = None) -> None:
        self.vault, self.streams = vault or Vault(None), streams or Streams(_nowhere)

    async def input(self, run: str, graph: Graph, value: Json) -> Seen:
        """A run's input as it may be recorded, and what was found in it. Raises `ScreenError`."""
        return await self._looked(run, [e for e in graph.filters if "input" in e.on], value)

    def output(self, run: str, graph: Graph, value: Json) -> Json:
        """What a run gives, as its client may see it. Raises `ScreenError`."""
        return self._look(run, [e for e in graph.filters if "output" in e.on], value)[0]

    async def answer(
        self, run: str, graph: Graph, asked: Asked, fact: EffectAnswered
    ) -> EffectAnswered:
        """A fact as it may be recorded. A guard that does not let it pass, or cannot look at it,
        makes it a failure."""
        if _weighs(fact.value, _LARGE) <= 0:
            return await asyncio.to_thread(self.again, run, graph, asked, fact)
        return self.again(run, graph, asked, fact)

    def again(self, run: str, graph: Graph, asked: Asked, fact: EffectAnswered) -> EffectAnswered:
        """The same for an answer that was recorded in another run."""
        filters = [] if asked.kind in _OWN else filters_at(graph, asked)
        if not filters:
            return fact

        def seen(look: Look) -> EffectAnswered:
            return structs.replace(
                fact,
                value=look.value(fact.value),
                error=_told(fact.error, look),
                notes=tuple(look.told(note) for note in fact.notes),
                screened=_joined(fact.screened, look.screened),
            )

        try:
            known = self._known(run, graph, asked)
            return self._labelled(run, filters, _spared(asked, fact), seen, known)
        except ScreenError as refused:
            return structs.replace(fact, value=None, error=refused.failure(), notes=())

    def cancelled(self, run: str, graph: Graph, reason: str) -> str:
        """Why somebody stops a run, as it may be recorded."""
        filters = [each for each in graph.filters if "people" in each.on]
        return self._labelled(run, filters, (), lambda look: look.told(reason))

    def revealed(self, run: str, graph: Graph, asked: Asked, payload: Json) -> Json:
        """The payload as the handler gets it: with the values back, for a tool that may know them;
        without numbers, for a memory, where they would mean another run's values. Raises
        `ScreenError` for a value that is not there."""
        filters = [each for each in _all(graph, asked) if each.reversible]
        if asked.kind == "memory" and filters:
            return self._unnumbered(run, payload)
        if asked.kind != "tool" or all(payload["name"] not in f.reveal_to for f in filters):
            return payload
        return {**payload, "args": self._restored(run, payload["args"])}

    def _known(self, run: str, graph: Graph, asked: Asked) -> dict[str, str]:
        """The values that a tool of `reveal_to` was told, by placeholder."""
        filters = [each for each in _all(graph, asked) if each.reversible]
        if asked.kind != "tool" or all(asked.payload["name"] not in f.reveal_to for f in filters):
            return {}
        labels = {label for text in texts(asked.payload["args"]) for label in _labels(text)}
        values = self.vault.values(run, sorted(labels)) if labels else {}
        return {label: value for label, value in values.items() if value}

    @contextmanager
    def streaming(self, run: str, graph: Graph, asked: Asked) -> Iterator[None]:
        """What a model streams meanwhile passes the filters. Raises `ScreenError` at the end for a
        text that was not let pass."""
        filters = _streamed(graph, asked) if asked.kind == "llm" else []
        if not filters:
            yield
            return
        reversible = any(each.reversible for each in filters)
        placeholders = self.vault.placeholders(run) if reversible else None
        self.streams.open(run, asked.id, StreamScreen(filters, placeholders))
        ended = False
        try:
            yield
            ended = True
        finally:
            if not ended:
                self.streams.drop(run, asked.id)
        self.streams.close(run, asked.id)

    async def _looked(self, run: str, filters: Sequence[Filter], value: Json) -> Seen:
        if not filters:
            return value, None
        if _weighs(value, _LARGE) <= 0:
            return await asyncio.to_thread(self._look, run, filters, value)
        return self._look(run, filters, value)

    def _look(self, run: str, filters: Sequence[Filter], value: Json) -> Seen:
        def seen(look: Look) -> Seen:
            return look.value(value), look.screened

        return self._labelled(run, filters, (), seen)

    def _labelled(
        self,
        run: str,
        filters: Sequence[Filter],
        spared: Container[str],
        seen: Callable[[Look], T],
        known: Mapping[str, str] | None = None,
    ) -> T:
        """What was labelled is in the vault before anything that holds a label is recorded."""
        reversible = any(each.reversible for each in filters)
        while True:
            placeholders = self.vault.placeholders(run) if reversible else None
            found = seen(Look(filters, placeholders, spared, known))
            if placeholders is None or self.vault.keep(run, placeholders):
                return found

    def _restored(self, run: str, args: Json) -> Json:
        """Raises `ScreenError` for a placeholder without a value."""
        labels = {label for text in texts(args) for label in _labels(text)}
        if not labels:
            return args
        values, last = self.vault.values(run, sorted(labels)), self.vault.last(run)
        for found in map(NUMBERED.fullmatch, sorted(labels)):
            # A number that is taken and has no value stood in a text from outside, as it is.
            given = found and (found[0] in values or int(found[2]) > last.get(found[1], 0))
            if found and given and values.get(found[0]) is None:
                raise _forgotten(run, found[0])
        kept = {label: value for label, value in values.items() if value is not None}
        return _each(args, Placeholders(kept).restore)

    def _unnumbered(self, run: str, payload: Json) -> Json:
        labels = {label for text in texts(payload) for label in _labels(text)}
        if not labels:
            return payload
        own = self.vault.values(run, sorted(labels))
        return _each(payload, lambda text: NUMBERED.sub(lambda it: _plain(it, own), text))


def _nowhere(run: str, effect: str, piece: str) -> None:
    """Where nobody watches."""


def filters_at(graph: Graph, asked: Asked) -> list[Filter]:
    """The filters that look at what comes back for an effect, in order."""
    place = PLACES.get(asked.kind, "tools")
    revealed = asked.payload["name"] if asked.kind == "tool" else ""
    return [
        each
        for each in _all(graph, asked)
        if place in each.on or (revealed and revealed in each.reveal_to)
    ]


def _streamed(graph: Graph, asked: Asked) -> list[Filter]:
    """The filters for what a model streams. The client hears what ends the run."""
    node = _node(asked)
    heard = asked.scope.graph is graph and node.id in graph.ends
    places = {"models", "output"} if heard else {"models"}
    return [each for each in _all(graph, asked) if places & each.on]


def _all(graph: Graph, asked: Asked) -> list[Filter]:
    """Those of the run and those of the node, each once."""
    own = _node(asked).filters
    if not own:
        return list(graph.filters)
    return list({each.key: each for each in (*graph.filters, *own)}.values())


def _node(asked: Asked) -> Node:
    return asked.scope.graph.nodes[asked.index]


def _spared(asked: Asked, fact: EffectAnswered) -> Container[str]:
    """Texts of an answer that need no look: what a person was shown, and why a model ended."""
    if asked.kind == "ask":
        return frozenset(texts(asked.payload))
    ended = fact.value.get("finish_reason") if isinstance(fact.value, dict) else None
    known = asked.kind == "llm" and isinstance(ended, str) and PLAIN.fullmatch(ended)
    return (str(ended),) if known else ()


def _told(error: Failure | None, look: Look) -> Failure | None:
    if error is None:
        return None
    message, fix, where = (look.told(text) for text in (error.message, error.fix, error.where))
    code = error.code if _CODE.fullmatch(error.code) else WITHHELD
    return structs.replace(error, code=code, message=message, fix=fix, where=where)


def _joined(
    old: Mapping[str, Json] | None, new: Mapping[str, Json] | None
) -> Mapping[str, Json] | None:
    """What is known of an answer that is used again, and what was found in it now."""
    if not old or not new:
        return old or new
    texts = dict.fromkeys((*old.get("quarantined", ()), *new.get("quarantined", ())))
    found = {**old.get("found", {}), **new.get("found", {})}
    return {"found": found, **({"quarantined": list(texts)} if texts else {})}


def _weighs(value: Json, left: int) -> int:
    """What is `left` of a number of characters after those of a value; no more is looked at."""
    if isinstance(value, str):
        return left - len(value)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        for item in value:
            left = _weighs(item, left - 1)
            if left <= 0:
                break
    return left


def _labels(text: str) -> list[str]:
    return [found.group() for found in NUMBERED.finditer(text)] if "[" in text else []


def _plain(found: re.Match[str], own: Container[str]) -> str:
    """A placeholder that nobody can undo, in place of one that is a run's."""
    return f"[{found[1]}_REDACTED]" if found[0] in own else found[0]


def _each(value: Json, change: Callable[[str], str]) -> Json:
    """A copy of a value with each of its texts changed; keys stay."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    if isinstance(value, dict):
        return {key: _each(item, change) for key, item in value.items()}
    return value


def _forgotten(run: str, label: str) -> ScreenError:
    return ScreenError(
        f"no value is kept for the placeholder {label!r}: it was forgotten, or nobody has made it",
        where=f"run {run!r}",
        fix=f"`orka vault list {run}` shows what is kept; ask for the value again",
        code="vault.forgotten",
    )
