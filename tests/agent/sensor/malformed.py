"""Answers as models should not give them: made from a right one by a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass

from orka.value import Json

SCHEMA: Json = {
    "type": "object",
    "required": ["label", "score", "open", "tags"],
    "additionalProperties": False,
    "properties": {
        "label": {"enum": ["low", "medium", "high"]},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "open": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 4},
        "count": {"type": "integer"},
    },
}
_WORDS = (
    "fine",
    "naïve",
    "日本語",
    "Привет",
    "a, ]b",
    "{x}",
    'say "x"',
    "it's",
    "```",
    "</think>",
    "😀",
)


@dataclass
class Answer:
    """A text, how it ended, and the value it was made from."""

    text: str
    value: Json
    finish: str = "stop"


def malformed(seed: int) -> Answer:
    """One answer, with one to three things wrong with it."""
    chance = random.Random(seed)
    value = _value(chance)
    answer = Answer(json.dumps(value, ensure_ascii=chance.random() < 0.3), value)
    for _ in range(chance.randint(1, 3)):
        chance.choice(_SLIPS)(answer, chance)
    return answer


def _value(chance: random.Random) -> dict[str, Json]:
    value: dict[str, Json] = {
        "label": chance.choice(["low", "medium", "high"]),
        "score": chance.choice([0, 1, 0.25, round(chance.random(), 3)]),
        "open": chance.random() < 0.5,
        "tags": chance.sample(_WORDS, chance.randint(0, 3)),
    }
    if chance.random() < 0.5:
        value["count"] = chance.randint(-5, 5000)
    return value


def _rewritten(answer: Answer, field: str, new: Json) -> None:
    answer.value = {**answer.value, field: new} if isinstance(answer.value, dict) else new
    answer.text = json.dumps(answer.value)


def _cut(answer: Answer, chance: random.Random) -> None:
    answer.text = answer.text[: chance.randint(0, len(answer.text))]
    answer.finish = chance.choice(["stop", "length"])


def _wrong_type(answer: Answer, chance: random.Random) -> None:
    wrong = [
        ("score", "0.5"), ("score", "high"), ("score", None), ("score", 90), ("open", "false"),
        ("open", "maybe"), ("open", 1), ("tags", "x"), ("tags", [1]), ("count", True),
        ("count", "12"), ("count", 1.5), ("label", 3), ("label", ["low"]),
    ]  # fmt: skip
    _rewritten(answer, *chance.choice(wrong))


def _words(answer: Answer, chance: random.Random) -> None:
    """Numbers and truth as words, and in other languages."""
    said = [
        ("score", "zero point five"), ("score", "0,5"), ("score", "５０"), ("score", "٠٫٥"),
        ("count", "twelve"), ("count", "十二"), ("open", "ja"), ("open", "vrai"), ("open", "да"),
        ("label", "niedrig"), ("label", "Low"), ("label", "lоw"), ("label", "ｌｏｗ"),
    ]  # fmt: skip
    _rewritten(answer, *chance.choice(said))


def _extra_key(answer: Answer, chance: random.Random) -> None:
    _rewritten(answer, chance.choice(["note", "Label", "scоre", ""]), chance.choice([1, "x", None]))


def _missing(answer: Answer, chance: random.Random) -> None:
    if isinstance(answer.value, dict) and answer.value:
        gone = chance.choice(sorted(answer.value))
        answer.value = {key: item for key, item in answer.value.items() if key != gone}
        answer.text = json.dumps(answer.value)


def _fenced(answer: Answer, chance: random.Random) -> None:
    sign, tag = chance.choice(["```", "~~~", "````"]), chance.choice(["json", "JSON", "", "python"])
    answer.text = f"Sure!\n{sign}{tag}\n{answer.text}\n{sign}\n{chance.choice(['', 'Done {ok}.'])}"


def _thinking(answer: Answer, chance: random.Random) -> None:
    tag = chance.choice(["think", "THINK", "thinking", "reasoning", "thought"])
    draft = chance.choice(["hm", '{"label": "low"}', answer.text, "{", "```json"])
    closing = chance.choice([f"</{tag}>", f"</{tag}>", ""])
    answer.text = f"<{tag}>{draft}{closing}\n{answer.text}"


def _several(answer: Answer, chance: random.Random) -> None:
    other = json.dumps(chance.choice([{"label": "low"}, {}, [1], _value(chance), answer.value]))
    between = chance.choice(["\n", " or ", ", "])
    pair = [answer.text, other]
    chance.shuffle(pair)
    answer.text = between.join(pair)


def _quotes(answer: Answer, chance: random.Random) -> None:
    pairs = [("'", "'"), ("“", "”"), ("‘", "’"), ("„", "“"), ("＂", "＂"), ("«", "»")]
    open_, close = chance.choice(pairs)
    parts = answer.text.split('"')
    marks = [open_ if at % 2 == 0 else close for at in range(len(parts) - 1)]
    answer.text = "".join(part + mark for part, mark in zip(parts, [*marks, ""], strict=True))


def _python(answer: Answer, chance: random.Random) -> None:
    answer.text = repr(answer.value) if chance.random() < 0.5 else f"result = {answer.value!r}"


def _unusual(answer: Answer, chance: random.Random) -> None:
    """Characters that look like JSON's, and blanks that it does not have."""
    swaps = [(":", "："), (",", "，"), (" ", "\u00a0"), (" ", "\u200b"), ("0", "０"), ("{", "｛")]
    old, new = chance.choice(swaps)
    answer.text = answer.text.replace(old, new, chance.choice([1, -1]))


def _slip(answer: Answer, chance: random.Random) -> None:
    changes: list[Callable[[str], str]] = [
        lambda text: text.replace("]", ",]"),
        lambda text: text.replace("}", ",}"),
        lambda text: text.replace(",", ",,", 1),
        lambda text: text.replace(",", "", 1),
        lambda text: text.replace(":", " ", 1),
        lambda text: text.replace(", ", ", // why\n", 1),
        lambda text: text.replace("true", "True").replace("false", "FALSE"),
        lambda text: text.replace('"score": ', '"score": NaN, "was": ', 1),
        lambda text: text.replace('"score": ', '"score": 1, "score": ', 1),
        lambda text: text.replace('"label"', "label", 1),
        lambda text: text.replace("a", "\\d", 1),
        lambda text: text.replace("a", "\n", 1),
        lambda text: text.replace("e", '"', 1),
        lambda text: text.replace("}", "", 1),
        lambda text: text[1:],
        lambda text: "\ufeff" + text,
        lambda text: json.dumps(text),
        lambda text: f"[{text}]",
        lambda text: text * 2,
        lambda text: text.replace("0", "00", 1),
        lambda text: text.replace('"tags": [', '"tags": [\ud83d', 1),
        lambda text: '{"a":' * 300 + text,
        lambda text: text[::-1],
        lambda text: "",
        lambda text: "I cannot do that.",
    ]
    answer.text = chance.choice(changes)(answer.text)


_SLIPS = (
    _cut, _wrong_type, _words, _extra_key, _missing, _fenced, _thinking, _several, _quotes,
    _python, _unusual, _slip, _slip,
)  # fmt: skip
