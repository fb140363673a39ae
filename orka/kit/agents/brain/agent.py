"""The agent type `brain`: one of eight operations on a payload."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Literal

import msgspec

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.view import text_of
from orka.kit.agents.brain.episodes import recall_episodes, record_episode
from orka.kit.agents.brain.payload import Payload, payload_of
from orka.kit.agents.brain.shelf import Shelf
from orka.kit.agents.brain.skills import (
    feedback,
    learn,
    learn_anti,
    learn_path,
    learn_recipe,
    recall,
)
from orka.value import Json, canonical

_OPERATIONS: Mapping[str, Callable[[Context, Payload, Shelf], Awaitable[dict[str, Json]]]] = {
    "learn": learn,
    "recall": recall,
    "feedback": feedback,
    "learn_recipe": learn_recipe,
    "learn_anti": learn_anti,
    "learn_path": learn_path,
    "record_episode": record_episode,
    "recall_episodes": recall_episodes,
}


class BrainOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` gives the payload, a JSON map or a text; without it, the run's input. Skills are
    kept under `namespace`/skills, episodes under `namespace`/episodes."""

    operation: Literal[
        "learn",
        "recall",
        "feedback",
        "learn_recipe",
        "learn_anti",
        "learn_path",
        "record_episode",
        "recall_episodes",
    ] = "learn"
    prompt: str = ""
    namespace: str = "brain"
    user: str = ""


@agent("brain", config=BrainOptions, templates=("prompt", "namespace", "user"), version="1")
async def brain(ctx: Context) -> Json:
    """Learn from a task, or recall what was learned."""
    options: BrainOptions = ctx.config
    given = await payload_of(ctx, ctx.render("prompt") if options.prompt else _input(ctx))
    shelf = Shelf(ctx, ctx.render("namespace"), ctx.render("user"))
    output = await _OPERATIONS[options.operation](ctx, given, shelf)
    if given.unread:
        unread = list(dict.fromkeys(given.unread))
        await ctx.note("brain.unread", f"taken as unknown: {'; '.join(unread)}", unread)
    return output


def _input(ctx: Context) -> str:
    given = ctx.input
    if isinstance(given, Mapping):
        return canonical(given).decode()
    return text_of(given)
