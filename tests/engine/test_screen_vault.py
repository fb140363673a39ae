"""Values that tools may know are kept beside the runs, never in them."""

from __future__ import annotations

import asyncio
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import orka
from engine.guarding import (
    ASKS,
    DIES,
    EVE,
    MAIL,
    SEEN,
    TOOL,
    bytes_below,
    flow,
    run,
    runtime,
)
from orka.engine.vault import Vault
from orka.errors import Failure
from orka.event.event import EffectRequested
from orka.port.guard import Finding, Screened, guard, masked, redacted
from orka.testing.scripted import ScriptedModel, scripted
from orka.value import Json

TESTS = Path(__file__).resolve().parents[1]
KEEPS = "[{use: mail, reversible: true, reveal_to: [crm_lookup]}]"
LOOKS = TOOL.format(tool="crm_lookup")
WAITS = "\n  - {id: ok, type: approval, prompt: Go on?}" + LOOKS
YES: Json = {"approved": True}
INPUT: Json = {"mail": MAIL}


def go(
    store: Path, text: str, input: Json = None, model: ScriptedModel | None = None, run_id: str = ""
) -> orka.Run:
    async def whole() -> orka.Run:
        async with runtime(store, model) as room:
            return await room.run(text, INPUT if input is None else input, run_id=run_id)

    return asyncio.run(whole())


def approve(store: Path, id: str, by: Json = YES) -> orka.Run:
    async def whole() -> orka.Run:
        async with runtime(store) as room:
            return await room.answer(id, "ok", by)

    return asyncio.run(whole())


def kept(store: Path, id: str) -> list[str]:
    return [label for each in Vault(store).kept(id) for label in each.labels]


def failure(done: orka.Run) -> Failure:
    assert done.failure is not None
    return done.failure


def test_a_tool_that_may_know_gets_the_value_and_the_trace_does_not(tmp_path: Path) -> None:
    done = run(flow(KEEPS, LOOKS), {"mail": MAIL}, tmp_path)
    assert SEEN == [MAIL]
    assert done.output == {"name": "Bob", "email": "[EMAIL_1]", "boss": "[EMAIL_2]"}
    asked = [event.payload for event in done.events if isinstance(event, EffectRequested)]
    assert asked == [{"name": "crm_lookup", "args": {"email": "[EMAIL_1]"}}]
    assert kept(tmp_path, done.id) == ["[EMAIL_1]", "[EMAIL_2]"]
    assert b"@example" not in bytes_below(tmp_path)
    assert stat.S_IMODE((tmp_path / "vault.db").stat().st_mode) == 0o600


def test_a_tool_that_may_not_know_gets_the_placeholder(tmp_path: Path) -> None:
    done = run(flow(KEEPS, TOOL.format(tool="greet")), {"mail": MAIL}, tmp_path)
    assert SEEN == ["[EMAIL_1]"] and done.output == "hello [EMAIL_1]"


def test_what_a_tool_was_told_does_not_come_back_where_nobody_would_find_it(
    tmp_path: Path,
) -> None:
    """The guard knows the name only by the words before it, and the tool gives it without them."""

    @guard("named")
    def named(_: object) -> Named:
        return Named()

    @orka.tool
    def greeted(name: str) -> object:
        told.append(name)
        return {name: [f"Hello {name.upper()}, {name}!"], "who": "Roebuck, Jane"}

    told: list[str] = []
    agents = '  - {id: one, type: tool, tool: greeted, args: {name: "[NAME_1]"}}'
    text = flow("[{use: named, reversible: true, reveal_to: [greeted]}]", agents)

    async def go() -> orka.Run:
        async with orka.Runtime(store=tmp_path, use=[named, greeted]) as room:
            return await room.run(text, {"mail": "I am Roe."})

    done = asyncio.run(go())
    assert told == ["Roe"]
    assert done.output == {
        "[NAME_1]": ["Hello [NAME_1], [NAME_1]!"],
        "who": "Roebuck, Jane",
    }


