"""`memory`: writes and searches in order, with vectors that are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from cases.faults import must_name
from cases.language import Case, Fields, NotUnderstood, listed
from cases.observed import TOLERANCE, same
from orka.errors import RecallError
from orka.kit.memory.sqlite import SqliteMemory
from orka.port.memory import Draft, Match, Query
from orka.value import Json

DAY = 86_400.0
# Those of a write that are called the same in a draft.
_DRAFT = ("user", "namespace", "key", "metadata", "category", "memory_type", "importance")
_QUERY = ("user", "namespace", "limit", "threshold", "category", "memory_type", "filters")


class _Player:
    """Does the operations; counts those that the memory sees."""

    def __init__(self, memory: SqliteMemory, vectors: Mapping[str, Json], half_life: Json) -> None:
        self._memory, self._vectors = memory, vectors
        self._aged = {} if half_life is None else {"recency": 1.0, "half_life": half_life * DAY}
        self._done, self._now = 0, 0.0
        self.searches: list[Sequence[Match]] = []
        self.errors: list[tuple[int, RecallError]] = []

    def play(self, fields: Fields) -> None:
        if "switch_embedder_dim" in fields:  # vectors are given: there is nothing to switch
            fields.take("switch_embedder_dim")
            return
        at = fields.take("at")
        self._now = self._now + 1 if at is None else _seconds(at)
        try:
            self._do(fields)
        except RecallError as error:
            self.errors.append((self._done, error))
        self._done += 1

    def _do(self, fields: Fields) -> None:
        if "write" in fields:
            self._write(fields)
        elif "delete" in fields:
            at = {"user": "", "namespace": "default", **_taken(fields, ("user", "namespace"))}
            self._memory.delete(key=str(fields.take("delete")), now=self._now, **at)
        elif "expire" in fields:
            fields.take("expire")
            self._memory.expire(self._now)
        else:
            self._search(fields)

    def _write(self, fields: Fields) -> None:
        name = fields.take("write")
        own = {"namespace": "default", **_taken(fields, _DRAFT)}
        metadata = {**own.pop("metadata", {}), "name": name}
        draft = Draft(
            content=fields.take("text", name),
            metadata=metadata,
            ttl=fields.take("ttl_seconds"),
            renew_on_read=fields.take("renew_on_read", False),
            vector=self._vector(name) if self._vectors else None,
            **own,
        )
        self._memory.write(draft, now=self._now)

    def _search(self, fields: Fields) -> None:
        name = fields.need("search")
        own = {"namespace": "default", **_taken(fields, _QUERY), **self._aged}
        words = {"vector": self._vector(name)} if self._vectors else {"text": name}
        query = Query(**{**own, **words})
        self.searches.append(self._memory.search(query, now=self._now).found)

    def _vector(self, name: str) -> tuple[float, ...]:
        if name not in self._vectors:
            raise NotUnderstood(f"no vector is called {name!r}")
        return tuple(map(float, self._vectors[name]))


def memory(case: Case, folder: Path) -> None:
    """The operations on a memory that is a file, then what they gave."""
    kept = SqliteMemory(str(folder))
    with Fields(case.input, "input") as given:
        player = _Player(kept, given.take("vectors", {}), given.take("half_life_days"))
        for number, operation in enumerate(given.need("ops")):
            with Fields(operation, f"ops[{number}]") as fields:
                player.play(fields)
    with Fields(case.expected, "expected") as wanted:
        tolerance = wanted.take("tolerance", TOLERANCE)
        _errors(player, wanted.take("errors", []))
        for key, value in wanted.rest():
            found = _found(player.searches, key, value)
            assert same(found, value, tolerance), f"{key}: {found}, not {value}"
    kept.close()


def _found(searches: Sequence[Sequence[Match]], key: str, wanted: Json) -> Json:
    """What the searches gave, in the words of `key`; of the last one, where it is not a list for
    each of them."""
    told = [_told(found, key) for found in searches]
    nested = isinstance(wanted, list) and any(isinstance(each, list) for each in wanted)
    counts = key == "results_count" and isinstance(wanted, list)
    return told if nested or counts or key == "results_texts" else told[-1]


def _told(found: Sequence[Match], key: str) -> Json:
    match key:
        case "results_texts":
            return [match.entry.content for match in found]
        case "results":
            return [match.entry.metadata["name"] for match in found]
        case "results_count":
            return len(found)
        case "scores":
            return [match.score for match in found]
        case "final_scores":
            return [match.final for match in found]
    raise NotUnderstood(f"expected has a key nobody reads: {key!r}")


def _errors(player: _Player, wanted: Sequence[Json]) -> None:
    assert len(player.errors) == len(wanted), f"errors: {player.errors}"
    for (at, error), expected in zip(player.errors, wanted, strict=True):
        with Fields(expected, "errors") as fields:
            assert fields.need("op") == at, f"operation {at} failed"
            kind = fields.need("kind")
            assert error.code == f"memory.{kind}", f"{error.code} is no {kind!r}"
            must_name(str(error), listed(fields.take("must_name", [])))


def _taken(fields: Fields, names: Sequence[str]) -> dict[str, Json]:
    return {name: fields.take(name) for name in names if name in fields}


def _seconds(at: str) -> float:
    """Seconds since the epoch, of a time with its offset."""
    moment = msgspec.convert(at, datetime)
    if moment.tzinfo is None:
        raise NotUnderstood(f"{at!r} has no offset")
    return moment.timestamp()
