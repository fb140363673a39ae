"""A run in the trace format of OrKa 0.9: events by agent, large maps once, by their digest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from orka.value import Json
from orka.view.run import Attempt, NodeView, Run

VERSION, THRESHOLD = "1.2.0", 200
_OCCURRENCE = re.compile(r"#\d+")
# What 0.9 called the class behind an agent type: the `event_type` of its entries.
CLASSES = {
    "llm": "LocalLLMAgent",
    "local_llm": "LocalLLMAgent",
    "streaming-executor": "StreamingExecutorNode",
    "satellite-state-writer": "SatelliteStateWriter",
    "openai-answer": "OpenAIAnswerBuilder",
    "openai-binary": "OpenAIBinaryAgent",
    "openai-classification": "OpenAIClassificationAgent",
    "yes_no": "OpenAIBinaryAgent",
    "classify": "OpenAIClassificationAgent",
    "binary": "BinaryAgent",
    "classification": "ClassificationAgent",
    "invariant_validator": "InvariantValidatorAgent",
    "plan_validator": "PlanValidatorAgent",
    "validate_and_structure": "ValidationAndStructuringAgent",
    "rag": "RAGNode",
    "duckduckgo": "DuckDuckGoTool",
    "websearch": "DuckDuckGoTool",
    "router": "RouterNode",
    "failover": "FailoverNode",
    "failing": "FailingNode",
    "join": "JoinNode",
    "fork": "ForkNode",
    "loop": "LoopNode",
    "loop_validator": "LoopValidatorNode",
    "path_executor": "PathExecutorNode",
    "graph-scout": "GraphScoutAgent",
    "graph_scout": "GraphScoutAgent",
    "graphscout": "GraphScoutAgent",
    "memory": "MemoryReaderNode",
    "memory-reader": "MemoryReaderNode",
    "memory_reader": "MemoryReaderNode",
    "memory-writer": "MemoryWriterNode",
    "memory_writer": "MemoryWriterNode",
    "memory write": "MemoryWriterNode",
    "brain": "BrainAgent",
}
_LOOP = ("loops_completed", "final_score", "threshold_met", "past_loops")


def export09(run: Run, types: Mapping[str, str]) -> dict[str, Json]:
    """The de-duplicated trace. `types` gives the agent type of each node's path without the
    numbers of its scopes; one that is not there, or is new, goes by its own name."""
    blobs: dict[str, Json] = {}
    ended = [node for node in run.nodes if node.state in ("done", "failed")]
    entries = [_event(run, node, step, types) for step, node in enumerate(ended, 1)]
    whole = sum(len(_compact(entry["payload"])) for entry in entries)
    events = [{**entry, "payload": _deduplicated(entry["payload"], blobs)} for entry in entries]
    small = sum(len(_compact(event["payload"])) for event in events)
    small += sum(len(_compact(blob)) for blob in blobs.values())
    return {
        "_metadata": {
            "version": VERSION,
            "deduplication_enabled": True,
            "blob_threshold_chars": THRESHOLD,
            "total_blobs_stored": len(blobs),
            "stats": {
                "total_entries": len(events),
                "deduplicated_blobs": len(blobs),
                "size_reduction": max(0, whole - small),
            },
            "generated_at": _moment(run.started.at + run.seconds),
        },
        "blob_store": blobs,
        "events": events,
        "cost_analysis": _costs(ended, types),
    }


def _event(run: Run, node: NodeView, step: int, types: Mapping[str, str]) -> dict[str, Json]:
    at = node.started_at if node.ended_at is None else node.ended_at
    event: dict[str, Json] = {
        "agent_id": node.id,
        "event_type": _class(node, types),
        "timestamp": _moment(at),
        "step": step,
        "run_id": run.id,
        "payload": _payload(run, node),
    }
    return {**event, "parent": node.scope} if node.scope else event


def _class(node: NodeView, types: Mapping[str, str]) -> str:
    written = types.get(_OCCURRENCE.sub("", node.path), "")
    return CLASSES.get(written, written or "Agent")


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def _payload(run: Run, node: NodeView) -> dict[str, Json]:
    """What 0.9 kept of an agent's work, but for a failure, which is one."""
    value, failure = node.value, node.failure
    seconds = None if node.ended_at is None else node.ended_at - node.started_at
    asked = [attempt for attempt in node.attempts if attempt.kind == "llm"]
    fields = value if isinstance(value, dict) else {}
    payload: dict[str, Json] = {
        **{key: item for key, item in fields.items() if key not in ("result", "response")},
        "agent_id": node.id,
        "result": fields.get("result", value),
        "response": fields.get("response", fields.get("result", value)),
        "status": "error" if failure else "success",
        "error": f"[{failure.code}] {failure.message}" if failure else None,
        "execution_time_ms": None if seconds is None else round(seconds * 1000, 3),
        "trace_id": run.id,
    }
    if all(key in fields for key in _LOOP):
        payload["response"] = value
    if asked:
        payload |= {"formatted_prompt": _prompt(asked[0]), "_metrics": _metrics(asked)}
        payload |= {"token_usage": payload["_metrics"]["tokens"]}
        payload |= {"cost_usd": payload["_metrics"]["cost_usd"]}
    return payload


