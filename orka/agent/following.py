"""Running a chosen path, agent by agent; and, if one fails, the next path of the shortlist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Literal

import msgspec

from orka.agent.context import Context
from orka.errors import AgentError, EffectFailed
from orka.value import Json

TRIED = "path_tried"
# A person said no. That is no fault to find a way around.
DENIED = "approval.denied"
OnFailure = Literal["continue", "restart", "stop"]
Path = tuple[str, ...]


class Following(msgspec.Struct, frozen=True, kw_only=True):
    """What was run: the `path` that came to its end, its outputs by id, and the paths that were
    given up before it, each with the agent that failed and why."""

    path: Path
    results: dict[str, Json]
    given_up: list[dict[str, Json]]

    @property
    def last(self) -> Json:
        """What the last agent gave."""
        return self.results[self.path[-1]] if self.path else None


async def follow(
    ctx: Context,
    paths: Sequence[Path],
    given: Json,
    on_failure: OnFailure,
    about: Mapping[str, Json] | None = None,
) -> Following:
    """Run the first of `paths` whose agents all end well. Each agent sees what the node sees, and
    what those before it on the path gave.

    After a failure, `continue` takes over the outputs of the agents with which the next path
    begins as well; `restart` runs its agents anew, but an effect that succeeded is not repeated:
    its answer stands; `stop` tries no other, and nothing is tried after a person's no. A path that
    begins with what failed is passed over. Each try is noted as `path_tried`, with `about` in its
    data.

    Raises `AgentError` (`path.failed`) if none does.
    """
    given_up: list[dict[str, Json]] = []
    kept: list[dict[str, Json]] = []
    cause: EffectFailed | None = None
    for number, path in enumerate(paths, 1):
        if (hopeless := _hopeless(path, given_up)) is not None:
            await _passed_over(ctx, path, hopeless)
            continue
        before = _common(path, kept) if on_failure == "continue" else {}
        done, failed = await _run(ctx, path, given, before, number)
        data: dict[str, Json] = {"path": list(path), "ok": failed is None, **(about or {})}
        if failed is None:
            await ctx.note(TRIED, f"{' → '.join(path)}: done", data)
            return Following(path=path, results=done, given_up=given_up)
        cause, agent = failed, path[len(done)]
        kept.append(done)
        gone = {"agent": agent, "code": failed.code, "message": failed.what}
        given_up.append({"path": list(path), **gone})
        told = f"{' → '.join(path)}: {agent} failed: {failed.what}"
        await ctx.note(TRIED, told, {**data, "failed": agent, "code": failed.code})
        if on_failure == "stop" or failed.code == DENIED:
            break
    raise _failed(ctx, given_up) from cause


async def _passed_over(ctx: Context, path: Path, hopeless: str) -> None:
    told = f"{' → '.join(path)}: passed over, since it begins like one that failed: {hopeless}"
    await ctx.note("path_passed_over", told)


async def _run(
    ctx: Context, path: Path, given: Json, before: Mapping[str, Json], number: int
) -> tuple[dict[str, Json], EffectFailed | None]:
    """The outputs of a path's agents up to the end, or up to a failure."""
    results = dict(before)
    for id in path:
        if id in results:
            continue
        try:
            results[id] = await ctx.graph(id, given, outputs=results, once=number)
        except EffectFailed as error:
            return results, error
    return results, None


def _common(path: Path, kept: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The outputs of the agents with which a path begins as well as one that was run before it: of
    the most there are."""
    found: dict[str, Json] = {}
    for results in kept:
        pairs = takewhile(_same, zip(path, results, strict=False))
        shared = {id: results[id] for id, _ in pairs}
        found = shared if len(shared) > len(found) else found
    return found


def _same(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _hopeless(path: Path, given_up: Sequence[Mapping[str, Json]]) -> str | None:
    """The beginning that a path shares with one that failed there."""
    for each in given_up:
        tried: list[str] = each["path"]
        beginning = tried[: tried.index(each["agent"]) + 1]
        if list(path[: len(beginning)]) == beginning:
            return " → ".join(beginning)
    return None


def _failed(ctx: Context, given_up: Sequence[Mapping[str, Json]]) -> AgentError:
    told = "; ".join(
        f"{' → '.join(each['path'])}: {each['agent']}: {each['message']} [{each['code']}]"
        for each in given_up
    )
    return AgentError(
        f"no path of {ctx.node!r} came to its end: {told}",
        code="path.failed",
        fix="look at the first cause; `orka why` shows the shortlist",
    )
