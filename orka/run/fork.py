"""Fork: answers of an earlier run, given again to identical questions, in the recorded order."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from msgspec import structs

from orka.event.event import EffectAnswered, EffectRequested, Event, Origin
from orka.run.state import Asked
from orka.value import Json, canonical

Question = tuple[str, bytes]


class Recording:
    """What a run was asked and answered. An answer is given once; failures are not given again."""

    def __init__(
        self, run: str, events: Iterable[Event], *, before: int | None, without: str = ""
    ) -> None:
        """`before`: only answers recorded before that event. `without`: a node asked anew."""
        self._by_id: dict[str, tuple[int, Question, EffectAnswered]] = {}
        self._by_question: defaultdict[Question, deque[str]] = defaultdict(deque)
        self._matched: list[tuple[int, str, str]] = []
        self._run = run
        asked: dict[str, Question] = {}
        for seq, event in enumerate(events):
            if isinstance(event, EffectRequested):
                asked[event.id] = question(event.kind, event.payload)
            elif isinstance(event, EffectAnswered) and event.error is None:
                known = before is None or seq < before
                if known and not _belongs(event.id, without):
                    self._by_id[event.id] = (seq, asked[event.id], event)
                    self._by_question[asked[event.id]].append(event.id)

    def offer(self, effect: Asked) -> bool:
        """True if the recording will answer this effect."""
        asked = question(effect.kind, effect.payload)
        same = self._by_id.get(effect.id)
        source = effect.id if same and same[1] == asked else self._elsewhere(asked)
        if source is None:
            return False
        heapq.heappush(self._matched, (self._by_id[source][0], source, effect.id))
        self._by_question[asked].remove(source)
        return True

    def next(self, pending: Mapping[str, Asked], now: float) -> EffectAnswered | None:
        """The earliest recorded answer to something that is pending."""
        while self._matched:
            seq, source, id = heapq.heappop(self._matched)
            if id in pending:
                answer = self._by_id.pop(source)[2]
                return structs.replace(
                    answer,
                    id=id,
                    attempt=pending[id].attempt,
                    at=max(now, answer.at),
                    reused=Origin(self._run, seq),
                )
        return None

    def _elsewhere(self, asked: Question) -> str | None:
        """The same question under another id: the flow was edited, or the node renamed."""
        known = self._by_question.get(asked)
        return known[0] if known else None


def question(kind: str, payload: Json) -> Question:
    return kind, canonical(payload)


def _belongs(effect: str, node: str) -> bool:
    """True if `effect` was asked by `node`, or in a scope it opened."""
    return bool(node) and any(part.partition("#")[0] == node for part in effect.split("/"))
