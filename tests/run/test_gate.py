"""The gate before a tool: what runs is what a person saw, once, in time, in this run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Literal

import pytest

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.effect import Effect
from orka.errors import EffectFailed, InputError
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    EffectAnswered,
    Gated,
    NodeFailed,
    NodeReopened,
    NodeStopped,
)
from orka.kit.agents.foreach import foreach
from orka.kit.agents.tool import tool
from orka.kit.agents.workflow import workflow
from orka.testing.clock import START
from orka.testing.script import Reply
from orka.value import Json
from run.room import Node, Room, failure, output

GATE = "t#0.gate"
REFUND: Node = {"id": "t", "type": "tool", "tool": "refund", "args": {"amount": "{{ input }}"}}
ASK = {"ask": ["refund"]}


def refunds(*nodes: Node, **policy: Json) -> Room:
    found = nodes or (REFUND,)
    script: Mapping[str, list[Reply | Json]] = {str(node["id"]): ["paid"] for node in found}
    return Room([tool, workflow, foreach], found, script, policy=policy or ASK)


def payload(room: Room, id: str = GATE) -> Mapping[str, Json]:
    asked: Mapping[str, Json] = room.requests(id)[-1].payload
    return asked


def said(
    room: Room, *, yes: bool = True, id: str = GATE, at: float = START, **more: Json
) -> EffectAnswered:
    """An answer to the question as it was asked last."""
    value = {"approved": yes, "seal": payload(room, id)["seal"], **more}
    return EffectAnswered(at=at, id=id, attempt=room.requests(id)[-1].attempt, value=value)


def refused(room: Room, fact: EffectAnswered) -> str:
    """The code with which an answer is refused; nothing is recorded of it."""
    before = room.store.read("r")
    with pytest.raises(InputError) as raised:
        room.resume(fact)
    assert room.store.read("r") == before
    return raised.value.code


def test_without_a_policy_nothing_is_judged() -> None:
    room = Room([tool], [REFUND], {"t": ["paid"]})
    assert output(room.start(50)) == "paid"
    assert not room.told(Gated)


def test_what_was_approved_runs_once_and_nothing_else() -> None:
    room = refunds()
    assert room.start(50).status == "waiting"
    assert not room.tools.calls
    assert payload(room)["call"] == {"args": {"amount": 50}, "tool": "refund"}
    assert output(room.resume(said(room, by="pia"))) == "paid"
    assert [call.prompt for call in room.tools.calls] == ["refund"]
    assert room.requests("t#0")[0].payload == {"args": {"amount": 50}, "name": "refund"}
    with pytest.raises(InputError):
        room.resume(said(room))
    assert len(room.tools.calls) == 1


def test_a_no_is_a_failure_and_stays_one() -> None:
    room = refunds()
    room.start(50)
    found = failure(room.resume(said(room, yes=False, reason="too late")))
    assert found.code == "approval.denied"
    assert "too late" in found.message and "refund" in found.message
    assert failure(room.resume()).code == "approval.denied"
    assert not room.tools.calls and len(room.requests(GATE)) == 1


def test_a_denied_call_is_a_failure_that_is_never_asked() -> None:
    room = refunds(allow=["search"])
    found = failure(room.start(50))
    assert found.code == "permission.denied"
    assert "'t'" in found.message and "'refund'" in found.message and "search" in found.message
    assert not room.requests("t#0") and not room.requests(GATE)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"approved": True}, "approval.mismatch"),
        ({"approved": True, "seal": "a" * 40}, "approval.mismatch"),
        ({"approved": False}, "approval.mismatch"),
        ("yes", "approval.mismatch"),
        (True, "approval.mismatch"),
        ({"approved": "yes", "seal": None}, "approval.answer"),
        ({"approved": 1, "seal": None}, "approval.answer"),
        ({"seal": None}, "approval.answer"),
        ({"approved": True, "seal": None}, "approval.not_approver"),
        ({"approved": True, "seal": None, "by": "Pia"}, "approval.not_approver"),
        ({"approved": False, "seal": None, "by": ["pia"]}, "approval.not_approver"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer: Json, code: str) -> None:
    """A seal of None stands for the right one."""
    room = refunds(**ASK, approvers=["pia"])
    room.start(50)
    if isinstance(answer, dict) and answer.get("seal", "") is None:
        answer = {**answer, "seal": payload(room)["seal"]}
    assert refused(room, EffectAnswered(at=START, id=GATE, value=answer)) == code
    assert output(room.resume(said(room, by="pia"))) == "paid"


def test_a_seal_is_of_one_call_in_one_run_under_one_graph() -> None:
    """A person approves 50. Whatever is changed, the seal of it opens nothing else."""
    approved = refunds()
    approved.start(50)
    seal = payload(approved)["seal"]
    others = {
        "arguments": refunds(),
        "node": refunds({**REFUND, "id": "u"}),
        "tool": refunds({**REFUND, "tool": "pay"}, ask=["pay"]),
        "graph": refunds(ask=["refund", "other"]),
        "approvers": refunds(**ASK, approvers=["pia"]),
        "expiry": refunds(**ASK, approval_timeout=60),
    }
    for what, room in others.items():
        (id,) = room.start(5000 if what == "arguments" else 50).pending
        fact = EffectAnswered(at=START, id=id, value={"approved": True, "seal": seal, "by": "pia"})
        assert refused(room, fact) == "approval.mismatch", what
        assert not room.tools.calls, what


def test_silence_is_never_a_yes() -> None:
    room = refunds(**ASK, approval_timeout=60)
    assert room.start(50).status == "waiting"
    assert payload(room)["expires"] == START + 60
    assert room.resume().status == "waiting"
    found = failure(room.resume(start=START + 61))
    assert found.code == "approval.timeout"
    assert room.told(NodeFailed) == ["t"] and not room.tools.calls
    assert any(isinstance(event, DeadlinePassed) and event.scope == GATE for event in room.events)


def test_a_yes_that_comes_too_late_is_none() -> None:
    room = refunds(**ASK, approval_timeout=60)
    room.start(50)
    late = said(room, at=START + 60.5)
    assert failure(room.resume(late, start=START + 61)).code == "approval.timeout"
    assert not room.tools.calls
    backdated = refunds(**ASK, approval_timeout=60)
    backdated.start(50)
    found = backdated.resume(said(backdated, at=START + 1), start=START + 61)
    assert failure(found).code == "approval.timeout"


def test_after_a_timeout_a_resume_asks_again_with_another_seal() -> None:
    room = refunds(**ASK, approval_timeout=60)
    room.start(50)
    first = said(room)
    room.resume(start=START + 61)
    assert room.resume(start=START + 100).status == "waiting"
    assert payload(room)["expires"] == START + 160
    assert payload(room)["seal"] != first.value["seal"]
    again = EffectAnswered(at=START + 101, id=GATE, attempt=2, value=first.value)
    with pytest.raises(InputError):
        room.resume(again, start=START + 101)
    assert output(room.resume(said(room, at=START + 110), start=START + 110)) == "paid"


def test_time_passes_while_another_branch_works() -> None:
    nodes = [REFUND, {"id": "slow", "type": "slow"}]

    @agent("slow")
    async def slow(ctx: Context) -> Json:
        await ctx.sleep(100)
        return "done"

    room = Room([tool, slow], nodes, strategy="graph", policy={**ASK, "approval_timeout": 60})
    assert failure(room.start(50)).code == "approval.timeout"
    assert room.tools.calls == []


def test_a_call_approved_in_time_and_made_too_late_is_asked_about_again() -> None:
    """The tool failed; whoever resumes the run the next day does not use yesterday's yes."""
    broken = {"raise": {"status": 503}}
    room = Room([tool], [REFUND], {"t": [broken, "paid"]}, policy={**ASK, "approval_timeout": 60})
    room.start(50)
    assert failure(room.resume(said(room))).code != "approval.denied"
    assert room.resume(start=START + 90_000).status == "waiting"
    assert len(room.requests("t#0")) == 1
    done = room.resume(said(room, at=START + 90_010), start=START + 90_010)
    assert output(done) == "paid" and len(room.requests("t#0")) == 2


