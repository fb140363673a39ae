"""The JSON Schema of files of OrKa 0.9: how an editor knows one, and how little it asks of it."""

from __future__ import annotations

from collections.abc import Iterable

from orka.spec.orka09.dialect import HEAD, KEYS, OLD, PARAMS
from orka.spec.orka09.words import TYPES
from orka.spec.workflow import STRICT
from orka.value import Json

AGENT = "agent09"
_GPT = {"type": "string", "pattern": "^openai-gpt"}


def spoken_schema() -> Json:
    """True of the files that are read as 0.9."""
    declared: Json = {"required": ["version"], "properties": {"version": _version(OLD)}}
    strict: Json = {"required": ["version"], "properties": {"version": _version(STRICT)}}
    return {"not": strict, "anyOf": [declared, _old()]}


def agent_schema() -> Json:
    """True of an agent that uses a word only 0.9 had; put under `$defs` as `AGENT`."""
    operation = {"properties": {"config": {"type": "object", "required": ["operation"]}}}
    return {
        "type": "object",
        "anyOf": [
            {"required": ["type"], "properties": {"type": {"anyOf": [{"enum": [*TYPES]}, _GPT]}}},
            *_any(KEYS),
            {"required": ["params"], "properties": {"params": {"anyOf": _any(PARAMS)}}},
            {
                "required": ["type", "config"],
                "properties": {"type": {"const": "memory"}, **operation["properties"]},
            },
            {
                "required": ["children"],
                "properties": {"children": {"type": "array", "contains": _agent()}},
            },
            *[
                {"required": [key], "properties": {key: _old()}}
                for key in ("internal_workflow", "workflow")
            ],
        ],
    }


def file_schema(types: Iterable[str]) -> Json:
    """What is asked of such a file: agents with ids and types that exist. Other keys are free."""
    known: Json = {"anyOf": [{"enum": [*dict.fromkeys((*types, *TYPES))]}, _GPT]}
    agent: Json = {
        "type": "object",
        "required": ["id", "type"],
        "properties": {"id": {"type": "string"}, "type": known},
    }
    return {
        "properties": {
            "orchestrator": {"type": "object"},
            "agents": {"type": "array", "minItems": 1, "items": agent},
        }
    }


def _version(name: str) -> Json:
    return {"enum": [name, float(name), f"{name}.0"]}


def _old() -> Json:
    return {
        "type": "object",
        "anyOf": [
            {"required": ["orchestrator"], "properties": {"orchestrator": {"anyOf": _any(HEAD)}}},
            {
                "required": ["agents"],
                "properties": {"agents": {"type": "array", "contains": _agent()}},
            },
        ],
    }


def _agent() -> Json:
    return {"$ref": f"#/$defs/{AGENT}"}


def _any(keys: Iterable[str]) -> list[Json]:
    return [{"type": "object", "required": [key]} for key in keys]
