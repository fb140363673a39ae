"""The tries of a node: what succeeded in one is given again in a later one, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from orka.event.event import EffectRequested
from orka.testing.ledger import Question, owner
from orka.value import canonical

SHARED = ("llm", "tool", "memory", "ask")
LOOKS = ("search", "get", "stats")

Level = tuple[tuple[str, str], int]


def levels(questions: Mapping[str, Question], scope: str) -> Iterator[Level]:
    """Of which nodes' tries a scope is part, and of which try; the innermost first."""
    while opener := questions.get(scope):
        if number := opener.event.payload.get("once"):
            yield owner(scope), number
        scope = opener.scope


def check_tries(seq: int, questions: Mapping[str, Question], asked: Question) -> list[str]:
    """A new question is answered by an earlier try exactly if one has an answer left for it."""
    event = asked.event
    looks = event.kind == "memory" and event.payload.get("op") in LOOKS
    wanted = _wanted(questions, asked) if event.kind in SHARED and not looks else None
    if (wanted[0] if wanted else "") != event.answer:
        told = f"asks for the answer of {event.answer or 'nobody'}"
        return [f"event {seq}: {event.id} {told}, due is that of {wanted and wanted[0]}"]
    if wanted:
        source = questions[wanted[0]]
        asked.answered, asked.value, asked.done = True, source.value, seq
        asked.lender = wanted[1]
    return []


def check_again(seq: int, event: EffectRequested) -> list[str]:
    """Only the first attempt can find an answer."""
    return [f"event {seq}: {event.id} was asked again, and answered"] if event.answer else []


def _wanted(
    questions: Mapping[str, Question], asked: Question
) -> tuple[str, tuple[str, str]] | None:
    """The effect whose answer is due, and the node whose tries it is shared by."""
    key = canonical(asked.event.payload)
    same = [
        (each, list(levels(questions, each.scope)))
        for each in questions.values()
        if each is not asked
        and each.event.kind == asked.event.kind
        and canonical(each.event.payload) == key
    ]
    for node, number in levels(questions, asked.scope):
        free = _free(same, node, number)
        taken = sum(each.lender == node and (node, number) in around for each, around in same)
        if taken < len(free):
            return free[taken].event.answer or free[taken].event.id, node
    return None


def _free(
    same: Iterable[tuple[Question, list[Level]]], node: tuple[str, str], number: int
) -> list[Question]:
    """Answers of earlier tries of `node`, in the order they came. One that was given again counts
    if it came from further out."""
    found = []
    for each, around in same:
        nodes = [name for name, _ in around]
        earlier = any(name == node and at < number for name, at in around)
        if not earlier or not each.answered or each.error:
            continue
        if each.lender is None or nodes.index(each.lender) > nodes.index(node):
            found.append(each)
    return sorted(found, key=lambda each: each.done)
