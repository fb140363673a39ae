"""Strategy, `next`, `depends_on`, routes and branches become edges: control flow as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orka.agent.agent import Shape
from orka.errors import ConfigError, nearest
from orka.graph.graph import BYPASS, Edge
from orka.spec.workflow import AgentSpec, Workflow

# An end still open: a node, and the case under which the path leaves it (None: always).
End = tuple[str, str | None]


@dataclass
class Wiring:
    """Edges by source, in the order written; `order` lists the nodes that take part. `branch`
    numbers the branches that end in a join with a policy; `pool` are agents that nothing leads
    to; `strict` has, by join, the agents whose failure it fails with."""

    edges: dict[str, dict[tuple[str, str | None, bool], None]] = field(default_factory=dict)
    needs: dict[str, int] = field(default_factory=dict)
    sources: dict[str, dict[str, None]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    position: dict[str, int] = field(default_factory=dict)
    failures: dict[str, dict[str, None]] = field(default_factory=dict)
    branch: dict[tuple[str, str], int] = field(default_factory=dict)
    pool: list[str] = field(default_factory=list)
    strict: dict[str, dict[str, None]] = field(default_factory=dict)

    def add(self, end: End, target: str, *, error: bool = False) -> None:
        key = (target, end[1], error)
        edges = self.edges.setdefault(end[0], {})
        if key not in edges:
            edges[key] = None
            if error:
                self.failures.setdefault(target, {})[end[0]] = None
            if end[1] is None and not error:
                self.sources.setdefault(target, {})[end[0]] = None
            self.needs[target] = self.needs.get(target, 0) + 1

    def catching(self, id: str) -> tuple[str, ...]:
        """The nodes whose failure leads to `id`."""
        return tuple(self.failures.get(id, ()))

    def out(self, id: str) -> tuple[Edge, ...]:
        return tuple(
            Edge(
                self.position[target],
                case,
                error,
                -1 if error else self.branch.get((id, target), -1),
            )
            for target, case, error in self.edges.get(id, {})
        )


def wire(
    workflow: Workflow, shapes: Mapping[str, Shape], pooled: Callable[[], bool] = lambda: False
) -> Wiring:
    """Raises `ConfigError` for a target that does not exist and a node that nothing leads to, if
    there is no agent that may open those (`pooled`)."""
    return _Wire(workflow, shapes, pooled).wire()


class _Wire:
    def __init__(
        self, workflow: Workflow, shapes: Mapping[str, Shape], pooled: Callable[[], bool]
    ) -> None:
        self.workflow, self.shapes, self.pooled = workflow, shapes, pooled
        self.specs = {spec.id: spec for spec in workflow.agents}
        self.wiring = Wiring()
        self.done: set[str] = set()
        self.last_owner: dict[str, str] = {}
        self.listed: list[str] = []

    def wire(self) -> Wiring:
        self._check_targets()
        self.last_owner = self._last_owners()
        members = self.listed = self._unowned()
        if self.workflow.strategy == "sequential":
            self._sequence(members, [])
        for id in (*members, *self.specs):
            if id not in self.done:
                self._tails(id)
        for spec in self.specs.values():
            self._explicit(spec)
        self._tolerate()
        self._members(members)
        return self.wiring

    def _unowned(self) -> list[str]:
        """The listed agents that no route or branch places. A route back to an agent listed before
        its router places nothing: it is a cycle, and is told as one."""
        listed = {id: at for at, id in enumerate(self.workflow.order)}
        owned = {
            target
            for owner, shape in self.shapes.items()
            for target in _targets(shape)
            if listed.get(target, len(listed)) >= listed.get(owner, len(listed))
        }
        return [id for id in self.workflow.order if id not in owned]

    def _last_owners(self) -> dict[str, str]:
        """For each target of a route the router that comes last."""
        listed = {id: at for at, id in enumerate(self.workflow.order)}
        owners = sorted(self.shapes, key=lambda id: listed.get(id, len(listed)))
        return {
            target: owner
            for owner in owners
            for targets in self.shapes[owner].routes.values()
            for target in targets
        }

    def _sequence(self, ids: Sequence[str], ends: list[End]) -> list[End]:
        """Lead each open end to the next id; give the ends of the last."""
        for id in ids:
            if not self.specs[id].depends_on:
                for end in ends:
                    self.wiring.add(end, id)
            ends = self._tails(id)
        return ends

    def _tails(self, id: str) -> list[End]:
        """Wire what belongs to `id` itself; give the ends its successor must wait for."""
        shape, spec = self.shapes[id], self.specs[id]
        if id in self.done:
            return [] if shape.routes or shape.branches or spec.next else [(id, None)]
        self.done.add(id)
        ends: list[End] = []
        for case, targets in shape.routes.items():
            ends += self._route(id, targets, [(id, case)])
        before: list[End] = []
        for branch in shape.branches:
            before = self._sequence(branch, [(id, None), *before])
            ends += before
            before = before if shape.chained else []
        if spec.when and (shape.routes or shape.branches):
            ends.append((id, BYPASS))
        if shape.routes or shape.branches:
            return ends
        return [] if spec.next else [(id, None)]

    def _route(self, owner: str, targets: Sequence[str], ends: list[End]) -> list[End]:
        """A target that a later router names too runs once, after both have chosen: the path of
        the earlier one goes on without waiting for it."""
        for at, target in enumerate(targets):
            if self.last_owner[target] == owner:
                return self._sequence(targets[at:], ends)
            for end in ends:
                self.wiring.add(end, target)
        return ends

    def _explicit(self, spec: AgentSpec) -> None:
        for target in spec.next or ():
            self.wiring.add((spec.id, None), target)
        for source in spec.depends_on:
            self.wiring.add((source, None), spec.id)
        if spec.on_error:
            self.wiring.add((spec.id, None), spec.on_error, error=True)
        for code, target in self.shapes[spec.id].catches.items():
            self.wiring.add((spec.id, code), target, error=True)
        if fork := self.shapes[spec.id].joins:
            self._check_group(spec, fork)
            if self.specs[fork].when:
                self.wiring.add((fork, BYPASS), spec.id)
            for number, branch in enumerate(self.shapes[fork].branches):
                for end in self._branch_ends(branch):
                    self.wiring.add(end, spec.id)
                    if self.shapes[spec.id].policy:
                        self.wiring.branch[end[0], spec.id] = number

    def _check_group(self, spec: AgentSpec, fork: str) -> None:
        policy, branches = self.shapes[spec.id].policy, self.shapes[fork].branches
        if not branches:
            raise ConfigError(
                f"join {spec.id!r} has the group {fork!r}, which is no fork: it has no branches",
                where=self.workflow.where(spec.id, "group"),
                fix="name the fork whose branches end here, or remove `group`",
            )
        if policy and (policy.count or 0) > len(branches):
            raise ConfigError(
                f"join {spec.id!r} needs {policy.count} branches, and fork {fork!r} has "
                f"{len(branches)}",
                where=self.workflow.where(spec.id, "policy"),
                fix=f"write a quorum of at most {len(branches)}",
            )

    def _tolerate(self) -> None:
        """Where a join tolerates failures, the failure of each agent of its branches that catches
        none itself leads to the join; in a fork inside a branch, to the join of that fork. One
        that tolerates none fails with it, and so ends the branch."""
        spans = {
            id: self._between(shape.joins, id) for id, shape in self.shapes.items() if shape.joins
        }
        around: dict[str, list[str]] = {}
        for id in sorted(spans, key=lambda id: len(spans[id])):
            for member in spans[id]:
                around.setdefault(member, []).append(id)
        for id, members in spans.items():
            if not self._tolerant(id):
                continue
            within = set(members)
            for member in members:
                if not self.specs[member].on_error:
                    near = around[member][0]
                    inside = near in within and self.shapes[near].joins in within
                    self._falls(member, near if inside else id)

    def _falls(self, member: str, join: str) -> None:
        """The failure of `member` leads to `join`."""
        self.wiring.add((member, None), join, error=True)
        if not self._tolerant(join):
            self.wiring.strict.setdefault(join, {})[member] = None

    def _tolerant(self, join: str) -> bool:
        policy = self.shapes[join].policy
        return bool(policy and policy.tolerant)

    def _between(self, fork: str, join: str) -> list[str]:
        """The agents on paths from a fork to its join, in the order of the file."""
        forward = self._reached(fork, {id: list(edges) for id, edges in self._targets_of().items()})
        backward: dict[str, list[str]] = {}
        for id, targets in self._targets_of().items():
            for target in targets:
                backward.setdefault(target, []).append(id)
        back = self._reached(join, backward)
        return [id for id in self.specs if id in forward and id in back]

    def _targets_of(self) -> dict[str, list[str]]:
        return {id: [key[0] for key in edges] for id, edges in self.wiring.edges.items()}

    def _reached(self, start: str, edges: Mapping[str, Sequence[str]]) -> dict[str, None]:
        found: dict[str, None] = {}
        waiting = list(edges.get(start, ()))
        while waiting:
            if (id := waiting.pop()) not in found:
                found[id] = None
                waiting += edges.get(id, ())
        return found

    def _branch_ends(self, branch: Sequence[str], trail: tuple[str, ...] = ()) -> list[End]:
        """Raises `ConfigError` for a branch that leads back to a node it came through."""
        last = branch[-1]
        trail += tuple(branch)
        if (start := trail.index(last)) < len(trail) - 1:
            raise cycle(self.workflow, trail[start:-1])
        shape = self.shapes[last]
        ends: list[End] = [(last, case) for case, targets in shape.routes.items() if not targets]
        for nested in (*shape.branches, *shape.routes.values()):
            if nested:
                ends += self._branch_ends(nested, trail)
        ends = ends or [(last, None)]
        if self.specs[last].when and (shape.routes or shape.branches):
            ends.append((last, BYPASS))
        for handler in self._handlers(branch):
            ends += self._branch_ends((handler,), trail)
        return list(dict.fromkeys(ends))

    def _handlers(self, branch: Sequence[str]) -> list[str]:
        """The agents that take over when one of a branch fails, and lead nowhere themselves."""
        found = [
            handler
            for id in branch
            for handler in (self.specs[id].on_error, *self.shapes[id].catches.values())
            if handler and not self.specs[handler].next and handler not in self.listed
        ]
        return list(dict.fromkeys(found))

    def _members(self, members: Sequence[str]) -> None:
        """The nodes that take part, in the order of the file; none may be out of reach."""
        order = list(members)
        seen = set(order)
        for id in order:
            for target, _, _ in self.wiring.edges.get(id, {}):
                if target not in seen:
                    seen.add(target)
                    order.append(target)
        self.wiring.pool = [id for id in self.specs if id not in seen]
        if self.wiring.pool and not self.pooled():
            raise self._unreachable(self.wiring.pool[0])
        for at, id in enumerate(members):
            if at and self.workflow.strategy == "sequential" and not self.wiring.needs.get(id):
                raise self._unreachable(id)
        written = {id: at for at, id in enumerate(self.specs)}
        self.wiring.order = sorted(order, key=written.__getitem__)
        self.wiring.position = {id: at for at, id in enumerate(self.wiring.order)}
        for id in order:
            self.wiring.needs.setdefault(id, 0)

    def _unreachable(self, id: str) -> ConfigError:
        return ConfigError(
            f"nothing leads to agent {id!r}",
            where=self.workflow.where(id),
            fix="add it to orchestrator.agents, or name it in a `next`, `depends_on` or route",
            code="config.unreachable",
        )

    def _check_targets(self) -> None:
        for id, shape in self.shapes.items():
            named = [*_targets(shape), *([shape.joins] if shape.joins else []), *shape.reads]
            for target in named:
                if target not in self.specs:
                    raise ConfigError(
                        f"agent {id!r} refers to {target!r}, which does not exist",
                        where=self.workflow.where(id),
                        fix=nearest(target, self.specs),
                        code="config.unknown_agent",
                    )


def cycle(workflow: Workflow, path: Sequence[str]) -> ConfigError:
    """The error for agents that lead from one to the next and back to the first."""
    return ConfigError(
        f"agents {' → '.join([*path, path[0]])} form a cycle",
        where=workflow.where(path[0]),
        fix="repeat with an agent of type `loop`, whose body is a workflow of its own",
        code="config.cycle",
    )


def _targets(shape: Shape) -> list[str]:
    sequences = [*shape.routes.values(), *shape.branches, tuple(shape.catches.values())]
    return [target for sequence in sequences for target in sequence]
