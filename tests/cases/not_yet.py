"""The cases that cannot be asked yet, each with the reason: an operation or a feature to come."""

from __future__ import annotations

from cases.language import Case

# The kinds whose every case must pass, whatever is listed below.
ASKED = ("yaml-config", "cli", "trace-replay", "isolation", "resume-approval")

OPERATIONS: dict[str, str] = {
    "parse_json": "the sensor's ladder from text to JSON comes later",
    "validate_output": "sensor contracts (strict and coerced) come later",
    "render": "the template language comes whole later",
    "memory": "memory nodes come later",
    "score_paths": "PathScorer comes later",
    "evaluate": "evals come later",
    "gate": "the permission gate comes later",
    "redact": "PII redaction comes later",
    "redact_object": "PII redaction comes later",
    "redact_restore": "PII redaction comes later",
    "detect_injection": "injection detection comes later",
    "stream": "streams to clients come with the server",
    "http": "the server comes later",
    "cost": "costs of bare usage records come later",
}

_FAILOVER = "the agent type failover comes later"
_LOOP_SCORES = "a loop's extraction of scores, and what it says of its rounds, come later"
_CASES = {
    "retry-D01": _FAILOVER,
    "retry-D04": _FAILOVER,
    "retry-D07": "agents that let the model call tools come later",
    "fork-D02": "what a join gives of a branch that ends at a router is not settled",
    "fork-D03": "join policies (keeping what siblings finished) come later",
    "fork-D04": "`writes` is not offered",
    "fork-D05": "`max_concurrency` comes later",
    "fork-D06": "a read that may find nothing is refused at load",
    "loop-D01": _LOOP_SCORES,
    "loop-D02": _LOOP_SCORES,
    "loop-D03": _LOOP_SCORES,
    "loop-D04": _LOOP_SCORES,
    "loop-D05": "the stop rules of loops come later",
    "loop-D06": _LOOP_SCORES,
    "loop-D07": _LOOP_SCORES,
    "router-D02": "`routing_key` and `routes` come later",
    "router-D04": "`writes` is not offered",
    "router-D06": "`routes` comes later",
    "router-D07": "`routing_key` comes later",
}


def held() -> tuple[str, ...]:
    """The ids that are listed one by one."""
    return tuple(_CASES)


def reason(case: Case) -> str:
    """Why a case is not asked yet; empty if it is."""
    if case.op in OPERATIONS:
        return f"operation {case.op}: {OPERATIONS[case.op]}"
    if case.kind in ASKED:
        return ""
    return _CASES.get(case.id, "")
