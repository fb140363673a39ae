"""Errors in the words of the cases: the class of an error, and what its message must name."""

from __future__ import annotations

import re

from cases.language import Fields, NotUnderstood
from cases.observed import Observed
from orka.errors import Failure, OrkaError
from orka.value import Json

# Their kind -> how our codes of that class begin.
KINDS: dict[str, tuple[str, ...]] = {
    "config": ("config.", "template.", "guard.", "plugin."),
    "template": ("template.", "config.unknown_reference", "config.not_upstream"),
    "input": ("input.",),
    "timeout": ("timeout", "model.timeout"),
    "provider": ("model.", "effect.raised"),
    "model": ("model.", "effect.raised"),
    "tool": ("tool.", "effect.raised", "config.unknown_tool"),
    "branch": ("model.", "tool.", "effect.", "agent.", "sensor.", "join.", "timeout"),
    "join": ("join.", "timeout"),
    "loop": ("model.", "tool.", "effect.", "agent.", "sensor.", "timeout", "config."),
    "foreach": ("foreach.", "model.", "tool.", "effect.", "agent.", "sensor."),
    "routing": ("router.", "guard."),
    "condition": ("guard.", "router.", "config."),
    "approval": ("approval.", "input.no_question"),
    "denied": ("approval.", "permission."),
    "rate_limit": ("model.rate_limited", "tool."),
    "memory": ("memory.",),
    "conflict": ("merge.", "config.merge_conflict", "store.conflict", "store.run_busy"),
    "permission": ("permission.", "approval."),
    "schema": ("sensor.",),
    "parse": ("sensor.",),
    "truncated": ("sensor.",),
    "failover": ("failover.",),
    "budget": ("budget.",),
    "merge_conflict": ("merge.", "config.merge_conflict"),
    "cancelled": ("run.cancelled",),
    "store": ("store.",),
    "checkpoint": ("store.", "replay."),
    "corrupt": ("store.corrupt",),
    "replay": ("replay.",),
}
_LINE = re.compile(r"line (\d+)")
_LINES = re.compile(r"\blines?\s+((?:\d+(?:\s*(?:,|and|to|-|–)\s*)?)+)|:(\d+)(?::\d+)?\b")
# Shorter words must stand alone: an agent called `a` is not named by any text with an a in it.
_SHORT = 3


def told(observed: Observed) -> str:
    """All an error says: its message and its structured fields."""
    if observed.error is not None:
        return _told(observed.error)
    failures = [node.failure for node in observed.nodes if node.failure]
    if observed.recorded.failure is not None:
        failures.append(observed.recorded.failure)
    return "\n".join([*observed.failed, *(_told(failure) for failure in failures)])


def code(observed: Observed) -> str:
    """The code of the error or of what the run failed with."""
    error = observed.error or observed.recorded.failure
    assert error is not None, f"nothing failed: the run is {observed.status}"
    return error.code


def failed_as(observed: Observed, expected: Json) -> None:
    """`error: {kind, must_name}`."""
    with Fields(expected, "error") as fields:
        kind, words = fields.need("kind"), fields.take("must_name", [])
        reason = fields.take("reason")
    if kind not in KINDS:
        raise NotUnderstood(f"no kind of error is called {kind!r}")
    found, text = code(observed), told(observed)
    assert found.startswith(KINDS[kind]), f"{found!r} is not of the kind {kind!r}:\n{text}"
    assert reason is None or reason in text, f"the reason {reason!r} is not given:\n{text}"
    must_name(text, words)


def must_name(text: str, words: list[Json]) -> None:
    """Fails for the first word that `text` does not name."""
    for word in words:
        assert names(text, str(word)), f"{word!r} is not named in:\n{text}"


def names(text: str, word: str) -> bool:
    """Whether a text holds a word, whatever its case; `line 6` is met wherever line 6 is meant."""
    if line := _LINE.fullmatch(word):
        return int(line.group(1)) in _line_numbers(text)
    text, word = text.casefold(), word.casefold()
    if len(word) >= _SHORT:
        return word in text
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _line_numbers(text: str) -> set[int]:
    found: set[int] = set()
    for match in _LINES.finditer(text):
        found.update(int(number) for number in re.findall(r"\d+", match.group(0)))
    return found


def _told(error: OrkaError | Failure) -> str:
    if isinstance(error, OrkaError):
        return str(error)
    return "\n".join([error.code, error.message, error.where, error.fix, error.effect])
