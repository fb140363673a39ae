"""The blocks of the pages, the workflows among them, and what each one is told when it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from orka.spec.yaml import read
from orka.value import Json

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TABLE = Path(__file__).with_name("replies.yml")
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_FAILS, _FILE = "fails: ", "file: "
# Options that hold workflows or agents.
_INNER = ("workflow", "internal_workflow")


class Block(msgspec.Struct, frozen=True):
    """A fenced block: where it stands, its language, what is said behind that, and its text."""

    place: str
    language: str
    info: str
    text: str

    @property
    def fails(self) -> str:
        """The code that the example ends with; '' if it completes."""
        return self.info.removeprefix(_FAILS) if self.info.startswith(_FAILS) else ""

    @property
    def file(self) -> str:
        """The name of the file that the block is, for examples that name it."""
        return self.info.removeprefix(_FILE) if self.info.startswith(_FILE) else ""

    @property
    def value(self) -> Any:  # Any: a workflow as it is written
        return read(self.text, self.place).value

    @property
    def id(self) -> str:
        return str(self.value["orchestrator"]["id"])


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One run of an example: its input, the replies of models by agent, what people answer by
    agent, and the output that it has to have, if the table says one."""

    input: Json = "something"
    replies: dict[str, list[Json]] = {}
    answers: dict[str, Json] = {}
    output: Json | msgspec.UnsetType = msgspec.UNSET


def blocks(language: str) -> Iterator[Block]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in _BLOCK.finditer(text):
            if match.group(1) == language:
                place = f"{page.name}:{text[: match.start()].count(chr(10)) + 1}"
                yield Block(place, language, match.group(2).strip(), match.group(3))


def programs() -> Iterator[Block]:
    """The Python of the pages. A block that is `continued` begins with those before it."""
    before = ""
    for block in blocks("python"):
        before = before + block.text if block.info == "continued" else block.text
        yield msgspec.structs.replace(block, text=before)


def examples() -> list[Block]:
    """The workflows that run by themselves."""
    parts = ("fragment", "script")
    return [each for each in blocks("yaml") if each.info not in parts and not each.file]


def files() -> list[Block]:
    """The workflows that others name as a file."""
    return [each for each in blocks("yaml") if each.file]


def table() -> dict[str, list[Case]]:
    """What stands in replies.yml, by workflow: one case, or a list of them."""
    written = read(TABLE.read_text(encoding="utf-8"), TABLE.name).value
    return {
        id: [msgspec.convert(case, Case) for case in (told if isinstance(told, list) else [told])]
        for id, told in written.items()
    }


def agents(workflow: Json) -> Iterator[dict[str, Any]]:
    """The agents of a workflow, and those inside of them."""
    for agent in workflow.get("agents", ()):
        yield agent
        for child in agent.get("children", ()):
            yield from agents({"agents": [child]})
        for key in _INNER:
            if isinstance(agent.get(key), dict):
                yield from agents(agent[key])


def workflows(workflow: Json) -> Iterator[dict[str, Any]]:
    """The workflow itself and those inside of it."""
    yield workflow
    for agent in agents(workflow):
        yield from (agent[key] for key in _INNER if isinstance(agent.get(key), dict))


def keys(value: Json) -> Iterator[str]:
    """The keys of a map, and dotted those of maps in it; lists do not count as a step."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from (f"{key}.{inner}" for inner in keys(item))
