"""Loops of 0.9: how their rounds are scored, and what later rounds are told."""

from __future__ import annotations

from orka.spec.orka09.book import Keys, Place
from orka.spec.orka09.source import Source
from orka.spec.orka09.words import COGNITION, EXTRACTION, SCORING, STRATEGIES, STRATEGY
from orka.value import Json

# What 0.9 took when nothing else was said.
_THRESHOLD = 0.8
_FIRST = ("agreement_moderator", "quality_moderator", "score_moderator")
# The types of strategies that 0.9 had.
_KNOWN = ("pattern", "direct_key", "agent_key")
_MAPS = {
    "scoring": SCORING,
    "score_extraction_config": EXTRACTION,
    "cognitive_extraction": COGNITION,
}


def loop(source: Source) -> dict[str, Json]:
    """The loop's settings, without what nobody reads."""
    keys, place = source.keys, source.keys.place
    does = "gives the best round; a score is read as it is written: 8/10 is 0.8"
    place.note(does, "gave the last round, and read '8/10' as 0.08")
    found = _usual(keys)
    for key in ("fallback_score", "timeout_score"):
        if key in keys:
            when = "ran out of time" if key == "timeout_score" else "fails or tells no score"
            place.note(f"a round that {when} has this score", "never read it", *keys.where(key))
    for name, known in _MAPS.items():
        if isinstance(keys.peek(name), dict):
            where = place.within(*keys.where(name))
            written = keys.take(name)
            found[name] = _known(written, known, where)
    extraction = found.get("score_extraction_config")
    if extraction and isinstance(extraction.get("strategies"), list):
        inside = place.within("score_extraction_config", "strategies")
        extraction["strategies"] = _strategies(extraction["strategies"], inside)
    scoring = found.get("scoring")
    if scoring and "context" not in scoring and "custom_weights" not in scoring:
        did = "counted the criteria of paths"
        place.note("counts whichever criteria the answers are about", did, "scoring")
    return found


def _usual(keys: Keys) -> dict[str, Json]:
    """What 0.9 took for settings that a loop does not have."""
    found: dict[str, Json] = {}
    if "score_threshold" not in keys:
        found["score_threshold"] = _THRESHOLD
    if "high_priority_agents" not in keys:
        inside = _ids(keys.peek("internal_workflow"))
        if first := [id for id in _FIRST if id in inside]:
            found["high_priority_agents"] = first
    return found


def _ids(body: Json) -> list[Json]:
    agents = body.get("agents") if isinstance(body, dict) else None
    maps = agents if isinstance(agents, list) else []
    return [agent.get("id") for agent in maps if isinstance(agent, dict)]


def _known(written: dict[str, Json], known: tuple[str, ...], place: Place) -> dict[str, Json]:
    place.leftover([(key, (key,)) for key in written if key not in known], known, ())
    return {key: value for key, value in written.items() if key in known}


def _strategies(written: list[Json], place: Place) -> list[Json]:
    found: list[Json] = []
    for at, each in enumerate(written):
        if not isinstance(each, dict):
            found.append(each)
        elif each.get("type") not in STRATEGIES:
            does = f"a strategy of the type {each.get('type')!r} has no effect"
            place.warn(does, "ignored it too", at)
        else:
            if each["type"] not in _KNOWN:
                does = f"a strategy of the type {each['type']!r} finds scores"
                place.note(does, "did not know the type, and passed over it", at)
            found.append(_known(each, STRATEGY, place.within(at)))
    return found
