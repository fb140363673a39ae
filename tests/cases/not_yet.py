"""The cases that cannot be asked yet, each with the reason: an operation or a feature to come."""

from __future__ import annotations

from cases.language import Case

# The kinds whose every case must pass, whatever is listed below.
ASKED = ("yaml-config", "cli", "trace-replay", "isolation", "resume-approval")

OPERATIONS: dict[str, str] = {
    "parse_json": "the sensor's ladder from text to JSON comes with issue 3",
    "validate_output": "sensor contracts (strict and coerced) come with issue 3",
    "render": "the template language comes whole with issue 3",
    "memory": "memory nodes come with issue 3",
    "score_paths": "PathScorer comes with issue 4",
    "evaluate": "evals come later",
    "gate": "the permission gate comes with issue 5",
    "redact": "PII redaction comes with issue 5",
    "redact_object": "PII redaction comes with issue 5",
    "redact_restore": "PII redaction comes with issue 5",
    "detect_injection": "injection detection comes with issue 5",
    "stream": "streams to clients come with the server",
    "http": "the server comes later",
    "cost": "costs of bare usage records come later",
}

_FAILOVER = "the agent type failover comes with issue 3"
_LOOP_SCORES = "a loop's extraction of scores, and what it says of its rounds, come with issue 3"
_CASES = {
    "retry-D01": _FAILOVER,
    "retry-D02": "a provider's Retry-After is not yet what the next attempt waits for",
    "retry-D04": _FAILOVER,
    "retry-D07": "agents that let the model call tools come with issue 3",
    "fork-D02": "what a join gives of a branch that ends at a router is settled with issue 3",
    "fork-D03": "join policies (keeping what siblings finished) come with issue 3",
    "fork-D04": "`writes` is not offered; issue 3 settles it",
    "fork-D05": "`max_concurrency` comes with issue 3",
    "fork-D06": "a read that may find nothing is refused at load until issue 3 settles it",
    "loop-D01": _LOOP_SCORES,
    "loop-D02": _LOOP_SCORES,
    "loop-D03": _LOOP_SCORES,
    "loop-D04": _LOOP_SCORES,
    "loop-D05": "the stop rules of loops come with issue 3",
    "loop-D06": _LOOP_SCORES,
    "loop-D07": _LOOP_SCORES,
    "loop-D08": "the error that names a whole cycle through a router comes with issue 3",
    "router-D02": "`routing_key` and `routes` come with issue 3",
    "router-D04": "`writes` is not offered; issue 3 settles it",
    "router-D05": "an agent that two routers share is taken for a cycle until issue 3",
    "router-D06": "`routes` comes with issue 3",
    "router-D07": "`routing_key` comes with issue 3",
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
