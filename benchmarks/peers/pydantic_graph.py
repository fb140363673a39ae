"""pydantic-graph's GraphBuilder; its 2.x line keeps nothing on disk."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic_graph import (  # type: ignore[import-not-found]  # in this environment only
    GraphBuilder,
    StepContext,
    TypeExpression,
    reduce_sum,
)
from workloads import NotSupported, Run, Visits, text

# pydantic-graph reads the annotations of steps at run time; here they may all be the same.
Step = Callable[[Any], Awaitable[Any]]  # Any: the library is not typed here


@dataclass
class State:
    items: list[str] = field(default_factory=list)


class Peer:
    """Implements `workloads.Peer`."""

    def __init__(self, variant: str, folder: str, visits: Visits) -> None:
        self.visits = visits

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    def _builder(self, output: type = int) -> Any:  # Any: a GraphBuilder
        return GraphBuilder(state_type=State, input_type=int, output_type=output)

    def _line(self, builder: Any, first: Any, steps: Sequence[Step], name: str) -> list[Any]:
        """The made steps, `first` leading into them."""
        made = [builder.step(step, node_id=f"{name}{at}") for at, step in enumerate(steps)]
        for one, other in zip([first, *made], made, strict=False):
            builder.add(builder.edge_from(one).to(other))
        return made

    def _run(self, builder: Any) -> Run:  # Any: a GraphBuilder
        graph = builder.build()

        async def run(i: int) -> object:
            found: object = await graph.run(state=State(), inputs=0)
            return found

        return run

    def _adding(self, wait: float) -> Step:
        async def add(ctx: StepContext[State, None, int]) -> int:
            self.visits.nodes += 1
            if wait:
                await asyncio.sleep(wait)
            return int(ctx.inputs) + 1

        return add

    def _giving(self, value: int, wait: float = 0.0) -> Step:
        async def give(ctx: StepContext[State, None, int]) -> int:
            self.visits.nodes += 1
            if wait:
                await asyncio.sleep(wait)
            return value

        return give

    def chain(self, n: int, wait: float = 0.0) -> Run:
        builder = self._builder()
        made = self._line(builder, builder.start_node, [self._adding(wait)] * n, "n")
        builder.add(builder.edge_from(made[-1]).to(builder.end_node))
        return self._run(builder)

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        builder = self._builder()
        source = builder.step(self._giving(0), node_id="source")
        branches = [builder.step(self._giving(1, wait), node_id=f"b{i}") for i in range(n)]
        join = builder.join(reduce_sum, initial=0, node_id="join")
        builder.add(
            builder.edge_from(builder.start_node).to(source),
            builder.edge_from(source).to(*branches),
            builder.edge_from(*branches).to(join),
            builder.edge_from(join).to(builder.end_node),
        )
        return self._run(builder)

    def loop(self, n: int) -> Run:
        builder = self._builder()
        body = builder.step(self._adding(0.0), node_id="body")
        again = builder.match(int, matches=lambda x: x < n).to(body)
        done = builder.match(int).to(builder.end_node)
        builder.add(
            builder.edge_from(builder.start_node).to(body),
            builder.edge_from(body).to(builder.decision().branch(again).branch(done)),
        )
        return self._run(builder)

    def router(self) -> Run:
        visits = self.visits
        builder = self._builder(str)

        async def entry(ctx: StepContext[State, None, int]) -> int:
            visits.nodes += 1
            return int(ctx.inputs)

        async def classify(ctx: StepContext[State, None, int]) -> Literal["left", "right"]:
            visits.nodes += 1
            return "right" if ctx.inputs % 2 else "left"

        async def left(ctx: StepContext[State, None, object]) -> str:
            visits.nodes += 1
            return "left"

        async def right(ctx: StepContext[State, None, object]) -> str:
            visits.nodes += 1
            return "right"

        async def finish(ctx: StepContext[State, None, str]) -> str:
            visits.nodes += 1
            return str(ctx.inputs)

        functions: tuple[Step, ...] = (entry, classify, left, right, finish)
        first, decide, one, other, last = (
            builder.step(function, node_id=name)
            for function, name in zip(functions, "abcde", strict=True)
        )
        decision = builder.decision()
        decision = decision.branch(builder.match(TypeExpression[Literal["left"]]).to(one))
        decision = decision.branch(builder.match(TypeExpression[Literal["right"]]).to(other))
        builder.add(
            builder.edge_from(builder.start_node).to(first),
            builder.edge_from(first).to(decide),
            builder.edge_from(decide).to(decision),
            builder.edge_from(one, other).to(last),
            builder.edge_from(last).to(builder.end_node),
        )
        graph = builder.build()

        async def run(i: int) -> object:
            found: object = await graph.run(state=State(), inputs=i)
            return found

        return run

    def lanes(self, lanes: list[list[float]]) -> Run:
        builder = self._builder()
        source = builder.step(self._giving(0), node_id="source")
        builder.add(builder.edge_from(builder.start_node).to(source))
        heads, tails = [], []
        for number, waits in enumerate(lanes):
            made = [
                builder.step(self._adding(wait), node_id=f"lane{number}_{at}")
                for at, wait in enumerate(waits)
            ]
            for one, other in itertools.pairwise(made):
                builder.add(builder.edge_from(one).to(other))
            heads.append(made[0])
            tails.append(made[-1])
        join = builder.join(reduce_sum, initial=0, node_id="join")
        builder.add(
            builder.edge_from(source).to(*heads),
            builder.edge_from(*tails).to(join),
            builder.edge_from(join).to(builder.end_node),
        )
        return self._run(builder)

    def growth(self, n: int, size: int) -> Run:
        builder = self._builder()
        visits = self.visits

        async def append(ctx: StepContext[State, None, int]) -> int:
            visits.nodes += 1
            ctx.state.items.append(text(size))
            return 0

        made = self._line(builder, builder.start_node, [append] * n, "n")
        builder.add(builder.edge_from(made[-1]).to(builder.end_node))
        graph = builder.build()

        async def run(i: int) -> object:
            state = State()
            await graph.run(state=state, inputs=0)
            return sum(map(len, state.items))

        return run

    def steps(self, n: int) -> Run:
        return self.chain(n)

    def replay(self, n: int, *, steps: bool) -> Run:
        raise NotSupported
