"""What exists is documented: events, error codes, keys, commands, agent types."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from orka.cli.main import COMMANDS
from orka.event.event import Event
from orka.plugin.registry import Registry
from orka.spec.load import AGENT_KEYS, ORCHESTRATOR_KEYS

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(
    r"""["']((?:config|template|guard|input|plugin|agent|effect|tool|model|sensor|router|judge|loop"""
    r"""|failover|path|scout|websearch|approval|permission|prompt|fit|strategy|ledger|score|join|foreach|scope|run|store|replay|testing|memory|history|brain|screen|vault|verify|orka)\.[a-z0-9_]+|timeout)["']"""
)
NAMED = re.compile(r"""code(?:: str)?\s*=\s*(?:f?)(["'][a-z0-9_.]+["'])""")


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_every_event_is_documented() -> None:
    text = page("traces.md")
    for kind in msgspec.inspect.type_info(Event).types:  # type: ignore[attr-defined]  # a union
        assert f"`{kind.tag}`" in text


def test_every_error_code_is_documented() -> None:
    text = page("errors.md")
    for path in (ROOT / "orka").rglob("*.py"):
        for match in NAMED.finditer(path.read_text(encoding="utf-8")):
            code = match.group(1).strip("\"'")
            assert not code or f"`{code}`" in text, f"{code} in {path.name}"


def test_every_documented_error_code_exists() -> None:
    source = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "orka").rglob("*.py"))
    used = {match.group(1) for match in CODE.finditer(source)}
    used |= {"config.unknown_tool", "config.unknown_model"}  # made of two parts in orka.api
    for code in re.findall(r"^\| `([a-z0-9_.]+)`", page("errors.md"), re.MULTILINE):
        assert code in used, code


def test_every_key_and_agent_type_is_documented() -> None:
    text = page("language.md")
    for key in (*AGENT_KEYS, *ORCHESTRATOR_KEYS):
        assert f"`{key}`" in text, key
    for name, kind in Registry().agents.items():
        assert re.search(rf"^### .*\b{name}\b", text, re.MULTILINE), name
        for field in msgspec.structs.fields(kind.config):
            assert f"`{field.encode_name}`" in text, f"{field.encode_name} of {name}"


def test_every_command_is_documented() -> None:
    text = page("cli.md")
    for name in COMMANDS:
        assert f"`orka {name}" in text, name
