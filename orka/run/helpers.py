"""The helper functions of templates. Each sees what its node may see, and gives plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from orka.agent.view import MISSING, field, text_of
from orka.graph.chain import dotted
from orka.graph.filters import format_loop_metadata, shown, to_json_string, truncate
from orka.score.execution import forks
from orka.value import Json

Values = Mapping[str, Json]
_NONE = "No response available"
_LATEST = 5
_DEBATERS = {
    "progressive": ("progressive_refinement", "radical_progressive"),
    "conservative": ("conservative_refinement", "traditional_conservative"),
    "realist": ("realist_refinement", "pragmatic_realist"),
    "purist": ("purist_refinement", "ethical_purist"),
}


class Facts(NamedTuple):
    """What a node may know of the graph upstream of it: what became of each node, the branches of
    each fork, what each edge leads from and to."""

    settled: Callable[[], list[dict[str, Json]]] = list
    edges: Callable[[], list[tuple[str, str]]] = list


def topic(values: Values) -> Json:
    """The input itself: of a map with an `input` that one, however deep."""
    value = values.get("input")
    while isinstance(value, Mapping) and "input" in value:
        value = value["input"]
    return value


def _outputs(values: Values, given: Json = None) -> Values:
    held = given if isinstance(given, Mapping) else values.get("previous_outputs")
    return held if isinstance(held, Mapping) else {}


def _rounds(values: Values) -> list[Json]:
    """The past loops: of the loop around the node, or of the last loop before it."""
    own = values.get("past_loops")
    held = _loop(values).get("past_loops") if own is None else own
    return list(held) if isinstance(held, list) else []


_UNKNOWN = "Unknown"


def _loop(values: Values) -> Values:
    """The output of the last loop that the node can see."""
    found: Values = {}
    for value in _outputs(values).values():
        if isinstance(value, Mapping) and "loops_completed" in value:
            found = value
    return found


def get_input(values: Values, facts: Facts) -> Json:
    """The input; inside a map with an `input`, that one."""
    return topic(values)


def get_input_field(
    values: Values, facts: Facts, owner: Json, field: Json = None, default: Json = None
) -> Json:
    """A field of a map, or the default."""
    return owner.get(field, default) if isinstance(owner, Mapping) else default


def get_agent_response(values: Values, facts: Facts, id: str, previous: Json = None) -> str:
    """An output as text."""
    outputs = _outputs(values, previous)
    return text_of(outputs[id]) if id in outputs else f"No response found for {id}"


def safe_get_response(
    values: Values, facts: Facts, id: str, fallback: Json = _NONE, previous: Json = None
) -> Json:
    """An output as text, or the value at a dotted path in one, or the fallback."""
    outputs = _outputs(values, previous)
    if id in outputs:
        found: Json = text_of(outputs[id]) if outputs[id] is not None else ""
    else:
        found = _within(outputs, str(id))
    empty = found is MISSING or found is None or found == ""
    if empty or (isinstance(found, str) and found.startswith("No response found")):
        return fallback
    return found


def _within(outputs: Values, path: str) -> Json:
    """The value at a path that begins with an id, which may have dots itself."""
    at = path.rfind(".")
    while at > 0:
        if path[:at] in outputs:
            return dotted(outputs[path[:at]], path[at + 1 :])
        at = path.rfind(".", 0, at)
    return MISSING


def get_loop_output(values: Values, facts: Facts, id: str, previous: Json = None) -> Json:
    """A loop's output: its `response` if that is a map, or the whole map, or an empty one."""
    outputs = _outputs(values, previous)
    value = outputs.get(id)
    if not isinstance(value, Mapping):
        return {}
    inside = value.get("response")
    return inside if isinstance(inside, Mapping) else value


def safe_get(values: Values, facts: Facts, owner: Json, key: Json, default: Json = "") -> Json:
    """The field at a dotted path, or the default."""
    found = dotted(owner, str(key)) if owner is not None else MISSING
    return default if found is MISSING or found is None else found


def safe_str(values: Values, facts: Facts, value: Json = None) -> str:
    return shown(value)


def has_context(values: Values, facts: Facts, id: str) -> bool:
    """True if there is an output of that agent and it is not empty."""
    outputs = _outputs(values)
    return id in outputs and outputs[id] not in (None, "", [], {})


def get_loop_number(values: Values, facts: Facts) -> int:
    number = values.get("loop_number")
    return number if isinstance(number, int) else 1


def has_past_loops(values: Values, facts: Facts) -> bool:
    return bool(_rounds(values))


def get_past_loops(values: Values, facts: Facts) -> list[Json]:
    return _rounds(values)


