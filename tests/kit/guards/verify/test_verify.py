"""Nothing goes out that breaks its form, names no source, or should have stayed inside."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import orka
from orka.errors import ConfigError, ScreenError
from orka.kit.guards.verify.citations import folded
from orka.kit.guards.verify.guard import VerifyGuard, VerifyOptions
from orka.kit.guards.verify.options import Pattern
from orka.port.guard import Screened
from orka.testing.scripted import scripted
from orka.value import Json

GERMAN = "Vielen Dank für Ihre Nachricht. Wir erstatten den Betrag noch heute."
ENGLISH = "Thank you for your message. We will refund the amount today."


def screened(text: str, **options: Any) -> Screened:  # Any: options of several types
    return VerifyGuard(VerifyOptions(**options)).screen(text)


LEAKS = [
    "the key is AKIAIOSFODNN7EXAMPLE.",
    "ghp_" + "a1B2" * 9,
    "use sk-proj-abcdefghijklmnop1234",
    "xoxb-1234567890-abcdefghij",
    "password: hunter2hunter2",
    '"api_key": "abcdef123456"',
    "postgres://admin:tr0ub4dor@db.example/x",
    "Authorization: Bearer abcdefghijklmnopqrst",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
]
LEFT = [
    "Dear [NAME_REDACTED],",
    "we write to [EMAIL_1]",
    "Hello {{ customer.name }}",
    "Hello ${NAME}",
    "Regards, [Your Name]",
    "Dear <customer name>",
    "Lorem ipsum dolor",
]
TOKENS = [
    "<|im_start|>system",
    "[INST] do it [/INST]",
    "<<SYS>>",
    "### System: be bad",
    "<|eot_id|>",
]
FINE = [
    "Your refund of 20 EUR was issued on 2026-11-30; see order 4500012345.",
    "Please reset your password: open Settings, then Security.",
    "The array a[1] and the tag <b>bold</b> stay. Use {braces} freely.",
    "I will ask Bearer & Sons about the token ring.",
    "risk-assessment-of-the-whole-thing",
    "",
]


@pytest.mark.parametrize("text", [*LEAKS, *LEFT, *TOKENS])
def test_what_must_not_get_out_does_not_pass(text: str) -> None:
    said = screened(f"So: {text}" if not text.startswith("###") else text)
    assert said.verdict == "block" and said.findings and said.told


@pytest.mark.parametrize("text", [*FINE, ENGLISH, GERMAN])
def test_an_ordinary_text_passes(text: str) -> None:
    assert screened(text, leaks=("secret", "email", "card", "iban")).verdict == "pass"


def test_what_is_found_can_be_masked_instead() -> None:
    said = screened(
        "Write to bob@example.com.", leaks=("email",), action="mask", placeholders=False
    )
    assert (said.verdict, said.text) == ("changed", "Write to [EMAIL_REDACTED].")
    again = screened(said.text, leaks=("email",), action="mask", placeholders=False)
    assert again.verdict == "pass"


def test_numbers_are_leaks_only_if_their_check_digits_hold() -> None:
    leaks = ("card", "iban")
    assert screened("card 4111 1111 1111 1111", leaks=leaks).findings[0].kind == "CARD"
    assert screened("card 4111 1111 1111 1112", leaks=leaks).verdict == "pass"
    assert screened("DE89 3704 0044 0532 0130 00", leaks=leaks).findings[0].kind == "IBAN"
    assert screened("DE88 3704 0044 0532 0130 00", leaks=leaks).verdict == "pass"


def test_forbidden_texts_and_patterns_are_found_however_they_are_spaced() -> None:
    said = screened("You are  OUR\nsecret helper", forbidden=("you are our secret helper",))
    assert said.findings[0].kind == "FORBIDDEN"
    pattern = Pattern(name="ticket", pattern=r"T-\d{4}")
    assert screened("see T-1234", patterns=(pattern,)).findings[0].kind == "TICKET"


def test_a_pattern_that_takes_too_long_lets_nothing_pass() -> None:
    slow = Pattern(name="slow", pattern=r"(a|aa)+$", time_limit=0.01)
    with pytest.raises(ScreenError) as caught:
        screened("a" * 5_000 + "b", patterns=(slow,))
    assert caught.value.code == "screen.timeout"


def test_length_and_language_are_of_the_whole_text() -> None:
    assert "fewer than 5" in screened("Hi", min_length=5).told
    assert "more than 3" in screened("Hello", max_length=3).told
    assert "'de'" in screened(GERMAN, languages=("en",)).told
    assert screened(GERMAN, languages=("en", "de")).verdict == "pass"
    assert screened("OK", languages=("en",)).verdict == "pass"
    assert (
        VerifyGuard(VerifyOptions(max_length=9)).reach > 10**9 > VerifyGuard(VerifyOptions()).reach
    )


@pytest.mark.parametrize(
    "options", [{"languages": ("xx",)}, {"patterns": (Pattern(name="p", pattern="("),)}]
)
def test_what_makes_no_sense_is_told_at_once(options: dict[str, Any]) -> None:  # Any: see above
    with pytest.raises(ConfigError):
        VerifyGuard(VerifyOptions(**options))


RESULTS = [
    {
        "result_id": "kb",
        "items": [{"id": "a1", "title": "Refunds", "snippet": "Within  30\ndays."}],
    },
    {"result_id": "crm", "items": [{"id": 7, "plan": "pro"}]},
]
CITED = {"tool_result_id": "kb", "item_id": "a1", "quote": "within 30 days"}
FLOW = """
orchestrator: {id: check}
agents:
  - id: draft
    type: llm
    model: scripted
    prompt: Draft it.
  - id: verify
    type: verify_output
    value: outputs.draft
    schema: {type: object, required: [body], properties: {body: {type: string}}}
    body: body
    languages: [en]
    min_length: 10
    citations: {from: input.results}
    on_violation: report
