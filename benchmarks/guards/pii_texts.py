"""Writes texts with personal data whose places are known: `pii_texts.py dev|test|final SEED COUNT`.

Values are made by Faker in eleven locales and stand in sentences as people write them to a desk.
The rules were written with `dev` in view, and `test` was run more than once while they were.
`final` is of other shapes (logs, tables, talk, notes), was written when the rules stood and run
once. Its author knew the rules, and the street words of the guard are in part those of Faker.
"""

from __future__ import annotations

import json
import random
import re
import string
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faker import Faker

LOCALES = (
    *("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "nl_NL", "pl_PL", "pt_BR", "sv_SE"),
    "ja_JP",
)
_SLOT = re.compile(r"\{([A-Z_]+)\}")
_DATES = {"en_US": "%m/%d/%Y", "en_GB": "%d/%m/%Y", "sv_SE": "%Y-%m-%d", "ja_JP": "%Y年%m月%d日"}


def luhn(body: str) -> str:
    total = 0
    for place, char in enumerate(reversed(body)):
        number = int(char) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return body + str(-total % 10)


def nhs(random: random.Random) -> str:
    while True:
        body = [random.randint(0, 9) for _ in range(9)]
        check = 11 - sum((10 - at) * digit for at, digit in enumerate(body)) % 11
        if check != 10:
            digits = "".join(map(str, [*body, check % 11]))
            return f"{digits[:3]} {digits[3:6]} {digits[6:]}"


def steuer_id(random: random.Random) -> str:
    digits = random.sample(range(10), 10)
    digits[9] = digits[random.randrange(9)]
    if digits[0] == 0:
        digits[0], digits[1] = digits[1], digits[0]
    product = 10
    for digit in digits:
        product = 2 * ((digit + product) % 10 or 10) % 11
    return "".join(map(str, digits)) + str((11 - product) % 10)


def secret(random: random.Random) -> str:
    def some(size: int, signs: str = string.ascii_letters + string.digits) -> str:
        return "".join(random.choice(signs) for _ in range(size))

    return random.choice(
        (
            lambda: "ghp_" + some(36),
            lambda: "AKIA" + some(16, string.ascii_uppercase + "234567"),
            lambda: "sk-proj-" + some(48),
            lambda: "xoxb-" + some(12, string.digits) + "-" + some(24),
            lambda: f"eyJ{some(20)}.eyJ{some(40)}.{some(43)}",
        )
    )()


def national_id(locale: str, faker: Any, random: random.Random) -> str:
    if locale == "en_GB":
        return nhs(random)
    if locale == "de_DE":
        return steuer_id(random)
    made = {"es_ES": "nif", "pl_PL": "pesel", "pt_BR": "cpf"}.get(locale, "ssn")
    return str(getattr(faker, made)())


def values(locale: str, seed: int) -> dict[str, Callable[[], str]]:
    faker = Faker(locale)
    faker.seed_instance(seed)
    chance = random.Random(f"{locale}{seed}")

    def card() -> str:
        number = faker.credit_card_number(chance.choice(("visa16", "mastercard", "amex")))
        if chance.random() < 0.5 and len(number) == 16:
            sign = chance.choice(" -")
            return sign.join(number[at : at + 4] for at in range(0, 16, 4))
        return str(number)

    def iban() -> str:
        number = str((faker if locale != "ja_JP" else Faker("de_DE")).iban())
        spaced = " ".join(number[at : at + 4] for at in range(0, len(number), 4))
        return spaced if chance.random() < 0.5 else number

    return {
        "NAME": lambda: str(faker.name()),
        "EMAIL": lambda: str(faker.email()),
        "PHONE": lambda: str(faker.phone_number()),
        "CREDIT_CARD": card,
        "IBAN": iban,
        "NATIONAL_ID": lambda: national_id(locale, faker, chance),
        "IP": lambda: str(faker.ipv4() if chance.random() < 0.7 else faker.ipv6()),
        "MAC": lambda: str(faker.mac_address()),
        "DATE_OF_BIRTH": lambda: faker.date_of_birth().strftime(_DATES.get(locale, "%d.%m.%Y")),
        "ADDRESS": lambda: str(faker.street_address() if locale != "ja_JP" else faker.address()),
        "SECRET": lambda: secret(chance),
    }


def filled(template: str, make: dict[str, Callable[[], str]]) -> dict[str, Any]:
    text, spans, at = "", [], 0
    for match in _SLOT.finditer(template):
        text += template[at : match.start()]
        value = make[match.group(1)]()
        spans.append([len(text), len(text) + len(value), match.group(1)])
        text += value
        at = match.end()
    return {"text": text + template[at:], "spans": spans}


def negative(chance: random.Random, templates: list[str]) -> dict[str, Any]:
    def digits(size: int) -> str:
        return str(chance.randint(1, 9)) + "".join(chance.choices(string.digits, k=size - 1))

    def body(match: re.Match[str]) -> str:
        kind = match.group(1)
        made = {
            "ORDER": lambda: digits(chance.choice((6, 8, 10, 12, 16))),
            "STAMP": lambda: str(chance.randint(1_600_000_000, 1_800_000_000)),
            "VERSION": lambda: ".".join(digits(chance.choice((1, 2))) for _ in range(4)),
            "TRACK": lambda: f"1Z{digits(6)}{digits(10)}",
            "DATE": lambda: f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
            "TIME": lambda: f"{chance.randint(0, 23):02}:{chance.randint(0, 59):02}:07",
            "PRICE": lambda: f"{chance.randint(1, 9)},{digits(3)}.{digits(2)}",
            "PART": lambda: f"{chance.choice('ABXZ')}{digits(3)}-{digits(5)}",
            "HEX": lambda: "".join(chance.choices("0123456789abcdef", k=40)),
            "SMALL": lambda: digits(3),
        }
        return made[kind]()

    return {"text": _SLOT.sub(body, chance.choice(templates)), "spans": []}


def main(split: str, seed: int, count: int) -> None:
    name = "pii_final.json" if split == "final" else "pii_templates.json"
    templates = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))[split]
    texts = []
    for locale in LOCALES:
        make = values(locale, seed)
        for number in range(count):
            template = templates[locale][number % len(templates[locale])]
            texts.append({"locale": locale, **filled(template, make)})
    chance = random.Random(seed)
    wanted = int(count * len(LOCALES) * (0.6 if split == "final" else 0.5))
    texts += [{"locale": "none", **negative(chance, templates["none"])} for _ in range(wanted)]
    json.dump(texts, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
