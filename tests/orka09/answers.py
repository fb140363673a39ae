"""Answers that fit any question of these files: what its schema, or its prompt, asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from orka09.server import Asked, Json, instance, schema_of

WORDS = "A plain answer. SCORE: 0.80"
_FIELD = re.compile(r"^- `(\w+)` \((\w+)", re.MULTILINE)
_LABELS = re.compile(r"Answer with one of these labels and nothing else: ([^,.\n]+)")
# The paths that a judge is asked about. The longer ones seem better to it.
_PATH = re.compile(r"^(P\d+): (.*)$", re.MULTILINE)
_YES_NO = re.compile(r"""['"]true['"] or ['"]false['"]""")


def plausible(asked: Asked, said: Mapping[str, str] | None = None) -> str:
    """An answer. `said`: words of a prompt -> what is answered to it, as text."""
    prompt = asked.prompt
    text = next((text for words, text in (said or {}).items() if words in prompt), None)
    if text is None:
        text = "true" if _YES_NO.search(prompt) else WORDS
    if paths := judged(asked):
        scores = {label: min(10, 3 * (1 + path.count("→"))) for label, path in paths.items()}
        return json.dumps({label: {"reason": text, "score": scores[label]} for label in scores})
    if (schema := schema_of(asked)) is not None:
        return json.dumps(_filled(schema, text))
    if "Answer with one JSON object" in prompt:
        fields = _FIELD.findall(prompt.rpartition("Its fields:")[2])
        return json.dumps({name: _value(name, kind, text) for name, kind in fields})
    if labels := _LABELS.search(prompt):
        return labels.group(1).strip()
    return text


def judged(asked: Asked) -> dict[str, str]:
    """The paths that a judge is asked about, by their labels; none for any other question."""
    return dict(_PATH.findall(asked.prompt)) if schema_of(asked) is not None else {}


def _filled(schema: Json, text: str) -> Json:
    value = instance(schema)
    return {**value, "response": text} if "response" in value else value


def _value(name: str, kind: str, text: str) -> Json:
    if name == "memory_object":
        return {"fact": text}
    return {"boolean": True, "number": 0.9, "integer": 1, "array": ["one"], "object": {}}.get(
        kind, text
    )