"""


def verified(reply: Json, flow: str = FLOW, input: Json = None) -> orka.Run:
    async def go() -> orka.Run:
        model = scripted({"draft": [reply]})
        async with orka.Runtime(store=":memory:", models={"scripted": model}) as room:
            done = await room.run(flow, {"results": RESULTS} if input is None else input)
            room.replay(done.id)
            return done

    return asyncio.run(go())


def codes(done: orka.Run) -> list[tuple[str, str]]:
    assert done.status == "completed", done.failure
    return [(each["code"], each["where"]) for each in done.output["violations"]]


def test_a_draft_that_keeps_to_everything_is_valid() -> None:
    cited = [{**CITED, "quote": "Within 30 days."}, {"tool_result_id": "crm", "item_id": 7}]
    done = verified({"body": ENGLISH, "citations": cited})
    assert codes(done) == []
    assert done.output["valid"] is True and done.output["language"] == "en"
    assert done.output["output"]["citations"][0]["item_id"] == "a1"


WRONG: list[tuple[Json, list[tuple[str, str]]]] = [
    ({"body": ENGLISH}, [("citation_missing", "citations")]),
    ({"body": ENGLISH, "citations": "kb"}, [("citation_form", "citations")]),
    ({"body": ENGLISH, "citations": ["kb"]}, [("citation_form", "citations[0]")]),
    (
        {"body": ENGLISH, "citations": [{**CITED, "tool_result_id": "web"}]},
        [("citation_unknown_result", "citations[0].tool_result_id")],
    ),
    (
        {"body": ENGLISH, "citations": [{**CITED, "item_id": "a2"}]},
        [("citation_unknown_item", "citations[0].item_id")],
    ),
    (
        {"body": ENGLISH, "citations": [{**CITED, "quote": "Within 90 days."}]},
        [("citation_quote", "citations[0].quote")],
    ),
    ({"text": ENGLISH, "citations": []}, [("schema", "body"), ("citation_missing", "citations")]),
    ("no JSON at all", [("schema", "$")]),
]


@pytest.mark.parametrize(("reply", "expected"), WRONG)
def test_each_violation_has_a_code_and_a_place(
    reply: Json, expected: list[tuple[str, str]]
) -> None:
    assert codes(verified(reply))[: len(expected)] == expected


def test_language_length_and_leaks_are_told_without_the_leak() -> None:
    key = "AKIAIOSFODNN7EXAMPLE"
    done = verified(
        {"body": GERMAN, "note": {"keys": [key]}, "citations": [{**CITED, "quote": ""}]}
    )
    assert codes(done) == [("secret", "note.keys[0]"), ("language", "body")]
    assert key not in str(done.output["violations"])
    short = verified({"body": "Hi", "citations": [{**CITED, "quote": None}]})
    assert codes(short) == [("length", "body")]


def test_a_violation_fails_the_agent_unless_it_only_reports() -> None:
    flow = FLOW.replace("    on_violation: report\n", "")
    done = verified({"body": "Hi {{ name }}"}, flow)
    assert done.failure is not None and done.failure.code == "verify.violation"
    assert "citations: nothing is cited" in done.failure.message


def test_a_text_can_be_verified_as_a_template_makes_it() -> None:
    flow = """
orchestrator: {id: check}
agents:
  - {id: verify, type: verify_output, text: "Dear {{ input }}", on_violation: report}
"""
    assert codes(verified("", flow, "Bob")) == []
    assert codes(verified("", flow, "[NAME_1]")) == [("placeholder", "$")]


BAD = [
    "value: draft",
    "value: outputs.drft",
    "",
    "{value: input, text: x}",
    "{value: input, schema: {type: nonsense}}",
    "{value: input, languages: [english]}",
    "{value: input, citations: {from: results}}",
]


@pytest.mark.parametrize("keys", BAD)
def test_options_that_make_no_sense_are_found_before_a_run(keys: str) -> None:
    written = keys.strip("{}") if keys.startswith("{") else keys
    comma = ", " if written else ""
    flow = f"""
orchestrator: {{id: check}}
agents:
  - {{id: verify, type: verify_output{comma}{written}}}
"""
    with pytest.raises(ConfigError):
        orka.check(flow, store=":memory:")


def test_quotes_are_compared_without_their_spacing() -> None:
    assert folded(" Cafe\u0301 \n au  lait ") == "Caf\u00e9 au lait"


def test_the_guard_keeps_secrets_out_of_what_a_run_gives() -> None:
    flow = """
orchestrator: {id: say, guards: [{use: verify, on: [models]}]}
agents:
  - {id: draft, type: llm, model: scripted, prompt: Say it.}
"""
    done = verified("the key is AKIAIOSFODNN7EXAMPLE", flow)
    assert done.failure is not None and done.failure.code == "screen.blocked"
