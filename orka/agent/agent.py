"""`@agent`: an async function, the type of its options, and what it declares about its shape."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec

from orka.agent.context import Context
from orka.errors import PluginError
from orka.value import Json

AgentFunction = Callable[[Context], Awaitable[Json]]


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent type without options of its own."""


class JoinPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """When a join goes on: after `count` branches have ended well (None: after all that were not
    routed away), or `deadline` seconds after the fork, with what is there. With `partial` a branch
    that fails does not fail the run: its error stands in the join's output."""

    count: int | None = None
    deadline: float | None = None
    partial: bool = False

    @property
    def tolerant(self) -> bool:
        """True if the join can do without some of its branches."""
        return self.partial or self.count is not None or self.deadline is not None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What a router decides by, so that its routes can be proven: the field at `path` of what
    `source` gave is one of `cases`, or meets one of `conditions` over `value`, or there is a
    `fallback`."""

    source: str
    path: str = ""
    cases: Sequence[str] = ()
    conditions: Sequence[str] = ()
    fallback: bool = False


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent's options say about the graph around it.

    `routes`: case -> the nodes that run, one after another, when the agent's value has
    `route` equal to the case. `branches`: sequences that run after the agent, at once, or one
    after the other if they are `chained`. `joins`: the id of the fork whose branches end here;
    `policy` says when it goes on.
    `catches`: failure code -> the node that runs when the agent fails with it.
    `inner`: name -> the option that holds a workflow the agent may open; `children`: the option
    that holds a list of agents, each of which it may open by its id; `pool`: it may open each
    agent of the workflow that nothing else leads to, by its id. Such inner graphs see the outputs
    the agent itself sees if it is not `closed`; `names`
    and `gives` are further names and outputs that it lends them (`ctx.graph(names=, outputs=)`).
    `reads`: nodes whose outputs the agent needs; `decision`: how it chooses among its routes;
    `output`: the JSON Schema of what it gives, if there is one; `answers`: it can be what a run of
    OrKa 0.9 says at its end. `tools`, `models`:
    what it will ask for by name, so that a missing one is found before the run; `criteria`,
    `strategies`: those it decides by (`ctx.criteria`, `ctx.strategies`). `named`: option -> the
    agents of its `pool` that the option names. `guards`: those that look at all that comes into
    the whole run, because the agent is there: a name, or a map with `use` and the guard's options.
    """

    routes: Mapping[str, Sequence[str]] = {}
    branches: Sequence[Sequence[str]] = ()
    chained: bool = False
    joins: str = ""
    policy: JoinPolicy | None = None
    catches: Mapping[str, str] = {}
    inner: Mapping[str, str] = {}
    children: str = ""
    pool: bool = False
    closed: bool = False
    names: Sequence[str] = ()
    gives: Sequence[str] = ()
    reads: Sequence[str] = ()
    decision: Decision | None = None
    output: Json = None
    answers: bool = False
    tools: Sequence[str] = ()
    models: Sequence[str] = ()
    criteria: Sequence[str] = ()
    strategies: Sequence[str] = ()
    named: Mapping[str, Sequence[str]] = {}
    guards: Sequence[str | Mapping[str, Json]] = ()


class AgentType(msgspec.Struct, frozen=True, kw_only=True):
    """What a plugin registers. `templates` names the options that are templates (strings, or
    mappings and lists with strings in them). `check` says what is wrong with the options, if
    anything, before a run. One that is not `timed` waits as long as it takes: its nodes have no
    `timeout`. `gives` is what it returns, if it says: a JSON Schema, a Struct, a dataclass or a
    pydantic model."""

    name: str
    function: AgentFunction
    config: type[msgspec.Struct] = NoOptions
    templates: tuple[str, ...] = ()
    shape: Callable[[Any], Shape] | None = None  # Any: the agent's own config type
    check: Callable[[Any], str] | None = None  # Any: the agent's own config type
    version: str = ""
    doc: str = ""
    timed: bool = True
    gives: object = None


def agent(
    name: str,
    *,
    config: type[msgspec.Struct] = NoOptions,
    templates: Sequence[str] = (),
    shape: Callable[[Any], Shape] | None = None,  # Any: the agent's own config type
    check: Callable[[Any], str] | None = None,  # Any: the agent's own config type
    version: str = "",
    timed: bool = True,
    gives: object = None,
) -> Callable[[AgentFunction], AgentType]:
    """Make an agent type of an async function that takes a `Context` and returns JSON.

    A value that is not what `gives` says (a JSON Schema, a Struct, a dataclass, a pydantic model)
    fails the node. Raises `PluginError` for a function that is not async.
    """

    def register(function: AgentFunction) -> AgentType:
        if not inspect.iscoroutinefunction(function):
            raise PluginError(
                f"agent {name!r} is not an async function",
                fix="write `async def`; blocking work belongs into a tool",
                code="plugin.agent_signature",
            )
        return AgentType(
            name=name,
            function=function,
            config=config,
            templates=tuple(templates),
            shape=shape,
            check=check,
            version=version,
            doc=(function.__doc__ or "").strip(),
            timed=timed,
            gives=gives,
        )

    return register
