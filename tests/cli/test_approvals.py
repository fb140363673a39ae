"""`orka approvals`: the bytes a person sees are those that run, in whatever process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.conftest import Ended, Orka
from orka.value import Json

ORKA = [sys.executable, "-m", "orka"]
PLUG = ("--plugin", "tools.py")
LOUD = """\
orchestrator:
  id: loud
  policy:
    ask: [shout]
    limits: {shout: {times: {auto_max: 1}}}
    approvers: [pia, tom]
    approval_timeout: 3600
agents:
  - {id: a, type: tool, tool: shout, args: {text: "{{ input }}"}}
"""
TWO = """\
orchestrator: {id: two, strategy: graph, policy: {ask: [ship]}}
agents:
  - {id: one, type: tool, tool: ship}
  - {id: other, type: tool, tool: ship}
  - {id: person, type: approval, prompt: "Go on?", show: {order: o-1}}
"""


@pytest.fixture
def waits(orka: Orka, folder: Path) -> Callable[[str], str]:
    """Start a workflow that waits; give its run's id."""

    def started(flow: str) -> str:
        (folder / "flow.yml").write_text(flow)
        ended = orka("run", "flow.yml", "5 dogs", *PLUG, "--format", "json")
        assert ended.code == 3, ended.err
        return str(ended.json["run"])

    return started


def process(*words: str) -> Ended:
    done = subprocess.run([*ORKA, *words], capture_output=True, text=True, timeout=60)
    return Ended(done.returncode, done.stdout, done.stderr)


def test_a_call_is_approved_in_another_process(waits: Callable[[str], str]) -> None:
    run = waits(LOUD)
    shown = process("approvals", "show", run, *PLUG)
    assert '{"args":{"text":"5 dogs"},"tool":"shout"}' in shown.out
    assert "pia, tom" in shown.out
    done = process("approvals", "approve", run, "--by", "pia", "--reason", "fine", *PLUG)
    assert (done.code, done.out.strip()) == (0, "5 DOGS")
    assert '{"args":{"text":"5 dogs"},"tool":"shout"}' in done.err
    again = process("approvals", "approve", run, "--by", "pia", *PLUG)
    assert again.code == 2 and "input.no_question" in again.err
    assert process("replay", run, *PLUG).code == 0


def test_only_who_may_answer_does(waits: Callable[[str], str], orka: Orka) -> None:
    run = waits(LOUD)
    stranger = orka("approvals", "approve", run, "--by", "eve", *PLUG)
    assert stranger.code == 2 and "approval.not_approver" in stranger.err
    nobody = orka("answer", run, "a", "--approve", *PLUG)
    assert nobody.code == 2 and "approval.not_approver" in nobody.err
    bare = orka("answer", run, "a", '{"approved": true, "by": "pia"}', *PLUG)
    assert bare.code == 2 and "approval.mismatch" in bare.err
    assert orka("answer", run, "a", "--approve", "--by", "pia", *PLUG).out.strip() == "5 DOGS"


def test_a_no_fails_the_node_with_its_reason(waits: Callable[[str], str], orka: Orka) -> None:
    run = waits(LOUD)
    denied = orka("approvals", "deny", run, "--by", "tom", "--reason", "too loud", *PLUG)
    assert denied.code == 1
    assert "approval.denied" in denied.err and "too loud" in denied.err


def test_what_waits_is_listed(waits: Callable[[str], str], orka: Orka) -> None:
    assert orka("approvals", "list").err.strip() == "nothing waits for a person"
    loud, two = waits(LOUD), waits(TWO)
    listed: Json = orka("approvals", "list", "--format", "json").json
    asked = {(each["run"], each["node"]) for each in listed}
    assert asked == {(loud, "a"), (two, "one"), (two, "other"), (two, "person")}
    first = next(each for each in listed if each["run"] == loud)
    assert json.loads(first["shown"]) == first["value"]
    assert first["approvers"] == ["pia", "tom"] and not first["expired"] and not first["tainted"]
    assert first["rule"] == "limits.shout.times.auto_max"
    text = orka("approvals", "list", two).out
    assert "person" in text and loud not in text and '{"order":"o-1"}' in text


# Moves the cursor, turns the text around, cannot be seen, makes rows of its own.
SLY = "5\x1b[1A\x9b31m\u202e0005\u2066\u200b\u2028\U000e0041\u3164\ufe0f\x7f\nbytes  {}\rseal  x"


@pytest.mark.parametrize("node", ["one", "person", "asked"])
def test_nothing_in_what_is_shown_can_disguise_it(
    waits: Callable[[str], str], orka: Orka, node: str
) -> None:
    flow = """\
orchestrator: {id: sly, strategy: graph, policy: {ask: [shout]}}
agents:
  - {id: one, type: tool, tool: shout, args: {text: "{{ input }}"}}
  - {id: person, type: approval, prompt: "Go on?", show: {text: "{{ input }}"}}
  - {id: asked, type: approval, prompt: "Go on, {{ input }}?"}
"""
    run = waits(flow.replace("{{ input }}", "".join(f"\\U{ord(char):08x}" for char in SLY)))
    pages = [
        orka("approvals", "show", run, node).out,
        orka("approvals", "show", run, node, "--format", "json").out,
        orka("approvals", "list", run).out,
        orka("show", run).out,
        orka("show", run, "--node", node).out,
    ]
    for page in pages:
        assert all(char == "\n" or char.isprintable() for char in page)
        assert not {"\u3164", "\ufe0f"} & set(page) and "\\u202e" in page
    rows = [line.split(" ")[0] for line in pages[0].splitlines()]
    assert rows.count("seal") == 1 and rows.count("bytes") == (node != "asked")
    if node != "asked":
        shown = next(line for line in pages[0].splitlines() if line.startswith("bytes"))
        value = json.loads(shown.removeprefix("bytes"))
        assert value.get("args", value) == {"text": SLY}


def test_with_several_questions_one_has_to_be_named(
    waits: Callable[[str], str], orka: Orka
) -> None:
    run = waits(TWO)
    unnamed = orka("approvals", "approve", run, "--by", "pia", *PLUG)
    assert unnamed.code == 2 and "one, other, person" in unnamed.err
    wrong = orka("approvals", "show", run, "persn")
    assert wrong.code == 2 and "did you mean 'person'?" in wrong.err
    for node, code in (("one", 3), ("person", 3), ("other", 0)):
        assert orka("approvals", "approve", run, node, "--by", "pia", *PLUG).code == code


def test_a_question_that_wants_no_yes_is_answered_elsewhere(
    waits: Callable[[str], str], orka: Orka, folder: Path
) -> None:
    (folder / "tools.py").write_text(
        (folder / "tools.py").read_text()
        + "\n@orka.agent('free')\nasync def free(ctx):\n    return await ctx.ask('name?')\n"
    )
    run = waits("orchestrator: {id: f}\nagents: [{id: a, type: free}]\n")
    refused = orka("approvals", "approve", run, "--by", "pia", *PLUG)
    assert refused.code == 2 and "orka answer" in refused.err
    assert orka("answer", run, "a", "Rex", *PLUG).out.strip() == "Rex"
