"""Guards, tools and flows for tests of filters."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from typing import Any

import msgspec

import orka
from orka.port.guard import Finding, GuardType, Screened, guard, masked, redacted
from orka.testing.scripted import ScriptedModel
from orka.value import Json

MAIL = "bob@example.com"
EVE = "eve@example.org"
_MAIL = re.compile(r"[A-Za-z0-9._]+@[A-Za-z0-9-]+\.[a-z]{2,}")
_ORDER = re.compile(r"(?i)ignore (?:all )?previous instructions")
SEEN: list[Json] = []
# The environment variable that ends a process in `last_words`.
DIES = "ORKA_TEST_DIES"


class MailOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str = "EMAIL"


class Mail:
    reach = 40

    def __init__(self, options: MailOptions) -> None:
        self._kind = options.kind

    def screen(self, text: str, /) -> Screened:
        found = tuple(
            Finding(kind=self._kind, start=m.start(), end=m.end()) for m in _MAIL.finditer(text)
        )
        if not found:
            return Screened(text=text)
        return Screened(text=masked(text, found, redacted), verdict="changed", findings=found)


class Orders:
    reach = 60

    def screen(self, text: str, /) -> Screened:
        found = tuple(
            Finding(kind="override", start=m.start(), end=m.end()) for m in _ORDER.finditer(text)
        )
        return Screened(text=text, verdict="quarantine" if found else "pass", findings=found)


class Bans:
    reach = 10

    def screen(self, text: str, /) -> Screened:
        if "forbidden" not in text:
            return Screened(text=text)
        return Screened(text=text, verdict="block", told=f"it says forbidden: {text}")


class Breaks:
    reach = 1

    def screen(self, text: str, /) -> Screened:
        if "break" in text:
            raise KeyError(text)
        return Screened(text=text)


@guard("mail", config=MailOptions, version="3")
def mail(options: Any) -> Mail:  # Any: the guard's own options
    return Mail(options)


@guard("orders", changes=False)
def orders(_: object) -> Orders:
    return Orders()


@guard("bans", changes=False)
def bans(_: object) -> Bans:
    return Bans()


@guard("breaks")
def breaks(_: object) -> Breaks:
    return Breaks()


GUARDS: list[GuardType] = [mail, orders, bans, breaks]


@orka.tool
def crm_lookup(email: str) -> dict[str, str]:
    """Who has this address."""
    SEEN.append(email)
    return {"name": "Bob", "email": email, "boss": EVE}


@orka.tool
def greet(email: str) -> str:
    """Say hello."""
    SEEN.append(email)
    return f"hello {email}"


@orka.tool
def fails(email: str) -> str:
    """Never works."""
    raise ValueError(f"no mailbox {email} nor {EVE}")


@orka.tool
def last_words(email: str) -> str:
    """The last call of a process that is to die."""
    if os.environ.get(DIES):
        os._exit(9)
    SEEN.append(email)
    return email


def flow(guards: str, agents: str = "", head: str = "") -> str:
    return f"""
orchestrator:
  id: desk
  guards: {guards}
{head}
agents:
{agents or TOOL.format(tool="greet")}
"""


TOOL = """
  - id: look
    type: tool
    tool: {tool}
    args: {{email: "{{{{ input.mail }}}}"}}
"""
ASKS = """
  - id: say
    type: llm
    model: scripted
    prompt: "about {{ input.mail }}"
"""


def runtime(store: object = ":memory:", model: ScriptedModel | None = None) -> orka.Runtime:
    use = [*GUARDS, crm_lookup, greet, fails, last_words]
    models = {"scripted": model} if model else {}
    return orka.Runtime(store=store, use=use, models=models)  # type: ignore[arg-type]  # a place


def run(
    text: str, input: Json, store: object = ":memory:", model: ScriptedModel | None = None
) -> orka.Run:
    SEEN.clear()

    async def whole() -> orka.Run:
        async with runtime(store, model) as room:
            done = await room.run(text, input)
            room.replay(done.id)
            return done

    return asyncio.run(whole())


def bytes_below(folder: Path) -> bytes:
    vault = ("vault.db", "vault.db-journal")
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in vault]
    return b"".join(path.read_bytes() for path in files)


async def _dying(path: Path) -> None:
    async with runtime(path.parent / "runs") as room:
        await room.run(path, {"mail": MAIL}, run_id="dying")


if __name__ == "__main__":
    asyncio.run(_dying(Path(sys.argv[1])))
