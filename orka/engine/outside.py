"""Calls into code that is not ours. What it raises becomes a failure with a name, or a log line."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Protocol

from orka.errors import Failure, HandlerError, OrkaError, ScreenError
from orka.event.event import Event
from orka.graph.guards import Made
from orka.port.guard import Screened
from orka.port.handler import Answer, Handler
from orka.port.model import Call
from orka.run.strand import told
from orka.value import Json, plain

_log = logging.getLogger("orka")


async def ask(
    handler: Handler, payload: Json, call: Call, timeout: float | None
) -> tuple[Answer, Failure | None]:
    """One attempt: the answer, or the failure. Raises nothing but this task's own cancellation."""
    limit = None if timeout is None else asyncio.timeout(timeout)
    try:
        if limit is None:
            return _checked(await handler(payload, call)), None
        async with limit:
            return _checked(await handler(payload, call)), None
    except TimeoutError as error:
        if limit is not None and limit.expired():
            return Answer(None), too_slow(call.node, timeout or 0.0)
        return Answer(None), foreign(error)
    except OrkaError as error:
        return Answer(None), error.failure()
    except asyncio.CancelledError as error:
        if _stopping():
            raise
        return Answer(None), foreign(error)
    except (Exception, SystemExit) as error:  # the failure of an effect is a fact in the trace
        return Answer(None), foreign(error)


def legible(answer: object) -> tuple[Json, tuple[str, ...], Failure | None]:
    """What a handler gave, as JSON with notes; or why it cannot be."""
    try:
        return *plain(answer), None
    except Exception as error:  # the value is a stranger's object, with methods of its own
        return None, (), foreign(error)


def looked_at(name: str, guard: Made, text: str) -> Screened:
    """What a guard says of a text. Raises `ScreenError` for one that cannot say it: the words of a
    stranger's exception may be the text's own, so that only its type is told."""
    try:
        said = guard.screen(text)
    except ScreenError:
        raise
    except Exception as error:  # a stranger's guard: a text it cannot look at does not pass
        raise _unscreened(name, f"raised {type(error).__name__}") from None
    if not isinstance(said, Screened):
        raise _unscreened(name, f"gave {type(said).__name__}, not a Screened")
    end = 0
    for each in said.findings:
        if not end <= each.start <= each.end <= len(text):
            raise _unscreened(name, f"found {each.kind!r} at a place that is none")
        end = each.end
    return said


def _unscreened(name: str, what: str) -> ScreenError:
    return ScreenError(
        f"guard {name!r} {what}: what it should have looked at does not pass",
        fix="this is a mistake of the guard; `orka plugins` shows which package it is of",
    )


class Watcher(Protocol):
    """Sees what happens and cannot disturb it: events once they are stored, text as it streams."""

    def event(self, run: str, seq: int, event: Event) -> None: ...
    def text(self, run: str, effect: str, piece: str) -> None: ...


class Audience:
    """Those who watch. One that raises is told so in the log and hears no more."""

    def __init__(self, watchers: Iterable[Watcher] = ()) -> None:
        self._watchers = list(watchers)

    def events(self, run: str, first: int, events: Sequence[Event]) -> None:
        for watcher in self._watchers[:]:
            try:
                for seq, event in enumerate(events, first):
                    watcher.event(run, seq, event)
            except Exception:  # watching may not disturb a run
                self._dismiss(watcher)

    def text(self, run: str, effect: str, piece: str) -> None:
        for watcher in self._watchers[:]:
            try:
                watcher.text(run, effect, piece)
            except Exception:  # watching may not disturb a run
                self._dismiss(watcher)

    def _dismiss(self, watcher: Watcher) -> None:
        self._watchers.remove(watcher)
        _log.exception("%s raised and watches no longer", type(watcher).__name__)


def foreign(error: BaseException) -> Failure:
    """A stranger's exception: its type and text. Attributes (headers, bodies) are never copied."""
    return Failure(code="effect.raised", message=told(error))


def too_slow(node: str, timeout: float) -> Failure:
    return Failure(
        code="timeout",
        message=f"no answer for {node!r} within {timeout:g} s",
        fix=f"raise `timeout` of {node!r}, or give it `retries`",
    )


def _checked(answer: object) -> Answer:
    """Handlers come from plugins too: what is no `Answer` is a failure, not a crash."""
    if isinstance(answer, Answer):
        return answer
    raise HandlerError(
        f"the handler returned {type(answer).__name__}, not an Answer", retryable=False
    )


def _stopping() -> bool:
    """True if this task is being cancelled, not if a handler let out one of its own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
