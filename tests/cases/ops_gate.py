"""`gate`: calls of tools under a policy, and what a person says or does not say."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from cases.checks import holds
from cases.language import Case, Fields, NotUnderstood, listed
from cases.observed import Observed, same
from cases.script import script
from cases.stage import Stage, played
from orka.agent.agent import agent
from orka.agent.context import Context
from orka.errors import OrkaError
from orka.event.event import EffectAnswered, EffectRequested, Gated
from orka.value import Json
from orka.view.approvals import answer_to
from orka.view.run import Run

_GATE = ".gate"
# Their word for a key of a policy -> ours.
_OURS = {"approval_timeout_s": "approval_timeout", "timeout_s": "approval_timeout"}
_SILENT = ("no answer", "no answer yet", "none", "silent")
_YES = ("approve", "approves", "approved", "yes")
_NO = ("deny", "denies", "denied", "reject", "rejects", "rejected", "no")


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """`calls` of tools, made at once; alone, a call that is refused fails the node."""

    calls: list[dict[str, Json]]


@agent("batch", config=Batch)
async def batch(ctx: Context) -> Json:
    calls = [ctx.tool(call["tool"], **call["arguments"]) for call in ctx.config.calls]
    if len(calls) == 1:
        return [{"id": ctx.config.calls[0].get("id"), "result": await calls[0]}]
    results = await ctx.all(*calls, settle=True)
    pairs = zip(ctx.config.calls, results, strict=True)
    return [{"id": call.get("id"), "result": result} for call, result in pairs]


def gate(case: Case, folder: Path) -> None:
    """Let an agent call, let the person answer (or not), and look at what ran."""
    with Fields(case.input, "input") as given:
        policy = _policy(given.need("policy"))
        call, several = given.take("call"), given.take("calls")
        calls = [_call(each) for each in (several or [call])]
        tools = _tools(calls, policy, given.take("registered"))
        approver = given.take("approver")
        text, value = given.take("model_text", ""), given.take("input")
        virtual = bool(given.take("virtual_clock", True))
    flow = _flow(policy, calls, text)
    stage = Stage(folder, script({"m": [text]}), [flow], virtual=virtual, tools=tools)
    assert stage.runtime.registry.add(batch)

    async def play() -> Observed:
        async with stage:
            observed = await stage.play(flow, value, "case")
            told = _Told.of(approver)
            if told.arguments is not None:  # what was read before the call was changed
                changed = [{**calls[0], "arguments": told.arguments}]
                before = await stage.play(_flow(policy, changed, text), value, "before")
                if not before.recorded.questions:
                    raise NotUnderstood(f"nobody is asked about {told.arguments}")
                told = replace(told, read=before.recorded.questions[0].payload)
            return await _answered(stage, observed, told, policy.get("approval_timeout"))

    observed = played(play(), virtual=virtual)
    _judge(observed, calls, case.expected)


def _policy(written: Json) -> dict[str, Json]:
    policy = {_OURS.get(key, key): item for key, item in written.items()}
    return {key: item for key, item in policy.items() if item is not None}


def _call(written: Json) -> dict[str, Json]:
    with Fields(written, "call") as fields:
        arguments = fields.take("arguments", fields.take("args", {}))
        return {
            "id": fields.take("id"),
            "tool": fields.need("tool"),
            "arguments": {name: _json(item) for name, item in (arguments or {}).items()},
        }


def _json(value: Json) -> Json:
    """JSON holds no NaN: a call that came from a model can only spell it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _tools(
    calls: Sequence[Mapping[str, Json]], policy: Mapping[str, Json], registered: Json
) -> dict[str, list[str]]:
    names = registered or [
        *(tool for key in ("allow", "ask", "deny") for tool in policy.get(key, ())),
        *(call["tool"] for call in calls),
    ]
    tools: dict[str, list[str]] = {str(name): [] for name in names}
    for call in calls:
        known = tools.get(call["tool"], [])
        known += [name for name in call["arguments"] if name not in known]
    return tools


def _flow(policy: Json, calls: Json, text: str) -> Json:
    agents: list[Json] = [{"id": "calls", "type": "batch", "calls": calls}]
    if text:
        agents.insert(0, {"id": "m", "type": "llm", "model": "scripted/m", "prompt": "go on"})
    return {"orchestrator": {"id": "gate", "policy": policy}, "agents": agents}


# ---- the person


