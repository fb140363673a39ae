"""The decisions that a run recorded, with all that they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orka.errors import LedgerError
from orka.event.event import Decided, NodeReopened, Noted
from orka.score.ledger import Ledger
from orka.value import Json
from orka.view.run import Run


@dataclass(frozen=True, slots=True)
class Recorded:
    """One decision: the run's id, the path of the node (`scope/node`), the number of the event, and
    what it was made of; `after` is what the node noted of it later (who chose, which paths ran)."""

    run: str
    node: str
    seq: int
    ledger: Ledger
    after: tuple[Noted, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """One decision as it stands in the run, not read yet."""

    run: str
    node: str
    seq: int
    value: Json
    after: tuple[Noted, ...] = ()

    def read(self) -> Recorded:
        """Raises `LedgerError` that names run and event."""
        try:
            return Recorded(self.run, self.node, self.seq, Ledger.read(self.value), self.after)
        except LedgerError as error:
            raise located(error, self.run, self.node, self.seq) from None


def written(run: Run) -> Iterator[Written]:
    """All decisions in the order they were made, damaged ones too. One that a node made again when
    it was taken up, and that came out the same, is one decision."""
    notes: dict[int, list[Noted]] = {}
    made: dict[str, list[int]] = {}
    before: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    for seq, event in enumerate(run.events):
        match event:
            case NodeReopened():
                before[_node(event)] = list(made.get(_node(event), ()))
            case Decided():
                node = _node(event)
                at = _same(run, event, before.get(node, []))
                if at is None:
                    at, notes[seq] = seq, []
                    made.setdefault(node, []).append(seq)
                last[node] = at
            case Noted() if _node(event) in last and event not in notes[last[_node(event)]]:
                notes[last[_node(event)]].append(event)
    for seq, after in notes.items():
        event = run.events[seq]
        if isinstance(event, Decided):
            yield Written(run.id, _node(event), seq, event.value, tuple(after))


def _same(run: Run, event: Decided, before: list[int]) -> int | None:
    """Where a decision stands that was made before its node was taken up; it is taken once."""
    at = next((seq for seq in before if run.events[seq] == event), None)
    if at is not None:
        before.remove(at)
    return at


def _node(event: Decided | Noted | NodeReopened) -> str:
    return f"{event.scope}/{event.node}" if event.scope else event.node


def decisions(run: Run) -> list[Recorded]:
    """All decisions in the order they were made. Raises `LedgerError` for the first that cannot be
    read whole; it names run and event."""
    return [each.read() for each in written(run)]


def located(error: LedgerError, run: str, node: str, seq: int) -> LedgerError:
    """The error with the run, the event and the node it is about."""
    where = f"run {run!r}, event {seq}, node {node!r}"
    return LedgerError(error.what, where=where, fix=error.fix, code=error.code)
