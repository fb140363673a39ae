"""Why a run did not complete: the node, the cause, every attempt, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from orka.errors import Failure
from orka.view.run import Attempt, NodeView, Run


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
    return max(same, key=lambda node: node.scope.count("/") + bool(node.scope), default=None)


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
    told.append(f"{again} with the failed node, once the cause is gone")
    told.append(f"`orka fork {run.id}{_at(node)} --flow FILE` runs a corrected workflow")
    return tuple(told)


def _option(node: NodeView | None) -> str:
    return f" --node {node.path}" if node else ""


def _at(node: NodeView | None) -> str:
    return f" --at {(node.scope or node.id).partition('#')[0]}" if node else ""


def _cause(failure: Failure) -> tuple[str, str]:
    return failure.code, failure.message
