"""A live agent coroutine. It is only a cache: the trace can always rebuild it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import ParamSpec, TypeVar

import msgspec
from msgspec import structs

from orka.agent.effect import Asked, Effect, Group, Remark
from orka.errors import AgentError, EffectFailed, Failure, ForeignAwait, OrkaError
from orka.run.context import Here
from orka.run.scope import Asked as AskedEffect
from orka.run.scope import Scope
from orka.value import Json

P = ParamSpec("P")
T = TypeVar("T")


class Returned(msgspec.Struct, frozen=True):
    value: Json


class Raised(msgspec.Struct, frozen=True):
    failure: Failure


Step = Effect | Group | Remark | Returned | Raised


class Strand:
    """One coroutine of a node: its agent, or a member of a group the agent awaits.

    The n-th effect of a strand is called `prefix` + n; `last` is the one it asked last,
    `given` the one whose answer it got last.
    """

    __slots__ = (
        "asked",
        "coroutine",
        "dead",
        "gathered",
        "given",
        "here",
        "index",
        "last",
        "now",
        "parent",
        "prefix",
        "scope",
        "slot",
    )

    def __init__(
        self,
        scope: Scope,
        index: int,
        prefix: str,
        coroutine: Coroutine[Asked, Json, Json],
        parent: Strand | None = None,
        slot: int = 0,
    ) -> None:
        self.scope, self.index, self.prefix = scope, index, prefix
        self.coroutine, self.parent, self.slot = coroutine, parent, slot
        self.asked, self.last = 0, ""
        self.now = 0.0
        self.dead = False
        self.given: AskedEffect | None = None
        self.gathered: Gathered | None = None
        self.here: Here

    def step(self, value: Json, error: Failure | None) -> Step:
        """Let the agent go on to its next question or its end."""
        try:
            if error is None:
                asked = self.coroutine.send(value)
            else:
                asked = self.coroutine.throw(EffectFailed(error))
        except StopIteration as stop:
            return Returned(stop.value)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as raised:  # an agent's failure is data: an event with a route
            return Raised(failure_of(raised))
        if isinstance(asked, (Effect, Group, Remark)):
            return asked
        return Raised(self._foreign(asked))

    def stop(self) -> None:
        """End the coroutine and those it gathers; what it still does then is not seen."""
        self.dead = True
        for child in self.gathered.strands if self.gathered else ():
            child.stop()
        try:
            self.coroutine.close()
        except Exception:  # cleaning up may not disturb the run, and has nowhere to report to
            return

    def _foreign(self, asked: object) -> Failure:
        self.stop()
        node = self.scope.graph.nodes[self.index]
        error = ForeignAwait(
            f"agent {node.id!r} awaited {type(asked).__name__}, which is no effect of its context",
            fix="await only what ctx gives (ctx.llm, ctx.tool, ctx.sleep, ctx.all …); "
            "put other work into a tool",
        )
        return error.failure()


class Gathered:
    """The members of a group that one strand waits for."""

    __slots__ = ("begun", "errors", "left", "settle", "strands", "values")

    def __init__(self, size: int, *, settle: bool) -> None:
        self.strands: list[Strand] = []
        self.values: list[Json] = [None] * size
        self.errors: dict[int, Failure] = {}
        self.left, self.settle = size, settle
        self.begun = 0

    def first_error(self) -> Failure | None:
        """The first failure in written order, naming the effects of the others too, so that a
        resume asks all of them anew."""
        if not self.errors or self.settle:
            return None
        first, *others = [self.errors[slot] for slot in sorted(self.errors)]
        effects = dict.fromkeys(id for each in others for id in (each.effect, *each.also) if id)
        effects.pop(first.effect, None)
        return structs.replace(first, also=(*first.also, *effects)) if effects else first


def failure_of(raised: BaseException) -> Failure:
    """An exception as data; the effect behind it is found along the chain of causes."""
    cause = _cause_behind(raised)
    if isinstance(raised, EffectFailed):
        return raised.cause
    if isinstance(raised, OrkaError):
        # Where it stands in a file is not recorded: the same graph may be read from another one.
        found = structs.replace(raised.failure(), where="")
    else:
        found = AgentError(
            told(raised),
            code="agent.raised",
            fix="the agent's code raised this; see its source",
        ).failure()
    return structs.replace(found, effect=cause.effect, also=cause.also) if cause else found


def at_fault(failure: Failure, effect: str) -> Failure:
    """`failure`, saying which effect is behind it."""
    if failure.effect == effect and not failure.also:
        return failure
    return structs.replace(failure, effect=effect, also=())


def _cause_behind(raised: BaseException | None) -> Failure | None:
    seen: set[int] = set()
    while raised is not None and id(raised) not in seen:
        if isinstance(raised, EffectFailed):
            return raised.cause
        seen.add(id(raised))
        raised = raised.__cause__ or raised.__context__
    return None


def told(error: BaseException) -> str:
    """Type and text of an error, also of one whose text cannot be had."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # a stranger's __str__
        return f"{type(error).__name__}, which has no text that can be read"


def read(convert: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | Failure:
    """Call `convert`, which meets an agent's own objects and whatever they raise."""
    try:
        return convert(*arguments, **named)
    except Exception as raised:  # a stranger's __iter__, __len__, …
        return failure_of(raised)
