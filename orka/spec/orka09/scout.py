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
_BOOLEAN = ("require_critical", "important_threshold")
_LOCAL_KIND = "local_llm"
_DEPTH = 2
_LIMITS = {
    "min_success_rate": "min_success_rate",
    "max_acceptable_cost": "max_cost",
    "max_acceptable_latency": "max_latency_ms",
}
_OF_BOOLEAN = (*_BOOLEAN, "strict_mode", "include_nice_to_have", *_LIMITS)
_REQUIRED = re.compile(r"REQUIRED_AGENTS?\s*[:=]\s*\[([^\]{}]*)\]")
_STRUCTURED = re.compile(r"REQUIRED PATH STRUCTURE:[ \t]*\n?([^\n{}]*)")
_ARROW = re.compile(r"→|->")
_SCORED = "went by the length of a path, and by words in the name of its first agent"
# What the file calls the judge, and where it is: the first of each that is there.
_NAMES = ("llm_model", "evaluation_model_name")
_URLS = ("llm_url", "model_url", "url")
_PROVIDERS = ("llm_provider", "provider")
# Words of today that stand beside those of 0.9, and win.
_MODEL = ("model", "base_url", "api_key_env", "judge")
_TODAY = (
    *("paths", "edges", "max_depth", "max_candidates", "terminal_agents", "exclude", "k_beam"),
    *("policies", "heuristics", "learn", "criteria", "estimates", "history", "domain", "tenant"),
    *("strategy", "too_close", "safer", "fallback", "execute", "on_failure"),
)
_SCALES = ("weights", "profile", "priors")
# Settings that have no effect, and what 0.9 did with each.
_NOTHING, _GUESSED = "did nothing with it", "looked for skills where there were none"
_UNASKED = "never asked it"
IDLE: dict[str, str] = {
    **dict.fromkeys(("min_domain_overlap", "max_preview_tokens", "tool_policy"), _NOTHING),
    **dict.fromkeys(("ttl_days", "log_previews", "log_components"), _NOTHING),
    **dict.fromkeys(("validation_model", "validation_model_name"), _UNASKED),
    **dict.fromkeys(("brain_assisted", "brain_boost_weight"), _GUESSED),
    "safety_threshold": "compared it with words of the question, such as 'attack'",
}


def scout(source: Source) -> dict[str, Json]:
    """The options of a graph-scout. What is written in today's words counts for what is not."""
    keys = source.keys
    # 0.9 knew nothing of earlier runs: a file that worked goes on to choose as it did.
    made: dict[str, Json] = {} if keys.peek("learn") is True else {"history": 0}
    made |= _asking(source) | _paths(keys) | _scores(keys) | _budget(source)
    if (safety := _safety(keys)) is not None:
        made["priors"] = [*_listed(made.get("priors")), safety]
    _idle(keys, keys.place)
    return made | keys.rest(*_TODAY)


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _asking(source: Source) -> dict[str, Json]:
    """Which model judges, if one does."""
    keys, place = source.keys, source.keys.place
    where = keys.where(*_PROVIDERS)
    provider = str(keys.take(*_PROVIDERS) or "").lower()
    if provider:
        does = f"the provider is not needed: {provider!r} is asked at its OpenAI-compatible door"
        place.note(does, "asked at /api/generate" if provider == "ollama" else "the same", *where)
    asked = _judge(keys, provider)
    wanted, alone = keys.take("llm_evaluation_enabled"), keys.take("fallback_to_heuristics")
    own = asked.pop("judge", None)
    judge: dict[str, Json] = own if isinstance(own, dict) else {}
    named = bool(asked) or (bool(judge) and judge.get("mode") != "none")
    if judge.get("mode") == "none" or (not named if wanted is None else wanted is False):
        place.note("no model judges the paths", "gave each the same 0.5 for its judgement")
        return asked | {"judge": {**judge, "mode": "none"}}
    place.note("the model judges each path, and its judgement counts", "never used what it said")
    usual: dict[str, Json] = {"on_failure": "fail" if alone is False else "abstain"}
    if not isinstance(keys.peek("commit_margin"), dict):
        usual["repeat"] = 1
    again = {} if "on_violation" in keys else {"on_violation": "retry"}
    return {"model": DEFAULT} | asked | again | {"judge": usual | judge}


