"""The rules of single effects: where their ids come from, attempts, retries, answers."""

from __future__ import annotations

import re

from orka.event.event import EffectAnswered, EffectRequested
from orka.graph.graph import Node
from orka.testing.ledger import Question, ScopeNotes
from orka.value import Json, canonical

# node#2, or node#2.0.1: the second effect of strand 0 of the group that was question 2
_POSITION = re.compile(r"(?P<node>[^/#]+)#(?P<path>\d+(\.\d+\.\d+)*)")
_GATE = ".gate"


def check_position(seq: int, scope: ScopeNotes, event: EffectRequested) -> list[str]:
    """Ids derive from position: along each strand the numbers of new questions grow."""
    if event.kind == "ask" and event.id.endswith(_GATE):
        return []  # it has the place of the call behind it
    found = _POSITION.fullmatch(event.id.rpartition("/")[2])
    if found is None:
        return [f"event {seq}: {event.id} is not the id of a position"]
    numbers = [int(number) for number in found["path"].split(".")]
    strand = f"{found['node']}#"
    for at in range(0, len(numbers), 2):
        number, is_group = numbers[at], at + 1 < len(numbers)
        last, last_is_group = scope.ordinals.get(strand, (-1, False))
        again = is_group and last_is_group and number == last
        if number <= last and not again:
            return [f"event {seq}: {event.id} comes after number {last} of {strand}"]
        scope.ordinals[strand] = (number, is_group)
        if is_group:
            strand = f"{strand}{number}.{numbers[at + 1]}."
    return []


def check_turn(seq: int, scope: ScopeNotes, event: EffectRequested) -> list[str]:
    """A strand asks its next question when the last one, or the group it waits for, is answered."""
    return [
        f"event {seq}: {event.id} was asked while {id} of the same strand waits"
        for id, asked in scope.pending.items()
        if asked.event.id != event.id and _same_turn(id, event.id)
    ]


def _same_turn(one: str, other: str) -> bool:
    """True unless two ids are of different nodes, or of different members of one group."""
    (node, _, path), (node_too, _, path_too) = one.rpartition("#"), other.rpartition("#")
    if node != node_too:
        return False
    for at, (number, number_too) in enumerate(
        zip(path.split("."), path_too.split("."), strict=False)
    ):
        if number != number_too:
            return at % 2 == 0
    return True


def check_request(
    seq: int, known: Question | None, node: Node, event: EffectRequested
) -> list[str]:
    """Attempts are consecutive, retries have a reason and an end, the question stays the same."""
    found = []
    if known is None:
        if event.attempt != 1 or event.retried:
            found.append("begins with another attempt than the first")
    else:
        found += _again(known, event)
    if event.retried > node.retries:
        found.append(f"was retried {event.retried} times, allowed are {node.retries}")
    if event.timeout != node.timeout:
        found.append(f"has the timeout {event.timeout}, its node says {node.timeout}")
    if event.wait != _wait(node, event.retried):
        found.append(f"waits {event.wait} s before retry {event.retried}")
    return [f"event {seq}: {event.id} {what}" for what in found]


def _again(known: Question, event: EffectRequested) -> list[str]:
    before = known.event
    found = []
    if known.pending:
        found.append("was asked again before it was answered")
    if event.attempt != before.attempt + 1:
        found.append(f"has attempt {event.attempt} after {before.attempt}")
    if (event.kind, _what(event.payload)) != (before.kind, _what(before.payload)):
        found.append("asks something else than before")
    if known.answered and known.error is None and not known.late:
        found.append("was asked again though it has an answer")
    if event.retried and (known.error is None or not known.error.retryable):
        found.append("was retried without a failure that allows it")
    if event.retried not in (0, before.retried + 1):
        found.append(f"counts {event.retried} retries after {before.retried}")
    return found


def _what(payload: Json) -> bytes:
    """What is asked, without what differs each time."""
    if isinstance(payload, dict) and "seal" in payload:
        payload = payload.get("call") or {**payload, "seal": "", "expires": 0}
    return canonical(payload)


def _wait(node: Node, retried: int) -> float:
    initial, factor, limit = node.backoff
    return round(min(limit, initial * factor ** (retried - 1)), 6) if retried else 0.0


def check_answer(seq: int, asked: Question, event: EffectAnswered) -> list[str]:
    """Each attempt is answered at most once, and only while its node waits for it."""
    found = []
    if asked.answered:
        found.append("was answered twice")
    if asked.dropped:
        found.append("was answered after its node ended")
    if asked.event.attempt != event.attempt:
        found.append(f"was answered for attempt {event.attempt}, asked was {asked.event.attempt}")
    if asked.event.kind == "graph":
        found.append("is a scope, and was answered from outside")
    return [f"event {seq}: {event.id} {what}" for what in found]
