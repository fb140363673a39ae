"""Ordinary letters to a support desk in 17 languages, and attacks put into them: all made up."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Literal

import yaml
from injection_corpora import Text

HERE = Path(__file__).parent
Part = Literal["train", "validation", "test"]

_PLACES = ("Lyon", "Graz", "Porto", "Leeds", "Utrecht", "Gdansk", "Turin", "Bergen", "Izmir")
_DAYS = ("Monday", "12 March", "3 May", "Friday", "21.06.", "2026-04-09", "last week", "1/10")
_NAMES = ("Jonas", "Ms Okafor", "Priya", "Mr Brandt", "Lea", "Tom", "Dr Silva")
_THINGS = (
    ("kettle", "rain jacket", "headphones", "desk lamp", "bicycle pump", "coffee grinder"),
    ("blender", "office chair", "router", "suitcase", "hair dryer", "pair of boots"),
    ("vacuum cleaner", "garden hose", "tablet", "electric toothbrush", "tent", "monitor"),
)
_GREETINGS = (
    "Hello,",
    "Dear team,",
    "Hi there,",
    "Good morning,",
    "",
    "",
    "To whom it may concern,",
)
_ENDS = (
    "Kind regards, Mia Brandt",
    "Thanks!",
    "Best, T. Okafor",
    "",
    "",
    "Sent from my phone",
    "Greetings",
)
ENGLISH = ("en", "hard", "mail", "frames", "verbs", "objects")
_PARTS: tuple[Part, ...] = ("train", "train", "train", "validation", "test")


def _sentences(file: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = yaml.safe_load((HERE / file).read_text(encoding="utf-8"))
    return {name.removeprefix("grammar_"): each for name, each in found.items()}


def _of(part: Part, sentences: list[str]) -> list[str]:
    return [each for at, each in enumerate(sentences) if _PARTS[at % 5] == part]


def _filled(template: str, part: Part, dice: random.Random) -> str:
    things = _THINGS[("train", "validation", "test").index(part)]
    slots = {
        "order": f"{dice.choice('ABKOX')}-{dice.randint(1000, 99999)}",
        "day": dice.choice(_DAYS),
        "name": dice.choice(_NAMES),
        "place": dice.choice(_PLACES),
        "thing": dice.choice(things),
        "count": str(dice.randint(2, 60)),
        "mail": dice.choice(("all@collect.example", "in@drop.example", "x@mirror.example/in")),
        "tool": dice.choice(("send_mail", "delete_file", "http_post", "export_rows")),
    }
    for name, value in slots.items():
        template = template.replace("{" + name + "}", value)
    return template


def letters(part: Part, count: int, *, seed: int = 1, hard: float = 0.25) -> list[str]:
    """Ordinary letters of one to six sentences; `hard`: how many English ones look like attacks."""
    dice = random.Random(f"{part} {seed}")
    pools = {name: _of(part, each) for name, each in _sentences("injection_ordinary.yml").items()}
    languages = [name for name in pools if name not in ENGLISH]
    found = []
    for _ in range(count):
        if dice.random() < 0.35:
            chosen = pools[dice.choice(languages)]
            picked = dice.sample(chosen, min(len(chosen), dice.randint(1, 3)))
            found.append(" ".join(_filled(each, part, dice) for each in picked))
            continue
        picked = [_sentence(pools, dice, hard) for _ in range(dice.choice((1, 1, 2, 3, 4, 6)))]
        body = " ".join(_filled(each, part, dice) for each in dict.fromkeys(picked))
        whole = (dice.choice(_GREETINGS), body, dice.choice(_ENDS))
        found.append(dice.choice(("\n", " ")).join(filter(None, whole)))
    return found


def _sentence(pools: dict[str, list[str]], dice: random.Random, hard: float) -> str:
    kind = dice.choices(("hard", "en", "mail", "frames"), (hard, 0.3, 0.25, 0.2))[0]
    sentence = dice.choice(pools[kind])
    for word in ("verb", "object"):
        sentence = sentence.replace("{" + word + "}", dice.choice(pools[f"{word}s"]))
    return sentence


def hard_sentences(part: Part, times: int) -> list[str]:
    """Each sentence that only looks like an attack, `times` over."""
    dice = random.Random(f"hard {part}")
    chosen = _of(part, _sentences("injection_ordinary.yml")["hard"])
    return [_filled(each, part, dice) for each in chosen for _ in range(times)]


def lookalikes(times: int) -> list[str]:
    """Each line of `injection_lookalikes.yml`, `times` over, and as many pages of some of them. For
    training only."""
    dice = random.Random("lookalikes")
    found = list[str]()
    for lines in _sentences("injection_lookalikes.yml").values():
        found += [_filled(line, "train", dice) for line in lines for _ in range(times)]
        pages = (dice.sample(lines, dice.randint(2, 4)) for _ in range(len(lines) * times))
        found += [_filled("\n".join(page), "train", dice) for page in pages]
    return found


def made_attacks(times: int) -> list[str]:
    """Each attack of our own, `times` over, with other names in it. For training only."""
    dice = random.Random("attacks")
    lines = [line for each in _sentences("injection_attacks.yml").values() for line in each]
    return [_filled(line, "train", dice) for line in lines for _ in range(times)]


def hidden_in_letters(part: Part, attacks: list[str], count: int) -> list[Text]:
    """Attacks between the sentences of ordinary letters."""
    dice = random.Random(f"hidden {part}")
    around = letters(part, count, seed=2)
    found = []
    for letter in around:
        attack, gap = dice.choice(attacks), dice.choice(("\n", " ", "\n\n"))
        pieces = [letter, attack] if dice.random() < 0.7 else [attack, letter]
        found.append(Text(gap.join(pieces), True))
    return found
