"""`invariant_validator`: checks what must hold of the run so far. The facts come from the trace."""

from __future__ import annotations

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.errors import AgentError
from orka.score.execution import facts_of, observed
from orka.score.invariants import Facts, Rules, report
from orka.value import Json, parse

_MARK = "EXECUTION_DATA_JSON:"


class InvariantParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options under `params`, as older files have them."""

    max_depth: int | None = None
    allow_reentrant_nodes: list[str] = []
    strict_tool_errors: bool = False
    execution_data: dict[str, Json] | str | None = None


class InvariantOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`max_depth` bounds the nodes that ran, and proposed paths. `execution_data` are facts that
    count instead of those of the trace."""

    max_depth: int | None = None
    allow_reentrant_nodes: list[str] = []
    strict_tool_errors: bool = False
    execution_data: dict[str, Json] | str | None = None
    params: InvariantParams = InvariantParams()


def _check(options: InvariantOptions) -> str:
    most = _rules(options).max_depth
    return "`max_depth` must be 1 or more" if most is not None and most < 1 else ""


@agent(
    "invariant_validator",
    config=InvariantOptions,
    templates=("execution_data",),
    check=_check,
    version="1",
)
async def invariant_validator(ctx: Context) -> Json:
    """Give each category with its violations, and whether one of them is critical. Raises
    `AgentError` for written data that are no facts; of empty ones nothing can be told."""
    options: InvariantOptions = ctx.config
    own = options.execution_data is not None
    data = ctx.render("execution_data") if own else options.params.execution_data
    if not own and data is None:
        return report(observed(ctx.settled(), ctx.outputs), _rules(options))
    data = _unmarked(data)
    if data:
        facts = _written(ctx, data)
        said = "the facts are those of `execution_data`, not those of the trace"
        await ctx.note("invariants.given", said, {"data": data})
    else:
        facts = facts_of({})
        await ctx.note("invariants.empty", "`execution_data` is empty: nothing can be told", None)
    return report(facts, _rules(options))


def _rules(options: InvariantOptions) -> Rules:
    older = options.params
    return Rules(
        max_depth=older.max_depth if options.max_depth is None else options.max_depth,
        allow_reentrant_nodes=[*options.allow_reentrant_nodes, *older.allow_reentrant_nodes],
        strict_tool_errors=options.strict_tool_errors or older.strict_tool_errors,
    )


def _unmarked(data: Json) -> Json:
    """A text without the blanks around it and the mark that older files put before the data."""
    return data.rpartition(_MARK)[2].strip() if isinstance(data, str) else data


def _written(ctx: Context, data: Json) -> Facts:
    try:
        if isinstance(data, str):
            data = parse(data)
        return facts_of(data)
    except (ValueError, msgspec.ValidationError) as error:
        raise AgentError(
            f"the `execution_data` of {ctx.node!r} are no facts: {error}",
            code="judge.data",
            fix="remove it, and the facts come from the trace; or see docs/language.md",
        ) from None
