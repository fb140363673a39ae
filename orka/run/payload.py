"""What agents hand over, as JSON: questions before they are recorded, and outputs."""

from __future__ import annotations

from math import log

from orka.agent.effect import Effect, Remark
from orka.errors import AgentError, nearest
from orka.graph.graph import Node
from orka.run.scope import Asked
from orka.value import Json, canonical, identical, plain

# e to the power of this is beyond any limit; beyond 700 it is beyond floats.
_FAR = 300.0
# Bytes from which on an output that is an effect's answer is stored as its id.
_WORTH = 64


def payload_of(effect: Effect, node: Node) -> Json:
    """Raises `AgentError` for a question that cannot be recorded or makes no sense to ask."""
    value, notes = output_of(effect.payload)
    if notes:
        raise AgentError(f"an effect was asked with {'; '.join(notes)}", code="agent.not_json")
    if effect.kind == "graph":
        name = value["graph"]
        if not isinstance(name, str) or name not in node.inner:
            raise AgentError(
                f"agent {node.id!r} has no inner workflow {name!r}",
                fix=nearest(str(name), node.inner),
            )
        number = value.get("once", 1)
        if type(number) is not int or number < 1:
            raise AgentError(
                f"agent {node.id!r} opens a workflow with once={number!r}",
                fix="`once` is the number of a try: 1, 2, …",
            )
    elif effect.kind == "sleep" and type(value["seconds"]) not in (int, float):
        raise AgentError(
            f"agent {node.id!r} cannot sleep for {value['seconds']!r}",
            fix="ctx.sleep takes a number of seconds",
        )
    return value


def fields_of(remark: Remark) -> dict[str, Json]:
    """A remark as it is recorded. Raises `AgentError` for one that cannot be, and for a decision
    that would not be what the agent made it of."""
    value, notes = output_of(dict(remark.fields))
    if notes and remark.kind == "decided":
        raise AgentError(f"a decision was made of {'; '.join(notes)}", code="agent.not_json")
    found: dict[str, Json] = value
    if remark.kind == "quarantined" and not all(isinstance(text, str) for text in found["texts"]):
        raise AgentError("ctx.quarantine was given what is no text", code="agent.not_json")
    return found


def passed_on(value: Json, asked: Asked) -> bool:
    """True if an agent's output is the answer it got last, and large enough to be worth a word."""
    if not isinstance(value, (str, dict, list)) or not identical(value, asked.value):
        return False
    return len(value if isinstance(value, str) else canonical(value)) >= _WORTH


def output_of(value: object) -> tuple[Json, tuple[str, ...]]:
    """`value` as JSON, with notes on what had to be changed. Raises `AgentError` for one that
    cannot be recorded."""
    try:
        return plain(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise AgentError(f"a value cannot be recorded: {error}", code="agent.not_json") from None


def backoff(node: Node, retried: int) -> float:
    """Seconds before the next attempt: initial * factor ** retried, at most the limit."""
    initial, factor, limit = node.backoff
    if not initial or retried * log(max(factor, 1.0)) > _FAR:
        return limit if initial else 0.0
    return min(limit, initial * factor**retried)
