"""What agents hand over, as JSON: questions before they are recorded, and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    elif effect.kind in _FORMS and not _FORMS[effect.kind](value):
        raise AgentError(
            f"agent {node.id!r} asks for {effect.kind!r} in a form that it does not have",
            fix=f"ask with ctx.{effect.kind}(…), which makes it",
        )
    return value


def _is_call(value: Json) -> bool:
    """A call of a tool is its name and its arguments: nothing else can be judged."""
    known = isinstance(value, dict) and value.keys() == {"name", "args"}
    return known and isinstance(value["name"], str) and isinstance(value["args"], dict)


def _is_prompt(value: Json) -> bool:
    messages = value.get("messages") if isinstance(value, dict) else None
    return isinstance(messages, list) and all(isinstance(each, dict) for each in messages)


def _is_question(value: Json) -> bool:
    """What only the run itself puts into a question (a `call`, a seal, the end of the time) cannot
    be put there by an agent."""
    if not isinstance(value, dict) or not _QUESTION.keys() >= value.keys():
        return False
    return all(_QUESTION[key](item) for key, item in value.items()) and "prompt" in value


def _are_names(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_QUESTION: Mapping[str, Callable[[Json], bool]] = {
    "prompt": lambda value: isinstance(value, str),
    "schema": lambda value: value is None or isinstance(value, dict),
    "seal": lambda value: value == "",
    "show": lambda value: True,
    "approvers": _are_names,
    "within": lambda value: type(value) in (int, float),
}
_FORMS: Mapping[str, Callable[[Json], bool]] = {
    "tool": _is_call,
    "llm": _is_prompt,
    "ask": _is_question,
}


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