def test_a_retry_of_an_approved_call_needs_no_second_yes() -> None:
    broken = {"raise": {"status": 503}}
    room = Room([tool], [{**REFUND, "retries": 1}], {"t": [broken, "paid"]}, policy=ASK)
    room.start(50)
    assert output(room.resume(said(room))) == "paid"
    assert len(room.requests(GATE)) == 1 and len(room.requests("t#0")) == 2


def test_a_call_that_a_crash_interrupted_is_judged_again() -> None:
    """The process died with the call under way; the yes is of the day before."""
    room = refunds(**ASK, approval_timeout=60)
    room.start(50)
    room.resume(said(room), cue=lambda worker: worker.deliver(CancelAsked(at=START)))
    lines = room.store.read("r")
    asked = next(at for at, e in enumerate(room.events) if e in room.requests("t#0"))
    for start, status in ((START + 30, "completed"), (START + 90_000, "waiting")):
        crashed = refunds(**ASK, approval_timeout=60)
        asyncio.run(crashed.store.append("r", 0, lines[: asked + 1], {}))
        assert crashed.resume(start=start).status == status
    assert crashed.tools.calls == [] and crashed.told(NodeStopped) == crashed.told(NodeReopened)
    late = START + 90_010
    assert output(crashed.resume(said(crashed, at=late), start=late)) == "paid"


