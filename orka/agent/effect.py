"""What an agent may await: effects of its context, and groups of them."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Generator, Sequence

from orka.value import Json


class Effect:
    """A question to the world. Awaiting it hands it to the scheduler, which records it."""

    __slots__ = ("kind", "payload")

    def __init__(self, kind: str, payload: Json) -> None:
        self.kind, self.payload = kind, payload

    def __await__(self) -> Generator[Effect, Json, Json]:
        return (yield self)


class Group:
    """Several strands of one agent at once. Gives their values in the order they were written."""

    __slots__ = ("members", "settle")

    def __init__(self, members: Sequence[Awaitable[Json]], *, settle: bool) -> None:
        self.members, self.settle = members, settle

    def __await__(self) -> Generator[Group, list[Json], list[Json]]:
        return (yield self)


class Remark:
    """Something an agent states about a reading; recorded, and answered at once."""

    __slots__ = ("effect", "message", "raw", "schema", "where")

    def __init__(self, effect: str, where: str, message: str, raw: str, schema: str) -> None:
        self.effect, self.where, self.message = effect, where, message
        self.raw, self.schema = raw, schema

    def __await__(self) -> Generator[Remark, None, None]:
        yield self


Asked = Effect | Group | Remark


async def one(member: Awaitable[Json]) -> Json:
    """A strand that does nothing but await `member`."""
    return await member


def strand_of(member: Awaitable[Json]) -> Coroutine[Asked, Json, Json]:
    """The coroutine to drive for one member of a group."""
    return member if isinstance(member, Coroutine) else one(member)
