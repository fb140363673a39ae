"""One node of a run, whole: every question, every answer, every violation."""

from __future__ import annotations

import click

from orka.cli import words
from orka.cli.visible import visible
from orka.errors import InputError, nearest
from orka.event.event import Decided, Gated, Quarantined, Repaired, Violation
from orka.value import Json
from orka.view.run import Attempt, NodeView, RemarkEvent, Run


def node_text(run: Run, id: str) -> str:
    """The page of a node, named by its path, or by its id if that is the only one.

    Raises `InputError`.
    """
    found = [node for node in run.nodes if node.path == id] or [
        node for node in run.nodes if node.id == id
    ]
    if not found:
        raise InputError(
            f"run {run.id!r} has no node {id!r}",
            fix=nearest(id, dict.fromkeys(node.path for node in run.nodes)),
            code="input.no_node",
        )
    return "\n\n\n".join(_page(node) for node in found)


def _page(node: NodeView) -> str:
    ended = None if node.ended_at is None else node.ended_at - node.started_at
    parts = [
        f"{click.style(node.path, bold=True)}  {words.status(node.state)}  {words.duration(ended)}"
    ]
    parts += [_attempt(attempt) for attempt in node.attempts]
    parts += [_remark(remark) for remark in node.remarks]
    if node.failure:
        fix = f"\nto do: {node.failure.fix}" if node.failure.fix else ""
        parts.append(_part("failure", f"[{node.failure.code}] {node.failure.message}{fix}"))
    if node.state == "done":
        parts.append(_part("value", words.pretty(node.value)))
    if node.notes:
        parts.append(_part("notes", "\n".join(node.notes)))
    if node.taken is not None:
        parts.append(_part("leads to", ", ".join(node.taken) or "nothing"))
    return "\n\n".join(parts)


def _attempt(attempt: Attempt) -> str:
    took = None if attempt.answered_at is None else attempt.answered_at - attempt.asked_at
    reused = ", reused" if attempt.reused else ""
    head = f"{attempt.id}  {attempt.kind}, attempt {attempt.number}, {words.duration(took)}{reused}"
    return "\n\n".join([click.style(head, bold=True), *_question(attempt), *_answer(attempt)])


def _question(attempt: Attempt) -> list[str]:
    payload: Json = attempt.payload
    if not isinstance(payload, dict):
        return []
    messages = payload.get("messages", ())
    parts = [_part(message["role"], message["content"]) for message in messages]
    rest = {key: item for key, item in payload.items() if key != "messages" and item is not None}
    return [_part("asked", words.pretty(rest)), *parts] if rest else parts


def _answer(attempt: Attempt) -> list[str]:
    if attempt.error:
        return [_part("error", f"[{attempt.error.code}] {attempt.error.message}")]
    if attempt.answered_at is None:
        return [_part("answer", "none yet")]
    value: Json = attempt.value
    if attempt.kind != "llm":
        parts = [_part("answer", words.pretty(value))]
    else:
        rest = {key: item for key, item in value.items() if key != "text"}
        parts = [_part("answer", value["text"]), _part("beside it", words.pretty(rest))]
    return [*parts, _part("took", words.pretty(dict(attempt.spent)))] if attempt.spent else parts


def _remark(remark: RemarkEvent) -> str:
    match remark:
        case Violation():
            where = f" at {remark.where}" if remark.where else ""
            text = f"{remark.message}{where}\nraw text:\n{remark.raw}"
            return _part(f"violation in the answer to {remark.effect}", text)
        case Repaired():
            text = f"before: {words.pretty(remark.before)}\nafter: {words.pretty(remark.after)}"
            return _part(f"repaired: {remark.rule}", text)
        case Decided():
            return _part("decided", words.pretty(remark.value))
        case Quarantined():
            return _part(f"quarantined: {remark.why}", "\n".join(remark.texts))
        case Gated():
            text = f"{remark.tool}: {remark.reason}\nrule: {remark.rule}"
            return _part(f"the policy says {remark.verdict}", text)
    return _part(remark.kind, remark.message)


def _part(name: str, text: str) -> str:
    return f"  {click.style(name, fg='cyan')}\n    {visible(text, '    ')}"