def _judge(keys: Keys, provider: str) -> dict[str, Json]:
    """The model of the judge and its address, as far as they are written."""
    place = keys.place
    here = provider or any(name in keys for name in _URLS)
    names = (*(("model",) if here else ()), *_NAMES)
    name = _taken(keys, "model", names)
    url = _taken(keys, "base_url", _URLS)
    asked: dict[str, Json] = {"model": f"openai/{name}"} if name else {}
    if isinstance(url, str):
        asked |= {"base_url": base_url(url, provider), "api_key_env": LOCAL_KEY}
    kind, where = keys.peek("evaluation_model"), keys.where("evaluation_model")
    keys.take("evaluation_model")
    if kind is not None and kind != _LOCAL_KIND:
        does = "'evaluation_model' has no effect: 'evaluation_model_name' names the model"
        place.warn(does, "asked a model of its own all the same", *where)
    return asked | keys.rest(*_MODEL)


def _taken(keys: Keys, new: str, names: tuple[str, ...]) -> Json:
    """The value of the first of `names` that is there; its place is that of `new`."""
    if where := keys.where(*names):
        keys.place.moved(new, *where)
    return keys.take(*names)


def _paths(keys: Keys) -> dict[str, Json]:
    found: dict[str, Json] = {"require_terminal": True, **keys.rest("require_terminal")}
    own = keys.rest("required_agents")
    prompt = keys.peek("prompt")
    if own or not isinstance(prompt, str) or not (names := _required(prompt)):
        return found | own
    does = f"every path has {', '.join(names)}"
    keys.place.note(does, "gave a path without one a score of 0.01", *keys.where("prompt"))
    found["required_agents"] = names
    depth = keys.peek("max_depth")
    most = _DEPTH if depth is None else depth
    if isinstance(most, int) and most < len(names):
        does = f"a path has up to {len(names)} agents: so many are required"
        keys.place.note(does, "found none of them", *keys.where("max_depth"))
        keys.take("max_depth")
        found["max_depth"] = len(names)
    return found


def _required(prompt: str) -> list[Json]:
    """The agents that a prompt requires: a list of them, or a path with arrows."""
    listed, drawn = _REQUIRED.search(prompt), _STRUCTURED.search(prompt)
    words = listed.group(1).split(",") if listed else []
    if drawn and _ARROW.search(drawn.group(1)):
        words += _ARROW.split(drawn.group(1))
    return list(dict.fromkeys(name for word in words if (name := word.strip(" \t\r\n'\"[]`"))))


def _scores(keys: Keys) -> dict[str, Json]:
    """Weights, and what is measured; or the criteria of boolean mode."""
    mode, where = keys.peek("scoring_mode"), keys.where("scoring_mode")
    keys.take("scoring_mode")
    found: dict[str, Json] = {"commit_margin": _margin(keys)}
    if mode == "boolean":
        keys.place.note("a path that passes its criteria is chosen", "let none pass")
        _vain(keys, ("score_weights", "use_priors"), "has no effect in boolean mode", "the same")
        return found | {"scoring_mode": mode, "boolean": _boolean(keys)} | keys.rest(*_SCALES)
    if mode not in (None, "numeric"):
        keys.place.warn(f"{mode!r} is no mode: paths are scored by numbers", "the same", *where)
    keys.place.note("paths are scored, and the scores decide", _SCORED)
    _vain(keys, _OF_BOOLEAN, "has no effect without 'scoring_mode: boolean'", "the same")
    return found | _numeric(keys)


def _margin(keys: Keys) -> Json:
    """How far the best one has to lead."""
    margin = _number(_taken(keys, "commit_margin", ("commit_margin",)))
    return MARGIN if margin is None else margin


