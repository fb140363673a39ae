"""Random workflows: everything about one follows from an integer."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.spec.load import load
from orka.testing.agents import CATALOG
from orka.value import Json

Agent = dict[str, Json]
_DEEPEST = 2


def workflow(seed: int) -> Mapping[str, Json]:
    """The workflow of `seed`, as a map for `orka.spec.load.load`."""
    return _Flow(random.Random(f"graph/{seed}"), depth=0).written(f"random-{seed}")


def random_graph(seed: int) -> Graph:
    """The workflow of `seed`, compiled."""
    return compile(load(workflow(seed), f"seed {seed}"), CATALOG)


def random_input(seed: int) -> Json:
    """What a run of `seed` is given."""
    rng = random.Random(f"input/{seed}")
    text = "ß" * 9000 if rng.random() < 0.1 else "short"
    return {"x": rng.randint(0, 9), "text": text, "deep": {"$blob": [1.5, None, {"": True}]}}


@dataclass
class _Flow:
    """One workflow on its way: `agents` in the order written, `members` of the orchestrator."""

    rng: random.Random
    depth: int
    agents: dict[str, Agent] = field(default_factory=dict)
    members: list[str] = field(default_factory=list)
    made: int = 0

    def written(self, id: str) -> dict[str, Json]:
        size = self.rng.randint(1, 3) if self.depth else self.rng.randint(2, 7)
        wide = self.rng.random() < 0.5
        for _ in range(size):
            if wide:
                self._member()
            else:
                self._piece()
        self._catches()
        head: dict[str, Json] = {"id": id, "agents": self.members}
        if wide:
            head["strategy"] = "graph"
        if self._chance(0.15):
            head["timeout"] = round(self.rng.uniform(1, 15), 3)
        return {"orchestrator": head, "agents": list(self.agents.values())}

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _new(self, kind: str, **options: Json) -> Agent:
        id = f"n{self.made}"
        self.made += 1
        made: Agent = {"id": id, "type": kind, **options}
        self.agents[id] = made
        if self._chance(0.5):
            made["retries"] = self.rng.randint(1, 3)
            if self._chance(0.5):
                made["backoff"] = {"initial": self.rng.choice([0, 0.25, 1]), "limit": 3}
        if self._chance(0.2):
            made["timeout"] = round(self.rng.uniform(0.3, 6), 3)
        return made

    # ---- nodes

    def _act(self, **options: Json) -> Agent:
        made = self._new("act", **options)
        inner = self._inner(made) if self._chance(0.25) else []
        made["steps"] = self._steps(inner, 0)
        if self._chance(0.1):
            made["odd"] = True
        return made

    def _inner(self, made: Agent, *names: str) -> list[str]:
        if self.depth >= _DEEPEST:
            return []
        names = names or self.rng.choice([("one",), ("one", "two")])
        made["closed"] = self._chance(0.3)
        for name in names:
            made[name] = _Flow(self.rng, self.depth + 1).written(f"{made['id']}-{name}")
        return list(names)

    def _opener(self) -> Agent:
        """An agent with scopes of its own; one without where they would be too deep."""
        if self.depth >= _DEEPEST:
            return self._act()
        kinds = ["again", "again", "rescue", "rescue", "each", "nurse", "visit", "insist", "insist"]
        kind = self.rng.choice(kinds)
        made = self._new(kind)
        match kind:
            case "again":
                made["times"] = self.rng.randint(1, 4)
                self._inner(made, "one")
            case "rescue":
                self._inner(made, "one", "two")
            case "each":
                made["times"], made["limit"] = self.rng.randint(0, 4), self.rng.randint(0, 2)
                self._inner(made, "one")
            case "nurse":
                children = [self._act() for _ in range(self.rng.randint(1, 3))]
                made["children"] = [self.agents.pop(child["id"]) for child in children]
            case "insist":
                self._tried(made, 0)
            case "visit":
                for _ in range(self.rng.randint(0, 2)):
                    self._act()  # nothing leads there
        return made

    def _tried(self, made: Agent, level: int) -> Agent:
        """An agent that tries its children, some of which have tries of their own."""
        children = [
            self._tried(self._new("insist"), level + 1)
            if not level and self._chance(0.3)
            else self._act()
            for _ in range(self.rng.randint(1, 3))
        ]
        made["children"] = [self.agents.pop(child["id"]) for child in children]
        made["times"], made["limit"] = self.rng.randint(2, 4), self.rng.choice([0, 0, 1, 2])
        return made

    def _steps(self, inner: list[str], level: int) -> list[Json]:
        count = self.rng.choice([0, 1, 1, 2, 3]) if not level else self.rng.randint(1, 2)
        steps = [self._step(inner, level) for _ in range(count)]
        steps += [{"do": "graph", "name": name} for name in inner if not level]
        self.rng.shuffle(steps)
        if self._chance(0.03):
            steps.insert(self.rng.randint(0, len(steps)), {"do": "raise"})
        return steps

    def _step(self, inner: list[str], level: int) -> Json:
        kinds = (
            ["llm"] * 6
            + ["tool"] * 5
            + ["memory", "sleep", "sleep", "random", "now", "look", "big", "spoil"]
        )
        kinds += ["note", *["graph"] * len(inner)]
        kinds += ["all", "all", "attempt"] if level < 2 else []
        kinds += ["ask"] if self._chance(0.3) else []
        kind = self.rng.choice(kinds)
        step: dict[str, Json] = {"do": kind}
        match kind:
            case "llm" | "tool" | "memory" | "ask":
                step["name"] = self.rng.choice("abcde")
            case "sleep":
                step["seconds"] = self.rng.choice([0, 0.5, round(self.rng.uniform(0, 4), 3)])
            case "graph":
                step["name"] = self.rng.choice(inner)
                step["collect"], step["names"] = self._chance(0.3), self._chance(0.3)
            case "all":
                strands = self.rng.randint(0, 4)
                step["members"] = [self._steps(inner, level + 1) for _ in range(strands)]
                step["settle"] = self._chance(0.5)
                step["limit"] = self.rng.choice([0, 0, 1, 2])
            case "attempt":
                step["members"] = [self._steps(inner, level + 1)]
        return step

    # ---- a graph: edges as the agents declare them

    def _member(self) -> None:
        above = list(self.members)
        made = self._opener() if self._chance(0.15) else self._act()
        self.members.append(made["id"])
        if above and self._chance(0.85):
            some = self.rng.sample(above, self.rng.randint(1, min(3, len(above))))
            made["depends_on"] = sorted(some)
        if made["type"] == "act" and self._chance(0.2):
            self._routes(made)
        if self._chance(0.25):
            made["when"] = self._guard(made.get("depends_on", []))

    def _routes(self, made: Agent) -> None:
        cases = self.rng.sample("pqr", self.rng.randint(1, 3))
        made["routes"] = {
            case: [self._act()["id"] for _ in range(self.rng.randint(0, 2))] for case in cases
        }

    def _guard(self, above: list[str]) -> str:
        if not above or self._chance(0.2):
            return f"input.x > {self.rng.randint(0, 5)}"
        id, bar = self.rng.choice(above), self.rng.randint(0, 6)
        if self._chance(0.2):
            return f"previous_outputs.{id}.v >= {bar}"
        return f"not '{id}' in outputs or 'error' in outputs.{id} or outputs.{id}.v >= {bar}"

    # ---- a sequence: chains, forks with their joins, routes

    def _piece(self) -> None:
        kind = self.rng.choice(["act", "act", "fork", "route", "opener"])
        before = self.members[-1:]
        if kind == "fork":
            return self._fork()
        made = self._opener() if kind == "opener" else self._act()
        self.members.append(made["id"])
        if kind == "route":
            self._routes(made)
        if self._chance(0.2):
            made["when"] = self._guard(before)
        earlier = self.members[:-1]
        if earlier and self._chance(0.1):
            made["writes"] = self.rng.choice(earlier)
        return None

    def _fork(self) -> None:
        before = self.members[-1:]
        fork, join = self._forked(0)
        if self._chance(0.15):
            self.agents[fork]["when"] = self._guard(before)
        self.members += [fork, join]

    def _forked(self, level: int) -> tuple[str, str]:
        """A fork, its branches, and their join."""
        fork = self._act()
        branches = [self._branch(level) for _ in range(self.rng.randint(1, 4))]
        fork["branches"], fork["chained"] = branches, self._chance(0.15)
        join = self._new("meet", joins=fork["id"], ends=[branch[-1] for branch in branches])
        if self._chance(0.5):
            join["policy"] = self._policy(len(branches))
        return fork["id"], join["id"]

    def _branch(self, level: int) -> list[str]:
        branch = [self._act()["id"] for _ in range(self.rng.randint(1, 2))]
        if level < 1 and self._chance(0.2):
            branch += self._forked(level + 1)
        return branch

    def _policy(self, branches: int) -> Json:
        policy: dict[str, Json] = {"partial": self._chance(0.4)}
        if self._chance(0.5):
            policy["count"] = self.rng.randint(1, branches)
        if self._chance(0.5):
            policy["deadline"] = round(self.rng.uniform(0.2, 6), 3)
        return policy

    # ---- routes for failures

    def _catches(self) -> None:
        order = list(self.members)
        for at, id in enumerate(order):
            if not self._chance(0.2):
                continue
            later = order[at + 1 :]
            if later and self._chance(0.4):
                self.agents[id]["on_error"] = self.rng.choice(later)
                continue
            if self._chance(0.3):
                code = self.rng.choice(["agent.raised", "timeout", "tool.failed"])
                self.agents[id]["catches"] = {code: self._act()["id"]}
                continue
            handler = self._act()
            self.agents[id]["on_error"] = handler["id"]
            if later and self._chance(0.5):
                handler["next"] = [self.rng.choice(later)]
