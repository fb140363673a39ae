"""`path_executor`: runs the agents of a path that an earlier agent decided on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.following import DENIED, OnFailure, follow
from orka.agent.view import MISSING, field
from orka.errors import AgentError, EffectFailed
from orka.value import Json, parse

# Decisions that hold a path, and the one that means its first step only.
_WHOLE, _FIRST = ("commit_path", "shortlist", "fallback"), "commit_next"
# Where the path of a decision stands, and what an output may be wrapped in.
_PATHS = ("path", "validated_path", "target")
_WRAPPERS = ("response", "result", "payload", "output", "merged")
_STEP = ("node_id", "id", "agent")
_SCORES = ("score", "final_score")


class PathExecutorOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`path_source` is the output that holds the path, or a dotted path into it. `input_source`
    is what the agents get as input; without it, the run's.

    An agent that fails is passed over (`on_agent_failure: continue`) or ends the path (`abort`); a
    person's no always ends it.
    With `on_path_failure` the first failure gives the path up, and the next one of the shortlist is
    run: from the agents that both begin with (`continue`) or from its first agent (`restart`)."""

    path_source: str = "validated_path"
    on_agent_failure: Literal["continue", "abort"] = "continue"
    on_path_failure: OnFailure = "stop"
    input_source: str = ""


@agent(
    "path_executor",
    config=PathExecutorOptions,
    shape=lambda options: Shape(pool=True, answers=True),
    version="1",
)
async def path_executor(ctx: Context) -> Json:
    """Run the agents of the path, one after another; each sees what those before it gave. Gives
    `executed_path`, `results` by id, `status` (success or partial) and, if some failed, `errors`;
    with `on_path_failure` also the paths that were `given_up`.

    Fails with `path.missing`, `path.none`, `path.unknown_agent`, or `path.failed` if no agent
    of the path succeeded."""
    options: PathExecutorOptions = ctx.config
    plan = _planned(_at(ctx, options.path_source), options.path_source, frozenset(ctx.pool))
    given = _at(ctx, options.input_source) if options.input_source else ctx.input
    _known(ctx, plan.steps)
    if options.on_path_failure == "stop":
        return await _through(ctx, plan.steps, given)
    paths = [tuple(plan.steps), *(tuple(path) for path in plan.others)]
    for path in paths[1:]:
        _known(ctx, path)
    run = await follow(ctx, paths, given, options.on_path_failure)
    told = {"executed_path": list(run.path), "results": run.results, "status": "success"}
    return {**told, "given_up": run.given_up}


async def _through(ctx: Context, path: Sequence[Json], given: Json) -> dict[str, Json]:
    """All agents of a path, as far as `on_agent_failure` lets it go on."""
    results: dict[str, Json] = {}
    executed: list[str] = []
    errors: list[dict[str, Json]] = []
    for id in path:
        executed.append(id)
        try:
            results[id] = await ctx.graph(id, given, outputs=results)
        except EffectFailed as error:
            failed = {"agent": id, "code": error.code, "message": error.what}
            errors.append(failed)
            await ctx.note("path_step_failed", f"{id}: {error.what}", failed)
            if ctx.config.on_agent_failure == "abort" or error.code == DENIED:
                break
    if not results:
        raise _failed(ctx.node, errors)
    told: dict[str, Json] = {"executed_path": executed, "results": results}
    if errors:
        return {**told, "status": "partial", "errors": errors}
    return {**told, "status": "success"}


def _at(ctx: Context, source: str) -> Json:
    """The value at a dotted path into the outputs. The longest id that fits is taken."""
    parts = source.split(".")
    for count in range(len(parts), 0, -1):
        id = ".".join(parts[:count])
        if id in ctx.outputs:
            return _below(ctx.outputs[id], parts[count:], source)
    raise _missing(source, f"outputs here: {', '.join(ctx.outputs) or 'none'}")


def _below(value: Json, keys: Sequence[str], source: str) -> Json:
    for key in keys:
        found = field(_read(value), key)
        if found is MISSING:
            keys = list(value) if isinstance(value, Mapping) else []
            raise _missing(source, f"{key!r} is not there; there is: {', '.join(keys) or 'none'}")
        value = found
    return value


