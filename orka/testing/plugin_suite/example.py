"""A small value that meets a JSON Schema, where nobody gave a sample."""

from __future__ import annotations

from collections.abc import Mapping

from orka.value import Json

_DEEPEST = 8
_TEXTS = {"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "email": "a@example.org"}
_TEXTS |= {"uri": "https://example.org", "uuid": "00000000-0000-4000-8000-000000000000"}


def example(schema: Json, whole: Json = None, depth: int = 0) -> Json:
    """The least value of a schema: what must be there, and no more. `whole` holds the `$defs`."""
    whole = schema if whole is None else whole
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "something"
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    if schema.get("enum"):
        return schema["enum"][0]
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return example(whole.get("$defs", {}).get(name, {}), whole, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return example(schema[key][0], whole, depth + 1)
    return _typed(schema, whole, depth)


def _typed(schema: Mapping[str, Json], whole: Json, depth: int) -> Json:
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    match kind:
        case "object":
            known = schema.get("properties", {})
            needed = schema.get("required", ())
            return {name: example(known.get(name, {}), whole, depth + 1) for name in needed}
        case "array":
            one = example(schema.get("items", {}), whole, depth + 1)
            return [one] * int(schema.get("minItems", 0))
        case "integer" | "number":
            least = schema.get("minimum", schema.get("exclusiveMinimum", 0) or 0)
            return least + 1 if "exclusiveMinimum" in schema else least
        case "boolean":
            return False
        case "null":
            return None
    text = _TEXTS.get(str(schema.get("format")), "something")
    return text[: int(schema.get("maxLength", len(text)))]
