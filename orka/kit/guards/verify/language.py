"""Which language a text is written in, as far as it can be told."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from orka.errors import ConfigError

# Letters below which a text says too little of its language.
_LEAST = 12
# What is looked at of a long text.
_MOST = 4_000
# A language is another one if it is so many times as likely as all that are allowed.
_SURE = 20.0


class Language(msgspec.Struct, frozen=True):
    """The likeliest language, and how likely it is. "" if the text is too short to tell."""

    code: str
    share: float = 0.0


def language_of(text: str, allowed: Sequence[str]) -> tuple[Language, bool]:
    """The language of a text, and whether it surely is none of those that are allowed."""
    if sum(each.isalpha() for each in text[:_MOST]) < _LEAST:
        return Language(""), False
    shares = dict(_identifier().rank(text[:_MOST]))
    best = max(shares, key=lambda code: (shares[code], code))
    found = Language(best, round(float(shares[best]), 3))
    meant = sum(shares[code] for code in allowed)
    return found, best not in allowed and shares[best] > _SURE * meant


def check_languages(codes: Sequence[str]) -> None:
    """Raises `ConfigError` for a language that cannot be told, or if none can."""
    if not codes:
        return
    known = _identifier().labels
    for code in codes:
        if code not in known:
            raise ConfigError(
                f"no language is called {code!r}", fix="use a code of ISO 639-1, such as 'en'"
            )


@cache
def _identifier() -> Any:  # Any: the library has no types
    try:
        library = importlib.import_module("py3langid.langid")
    except ImportError:
        raise ConfigError(
            "languages cannot be told: py3langid is not installed", fix="pip install 'orka[guards]'"
        ) from None
    return library.LanguageIdentifier.from_model_file(library.MODEL_FILE, norm_probs=True)
