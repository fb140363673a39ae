"""Which fields a schema has, or leaves open."""

from __future__ import annotations

import pytest

from orka.agent.sensor.fields import lacks
from orka.value import Json

INNER: Json = {"type": "object", "properties": {"a": {}, "b": {"type": "number"}}}


@pytest.mark.parametrize(
    ("schema", "field", "missing"),
    [
        (INNER, "a", False),
        (INNER, "c", True),
        (INNER, "b.c", True),
        (INNER, "a.c", False),
        ({**INNER, "required": ["c"]}, "c", False),
        ({"type": "object"}, "c", False),
        (True, "c", False),
        ({"type": "object", "additionalProperties": False}, "c", True),
        ({"type": "string"}, "c", True),
        ({"type": "array", "items": INNER}, "b", False),
        ({"type": "array", "items": INNER}, "c", True),
        ({"properties": {"list": {"type": "array", "items": INNER}}}, "list.b", False),
        ({"$ref": "#/$defs/x", "$defs": {"x": INNER}}, "b", False),
        ({"$ref": "#/$defs/x", "$defs": {"x": INNER}}, "c", True),
        ({"$ref": "#"}, "c", True),
        ({"type": "object", "anyOf": [INNER, {"required": ["c"]}]}, "c", False),
        ({"type": "object", "oneOf": [INNER]}, "c", True),
    ],
)
def test_a_field_is_there_if_any_form_names_it_or_none_are_named(
    schema: Json, field: str, missing: bool
) -> None:
    assert lacks(schema, field) is missing
