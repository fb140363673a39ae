"""What a case's `script` says: for each agent, its replies in order."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import msgspec

from cases.language import Fields, NotUnderstood, listed
from orka.port.model import Usage
from orka.testing.scripted import Refusal, Reply
from orka.value import Json, plain

_DIRECTIVES = (
    "raise",
    "sleep_ms",
    "reply",
    "stream",
    "side_effect",
    "python",
    "echo_prompt",
)
# What a client raises when nobody answers: it says that asking again may help.
_PASSING = re.compile(r"(?i)connect|timeout|timed ?out|broken ?pipe|remoteprotocol|overloaded")
_NAMES = {
    "date": date,
    "datetime": datetime,
    "time": time,
    "timedelta": timedelta,
    "timezone": timezone,
    "Decimal": Decimal,
    "Path": Path,
    "uuid4": uuid.uuid4,
    "UUID": uuid.UUID,
}


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One reply. `python` is an expression for a value that JSON cannot hold."""

    reply: Json = None
    sleep_ms: float = 0.0
    raised: Refusal | None = None
    stream: list[str] | None = None
    echo_prompt: bool = False
    side_effect: str = ""
    python: str = ""
    finish_reason: str = "stop"
    usage: Usage = Usage()

    def value(self) -> object:
        """The reply as a Python value, made anew."""
        if self.python:
            found: object = eval(self.python, dict(_NAMES))
            return found
        return "".join(self.stream) if self.stream is not None else self.reply

    def answer(self) -> Reply:
        """The reply as a scripted model gives it."""
        return Reply(
            value=None if self.stream else self.value(),
            stream=tuple(self.stream or ()),
            error=self.raised and _dumped(self.raised),
            delay=self.sleep_ms / 1000,
            echo_prompt=self.echo_prompt,
            usage=self.usage,
            finish_reason=self.finish_reason,
        )


def _dumped(raised: Refusal) -> Refusal:
    """A client that dumps its error object, with the headers it sent."""
    if not raised.request_headers:
        return raised
    message = f"{raised.message} {dict(raised.request_headers)}"
    return msgspec.structs.replace(raised, message=message)


Script = Mapping[str, Sequence[Entry]]


def script(written: Json, where: str = "script") -> Script:
    """Agent -> its replies, repetitions written out."""
    found = written or {}
    if not isinstance(found, Mapping):
        raise NotUnderstood(f"{where} should be a map of agents: {written!r}")
    return {
        str(agent): [
            entry for item in listed(items) for entry in _entries(item, f"{where}.{agent}")
        ]
        for agent, items in found.items()
    }


def without(script: Script, calls: Mapping[str, int]) -> Script:
    """What is left of a script after so many calls of each agent."""
    return {agent: entries[calls.get(agent, 0) :] for agent, entries in script.items()}


def _entries(item: Json, where: str) -> list[Entry]:
    if not isinstance(item, Mapping):
        return [Entry(reply=item)]
    if "repeat" in item:
        with Fields(item, where) as fields:
            again, times = _entries(fields.need("repeat"), where), fields.need("times")
        return again * int(times)
    if not any(name in item for name in _DIRECTIVES):
        return [Entry(reply=dict(item))]
    with Fields(item, where) as fields:
        raised = fields.take("raise")
        return [
            Entry(
                reply=fields.take("reply"),
                sleep_ms=fields.take("sleep_ms", 0),
                raised=None if raised is None else _raised(raised, where),
                stream=fields.take("stream"),
                echo_prompt=fields.take("echo_prompt", False),
                side_effect=fields.take("side_effect", ""),
                python=fields.take("python", ""),
                finish_reason=fields.take("finish_reason", "stop"),
                usage=msgspec.convert(fields.take("usage", {}), Usage),
            )
        ]


def _raised(written: Json, where: str) -> Refusal:
    """What is raised. `headers` are those of the answer, `body` is what it said."""
    with Fields(written, f"{where}.raise") as fields:
        headers, body = fields.take("headers", {}), fields.take("body")
        given = dict(fields.rest())
    for name, value in headers.items():
        if name.lower() == "retry-after":
            given["retry_after"] = value
    if body is not None:
        text = body if isinstance(body, str) else json.dumps(body)
        given["message"] = " ".join(filter(None, [given.get("message"), text]))
    try:
        found = msgspec.convert(given, Refusal)
    except msgspec.ValidationError as error:
        raise NotUnderstood(f"{where}.raise: {error}") from error
    if found.status is None and found.retryable is None and _PASSING.search(found.type):
        return msgspec.structs.replace(found, retryable=True)
    return found


def scripted_file(script: Script, path: Path) -> None:
    """Write the script as the file that ORKA_SCRIPT names."""
    nodes = {agent: [_form(entry.answer()) for entry in each] for agent, each in script.items()}
    path.write_text(json.dumps(nodes, ensure_ascii=False), encoding="utf-8")


def _form(reply: Reply) -> Json:
    form: dict[str, Json] = {"usage": msgspec.to_builtins(reply.usage)}
    form |= {"sleep_ms": reply.delay * 1000, "finish_reason": reply.finish_reason}
    if reply.error is not None:
        return {**form, "raise": msgspec.to_builtins(reply.error)}
    if reply.stream:
        return {**form, "stream": list(reply.stream)}
    if reply.echo_prompt:
        return {**form, "echo_prompt": True}
    return {**form, "reply": plain(reply.value)[0]}
