"""The decisions that a run recorded, with all that they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from orka.errors import LedgerError
from orka.event.event import Decided
from orka.score.ledger import Ledger
from orka.value import Json
from orka.view.run import Run


@dataclass(frozen=True, slots=True)
class Recorded:
    """One decision: the run's id, the path of the node (`scope/node`), the number of the event, and
    what it was made of."""

    run: str
    node: str
    seq: int
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Written:
    """One decision as it stands in the run, not read yet."""

    run: str
    node: str
    seq: int
    value: Json

    def read(self) -> Recorded:
        """Raises `LedgerError` that names run and event."""
        try:
            return Recorded(self.run, self.node, self.seq, Ledger.read(self.value))
        except LedgerError as error:
            raise located(error, self.run, self.node, self.seq) from None


def written(run: Run) -> Iterator[Written]:
    """All decisions in the order they were made, damaged ones too."""
    for seq, event in enumerate(run.events):
        if isinstance(event, Decided):
            node = f"{event.scope}/{event.node}" if event.scope else event.node
            yield Written(run.id, node, seq, event.value)


def decisions(run: Run) -> list[Recorded]:
    """All decisions in the order they were made. Raises `LedgerError` for the first that cannot be
    read whole; it names run and event."""
    return [each.read() for each in written(run)]


def located(error: LedgerError, run: str, node: str, seq: int) -> LedgerError:
    """The error with the run, the event and the node it is about."""
    where = f"run {run!r}, event {seq}, node {node!r}"
    return LedgerError(error.what, where=where, fix=error.fix, code=error.code)
