"""Many runs at once: never more than `limit` under way, inputs taken only when there is room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def bounded(
    begin: Callable[[T], Awaitable[R]], items: Iterable[T], limit: int
) -> AsyncIterator[R]:
    """Results as they come. An error in one ends all: the rest is cancelled, the error raised."""
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