def get_past_loops_metadata(values: Values, facts: Facts) -> Json:
    held = values.get("past_loops_metadata")
    return held if isinstance(held, Mapping) else {}


def get_past_insights(values: Values, facts: Facts) -> str:
    """What past rounds brought to light, the latest first."""
    return _told(values, "insights") or "No past insights available"


def get_past_loop_data(values: Values, facts: Facts, key: str = "insights") -> Json:
    """A field of the last past round."""
    last = _rounds(values)[-1:]
    found = dotted(last[0], key) if last else MISSING
    return f"No {key} available" if found is MISSING or found is None else found


def _told(values: Values, key: str) -> str:
    found = [dotted(one, key) for one in reversed(_rounds(values)[-_LATEST:])]
    return " | ".join(shown(one) for one in found if one is not MISSING and one)


def get_round_info(values: Values, facts: Facts) -> str:
    return str(get_loop_number(values, facts))


def get_loop_rounds(values: Values, facts: Facts) -> Json:
    """How many rounds the last loop took, or this one has taken so far."""
    done = _loop(values).get("loops_completed")
    if done is None and "loop_number" in values:
        return get_loop_number(values, facts) - 1
    return "Unknown" if done is None else done


def get_final_score(values: Values, facts: Facts) -> Json:
    """The score of the last loop, or of the last round so far."""
    score = _loop(values).get("final_score")
    if score is None:
        last = _rounds(values)[-1:]
        score = dotted(last[0], "score") if last else None
    return _UNKNOWN if score is None or score is MISSING else score


def get_loop_status(values: Values, facts: Facts) -> str:
    """completed, threshold not met, running (inside a loop), or Unknown: there was no loop."""
    met = _loop(values).get("threshold_met")
    if met is None and "loop_number" in values:
        return "running"
    if met is None:
        return _UNKNOWN
    return "completed" if met else "threshold not met"


def get_score_threshold(values: Values, facts: Facts) -> Json:
    """The threshold of this loop, or of the last one before."""
    found = values.get("score_threshold", _loop(values).get("score_threshold"))
    return _UNKNOWN if found is None else found


def get_debate_evolution(values: Values, facts: Facts) -> str:
    """A line for each past round: its score and what it brought to light."""
    lines = []
    for at, one in enumerate(_rounds(values), 1):
        held = one if isinstance(one, Mapping) else {}
        told = [f"{k} {shown(held[k])}" for k in ("score", "insights") if held.get(k) is not None]
        lines.append(f"Round {held.get('loop_number', at)}: " + ", ".join(told))
    return "\n".join(lines) or "This is the first round"


def get_fork_responses(values: Values, facts: Facts, name: Json = None) -> dict[str, Json]:
    """By agent what the branches of a fork said: of the one named, or of all upstream."""
    outputs = _outputs(values)
    found: dict[str, Json] = {}
    for node in facts.settled():
        if node["targets"] and node["type"] != "router" and name in (None, node["id"]):
            for id in (id for branch in node["targets"] for id in branch):
                if id in outputs:
                    found[id] = text_of(outputs[id])
    if name is not None and not found and name in outputs:
        merged = field(outputs[name], "merged")
        held = merged if isinstance(merged, Mapping) else {}
        found = {id: text_of(value) for id, value in held.items()}
    return found


def joined_results(values: Values, facts: Facts) -> list[Json]:
    """What the branches brought to the last join upstream, in their order."""
    outputs = _outputs(values)
    joins = [node["id"] for node in facts.settled() if node["group"] and node["id"] in outputs]
    if not joins:
        return []
    value = field(outputs[joins[-1]], "merged")
    return list(value.values()) if isinstance(value, Mapping) else [value]


def format_memory_query(values: Values, facts: Facts, perspective: str, about: Json = None) -> str:
    subject = topic(values) if about is None else about
    return f"{str(perspective).title()} perspective on: {shown(subject)}"


def _memories(values: Values, *names: Json) -> list[str]:
    """The memories that agents upstream have read, about one of the names if they say so."""
    found: list[str] = []
    for output in _outputs(values).values():
        held = field(output, "memories")
        for entry in held if isinstance(held, list) else ():
            told = entry.get("metadata") if isinstance(entry, Mapping) else None
            about = told if isinstance(told, Mapping) else {}
            own = [about[key] for key in ("agent_type", "agent_id", "memory_type") if key in about]
            if not own or not set(map(str, names)).isdisjoint(map(str, own)):
                found.append(shown(entry.get("content") if isinstance(entry, Mapping) else entry))
    return found


