"""Which paths a scout proposes: simple paths through its pool. Nothing is scored here."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.context import Context
from orka.agent.paths import PathRules
from orka.kit.agents.graph_scout.options import GraphScoutOptions
from orka.score.criterion import Proposal, Step
from orka.score.ledger import Pruned
from orka.value import Json

Pool = Mapping[str, Json]
# Types that lead to other agents instead of doing work.
_CONTROL = ("router", "fork", "join", "loop", "graph-scout", "path_executor")
# Types that give an answer of a model.
_ASKING = ("llm", "yes_no", "classify")
# What an agent that gives the answer says it can do.
ANSWERING = ("answer_emit", "response_generation")


def proposed(ctx: Context, pool: Pool) -> tuple[list[Proposal], list[Pruned]]:
    """The paths, and those left out."""
    options: GraphScoutOptions = ctx.config
    excluded = _excluded(options, pool)
    rules = PathRules(
        max_depth=options.max_depth,
        max_candidates=options.max_candidates,
        declared=options.paths,
        edges=options.edges,
        terminal=_terminal(options, pool, excluded),
        required=options.required_agents,
        excluded=excluded,
    )
    found = ctx.paths(rules)
    pruned = [Pruned(each.reason, each.message, each.count, each.paths) for each in found.left]
    return [
        Proposal(path=path, steps=tuple(_step(id, pool[id]) for id in path)) for path in found.found
    ], pruned


def _excluded(options: GraphScoutOptions, pool: Pool) -> dict[str, str]:
    """Declared exclusions, control flow, and agents that this scout keeps for something else."""
    found = {
        id: f"type {each['type']} leads to other agents"
        for id, each in pool.items()
        if each["type"] in _CONTROL
    }
    kept = (
        (options.fallback, "it is the fallback"),
        (options.decider, "it decides when it is too close"),
    )
    found |= {id: why for id, why in kept if id}
    return found | options.excluded


def _terminal(
    options: GraphScoutOptions, pool: Pool, excluded: Mapping[str, str]
) -> tuple[str, ...]:
    """The agents that a path ends with, in the order of the file; none: any may be the last."""
    if not options.require_terminal:
        return options.terminal_agents
    there = {id: each for id, each in pool.items() if id not in excluded}
    named = options.terminal_agents or [id for id, each in there.items() if _answers(each)]
    asking = [id for id, each in there.items() if each["type"] in _ASKING]
    return tuple(named or asking[-1:])


def _answers(each: Mapping[str, Json]) -> bool:
    return any(one in ANSWERING for one in each.get("capabilities") or ())


def _step(id: str, each: Mapping[str, Json]) -> Step:
    told = {
        name: value
        for name in ("model", "tool", "operation")
        if isinstance(value := each["options"].get(name), str)
    }
    able = tuple(each.get("capabilities") or ())
    return Step(id=id, type=each["type"], capabilities=able, **told)
