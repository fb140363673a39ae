"""Paths that an agent's options name: `input.case.message`, `outputs.fetch.items`."""

from __future__ import annotations

from orka.agent.context import Context
from orka.agent.view import MISSING, field
from orka.errors import AgentError
from orka.value import Json

OUTPUTS = ("outputs", "previous_outputs")
ROOTS = ("input", *OUTPUTS)


def rooted(path: str) -> bool:
    """True for a path that begins with the input or the outputs."""
    return path.split(".")[0] in ROOTS


def referred(ctx: Context, path: str) -> Json:
    """What stands at a path in the input or the outputs. Raises `AgentError` (`agent.value`) if
    nothing does."""
    root, *keys = path.split(".")
    value: Json = ctx.input if root == "input" else dict(ctx.outputs)
    for place, key in enumerate(keys):
        whole = place == 0 and root != "input"
        found = value.get(key, MISSING) if whole else field(value, key)
        if found is MISSING:
            raise AgentError(
                f"{ctx.node!r} looks at {path!r}, in which there is no {key!r}",
                code="agent.value",
                fix="correct the path, or let the node run behind the one that gives it",
            )
        value = found
    return value
