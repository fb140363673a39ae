"""`orka vault` after runs of `orka run` that keep values."""

from __future__ import annotations

from pathlib import Path

from cli.conftest import Orka

GUARD = """
import re

import orka
from orka.port.guard import Finding, Screened, guard, masked, redacted


class Bob:
    reach = 3

    def screen(self, text, /):
        found = tuple(
            Finding(kind="NAME", start=each.start(), end=each.end())
            for each in re.finditer("Bob", text)
        )
        if not found:
            return Screened(text=text)
        return Screened(text=masked(text, found, redacted), verdict="changed", findings=found)


@guard("bob")
def bob(options):
    return Bob()


@orka.tool
def greet(name: str) -> str:
    return f"hello {name}, are you Bob?"
"""
FLOW = """
orchestrator:
  id: greeting
  guards: [{use: bob, reversible: true, reveal_to: greet}]
agents:
  - {id: ok, type: approval, prompt: "Greet {{ input }}?"}
  - {id: greet, type: tool, tool: greet, args: {name: "{{ input }}"}}
"""


def test_what_is_kept_can_be_listed_and_forgotten_and_is_never_shown(orka: Orka) -> None:
    Path("bob.py").write_text(GUARD)
    Path("greeting.yml").write_text(FLOW)
    assert "nothing is kept" in orka("vault", "list").err
    first = orka("run", "greeting.yml", "Bob", "--plugin", "bob.py", "--run-id", "one")
    assert first.code == 3, first.err
    listed = orka("vault", "list", "one")
    assert "[NAME_1]" in listed.out and "kept" in listed.out and "Bob" not in listed.out
    assert orka("vault", "list", "--format", "json").json[0]["labels"] == ["[NAME_1]"]
    done = orka("answer", "one", "ok", "--approve", "--plugin", "bob.py")
    assert done.code == 0 and done.out.strip() == "hello [NAME_1], are you [NAME_1]?"
    second = orka("run", "greeting.yml", "Bob", "--plugin", "bob.py", "--run-id", "two")
    assert second.code == 3
    assert orka("vault", "forget", "two").out.strip() == "1 forgotten"
    assert orka("vault", "forget", "two", "--format", "json").json == {"run": "two", "forgotten": 0}
    assert "forgotten" in orka("vault", "list", "two").out
    failed = orka("answer", "two", "ok", "--approve", "--plugin", "bob.py")
    assert failed.code == 1 and "vault.forgotten" in failed.err
    assert b"Bob" not in b"".join(p.read_bytes() for p in Path(".orka").rglob("runs*"))
    assert orka("vault", "forget", "three").code == 2