FORMS: list[tuple[str, Json]] = [
    ("tool", None),
    ("tool", {"name": ["refund"], "args": {}}),
    ("tool", {"name": None, "args": {}}),
    ("tool", {"name": "refund"}),
    ("tool", {"name": "refund", "args": "50"}),
    ("tool", {"name": "refund", "args": {}, "approved": True}),
    ("llm", {"messages": "refund"}),
    ("llm", {"messages": ["refund"]}),
    ("ask", None),
    ("ask", {"schema": None}),
    ("ask", {"prompt": "?", "seal": "", "call": {"tool": "refund", "args": {}}}),
    ("ask", {"prompt": "?", "seal": "mine"}),
    ("ask", {"prompt": "?", "seal": "", "within": "for ever"}),
    ("ask", {"prompt": "?", "seal": "", "approvers": "pia"}),
]


@pytest.mark.parametrize(("kind", "asked"), FORMS, ids=str)
def test_an_effect_that_an_agent_made_itself_is_what_it_says_or_nothing(
    kind: str, asked: Json
) -> None:
    @agent("hand")
    async def hand(ctx: Context) -> Json:
        return await Effect(kind, asked)

    room = Room([hand], [{"id": "t", "type": "hand"}], policy=ASK)
    assert failure(room.start()).code == "agent.contract"
    assert room.tools.calls == []


@pytest.mark.parametrize("turns", range(1, 7))
def test_an_effect_says_what_it_is_once(turns: int) -> None:
    class Turning(Effect):
        """Something harmless at first, and a call of a tool later."""

        def __init__(self, payload: Json) -> None:
            self.looks = 0
            super().__init__("", payload)

        @property
        def kind(self) -> str:
            self.looks += 1
            return "tool" if self.looks > turns else "memory"

        @kind.setter
        def kind(self, kind: str) -> None:
            """It is nothing."""

    @agent("sly")
    async def sly(ctx: Context) -> Json:
        return await Turning({"name": "refund", "args": {"amount": 5000}})

    room = Room([sly], [{"id": "t", "type": "sly"}], {"t": ["paid"]}, policy=ASK)
    room.start()
    assert room.tools.calls == []


def test_what_a_call_says_of_itself_changes_nothing() -> None:
    claims = {"amount": 900, "approved": True, "approved_by": "manager", "seal": "x"}
    room = refunds({**REFUND, "args": claims})
    assert room.start().status == "waiting"
    assert payload(room)["call"]["args"] == claims


