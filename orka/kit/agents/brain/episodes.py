"""Recording and recalling episodes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.context import Context
from orka.kit.agents.brain.payload import Payload
from orka.kit.agents.brain.shelf import Shelf
from orka.score.episode import Episode, Relevance, relevance, told
from orka.value import Json

TOP_K, MIN_SCORE, MOST_TOKENS = 5, 0.2, 1500
# How many times `top_k` are looked at, by words and by domain.
WIDER = 3


async def record_episode(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """What happened, under an id that says where it was recorded."""
    task = given.text("task_input", "task", "input", "response")
    if not task:
        nothing = "nothing recorded: the episode has no task"
        return {"recorded": False, "response": nothing, "confidence": None}
    episode = Episode(
        task=task,
        domain=given.text("domain"),
        response=given.text("response"),
        model=given.text("model"),
        strategy=given.text("strategy"),
        agents=given.texts("agents"),
        success=given.truth("success"),
        quality=given.share("quality"),
        outcome_summary=given.text("outcome_summary"),
        what_worked=given.texts("what_worked"),
        what_failed=given.texts("what_failed"),
        lessons=given.texts("lessons"),
        failure_analysis=given.text("failure_analysis"),
        tokens_used=_whole(given.amount("tokens_used")),
        latency_ms=given.amount("latency_ms"),
    )
    key = "/".join(part for part in (ctx.run, ctx.scope, ctx.node) if part)
    metadata = {"domain": episode.domain, "episode": msgspec.to_builtins(episode)}
    await shelf.keep_episode(key, episode.text, metadata)
    return {
        "recorded": True,
        "response": f"episode recorded: {episode.outcome_summary or episode.task}",
        "confidence": episode.quality,
        "episode_id": key,
        "episode_domain": episode.domain,
        "episode_success": episode.success,
    }


async def recall_episodes(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """The episodes that say most about a task, as data and as text for a prompt."""
    task, domain = given.text("task_input", "task", "input", "response"), given.text("domain")
    most, least = given.count("top_k", TOP_K), given.share("min_score")
    entries, now = await _candidates(given, shelf, task, domain, most * WIDER)
    found = []
    for key, entry in entries.items():
        episode = msgspec.convert(entry["metadata"]["episode"], Episode)
        if episode.success is False and given.truth("include_failures") is False:
            continue
        age = now - entry["created_at"]
        relevant = relevance(episode, age=age, task=task, domain=domain)
        if relevant.combined >= (MIN_SCORE if least is None else least):
            found.append((key, episode, age, relevant))
    found.sort(key=lambda each: -each[3].combined)
    found = found[:most]
    text = told(
        [(episode, age) for _, episode, age, _ in found], given.count("max_tokens", MOST_TOKENS)
    )
    return {
        "response": text,
        "confidence": found[0][3].combined if found else None,
        "episode_count": len(found),
        "episodes": [_shown(key, episode, relevant) for key, episode, _, relevant in found],
    }


async def _candidates(
    given: Payload, shelf: Shelf, task: str, domain: str, limit: int
) -> tuple[dict[str, Json], float]:
    """Those with words of the task and the newest, of the domain if one is asked for."""
    only = given.text("domain_filter")
    filters = {"domain": only} if only else {}
    named, now = await shelf.episodes(text=task, limit=limit, filters=filters)
    near = filters or ({"domain": domain} if domain else {})
    newest, _ = await shelf.episodes(limit=limit, filters=near)
    if not named and not newest:
        newest, _ = await shelf.episodes(limit=limit, filters=filters)
    return {entry["key"]: entry for entry in (*named, *newest)}, now


def _shown(key: str, episode: Episode, relevant: Relevance) -> Mapping[str, Json]:
    return {
        "episode_id": key,
        "semantic_score": relevant.semantic,
        "recency_score": relevant.recency,
        "domain_score": relevant.domain,
        "outcome_relevance": relevant.outcome,
        "combined_score": relevant.combined,
        "task_domain": episode.domain,
        "success": episode.success,
        "lessons": list(episode.lessons),
    }


def _whole(amount: float | None) -> int | None:
    return None if amount is None else int(amount)
