"""The short form of a contract, and what agents of OrKa 0.9 were held to when they named none."""

from __future__ import annotations

from collections.abc import Mapping

from orka.errors import ConfigError, nearest
from orka.value import Json

FIELDS = ("required", "optional", "types", "strict")
EXTRAS = ("units", "min_confidence", "max_age")
KEYS = ("schema", *FIELDS, *EXTRAS)
_TYPES = {
    **dict.fromkeys(("string", "str", "text"), "string"),
    **dict.fromkeys(("number", "num", "float"), "number"),
    **dict.fromkeys(("integer", "int"), "integer"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list"), "array"),
    **dict.fromkeys(("object", "dict", "map"), "object"),
}
_PATH = {"expected_output": "string", "estimated_tokens": "integer", "estimated_cost": "number"}
DEFAULTS: dict[str, dict[str, Json]] = {
    "openai-answer": {
        "required": ["response"],
        "optional": {"confidence": "number", "internal_reasoning": "string"},
    },
    "openai-classification": {
        "required": ["category", "confidence"],
        "types": {"confidence": "number"},
        "optional": {"reasoning": "string", "alternatives": "array"},
    },
    "openai-binary": {
        "required": ["result"],
        "types": {"result": "boolean"},
        "optional": {"confidence": "number", "reasoning": "string"},
    },
    "path-evaluator": {
        "required": ["relevance_score", "confidence", "reasoning"],
        "types": {"relevance_score": "number", "confidence": "number"},
        "optional": {
            **_PATH,
            "estimated_latency_ms": "integer",
            "efficiency_rating": "string",
            "risk_factors": "array",
        },
    },
    "path-validator": {
        "required": ["approved", "validation_score"],
        "types": {"approved": "boolean", "validation_score": "number"},
        "optional": {"concerns": "array", "suggestions": "array"},
    },
    "path-comprehensive": {
        "required": ["recommended_path", "reasoning", "confidence"],
        "types": {"recommended_path": "array", "confidence": "number"},
        "optional": {"expected_outcome": "string", "path_evaluations": "array"},
    },
    "plan-validator": {
        "required": ["completeness", "efficiency", "safety", "coherence"],
        "types": dict.fromkeys(("completeness", "efficiency", "safety", "coherence"), "object"),
        "optional": {"rationale": "string"},
    },
}
DEFAULTS["local_llm"] = DEFAULTS["openai-answer"]


def is_short(written: Mapping[str, Json]) -> bool:
    """Whether a map is the short form: nothing but its own keys, and not plain JSON Schema."""
    return bool(written) and all(key in KEYS for key in written)


def expanded(written: Mapping[str, Json]) -> Json:
    """The JSON Schema of `required`, `optional`, `types` and `strict`. Raises `ConfigError`."""
    required = _names(written.get("required", []))
    types = _map(written, "types")
    properties = {name: _schema(name, types.get(name, "string")) for name in required}
    for name, kind in [*types.items(), *_map(written, "optional").items()]:
        properties.setdefault(name, _schema(name, kind))
    strict = written.get("strict", False)
    if not isinstance(strict, bool):
        raise wrong(f"`strict` is {strict!r}", "write true or false")
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": not strict,
    }


def _names(written: Json) -> list[str]:
    if not isinstance(written, list) or not all(isinstance(name, str) for name in written):
        raise wrong("`required` is no list of names", "write required: [a, b]")
    return list(dict.fromkeys(written))


def _map(written: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = written.get(key, {})
    if isinstance(found, list):
        return dict.fromkeys(_names(found), "string")
    if not isinstance(found, Mapping):
        raise wrong(f"`{key}` is no map", f"write {key}: {{name: type}}")
    return found


def _schema(name: str, kind: Json) -> Json:
    """The schema of a field: of the name of a type, a list of allowed values, or a schema."""
    if isinstance(kind, list):
        return {"enum": kind}
    if isinstance(kind, (Mapping, bool)):
        return kind
    if not isinstance(kind, str) or kind.casefold() not in _TYPES:
        raise wrong(f"the type of {name!r} is {kind!r}", nearest(str(kind), _TYPES))
    return {"type": _TYPES[kind.casefold()]}


def wrong(what: str, fix: str) -> ConfigError:
    return ConfigError(f"the contract of the answer: {what}", fix=fix, code="config.contract")
