"""What an agent may await: effects of its context, and groups of them."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Generator, Mapping, Sequence

from orka.value import Json


class Effect:
    """A question to the world. Awaiting it hands it to the scheduler, which records it."""

    __slots__ = ("kind", "payload")

    def __init__(self, kind: str, payload: Json) -> None:
        self.kind, self.payload = kind, payload

    def __await__(self) -> Generator[Effect, Json, Json]:
        return (yield self)


class Group:
    """Several strands of one agent, at most `limit` at once (0: all of them). Gives their values in
    the order they were written."""

    __slots__ = ("limit", "members", "settle")

    def __init__(self, members: Sequence[Awaitable[Json]], *, settle: bool, limit: int = 0) -> None:
        self.members, self.settle, self.limit = members, settle, limit

    def __await__(self) -> Generator[Group, list[Json], list[Json]]:
        return (yield self)


class Remark:
    """Something an agent states (`kind`: violation, repaired, noted, decided or quarantined);
    recorded as the event of that kind with `fields`, and answered at once."""

    __slots__ = ("effect", "fields", "kind")

    def __init__(self, kind: str, effect: str, fields: Mapping[str, Json]) -> None:
        self.kind, self.effect, self.fields = kind, effect, fields

    def __await__(self) -> Generator[Remark, None, None]:
        yield self


Asked = Effect | Group | Remark


async def one(member: Awaitable[Json]) -> Json:
    """A strand that does nothing but await `member`."""
    return await member


def strand_of(member: Awaitable[Json]) -> Coroutine[Asked, Json, Json]:
    """The coroutine to drive for one member of a group."""
    return member if isinstance(member, Coroutine) else one(member)