def _number(value: Json) -> Json:
    """A number may stand in quotes; anything else stays as it is, to be refused."""
    if not isinstance(value, str):
        return value
    try:
        return int(value) if value.strip().isdecimal() else float(value)
    except ValueError:
        return value


def _numeric(keys: Keys) -> dict[str, Json]:
    use = keys.take("use_priors") is not False
    own = keys.rest(*_SCALES)
    if "weights" in own or "profile" in own:
        _vain(keys, ("score_weights",), "has no effect beside 'weights' or a 'profile'", "used it")
    else:
        own["weights"] = _weights(keys)
    weights = own.get("weights", WEIGHTS)
    counted = weights if isinstance(weights, dict) else {}
    found: dict[str, Json] = {"heuristics": _HEURISTICS} if "heuristics" in counted else {}
    if "prior" in counted and use:
        found["priors"] = [_STRUCTURE]
    return found | own


def _weights(keys: Keys) -> Json:
    """What was measured and has weight. A map that is given counts in place of the usual one."""
    written, where = keys.peek("score_weights"), keys.where("score_weights")
    _taken(keys, "weights", ("score_weights",))
    if not isinstance(written, dict):
        return dict(WEIGHTS) if written is None else written
    criteria = _listed(keys.peek("criteria"))
    known = (*WEIGHTS, *(name for name in criteria if isinstance(name, str)))
    for name in _GONE_WEIGHTS:
        if name in written:
            does = f"the weight of {name!r} has no effect: an agent is required, or not"
            keys.place.warn(does, "added it where it was measured, which it never was", *where)
    others = [name for name in written if name not in (*known, *_GONE_WEIGHTS)]
    keys.place.leftover([(name, (*where, name)) for name in others], known, ())
    return {name: _number(weight) for name, weight in written.items() if name in known}


def _boolean(keys: Keys) -> dict[str, Json]:
    found: dict[str, Json] = keys.rest(*_BOOLEAN)
    strict, nice = keys.take("strict_mode"), keys.take("include_nice_to_have")
    if strict is True and nice is not False:
        found["strict"] = True
        does = "what a path costs, how long it takes and how often it succeeds has to be known"
        keys.place.note(does, "let no path pass")
    limits = {new: _number(keys.take(old)) for old, new in _LIMITS.items() if old in keys}
    found |= {"limits": limits} if limits else {}
    own = keys.rest("boolean").get("boolean", {})
    return found | own if isinstance(own, dict) else own


def _vain(keys: Keys, names: tuple[str, ...], why: str, did: str) -> None:
    """Warn about those of `names` that are written, and take them."""
    for name in names:
        if name in keys:
            where = keys.where(name)
            keys.take(name)
            keys.place.warn(f"{name!r} {why}", did, *where)


def _budget(source: Source) -> dict[str, Json]:
    """What a path may take."""
    keys = source.keys
    budget = dict(source.head.budget)
    for old, new in (("cost_budget_tokens", "tokens"), ("latency_budget_ms", "latency_ms")):
        if old in keys:
            does, where = f"{old!r} excludes what is known to take more", keys.where(old)
            keys.place.note(does, "guessed what it takes", *where)
            budget[new] = _number(keys.take(old))
    own = keys.rest("budget").get("budget", {})
    if not isinstance(own, dict):
        return {"budget": own}
    return {"budget": budget | own} if budget or own else {}


def _safety(keys: Keys) -> Json:
    """The priors that forbid what the profile of safety forbids."""
    profile, where = keys.peek("safety_profile"), keys.where("safety_profile")
    keys.take("safety_profile")
    if isinstance(profile, str) and profile in _FORBIDDEN:
        does = f"the profile {profile!r} forbids by capability"
        keys.place.note(does, "looked for capabilities where there were none", *where)
        return _forbidding(profile)
    if profile is not None:
        does = f"{profile!r} is no profile, and forbids nothing; known: {', '.join(_FORBIDDEN)}"
        keys.place.warn(does, "the same", *where)
    return None


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
    for key, did in IDLE.items():
        if key in keys:
            where = keys.where(key)
            keys.take(key)
            place.warn(f"{key!r} has no effect", did, *where)
