"""Commands that look at recorded runs, and those that let them go on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Orka, Write
from orka.event.codec import verify

PLUG = ("--plugin", "tools.py")
BAD = "{id: a, type: tool, tool: ship}\n{id: b, type: tool, tool: refuse}"
Last = Callable[[], str]


@pytest.fixture
def failed(orka: Orka, write: Write, last: Last) -> str:
    """The id of a failed run."""
    write("bad", BAD)
    orka("run", "bad.yml", "x", *PLUG)
    return last()


def test_runs_are_listed_newest_first(orka: Orka, write: Write, failed: str, last: Last) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    orka("run", "fine.yml", *PLUG)
    lines = orka("runs").out.splitlines()
    assert "completed" in lines[1] and "failed" in lines[2]
    assert failed in lines[2]


def test_an_empty_store_lists_nothing_and_says_so(orka: Orka) -> None:
    ended = orka("runs")
    assert (ended.code, ended.out) == (0, "") and "no runs" in ended.err
    assert orka("runs", "--format", "json").json == []


def test_show_tells_a_failure_before_anything_else(orka: Orka, failed: str) -> None:
    ended = orka("show", failed)
    assert ended.code == 0
    head, trouble, table, *_ = ended.out.split("\n\n")
    assert "failed" in head
    assert "b failed" in trouble and "the warehouse is closed" in trouble
    assert "agent 'b'" in trouble and "to do:" in trouble
    assert table.splitlines()[1].startswith("a")


def test_show_takes_the_beginning_of_an_id_and_last(orka: Orka, failed: str) -> None:
    whole = orka("show", failed).out
    assert orka("show", failed[:-3]).out == whole
    assert orka("show", "last").out == whole


def test_a_beginning_that_fits_several_runs_is_refused(orka: Orka, write: Write) -> None:
    write("fine", "{id: a, type: tool, tool: ship}")
    for name in ("run-1", "run-2"):
        orka("run", "fine.yml", *PLUG, "--run-id", name)
    ended = orka("show", "run")
    assert ended.code == 2 and "run-1" in ended.err and "run-2" in ended.err


def test_show_lists_the_questions_of_a_waiting_run(orka: Orka, write: Write) -> None:
    write("ask", "{id: ok, type: approval, prompt: 'ship it?'}")
    orka("run", "ask.yml")
    shown = orka("show", "last").out
    assert "ship it?" in shown and "--approve" in shown


def test_show_node_gives_the_whole_prompt_and_answer(orka: Orka, write: Write) -> None:
    write("m", "{id: a, type: llm, model: scripted, prompt: 'say {{ input }}'}")
    orka("run", "m.yml", "x" * 500, script={"a": ["y" * 500]})
    shown = orka("show", "last", "--node", "a").out
    assert "say " + "x" * 500 in shown and "y" * 500 in shown
    assert orka("show", "last", "--node", "b").code == 2


def test_trace_has_a_line_for_each_event(orka: Orka, failed: str) -> None:
    lines = orka("trace", failed).out.splitlines()
    assert "run_started" in lines[0] and "run_finished" in lines[-1]
    assert len(lines) == len(orka("trace", failed, "--format", "json").out.splitlines())


def test_trace_as_json_is_the_canonical_trace(orka: Orka, failed: str) -> None:
    lines = orka("trace", failed, "--format", "json").out.encode().splitlines()
    verify(lines, failed)


def test_replay_says_how_many_events_are_identical(orka: Orka, failed: str) -> None:
    ended = orka("replay", failed)
    count = len(orka("trace", failed).out.splitlines())
    assert ended.code == 0 and f"byte-identical, {count} events" in ended.out


def test_a_replay_that_decides_otherwise_ends_with_6(
    orka: Orka, write: Write, folder: Path
) -> None:
    agent = (
        "from orka.agent.agent import agent\n"
        "@agent('mine')\nasync def mine(ctx):\n    return {!r}\n"
    )
    (folder / "mine.py").write_text(agent.format("one"))
    write("own", "{id: a, type: mine}")
    assert orka("run", "own.yml", "--plugin", "mine.py").code == 0
    (folder / "mine.py").write_text(agent.format("other"))
    ended = orka("replay", "last")
    assert ended.code == 6 and "replay.diverged" in ended.err
    assert "'one'" in ended.err and "'other'" in ended.err


def test_resume_goes_on_with_the_failed_node_only(orka: Orka, folder: Path, failed: str) -> None:
    tools = (folder / "tools.py").read_text()
    (folder / "tools.py").write_text(
        tools.replace('raise ValueError("the warehouse is closed")', 'return "open"')
    )
    ended = orka("resume", failed)
    assert (ended.code, ended.out) == (0, "open\n")
    assert "b started" in ended.err and "a started" not in ended.err
    assert orka("replay", failed).code == 0


def test_an_approved_run_goes_on(orka: Orka, write: Write) -> None:
    write("ask", "{id: ok, type: approval, prompt: 'ship?'}\n{id: t, type: tool, tool: ship}")
    orka("run", "ask.yml", *PLUG)
    ended = orka("answer", "last", "ok", "--approve", "--by", "pia")
    assert (ended.code, ended.out) == (0, "shipped\n")
    assert orka("show", "last", "--node", "ok").out.count("pia")
    assert orka("answer", "last", "ok", "--approve").code == 2


def test_a_denied_run_fails_with_the_reason(orka: Orka, write: Write) -> None:
    write("ask", "{id: ok, type: approval, prompt: 'ship?'}\n{id: t, type: tool, tool: ship}")
    orka("run", "ask.yml", *PLUG)
    ended = orka("answer", "last", "ok", "--deny", "--reason", "too late")
    assert ended.code == 1 and "too late" in ended.err


@pytest.mark.parametrize("words", [(), ("--approve", "yes"), ("yes", "--by", "pia")])
def test_an_answer_is_a_value_or_a_word_and_nothing_between(
    orka: Orka, words: tuple[str, ...]
) -> None:
    assert orka("answer", "last", "ok", *words).code == 2


def test_fork_says_what_was_reused_and_what_was_asked_anew(orka: Orka, write: Write) -> None:
    write("two", "{id: a, type: tool, tool: ship}\n{id: b, type: tool, tool: ship}")
    orka("run", "two.yml", *PLUG)
    ended = orka("fork", "last", "--at", "b")
    assert ended.code == 0
    assert "answers reused: 1, asked anew: 1" in ended.err
    assert "forked from" in orka("show", "last").out


def test_fork_with_a_changed_input_asks_what_depends_on_it(orka: Orka, write: Write) -> None:
    write(
        "two",
        """{id: a, type: tool, tool: ship}
        {id: b, type: tool, tool: shout, args: {text: '{{ input }}'}}""",
    )
    orka("run", "two.yml", "before", *PLUG)
    ended = orka("fork", "last", "--set", "input=after")
    assert ended.out == "AFTER\n" and "answers reused: 1, asked anew: 1" in ended.err
    assert orka("fork", "last", "--set", "input").code == 2


def test_fork_at_an_event_that_is_not_there_names_the_last_one(orka: Orka, write: Write) -> None:
    write("one", "{id: a, type: tool, tool: ship}")
    orka("run", "one.yml", *PLUG)
    events = len(orka("trace", "last").out.splitlines())
    for seq in (events, 99999):
        ended = orka("fork", "last", "--at", str(seq))
        assert ended.code == 2 and "input.no_event" in ended.err
        assert f"its last event is {events - 1}" in ended.err
    assert orka("fork", "last", "--at", str(events - 1)).code == 0


def test_fork_at_an_inner_node_says_where_it_can_be_forked(orka: Orka, write: Write) -> None:
    inner = "{orchestrator: {id: in}, agents: [{id: q, type: tool, tool: ship}]}"
    write("outer", f"{{id: w, type: workflow, workflow: {inner}}}")
    orka("run", "outer.yml", *PLUG)
    ended = orka("fork", "last", "--at", "q")
    assert ended.code == 2 and "inner workflow" in ended.err and "fork at one of: w" in ended.err
    assert "no node is called 'nope'" in orka("fork", "last", "--at", "nope").err
    assert orka("fork", "last", "--at", "w").code == 0


def test_diff_names_the_input_that_changed(orka: Orka, write: Write) -> None:
    write("loud", "{id: a, type: tool, tool: shout, args: {text: '{{ input }}'}}")
    for name in ("one", "two"):
        orka("run", "loud.yml", name, *PLUG, "--run-id", name)
    ended = orka("diff", "one", "two")
    assert ended.code == 0 and "cause: input" in ended.out
    assert "same, event by event" in orka("diff", "one", "one").out
    document = orka("diff", "one", "two", "--format", "json").json
    assert document["difference"]["cause"] == "input"
