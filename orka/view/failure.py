"""Why a run did not complete: the node, the cause, every attempt, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from orka.errors import Failure
from orka.view.run import Attempt, NodeView, Run

# Failures that follow from what is recorded: to go on would decide the same again.
_DECIDED = ("foreach.", "guard.", "join.", "router.", "template.")


@dataclass(frozen=True, slots=True)
class FailureReport:
    """`node` is the one at fault, None if none is (a cancelled run, a run out of time). `attempts`
    are those that failed."""

    failure: Failure
    node: NodeView | None
    attempts: tuple[Attempt, ...]
    remedies: tuple[str, ...]


def failure_report(run: Run) -> FailureReport | None:
    """None for a run that has not failed."""
    if run.failure is None:
        return None
    node = at_fault(run)
    failed = tuple(a for a in node.attempts if a.error) if node else ()
    return FailureReport(run.failure, node, failed, remedies(run))


def at_fault(run: Run) -> NodeView | None:
    """The innermost node whose failure became the run's."""
    failure = run.failure
    if failure is None:
        return None
    same = [
        node
        for node in run.nodes
        if node.failure and (node.failure.code, node.failure.message) == _cause(failure)
    ]
    asked = [node for node in same if _within(node, failure.effect)]
    return max(asked or same, key=_depth, default=None)


def _within(node: NodeView, effect: str) -> bool:
    """True for the node that asked `effect`, and for those of the scope it opened."""
    asker = effect.rpartition("#")[0]
    return node.path == asker or node.scope == effect or node.scope.startswith(f"{effect}/")


def _depth(node: NodeView) -> int:
    return node.scope.count("/") + bool(node.scope)


def remedies(run: Run) -> tuple[str, ...]:
    """What can be done, the most fitting first."""
    if run.status in ("completed", "waiting"):
        return ()
    again = f"`orka resume {run.id}` goes on"
    if run.status == "cancelled":
        return (f"{again} where it was stopped",)
    if run.failure is None:
        return (f"{again} from its last event",)
    node = at_fault(run)
    told = [run.failure.fix] if run.failure.fix else []
    told.append(f"`orka show {run.id}{_option(node)}` shows what was asked and answered")
    if not run.failure.code.startswith(_DECIDED):
        told.append(f"{again} with the failed node, once the cause is gone")
    elif run.failure.code.startswith("join."):
        told.append(f"`orka fork {run.id}` asks what failed again, and keeps the other answers")
    told.append(f"`orka fork {run.id}{_at(node)} --flow FILE` runs a corrected workflow")
    return tuple(told)


def _option(node: NodeView | None) -> str:
    return f" --node {node.path}" if node else ""


def _at(node: NodeView | None) -> str:
    return f" --at {(node.scope or node.id).partition('#')[0]}" if node else ""


def _cause(failure: Failure) -> tuple[str, str]:
    return failure.code, failure.message