@dataclass(frozen=True)
class _Told:
    """What the person does: nothing, or a `word`, after some seconds, `times` over. `read`: another
    question than the one that is open, with other `arguments`."""

    word: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    times: int = 1
    arguments: Json = None
    read: Json = None

    @classmethod
    def of(cls, approver: Json) -> _Told:
        told = approver if isinstance(approver, Mapping) else {"decision": approver}
        with Fields(told, "approver") as fields:
            word = str(fields.take("decision", fields.take("answer", "no answer yet"))).casefold()
            return cls(
                word="" if approver is None else word,
                notes={key: fields.take(key) for key in ("by", "reason") if key in fields},
                wait=float(fields.take("after_s", 0)),
                times=int(fields.take("times", 1)),
                arguments=fields.take("arguments"),
            )


async def _answered(
    stage: Stage, observed: Observed, told: _Told, timeout: float | None
) -> Observed:
    """Say what the person says to each question, or let the time pass."""
    if observed.run is None or observed.status != "waiting" or not told.word:
        return observed
    if told.word in _SILENT:
        if timeout is not None and told.word != "no answer yet":
            await asyncio.sleep(timeout + 0.5)
            return await stage.observe(stage.runtime.resume("case"), "case")
        return observed
    if told.word not in (*_YES, *_NO):
        raise NotUnderstood(f"nobody knows what the approver does: {told.word!r}")
    await asyncio.sleep(told.wait)
    for question in [*observed.run.questions] * told.times:
        read = question.payload if told.read is None else told.read
        answer = answer_to(read, approved=told.word in _YES, **told.notes)
        observed = await _say(stage, question.id, answer, observed)
    return observed


async def _say(stage: Stage, question: str, answer: Json, before: Observed) -> Observed:
    run: Run | None = before.run
    error: OrkaError | None = None
    try:
        run = await stage.runtime.answer("case", question, answer)
    except OrkaError as refused:
        run, error = stage.runtime.open("case"), refused
    return stage.observed("case", run, error)


# ---- what came of it


def _judge(observed: Observed, calls: Sequence[Mapping[str, Json]], expected: Json) -> None:
    decisions = _decisions(observed)
    with Fields(expected, "expected") as fields:
        if "decision" in fields:
            wanted = fields.take("decision")
            assert decisions[:1] == [wanted], f"decided: {decisions}, not {wanted!r}"
        if "decisions" in fields:
            wanted = fields.take("decisions")
            assert decisions == wanted, f"decided: {decisions}, not {wanted}"
        if "executed" in fields:
            _executed(observed, fields.take("executed"))
        if "results_order" in fields:
            wanted = fields.take("results_order")
            found = [each["id"] for each in observed.node("calls").value]
            assert found == wanted, f"the results are in the order {found}"
        if "run_status" in fields:
            fields.put({"status": fields.take("run_status")})
        if "audit" in fields:
            _audit(observed, fields.take("audit"))
        rest = dict(fields.rest())
    holds(observed, rest)


def _decisions(observed: Observed) -> list[str]:
    """What became of each call, in the order they were made. A policy that is refused because it
    says two things of a tool lets none run."""
    if observed.run is None and observed.error and observed.error.code == "config.policy":
        return ["deny"]
    events = observed.recorded.events
    ruled = {event.effect: event for event in events if isinstance(event, Gated)}
    said = {event.id: event for event in events if isinstance(event, EffectAnswered)}
    open_ = {asked.id for asked in observed.recorded.questions}
    found = list[str]()
    for id, event in ruled.items():
        answer = said.get(f"{id}{_GATE}")
        if event.verdict != "ask":
            found.append(event.verdict)
        elif answer is not None:
            yes = isinstance(answer.value, Mapping) and answer.value.get("approved") is True
            found.append("approve" if yes else "deny")
        else:
            found.append("ask" if f"{id}{_GATE}" in open_ else "timeout")
    return found


def _executed(observed: Observed, wanted: Json) -> None:
    """True or false for the one call, or the tools that ran."""
    ran = sorted(observed.tool_calls.elements())
    if isinstance(wanted, bool):
        assert bool(ran) is wanted, f"executed: {ran}"
    else:
        assert ran == sorted(map(str, listed(wanted))), f"executed: {ran}, not {wanted}"


def _audit(observed: Observed, wanted: Json) -> None:
    """The trace says it: who answered, what was decided, the arguments."""
    events = observed.recorded.events
    told: dict[str, Json] = {"decision": next(iter(_decisions(observed)), None)}
    for event in events:
        if isinstance(event, Gated):
            told |= {"tool": event.tool, "rule": event.rule}
        if isinstance(event, EffectRequested) and event.kind == "ask":
            told |= {"arguments": event.payload["call"]["args"]}
        if isinstance(event, EffectAnswered) and event.id.endswith(_GATE):
            told |= dict(event.value)
    with Fields(wanted, "audit") as fields:
        for key, value in fields.rest():
            if key not in told:
                raise NotUnderstood(f"an audit has no {key!r}")
            assert same(told[key], value, observed.tolerance), f"{key} is {told[key]!r}"
