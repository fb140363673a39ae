"""Many runs at once: never more than `limit` under way, inputs taken only when there is room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

from orka.errors import ConfigError

T = TypeVar("T")
R = TypeVar("R")


def bounded(begin: Callable[[T], Awaitable[R]], items: Iterable[T], limit: int) -> AsyncIterator[R]:
    """Results as they come. An error in one ends all: the rest is cancelled, the error raised.

    Raises `ConfigError` at once for a limit below 1.
    """
    if limit < 1:
        raise ConfigError(
            f"the limit of runs at once is {limit!r}", fix="let at least 1 run at a time"
        )
    return _results(begin, items, limit)


async def _results(
    begin: Callable[[T], Awaitable[R]], items: Iterable[T], limit: int
) -> AsyncIterator[R]:
    waiting = iter(items)
    running: set[asyncio.Task[R]] = set()
    try:
        while True:
            while len(running) < limit:
                try:
                    item = next(waiting)
                except StopIteration:
                    break
                running.add(asyncio.ensure_future(begin(item)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
