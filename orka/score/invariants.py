"""What must hold of an execution, whatever its agents said: checks of facts, and breaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from orka.value import Json


class Join(msgspec.Struct, frozen=True):
    """What became of a fork: whether a join ends it, its branches, and those that came to an end.
    One that was routed away is no branch of it any more."""

    has_join: bool
    branches: Sequence[str] = ()
    completed: Sequence[str] = ()


class ToolCall(msgspec.Struct, frozen=True):
    """How a tool call ended: success, warning or error; and whether the run went on over it."""

    node: str
    status: str
    handled: bool = False
    continued: bool = False


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """What happened. `targets` are the nodes that a router led to (None: it chose nothing).
    `edges` and `known` are None if the graph is not known; `late` never came to an end. `unknown`
    says by category why it cannot be told; `failures`: whether every failure is among `tools`."""

    executed: Sequence[str] = ()
    forks: Mapping[str, Join] = {}
    targets: Mapping[str, Sequence[str] | None] = {}
    known: Sequence[str] | None = None
    edges: Sequence[tuple[str, str]] | None = None
    tools: Sequence[ToolCall] = ()
    schemas: Mapping[str, bool] = {}
    paths: Sequence[Sequence[str]] = ()
    late: Sequence[str] = ()
    unknown: Mapping[str, str] = {}
    failures: bool = False


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What is allowed."""

    max_depth: int | None = None
    allow_reentrant_nodes: Sequence[str] = ()
    strict_tool_errors: bool = False


Breaches = list[tuple[str, bool]]  # what, and whether it is critical


def report(facts: Facts, rules: Rules) -> dict[str, Json]:
    """Each category PASS, FAIL with its violations, or UNKNOWN with a reason; and a summary."""
    cycles = _cycles(facts, rules)
    found: dict[str, Breaches] = {
        "fork_join_integrity": _forks(facts),
        "routing_integrity": _routes(facts),
        "cycle_detection": [(f"{node!r} ran more than once", True) for node in cycles],
        "tool_integrity": _tools(facts, rules),
        "schema_compliance": [
            (f"the output of {node!r} does not keep its schema", True)
            for node, valid in facts.schemas.items()
            if not valid
        ],
        "depth_compliance": _depth(facts, rules),
    }
    unknown = {name: why for name, why in _unknown(facts, rules).items() if not found[name]}
    told: dict[str, Json] = {
        name: _category(breaches, unknown.get(name, "")) for name, breaches in found.items()
    }
    told["cycle_detection"]["cycles_found"] = cycles
    every = [breach for breaches in found.values() for breach in breaches]
    critical = sum(grave for _, grave in every)
    told["critical_failures_detected"] = critical > 0
    told["validation_summary"] = {
        "total_violations": len(every),
        "critical_count": critical,
        "warning_count": len(every) - critical,
        "categories_failed": [name for name, breaches in found.items() if breaches],
        "unknown_count": len(unknown),
        "categories_unknown": [name for name in found if name in unknown],
        "validator_config": msgspec.to_builtins(rules),
    }
    return told


def _unknown(facts: Facts, rules: Rules) -> dict[str, str]:
    """By category why it cannot be told whether it holds."""
    found = dict(facts.unknown)
    if rules.strict_tool_errors and facts.failures:
        found.pop("tool_integrity", None)
    if rules.max_depth is None:
        found.setdefault("depth_compliance", "no `max_depth` is given")
    return found


def _category(breaches: Breaches, unknown: str) -> dict[str, Json]:
    if unknown:
        return {"status": "UNKNOWN", "violations": [], "reason": unknown}
    status = "FAIL" if breaches else "PASS"
    return {"status": status, "violations": [what for what, _ in breaches]}


def _forks(facts: Facts) -> Breaches:
    found: Breaches = []
    for id, fork in facts.forks.items():
        if not fork.has_join:
            found.append((f"fork {id!r} has no join", True))
        found += [
            (f"fork {id!r}: branch {each!r} did not end", True)
            for each in _without(fork.branches, fork.completed)
        ]
        found += [
            (f"fork {id!r}: {each!r} ended and is no branch of it", True)
            for each in _without(fork.completed, fork.branches)
        ]
    return found


def _routes(facts: Facts) -> Breaches:
    found: Breaches = []
    for id, targets in facts.targets.items():
        if targets is None:
            found.append((f"router {id!r} chose no target", True))
            continue
        for target in targets:
            if target in facts.late:
                found.append((f"router {id!r} chose {target!r}, which did not end", True))
            elif facts.known is not None and target not in facts.known:
                found.append((f"router {id!r} chose {target!r}, which does not exist", True))
            elif facts.edges is not None and (id, target) not in facts.edges:
                found.append((f"no edge leads from router {id!r} to {target!r}", False))
    return found


def _cycles(facts: Facts, rules: Rules) -> list[str]:
    counted: dict[str, int] = {}
    for node in facts.executed:
        counted[node] = counted.get(node, 0) + 1
    allowed = rules.allow_reentrant_nodes
    return [node for node, times in counted.items() if times > 1 and node not in allowed]


def _tools(facts: Facts, rules: Rules) -> Breaches:
    found: Breaches = []
    for call in facts.tools:
        if call.status == "error" and call.continued and not call.handled:
            found.append(
                (f"{call.node!r} failed, and the run went on without dealing with it", True)
            )
        elif call.status in ("warning", "error") and rules.strict_tool_errors:
            found.append((f"{call.node!r} ended with status {call.status}", False))
    return found


def _depth(facts: Facts, rules: Rules) -> Breaches:
    most = rules.max_depth
    if most is None:
        return []
    found: Breaches = []
    if len(facts.executed) > most:
        found.append((f"{len(facts.executed)} nodes ran, and {most} may", True))
    found += [
        (f"path {' → '.join(path)} has {len(path)} steps, and {most} are allowed", True)
        for path in facts.paths
        if len(path) > most
    ]
    return found


def _without(items: Iterable[str], others: Iterable[str]) -> list[str]:
    gone = frozenset(others)
    return [item for item in items if item not in gone]
