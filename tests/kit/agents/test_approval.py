"""`approval`: who may answer, what they see, and how long they have."""

from __future__ import annotations

import asyncio

import pytest

from orka.api import Runtime
from orka.errors import ConfigError, InputError
from orka.testing.clock import clock, run_virtual
from orka.value import Json
from orka.view.approvals import answer_to, approvals
from orka.view.diff import diff
from orka.view.run import Run


def flow(**options: Json) -> Json:
    node = {"id": "ok", "type": "approval", "prompt": "Pay {{ input }}?", **options}
    return {"orchestrator": {"id": "pay"}, "agents": [node]}


def runtime() -> Runtime:
    return Runtime(store=":memory:", clock=clock)


def yes(run: Run, **notes: str) -> Json:
    return answer_to(run.questions[0].payload, approved=True, **notes)


async def refused(runtime: Runtime, run: Run, answer: Json) -> str:
    with pytest.raises(InputError) as raised:
        await runtime.answer(run.id, "ok", answer)
    return raised.value.code


def test_a_plain_question_is_answered_with_a_plain_yes() -> None:
    async def play() -> None:
        async with runtime() as here:
            run = await here.run(flow(), 50)
            assert await refused(here, run, {"approved": True, "seal": "x"}) == "approval.mismatch"
            run = await here.answer(run.id, "ok", {"approved": True, "by": "pia"})
            assert run.output == {"approved": True, "by": "pia"}
            here.replay(run.id)

    run_virtual(play())


def test_what_is_shown_is_answered_with_its_seal() -> None:
    async def play() -> None:
        async with runtime() as here:
            run = await here.run(flow(show={"amount": "{{ input }}"}), 50)
            (asked,) = approvals(run)
            assert asked.shown == '{"amount":50}'
            assert await refused(here, run, {"approved": True}) == "approval.mismatch"
            other = await here.run(flow(show={"amount": "{{ input }}"}), 5000)
            assert await refused(here, other, yes(run)) == "approval.mismatch"
            assert (await here.answer(run.id, "ok", yes(run))).status == "completed"

    run_virtual(play())


def test_only_approvers_answer() -> None:
    async def play() -> None:
        async with runtime() as here:
            run = await here.run(flow(approvers=["pia"]), 50)
            assert await refused(here, run, yes(run, by="tom")) == "approval.not_approver"
            assert (await here.answer(run.id, "ok", yes(run, by="pia"))).status == "completed"

    run_virtual(play())


def test_nobody_in_time_is_a_timeout_and_a_resume_asks_again() -> None:
    async def play() -> None:
        async with runtime() as here:
            run = await here.run(flow(timeout_after=60), 50)
            late = yes(run)
            await asyncio.sleep(61)
            assert await refused(here, run, late) == "approval.timeout"
            run = here.open(run.id)
            assert run.failure is not None and run.failure.code == "approval.timeout"
            run = await here.resume(run.id)
            assert run.status == "waiting" and len(run.questions) == 1
            assert (await here.answer(run.id, "ok", yes(run))).status == "completed"
            here.replay(run.id)

    run_virtual(play())


def test_a_fork_asks_people_again_and_an_edited_workflow_too() -> None:
    """Fifty was approved; neither the old yes nor its seal is good for what was changed."""

    async def play() -> None:
        async with runtime() as here:
            run = await here.run(flow(show="{{ input }}"), "50")
            old = yes(run)
            await here.answer(run.id, "ok", old)
            forks = [
                await here.fork(run.id),
                await here.fork(run.id, changes={"input": "5000"}),
                await here.fork(run.id, flow=flow(show="5000")),
            ]
            for fork in forks:
                assert fork.status == "waiting"
                assert await refused(here, fork, old) == "approval.mismatch"

    run_virtual(play())


def test_two_runs_that_were_approved_alike_do_not_differ() -> None:
    async def play() -> None:
        async with runtime() as here:
            runs = []
            for _ in range(2):
                await asyncio.sleep(5)
                run = await here.run(flow(show="{{ input }}", timeout_after=60), 50)
                runs.append(await here.answer(run.id, "ok", yes(run, by="pia")))
            assert runs[0].output == {"approved": True, "by": "pia"}
            assert diff(*runs) is None

    run_virtual(play())


@pytest.mark.parametrize("options", [{"timeout_after": 0}, {"approvers": [" "]}, {"aprovers": []}])
def test_wrong_options_are_found_before_the_run(options: Json) -> None:
    with pytest.raises(ConfigError):
        runtime().check(flow(**options))
