"""The cases that cannot be asked yet, each with the reason: an operation or a feature to come."""

from __future__ import annotations

from cases.language import Case

# The kinds whose every case must pass, whatever is listed below.
ASKED = (
    "yaml-config",
    "cli",
    "trace-replay",
    "isolation",
    "resume-approval",
    "permission-gate",
    "injection",
    "loops",
    "json-shapes",
    "schema-validation",
    "memory",
    "failover-retry",
    "templates",
    "router",
    "fork-join",
    "graphscout-scoring",
)

OPERATIONS: dict[str, str] = {
    "evaluate": "evals come later",
    "stream": "streams to clients come with the server",
    "http": "the server comes later",
    "cost": "costs of bare usage records come later",
}

_CASES: dict[str, str] = {}


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
