"""Facts of an execution: from what became of its nodes, or from data that was written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from orka.score.extract import at_path
from orka.score.invariants import Facts, Join, ToolCall
from orka.value import Json

_SCOUTS = ("graph-scout", "graph_scout")
_BREACH = "sensor.violation"


class _Fork(msgspec.Struct, frozen=True):
    has_join: bool = False
    branches: list[str] = []
    completed_branches: list[str] = []


class _Router(msgspec.Struct, frozen=True):
    chosen_target: str | list[str] | None = None


class _Edge(msgspec.Struct, frozen=True):
    src: str
    dst: str


class _Structure(msgspec.Struct, frozen=True):
    nodes: dict[str, Json] | list[str] = {}
    edges: list[_Edge] = []


class _Call(msgspec.Struct, frozen=True):
    node_id: str
    status: str
    error_handled: bool = False
    execution_continued_after_error: bool = False


class _Output(msgspec.Struct, frozen=True):
    schema_valid: bool = True


class _Candidate(msgspec.Struct, frozen=True):
    path: list[str] = []


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts as an author writes them."""

    nodes_executed: list[str] = []
    fork_groups: dict[str, _Fork] = {}
    router_decisions: dict[str, _Router] = {}
    graph_structure: _Structure | None = None
    tool_calls: list[_Call] = []
    structured_outputs: dict[str, _Output] = {}
    graphscout_candidates: list[_Candidate] = []


def facts_of(data: Json) -> Facts:
    """The facts in written data. Raises `msgspec.ValidationError` that says where."""
    given = msgspec.convert(data, Data)
    graph = given.graph_structure
    return Facts(
        executed=given.nodes_executed,
        forks={
            id: Join(fork.has_join, fork.branches, fork.completed_branches)
            for id, fork in given.fork_groups.items()
        },
        targets={id: _targets(each.chosen_target) for id, each in given.router_decisions.items()},
        known=list(graph.nodes) if graph else None,
        edges=[(edge.src, edge.dst) for edge in graph.edges] if graph else None,
        tools=[
            ToolCall(
                call.node_id, call.status, call.error_handled, call.execution_continued_after_error
            )
            for call in given.tool_calls
        ],
        schemas={id: each.schema_valid for id, each in given.structured_outputs.items()},
        paths=[each.path for each in given.graphscout_candidates],
    )


def observed(settled: Sequence[Mapping[str, Json]], outputs: Mapping[str, Json]) -> Facts:
    """The facts of a trace: what became of each node upstream, as a context tells it. A failure
    that was caught was dealt with; a fork whose branches go on is not judged yet."""
    status = {node["id"]: node["status"] for node in settled}
    joined = [node["group"] for node in settled if node["group"]]
    forks: dict[str, Join] = {}
    for node in settled:
        branches = _branches(node, status)
        if branches and (
            node["id"] in joined or all(id in status for each in branches for id in each)
        ):
            forks[node["id"]] = _join(branches, status, joined=node["id"] in joined)
    failed = [node for node in settled if node["status"] == "failed"]
    return Facts(
        executed=[id for id, ended in status.items() if ended != "skipped"],
        forks=forks,
        targets={
            node["id"]: [] if node["route"] is not None else None
            for node in settled
            if node["type"] == "router" and node["status"] == "done"
        },
        tools=[ToolCall(node["id"], "error", handled=True, continued=True) for node in failed],
        schemas={node["id"]: False for node in failed if _code(node["error"]) == _BREACH},
        paths=list(filter(None, (_path(node, outputs) for node in settled))),
    )


def _branches(node: Mapping[str, Json], status: Mapping[str, str]) -> list[list[str]]:
    """The branches of a fork that ran, as lists of ids."""
    if node["status"] != "done" or not isinstance(node["targets"], list) or node["type"] != "fork":
        return []
    return [[each] if isinstance(each, str) else list(each) for each in node["targets"]]


def _join(branches: Sequence[Sequence[str]], status: Mapping[str, str], *, joined: bool) -> Join:
    """Branches go by their last node. One that was skipped, with no failure on the way, was routed
    away."""
    taken = [branch for branch in branches if not _routed_away(branch, status)]
    ends = [branch[-1] for branch in taken]
    return Join(joined, ends, [id for id in ends if status.get(id) == "done"])


def _routed_away(branch: Sequence[str], status: Mapping[str, str]) -> bool:
    became = [status.get(id) for id in branch]
    return became[-1] == "skipped" and "failed" not in became


def _targets(chosen: str | list[str] | None) -> list[str] | None:
    if not chosen:
        return None
    return [chosen] if isinstance(chosen, str) else chosen


def _code(error: Json) -> str:
    code = error.get("code") if isinstance(error, Mapping) else ""
    return code if isinstance(code, str) else ""


def _path(node: Mapping[str, Json], outputs: Mapping[str, Json]) -> list[str]:
    """The path that a scout proposed."""
    target = at_path(outputs.get(node["id"]), "target") if node["type"] in _SCOUTS else None
    if isinstance(target, str):
        return [target]
    return [id for id in target if isinstance(id, str)] if isinstance(target, list) else []