class Named:
    reach = 40

    def screen(self, text: str, /) -> Screened:
        found = re.search(r"(?<=I am )[A-Z][a-z]+", text)
        if found is None:
            return Screened(text=text)
        at = (Finding(kind="NAME", start=found.start(), end=found.end()),)
        return Screened(text=masked(text, at, redacted), verdict="changed", findings=at)


def test_the_error_of_a_tool_that_knows_does_not_tell(tmp_path: Path) -> None:
    keeps = KEEPS.replace("crm_lookup", "fails").replace("reversible", "on: [input], reversible")
    done = run(flow(keeps, TOOL.format(tool="fails")), {"mail": MAIL}, tmp_path)
    assert failure(done).message.endswith("no mailbox [EMAIL_1] nor [EMAIL_2]")
    assert b"@example" not in bytes_below(tmp_path)


def test_the_same_value_has_the_same_placeholder_wherever_it_comes_from(tmp_path: Path) -> None:
    agents = ASKS + LOOKS
    model = scripted({"say": [f"{EVE}, not {MAIL}, says [EMAIL_1]"]})
    done = go(tmp_path, flow(KEEPS, agents), model=model)
    assert done.outputs["say"] == "[EMAIL_2], not [EMAIL_1], says [EMAIL_1]"
    assert model.prompts("say") == ["about [EMAIL_1]"]


def test_what_only_looks_like_a_placeholder_is_none(tmp_path: Path) -> None:
    agents = TOOL.format(tool="crm_lookup").replace("input.mail", "input.text")
    done = run(flow(KEEPS, agents), {"text": "[EMAIL_1] of [EMAIL_3]", "mail": MAIL}, tmp_path)
    assert done.started.input == {"text": "[EMAIL_1] of [EMAIL_3]", "mail": "[EMAIL_4]"}
    assert SEEN == ["[EMAIL_1] of [EMAIL_3]"]


def test_a_placeholder_that_a_model_made_up_means_nothing(tmp_path: Path) -> None:
    agents = ASKS + TOOL.format(tool="crm_lookup").replace("input.mail", "previous_outputs.say")
    done = run(flow(KEEPS, agents), INPUT, tmp_path, scripted({"say": ["[EMAIL_7] [EMAIL_1]"]}))
    assert done.status == "completed" and [f"[EMAIL_7] {MAIL}"] == SEEN


def test_a_vault_that_is_lost_is_told_before_a_tool_is_called(tmp_path: Path) -> None:
    waiting = go(tmp_path, flow(KEEPS, WAITS))
    (tmp_path / "vault.db").unlink()
    SEEN.clear()
    assert failure(approve(tmp_path, waiting.id)).code == "vault.forgotten" and SEEN == []


def test_values_are_there_after_a_restart(tmp_path: Path) -> None:
    waiting = go(tmp_path, flow(KEEPS, WAITS))
    assert waiting.status == "waiting"
    SEEN.clear()
    done = approve(tmp_path, waiting.id)
    assert done.status == "completed" and SEEN == [MAIL]
    assert b"@example" not in bytes_below(tmp_path)


def test_values_are_there_after_a_process_died(tmp_path: Path) -> None:
    last = TOOL.format(tool="last_words").replace("look", "last")
    text = flow(KEEPS.replace("[crm_lookup]", "[crm_lookup, last_words]"), LOOKS + last)
    (tmp_path / "flow.yml").write_text(text)
    words = [sys.executable, "-m", "engine.guarding", str(tmp_path / "flow.yml")]
    died = subprocess.run(words, cwd=TESTS, env={**os.environ, DIES: "1"}, check=False)
    store = tmp_path / "runs"
    assert died.returncode == 9 and kept(store, "dying") == ["[EMAIL_1]", "[EMAIL_2]"]

    async def whole() -> orka.Run:
        async with runtime(store) as room:
            done = await room.resume("dying")
            room.replay("dying")
            return done

    SEEN.clear()
    done = asyncio.run(whole())
    assert done.status == "completed" and SEEN == [MAIL]  # the first one is not called again
    assert b"@example" not in bytes_below(store)


