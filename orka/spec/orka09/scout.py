"""Graph-scouts of 0.9: how they scored, and with what; its settings act now."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orka.spec.orka09.asks import DEFAULT, LOCAL_KEY, base_url
from orka.spec.orka09.book import Keys, Place
from orka.spec.orka09.source import Source
from orka.value import Json

# What a scout weighed with, unless its file said otherwise.
WEIGHTS = {"llm": 0.45, "heuristics": 0.2, "prior": 0.2, "cost": 0.1, "latency": 0.05}
MARGIN = 0.15
# Weights that stood for something else: a required agent is a condition now.
_GONE_WEIGHTS = ("compliance", "brain")
# What scores said of the length of a path, as a prior.
_STRUCTURE: dict[str, Json] = {
    "domain": "structure",
    "about": "how long a path is",
    "rules": [
        {"id": "alone", "when": "length == 1", "prior": 0.5, "reason": "one agent does it all"},
        {
            "id": "short",
            "when": "length == 2 or length == 3",
            "prior": 0.9,
            "reason": "two or three agents share the work",
        },
        {"id": "four", "when": "length == 4", "prior": 0.7, "reason": "four agents are many"},
    ],
    "otherwise": {"prior": 0.4, "reason": "more than four agents are too many"},
}
_HEURISTICS: list[Json] = [
    {
        "when": "'answer_emit' in last.capabilities or 'response_generation' in last.capabilities",
        "weight": 1,
        "message": "it ends with an agent that gives the answer",
    },
    {"when": "len(repeated) > 0", "weight": -1, "message": "the same runs twice in a row"},
    {
        "when": "first.operation == 'write'",
        "weight": -1,
        "message": "it keeps something before anything is found out",
    },
    {
        "when": "('code_execution' in capabilities or 'file_write' in capabilities or "
        "'database_write' in capabilities or 'external_api' in capabilities) and not "
        "('sandboxed' in capabilities or 'read_only' in capabilities or "
        "'validated' in capabilities)",
        "weight": -1,
        "message": "it can do harm, and is not sandboxed",
    },
]
# What each profile of safety forbids.
_FORBIDDEN = {
    "default": ("code_execution",),
    "moderate": ("code_execution", "file_system_access", "database_writes"),
    "strict": (
        *("code_execution", "file_system_access", "database_writes"),
        *("external_api_calls", "email_sending"),
    ),
}
_BOOLEAN = {"require_critical": "require_critical", "important_threshold": "important_threshold"}
_LIMITS = {
    "min_success_rate": "min_success_rate",
    "max_acceptable_cost": "max_cost",
    "max_acceptable_latency": "max_latency_ms",
}
_REQUIRED = re.compile(r"REQUIRED_AGENTS?\s*[:=]\s*\[([^\]{}]*)\]")
# Settings of a scout that have no effect: what they were for is done in another way, or never was.
IDLE: tuple[str, ...] = ("min_domain_overlap", "max_preview_tokens", "tool_policy", "ttl_days")
IDLE += ("validation_model", "validation_model_name", "log_previews", "log_components")
IDLE += ("brain_assisted", "brain_boost_weight", "evaluation_model", "safety_threshold")


def scout(source: Source) -> dict[str, Json]:
    """The options of a graph-scout."""
    keys = source.keys
    # 0.9 knew nothing of earlier runs: a file that worked goes on to choose as it did.
    made: dict[str, Json] = {"history": 0}
    made |= _asking(source) | _paths(source) | _scores(keys) | _limits(source)
    if (safety := made.pop("safety", None)) is not None:
        made["priors"] = [*made.get("priors", []), safety]
    keys.place.note("paths are scored, and the scores decide", "scored them, and ran none of them")
    return made


def _asking(source: Source) -> dict[str, Json]:
    """Which model judges, if one does."""
    keys, place = source.keys, source.keys.place
    where = keys.where("llm_provider", "provider")
    provider = str(keys.take("llm_provider", "provider") or "").lower()
    url = keys.take("llm_url", "model_url", "url", "base_url")
    if provider:
        does = f"the provider is not needed: {provider!r} is asked at its OpenAI-compatible door"
        place.note(does, "asked at /api/generate" if provider == "ollama" else "the same", *where)
    name = keys.take("model", "llm_model") or keys.take("evaluation_model_name")
    wanted = keys.take("llm_evaluation_enabled")
    alone = keys.take("fallback_to_heuristics")
    if wanted is False or (wanted is None and not name and not url):
        place.note("no model judges the paths", "gave each the same 0.5 for its judgement")
        return {"judge": {"mode": "none"}}
    place.note("the model judges each path, and its judgement counts", "never used it")
    failing = "fail" if alone is False else "abstain"
    asked: dict[str, Json] = {"model": f"openai/{name}" if name else DEFAULT}
    if isinstance(url, str):
        asked |= {"base_url": base_url(url, provider), "api_key_env": LOCAL_KEY}
    again = {} if "on_violation" in keys else {"on_violation": "retry"}
    return asked | again | {"judge": {"repeat": 1, "on_failure": failing}}


def _paths(source: Source) -> dict[str, Json]:
    keys = source.keys
    found: dict[str, Json] = {"require_terminal": True, **keys.rest("require_terminal")}
    found |= keys.rest("max_depth", "terminal_agents", "k_beam", "max_candidates")
    prompt = keys.peek("prompt")
    required = _REQUIRED.search(prompt) if isinstance(prompt, str) else None
    if required:
        names = [word.strip(" \t\n'\"") for word in required.group(1).split(",")]
        found["required_agents"] = [name for name in names if name]
        does = f"every path has {', '.join(found['required_agents'])}"
        keys.place.note(does, "gave a path without one a score of 0.01", *keys.where("prompt"))
    return found


def _scores(keys: Keys) -> dict[str, Json]:
    """Weights, and what is measured; or the criteria of boolean mode."""
    margin = keys.take("commit_margin")
    found: dict[str, Json] = {"commit_margin": MARGIN if margin is None else margin}
    if keys.peek("scoring_mode") == "boolean":
        keys.take("scoring_mode")
        return found | {"scoring_mode": "boolean", "boolean": _boolean(keys)}
    keys.take("scoring_mode")
    _boolean(keys)
    weights = _weights(keys)
    found["weights"] = weights
    if "heuristics" in weights:
        found["heuristics"] = _HEURISTICS
    priors: list[Json] = []
    if "prior" in weights and keys.peek("use_priors") is not False:
        priors.append(_STRUCTURE)
    keys.take("use_priors")
    return found | {"priors": priors}


def _weights(keys: Keys) -> dict[str, Json]:
    """What was measured and has weight. A map that is given counts in place of the usual one."""
    written, where = keys.peek("score_weights"), keys.where("score_weights")
    keys.take("score_weights")
    if not isinstance(written, dict):
        return dict(WEIGHTS)
    for name in _GONE_WEIGHTS:
        if name in written:
            does = f"the weight of {name!r} has no effect: an agent is required, or not"
            keys.place.warn(does, "added it where it was measured, which it never was", *where)
    return {name: weight for name, weight in written.items() if name not in _GONE_WEIGHTS}


def _boolean(keys: Keys) -> dict[str, Json]:
    found: dict[str, Json] = keys.rest(*_BOOLEAN)
    strict, nice = keys.take("strict_mode"), keys.take("include_nice_to_have")
    if strict is True and nice is not False:
        found["strict"] = True
    limits = {new: keys.take(old) for old, new in _LIMITS.items() if old in keys}
    return found | ({"limits": limits} if limits else {})


def _limits(source: Source) -> dict[str, Json]:
    """What a path may cost, and what is forbidden."""
    keys, place = source.keys, source.keys.place
    budget = dict(source.head.budget)
    for old, new in (("cost_budget_tokens", "tokens"), ("latency_budget_ms", "latency_ms")):
        if old in keys:
            place.note(f"{old!r} excludes what is known to take more", "guessed", *keys.where(old))
            budget[new] = keys.take(old)
    found: dict[str, Json] = {"budget": budget} if budget else {}
    profile, where = keys.peek("safety_profile"), keys.where("safety_profile")
    keys.take("safety_profile")
    if isinstance(profile, str) and profile in _FORBIDDEN:
        place.note(f"the profile {profile!r} forbids by capability", "looked in vain", *where)
        found["safety"] = _forbidding(profile)
    _idle(keys, place)
    return found


def _forbidding(profile: str) -> Mapping[str, Json]:
    return {
        "domain": "safety",
        "about": f"what the profile {profile!r} forbids",
        "rules": [
            {
                "id": f"no-{able.replace('_', '-')}",
                "when": f"'{able}' in capabilities",
                "forbid": True,
                "reason": f"the safety profile {profile!r} forbids {able!r}",
            }
            for able in _FORBIDDEN[profile]
        ],
    }


def _idle(keys: Keys, place: Place) -> None:
    for key in IDLE:
        if key in keys:
            where = keys.where(key)
            keys.take(key)
            place.warn(f"{key!r} has no effect", "did nothing with it, or nothing of use", *where)
