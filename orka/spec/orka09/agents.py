"""One agent of OrKa 0.9 in today's words, by its type."""

from __future__ import annotations

from collections.abc import Callable

from orka.spec.orka09.able import able
from orka.spec.orka09.asks import form, hosted, local, single_braces
from orka.spec.orka09.book import Keys, Place
from orka.spec.orka09.keep import memory, record
from orka.spec.orka09.rounds import loop
from orka.spec.orka09.scout import scout
from orka.spec.orka09.source import Head, Source
from orka.spec.orka09.words import FLAT, IGNORED, MEANT, OPTIONS, old_type
from orka.value import Json

COMMON = ("id", "type", "next", "when", "on_error", "retries", "backoff", "timeout", "writes")
_LLAMA = "llama3.2:latest"
_WORDS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_TRUE_FALSE = {*_WORDS, *_WORDS.values()}


def agent_rewritten(
    agent: dict[str, Json], place: Place, head: Head, *, caught: bool = False
) -> dict[str, Json]:
    """The agent in today's words; inner workflows and children stay as they are. `caught`: a
    failover asks another agent if this one fails."""
    kind = str(agent.get("type", ""))
    name = old_type(kind) or kind
    agent = _written(agent, place) if name in _MAKERS else agent
    own = {key: value for key, value in agent.items() if key not in (*COMMON, "depends_on")}
    flat = name in FLAT or name not in OPTIONS
    if flat and isinstance(own.get("params"), dict):
        keys = Keys({k: v for k, v in own.items() if k != "params"}, own["params"], place)
    else:
        keys = Keys(own, None, place)
    common = {key: agent[key] for key in COMMON if key in agent}
    if "timeout" not in common and "timeout" in keys:
        place.moved("timeout", *keys.where("timeout"))
        common["timeout"] = keys.take("timeout")
    make = _MAKERS.get(name)
    if make is None:
        return {key: value for key, value in agent.items() if key != "depends_on"}
    _idle(keys)
    common |= able(keys)
    options = make(Source(kind, keys, head, caught))
    if "type" in options:
        name = str(options.pop("type"))
    common["type"] = name
    options |= keys.rest(*(key for key in OPTIONS.get(name, ()) if key not in options))
    idle = (*IGNORED[""], *IGNORED.get(name, ()))
    known = (*OPTIONS.get(name, ()), *MEANT.get(name, ()), *COMMON)
    place.leftover(keys.left(), known, idle)
    return common | options


def _written(agent: dict[str, Json], place: Place) -> dict[str, Json]:
    """The agent without the keys in which nothing stands."""

    def full(written: dict[str, Json], *under: str) -> dict[str, Json]:
        for key, value in written.items():
            if value is None:
                does = f"{key!r} is null: it counts as not written"
                place.note(does, "let it pass", *under, key)
        return {key: value for key, value in written.items() if value is not None}

    kept = full(agent)
    if isinstance(kept.get("params"), dict):
        kept["params"] = full(kept["params"], "params")
    return kept


def _idle(keys: Keys) -> None:
    """Keys of any agent that did something, and do not now, or the other way round."""
    place = keys.place
    if "max_concurrency" in keys:
        where = keys.where("max_concurrency")
        keys.take("max_concurrency")
        does = "'max_concurrency' has no effect here: `orchestrator.max_concurrency` limits the run"
        place.warn(does, "limited how many calls of this agent ran at once", *where)


def _acting(keys: Keys) -> None:
    """Settings that 0.9 passed over for the agents that asked OpenAI."""
    for key in ("temperature", "max_tokens", "top_p", "seed", "stop"):
        if key in keys and (key != "max_tokens" or keys.peek(key) != 0):
            did = "ignored it, and asked at 0.7" if key == "temperature" else "ignored it"
            keys.place.note(f"{key!r} acts", did, *keys.where(key))


def _llm(source: Source) -> dict[str, Json]:
    keys = source.keys
    here = source.kind in ("local_llm", "streaming-executor", "satellite-state-writer")
    if source.kind == "llm":
        asked = keys.rest("model", "base_url")
    else:
        asked = local(keys, unset=_LLAMA) if here else hosted(source.kind, keys)
        if not here:
            _acting(keys)
    asked |= _sampling(keys)
    if source.kind != "llm":
        asked |= form(keys, source.head.structured, here=here)
    if source.kind == "streaming-executor" and source.head.system:
        asked["system"] = source.head.system
    if "role" in keys and keys.take("role"):
        keys.place.note("its answer is its output", "wrote it into the session's state", "role")
    return asked | _prompt(keys)


