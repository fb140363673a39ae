"""An episode: what happened once, and how much it says about a task at hand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from orka.score.features import covered, weighed
from orka.score.number import PLACES

HALF_LIFE = 168 * 3600.0
CHARACTERS_PER_TOKEN = 4
_WEIGHTS = {"semantic": 0.5, "recency": 0.2, "domain": 0.2, "outcome": 0.1}
_MANY_LESSONS = 3
HEADER = "Past experience with similar tasks:"


class Episode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What happened. `success` and `quality` are None if nobody said."""

    task: str
    domain: str = ""
    response: str = ""
    model: str = ""
    strategy: str = ""
    agents: tuple[str, ...] = ()
    success: bool | None = None
    quality: float | None = None
    outcome_summary: str = ""
    what_worked: tuple[str, ...] = ()
    what_failed: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    failure_analysis: str = ""
    tokens_used: int | None = None
    latency_ms: float | None = None

    @property
    def text(self) -> str:
        """What it is about, in words."""
        told = (self.task, self.outcome_summary, *self.lessons, *self.what_failed)
        return " ".join(part for part in told if part)


class Relevance(msgspec.Struct, frozen=True, kw_only=True):
    """How much an episode says; components that are unknown add nothing."""

    combined: float
    semantic: float | None
    recency: float
    domain: float | None
    outcome: float | None


def relevance(episode: Episode, *, age: float, task: str, domain: str) -> Relevance:
    """Of an episode `age` seconds old, for `task` in `domain`."""
    parts: dict[str, float | None] = {
        "semantic": covered(task, episode.text),
        "recency": round(0.5 ** (max(age, 0.0) / HALF_LIFE), PLACES),
        "domain": float(episode.domain == domain) if domain and episode.domain else None,
        "outcome": _outcome(episode),
    }
    combined = weighed([(_WEIGHTS[name], value) for name, value in parts.items()])
    return Relevance(
        combined=combined or 0.0,
        semantic=parts["semantic"],
        recency=parts["recency"] or 0.0,
        domain=parts["domain"],
        outcome=parts["outcome"],
    )


def told(episodes: Sequence[tuple[Episode, float]], most_tokens: int) -> str:
    """Episodes with their age in seconds as text for a prompt, as many as fit; empty for none."""
    text = HEADER
    for episode, age in episodes:
        block = f"{text}\n\n{_block(episode, age)}"
        if len(block) > most_tokens * CHARACTERS_PER_TOKEN:
            break
        text = block
    return text if text != HEADER else ""


def _outcome(episode: Episode) -> float | None:
    """A failure says more than a success, and most when it was analysed."""
    if episode.success is None:
        return None
    value = 0.3 if episode.success else 0.7
    value += 0.2 * bool(episode.failure_analysis) + 0.1 * (len(episode.lessons) >= _MANY_LESSONS)
    return round(min(1.0, value), PLACES)


def _block(episode: Episode, age: float) -> str:
    ended = {True: "SUCCESS", False: "FAILED", None: "outcome unknown"}[episode.success]
    head = f"[{_age(age)} ago] {episode.domain or 'any domain'}: {ended}"
    rows = (
        ("Task", episode.task),
        ("Summary", episode.outcome_summary),
        ("Lessons", "; ".join(episode.lessons)),
        ("What failed", "; ".join(episode.what_failed)),
        ("Root cause", episode.failure_analysis),
        ("What worked", "; ".join(episode.what_worked)),
    )
    return "\n".join([head, *(f"  {name}: {text}" for name, text in rows if text)])


def _age(seconds: float) -> str:
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    return f"{int(seconds // 3600)} h" if seconds < 2 * 86_400 else f"{int(seconds // 86_400)} d"
