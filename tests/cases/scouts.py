"""A case of `score_paths` as a run: a graph-scout whose factors are measured by criteria."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from cases.language import Fields, listed
from cases.observed import Observed
from cases.scores import Asked, figures
from cases.script import Script, script
from cases.stage import Stage, played
from orka.event.event import Decided
from orka.score.criterion import Criterion, Proposal, State, criterion
from orka.score.factor import PENALTIES
from orka.score.ledger import Ledger
from orka.value import Json

# A criterion of a plugin has a name of its own: those of OrKa measure otherwise.
_GIVEN = "given_"
# Words of a case -> options of the scout.
_OPTIONS = {
    **dict.fromkeys(("terminal", "terminals", "terminal_agents"), "terminal_agents"),
    **dict.fromkeys(("required", "required_agents"), "required_agents"),
    **dict.fromkeys(("excluded", "exclude", "visited"), "exclude"),
    **dict.fromkeys(("max_candidates", "max_paths"), "max_candidates"),
    **dict.fromkeys(("on_failure", "on_path_failure"), "on_failure"),
    **dict.fromkeys(("fallback", "fallback_agent"), "fallback"),
    **{
        name: name
        for name in ("max_depth", "edges", "require_terminal", "domain", "tenant", "judge")
    },
}
_AGENT_LISTS = ("terminal_agents", "required_agents")
_START = "scout"


class Scouting(msgspec.Struct, frozen=True, kw_only=True):
    """How the scout is run: which agents there are, whom they may follow, what they answer."""

    start: str
    agents: tuple[Json, ...]
    options: dict[str, Any]  # Any: an option may be anything
    script: Script
    input: Json = None
    execute: bool = False
    discover: bool = False
    wanted: bool = False

    @property
    def ids(self) -> list[str]:
        return [str(each["id"]) for each in self.agents]


def scouting(given: Fields, question: Asked) -> Scouting:
    """What the case says of the scout; takes those keys that it reads. It is `wanted` if there is
    one that only a scout can answer."""
    before = len(given)
    execute = bool(given.take("run", False)) | bool(given.take("execute", False))
    discover, start = bool(given.take("discover", False)), str(given.take("start", _START))
    options = {option: given.take(word) for word, option in _OPTIONS.items() if word in given}
    tools = [str(each) for each in given.take("tools") or []]
    agents, declared = given.take("agents"), given.take("agent_estimates") or {}
    replies = script(given.take("script"))
    wanted = len(given) < before
    value = next((given.take(w) for w in ("input", "task", "question") if w in given), "go")
    for name in _AGENT_LISTS:
        if name in options:
            options[name] = [str(each) for each in listed(options[name])]
    options["estimates"] = {id: figures(each) for id, each in declared.items()}
    if "edges" in options:
        options["edges"] = _edges(options["edges"])
    if isinstance(agents, Mapping):
        agents = [{**(each or {}), "id": id} for id, each in agents.items()]
    found = agents if agents is not None else _named(question, options)
    known = [each if isinstance(each, Mapping) else {"id": str(each)} for each in listed(found)]
    return Scouting(
        start=start,
        agents=tuple(_agent(each, tools) for each in known if each["id"] != start),
        options={name: each for name, each in options.items() if each is not None},
        script=replies,
        input=value,
        execute=execute,
        discover=discover or (bool(options.get("edges")) and not question.candidates),
        wanted=wanted,
    )


def _edges(written: Json) -> dict[str, list[str]]:
    """An agent -> those that may follow it; written so, or as pairs."""
    if isinstance(written, Mapping):
        return {str(id): [str(each) for each in listed(ids or [])] for id, ids in written.items()}
    found: dict[str, list[str]] = {}
    for first, then in written:
        found.setdefault(str(first), []).append(str(then))
    return found


def scouted(
    question: Asked, scout: Scouting, folder: Path
) -> tuple[Observed, Ledger | None, dict[str, str]]:
    """The run, its decision (None: it came to none), and the case's name of each path."""
    names = {" → ".join(each.path): each.id for each in question.candidates}
    flow = {
        "orchestrator": {"id": "case", "model": "scripted", "agents": [scout.start]},
        "agents": [_scout(question, scout), *scout.agents],
    }

    async def play() -> Observed:
        stage = Stage(folder, scout.script, [flow], virtual=True)
        for each in _criteria(question, names):
            stage.runtime.registry.add(each)
        async with stage:
            return await stage.play(flow, scout.input, "case")

    observed = played(play(), virtual=True)
    return observed, _ledger(observed, scout.start), names


def _agent(each: Mapping[str, Json], tools: Sequence[str]) -> Json:
    """An agent of the pool: it asks the scripted model, or calls a tool, once."""
    id = each["id"]
    usual = {"type": "tool", "tool": id} if id in tools else {"type": "llm", "prompt": str(id)}
    return dict(each) if "type" in each else {**usual, **each}


