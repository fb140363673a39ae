"""What a node is given: its context, and the names that its templates and condition may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import structs

from orka.agent.context import Context
from orka.agent.deciding import Criteria, Strategies
from orka.agent.paths import PathRules, Paths
from orka.errors import GuardError, TemplateError
from orka.graph.graph import Node
from orka.graph.paths import needs, paths
from orka.run.helpers import Facts
from orka.run.names import Names
from orka.run.render import render
from orka.run.scope import DONE, FAILED, SKIPPED, Scope
from orka.run.seen import Copies
from orka.run.tally import Tally
from orka.value import Json, copied


class Here:
    """What a node's context gives out when it is asked: it looks at the node's scope."""

    __slots__ = ("_clock", "_node", "_run", "_scope", "notes", "tally")

    def __init__(self, run: str, scope: Scope, node: Node, clock: Callable[[], float]) -> None:
        self._run, self._scope, self._node, self._clock = run, scope, node, clock
        self.tally: Tally | None = None
        self.notes: list[str] | None = None

    def render(self, name: str, names: Mapping[str, Json]) -> Json:
        """What is missing in a template of a 0.9 file becomes a note of the node."""
        node, missing = self._node, list[str]()
        if name in node.constants:
            return copied(node.templates[name])
        known = names_for(self._run, self._scope, node, self._clock, names)
        try:
            value = render(node.templates[name], known, missing)
        except TemplateError as error:
            told = f"template {name!r}: {error.what}"
            raise TemplateError(told, fix=error.fix, code=error.code) from None
        if missing:
            said = [f"template {name!r}: {one} is missing: nothing printed" for one in missing]
            self.notes = [*(self.notes or ()), *said]
        return value

    def took(self, tally: Tally) -> None:
        """Count what an effect took."""
        self.tally = self.tally or Tally()
        self.tally.add(tally)

    def now(self) -> float:
        return self._clock()

    def spent(self) -> dict[str, Json]:
        began = self._scope.began[self._node.index]
        tally = self.tally or Tally()
        taken = {"tokens": tally.tokens, "cost": tally.cost}
        return {**taken, "seconds": round(self._clock() - began, 6)}

    def settled(self) -> list[dict[str, Json]]:
        return settled(self._scope, self._node)

    def pool(self) -> dict[str, Json]:
        return dict(copied(dict(self._node.pool)))

    def criteria(self) -> Criteria:
        return self._node.criteria

    def strategies(self) -> Strategies:
        return self._node.strategies

    def paths(self, rules: PathRules) -> Paths:
        seen = self._scope.view(self._node.index)
        reads = {
            id: tuple(each for each in wanted if each not in seen)
            for id, wanted in needs(self._node).items()
        }
        known = structs.replace(rules, reads=reads)
        return paths(self._node.id, tuple(self._node.pool), known)


def context_of(run: str, scope: Scope, node: Node, here: Here) -> Context:
    """The context of a node that has started."""
    index, status = scope.graph.index, scope.status
    return Context(
        run=run,
        scope=scope.name,
        node=node.id,
        input=scope.input,
        outputs=Copies(partial(scope.view, node.index)),
        sources=tuple(id for id in node.sources if status[index[id]] == DONE),
        failing=tuple(id for id in node.catching if status[index[id]] == FAILED)
        if node.catching
        else (),
        config=node.config,
        world=here,
    )


_STATUS = {DONE: "done", SKIPPED: "skipped", FAILED: "failed"}


def settled(scope: Scope, node: Node) -> list[dict[str, Json]]:
    """What became of each node upstream of `node`: all of them are settled once it starts."""
    return [_became(scope, other) for other in scope.graph.nodes if node.above >> other.index & 1]


def _became(scope: Scope, node: Node) -> dict[str, Json]:
    """`targets` are the branches of a fork (lists), or where the route that was taken leads."""
    value = scope.values.get(node.id)
    status = scope.status[node.index]
    held = value if isinstance(value, dict) else {}
    route = held.get("route")
    targets: Json = [list(branch) for branch in node.branches] or None
    if node.type == "router" and route is not None:
        nodes = scope.graph.nodes
        targets = [nodes[e.target].id for e in node.out if not e.error and e.case == route]
    return {
        "id": node.id,
        "type": node.type,
        "status": _STATUS.get(status, "late"),
        "route": route,
        "targets": targets,
        "group": node.group or None,
        "error": held.get("error") if status == FAILED else None,
    }


def names_for(
    run: str,
    scope: Scope,
    node: Node,
    clock: Callable[[], float] | None = None,
    names: Mapping[str, Json] | None = None,
) -> Names:
    """The names of a node's templates and condition. Read only: nothing there is a copy."""
    outputs = scope.view(node.index)
    values: dict[str, Json] = {
        **scope.names,
        "input": scope.input,
        "previous_outputs": outputs,
        "outputs": outputs,
        "params": node.params,
        "run_id": run,
        "trace_id": run,
        "node_id": node.id,
        "agent_id": node.id,
        "workflow_name": scope.graph.id,
    }
    if names:
        values.update(names)
    facts = Facts(partial(settled, scope, node), partial(_edges, scope, node))
    return Names(values, clock, facts)


def _edges(scope: Scope, node: Node) -> list[tuple[str, str]]:
    """The edges among the nodes upstream of `node`."""
    nodes, above = scope.graph.nodes, node.above
    return [
        (other.id, nodes[edge.target].id)
        for other in nodes
        for edge in other.out
        if above >> other.index & 1 and above >> edge.target & 1
    ]


def wanted(run: str, scope: Scope, node: Node) -> bool:
    """What a node's condition says. Raises `GuardError` that names the condition, not the file."""
    if node.when is None:
        return True
    try:
        return node.when(names_for(run, scope, node))
    except GuardError as error:
        told = f"condition {node.when.text!r}: {error.what}"
        raise GuardError(told, fix=error.fix, code=error.code) from None
