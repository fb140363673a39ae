"""A `graph-scout` that runs its choice: it falls back, is cut off, taken up, forked, replayed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from scouts import ABC, MODEL, Scouted, Tools, does, flow, given, ranked, said

import orka
from orka.errors import Diverged
from orka.event.codec import decode
from orka.event.event import Decided, EffectAnswered, EffectRequested, NodeStarted, RunStarted
from orka.kit.stores.memory import MemoryStore
from orka.score.criterion import Proposal, State, criterion
from orka.score.ledger import Ledger
from orka.score.strategy import Choice, Situation, commit, strategy
from orka.testing.clock import START, clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel
from orka.testing.trace import blobs_of
from orka.value import Json
from orka.view.decisions import decisions
from orka.view.tried import tried

FOUR = (*ABC, does("d"))


def executed(*paths: str, failing: Sequence[str] = (), **options: Json) -> Scouted:
    written = flow(FOUR, **ranked(*paths), strategy="strict", execute=True, **options)
    return Scouted(written, failing=failing)


# ---- what it runs


def test_the_choice_is_run_and_the_output_has_what_came_of_it() -> None:
    run = executed("a b", "c")
    assert run.output["executed_path"] == run.output["path"] == ["a", "b"]
    assert run.output["results"] == {"a": "a done", "b": "b done"}
    assert run.output["response"] == "b done" and run.output["given_up"] == []
    (tried,) = run.notes("path_tried")
    assert (tried.data["path"], tried.data["ok"]) == (["a", "b"], True)


def test_agents_see_what_was_before_the_scout_and_on_the_path() -> None:
    saw = does("b", args={"step": "b", "sees": "{{ outputs.before }}, {{ outputs.a }}"})
    written = flow([does("a"), saw], **ranked("a b"), execute=True, strategy="strict")
    written["orchestrator"]["agents"] = ["before", "scout"]
    written["agents"].append(does("before"))
    assert Scouted(written).output["response"] == "b saw before done, a done"


def test_who_it_was_for_is_told_with_each_path_that_was_tried() -> None:
    run = executed("a b", "c", failing=["b"], tenant="acme")
    assert [(n.data["tenant"], n.data["ok"]) for n in run.notes("path_tried")] == [
        ("acme", False), ("acme", True),
    ]  # fmt: skip


@pytest.mark.parametrize(("on_failure", "starts"), [("continue", 1), ("restart", 2)])
def test_a_path_that_fails_falls_back_and_repeats_no_effect(on_failure: str, starts: int) -> None:
    run = executed("a b c", "a d c", failing=["b"], on_failure=on_failure)
    assert run.output["executed_path"] == ["a", "d", "c"]
    assert run.output["target"] == run.output["path"] == ["a", "d", "c"]
    assert run.calls == {"a": 1, "b": 1, "d": 1, "c": 1}
    (gone,) = run.output["given_up"]
    assert (gone["path"], gone["agent"], gone["code"]) == (["a", "b", "c"], "b", "effect.raised")
    started = [e.node for e in run.run.events if isinstance(e, NodeStarted)]
    assert started.count("a") == starts


def test_or_it_stops_at_the_first_failure() -> None:
    run = executed("a b", "c", failing=["b"], on_failure="stop")
    assert run.failure == "path.failed" and run.calls == {"a": 1, "b": 1}


def test_it_falls_back_no_further_than_the_shortlist() -> None:
    run = executed("a", "b", "c", failing=["a", "b"], k_beam=2)
    assert run.failure == "path.failed" and run.calls == {"a": 1, "b": 1}
    run = executed("a", "b", "c", failing=["a", "b"], k_beam=3)
    assert run.output["response"] == "c done"


def test_a_failed_path_leads_where_the_file_says() -> None:
    written = flow(ABC, **ranked("a", "b"), strategy="strict", execute=True, on_error="c")
    run = Scouted(written, failing=["a", "b"])
    assert run.output == "c done" and run.calls == {"a": 1, "b": 1, "c": 1}


def test_a_path_executor_runs_the_shortlist_of_a_scout() -> None:
    executor = {"id": "go", "type": "path_executor", "path_source": "scout",
                "on_path_failure": "continue"}  # fmt: skip
    written = flow(FOUR, more=[executor], **ranked("a b", "a d"), strategy="strict")
    run = Scouted(written, failing=["b"])
    assert run.output["executed_path"] == ["a", "d"] and run.calls == {"a": 1, "b": 1, "d": 1}


def test_a_path_waits_for_a_person_on_it_and_goes_on() -> None:
    permit = {"id": "permit", "type": "approval", "prompt": "May I?"}
    written = flow([permit, *ABC], **ranked("a permit b", "c"), strategy="strict", execute=True)
    assert Scouted(written).run.status == "waiting"
    run = Scouted(written, answers={"permit": {"approved": True}})
    assert run.output["response"] == "b done" and run.calls == {"a": 1, "b": 1}


def test_agents_of_a_path_are_retried_as_they_say_before_it_is_given_up() -> None:
    pool = [does("a", retries=2), does("b")]
    run = Scouted(flow(pool, **ranked("a", "b"), execute=True, commit_margin=0), failing={"a": 2})
    assert run.output["executed_path"] == ["a"] and run.calls == {"a": 3}


@pytest.mark.parametrize("on_failure", ["continue", "restart"])
def test_a_path_that_is_fallen_back_to_sees_what_it_wrote_itself(on_failure: str) -> None:
    keeps = {"type": "memory", "namespace": "n", "operation": "write"}
    pool = [
        {"id": "one", **keeps, "prompt": "apple pie"},
        {"id": "two", **keeps, "prompt": "banana pie"},
        {"id": "look", **keeps, "operation": "read", "prompt": "pie"},
        *ABC,
    ]
    paths = ranked("one look a", "two look b", "one look c")
    written = flow(pool, **paths, strategy="strict", execute=True, on_failure=on_failure)
    run = Scouted(written, failing=["a"])
    assert "banana pie" in str(run.output["results"]["look"])
    run = Scouted(written, failing=["a", "b"])
    writes = [e for e in run.requests if e.kind == "memory" and e.payload["op"] == "write"]
    performed = [e.payload["content"] for e in writes if not e.answer]
    assert performed == ["apple pie", "banana pie"]


def test_an_agent_called_none_can_be_chosen() -> None:
    written = flow([does("none"), does("b")], **ranked("none", "b"), too_close="ask",
                   commit_margin=1, execute=True)  # fmt: skip
    run = Scouted(written, answers={"scout": "none"})
    assert run.output["executed_path"] == ["none"]
    run = Scouted(written, answers={"scout": "none of them"})
    assert (run.output["decision"], run.output["path"]) == ("human_gate", [])


# ---- cut off, taken up, forked


def test_a_decision_of_a_run_that_is_taken_up_is_told_once_and_so_is_each_try() -> None:
    tools = Tools({"b": 1, "c": 1})
    written = flow(ABC, **ranked("a b", "a c"), strategy="strict", execute=True)

    async def go() -> orka.Run:
        async with orka.Runtime(store=":memory:", use=[tools.act, given], clock=clock) as runtime:
            assert (await runtime.run(written, "x", run_id="r")).status == "failed"
            run = await runtime.resume("r")
            assert not runtime.replay("r").unwritten
            return run

    run = run_virtual(go())
    assert run.output["executed_path"] == ["a", "c"] and tools.calls == {"a": 1, "b": 1, "c": 2}
    assert len([event for event in run.events if isinstance(event, Decided)]) == 2
    assert [each.node for each in decisions(run)] == ["scout"]
    assert [(each.path, each.ok) for each in tried(run)] == [
        (("a", "b"), False), (("a", "c"), False), (("a", "c"), True),
    ]  # fmt: skip


class Sounding:
    """A scout whose model judges, whose first path fails half way; in a store that can be cut."""

    def __init__(self, on_failure: str = "continue") -> None:
        think = {"id": "think", "type": "llm", "model": MODEL, "prompt": "{{ outputs.a }}?"}
        self.written = flow(
            [*FOUR, think],
            paths=[["a", "think", "b"], ["a", "think", "d"]],
            max_depth=3,
            model=MODEL,
            weights={"llm": 0.7, "given": 0.3},
            criteria=["given"],
            domain="1 0.5",
            execute=True,
            on_failure=on_failure,
        )
        self.tools, self.store = Tools(["b"]), MemoryStore()

    def model(self) -> ScriptedModel:
        """What it says is the same however often it is asked."""
        judge = {"repeat": said(6, 6), "times": 9}
        return ScriptedModel(Script({"scout": [judge], "think": [{"repeat": "so", "times": 9}]}))

    def runtime(self, *use: object) -> orka.Runtime:
        self.asked = self.model()
        return orka.Runtime(
            store=self.store,
            models={"scripted": self.asked},
            use=[self.tools.act, *(use or (given,))],
            clock=clock,
        )

    async def start(self) -> orka.Run:
        async with self.runtime() as runtime:
            run = await runtime.run(self.written, "x", run_id="r")
            assert not runtime.replay("r").unwritten
            return run

    async def resumed(self, lines: Sequence[bytes], store: MemoryStore) -> orka.Run:
        begun = decode(lines[0], store.blob)
        assert isinstance(begun, RunStarted)
        blobs = {**blobs_of(lines, store.blob), begun.flow: store.blob(begun.flow)}
        await self.store.append("r", 0, lines, blobs)
        async with self.runtime() as runtime:
            run = await runtime.resume("r")
            assert not runtime.replay("r").unwritten
            return run


@pytest.mark.parametrize("on_failure", ["continue", "restart"])
def test_a_run_cut_at_any_event_comes_to_the_same_end_and_repeats_nothing(on_failure: str) -> None:
    whole = Sounding(on_failure)
    end = run_virtual(whole.start())
    assert end.output["executed_path"] == ["a", "think", "d"]
    asked = Counter(whole.tools.calls) + Counter(whole.asked.counts)
    assert asked == {"scout": 2, "a": 1, "think": 1, "b": 1, "d": 1}
    lines = whole.store.read("r")
    for cut in range(1, len(lines)):
        cold = Sounding(on_failure)
        run = run_virtual(cold.resumed(lines[:cut], whole.store), start=START + 50)
        assert run.output == end.output
        before = _answered(lines[:cut], whole.store)
        again = Counter(cold.tools.calls) + Counter(cold.asked.counts)
        assert before + again == asked, f"cut at {cut}"


def _answered(lines: Sequence[bytes], store: MemoryStore) -> Counter[str]:
    """The effects by node that were answered by an asking of their own."""
    events = [decode(line, store.blob) for line in lines]
    asked = {e.id: e for e in events if isinstance(e, EffectRequested)}
    own = [
        e.id
        for e in events
        if isinstance(e, EffectAnswered) and asked[e.id].kind in ("llm", "tool")
        and not asked[e.id].answer
    ]  # fmt: skip
    return Counter(id.rpartition("/")[2].partition("#")[0] for id in own)


def decided(run: orka.Run) -> Ledger:
    (event,) = [event for event in run.events if isinstance(event, Decided)]
    return Ledger.read(event.value)


def test_a_fork_with_other_weights_decides_anew_and_asks_no_model_again() -> None:
    sounding = Sounding()
    first = run_virtual(sounding.start())

    async def forked() -> orka.Run:
        async with sounding.runtime() as runtime:
            changes = {"scout": {"weights": {"llm": 1, "given": 0}}}
            written = {**sounding.written, "agents": [*sounding.written["agents"]]}
            written["agents"][0] = {**written["agents"][0], **changes["scout"]}
            run = await runtime.fork("r", flow=written)
            assert not runtime.replay(run.id).unwritten
            return run

    run = run_virtual(forked(), start=START + 50)
    assert decided(run).setting.weights == {"llm": 1.0, "given": 0.0}
    assert decided(run).candidates == decided(first).candidates
    assert decided(run).outcome.status == "too_close"
    assert not sounding.asked.calls
    assert sounding.tools.calls == {"a": 1, "b": 2, "d": 1}  # what failed is asked again


# ---- other code


def versions(value: float) -> object:
    @criterion("given")
    def changed(candidate: Proposal, state: State) -> object:
        return value

    return changed


def replayed(sounding: Sounding, *use: object) -> None:
    async def go() -> None:
        async with sounding.runtime(*use) as runtime:
            runtime.replay("r")

    run_virtual(go())


def test_changed_code_of_a_criterion_makes_replay_name_the_decision_that_diverged() -> None:
    sounding = Sounding()
    run = run_virtual(sounding.start())
    replayed(sounding, given)
    with pytest.raises(Diverged) as raised:
        replayed(sounding, versions(0.25))
    assert raised.value.code == "replay.diverged"
    at = next(at for at, event in enumerate(run.events) if isinstance(event, Decided))
    assert f"event {at}" in str(raised.value)
    assert "a decision of 'scout'" in str(raised.value)
    assert ".factors.given.value was" in str(raised.value)


def test_changed_code_of_a_strategy_makes_replay_name_the_decision_that_diverged() -> None:
    @strategy("mine")
    def first(situation: Situation) -> Choice:
        return commit(situation, 0)

    @strategy("mine")
    def second(situation: Situation) -> Choice:
        return commit(situation, 1)

    sounding = Sounding()
    sounding.written["agents"][0]["strategy"] = "mine"

    async def go() -> orka.Run:
        async with sounding.runtime(given, first) as runtime:
            return await runtime.run(sounding.written, "x", run_id="r")

    run = run_virtual(go())
    replayed(sounding, given, first)
    at = next(at for at, event in enumerate(run.events) if isinstance(event, Decided))
    with pytest.raises(Diverged, match=f"event {at}"):
        replayed(sounding, given, second)
