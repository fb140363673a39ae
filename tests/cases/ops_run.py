"""`run`: one workflow, one run (or the same one several times)."""

from __future__ import annotations

from pathlib import Path

from cases.checks import holds
from cases.language import Case, Fields
from cases.observed import Observed
from cases.script import Script, script
from cases.stage import Stage, played
from orka.source import Flow
from orka.value import Json, canonical


def run(case: Case, folder: Path) -> None:
    """Play the workflow. Time is virtual unless the case measures the real one."""
    with Fields(case.input, "input") as given:
        flow, value = given.need("workflow"), given.take("input")
        replies = script(given.take("script"))
        virtual = given.take("virtual_clock", "max_seconds" not in case.expected)
    times = int(case.expected.get("repeat", 1))
    results = []
    for number in range(times):
        here = folder / str(number)
        here.mkdir()
        observed = play(here, flow, value, replies, virtual=virtual)
        results.append(observed)
        observed.extra = {"same_result": _result(observed) == _result(results[0])}
        holds(observed, case.expected)


def play(folder: Path, flow: Flow, value: Json, replies: Script, *, virtual: bool) -> Observed:
    """One run on a stage of its own."""

    async def one() -> Observed:
        async with Stage(folder, replies, [flow], virtual=virtual) as stage:
            return await stage.play(flow, value, "case")

    return played(one(), virtual=virtual)


def _result(observed: Observed) -> bytes:
    """What must be the same each time: status, output, steps and prompts."""
    if observed.run is None:
        return str(observed.error).encode()
    prompts = {agent: observed.prompts(agent) for agent in observed.calls}
    return canonical([observed.status, observed.run.output, observed.executed, prompts])
