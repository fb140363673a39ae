"""Contracts: how they are written, what they refuse, and that nothing is changed unsaid."""

from __future__ import annotations

import msgspec
import pydantic
import pytest

from orka.agent.sensor import Contract
from orka.agent.sensor.short import DEFAULTS
from orka.errors import ConfigError
from orka.value import Json, identical

RISK: Json = {
    "type": "object",
    "required": ["risk"],
    "additionalProperties": False,
    "properties": {
        "risk": {
            "type": "object",
            "required": ["level"],
            "properties": {
                "level": {"enum": ["low", "high"]},
                "score": {"type": "number", "minimum": 0, "maximum": 1},
                "tags": {"type": "array", "items": {"type": "string"}},
                "open": {"type": "boolean", "default": False},
                "count": {"type": ["integer", "null"]},
            },
        }
    },
}


def risk(**fields: Json) -> Json:
    return {"risk": {"level": "low", **fields}}


@pytest.mark.parametrize(
    ("value", "where", "names"),
    [
        ({}, "risk", ["required"]),
        ({"risk": {}}, "risk.level", ["risk.level", "required"]),
        (risk(level="mid"), "risk.level", ["mid", "low", "high"]),
        (risk(score=90), "risk.score", ["90", "maximum"]),
        (risk(score="0.4"), "risk.score", ["number", '"0.4"']),
        (risk(score=True), "risk.score", ["number", "true"]),
        (risk(count=True), "risk.count", ["integer", "true"]),
        (risk(count=1.5), "risk.count", ["integer", "1.5"]),
        (risk(tags=["a", 2]), "risk.tags[1]", ["string", "2"]),
        ({**risk(), "more": 1}, "$", ["more"]),
        ([], "$", ["object", "[]"]),
    ],
)
def test_a_strict_contract_names_path_type_and_value(
    value: Json, where: str, names: list[str]
) -> None:
    verdict = Contract.of(RISK).judge(value)
    assert (verdict.kind, verdict.problems[0].where) == ("schema", where)
    assert all(name in verdict.message for name in names), verdict.message
    assert not verdict.repairs and identical(verdict.value, value)


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        ("0.4", "score", 0.4),
        ("1e-1", "score", 0.1),
        ("1", "score", 1),
        ("12", "count", 12),
        ("false", "open", False),
        ("True", "open", True),
    ],
)
def test_coercion_takes_what_means_one_thing_and_tells(given: str, field: str, value: Json) -> None:
    answer = risk(**{"open": True, field: given})
    verdict = Contract.of(RISK, coerce=True).judge(answer)
    assert not verdict.problems
    assert identical(verdict.value["risk"][field], value)
    (repair,) = [each for each in verdict.repairs if each.rule == "coerced"]
    assert (repair.before, repair.after, repair.where) == (given, value, f"risk.{field}")


def test_coercion_spells_numbers_as_texts_and_fills_in_defaults() -> None:
    verdict = Contract.of(RISK, coerce=True).judge(risk(tags=[1, "b"]))
    assert verdict.value == risk(tags=["1", "b"], open=False)
    assert {repair.rule for repair in verdict.repairs} == {"coerced", "default"}


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("open", "maybe"),
        ("open", "yes"),
        ("open", 1),
        ("open", ""),
        ("count", True),
        ("count", "12.5"),
        ("count", "twelve"),
        ("count", "１２"),
        ("count", "1,000"),
        ("score", "90"),
        ("score", 90),
        ("score", "NaN"),
        ("score", "1e999"),
        ("score", "50%"),
        ("tags", "a"),
        ("tags", [True]),
    ],
)
def test_coercion_never_guesses_and_never_clamps(field: str, given: Json) -> None:
    verdict = Contract.of(RISK, coerce=True).judge(risk(**{field: given}))
    assert verdict.kind == "schema"
    assert f"risk.{field}" in verdict.message


def test_a_recursive_schema_is_followed() -> None:
    tree: Json = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "n": {"type": "integer"},
                    "name": {"default": "leaf"},
                    "next": {"$ref": "#/$defs/node"},
                },
            }
        },
    }
    verdict = Contract.of(tree, coerce=True).judge({"n": "1", "next": {"n": "2"}})
    assert verdict.value == {"n": 1, "name": "leaf", "next": {"n": 2, "name": "leaf"}}