def get_my_past_memory(values: Values, facts: Facts, kind: Json = "") -> str:
    return "\n".join(_memories(values, kind)) or f"No past memory available for {shown(kind)}"


def get_my_past_decisions(values: Values, facts: Facts, id: Json = "") -> str:
    """What an agent said in each past round."""
    lines = []
    for at, one in enumerate(_rounds(values), 1):
        said = dotted(one, f"result.{id}")
        said = dotted(one, str(id)) if said is MISSING else said
        if said is not MISSING:
            number = one.get("loop_number", at) if isinstance(one, Mapping) else at
            lines.append(f"Round {number}: {text_of(said)}")
    return "\n".join(lines) or f"No past decisions available for {shown(id)}"


def get_agent_memory_context(values: Values, facts: Facts, kind: Json, id: Json = "") -> str:
    """Memories and past decisions of an agent together."""
    remembered = _memories(values, kind, id)
    decided = get_my_past_decisions(values, facts, id)
    parts = ["\n".join(remembered)] if remembered else []
    parts += [] if decided.startswith("No past decisions") else [decided]
    return "\n".join(parts) or f"No memory context available for {shown(kind)}"


def _debater(who: str) -> Callable[[Values, Facts], str]:
    def said(values: Values, facts: Facts) -> str:
        outputs = _outputs(values)
        found = next((text_of(outputs[id]) for id in _DEBATERS[who] if id in outputs), "")
        return found or f"No {who} response available"

    return said


def get_collaborative_responses(values: Values, facts: Facts) -> str:
    """What the debaters that are there said, a line for each."""
    outputs = _outputs(values)
    lines = [
        f"{who.title()}: {text_of(outputs[id])}"
        for who, ids in _DEBATERS.items()
        for id in [next((id for id in ids if id in outputs), "")]
        if id
    ]
    return "\n".join(lines) or "No collaborative responses available"


def get_execution_artifacts(values: Values, facts: Facts, previous: Json = None) -> Json:
    """What is known of what happened upstream, as `invariant_validator` takes it: nodes that ran,
    forks and their joins, where routes led, edges, failures."""
    nodes = facts.settled()
    return {
        "nodes_executed": [node["id"] for node in nodes if node["status"] != "skipped"],
        "fork_groups": {id: msgspec.to_builtins(fork) for id, fork in forks(nodes).items()},
        "router_decisions": {
            node["id"]: {"chosen_target": node["targets"]}
            for node in nodes
            if node["type"] == "router" and node["targets"]
        },
        "graph_structure": {
            "nodes": [node["id"] for node in nodes],
            "edges": [{"src": source, "dst": target} for source, target in facts.edges()],
        },
        "errors": {node["id"]: node["error"] for node in nodes if node["error"]},
    }


FUNCTIONS: dict[str, Callable[..., Any]] = {  # Any: each takes its own arguments
    "format_loop_metadata": lambda values, facts, *given, **named: format_loop_metadata(
        *given, **named
    ),
    "format_memory_query": format_memory_query,
    "get_agent_memory_context": get_agent_memory_context,
    "get_agent_response": get_agent_response,
    "get_collaborative_responses": get_collaborative_responses,
    "get_conservative_response": _debater("conservative"),
    "get_current_topic": get_input,
    "get_debate_evolution": get_debate_evolution,
    "get_execution_artifacts": get_execution_artifacts,
    "get_final_score": get_final_score,
    "get_fork_responses": get_fork_responses,
    "get_input": get_input,
    "get_input_field": get_input_field,
    "get_loop_number": get_loop_number,
    "get_loop_output": get_loop_output,
    "get_loop_rounds": get_loop_rounds,
    "get_loop_status": get_loop_status,
    "get_my_past_decisions": get_my_past_decisions,
    "get_my_past_memory": get_my_past_memory,
    "get_past_insights": get_past_insights,
    "get_past_loop_data": get_past_loop_data,
    "get_past_loops": get_past_loops,
    "get_past_loops_metadata": get_past_loops_metadata,
    "get_progressive_response": _debater("progressive"),
    "get_purist_response": _debater("purist"),
    "get_realist_response": _debater("realist"),
    "get_round_info": get_round_info,
    "get_score_threshold": get_score_threshold,
    "has_context": has_context,
    "has_past_loops": has_past_loops,
    "joined_results": joined_results,
    "safe_get": safe_get,
    "safe_get_response": safe_get_response,
    "safe_str": safe_str,
    "to_json_string": lambda values, facts, value: to_json_string(value),
    "truncate_text": lambda values, facts, *given, **named: truncate(*given, **named),
}
