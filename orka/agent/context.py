"""Everything an agent may see and ask. It has no clock, no network and no randomness of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence

from orka.agent.effect import Effect, Group, Remark
from orka.value import Json, copied


class Context:
    """The one door of an agent. What it gives out can be read, never written through."""

    __slots__ = (
        "_clock",
        "_given",
        "_input",
        "_render",
        "config",
        "node",
        "outputs",
        "run",
        "scope",
        "sources",
    )
    _input: Json

    def __init__(
        self,
        *,
        run: str,
        scope: str,
        node: str,
        input: Json,
        outputs: Mapping[str, Json],
        sources: tuple[str, ...],
        config: Json,
        render: Callable[[str], Json],
        clock: Callable[[], float],
    ) -> None:
        self.run, self.scope, self.node = run, scope, node
        self._given, self.outputs, self.config = input, outputs, config
        self.sources = sources
        self._render, self._clock = render, clock

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
        route, or failed and was caught, is not among them."""
        return {id: self.outputs[id] for id in self.sources}

    def render(self, name: str) -> Json:
        """The node's templated option `name`, rendered once. Raises `TemplateError`."""
        return self._render(name)

    def llm(
        self,
        prompt: str | Sequence[Mapping[str, str]],
        *,
        model: str,
        schema: Json = None,
        choices: Sequence[str] = (),
        params: Mapping[str, Json] | None = None,
        options: Mapping[str, Json] | None = None,
    ) -> Effect:
        """Ask a model (`provider/name`). Gives a mapping with `text`, `finish_reason` and, for a
        question with `choices`, `probabilities` and `mass`. Raises `EffectFailed`."""
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
        return Effect("llm", payload)

    def tool(self, name: str, /, **args: Json) -> Effect:
        """Call a tool by name. Raises `EffectFailed`."""
        return Effect("tool", {"name": name, "args": args})

    def sleep(self, seconds: float) -> Effect:
        """Wait; survives a crash, and the time already waited counts."""
        return Effect("sleep", {"seconds": seconds})

    def random(self) -> Effect:
        """A float in [0, 1), recorded, so that a replay sees the same one."""
        return Effect("random", None)

    def ask(self, prompt: str, *, schema: Json = None) -> Effect:
        """Ask a person. The run waits, durably, until the question is answered."""
        return Effect("ask", {"prompt": prompt, "schema": schema})

    def graph(self, name: str, input: Json, *, collect: bool = False) -> Effect:
        """Run one of the node's inner workflows as a scope and give its output; with `collect` a
        mapping of all its nodes' outputs."""
        payload = {"graph": name, "input": input}
        return Effect("graph", {**payload, "collect": True} if collect else payload)

    def all(self, *members: Awaitable[Json], settle: bool = False, limit: int = 0) -> Group:
        """Several effects or coroutines at once (at most `limit`, if it is not 0); values in
        written order. The first failure in that order is raised after all have ended; with
        `settle` failures stand in the list."""
        return Group(members, settle=settle, limit=limit)

    def now(self) -> float:
        """Seconds since the epoch: the clock of the fact that woke this strand of the agent."""
        return self._clock()

    def violation(
        self,
        *,
        message: str,
        raw: str,
        kind: str = "",
        where: str = "",
        schema: str = "",
        route: str = "",
        effect: str = "",
    ) -> Remark:
        """Record that a reading broke its contract. `effect`: the last one asked, if not given."""
        fields = {"where": where, "message": message, "raw": raw, "schema": schema}
        return Remark("violation", effect, {**fields, "kind": kind, "route": route})

    def repaired(self, rule: str, *, before: Json, after: Json, where: str = "") -> Remark:
        """Record that a reading was changed by a rule, never silently."""
        fields = {"rule": rule, "before": before, "after": after, "where": where}
        return Remark("repaired", "", fields)

    def note(self, kind: str, message: str, data: Json = None) -> Remark:
        """Record why the agent goes on as it does: a child that was given up, a rule that ended a
        loop."""
        return Remark("noted", "", {"kind": kind, "message": message, "data": data})