def _prompt(attempt: Attempt) -> str:
    messages = attempt.payload.get("messages", ()) if isinstance(attempt.payload, Mapping) else ()
    told = [message["content"] for message in messages if message.get("role") == "user"]
    return "\n".join(str(each) for each in told)


def _metrics(asked: list[Attempt]) -> dict[str, Json]:
    """Sums over an agent's questions; None as soon as one part is unknown."""
    provider, _, model = _model(asked[-1])
    counts = {name: _sum(asked, name) for name in ("prompt_tokens", "completion_tokens")}
    known = [count for count in counts.values() if count is not None]
    waits = [a.answered_at - a.asked_at for a in asked if a.answered_at is not None]
    return {
        "tokens": sum(known) if len(known) == len(counts) else None,
        **counts,
        "latency_ms": round(sum(waits) * 1000, 3),
        "cost_usd": _sum(asked, "cost"),
        "model": model,
        "provider": provider,
    }


def _model(attempt: Attempt) -> tuple[str, str, str]:
    payload = attempt.payload if isinstance(attempt.payload, Mapping) else {}
    return str(payload.get("model", "")).partition("/")


def _sum(asked: list[Attempt], name: str) -> Json:
    found = [each.spent.get(name) for each in asked if each.spent or not each.reused]
    known = [each for each in found if each is not None]
    return round(sum(known), 6) if len(known) == len(found) else None


def _deduplicated(value: Json, blobs: dict[str, Json]) -> Json:
    """`value` with every large map moved to `blobs`, the inner ones first."""
    if isinstance(value, list):
        return [_deduplicated(item, blobs) for item in value]
    if not isinstance(value, Mapping):
        return value
    small = {key: _deduplicated(item, blobs) for key, item in value.items()}
    if len(_compact(small)) < THRESHOLD:
        return small
    name = hashlib.sha256(_compact(small).encode()).hexdigest()
    blobs[name] = small
    return {"ref": name, "_type": "blob_reference", "_original_keys": list(small)}


def resolved(value: Json, blobs: Mapping[str, Json]) -> Json:
    """`value` with every reference replaced by what it stands for, at any depth. Raises `KeyError`
    for a blob that is not there."""
    if isinstance(value, list):
        return [resolved(item, blobs) for item in value]
    if not isinstance(value, Mapping):
        return value
    if value.get("_type") == "blob_reference":
        return resolved(blobs[value["ref"]], blobs)
    return {key: resolved(item, blobs) for key, item in value.items()}


def _compact(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


_TOTALS = ("tokens", "prompt_tokens", "completion_tokens", "cost_usd", "latency_ms")


def _costs(nodes: list[NodeView], types: Mapping[str, str]) -> dict[str, Json]:
    """What models took, in all and by agent, model and provider."""
    asked = [(n, [a for a in n.attempts if a.kind == "llm"]) for n in nodes]
    rows = [(node, _metrics(attempts)) for node, attempts in asked if attempts]
    agents: dict[str, Json] = {}
    for id in dict.fromkeys(node.id for node, _ in rows):
        own = [(node, metrics) for node, metrics in rows if node.id == id]
        agents[id] = _totals([metrics for _, metrics in own])
        agents[id] |= {"event_type": _class(own[0][0], types)}
    found = [metrics for _, metrics in rows]
    summary = {"total_agents": len(agents), **_totals(found)}
    summary["models_used"], summary["providers_used"] = summary["models"], summary["providers"]
    for name in ("models", "providers", "executions"):
        del summary[name]
    return {
        "summary": summary,
        "agents": agents,
        "by_model": _by("model", found),
        "by_provider": _by("provider", found),
    }


def _by(name: str, found: list[dict[str, Json]]) -> dict[str, Json]:
    names = dict.fromkeys(metrics[name] for metrics in found)
    return {
        each: _totals([metrics for metrics in found if metrics[name] == each]) for each in names
    }


def _totals(found: list[dict[str, Json]]) -> dict[str, Json]:
    totals: dict[str, Json] = {"executions": len(found)}
    for name in _TOTALS:
        parts = [metrics[name] for metrics in found]
        known = all(part is not None for part in parts)
        totals[f"total_{name}"] = round(sum(parts), 6) if known else None
    totals["models"] = list(dict.fromkeys(metrics["model"] for metrics in found))
    totals["providers"] = list(dict.fromkeys(metrics["provider"] for metrics in found))
    return totals
