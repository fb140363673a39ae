"""What an agent reads: the output or input that its options name; else the only one that fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from orka.agent.context import Context
from orka.agent.view import MISSING, field
from orka.errors import AgentError
from orka.value import Json

INPUT = "input"
_HEADS = ("previous_outputs", "outputs")

Fits = Callable[[Json], bool]


def head_of(reference: str) -> str:
    """The id of the agent that a reference names; '' for the input."""
    first, _, rest = reference.partition(".")
    if first in _HEADS and rest:
        first = rest.partition(".")[0]
    return "" if first == INPUT else first


def heads(*references: str) -> tuple[str, ...]:
    """The agents that references name, each once: what an agent's shape says that it reads."""
    return tuple(dict.fromkeys(head for each in references if each and (head := head_of(each))))


def referred(ctx: Context, reference: str) -> Json:
    """What stands at a dotted path: `input.…`, or an agent's id and fields of its output. Raises
    `AgentError` that names the step which is missing."""
    steps = reference.split(".")
    if steps[0] in _HEADS and len(steps) > 1:
        steps = steps[1:]
    value: Json = ctx.input if steps[0] == INPUT else ctx.outputs.get(steps[0], MISSING)
    if value is MISSING:
        raise _lost(ctx, reference, f"{steps[0]!r} gave no output")
    for step in steps[1:]:
        found = field(value, step)
        if found is MISSING:
            known = ", ".join(sorted(value)[:12]) if isinstance(value, Mapping) else "no map"
            raise _lost(ctx, reference, f"there is no {step!r}; fields: {known}")
        value = found
    return value


def _lost(ctx: Context, reference: str, why: str) -> AgentError:
    return AgentError(
        f"{ctx.node!r} reads {reference!r}, and {why}",
        where=f"node {ctx.node!r}",
        fix="name an output as AGENT.field, or a part of the input as input.field",
        code="triage.reference",
    )


def of_type(ctx: Context, *types: str) -> str:
    """The id of the agent upstream of the first of `types` that any has; '' if none has. Raises
    `AgentError` for several of one type: which one is meant has to be said."""
    done = [node for node in ctx.settled() if node["status"] == "done"]
    for kind in types:
        ids = [str(node["id"]) for node in done if node["type"] == kind]
        if len(ids) > 1:
            raise _several(ctx, f"an output of type {kind}", ids)
        if ids:
            return ids[0]
    return ""


def with_fields(ctx: Context, names: Sequence[str], what: str, *, needed: bool = True) -> Json:
    """The only output upstream that has all these fields. Raises `AgentError` for several, and for
    none if it is `needed`; else gives None."""
    ids = [id for id, value in ctx.outputs.items() if has(value, names)]
    if len(ids) > 1:
        raise _several(ctx, what, ids)
    if ids:
        return ctx.outputs[ids[0]]
    if not needed:
        return None
    raise AgentError(
        f"{ctx.node!r} looks for {what} (fields {', '.join(names)}), and no output upstream has it",
        where=f"node {ctx.node!r}",
        fix="name it in the agent's options as AGENT or AGENT.field",
        code="triage.no_source",
    )


def has(value: Json, names: Sequence[str]) -> bool:
    """Whether an output is a map with all these fields."""
    return isinstance(value, Mapping) and all(field(value, name) is not MISSING for name in names)


def _several(ctx: Context, what: str, ids: Sequence[str]) -> AgentError:
    return AgentError(
        f"{ctx.node!r} looks for {what}, and {len(ids)} agents have it: {', '.join(ids)}",
        where=f"node {ctx.node!r}",
        fix="name the one that is meant in the agent's options",
        code="triage.ambiguous_source",
    )
