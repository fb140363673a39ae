"""A memory: entries in namespaces, found again by key, by words or by a vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from orka.value import Json

Status = Literal["stored", "updated", "duplicate", "conflict"]
Method = Literal["keyword", "vector", "recent", "none"]


class Draft(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be remembered.

    `namespace` and `user` are exact: nothing is folded, and no user is a user of its own. With a
    `key` the entry of that key is updated; without one, an entry with the same words is renewed.
    `ttl` are seconds; `renew_on_read` starts them anew whenever the entry is found. `expect` is the
    version the writer has seen (0: none); if it is another by now, nothing is written.
    `importance` and `vector` are None if unknown. `node` and `run` say who wrote it.
    """

    namespace: str
    content: str
    metadata: Mapping[str, Json] = {}
    key: str = ""
    user: str = ""
    memory_type: str = ""
    category: str = ""
    importance: float | None = None
    ttl: float | None = None
    renew_on_read: bool = False
    vector: tuple[float, ...] | None = None
    expect: int | None = None
    node: str = ""
    run: str = ""


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a draft. `key` is the entry's key, or its id if it has none; `expires_at` is
    None for what stays; `at` is when it was written. A conflict gives the version that is there."""

    status: Status
    id: str
    key: str
    version: int
    at: float
    expires_at: float | None = None


class Query(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is looked for: words of `text`, what is near `vector`, or, with neither, the newest.

    `threshold` is the least score, `filters` are metadata that must be equal, an empty `category`
    or `memory_type` means any. `recency` in [0, 1] says how much of the order is age, which halves
    a score after `half_life` seconds.
    """

    namespace: str
    text: str | None = None
    vector: tuple[float, ...] | None = None
    user: str = ""
    limit: int = 10
    threshold: float = 0.0
    category: str = ""
    memory_type: str = ""
    filters: Mapping[str, Json] = {}
    recency: float = 0.0
    half_life: float = 86_400.0


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered. Times are seconds since the epoch; at `expires_at` the entry is gone."""

    id: str
    namespace: str
    key: str
    user: str
    content: str
    metadata: Mapping[str, Json]
    memory_type: str
    category: str
    importance: float | None
    created_at: float
    updated_at: float
    expires_at: float | None
    version: int
    node: str
    run: str


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """An entry that was found. `score` in [0, 1] says how well it fits (None: nothing was asked),
    `final` is what it was ordered by."""

    entry: Entry
    score: float | None = None
    final: float | None = None


class Matches(msgspec.Struct, frozen=True, kw_only=True):
    """Best first. `method` says how they were found."""

    method: Method
    found: Sequence[Match] = ()


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """How many entries there are; `expired` ones are gone for every reader and await `expire`."""

    backend: str
    total: int
    expired: int
    by_namespace: Mapping[str, int]
    by_type: Mapping[str, int]
    by_category: Mapping[str, int]


class Memory(Protocol):
    """Called from a thread; implementations wait for their own turn. `now` is the clock of the
    effect. `once` is its key: a second call with the same one changes nothing and gives what the
    first gave. Raises `orka.errors.RecallError`."""

    @property
    def backend(self) -> str: ...

    def write(self, draft: Draft, *, now: float, once: str = "") -> Written: ...

    def search(self, query: Query, *, now: float) -> Matches: ...

    def get(self, namespace: str, key: str, *, user: str = "", now: float) -> Entry | None:
        """The entry of that key, or of that id."""

    def delete(
        self, namespace: str, key: str, *, user: str = "", now: float, once: str = ""
    ) -> bool:
        """True if there was such an entry."""

    def stats(self, *, now: float, namespace: str = "") -> Stats: ...

    def expire(self, now: float) -> int:
        """Take out what is gone already; how many entries that were."""

    def close(self) -> None: ...
