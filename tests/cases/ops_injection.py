"""`detect_injection`: what is found in a text, where, and what a prompt gets of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from cases.language import Case, Fields, listed
from cases.script import script
from cases.stage import Stage, played
from orka.event.event import EffectRequested
from orka.plugin.registry import Registry
from orka.value import Json

_SHOWN = "{{ previous_outputs.look.plan.sanitized_text }}"


def detect_injection(case: Case, folder: Path) -> None:
    """The agent in a run; the guard must find the same."""
    with Fields(case.input, "input") as given:
        text = _text(given)
        origin = _origin(str(given.take("origin", "untrusted")))
        patterns = [_pattern(each) for each in listed(given.take("custom_patterns", []))]
    options = {"origin": origin, "patterns": patterns} if patterns else {"origin": origin}
    found, prompt = _run(folder, text, options)
    made = Registry().guards["injection"]
    guard = made.make(msgspec.convert(options, made.config))
    started = time.perf_counter()
    screened = guard.screen(text)
    seconds = time.perf_counter() - started
    assert (screened.verdict == "quarantine") == found["detected"]
    with Fields(case.expected, "expected") as expected:
        assert found["detected"] is expected.need("injection_detected"), found["matches"]
        _categories(found, expected)
        _matches(text, found, expected)
        assert found["confidence"] >= float(expected.take("confidence_min", 0.0))
        limit = expected.take("max_seconds")
        assert limit is None or seconds <= float(limit)
        for token in listed(expected.take("prompt_must_not_contain_raw", [])):
            assert str(token) not in prompt


def _categories(found: Mapping[str, Json], expected: Fields) -> None:
    wanted = listed(expected.take("categories_any", []))
    assert not wanted or set(wanted) & set(found["categories"]), found["categories"]
    assert not set(listed(expected.take("categories_none", []))) & set(found["categories"])


def _matches(text: str, found: Mapping[str, Json], expected: Fields) -> None:
    matches = found["matches"]
    for match in matches:
        assert match["text"] == text[match["start"] : match["end"]]
    for span in listed(expected.take("must_cover", [])):
        assert any(
            each["start"] <= span["start"] and span["end"] <= each["end"] for each in matches
        ), (span, matches)
    for words in listed(expected.take("decoded_contains", [])):
        assert any(str(words) in each["decoded"] for each in matches), matches
    assert len(matches) >= int(expected.take("min_matches", 0)), matches


def _origin(said: str) -> str:
    """Only what the author of the workflow wrote is trusted, whatever the others are called."""
    return "trusted_prompt" if said.startswith(("trusted", "operator")) else "untrusted"


def _text(given: Fields) -> str:
    if "text" in given:
        return str(given.need("text"))
    return "".join(str(each["repeat"]) * int(each["times"]) for each in given.need("generate"))


def _pattern(written: Json) -> Json:
    if isinstance(written, str):
        return {"name": "custom", "pattern": written}
    return dict(written)


def _run(folder: Path, text: str, options: Mapping[str, Json]) -> tuple[Json, str]:
    flow = {
        "version": 1,
        "orchestrator": {"id": "case", "strategy": "sequential", "agents": ["look", "write"]},
        "agents": [
            {"id": "look", "type": "injection_detection", "value": "input.text", **options},
            {"id": "write", "type": "llm", "model": "scripted", "prompt": _SHOWN},
        ],
    }

    async def one() -> tuple[Json, str]:
        async with Stage(folder, script({"write": ["said"]}), [flow], virtual=True) as stage:
            observed = await stage.play(flow, {"text": text}, "case")
            assert observed.run is not None
            assert observed.run.status == "completed", observed.run.failure
            asked = next(
                each
                for each in observed.run.events
                if isinstance(each, EffectRequested) and each.kind == "llm"
            )
            return observed.run.outputs["look"], str(asked.payload["messages"][-1]["content"])

    return played(one(), virtual=True)
