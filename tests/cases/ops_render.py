"""`render`: a template with given names, in a real run where they can come about in one."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path

from cases.checks import holds
from cases.language import Case, Fields, listed
from cases.observed import Observed
from cases.script import script
from cases.stage import Stage, played
from orka.errors import TemplateError
from orka.event.event import EffectRequested
from orka.graph.chain import Mood
from orka.graph.rewrite import rewritten
from orka.graph.template import Templates
from orka.graph.vocabulary import NAMES, OUTPUTS
from orka.run.names import Names
from orka.value import Json

_ID = re.compile(r"[A-Za-z_][\w-]*")
_IN_A_RUN = {"input", "previous_outputs", "params"}


def render(case: Case, folder: Path) -> None:
    """What the agent's model or tool was asked is the text."""
    with Fields(case.input, "input") as given:
        template, context = given.need("template"), _keyed(given.take("context", {}))
        agent, kind = given.take("agent", "writer"), given.take("agent_type", "llm")
        dialect = str(given.take("dialect", "1"))
    own = [name for name in context if name not in NAMES and name.isidentifier()]
    if own and dialect == "1":
        template, context = _given(template, context, own)
    known = context.get("previous_outputs", {})
    in_a_run = dialect == "1" and set(context) <= _IN_A_RUN and all(map(_ID.fullmatch, known))
    if in_a_run and agent not in known:
        observed = _run(folder, template, context, agent, kind)
    else:
        observed = _rendered(template, context, agent, dialect)
    expected = dict(case.expected)
    for text in listed(expected.pop("must_not", [])):
        assert text not in observed.texts, f"the text is {text!r}"
    holds(observed, expected)


def _given(
    template: str, context: Mapping[str, Json], names: list[str]
) -> tuple[str, dict[str, Json]]:
    """Names of the case's own are parameters of the agent, and known by their names."""
    sets = "".join(f"{{% set {name} = params.{name} %}}" for name in names)
    rest = {name: value for name, value in context.items() if name not in names}
    params = {**rest.get("params", {}), **{name: context[name] for name in names}}
    return sets + template, {**rest, "params": params}


def _keyed(value: Json) -> Json:
    """A value as JSON has it: all keys are text."""
    if isinstance(value, Mapping):
        return {str(key): _keyed(item) for key, item in value.items()}
    return [_keyed(item) for item in value] if isinstance(value, list) else value


def _rendered(template: str, context: Mapping[str, Json], agent: str, dialect: str) -> Observed:
    known = context.get("previous_outputs", {})
    values = {"input": None, "params": {}, "outputs": known, "previous_outputs": {}, **context}
    started = time.perf_counter()
    try:
        compiled = Templates(dialect, tuple(known)).compile(template, f"agent {agent!r}")
        text = compiled.render(Names(values, lambda: 0.0))
    except TemplateError as error:
        return Observed(error=error, seconds=_since(started), extra=_said(None))
    return Observed(seconds=_since(started), texts=[text], extra=_said(text))


def _since(started: float) -> float:
    return time.perf_counter() - started


def _said(text: str | None) -> dict[str, Json]:
    return {"text": text, "tool_received": text}


def _run(
    folder: Path, template: str, context: Mapping[str, Json], agent: str, kind: str
) -> Observed:
    """Agents before it give what it is to see."""
    known = context.get("previous_outputs", {})
    skipped = [id for id in _spared(template, known) if id != agent]
    asks: dict[str, Json] = {"type": "llm", "model": "scripted", "prompt": template}
    if kind == "tool":
        asks = {"type": "tool", "tool": "asked", "args": {"text": template}}
    if "params" in context:
        asks["params"] = context["params"]
    flow = {
        "version": 1,
        "orchestrator": {
            "id": "case",
            "strategy": "sequential",
            "agents": [*known, *skipped, agent],
        },
        "agents": [
            *({"id": id, "type": "tool", "tool": "known", "args": {}} for id in known),
            *({"id": id, "type": "tool", "tool": "known", "when": "false"} for id in skipped),
            {"id": agent, **asks},
        ],
    }
    replies = {id: [{"reply": value}] for id, value in known.items()} | {agent: ["said"]}

    async def one() -> Observed:
        async with Stage(folder, script(replies), [flow], virtual=True) as stage:
            return await stage.play(flow, context.get("input"), "case")

    observed = played(one(), virtual=True)
    text = _asked(observed, agent)
    observed.extra = _said(text)
    observed.texts = [text] if text is not None else []
    return observed


def _spared(template: str, known: Mapping[str, Json]) -> list[str]:
    """Outputs that a template says it can do without and that are not there: agents that were
    skipped."""
    try:
        found = rewritten(template, "template", strict=True, ids=known).found
    except TemplateError:
        return []
    named = [chain for chain in found.chains if chain.root in OUTPUTS and chain.steps]
    hard = {chain.steps[0].key for chain in named if chain.mood not in (Mood.SOFT, Mood.TEST)}
    asked = [str(chain.steps[0].key) for chain in named if chain.mood is Mood.TEST]
    ids = [str(chain.steps[0].key) for chain in named if chain.mood in (Mood.SOFT, Mood.TEST)]
    spared = [id for id in dict.fromkeys(ids) if id not in hard or id in asked]
    return [id for id in spared if id not in known and _ID.fullmatch(id)]


def _asked(observed: Observed, agent: str) -> str | None:
    """The prompt of a model, or the argument of a tool."""
    for event in observed.run.events if observed.run else ():
        if isinstance(event, EffectRequested) and event.id.startswith(f"{agent}#"):
            if event.kind == "tool":
                return str(event.payload["args"]["text"])
            return str(event.payload["messages"][-1]["content"])
    return None
