"""A JSON Schema as a grammar that llama.cpp keeps to while it writes."""

from __future__ import annotations

import contextlib
import importlib
import json

from orka.errors import ModelError
from orka.port.model import ModelRequest
from orka.value import canonical


def grammar(request: ModelRequest) -> str:
    """The request's schema as GBNF with a rule `root`. Raises `ModelError` (`model.schema`)."""
    try:
        return _convert(canonical(request.schema))
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
        raise ModelError(
            f"the schema cannot be enforced by grammar: {error}",
            where=f"local/{request.name}",
            fix="use plain types, enum, required, items, bounded lengths and local $ref",
            code="model.schema",
            retryable=False,
        ) from error


def _convert(schema: bytes) -> str:
    module = importlib.import_module("llama_cpp.llama_grammar")
    kind = type("Converter", (module.SchemaConverter,), {"_format_literal": _literal})
    converter = kind(prop_order={}, allow_fetch=False, dotall=False, raw_pattern=False)
    converter.visit(converter.resolve_refs(json.loads(schema), "schema"), "")
    return str(converter.format_grammar())


def _literal(_: object, text: str) -> str:
    """GBNF for exactly `text`. The converter's own version drops backslashes and takes a character
    beyond U+FFFF for two that do not exist, so that enums with quotes or emoji cannot be met."""
    with contextlib.suppress(ValueError):  # a part of a word is no JSON and stands for itself
        text = json.dumps(json.loads(text), ensure_ascii=False)
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}
    return '"' + "".join(escapes.get(letter, letter) for letter in text) + '"'
