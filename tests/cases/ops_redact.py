"""`redact`, `redact_object`, `redact_restore`: what is found in a text or value, what is left."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cases.language import Case, Fields, NotUnderstood, listed
from orka.errors import OrkaError, ScreenError
from orka.plugin.registry import Registry
from orka.port.guard import Finding, Guard, Screened, counted
from orka.port.placeholders import Placeholders
from orka.value import Json, identical

# Their word for an option -> ours.
_LEVELS = ("level", "redaction_level", "privacy_level")
_PATTERNS = ("custom", "custom_patterns", "patterns")
# Their name of a kind -> ours, where another is meant by the same thing.
_KINDS = {
    "SSN": "NATIONAL_ID",
    "US_SSN": "NATIONAL_ID",
    "CARD": "CREDIT_CARD",
    "IP_ADDRESS": "IP",
    "MAC_ADDRESS": "MAC",
    "DOB": "DATE_OF_BIRTH",
    "PERSON": "NAME",
    "API_KEY": "SECRET",
    "TOKEN": "SECRET",
    "PASSWORD": "SECRET",
}


def redact(case: Case, folder: Path) -> None:
    """Exact spans and kinds, and the text without them."""
    with Fields(case.input, "input") as given, Fields(case.expected, "expected") as expected:
        text = str(given.need("text"))
        guard = _guard(given)
        if (error := expected.take("error")) is not None:
            _refused(guard, text, error)
            return
        screened = guard.screen(text)
        _spans(text, screened, listed(expected.take("spans", [])), case)
        left = expected.take("redacted_text")
        if left is not None and not _either_kind(case):
            assert screened.text == left
        total = expected.take("total_pii_found")
        assert total is None or total == len(screened.findings)
        _counts(expected.take("counts"), counted(screened.findings))
        for word in listed(expected.take("must_not_contain", [])):
            assert str(word) not in screened.text
        assert guard.screen(screened.text).text == screened.text


def redact_object(case: Case, folder: Path) -> None:
    """A whole value, keys and what is nested included."""
    with Fields(case.input, "input") as given, Fields(case.expected, "expected") as expected:
        value = given.need("object" if "object" in given else "value")
        screened = _guard(given).screen_value(value)  # type: ignore[attr-defined]  # of this guard
        for key in ("object", "value", "redacted_object", "redacted"):
            if key in expected:
                assert identical(screened.value, expected.need(key))
        total = expected.take("total_pii_found")
        assert total is None or total == sum(screened.counts.values())
        _counts(expected.take("counts"), screened.counts)
        told = str(screened.value)
        for word in listed(expected.take("must_not_contain", [])):
            assert str(word) not in told


def redact_restore(case: Case, folder: Path) -> None:
    """Numbered placeholders, and the text as it was; in a reply that uses them too."""
    with Fields(case.input, "input") as given, Fields(case.expected, "expected") as expected:
        text, reply = str(given.need("text")), given.take("reply")
        if given.take("reversible", True) is not True:
            raise NotUnderstood("a restore of what is not reversible")
        placeholders = Placeholders()
        left = placeholders.replace(text, _guard(given).screen(text).findings)
        wanted = expected.take("redacted_text")
        assert wanted is None or left == wanted
        if expected.take("restored_equals_input", True):
            assert placeholders.restore(left) == text
        for key in ("restored_text", "restored", "restored_reply"):
            if key in expected:
                source = left if reply is None else str(reply)
                assert placeholders.restore(source) == expected.need(key)


def _guard(given: Fields) -> Guard:
    options: dict[str, Json] = {"names": "rules"}
    for keys, name in ((_LEVELS, "level"), (_PATTERNS, "custom"), (("region",), "region")):
        for key in keys:
            if key in given:
                options[name] = given.need(key)
    if "custom" in options:
        options["custom"] = [
            _pattern(each, at) for at, each in enumerate(listed(options["custom"]))
        ]
    kinds = given.take("kinds", given.take("types", None))
    if kinds is not None:
        options["kinds"] = [_KINDS.get(kind, kind) for kind in listed(kinds)]
    kind = Registry().guards["pii"]
    return kind.make(msgspec.convert(options, kind.config))


def _pattern(said: Json, at: int) -> Json:
    if isinstance(said, str):
        return {"name": f"CUSTOM_{at}", "pattern": said}
    with Fields(said, "a pattern") as fields:
        name = fields.take("name", fields.take("type", f"CUSTOM_{at}"))
        found = {
            "name": name,
            "pattern": fields.need("pattern" if "pattern" in fields else "regex"),
        }
        for key in ("time_limit", "timeout", "timeout_seconds"):
            if key in fields:
                found["time_limit"] = fields.need(key)
        return found


def _spans(text: str, screened: Screened, wanted: list[Json], case: Case) -> None:
    found = [_told(text, each) for each in screened.findings]
    told = [{**span, "type": _KINDS.get(span["type"], span["type"])} for span in wanted]
    if _either_kind(case):
        for each in (*found, *told):
            each.pop("type")
    assert found == told


def _told(text: str, found: Finding) -> dict[str, Json]:
    span: dict[str, Json] = {"type": found.kind, "start": found.start, "end": found.end}
    return {**span, "text": text[found.start : found.end]}


def _either_kind(case: Case) -> bool:
    """True if the case takes one kind for another, as its note says."""
    return case.judgement == "policy" and "type of the" in case.note


def _counts(wanted: Json, found: dict[str, Json] | dict[str, int]) -> None:
    if wanted is not None:
        assert found == {_KINDS.get(kind, kind): count for kind, count in wanted.items()}


def _refused(guard: Guard, text: str, error: Json) -> None:
    try:
        guard.screen(text)
    except (ScreenError, OrkaError) as refused:
        with Fields(error, "error") as fields:
            fields.take("kind")
            for word in listed(fields.take("must_name", [])):
                assert str(word).lower() in str(refused).lower()
        return
    raise AssertionError("the text was screened")
