"""Haystack's Pipeline, which a target of the fan-out names. Only that is built here.

The limit of four components at once is raised, so that a fan-out is really parallel.
"""

import asyncio

# These are installed in this peer's virtual environment only.
from haystack import Pipeline, component  # type: ignore[import-not-found]
from haystack.core.component.types import Variadic  # type: ignore[import-not-found]
from workloads import NotSupported, Run, Visits

_OUTPUT = component.output_types(x=int)
# Components may not take what they are not told of, so the counter is set here by `Peer`.
_COUNTED: list[Visits] = []


@component
class One:
    """Gives 1, after a wait."""

    def __init__(self, wait: float) -> None:
        self.wait = wait

    @_OUTPUT  # type: ignore[untyped-decorator]  # Haystack is not typed here
    def run(self, x: int) -> dict[str, int]:
        raise RuntimeError("the sync path must not run")

    @_OUTPUT  # type: ignore[untyped-decorator]  # as above
    async def run_async(self, x: int) -> dict[str, int]:
        _COUNTED[-1].nodes += 1
        if self.wait:
            await asyncio.sleep(self.wait)
        return {"x": 1}


@component
class Total:
    """Gives the sum of what came in."""

    @_OUTPUT  # type: ignore[untyped-decorator]  # as above
    def run(self, x: Variadic[int]) -> dict[str, int]:
        raise RuntimeError("the sync path must not run")

    @_OUTPUT  # type: ignore[untyped-decorator]  # as above
    async def run_async(self, x: Variadic[int]) -> dict[str, int]:
        _COUNTED[-1].nodes += 1
        return {"x": sum(x)}


class Peer:
    """Implements `workloads.Peer`."""

    def __init__(self, variant: str, folder: str, visits: Visits) -> None:
        _COUNTED[:] = [visits]

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    def chain(self, n: int, wait: float = 0.0) -> Run:
        """Only to warm up: a fan-out."""
        return self.fanout(n, wait)

    def fanout(self, n: int, wait: float = 0.0) -> Run:
        pipeline = Pipeline()
        pipeline.add_component("source", One(0.0))
        pipeline.add_component("join", Total())
        for i in range(n):
            pipeline.add_component(f"b{i}", One(wait))
            pipeline.connect("source.x", f"b{i}.x")
            pipeline.connect(f"b{i}.x", "join.x")

        async def run(i: int) -> object:
            out = await pipeline.run_async({"source": {"x": 0}}, concurrency_limit=n + 5)
            found: object = out["join"]["x"]
            return found

        return run

    def loop(self, n: int) -> Run:
        raise NotSupported

    def router(self) -> Run:
        raise NotSupported

    def lanes(self, lanes: list[list[float]]) -> Run:
        raise NotSupported

    def growth(self, n: int, size: int) -> Run:
        raise NotSupported

    def steps(self, n: int) -> Run:
        raise NotSupported

    def replay(self, n: int, *, steps: bool) -> Run:
        raise NotSupported
