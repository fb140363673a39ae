"""What a scope that is about to fail may still do: wait for answers under way, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.testing.ledger import ScopeNotes

KEPT = ("llm", "tool", "memory")


def around(scopes: Mapping[str, ScopeNotes], scope: ScopeNotes) -> Iterator[ScopeNotes]:
    """A scope, and those it was opened in."""
    at: ScopeNotes | None = scope
    while at is not None:
        yield at
        at = scopes.get(at.opener[0]) if at.name else None


def drains(scopes: Mapping[str, ScopeNotes], scope: ScopeNotes) -> bool:
    """True if a scope, or one around it, failed and is not closed yet."""
    return any(at.open and at.dying == "failed" for at in around(scopes, scope))


def under_way(scopes: Mapping[str, ScopeNotes], scope: ScopeNotes, index: int) -> bool:
    """True if an answer that is worth waiting for is due to a node, or to one in its scopes."""
    for id, asked in scope.pending.items():
        if asked.node.index != index:
            continue
        if asked.event.kind in KEPT:
            return True
        inner = scopes.get(id)
        if (
            inner
            and inner.open
            and any(under_way(scopes, inner, node.index) for node in inner.running())
        ):
            return True
    return False


def idle(scopes: Mapping[str, ScopeNotes], scope: ScopeNotes) -> Iterator[str]:
    """What should have ended in a scope that failed, before the next fact."""
    nodes = list(scope.running())
    if not nodes:
        yield f"scope {scope.name!r} failed, waits for nothing, and was not closed"
    for node in nodes:
        if not under_way(scopes, scope, node.index):
            yield f"{node.id!r} waits for nothing in scope {scope.name!r}, which failed"
