"""Facts of an execution: from what became of its nodes, or from data that was written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from orka.score.extract import at_path
from orka.score.invariants import Facts, Join, ToolCall
from orka.value import Json

_SCOUTS = ("graph-scout", "graph_scout")
_BREACH = "sensor.violation"


_HAS_NONE = "the graph has no cycles, so the trace cannot tell of one"
_DEALT = "the trace tells of no tool calls; failures in it were dealt with, or the run had ended"


class Fork(msgspec.Struct, frozen=True):
    """A fork: its branches (an id, or a list of them), and the last ids of those that ended."""

    has_join: bool = False
    branches: list[str | list[str]] = []
    completed_branches: list[str | list[str]] = []


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
    """Facts as an author writes them. What is left out is not known."""

    nodes_executed: list[str] | None = None
    fork_groups: dict[str, Fork] | None = None
    router_decisions: dict[str, _Router] | None = None
    graph_structure: _Structure | None = None
    tool_calls: list[_Call] | None = None
    structured_outputs: dict[str, _Output] | None = None
    graphscout_candidates: list[_Candidate] | None = None
    errors: dict[str, Json] | None = None


def facts_of(data: Json) -> Facts:
    """The facts in written data. Raises `msgspec.ValidationError` that says where."""
    given = msgspec.convert(data, Data)
    graph = given.graph_structure
    errors = given.errors or {}
    schemas = {id: False for id, error in errors.items() if _code(error) == _BREACH}
    told = {id: each.schema_valid for id, each in (given.structured_outputs or {}).items()}
    return Facts(
        executed=given.nodes_executed or [],
        forks={
            id: Join(fork.has_join, _lasts(fork.branches), _lasts(fork.completed_branches))
            for id, fork in (given.fork_groups or {}).items()
        },
        targets={
            id: _targets(each.chosen_target) for id, each in (given.router_decisions or {}).items()
        },
        known=list(graph.nodes) if graph else None,
        edges=[(edge.src, edge.dst) for edge in graph.edges] if graph else None,
        tools=[
            ToolCall(
                call.node_id, call.status, call.error_handled, call.execution_continued_after_error
            )
            for call in given.tool_calls or []
        ]
        + [_dealt_with(id) for id in errors],
        schemas=schemas | told,
        paths=[each.path for each in given.graphscout_candidates or []],
        unknown=_left_out(given),
        failures=given.errors is not None,
    )


def _left_out(given: Data) -> dict[str, str]:
    """By category why written data cannot tell of it."""
    needs = {
        "fork_join_integrity": ("fork_groups",),
        "routing_integrity": ("router_decisions",),
        "cycle_detection": ("nodes_executed",),
        "tool_integrity": ("tool_calls",),
        "schema_compliance": ("structured_outputs", "errors"),
        "depth_compliance": ("nodes_executed", "graphscout_candidates"),
    }
    found = {
        category: f"the data do not have {' or '.join(map(repr, names))}"
        for category, names in needs.items()
        if all(getattr(given, name) is None for name in names)
    }
    if given.router_decisions and given.graph_structure is None:
        why = "the data do not have 'graph_structure', so nothing says what routers lead to"
        found["routing_integrity"] = why
    return found


def observed(settled: Sequence[Mapping[str, Json]], outputs: Mapping[str, Json]) -> Facts:
    """The facts of a trace: what became of each node upstream, as a context tells it. What it
    cannot tell is `unknown`."""
    status = {node["id"]: node["status"] for node in settled}
    failed = [node for node in settled if node["status"] == "failed"]
    routers = [node for node in settled if _routed(node)]
    found = forks(settled)
    unknown = {"cycle_detection": _HAS_NONE, "tool_integrity": _DEALT}
    if going := [node["id"] for node in settled if _branches(node) and node["id"] not in found]:
        unknown["fork_join_integrity"] = f"branches go on: {', '.join(going)}"
    if unseen := [n["id"] for n in routers if n["route"] is not None and not _seen(n, status)]:
        told = f"where these routers led is not upstream of this agent: {', '.join(unseen)}"
        unknown["routing_integrity"] = told
    return Facts(
        executed=[id for id, ended in status.items() if ended != "skipped"],
        forks={
            id: Join(fork.has_join, _lasts(fork.branches), _lasts(fork.completed_branches))
            for id, fork in found.items()
        },
        targets={
            node["id"]: None if node["route"] is None else node["targets"] or [] for node in routers
        },
        late=[id for id, ended in status.items() if ended == "late"],
        tools=[_dealt_with(node["id"]) for node in failed],
        schemas={node["id"]: False for node in failed if _code(node["error"]) == _BREACH},
        paths=list(filter(None, (_path(node, outputs) for node in settled))),
        unknown=unknown,
        failures=True,
    )


def forks(settled: Sequence[Mapping[str, Json]]) -> dict[str, Fork]:
    """The forks of a trace of which it can be told how they ended. Branches go by their last node;
    one that was skipped, with no failure on the way, was routed away."""
    status = {node["id"]: node["status"] for node in settled}
    joined = [node["group"] for node in settled if node["group"]]
    found: dict[str, Fork] = {}
    for node in settled:
        branches = _branches(node)
        ended = all(id in status for branch in branches for id in branch)
        if branches and (node["id"] in joined or ended):
            taken = [branch for branch in branches if not _routed_away(branch, status)]
            done = [branch[-1] for branch in taken if status.get(branch[-1]) == "done"]
            found[node["id"]] = Fork(node["id"] in joined, [*taken], [*done])
    return found


def _branches(node: Mapping[str, Json]) -> list[list[str]]:
    """The branches of a fork that ran, as lists of ids."""
    if node["status"] != "done" or not node["targets"] or node["type"] == "router":
        return []
    return [[each] if isinstance(each, str) else list(each) for each in node["targets"]]


def _routed_away(branch: Sequence[str], status: Mapping[str, str]) -> bool:
    became = [status.get(id) for id in branch]
    return became[-1] == "skipped" and "failed" not in became


def _routed(node: Mapping[str, Json]) -> bool:
    return (node["status"], node["type"]) == ("done", "router")


def _seen(router: Mapping[str, Json], status: Mapping[str, str]) -> bool:
    """Whether it can be told what became of all that a router led to."""
    return bool(router["targets"]) and all(id in status for id in router["targets"])


def _dealt_with(node: str) -> ToolCall:
    """A failure that others could look upon: the run went on, so it was dealt with."""
    return ToolCall(node, "error", handled=True, continued=True)


def _lasts(branches: Sequence[str | Sequence[str]]) -> list[str]:
    """Each branch by the id of its last node."""
    return [each if isinstance(each, str) else each[-1] for each in branches if each]


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
