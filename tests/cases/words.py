"""The words of workflows in cases, where ours are others: keys are translated, values are not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from orka.source import Flow
from orka.value import Json

Agent = dict[str, Any]
# Another word for a key -> ours, by the type of the agent; "" is any type.
_WORDS: dict[str, dict[str, str]] = {
    "": {"max_retries": "retries", "timeout_seconds": "timeout", "timeout_s": "timeout"},
    "router": {
        **dict.fromkeys(("fallback", "else", "otherwise", "default_route"), "default"),
        "cases": "routing_map",
        "conditions": "routes",
    },
    "loop": {
        **dict.fromkeys(("max_iterations", "max_rounds", "max_iter"), "max_loops"),
        **dict.fromkeys(("threshold", "min_score"), "score_threshold"),
        **dict.fromkeys(("stop_word", "stop_on"), "stop_phrase"),
        "workflow": "internal_workflow",
    },
    "foreach": {
        **dict.fromkeys(("concurrency", "max_parallel"), "max_concurrency"),
        **dict.fromkeys(("over", "list"), "items"),
        "internal_workflow": "workflow",
    },
    "join": dict.fromkeys(("join", "mode", "wait_for"), "policy"),
}
_PARTIAL = ("partial", "continue", "collect", "keep")


def in_our_words(flow: Flow) -> Flow:
    """The workflow itself if nothing in it has to be translated."""
    if not isinstance(flow, str):
        return flow
    try:
        read = yaml.load(flow, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, TypeError):
        return flow
    return read if isinstance(read, dict) and _changed(read) else flow


def _changed(value: Json) -> bool:
    """Translate every agent in a value, in place. True if there was anything to translate."""
    if isinstance(value, list):
        return sum(map(_changed, value)) > 0  # every one of them, not the first
    if not isinstance(value, dict):
        return False
    mine = "id" in value and isinstance(value.get("type"), str) and _translated(value)
    return sum(map(_changed, value.values())) > 0 or mine


def _translated(agent: Agent) -> bool:
    before = dict(agent)
    for kind in ("", agent["type"]):
        for word, ours in _WORDS.get(kind, {}).items():
            if word in agent and ours not in agent:
                agent[ours] = agent.pop(word)
    if "timeout_ms" in agent:
        agent["timeout"] = agent.pop("timeout_ms") / 1000
    if agent["type"] in _OWN:
        _OWN[agent["type"]](agent)
    if isinstance(again := agent.get("retry"), Mapping):
        attempts = again.get("max_attempts", again.get("attempts"))
        agent["retries"] = (
            again.get("max", again.get("retries")) if attempts is None else attempts - 1
        )
        del agent["retry"]
    return agent != before


def _join(agent: Agent) -> None:
    for word in ("quorum", "min_success", "min_branches", "require"):
        if isinstance(agent.get(word), int):
            agent["policy"] = {"quorum": agent.pop(word)}
    if "deadline" in agent:
        agent["policy"] = {"deadline": agent.pop("deadline")}
    for word in ("on_failure", "on_error", "on_branch_failure", "on_branch_error"):
        if agent.get(word) in _PARTIAL:
            del agent[word]
            agent["on_failure"] = "partial"


def _loop(agent: Agent) -> None:
    if "patience" in agent:
        gain = agent.pop("min_delta", 0.01)
        agent["convergence"] = {"rounds": agent.pop("patience"), "min_gain": gain}
    for word, part in (
        ("max_seconds", "seconds"),
        ("max_cost", "cost"),
        ("token_budget", "tokens"),
    ):
        if word in agent:
            agent["budget"] = {**agent.get("budget", {}), part: agent.pop(word)}


_OWN: dict[str, Callable[[Agent], None]] = {"join": _join, "loop": _loop}
