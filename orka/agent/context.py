"""Everything an agent may see and ask. It has no clock, no network and no randomness of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Protocol

from orka.agent.deciding import Choices, Deciding
from orka.agent.effect import Effect, Group
from orka.value import Json, copied


class World(Choices, Protocol):
    """What the run knows and a context gives out when it is asked."""

    def render(self, name: str, names: Mapping[str, Json]) -> Json: ...
    def now(self) -> float: ...
    def spent(self) -> dict[str, Json]: ...
    def settled(self) -> list[dict[str, Json]]: ...
    def pool(self) -> dict[str, Json]: ...


class Context(Deciding):
    """The one door of an agent. What it gives out can be read, never written through."""

    __slots__ = (
        "_failing",
        "_given",
        "_input",
        "_world",
        "config",
        "node",
        "outputs",
        "run",
        "scope",
        "sources",
    )
    _input: Json
    _world: World

    def __init__(
        self,
        *,
        run: str,
        scope: str,
        node: str,
        input: Json,
        outputs: Mapping[str, Json],
        sources: tuple[str, ...],
        failing: tuple[str, ...],
        config: Json,
        world: World,
    ) -> None:
        self.run, self.scope, self.node = run, scope, node
        self._given, self.outputs, self.config = input, outputs, config
        self.sources, self._failing = sources, failing
        self._world = world

    @property
    def input(self) -> Json:
        """What the workflow was given: a copy, made when it is first looked at."""
        try:
            return self._input
        except AttributeError:
            self._input = copied(self._given)
            return self._input

    @property
    def upstream(self) -> dict[str, Json]:
        """Outputs of the nodes whose paths came here, in the order of the file. What only chose a
        route is not among them, nor what failed and was caught: `failed` has their errors."""
        return {id: self.outputs[id] for id in self.sources}

    @property
    def failed(self) -> dict[str, Json]:
        """`{error: …}` of the nodes whose failure led here, in the order of the file."""
        return {id: self.outputs[id] for id in self._failing}

    def render(self, name: str, names: Mapping[str, Json] | None = None) -> Json:
        """The node's templated option `name`, rendered once; `names` are further names it may use.
        Raises `TemplateError`."""
        return self._world.render(name, names or {})

    def llm(
        self,
        prompt: str | Sequence[Mapping[str, Json]],
        *,
        model: str,
        schema: Json = None,
        choices: Sequence[str] = (),
        params: Mapping[str, Json] | None = None,
        options: Mapping[str, Json] | None = None,
        tools: Sequence[str] = (),
    ) -> Effect:
        """Ask a model (`provider/name`). Gives a mapping with `text`, `finish_reason` and, for a
        question with `choices`, `probabilities` and `mass`; with `tools` (names of those it may
        call) perhaps `tool_calls`, which are not performed. Raises `EffectFailed`."""
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
        payload: dict[str, Json] = {"model": model, "messages": [dict(m) for m in messages]}
        if schema is not None:
            payload["schema"] = schema
        if choices:
            payload["choices"] = list(choices)
        if params:
            payload["params"] = dict(params)
        if options:
            payload["options"] = dict(options)
        if tools:
            payload["tools"] = list(tools)
        return Effect("llm", payload)

    def tool(self, name: str, /, **args: Json) -> Effect:
        """Call a tool by name. Raises `EffectFailed`."""
        return Effect("tool", {"name": name, "args": args})

    def memory(self, op: str, /, **args: Json) -> Effect:
        """Write, search, get, delete or stats; what each takes and gives stands in docs/memory.md.
        Raises `EffectFailed`."""
        return Effect("memory", {"op": op, **args})

    def sleep(self, seconds: float) -> Effect:
        """Wait; survives a crash, and the time already waited counts."""
        return Effect("sleep", {"seconds": seconds})

    def random(self) -> Effect:
        """A float in [0, 1), recorded, so that a replay sees the same one."""
        return Effect("random", None)

    def ask(
        self,
        prompt: str,
        *,
        schema: Json = None,
        sealed: bool = False,
        show: Json = None,
        approvers: Sequence[str] = (),
        within: float | None = None,
    ) -> Effect:
        """Ask a person. The run waits, durably, until the question is answered.

        A `sealed` question is asked with a seal over all there is to it; what it is to `show`, or
        who its `approvers` are, an answer has to carry the seal for. `within` are the seconds after
        which nobody may answer any more: the effect then fails with `approval.timeout`."""
        payload: dict[str, Json] = {"prompt": prompt, "schema": schema}
        if sealed:
            payload["seal"] = ""
            payload |= {} if show is None else {"show": show}
            payload |= {"approvers": list(approvers)} if approvers else {}
            payload |= {} if within is None else {"within": within}
        return Effect("ask", payload)

    def graph(
        self,
        name: str,
        input: Json,
        *,
        collect: bool = False,
        outputs: Mapping[str, Json] | None = None,
        names: Mapping[str, Json] | None = None,
        once: int = 0,
    ) -> Effect:
        """Run one of the node's inner workflows as a scope and give its output; with `collect` a
        mapping of all its nodes' outputs. `outputs` are further outputs it sees; `names` further
        names of its templates and conditions. `once` (1, 2, …) says of which try of the node's work
        the scope is part: a question to a model, tool or person, or a change of a memory, that
        succeeded in an earlier try is not asked again, but answered as it was."""
        payload: dict[str, Json] = {"graph": name, "input": input}
        if collect:
            payload["collect"] = True
        if outputs:
            payload["outputs"] = dict(outputs)
        if names:
            payload["names"] = dict(names)
        if once:
            payload["once"] = once
        return Effect("graph", payload)

    def all(self, *members: Awaitable[Json], settle: bool = False, limit: int = 0) -> Group:
        """Several effects or coroutines at once (at most `limit`, if it is not 0); values in
        written order. The first failure in that order is raised after all have ended; with
        `settle` failures stand in the list."""
        return Group(members, settle=settle, limit=limit)

    def spent(self) -> dict[str, Json]:
        """What the effects answered so far took: `tokens`, `cost` (None: unknown), `seconds` since
        the node began."""
        return self._world.spent()

    def settled(self) -> list[Json]:
        """What became of each node upstream, in the order of the file: `id`, `type`, `status`
        (done, skipped, failed, late), `route`, `targets` (the branches of a fork, or where the
        route of a `router` leads), `group`, `error`."""
        return self._world.settled()

    @property
    def pool(self) -> dict[str, Json]:
        """The agents that a node with a pool may open by id: `type`, `options`, `capabilities` and
        `description` of each."""
        return self._world.pool()

    def now(self) -> float:
        """Seconds since the epoch: the clock of the fact that woke this strand of the agent."""
        return self._world.now()
