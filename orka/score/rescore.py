"""Rescore: what a change would have decided in all decisions that are stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from orka.errors import OrkaError
from orka.score.again import again
from orka.score.ledger import Kind, Ledger, Outcome
from orka.score.strategy import STRATEGIES, Strategy
from orka.score.whatif import Change, Changing


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a decision: the winner is what was chosen, or the first of the ranking if
    nothing was; empty if there is none. `margin` is the distance of the first two (None: there
    are not two)."""

    winner: str
    decision: Kind
    margin: float | None


class Rescore(msgspec.Struct, frozen=True):
    """One decision as it was recorded and as it would be."""

    name: str
    before: Side
    after: Side

    @property
    def moved(self) -> bool:
        """Another winner."""
        return self.before.winner != self.after.winner

    @property
    def turned(self) -> bool:
        """Another kind of decision, as a shortlist in place of a commitment."""
        return self.before.decision != self.after.decision


class LeftOut(msgspec.Struct, frozen=True):
    """A decision that cannot be made again, and why."""

    name: str
    code: str
    cause: str


class Rescored(msgspec.Struct, frozen=True):
    """All decisions, and those that were left out."""

    lines: tuple[Rescore, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def moved(self) -> list[Rescore]:
        """Those with another winner."""
        return [line for line in self.lines if line.moved]

    @property
    def turned(self) -> list[Rescore]:
        """Those that are decisions of another kind."""
        return [line for line in self.lines if line.turned]

    @property
    def moves(self) -> dict[tuple[str, str], int]:
        """How often each winner gives way to which, most often first."""
        found: dict[tuple[str, str], int] = {}
        for line in self.moved:
            pair = (line.before.winner, line.after.winner)
            found[pair] = found.get(pair, 0) + 1
        return dict(sorted(found.items(), key=lambda item: -item[1]))


def rescore(
    decisions: Iterable[tuple[str, Ledger | OrkaError]],
    change: Change,
    strategies: Mapping[str, Strategy] = STRATEGIES,
) -> Rescored:
    """What `change` would have made of each decision, by name; one that could not be read stands as
    its error. What cannot be made again is listed with the cause, never dropped: a change that
    names what was not measured, or a record that its own factors do not support."""
    lines, left = list[Rescore](), list[LeftOut]()
    changing = Changing(change, strategies)
    for name, ledger in decisions:
        try:
            if isinstance(ledger, OrkaError):
                raise ledger
            after = changing.outcome(ledger, again(ledger, strategies))
        except OrkaError as error:
            left.append(LeftOut(name, error.code, error.what))
        else:
            lines.append(Rescore(name, side(ledger.outcome), side(after)))
    return Rescored(tuple(lines), tuple(left))


def side(outcome: Outcome) -> Side:
    first = next((place.id for place in outcome.ranking if place.score is not None), "")
    return Side(winner=outcome.chosen or first, decision=outcome.decision, margin=outcome.margin)