def test_the_short_form_says_fields_and_types() -> None:
    contract = Contract.of(
        {
            "required": ["answer", "n"],
            "types": {"n": "int", "level": ["low", "high"]},
            "optional": {"note": "str"},
        }
    )
    assert not contract.judge({"answer": "a", "n": 1, "extra": True}).problems
    assert contract.judge({"answer": 1, "n": 1}).problems[0].where == "answer"
    assert contract.judge({"answer": "a", "n": 1, "level": "mid"}).problems
    closed = Contract.of({"required": ["a"], "strict": True})
    assert closed.judge({"a": "x", "b": 1}).problems


def test_the_defaults_of_the_older_types_are_contracts() -> None:
    for name in DEFAULTS:
        contract = Contract.default(name)
        assert contract is not None and contract.judge({}).problems
    assert Contract.default("router") is None


def test_a_confidence_below_the_least_is_a_violation_and_a_missing_one_too() -> None:
    contract = Contract.of({"schema": {"type": "object"}, "min_confidence": 0.6})
    assert not contract.judge({"confidence": 0.6}).problems
    for given in ({"confidence": 0.5}, {"confidence": "high"}, {"confidence": 60}, {}):
        assert contract.judge(given).kind == "confidence"
    assert "0.5" in contract.judge({"confidence": 0.5}).message


NOON = 1_700_000_000.0


@pytest.mark.parametrize(
    ("seen", "kind"),
    [
        (NOON - 60, ""),
        ("2023-11-14T22:12:00+00:00", ""),
        ("2023-11-14T22:12:00Z", ""),
        (NOON - 400, "stale"),
        (NOON + 5, "stale"),
        ("2023-11-14T22:12:00", "stale"),
        ("yesterday", "stale"),
        (True, "stale"),
        (None, "stale"),
    ],
)
def test_an_observation_has_to_be_fresh(seen: Json, kind: str) -> None:
    contract = Contract.of({"schema": {"type": "object"}, "max_age": "5m"})
    assert contract.judge({"observed_at": seen}, NOON).kind == kind


def test_units_are_told_in_prompt_and_violation() -> None:
    contract = Contract.of(
        {
            "required": ["temperature"],
            "types": {"temperature": "number"},
            "units": {"temperature": "°C"},
        }
    )
    assert "in °C" in contract.instructions
    assert "°C" in contract.judge({"temperature": "21 °C"}).message


def test_instructions_name_fields_types_and_bounds() -> None:
    told = Contract.of(RISK).instructions
    for words in ("`risk`", '"low", "high"', "number from 0 to 1", "array of string", "optional"):
        assert words in told
    complex_one: Json = {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}]}}}
    assert "oneOf" in Contract.of(complex_one).instructions


class Point(msgspec.Struct):
    x: int
    label: str = ""


class Model(pydantic.BaseModel):
    x: int
    inner: Point2 | None = None


class Point2(pydantic.BaseModel):
    y: float


@pytest.mark.parametrize("kind", [Point, Model])
def test_a_python_type_is_a_contract(kind: type) -> None:
    contract = Contract.of(kind)
    assert not contract.judge({"x": 1}).problems
    assert contract.judge({"x": "1"}).problems[0].where == "x"


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ({"type": "objct"}, "objct"),
        ({"properties": {"a": "string"}}, "string"),
        ({"pattern": "("}, "regex"),
        ({"$ref": "https://example.org/x"}, "example.org"),
        ({"$ref": "#/nowhere"}, "nowhere"),
        ({"required": ["a"], "types": {"a": "strng"}}, "string"),
        ({"required": "a"}, "required"),
        ({"required": ["a"], "min_confidence": 2}, "min_confidence"),
        ({"required": ["a"], "max_age": "soon"}, "max_age"),
        ({"required": ["a"], "units": ["x"]}, "units"),
        ([1], "[1]"),
        (int, "int"),
    ],
)
def test_what_is_no_contract_is_refused_by_name(written: object, names: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Contract.of(written)
    assert names in str(caught.value)
    assert caught.value.code == "config.contract"


@pytest.mark.parametrize("draft", ["draft-04/schema#", "draft-07/schema#", "2020-12/schema"])
def test_any_draft_will_do(draft: str) -> None:
    host = "https" if draft.startswith("2020") else "http"
    middle = "draft/" if draft.startswith("2020") else ""
    schema: Json = {"$schema": f"{host}://json-schema.org/{middle}{draft}", "type": "integer"}
    assert Contract.of(schema).judge("x").problems