def _read(value: Json) -> Json:
    """Text that is a JSON object or list is read as one."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return parse(value)
        except ValueError:
            return value
    return value


class Plan(msgspec.Struct, frozen=True):
    """What was found: the ids in order, the decision they stand under, if any, and the other paths
    of its shortlist."""

    steps: list[Json]
    decision: str = ""
    others: list[list[Json]] = []


def _planned(value: Json, source: str, pool: frozenset[str]) -> Plan:
    plan = _plan(value, source, pool)
    if plan is None:
        raise _none(source, "no list of agents is in it")
    if plan.decision not in ("", _FIRST, *_WHOLE):
        raise _none(source, f"its decision is {plan.decision!r}, which leads to no agent")
    if not plan.steps:
        raise _none(source, "it is empty")
    return msgspec.structs.replace(plan, steps=plan.steps[:1]) if plan.decision == _FIRST else plan


def _plan(value: Json, source: str, pool: frozenset[str]) -> Plan | None:
    """The plan in an output. A decision counts for the path it stands beside or above."""
    value = _read(value)
    if not isinstance(value, Mapping):
        return Plan(_steps(value)) if _steps(value) else None
    decision = value["decision"] if isinstance(value.get("decision"), str) else ""
    for key in _PATHS:
        if key in value and (decision or _steps(_read(value[key]))):
            steps = _steps(_read(value[key]))
            return Plan(steps, decision, _others(value, steps))
    inner = _inner(value, source, pool)
    return Plan(inner.steps, inner.decision or decision, inner.others) if inner else None


def _others(value: Mapping[str, Json], steps: list[Json]) -> list[list[Json]]:
    """The paths of a shortlist, the chosen one left out."""
    held = value.get("shortlist")
    listed = [_steps(each) for each in held] if isinstance(held, list) else []
    return [path for path in listed if path and path != steps]


def _inner(value: Mapping[str, Json], source: str, pool: frozenset[str]) -> Plan | None:
    """The one plan in a wrapper, or in the outputs that a map holds. Among several, a decision and
    a list of agents that can run count more than a text that may be one."""
    wrapped = [value[key] for key in _WRAPPERS if key in value]
    among = wrapped or [inner for inner in value.values() if isinstance(_read(inner), Mapping)]
    found = [plan for plan in (_plan(inner, source, pool) for inner in among) if plan]
    if any(plan != found[0] for plan in found):
        found = [plan for plan in found if plan.decision or _runs(plan, pool)] or found
    if any(plan != found[0] for plan in found):
        raise _none(source, "it holds several; name the one that is meant")
    return found[0] if found else None


def _runs(plan: Plan, pool: frozenset[str]) -> bool:
    return all(isinstance(step, str) and step in pool for step in plan.steps)


def _steps(value: Json) -> list[Json]:
    """The ids of a path: text, a list of ids or steps, a candidate, or the best of several."""
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, Mapping):
        return _steps(value.get("path")) or _step(value)
    if not isinstance(value, list):
        return []
    candidates = [item for item in value if isinstance(item, Mapping) and item.get("path")]
    if candidates and len(candidates) == len(value):
        return _steps(_best(candidates)["path"])
    return [id for item in value for id in (_step(item) if isinstance(item, Mapping) else [item])]


def _step(value: Mapping[str, Json]) -> list[Json]:
    return next(([value[key]] for key in _STEP if isinstance(value.get(key), str)), [])


def _best(candidates: Sequence[Mapping[str, Json]]) -> Mapping[str, Json]:
    """The candidate with the highest score, or the first one if not all have one."""
    for key in _SCORES:
        scores = [candidate.get(key) for candidate in candidates]
        if all(isinstance(score, (int, float)) and not isinstance(score, bool) for score in scores):
            return max(candidates, key=lambda candidate: candidate[key])
    return candidates[0]


def _known(ctx: Context, path: Sequence[Json]) -> None:
    unknown = [id for id in path if not isinstance(id, str) or id not in ctx.pool]
    if unknown:
        raise AgentError(
            f"the path of {ctx.node!r} names {', '.join(repr(id) for id in unknown)}, which it "
            f"cannot run; it can run: {', '.join(ctx.pool) or 'none'}",
            code="path.unknown_agent",
            fix="name agents of this file that nothing else leads to",
        )


def _failed(node: str, errors: Sequence[Mapping[str, Json]]) -> AgentError:
    told = "; ".join(f"{error['agent']}: {error['message']} [{error['code']}]" for error in errors)
    return AgentError(
        f"no agent of the path of {node!r} succeeded: {told}",
        code="path.failed",
        fix="look at the first cause",
    )


def _missing(source: str, found: str) -> AgentError:
    return AgentError(
        f"there is no output at `path_source` or `input_source` {source!r}",
        code="path.missing",
        fix=found,
    )


def _none(source: str, why: str) -> AgentError:
    return AgentError(
        f"{source!r} holds no path: {why}",
        code="path.none",
        fix="let it give a list of agent ids, or a decision with `target` or `path`",
    )