def _sampling(keys: Keys) -> dict[str, Json]:
    """The settings of an answer, without what 0.9 let pass as none."""
    place = keys.place
    system: dict[str, Json] = {}
    if "system_prompt" in keys and "system" not in keys:
        path = keys.where("system_prompt")
        place.moved("system", *path)
        place.note("'system_prompt' is the system message", "ignored it", *path)
        system["system"] = keys.take("system_prompt")
    if "api_key" in keys:
        path = keys.where("api_key")
        keys.take("api_key")
        does = "'api_key' has no effect: name a variable of the environment in 'api_key_env'"
        place.warn(does, "OrKa 0.9 ignored it", *path)
    limit, where = keys.peek("max_tokens"), keys.where("max_tokens")
    if isinstance(limit, int) and limit <= 0:
        keys.take("max_tokens")
        place.note(f"'max_tokens: {limit}' is no limit", "the same", *where)
    if isinstance(keys.peek("response_format"), dict):
        where = keys.where("response_format")
        keys.take("response_format")
        does = "'response_format' has no effect: 'structured_output' asks for a form"
        place.warn(does, "OrKa 0.9 ignored it", *where)
    return system | keys.rest("max_tokens")


def _prompt(keys: Keys) -> dict[str, Json]:
    if "prompt" in keys:
        return keys.rest("prompt")
    keys.place.note("without a prompt, the input is the question", "the same")
    return {"prompt": "{{ input }}"}


def _yes_no(source: Source) -> dict[str, Json]:
    keys = source.keys
    asked = keys.rest("model", "base_url") if source.kind == "yes_no" else hosted("", keys)
    _unstructured(keys)
    if source.kind != "yes_no":
        _acting(keys)
        does = "asks for yes or no, and reads one of the two; anything else is a violation"
        keys.place.note(
            does, "took any answer with 'yes', 'true', 'correct' or 'right' in it for true"
        )
    again = {} if "on_violation" in keys else {"on_violation": "retry"}
    return asked | _sampling(keys) | again | _prompt(keys)


def _classify(source: Source) -> dict[str, Json]:
    keys, place = source.keys, source.keys.place
    if source.kind == "classify":
        return keys.rest("model", "base_url")
    asked = hosted("", keys)
    _acting(keys)
    place.moved("options", *keys.where("options", "categories"))
    labels = keys.take("options", "categories")
    if not labels:
        does = "no categories are given: whatever the model answers is the category"
        place.note(does, "the same", "type")
        return {
            "type": "llm",
            **asked,
            **_sampling(keys),
            **form(keys, {}, here=False),
            **_prompt(keys),
        }
    _unstructured(keys)
    does = "the model is shown the categories and answers with one; else it is 'not-classified'"
    place.note(
        does, "never showed them to the model, and did not read `params.categories`", "params"
    )
    if isinstance(labels, dict):
        labels = list(labels)
    return (
        asked | {"options": labels, "unknown": "not-classified"} | _sampling(keys) | _prompt(keys)
    )


def _unstructured(
    keys: Keys, did: str = "was read only beside `prompt`, not under `params`"
) -> None:
    """The form of these answers is given by the type."""
    if "structured_output" in keys:
        where = keys.where("structured_output")
        keys.take("structured_output")
        does = "'structured_output' has no effect: the type says what its answer looks like"
        keys.place.warn(does, did, *where)


def _judge(source: Source) -> dict[str, Json]:
    keys = source.keys
    _unstructured(keys, "asked for that form, and read its own scores all the same")
    plan = source.kind == "plan_validator"
    for key in ("prompt", "scoring_context") if plan else ("prompt",):
        if key in keys:
            keys.place.note(f"{key!r} acts", "ignored it", *keys.where(key))
    if not plan and keys.peek("scoring_preset") == "strict":
        did = "always ended in an error with this preset"
        keys.place.note("the preset 'strict' judges", did, *keys.where("scoring_preset"))
    asked = local(keys) | _sampling(keys)
    if isinstance(written := keys.peek("custom_prompt"), str) and "custom_prompt" in keys:
        return asked | {**keys.rest("custom_prompt"), "custom_prompt": single_braces(written)}
    return asked


def _validate(source: Source) -> dict[str, Json]:
    keys = source.keys
    asked = _asked(keys)
    _unstructured(keys)
    return asked | _sampling(keys) | record(keys)


