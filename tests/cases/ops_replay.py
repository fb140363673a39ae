"""`replay`: a run is recorded, then replayed without the world, or its trace is read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
import yaml

from cases.checks import holds
from cases.language import Case, Fields, NotUnderstood
from cases.observed import Observed
from cases.ops_cli import shown
from cases.script import Script, script
from cases.stage import Stage, played
from orka.event.event import Event
from orka.value import Json, canonical
from orka.view.run import Run

_THEN = ("replay offline", "read trace", "log", "stderr", "HTTP error", "")
# What differs between two recordings of the same run: the wall clock, its own name.
_UNSTEADY = ("at", "spent", "run")


class Recorded(msgspec.Struct, frozen=True):
    """What is to be recorded."""

    flow: Json
    input: Json
    script: Script
    cancel_after_ms: float | None


def replay(case: Case, folder: Path) -> None:
    """Record, and look at the trace or replay it, as often as `repeat` says."""
    with Fields(case.input, "input") as given:
        then = [part.strip() for part in re.split(r",|\band\b", str(given.take("then", "")))]
        repeat = int(given.take("repeat", 1))
        runs = given.take("runs")
        plans = [_recorded(run, f"runs[{n}]") for n, run in enumerate(runs or ())]
        if runs is None:
            plans = [_plan(given)]
    if strange := [part for part in then if part not in _THEN]:
        raise NotUnderstood(f"then cannot be {strange}")
    with Fields(case.expected, "expected") as expected:
        again, rest = expected.take("replay"), dict(expected.rest())
    recordings = [_record(plan, _made(folder / f"plan-{n}")) for n, plan in enumerate(plans)]
    for number, observed in enumerate(recordings):
        if {"log", "stderr", "HTTP error"} & set(then):
            observed.texts = _texts(observed, folder / f"plan-{number}")
        holds(observed, _nth(rest, number) if runs is not None else rest)
    if again is not None:
        for number in range(repeat):
            _again(plans[0], recordings[0], again, _made(folder / f"again-{number}"))


def _recorded(run: Json, where: str) -> Recorded:
    with Fields(run, where) as fields:
        return _plan(fields)


def _plan(fields: Fields) -> Recorded:
    if "record_script" in fields and "script" in fields:
        raise NotUnderstood(f"{fields.where} has two scripts")
    replies = fields.take("record_script") if "record_script" in fields else fields.take("script")
    flow = fields.need("workflow")
    if "retries" in fields:
        flow = _retried(flow, fields.take("retries"))
    return Recorded(
        flow, fields.take("input", "hello"), script(replies), fields.take("cancel_after_ms")
    )


def _retried(flow: str, retries: int) -> Json:
    """`retries` beside a workflow: how often an answer that breaks its schema is asked for again,
    and for agents without one, how often a call that failed."""
    workflow = yaml.load(flow, Loader=yaml.CSafeLoader)
    for agent in workflow["agents"]:
        agent["violation_retries" if "output_schema" in agent else "retries"] = retries
    return workflow


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _nth(expected: Mapping[str, Json], number: int) -> dict[str, Json]:
    """What is expected of one of several runs: lists hold a value for each."""
    return {key: v[number] if isinstance(v, list) else v for key, v in expected.items()}


def _record(plan: Recorded, folder: Path) -> Observed:
    """One recording, in the store of `folder`."""

    async def play() -> Observed:
        async with _stage(plan, folder) as stage:
            if plan.cancel_after_ms is not None:
                later = plan.cancel_after_ms / 1000
                asyncio.get_running_loop().call_later(later, stage.runtime.cancel, "case")
            return _fixed(await stage.play(plan.flow, plan.input, "case"))

    return played(play(), virtual=True)


def _stage(plan: Recorded, folder: Path, *, live: bool = True) -> Stage:
    store = str(folder / "store")
    return Stage(folder, plan.script, [plan.flow], store=store, virtual=True, live=live)


def _fixed(observed: Observed) -> Observed:
    """Read whole while its store is open."""
    if observed.run is not None:
        assert observed.run.events
    return observed


def _texts(observed: Observed, folder: Path) -> list[str]:
    """What else a reader gets to see: the log, the error, and what the command line shows."""
    told = [str(observed.error)] if observed.error else []
    if observed.run is not None and observed.run.failure is not None:
        told.append(canonical(msgspec.to_builtins(observed.run.failure)).decode())
    return [*observed.heard, *told, *shown(folder / "store", "case")]


def _again(plan: Recorded, recorded: Observed, expected: Json, folder: Path) -> None:
    """Replay the recording in a runtime where nobody may call, and record it anew to compare."""
    source = folder.parent / "plan-0"
    anew = _record(plan, folder)

    async def play() -> Observed:
        async with _offline(plan, source, folder) as stage:
            replayed = stage.runtime.replay("case")
            assert not replayed.unwritten
            assert replayed.chain.seq == len(recorded.recorded.lines), "the replay stops short"
            ended = replayed.scheduler.state.end
            observed = stage.observed("case", stage.runtime.open("case"))
            observed.extra = {
                "calls_live": observed.calls.total(),
                "same_final_output": (ended.value if ended else None) == recorded.recorded.output,
                "same_loop_count": _rounds(observed) if _same_rounds(observed, recorded) else None,
                "same_canonical_trace": _canonical(observed.recorded)
                == _canonical(recorded.recorded)
                == _canonical(anew.recorded),
            }
            return _fixed(observed)

    observed = played(play(), virtual=True)
    assert observed.recorded.lines == recorded.recorded.lines
    holds(observed, expected, "replay")


def _offline(plan: Recorded, source: Path, folder: Path) -> Stage:
    quiet = _made(folder / "offline")
    store = str(source / "store")
    return Stage(quiet, {}, [plan.flow], store=store, virtual=True, live=False)


def _rounds(observed: Observed) -> int:
    """How often inner workflows were run."""
    return sum(a.kind == "graph" and a.number == 1 for n in observed.nodes for a in n.attempts)


def _same_rounds(one: Observed, other: Observed) -> bool:
    return _rounds(one) == _rounds(other)


def _canonical(run: Run) -> list[bytes]:
    """A trace without wall-clock values and run ids."""
    return [canonical(_steady(event)) for event in run.events]


def _steady(event: Event) -> Json:
    data: Mapping[str, Json] = msgspec.to_builtins(event)
    return {key: item for key, item in data.items() if key not in _UNSTEADY}
