"""A chosen path is run agent by agent; if one fails, the next path of the shortlist follows it."""

from __future__ import annotations

import msgspec
import pytest
from run.room import RUN, Room, failure, output

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.following import OnFailure, follow
from orka.event.event import EffectAnswered, EffectRequested, NodeStarted, Noted
from orka.run.state import State
from orka.testing.clock import run_virtual
from orka.testing.script import Refusal, Reply
from orka.testing.trace import blobs_of
from orka.value import Json

REFUSED = Reply(error=Refusal(status=400, message="it is shut"))


class Options(msgspec.Struct, frozen=True):
    paths: list[list[str]]
    on_failure: OnFailure = "continue"


@agent("follows", config=Options, shape=lambda options: Shape(pool=True))
async def follows(ctx: Context) -> Json:
    """Give what came of the paths."""
    paths = [tuple(path) for path in ctx.config.paths]
    run = await follow(ctx, paths, ctx.input, ctx.config.on_failure, {"tenant": "acme"})
    return {**msgspec.to_builtins(run), "last": run.last}


@agent("does")
async def does(ctx: Context) -> Json:
    """Act once, and say what is seen of others."""
    said = await ctx.tool("act", step=ctx.node, input=ctx.input)
    return f"{said}({','.join(ctx.outputs)})"


@agent("buys")
async def buys(ctx: Context) -> Json:
    """Two effects, of which the second may fail."""
    return [await ctx.tool("pay", step=ctx.node), await ctx.tool("check", step=ctx.node)]


Script = dict[str, list[Reply | Json]]


def room(
    *paths: str,
    script: Script | None = None,
    on_failure: str = "continue",
    **kinds: str,
) -> Room:
    """A run in which the paths (`"a b"`) are followed. An agent that the script does not name says
    its id, as often as it is asked."""
    ids = list(dict.fromkeys(id for path in paths for id in path.split()))
    told: Script = {id: [*[id] * 9] for id in ids}
    told |= script or {}
    written = [path.split() for path in paths]
    nodes: list[dict[str, Json]] = [{"id": id, "type": kinds.get(id, "does")} for id in ids]
    nodes.insert(0, {"id": "f", "type": "follows", "paths": written, "on_failure": on_failure})
    return Room([follows, does, buys], nodes, told, agents=["f"])


def gone(path: str, at: str) -> dict[str, Json]:
    return {
        "path": path.split(),
        "agent": at,
        "code": "tool.failed",
        "message": "status 400: it is shut",
    }


def tried(run: Room) -> list[tuple[str, bool]]:
    notes = [e for e in run.events if isinstance(e, Noted) and e.kind == "path_tried"]
    assert all(note.data["tenant"] == "acme" for note in notes)
    return [(" ".join(note.data["path"]), note.data["ok"]) for note in notes]


def borrowed(run: Room) -> list[str]:
    return [e.answer for e in run.events if isinstance(e, EffectRequested) and e.answer]


def test_agents_run_in_order_and_see_what_those_before_gave() -> None:
    run = room("a b c")
    assert output(run.start("x")) == {
        "path": ["a", "b", "c"],
        "results": {"a": "a()", "b": "b(a)", "c": "c(a,b)"},
        "given_up": [],
        "last": "c(a,b)",
    }
    assert [e.payload["args"]["input"] for e in run.requests("f#0/a#0")] == ["x"]
    assert tried(run) == [("a b c", True)]


def test_the_next_path_continues_where_both_begin_alike() -> None:
    run = room("a b c", "a d c", script={"b": [REFUSED]})
    found = output(run.start())
    assert found["path"] == ["a", "d", "c"] and found["given_up"] == [gone("a b c", "b")]
    assert found["results"] == {"a": "a()", "d": "d(a)", "c": "c(a,d)"}
    assert run.tools.counts == {"a": 1, "b": 1, "d": 1, "c": 1}
    assert tried(run) == [("a b c", False), ("a d c", True)]
    assert not borrowed(run)


def test_a_restart_runs_all_agents_anew_and_repeats_no_effect_that_succeeded() -> None:
    run = room("a b c", "a d c", script={"b": [REFUSED]}, on_failure="restart")
    assert output(run.start())["results"] == {"a": "a()", "d": "d(a)", "c": "c(a,d)"}
    assert run.tools.counts == {"a": 1, "b": 1, "d": 1, "c": 1}
    assert borrowed(run) == ["f#0/a#0"]
    assert run.told(NodeStarted).count("a") == 2


def test_stop_tries_no_other_path() -> None:
    run = room("a b", "c", script={"b": [REFUSED]}, on_failure="stop")
    failed = failure(run.start())
    assert failed.code == "path.failed" and "a → b: b: status 400: it is shut" in failed.message
    assert run.tools.counts == {"a": 1, "b": 1}