def test_what_a_person_answers_is_looked_at_too(tmp_path: Path) -> None:
    waiting = go(tmp_path, flow(KEEPS, WAITS))
    said = {"approved": True, "reason": f"{EVE} says yes to {MAIL}"}
    done = approve(tmp_path, waiting.id, said)
    assert done.status == "completed"
    assert "[EMAIL_2] says yes to [EMAIL_1]" in str(done.lines)
    assert b"@example" not in bytes_below(tmp_path)


def test_a_fork_has_what_its_origin_has(tmp_path: Path) -> None:
    waiting = go(tmp_path, flow(KEEPS, LOOKS))

    async def whole() -> orka.Run:
        async with runtime(tmp_path) as room:
            return await room.fork(waiting.id, at="look", changes={"other": EVE})

    SEEN.clear()
    forked = asyncio.run(whole())
    assert SEEN == [MAIL]
    assert forked.started.input == {"mail": "[EMAIL_1]", "other": "[EMAIL_2]"}
    assert b"@example" not in bytes_below(tmp_path)


def test_a_fork_looks_at_answers_that_nobody_looked_at(tmp_path: Path) -> None:
    old = go(tmp_path, flow("[]", ASKS), {"mail": "x"}, scripted({"say": [EVE]}))
    assert old.output == EVE

    async def whole() -> orka.Run:
        async with runtime(tmp_path) as room:
            return await room.fork(old.id, flow=flow("[mail]", ASKS))

    forked = asyncio.run(whole())
    assert forked.output == "[EMAIL_REDACTED]" and EVE not in str(forked.lines)


def test_a_forgotten_value_is_gone_and_its_placeholder_stays(tmp_path: Path) -> None:
    waiting = go(tmp_path, flow(KEEPS, WAITS))
    vault = Vault(tmp_path)
    assert vault.forget(waiting.id) == 1 and vault.forget(waiting.id) == 0
    assert MAIL.encode() not in (tmp_path / "vault.db").read_bytes()
    assert vault.kept(waiting.id)[0].forgotten == ("[EMAIL_1]",)
    vault.close()
    done = approve(tmp_path, waiting.id, {"approved": True, "reason": EVE})
    assert failure(done).code == "vault.forgotten"
    assert kept(tmp_path, waiting.id) == ["[EMAIL_1]", "[EMAIL_2]"]


def test_a_number_that_another_process_gave_away_is_not_given_twice(tmp_path: Path) -> None:
    mine, others = Vault(tmp_path), Vault(tmp_path)
    first, second = mine.placeholders("r"), others.placeholders("r")
    assert first.placeholder("EMAIL", MAIL) == second.placeholder("EMAIL", EVE) == "[EMAIL_1]"
    assert mine.keep("r", first) and not others.keep("r", second)
    again = others.placeholders("r")
    assert again.placeholder("EMAIL", EVE) == "[EMAIL_2]" and others.keep("r", again)
    assert others.values("r", ["[EMAIL_1]"]) == {"[EMAIL_1]": MAIL}
    assert mine.values("r", ["[EMAIL_2]", "[EMAIL_3]"]) == {"[EMAIL_2]": EVE}


def test_a_memory_keeps_no_number_of_a_run(tmp_path: Path) -> None:
    agents = """
  - {id: keep, type: memory, operation: write, prompt: "{{ input.mail }} [EMAIL_9]"}
"""
    done = go(tmp_path, flow(KEEPS, agents))
    assert done.status == "completed"
    held = bytes_below(tmp_path)
    assert b"[EMAIL_REDACTED] [EMAIL_9]" in held and b"@example" not in held


def test_without_anything_to_keep_there_is_no_vault(tmp_path: Path) -> None:
    go(tmp_path, flow("[mail]"))
    assert not (tmp_path / "vault.db").exists() and Vault(tmp_path).kept() == []


@pytest.mark.parametrize("damage", [b"no database", b""])
def test_a_vault_that_cannot_be_read_lets_nothing_pass(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "vault.db").write_bytes(damage)
    if damage:
        with pytest.raises(orka.OrkaError) as caught:
            go(tmp_path, flow(KEEPS, LOOKS))
        assert caught.value.code == "vault.failed"
    else:
        assert go(tmp_path, flow(KEEPS, LOOKS)).status == "completed"
