"""`graph-scout`: lets a model propose a path through the agents that nothing else leads to."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, model_problem, model_shape, sense
from orka.agent.sensor.options import VIOLATION
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.value import Json, canonical

# Types that lead to other agents instead of doing work.
_CONTROL = ("router", "fork", "join", "loop", "graph-scout", "path_executor")
# Types that give an answer of a model.
_ASKING = ("llm", "yes_no", "classify")
# What an agent that gives the answer says it can do.
_ANSWERING = ("answer_emit", "response_generation")
_TOLD = 200


class ScoutParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """With `require_terminal` a path ends with an agent that answers: one of `terminal_agents`, or
    one whose own options say so, or the last of the file that asks a model."""

    max_depth: int | None = None
    require_terminal: bool = False
    terminal_agents: list[str] = []
    fallback_to_heuristics: bool = False


class GraphScoutOptions(ModelOptions, frozen=True, kw_only=True):
    """`prompt` is the task, by default the run's input; `model` proposes a path of at most
    `max_depth` agents. `params.max_depth` counts more."""

    prompt: str = "{{ input }}"
    max_depth: int = 2
    params: ScoutParams = ScoutParams()

    @property
    def depth(self) -> int:
        """The most agents a path may have."""
        return self.max_depth if self.params.max_depth is None else self.params.max_depth


def _check(options: GraphScoutOptions) -> str:
    if options.depth < 1:
        return "`max_depth` must be 1 or more"
    return model_problem(options)


def _shape(options: GraphScoutOptions) -> Shape:
    return msgspec.structs.replace(model_shape(options), pool=True)


@agent(
    "graph-scout",
    config=GraphScoutOptions,
    templates=("prompt",),
    shape=_shape,
    check=_check,
    version="1",
)
async def graph_scout(ctx: Context) -> Json:
    """Give `decision` (commit_next, commit_path, or human_gate when no agent fits), `target`,
    `path`, `reasoning` and the `candidates`, which are not scored.

    Fails with `scout.no_candidates`, `scout.unknown_agent`, and with `sensor.violation` if the
    model's path is none; with `fallback_to_heuristics` the order of the file decides then."""
    options: GraphScoutOptions = ctx.config
    pool = {id: each for id, each in ctx.pool.items() if each["type"] not in _CONTROL}
    if not pool:
        raise AgentError(
            f"{ctx.node!r} has no agent to propose",
            code="scout.no_candidates",
            fix="define agents that are in no list, route or branch: they are the candidates",
        )
    _known(ctx)
    contract = Contract(schema=_schema(list(pool), options.depth), coerce=options.coerce)
    try:
        answer = await sense(ctx, _messages(ctx, pool, options.depth), options, contract)
    except AgentError as error:
        if error.code != VIOLATION or not options.params.fallback_to_heuristics:
            raise
        answer = {"path": _by_order(pool, options.depth), "reasoning": f"by order: {error.what}"}
        await ctx.note("scout.fallback", error.what, {"path": answer["path"]})
    path = await _ended(ctx, answer["path"], pool)
    candidates = [{"id": id, "type": pool[id]["type"], "score": None} for id in pool]
    return {**_decision(path), "reasoning": answer["reasoning"], "status": "success"} | {
        "candidates": candidates,
        "scored": False,
    }


def _known(ctx: Context) -> None:
    for id in ctx.config.params.terminal_agents:
        if id not in ctx.pool:
            raise AgentError(
                f"{ctx.node!r} names {id!r} in `terminal_agents`, and has no such candidate",
                code="scout.unknown_agent",
                fix=f"the candidates are: {', '.join(ctx.pool)}",
            )


async def _ended(ctx: Context, path: list[Json], pool: Mapping[str, Json]) -> list[Json]:
    """The path with an agent that answers at its end, if `require_terminal` asks for one. One that
    is added to a path of full length takes the place of its last agent."""
    ends = _terminal(ctx, pool)
    if not path or not ends or path[-1] in ends:
        return path
    last = next((id for id in reversed(path) if id in ends), ends[-1])
    before = [id for id in path if id != last]
    whole = [*before[: ctx.config.depth - 1], last]
    what = f"{last!r} gives the answer: it is the end"
    if len(whole) <= len(before):
        what += f", in place of {before[-1]!r}"
    await ctx.note("scout.terminal", what, {"path": whole})
    return whole


def _terminal(ctx: Context, pool: Mapping[str, Json]) -> list[str]:
    """The agents that a path may end with, in the order of the file."""
    params: ScoutParams = ctx.config.params
    if not params.require_terminal:
        return []
    named = [id for id in pool if id in params.terminal_agents]
    declared = named or [id for id, each in pool.items() if _answers(each["options"])]
    return declared or _asking(pool)[-1:]


def _answers(options: Mapping[str, Json]) -> bool:
    able = options.get("capabilities")
    can = isinstance(able, list) and any(one in _ANSWERING for one in able)
    return can or options.get("is_terminal") is True


def _asking(pool: Mapping[str, Json]) -> list[str]:
    return [id for id, each in pool.items() if each["type"] in _ASKING]


def _by_order(pool: Mapping[str, Json], depth: int) -> list[Json]:
    """The first agents of the file that only look, and at the end the last that asks a model."""
    writing = [id for id, each in pool.items() if each["options"].get("operation") == "write"]
    last = _asking(pool)[-1:]
    first = [id for id in pool if id not in (*writing, *last)]
    return [*first[: depth - len(last)], *last]


def _decision(path: list[Json]) -> dict[str, Json]:
    if not path:
        return {"decision": "human_gate", "target": None, "path": []}
    if len(path) == 1:
        return {"decision": "commit_next", "target": path[0], "path": path}
    return {"decision": "commit_path", "target": path, "path": path}


def _schema(ids: list[str], depth: int) -> Json:
    return {
        "type": "object",
        "required": ["path", "reasoning"],
        "additionalProperties": False,
        "properties": {
            "path": {
                "type": "array",
                "items": {"type": "string", "enum": ids},
                "maxItems": depth,
                "uniqueItems": True,
            },
            "reasoning": {"type": "string"},
        },
    }


def _messages(ctx: Context, pool: Mapping[str, Json], depth: int) -> list[dict[str, str]]:
    listed = "\n".join(f"- {id} ({each['type']}){_about(each)}" for id, each in pool.items())
    rules = (
        "Choose the agents that should run for the task, in order. Each gets what those before it "
        f"gave. Take at most {depth}, only from this list, each at most once; an empty list if "
        f"none can help. {_end(ctx, pool)}Say why in `reasoning`.\n\nAgents:\n{listed}"
    )
    return [
        {"role": "system", "content": rules},
        {"role": "user", "content": text_of(ctx.render("prompt"))},
    ]


def _end(ctx: Context, pool: Mapping[str, Json]) -> str:
    ends = _terminal(ctx, pool)
    return f"The last one gives the answer; it is one of: {', '.join(ends)}. " if ends else ""


def _about(each: Mapping[str, Json]) -> str:
    """What an agent is for, as far as its options say."""
    options = each["options"]
    told = options.get("description") or options.get("prompt") or options.get("tool") or ""
    able = options.get("capabilities")
    words = f" [{', '.join(str(one) for one in able)}]" if isinstance(able, list) else ""
    text = " ".join(told.split()) if isinstance(told, str) else canonical(told).decode()
    return words + (f": {text[:_TOLD]}" if text else "")