@pytest.mark.parametrize("on_failure", ["continue", "restart"])
def test_a_path_that_begins_with_what_failed_is_passed_over(on_failure: str) -> None:
    run = room("a b c", "a b", "a c b", script={"b": [REFUSED, "b"]}, on_failure=on_failure)
    found = output(run.start())
    assert found["path"] == ["a", "c", "b"]
    notes = [e for e in run.events if isinstance(e, Noted) and e.kind == "path_passed_over"]
    told = "a → b: passed over, since it begins like one that failed: a → b"
    assert [note.message for note in notes] == [told]
    assert run.tools.counts == {"a": 1, "b": 2, "c": 1}


def test_what_an_earlier_path_gave_is_kept_over_one_that_begins_otherwise() -> None:
    run = room("a b", "c", "a d", script={"b": [REFUSED], "c": [REFUSED]})
    assert output(run.start())["results"] == {"a": "a()", "d": "d(a)"}
    assert run.tools.counts == {"a": 1, "b": 1, "c": 1, "d": 1}
    assert not borrowed(run)


def test_the_longest_beginning_counts() -> None:
    run = room("a b c d", "a x", "a b y", script={"c": [REFUSED], "x": [REFUSED]})
    assert output(run.start())["results"] == {"a": "a()", "b": "b(a)", "y": "y(a,b)"}
    assert not borrowed(run)


def test_if_none_comes_to_its_end_the_node_fails_with_all_causes() -> None:
    run = room("a", "b", "a b", script={"a": [REFUSED], "b": [REFUSED]})
    failed = failure(run.start())
    assert failed.code == "path.failed"
    assert "a: a: status" in failed.message and "b: b: status" in failed.message
    assert tried(run) == [("a", False), ("b", False)]


@pytest.mark.parametrize("on_failure", ["continue", "restart"])
def test_half_of_an_agent_is_not_repeated_either(on_failure: str) -> None:
    script: Script = {"shop": ["paid", REFUSED, "fine"]}
    run = room("shop", "a shop", script=script, on_failure=on_failure, shop="buys")
    assert output(run.start())["last"] == ["paid", "fine"]
    paid = [call for call in run.tools.calls if call.prompt == "pay"]
    assert len(paid) == 1 and run.tools.counts == {"shop": 3, "a": 1}


def test_an_agent_that_comes_later_on_another_path_runs_again_and_repeats_nothing() -> None:
    run = room("a b", "c a", script={"b": [REFUSED]})
    assert output(run.start("x"))["results"] == {"c": "c()", "a": "a(c)"}
    assert run.tools.counts == {"a": 1, "b": 1, "c": 1}


SCRIPTS: list[tuple[tuple[str, ...], Script]] = [
    (("a b c", "a d c"), {"b": [REFUSED]}),
    (("a b", "c", "a d"), {"b": [REFUSED], "c": [REFUSED]}),
    (("a b", "b a", "c"), {"b": [REFUSED, REFUSED]}),
    (("a b", "c d"), {"b": [REFUSED], "d": [REFUSED]}),
]


@pytest.mark.parametrize("on_failure", ["continue", "restart", "stop"])
@pytest.mark.parametrize(("paths", "script"), SCRIPTS, ids=lambda each: str(each)[:30])
def test_a_run_cut_at_any_event_goes_on_and_repeats_nothing(
    paths: tuple[str, ...], script: Script, on_failure: str
) -> None:
    whole = room(*paths, script=script, on_failure=on_failure)
    end = whole.start("x")
    lines = whole.store.read(RUN)
    for cut in range(1, len(lines)):
        cold = room(*paths, script=script, on_failure=on_failure)
        answered = _answered(whole, cut, cold)
        run_virtual(cold.store.append(RUN, 0, lines[:cut], blobs_of(lines[:cut], whole.store.blob)))
        _same(cold.resume(), end)
        # A run that failed is tried again where it failed.
        again = script if end.status == "failed" else {}
        for id, times in whole.tools.counts.items():
            both = cold.tools.counts.get(id, 0) + answered.get(id, 0)
            assert both == times or id in again, f"{id}, cut at {cut}"


def _answered(whole: Room, cut: int, cold: Room) -> dict[str, int]:
    """How often each agent was answered by then; its script goes on behind that."""
    found: dict[str, int] = {}
    events = whole.events[:cut]
    given = {e.id for e in events if isinstance(e, EffectRequested) and e.answer}
    for event in events:
        if not isinstance(event, EffectAnswered) or event.id in given or "/" not in event.id:
            continue
        name = event.id.rpartition("/")[2].partition("#")[0]
        cold.tools.script.take(name)
        found[name] = found.get(name, 0) + 1
    return found


def _same(state: State, other: State) -> None:
    assert state.end is not None and other.end is not None
    assert state.end.status == other.end.status
    assert msgspec.to_builtins(state.end.value) == msgspec.to_builtins(other.end.value)