def _named(question: Asked, options: Mapping[str, Json]) -> list[str]:
    """All agents that paths and edges name, where the case has no list of them."""
    edges: Mapping[str, Json] = options.get("edges") or {}
    paths = [each.path for each in question.candidates]
    lists = [
        *paths,
        edges,
        *edges.values(),
        *([options["fallback"]] for _ in options.keys() & {"fallback"}),
    ]
    return list(dict.fromkeys(str(id) for ids in lists for id in ids))


def _scout(question: Asked, scout: Scouting) -> Json:
    paths = [each.path for each in question.candidates]
    own = dict(question.options)
    margin = own.get("commit_margin")
    if own.pop("margin_unit", "") == "noise":
        own["commit_margin"] = {"noise": margin}
    weights = _weights(question)
    longest = max((len(path) for path in paths), default=1)
    return {
        "id": scout.start,
        "type": "graph-scout",
        **_judge(scout),
        "execute": scout.execute,
        "criteria": _measured(question),
        **({} if weights is None else {"weights": weights}),
        "policies": {_own(question, name): each for name, each in question.policies.items()},
        "budget": dict(question.budget),
        **({} if scout.discover else {"paths": paths, "max_depth": longest}),
        **(_boolean(question) if question.severity else {}),
        **own,
        **scout.options,
        "estimates": _estimates(question) | scout.options["estimates"],
    }


def _judge(scout: Scouting) -> dict[str, Json]:
    """The model judges if the script has words for the scout itself."""
    said = scout.options.get("judge", {})
    if scout.start not in scout.script:
        return {"judge": {"mode": "none"}}
    return {"model": "scripted", "judge": {"repeat": 1, **said}}


def _weights(question: Asked) -> Json:
    """The weights, by the names under which the factors are measured."""
    held = question.weights
    if held is None and question.measured and not question.severity:
        held = question.counted
    if held is None and not question.severity:
        held = {"heuristics": 1.0}
    if question.severity or not isinstance(held, Mapping):
        return held
    return {_own(question, str(name)): each for name, each in held.items()}


def _boolean(question: Asked) -> dict[str, Json]:
    """The answers as conditions on the path; one that nobody knows asks for what is not there."""
    checks = []
    for name, severity in question.severity.items():
        held = [(list(each.path), each.components.get(name)) for each in question.candidates]
        true = [path for path, value in held if value == 1]
        unknown = [path for path, value in held if value not in (0, 1)]
        when = f"path in {true} or (path in {unknown} and outputs.nobody)"
        checks.append({"name": name, "when": when, "severity": severity})
    return {"scoring_mode": "boolean", "boolean": {"checks": checks, **question.rules}}


def _own(question: Asked, name: str) -> str:
    return _GIVEN + name if name in question.measured else name


def _measured(question: Asked) -> list[str]:
    """The criteria that count: what has no weight is measured for nothing."""
    held = question.counted
    weighed = held if isinstance(held, Mapping) and not question.severity else {}
    return [_GIVEN + name for name in question.measured if name in weighed]


def _criteria(question: Asked, names: Mapping[str, str]) -> list[Criterion]:
    """One for each factor that the case gives by number."""
    held = {each.id: each.components for each in question.candidates}

    def of(factor: str) -> Callable[[Proposal, State], object]:
        def measure(candidate: Proposal, state: State) -> object:
            return held[names[candidate.name]].get(factor)

        return measure

    return [
        criterion(_GIVEN + name, penalty=name in PENALTIES)(of(name)) for name in question.measured
    ]


def _estimates(question: Asked) -> dict[str, Json]:
    """What is estimated of a path, as declared of its agents: all of it is the share of the last
    one that is on no other path, and the others take nothing."""
    found: dict[str, Json] = {}
    for each in question.candidates:
        if not each.estimates:
            continue
        others = {id for other in question.candidates if other is not each for id in other.path}
        alone = [id for id in each.path if id not in others]
        nothing = {name: 0 for name, figure in each.estimates.items() if figure is not None}
        found |= {id: found.get(id, nothing) for id in each.path if id not in alone[-1:]}
        if alone:
            found[alone[-1]] = {n: f for n, f in each.estimates.items() if f is not None}
    return found


def _ledger(observed: Observed, start: str) -> Ledger | None:
    """The decision on record, its factors by the names of the case."""
    events = observed.run.events if observed.run is not None else ()
    made = [each for each in events if isinstance(each, Decided) and each.node == start]
    if not made:
        return None
    held = Ledger.read(made[-1].value)
    setting = msgspec.structs.replace(
        held.setting,
        factors=tuple(
            msgspec.structs.replace(each, name=each.name.removeprefix(_GIVEN))
            for each in held.setting.factors
        ),
    )
    candidates = tuple(
        msgspec.structs.replace(
            each, factors={name.removeprefix(_GIVEN): f for name, f in each.factors.items()}
        )
        for each in held.candidates
    )
    return msgspec.structs.replace(held, setting=setting, candidates=candidates)
