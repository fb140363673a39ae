"""Keywords of JSON Schema that are written wrongly: a validator would pass over them in silence."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from orka.value import Json

# Keywords that hold schemas by name, in a list, or one.
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTED = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    *("items", "additionalProperties", "additionalItems", "unevaluatedProperties", "not", "if"),
    *("unevaluatedItems", "propertyNames", "contains", "then", "else", "contentSchema"),
)
# What decides whether a value is right; a word of the author's own is like none of them.
_DECIDING = (
    *(key for key in (*_NAMED, *_LISTED, *_SINGLE) if len(key) > 4 and key[0] != "$"),
    *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum"),
    *("exclusiveMinimum", "maxLength", "minLength", "pattern", "maxItems", "minItems"),
    *("uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties"),
    *("required", "dependentRequired", "dependencies", "format", "nullable"),
)
_OTHERS = ("formats", "patterns")
_DEEPEST = 40
_CLOSE = 0.8


def misspelt(schema: Json, depth: int = 0) -> tuple[str, str] | None:
    """The first keyword that is none, and what was probably meant, if it is close to one."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return None
    for key in schema:
        known = key.startswith("x-") or key in (*_DECIDING, *_OTHERS)
        meant = "" if known else _meant(key)
        if meant:
            return key, f"did you mean {meant!r}?"
    inner = [schema[key] for key in _SINGLE if key in schema]
    for key in _NAMED:
        found = schema.get(key)
        inner += found.values() if isinstance(found, Mapping) else ()
    for key in (*_LISTED, "items"):
        found = schema.get(key)
        inner += found if isinstance(found, list) else ()
    return next((found for each in inner if (found := misspelt(each, depth + 1))), None)


def _meant(key: str) -> str:
    """The keyword that a word is close to, or made of the letters of."""
    close = difflib.get_close_matches(key, _DECIDING, n=1, cutoff=_CLOSE)
    mixed = (word for word in _DECIDING if sorted(word) == sorted(key))
    return close[0] if close else next(mixed, "")