@agent("batch")
async def batch(ctx: Context) -> Json:
    calls = [ctx.tool(name, n=n) for n, name in enumerate(ctx.input)]
    results = await ctx.all(*calls, settle=True)
    return [each if isinstance(each, str) else each["error"]["code"] for each in results]


def test_a_batch_keeps_its_order_whatever_is_refused_or_asked() -> None:
    policy = {"allow": ["a"], "ask": ["b"], "deny": ["c"]}
    room = Room([batch], [{"id": "x", "type": "batch"}], {"x": ["1", "2", "3"]}, policy=policy)
    assert room.start(["b", "c", "a", "b"]).status == "waiting"
    ruled = [event.verdict for event in room.events if isinstance(event, Gated)]
    assert ruled == ["ask", "deny", "auto", "ask"]
    first, last = "x#0.0.0.gate", "x#0.3.0.gate"
    assert room.resume(said(room, id=last)).status == "waiting"
    done = output(room.resume(said(room, yes=False, id=first)))
    assert done == ["approval.denied", "permission.denied", "1", "2"]


def test_an_agent_may_go_on_after_a_refusal() -> None:
    @agent("careful")
    async def careful(ctx: Context) -> Json:
        try:
            return await ctx.tool("refund", amount=1)
        except EffectFailed as failed:
            return failed.code

    room = Room([careful], [{"id": "c", "type": "careful"}], policy={"deny": ["refund"]})
    assert output(room.start()) == "permission.denied"


def inner(node: Node, **policy: Json) -> Node:
    flow = {"orchestrator": {"id": "in", "policy": policy}, "agents": [dict(node)]}
    return {"id": "outer", "type": "workflow", "workflow": flow}


@pytest.mark.parametrize(
    ("around", "within", "verdict"),
    [
        ({"allow": ["refund"]}, {"ask": ["refund"]}, "ask"),
        ({"ask": ["refund"]}, {"allow": ["refund"]}, "ask"),
        ({"deny": ["refund"]}, {"allow": ["refund"]}, "deny"),
        ({"allow": ["refund"]}, {"allow": ["other"]}, "deny"),
        ({"allow": ["refund"]}, {"allow": ["refund"]}, "auto"),
    ],
)
def test_the_strictest_policy_around_a_node_decides(
    around: Json, within: Json, verdict: Literal["auto", "ask", "deny"]
) -> None:
    room = Room([tool, workflow], [inner(REFUND, **within)], {"t": ["paid"]}, policy=around)
    state = room.start(50)
    assert [event.verdict for event in room.events if isinstance(event, Gated)] == [verdict]
    assert state.status == {"auto": "completed", "ask": "waiting", "deny": "failed"}[verdict]


def test_each_item_of_a_loop_is_asked_about() -> None:
    flow = {"orchestrator": {"id": "in"}, "agents": [dict(REFUND)]}
    nodes = [{"id": "e", "type": "foreach", "items": "{{ input }}", "workflow": flow}]
    room = Room([tool, foreach], nodes, {"t": ["a", "b"]}, policy=ASK)
    state = room.start([1, 2])
    waiting = [id for id in state.pending if id.endswith(".gate")]
    assert len(waiting) == 2
    assert [payload(room, id)["call"]["args"] for id in waiting] == [{"amount": 1}, {"amount": 2}]
    room.resume(said(room, id=waiting[1]))
    assert output(room.resume(said(room, id=waiting[0]))) is not None
    assert len(room.tools.calls) == 2


def test_cancelling_a_run_that_waits_and_resuming_it_asks_again() -> None:
    room = refunds()
    room.start(50)
    first = said(room)
    room.resume(cue=lambda worker: worker.cancel("stop"))
    assert room.resume().status == "waiting"
    assert payload(room)["seal"] != first.value["seal"]
    with pytest.raises(InputError):
        room.resume(first)
    assert output(room.resume(said(room))) == "paid"