def _asked(keys: Keys) -> dict[str, Json]:
    """The model of the server that is named, or that of the environment."""
    named = "model_url" in keys or "llm_url" in keys
    return local(keys, unset=_LLAMA) if named else hosted("", keys)


def _rag(source: Source) -> dict[str, Json]:
    does = "answers from what is found in the namespace"
    source.keys.place.note(does, "had no model to ask, and always failed")
    return _asked(source.keys) | _sampling(source.keys)


def _router(source: Source) -> dict[str, Json]:
    keys, place = source.keys, source.keys.place
    if isinstance(table := keys.peek("routing_map"), dict):
        place.moved("routing_map", *keys.where("routing_map"))
        keys.take("routing_map")
        routes: dict[str, Json] = {"routing_map": _spelt(table)}
    else:
        routes = {}
    if isinstance(keys.peek("fallback_route"), str) and "default" not in keys:
        place.moved("default", *keys.where("fallback_route"))
        place.note("'fallback_route' is taken when no route fits", "ignored it")
        routes["default"] = keys.take("fallback_route")
    does = "a value that fits no route is noted, and the list goes on"
    place.note(does, "the same, without a word; a failure counted as such a value")
    return {"unmatched": "continue", "match": "words"} | routes


def _spelt(table: dict[str, Json]) -> dict[str, Json]:
    """YAML of 0.9's days read `yes`, `no`, `on` and `off` as true and false."""
    if not {key.lower() for key in table} <= _TRUE_FALSE:
        return table
    spelt = {_WORDS.get(key.lower(), key.lower()): targets for key, targets in table.items()}
    return spelt if len(spelt) == len(table) else table


def _fork(source: Source) -> dict[str, Json]:
    keys = source.keys
    if "mode" not in keys:
        did = "ran them one after another, the last one first"
        keys.place.note("the branches run at once", did)
    return {}


def _join(source: Source) -> dict[str, Json]:
    does = "waits for every branch that was not routed away, and merges what they gave"
    source.keys.place.note(does, "did not wait, and merged a placeholder for what was missing")
    return {}


def _failover(source: Source) -> dict[str, Json]:
    does = "a child that fails or answers nothing is given up; if all are, the agent fails"
    source.keys.place.note(does, "took the error text of a child for its answer")
    return {"report": True}


def _binary(source: Source) -> dict[str, Json]:
    did = "took any text with 'yes', 'true' or 'correct' in it for true"
    source.keys.place.note("true or false, by what the text says; 'not true' is false", did)
    return {}


def _path_executor(source: Source) -> dict[str, Json]:
    place = source.keys.place
    if place.path in place.book.added:
        return {}
    place.note("an agent of the path that fails counts as failed", "counted it as done")
    did = "ran the first agent of each of its paths, one after another"
    place.note("of a shortlist the best path is run", did)
    return {}


def _websearch(source: Source) -> dict[str, Json]:
    keys = source.keys
    if source.kind == "websearch":
        return {}
    texts: dict[str, Json] = {} if "results" in keys else {"results": "texts"}
    if source.caught:
        keys.place.note("a search that fails is a failure", "gave its error text as a result")
        return texts
    keys.place.note("a search that fails gives no results, and is noted", "gave its error text")
    return {"on_failure": "empty", **texts}


def _scout(source: Source) -> dict[str, Json]:
    return scout(source) | _sampling(source.keys)


def _invariants(source: Source) -> dict[str, Json]:
    did = "read them from its prompt, where they always said that all is well"
    keys = source.keys
    keys.place.note("looks at what the trace says has happened", did)
    if "prompt" in keys:
        where = keys.where("prompt")
        keys.take("prompt")
        does = "'prompt' has no effect: the facts come from the trace now"
        keys.place.warn(does, "OrKa 0.9 read EXECUTION_DATA_JSON there", *where)
    return {}


def _rest(source: Source) -> dict[str, Json]:
    """A type whose keys are those of 0.9."""
    return {}


_MAKERS: dict[str, Callable[[Source], dict[str, Json]]] = {
    "llm": _llm,
    "yes_no": _yes_no,
    "classify": _classify,
    "plan_validator": _judge,
    "loop_validator": _judge,
    "validate_and_structure": _validate,
    "router": _router,
    "fork": _fork,
    "join": _join,
    "loop": loop,
    "failover": _failover,
    "failing": _rest,
    "binary": _binary,
    "path_executor": _path_executor,
    "memory": memory,
    "websearch": _websearch,
    "graph-scout": _scout,
    "brain": _rest,
    "rag": _rag,
    "invariant_validator": _invariants,
}
