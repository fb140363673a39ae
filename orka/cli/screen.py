"""What can be seen of a run while it goes on: lines on standard error, or nothing."""

from __future__ import annotations

from typing import Protocol

import click

from orka.cli import words
from orka.event.event import (
    CancelAsked,
    DeadlinePassed,
    Decided,
    EffectAnswered,
    EffectRequested,
    Event,
    Gated,
    NodeFailed,
    NodeFinished,
    NodeReopened,
    NodeSkipped,
    NodeStarted,
    NodeStopped,
    Noted,
    Quarantined,
    Repaired,
    RunResumed,
    ScopeClosed,
    Violation,
)
from orka.view.run import Fold, Run, totals_of


class Screen(Protocol):
    """A watcher with a place on the screen. `refresh` is called about ten times a second."""

    def event(self, run: str, seq: int, event: Event) -> None: ...
    def text(self, run: str, effect: str, piece: str) -> None: ...
    def begun(self, run: str, recorded: Run | None) -> None:
        """A run begins; `recorded` is what is known of one that is taken up again."""

    def note(self, text: str) -> None:
        """Say something about the run as a whole."""

    def refresh(self) -> None: ...
    def close(self) -> None: ...


class Lines:
    """One line on standard error when a node starts and when it ends; more if `verbose`."""

    def __init__(self, *, verbose: bool = False) -> None:
        self._verbose, self._fold = verbose, Fold()

    def begun(self, run: str, recorded: Run | None) -> None:
        self.note(f"run {run}")
        for event in recorded.events if recorded else ():
            self._fold.add(event)

    def event(self, run: str, seq: int, event: Event) -> None:
        self._fold.add(event)
        if told := self._told(event) or (self._verbose and self._detail(event)):
            self.note(f"{seq:>5}  {told}")

    def text(self, run: str, effect: str, piece: str) -> None:
        """Tokens are not shown here: the answer comes as a whole."""

    def note(self, text: str) -> None:
        click.echo(text, err=True)

    def refresh(self) -> None:
        """Lines do not change."""

    def close(self) -> None:
        """Lines stay."""

    def _told(self, event: Event) -> str:
        match event:
            case NodeStarted() | NodeReopened():
                return f"{_path(event)} started"
            case NodeSkipped():
                return f"{_path(event)} skipped ({event.reason.replace('_', ' ')})"
            case NodeFinished() | NodeFailed() | NodeStopped():
                return self._ended(event)
            case EffectRequested(retried=retried) if retried:
                return f"{event.id} is asked again (retry {retried}, in {event.wait:g} s)"
            case Violation():
                return f"{_path(event)} violation: {words.short(event.message)}"
            case Repaired():
                return f"{_path(event)} repaired ({event.rule})"
            case Noted():
                return f"{_path(event)} {event.kind}: {words.short(event.message)}"
            case Decided():
                return f"{_path(event)} decided"
            case Quarantined():
                return f"{_path(event)} quarantined a text: {words.short(event.why)}"
            case Gated(verdict="auto"):
                return ""
            case Gated():
                return f"{_path(event)} {event.verdict}: {words.short(event.reason)}"
            case CancelAsked():
                return f"cancelling: {words.short(event.reason)}"
            case DeadlinePassed():
                return f"out of time: {event.scope or 'the run'}"
        return ""

    def _ended(self, event: NodeFinished | NodeFailed | NodeStopped) -> str:
        node = self._fold.nodes[event.scope, event.node]
        totals = totals_of(node.attempts)
        facts = [words.duration((node.ended_at or node.started_at) - node.started_at)]
        facts += [f"{words.tokens(totals)} tokens", words.cost(totals)] if totals.calls else []
        failed = f": {words.short(event.failure.message)}" if isinstance(event, NodeFailed) else ""
        return f"{_path(event)} {node.state} ({', '.join(facts)}){failed}"

    def _detail(self, event: Event) -> str:
        match event:
            case EffectRequested():
                return f"{event.id} {event.kind}: {words.short(event.payload)}"
            case EffectAnswered(error=error) if error:
                return f"{event.id} error: {words.short(error.message)}"
            case EffectAnswered():
                return f"{event.id} answer: {words.short(event.value)}"
            case RunResumed():
                return "resumed"
            case ScopeClosed():
                return f"{event.scope} closed"
        return ""


def _path(
    event: NodeStarted
    | NodeReopened
    | NodeSkipped
    | NodeFinished
    | NodeFailed
    | NodeStopped
    | Violation
    | Repaired
    | Noted
    | Decided
    | Quarantined
    | Gated,
) -> str:
    return f"{event.scope}/{event.node}" if event.scope else event.node
