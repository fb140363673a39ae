"""Fork: answers of an earlier run, given again to identical questions, in the recorded order."""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Container, Iterable, Mapping

from msgspec import structs

from orka.event.event import EffectAnswered, EffectRequested, Event, Origin
from orka.run.scope import Asked
from orka.value import Json, canonical

Question = tuple[str, bytes]


class Recording:
    """What a run was asked and answered. An answer is given once; failures are not given again.

    An effect gets the answer to the same question under its own id. A question to a model or a tool
    that is new under its id gets the answer of a node the new graph no longer has: it was renamed.
    """

    def __init__(
        self,
        run: str,
        events: Iterable[Event],
        *,
        nodes: Container[str],
        before: int | None = None,
        without: str = "",
    ) -> None:
        """`nodes`: those of the new graph. `before`: only answers recorded before that event.
        `without`: a node asked anew."""
        self._run = run
        self._by_id: dict[str, tuple[int, Question, EffectAnswered]] = {}
        self._orphans: defaultdict[Question, deque[str]] = defaultdict(deque)
        self._matched: list[tuple[int, str, str]] = []
        asked: dict[str, Question] = {}
        for seq, event in enumerate(events):
            if isinstance(event, EffectRequested):
                asked[event.id] = question(event.kind, event.payload)
                first = self._by_id.get(event.answer)
                if first and (before is None or seq < before) and not _belongs(event.id, without):
                    self._by_id[event.id] = first
            elif isinstance(event, EffectAnswered) and event.error is None:
                known = before is None or seq < before
                if known and not _belongs(event.id, without):
                    self._by_id[event.id] = (seq, asked[event.id], event)
                    if event.id.partition("#")[0] not in nodes:
                        self._orphans[asked[event.id]].append(event.id)

    def offer(self, effect: Asked) -> bool:
        """True if the recording will answer this effect."""
        if effect.kind == "ask":  # a person's yes was to what would have followed then
            return False
        asked = question(effect.kind, effect.payload)
        same = self._by_id.get(effect.id)
        if same and same[1] == asked:
            source = effect.id
        elif effect.kind in ("llm", "tool") and self._orphans.get(asked):
            source = self._orphans[asked].popleft()
        else:
            return False
        heapq.heappush(self._matched, (self._by_id[source][0], source, effect.id))
        return True

    def next(self, pending: Mapping[str, Asked], now: float) -> EffectAnswered | None:
        """The earliest recorded answer to something that is pending."""
        while self._matched:
            seq, source, id = heapq.heappop(self._matched)
            if id in pending:
                answer = self._by_id[source][2]
                return structs.replace(
                    answer,
                    id=id,
                    attempt=pending[id].attempt,
                    at=max(now, answer.at),
                    reused=Origin(self._run, seq),
                )
        return None


def question(kind: str, payload: Json) -> Question:
    return kind, canonical(payload)


def _belongs(effect: str, node: str) -> bool:
    """True if `effect` was asked by `node`, or in a scope it opened."""
    return bool(node) and any(part.partition("#")[0] == node for part in effect.split("/"))
