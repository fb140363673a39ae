"""A JSON Schema of workflow files, so that an editor can complete keys and mark mistakes."""

from __future__ import annotations

from collections.abc import Mapping

from orka.spec.guards import PLACES
from orka.spec.load import ID_PATTERN, STRATEGIES
from orka.spec.orka09 import schema as orka09
from orka.spec.policy import policy_schema
from orka.value import Json

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(agent_types: Mapping[str, Json]) -> Json:
    """The schema (draft 2020-12) of a workflow file that may use `agent_types`, each with the JSON
    Schema of its own options. `$ref: "#"` within those means a whole workflow."""
    definitions: dict[str, Json] = {"id": _id(), "agent": _agent(agent_types)}
    for name, options in agent_types.items():
        for key, definition in options.get("$defs", {}).items():
            definitions[f"{name}.{key}"] = _moved(definition, name)
    definitions[orka09.AGENT] = orka09.agent_schema()
    return {
        "$schema": DIALECT,
        "title": "OrKa workflow",
        "type": "object",
        "required": ["orchestrator", "agents"],
        "if": orka09.spoken_schema(),
        "then": orka09.file_schema(agent_types),
        "else": _file(),
        "$defs": definitions,
    }


def _file() -> Json:
    """A file of this language. Files of OrKa 0.9 are asked for less: see `orka check`."""
    return {
        "additionalProperties": False,
        "patternProperties": {
            "^x-": {"description": "Yours: kept and ignored. A place for anchors."},
        },
        "properties": {
            "orchestrator": _orchestrator(),
            "agents": {
                "description": "The agents of this workflow.",
                "type": "array",
                "minItems": 1,
                "items": {"$ref": "#/$defs/agent"},
            },
            "version": {"description": "The language of this file.", "enum": [1, "1"]},
            "modules": _modules(),
            "name": {"description": "A title for people."},
            "description": {"description": "What this workflow is for."},
            "meta": {"description": "Anything; kept and ignored. A place for anchors."},
        },
    }


def _modules() -> Json:
    word = {"type": "string", "minLength": 1}
    many = {"type": "array", "items": word, "uniqueItems": True}
    return {"description": "What has to be installed.", "anyOf": [word, many]}


def _id() -> Json:
    return {"type": "string", "pattern": f"^{ID_PATTERN}$"}


def _ids(description: str) -> Json:
    one = {"$ref": "#/$defs/id"}
    many = {"type": "array", "items": one, "uniqueItems": True}
    return {"description": description, "anyOf": [one, many]}


def _seconds(description: str) -> Json:
    return {"description": description, "type": "number", "exclusiveMinimum": 0}


def _orchestrator() -> Json:
    order = {"type": "array", "items": {"$ref": "#/$defs/id"}, "minItems": 1, "uniqueItems": True}
    return {
        "description": "The workflow as a whole.",
        "type": "object",
        "required": ["id"],
        "additionalProperties": False,
        "properties": {
            "id": {"description": "The name of this workflow.", "type": "string", "minLength": 1},
            "strategy": {
                "description": "In the order written, or along the edges of the graph.",
                "enum": list(STRATEGIES),
                "default": STRATEGIES[0],
            },
            "agents": {
                "description": "The order of the agents; left out: the order of the file.",
                "anyOf": [{"$ref": "#/$defs/id"}, order],
            },
            "timeout": _seconds("Seconds after which the run is ended."),
            "model": {"description": "The model of agents that name none.", "type": "string"},
            "params": {"description": "Parameters given to every agent.", "type": "object"},
            "max_concurrency": {
                "description": "How many effects of a run are performed at once.",
                "type": "integer",
                "minimum": 1,
            },
            "guards": _guards("What looks at all that comes in, before it is recorded."),
            "policy": policy_schema(),
        },
    }


def _agent(agent_types: Mapping[str, Json]) -> Json:
    return {
        "type": "object",
        "required": ["id", "type"],
        "properties": {"id": {"$ref": "#/$defs/id"}, "type": {"enum": list(agent_types)}},
        "allOf": [_of_type(name, options) for name, options in agent_types.items()],
    }


def _of_type(name: str, options: Json) -> Json:
    """What an agent of type `name` may say: the common keys and its own, and nothing else."""
    own = {key: item for key, item in options.items() if key not in ("$defs", "$schema", "title")}
    then = {
        **_moved(own, name),
        "type": "object",
        "properties": {**_moved(options.get("properties", {}), name), **_common()},
        "additionalProperties": options.get("additionalProperties", False),
    }
    return {"if": {"properties": {"type": {"const": name}}, "required": ["type"]}, "then": then}


def _common() -> dict[str, Json]:
    """The keys that every agent has."""
    return {
        "id": {"description": "The name of this agent.", "$ref": "#/$defs/id"},
        "type": {"description": "The kind of agent.", "type": "string"},
        "next": _ids("What runs after it; an empty list ends the branch."),
        "depends_on": _ids("What must have run before it."),
        "when": {"description": "A condition: without it the agent runs.", "type": "string"},
        "writes": {
            "description": "The agent upstream whose output this one's takes the place of.",
            "$ref": "#/$defs/id",
        },
        "on_error": {"description": "The agent that runs if it fails.", "$ref": "#/$defs/id"},
        "retries": {
            "description": "How often a failed effect is asked for again.",
            "type": "integer",
            "minimum": 0,
            "default": 0,
        },
        "backoff": _backoff(),
        "timeout": _seconds("Seconds after which this agent fails."),
        "capabilities": {
            "description": "Words for what it can do, for whoever chooses among agents.",
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "uniqueItems": True,
        },
        "description": {
            "description": "What it is for, for whoever chooses among agents.",
            "type": "string",
            "minLength": 1,
        },
        "guards": _guards("What looks at all that its effects bring in, before it is recorded."),
    }


def _guards(description: str) -> Json:
    """A guard is a name, or a map with its own options."""
    word = {"type": "string", "minLength": 1}
    place = {"enum": list(PLACES)}
    keys = {
        "use": {"description": "The name of the guard.", **word},
        "on": {
            "description": "What it looks at; left out: all that comes in.",
            "anyOf": [place, {"type": "array", "items": place, "minItems": 1, "uniqueItems": True}],
        },
        "reversible": {
            "description": "Keep what it takes out in the vault, under a numbered placeholder.",
            "type": "boolean",
            "default": False,
        },
        "reveal_to": {
            "description": "Tools whose arguments get the values back.",
            "anyOf": [word, {"type": "array", "items": word, "uniqueItems": True}],
        },
    }
    one = {"anyOf": [word, {"type": "object", "required": ["use"], "properties": keys}]}
    return {"description": description, "anyOf": [*one["anyOf"], {"type": "array", "items": one}]}


def _backoff() -> Json:
    def at_least(minimum: int, default: float, description: str) -> Json:
        kind = {"type": "number", "minimum": minimum, "default": default}
        return {"description": description, **kind}

    return {
        "description": "How long to wait before a retry.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "initial": at_least(0, 0.5, "Seconds before the first retry."),
            "factor": at_least(1, 2.0, "Each wait is this many times the one before."),
            "limit": at_least(0, 30.0, "No wait is longer than these seconds."),
        },
    }


def _moved(schema: Json, name: str) -> Json:
    """`schema` with references to its own definitions turned to where they stand in the whole."""
    if isinstance(schema, list):
        return [_moved(item, name) for item in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {key: _moved(item, name) for key, item in schema.items()}
    reference = moved.get("$ref")
    if isinstance(reference, str):
        moved["$ref"] = reference.replace("#/$defs/", f"#/$defs/{name}.", 1)
    return moved
