"""`run_many`: several runs of one process, or several sessions, that must not see each other."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from cases.checks import CHECKS, holds
from cases.language import Case, Fields, NotUnderstood
from cases.observed import Observed
from cases.script import script
from cases.stage import Stage, played
from orka.value import Json

_EACH = re.compile(r"each_(\w+)|(\w+)_each")
_CALLS = re.compile(r"(\S+) calls (\S+)")


def run_many(case: Case, folder: Path) -> None:
    """Several runs, at once if `parallel`; what is expected is said for each."""
    if "sessions" in case.input:
        _sessions(case, folder)
        return
    with Fields(case.input, "input") as given:
        flow, runs = given.take("workflow"), given.need("runs")
        parallel, replies = given.take("parallel", False), script(given.take("script"))
        virtual = bool(given.take("virtual_clock", True))
    flows = [run.get("workflow", flow) for run in runs]
    stage = Stage(folder, replies, flows, virtual=virtual)

    async def play() -> list[Observed]:
        async with stage:
            doing = [_one(stage, number, run, flow) for number, run in enumerate(runs)]
            if parallel:
                return list(await asyncio.gather(*doing))
            return [await each for each in doing]

    _judge(played(play(), virtual=virtual), runs, case.expected)


async def _one(stage: Stage, number: int, run: Json, flow: Json) -> Observed:
    with Fields(run, f"runs[{number}]") as fields:
        value, own = fields.take("input"), fields.take("workflow", flow)
        id = f"run-{number}"
        if "script" in fields:
            stage.doubles.scripts[id] = script(fields.take("script"))
    return await stage.play(own, value, id)


def _judge(results: Sequence[Observed], runs: Sequence[Json], expected: Mapping[str, Json]) -> None:
    with Fields(expected, "expected") as fields:
        talk = fields.take("cross_talk")
        for key in ("runs", "per_run", "each"):
            if key in fields:
                each = fields.take(key)
                assert len(each) == len(results), f"{len(results)} runs, {len(each)} expectations"
                for observed, wanted in zip(results, each, strict=True):
                    holds(observed, wanted, key)
        for key, value in fields.rest():
            named = _EACH.fullmatch(key)
            if named is None:
                for observed in results:
                    holds(observed, {key: value})
            else:
                _each(results, named.group(1) or named.group(2), value)
    if talk is not None:
        mixed = [n for n, run in enumerate(runs) if _foreign(results[n], n, run, runs)]
        assert len(mixed) == talk, f"runs that saw another's input: {mixed}"


def _each(results: Sequence[Observed], what: str, value: Json) -> None:
    """One value for each run, or the same for all, `<i>` being the run's number."""
    values = (
        value if isinstance(value, list) else [_numbered(value, n) for n in range(len(results))]
    )
    assert len(values) == len(results), f"{len(results)} runs, {len(values)} expectations"
    for observed, wanted in zip(results, values, strict=True):
        if what == "prompts" and isinstance(wanted, str):
            wanted = dict.fromkeys(observed.calls, wanted)
        if what not in CHECKS:
            raise NotUnderstood(f"expected has a key nobody reads: each {what}")
        CHECKS[what](observed, wanted)


def _numbered(value: Json, number: int) -> Json:
    if isinstance(value, str):
        return value.replace("<i>", str(number))
    if isinstance(value, Mapping):
        return {key: _numbered(item, number) for key, item in value.items()}
    return value


def _foreign(observed: Observed, number: int, run: Json, runs: Sequence[Json]) -> bool:
    """Whether a run asked, or gave, a word that only another run's input has."""
    own = _words(run.get("input"))
    others = {
        word for at, each in enumerate(runs) if at != number for word in _words(each.get("input"))
    }
    said = _words(observed.run.output if observed.run else None)
    said |= {word for each in observed.asked for prompt in each.prompts for word in _words(prompt)}
    return bool(said & (others - own))


def _words(value: Json) -> set[str]:
    if isinstance(value, Mapping):
        return {word for item in value.values() for word in _words(item)}
    if isinstance(value, (list, tuple)):
        return {word for item in value for word in _words(item)}
    return set(re.findall(r"\w+", value)) if isinstance(value, str) else set()


def _sessions(case: Case, folder: Path) -> None:
    """Sessions are runs of one runtime, each under a policy that allows what is enabled in it. All
    of them first use what they have, so that one could switch it on for the others."""
    with Fields(case.input, "input") as given:
        sessions, then = given.need("sessions"), str(given.need("then"))
    enabled: dict[str, list[str]] = {}
    for name, session in sessions.items():
        with Fields(session, f"sessions.{name}") as fields:
            enabled[name] = fields.take("enable", [])
    calls = [_clause(each) for each in re.split(r"\s*(?:,|;|\band\b|\bthen\b)\s*", then)]
    named = [tool for own in enabled.values() for tool in own] + [tool for _, tool in calls]
    tools = {tool: list[str]() for tool in named}
    stage = Stage(folder, {}, [], tools=tools, virtual=True)

    async def play() -> dict[str, Observed]:
        async with stage:
            for name, own in enabled.items():
                for tool in own:
                    await _calls_tool(stage, own, tool, f"{name}-first-{tool}")
            return {
                name: await _calls_tool(stage, enabled[name], tool, name) for name, tool in calls
            }

    found = played(play(), virtual=True)
    for name, expected in case.expected.items():
        if name not in found:
            raise NotUnderstood(f"no session {name!r} called a tool")
        _session(found[name], expected)


def _clause(clause: str) -> tuple[str, str]:
    calls = _CALLS.fullmatch(clause)
    if calls is None:
        raise NotUnderstood(f"then cannot be {clause!r}")
    return calls.group(1), calls.group(2)


async def _calls_tool(stage: Stage, enabled: list[str], tool: str, run: str) -> Observed:
    head = {"id": "s", "policy": {"allow": enabled}}
    agents = [{"id": "t", "type": "tool", "tool": tool}]
    return await stage.play({"orchestrator": head, "agents": agents}, None, run)


def _session(observed: Observed, expected: Json) -> None:
    with Fields(expected, "session") as fields:
        executed = bool(observed.tool_calls)
        if "executed" in fields:
            assert executed is fields.take("executed"), f"executed: {executed}"
        decision = "auto" if executed else "deny"
        assert fields.take("decision", decision) == decision, f"the decision is {decision}"
        rest = dict(fields.rest())
    holds(observed, rest, "session")
