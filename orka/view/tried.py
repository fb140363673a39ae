"""Which paths a run tried, and whether their agents ended well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from orka.event.event import Decided, EffectAnswered, Noted
from orka.view.run import NodeView, Run

TRIED = "path_tried"
"""The kind of note that an agent leaves for each path it ran, with `path` and `ok` (and `tenant`,
`domain`) in its data."""


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a path was run, and whether all its agents ended well."""

    path: tuple[str, ...]
    ok: bool
    tenant: str | None = ""
    domain: str | None = ""


class _Choice(msgspec.Struct, frozen=True):
    decision: str
    chosen: str = ""


class _Candidate(msgspec.Struct, frozen=True):
    id: str
    path: tuple[str, ...]


class _Context(msgspec.Struct, frozen=True):
    tenant: str | None = ""
    domain: str | None = ""


class _Decision(msgspec.Struct, frozen=True):
    """What of a recorded decision says where it led."""

    outcome: _Choice
    candidates: tuple[_Candidate, ...]
    context: _Context = _Context()

    @property
    def path(self) -> tuple[str, ...]:
        """The path that was committed; empty if none was."""
        if not self.outcome.decision.startswith("commit"):
            return ()
        return next((c.path for c in self.candidates if c.id == self.outcome.chosen), ())


def tried(run: Run) -> Iterator[Tried]:
    """Paths that were run, as those who ran them noted it. A decision whose path was run without a
    note counts by what became of its agents. What was copied from another run says nothing new."""
    nodes, copied = run.nodes, _copied(run)
    noted: list[tuple[str, tuple[str, ...]]] = []
    for node in nodes:
        for note in (found for remark in _once(node) if (found := _note(remark))):
            noted.append((node.scope, note.path))
            if node.path not in copied:
                yield note
    for at, node in enumerate(nodes):
        for decision in (one for remark in _once(node) if (one := _decision(remark))):
            path = decision.path
            if not path or (node.scope, path) in noted:
                continue
            ran = _runner(nodes[at:], path)
            if ran is not None and ran.state in ("done", "failed") and ran.path not in copied:
                context = decision.context
                ok = _well(ran, path)
                yield Tried(path=path, ok=ok, tenant=context.tenant, domain=context.domain)


def _once(node: NodeView) -> list[object]:
    """What a node remarked; a node that was taken up again tells again what it told before."""
    found: list[object] = []
    for remark in node.remarks:
        if isinstance(remark, (Decided, Noted)) and remark not in found:
            found.append(remark)
    return found


def _runner(nodes: Sequence[NodeView], path: tuple[str, ...]) -> NodeView | None:
    """The first node, from the one that decided on, that opened the agents of the path in their
    order, all of them or as far as it came."""
    for node in nodes:
        opened = _opened(node)
        if node.scope == nodes[0].scope and opened and opened == path[: len(opened)]:
            return node
    return None


def _opened(node: NodeView) -> tuple[str, ...]:
    by_effect = {each.id: each.payload["graph"] for each in node.attempts if each.kind == "graph"}
    return tuple(by_effect.values())


def _well(node: NodeView, path: tuple[str, ...]) -> bool:
    last = {each.id: each for each in node.attempts if each.kind == "graph"}
    ended = [each.answered_at is not None and each.error is None for each in last.values()]
    return all(ended) and _opened(node) == path


def _copied(run: Run) -> frozenset[str]:
    """Nodes in whose inner workflows something was answered by another run."""
    found: list[str] = []
    for event in run.events:
        if isinstance(event, EffectAnswered) and event.reused is not None:
            scope = event.id.rpartition("/")[0]
            while scope:
                opener = scope.rpartition("#")[0]
                found.append(opener)
                scope = opener.rpartition("/")[0]
    return frozenset(found)


def _note(remark: object) -> Tried | None:
    """Anybody may note anything: what is no such note is none."""
    if not isinstance(remark, Noted) or remark.kind != TRIED:
        return None
    try:
        return msgspec.convert(remark.data, Tried)
    except msgspec.ValidationError:
        return None


def _decision(remark: object) -> _Decision | None:
    if not isinstance(remark, Decided):
        return None
    try:
        return msgspec.convert(remark.value, _Decision)
    except msgspec.ValidationError:
        return None
