"""A script: what models and tools answer, node by node, in order. From Python or from a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from orka.errors import ConfigError, nearest
from orka.port.model import Usage
from orka.spec.text import decode
from orka.spec.yaml import read
from orka.value import Json, canonical

# The environment variable that names a script file: for programs that run in another process.
VARIABLE = "ORKA_SCRIPT"
_REPEATS = 100_000


class Refusal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An error to answer with. `request_headers` stand for what a client knows and must never tell.

    Without `retryable` the status says it: 408, 429 and 5xx may be asked again, the rest may not.
    """

    status: int | None = None
    message: str = ""
    type: str = ""
    code: str = ""
    retryable: bool | None = None
    retry_after: float | str | None = None
    request_headers: Mapping[str, str] = {}

    @property
    def may_retry(self) -> bool:
        if self.retryable is not None:
            return self.retryable
        return self.status is not None and (self.status in (408, 429) or self.status >= 500)

    @property
    def text(self) -> str:
        head = f"status {self.status}" if self.status is not None else self.type or "refused"
        return f"{head}: {self.message}" if self.message else head


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer. `value` is what a tool returns; without a `text` a model says it as JSON.
    `stream` are the pieces of a text; `error` is raised after them. `delay` is in seconds, before
    the first piece; `gap` between pieces. `echo_prompt` answers with the prompt itself."""

    text: str | None = None
    value: object = None
    stream: tuple[str, ...] = ()
    error: Refusal | None = None
    delay: float = 0.0
    gap: float = 0.0
    echo_prompt: bool = False
    usage: Usage = Usage()
    finish_reason: str = "stop"
    probabilities: Mapping[str, float] | None = None
    mass: float | None = None

    @property
    def words(self) -> str:
        """The whole text."""
        if self.stream:
            return "".join(self.stream)
        if self.text is not None:
            return self.text
        return self.value if isinstance(self.value, str) else canonical(self.value).decode()


class Exhausted(Exception):
    """A node was called more often than its script has replies."""


class Script:
    """Replies by node, each given once. Safe to take from in several threads."""

    def __init__(self, replies: Mapping[str, Iterable[Reply | Json]]) -> None:
        self._replies = {
            node: [reply for entry in entries for reply in _replies(node, entry)]
            for node, entries in replies.items()
        }
        self._taken = dict.fromkeys(self._replies, 0)
        self._lock = threading.Lock()

    def take(self, node: str) -> Reply:
        """The next reply of `node`. Raises `Exhausted`."""
        with self._lock:
            if node not in self._replies:
                raise Exhausted(f"the script has no replies for {node!r}")
            replies, at = self._replies[node], self._taken[node]
            if at >= len(replies):
                raise Exhausted(f"call {at + 1} of {node!r}, and its script has {at} replies")
            self._taken[node] += 1
            return replies[at]

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(self._replies)

    @property
    def left(self) -> dict[str, int]:
        """How many replies nobody has taken, by node."""
        return {node: len(all) - self._taken[node] for node, all in self._replies.items()}


def script_from(path: str | Path) -> Script:
    """The script in a YAML or JSON file: `{node: [reply, …]}`. Raises `ConfigError`."""
    source = str(path)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the script cannot be read: {error.strerror}", where=source, code="config.script"
        ) from None
    value = read(decode(data, source), source).value
    lists = {node: item if isinstance(item, list) else [item] for node, item in value.items()}
    return Script(lists)


def script_of_environment() -> Script:
    """The script that `ORKA_SCRIPT` names. Raises `ConfigError`."""
    path = os.environ.get(VARIABLE)
    if not path:
        raise ConfigError(
            "the scripted provider has no script",
            fix=f"set {VARIABLE} to a YAML file {{node: [reply, …]}}, or use "
            "ScriptedModel(Script({…})) from orka.testing.scripted in Python",
            code="config.script",
        )
    return script_from(path)


_Sleep = float | int


class _Form(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The written form of a reply that is more than a value."""

    raise_: Refusal | None = msgspec.field(default=None, name="raise")
    reply: Json = None
    stream: tuple[str, ...] = ()
    sleep_ms: _Sleep = 0
    gap_ms: _Sleep = 0
    echo_prompt: bool = False
    usage: Usage = Usage()
    finish_reason: str = "stop"
    probabilities: Mapping[str, float] | None = None
    mass: float | None = None


_FORMS = frozenset(field.encode_name for field in msgspec.structs.fields(_Form))
_SIGNS = frozenset(("raise", "reply", "stream", "sleep_ms", "echo_prompt", "repeat"))


def _replies(node: str, entry: Reply | Json) -> list[Reply]:
    """What one entry of a script stands for."""
    if isinstance(entry, Reply):
        return [entry]
    if not isinstance(entry, dict) or not _SIGNS & entry.keys():
        return [Reply(value=entry)]
    if "repeat" in entry:
        return _repeated(node, entry)
    if unknown := [key for key in entry if key not in _FORMS]:
        raise _wrong(node, f"has the unknown key {unknown[0]!r}", nearest(unknown[0], _FORMS))
    try:
        form = msgspec.convert(entry, _Form)
    except msgspec.ValidationError as error:
        raise _wrong(node, f"does not fit: {error}", "see docs/testing.md") from None
    return [
        Reply(
            value=form.reply,
            stream=form.stream,
            error=form.raise_,
            delay=form.sleep_ms / 1000,
            gap=form.gap_ms / 1000,
            echo_prompt=form.echo_prompt,
            usage=form.usage,
            finish_reason=form.finish_reason,
            probabilities=form.probabilities,
            mass=form.mass,
        )
    ]


def _repeated(node: str, entry: Mapping[str, Json]) -> list[Reply]:
    times = entry.get("times", _REPEATS)
    if entry.keys() - {"repeat", "times"} or type(times) is not int or times < 0:
        raise _wrong(node, f"repeats {times!r} times", "write {repeat: reply, times: n}")
    return _replies(node, entry["repeat"]) * times


def _wrong(node: str, what: str, fix: str) -> ConfigError:
    return ConfigError(
        f"a reply in the script of {node!r} {what}",
        where="the script",
        fix=fix,
        code="config.script",
    )
