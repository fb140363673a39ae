"""`failover`: asks its children in order until one answers."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError, EffectFailed, Failure
from orka.value import Json

# The word with which a child says that it has nothing.
_NOTHING = "NONE"
# Where the answer of a map stands.
_ANSWERS = ("response", "result")


class FailoverOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`children` are agents of its own, asked in order, once each; their `retries` are theirs.
    With `report` the output says which child answered."""

    children: list[dict[str, Json]]
    report: bool = False


def _check(options: FailoverOptions) -> str:
    if not options.children:
        return "`children` is empty: there is nobody to ask"
    ids = [child.get("id") for child in options.children]
    twice = next((id for at, id in enumerate(ids) if id in ids[:at]), None)
    return f"two children are called {twice!r}" if twice is not None else ""


@agent(
    "failover",
    config=FailoverOptions,
    shape=lambda options: Shape(children="children"),
    check=_check,
    version="1",
)
async def failover(ctx: Context) -> Json:
    """Give the output of the first child that succeeds and is not empty. Fails with
    `failover.exhausted`, which names each child and its cause, if none does; a resume asks the last
    one that failed again."""
    options: FailoverOptions = ctx.config
    causes: list[str] = []
    failed: EffectFailed | None = None
    for child in (str(each["id"]) for each in options.children):
        try:
            output = await ctx.graph(child, ctx.input)
        except EffectFailed as error:
            failed = error
            cause, data = _told(error.cause), {"code": error.cause.code}
        else:
            if not _empty(output):
                return _report(child, output) if options.report else output
            cause, data = "empty answer", {"output": output}
        causes.append(f"{child}: {cause}")
        await ctx.note("failover", causes[-1], {"child": child, **data})
    raise _exhausted(ctx.node, causes) from failed


def _report(child: str, output: Json) -> Json:
    return {"result": output, "successful_child": child, child: output}


def _told(failure: Failure) -> str:
    return f"{failure.message} [{failure.code}]"


def _exhausted(node: str, causes: Sequence[str]) -> AgentError:
    return AgentError(
        f"every child of {node!r} was given up: {'; '.join(causes)}",
        code="failover.exhausted",
        fix="look at the first cause; add `retries` to a child, another child, or an `on_error`",
    )


def _empty(output: Json) -> bool:
    """Whether an output holds no answer. Zero and false are answers."""
    if isinstance(output, str):
        return output.strip() == _NOTHING or all(_unseen(sign) for sign in output)
    if isinstance(output, Mapping):
        held = [output[key] for key in _ANSWERS if key in output]
        return all(_empty(value) for value in held) if held else not output
    return output is None or output == []


def _unseen(sign: str) -> bool:
    return sign.isspace() or unicodedata.category(sign) in ("Cf", "Cc")
