"""`orka schema`: what a workflow file may say, for editors."""

from __future__ import annotations

import click
import msgspec

from orka.agent.agent import AgentType
from orka.cli.options import Settings, loads
from orka.cli.output import print_json
from orka.spec.schema import json_schema
from orka.value import Json


@click.command()
@loads
def schema(*, settings: Settings) -> None:
    """Print the JSON Schema of workflow files, with the agent types that are installed."""
    agents = settings.open().registry.agents
    print_json(json_schema({name: options(agents[name]) for name in agents}))


# Options that hold a workflow of their own.
_WORKFLOWS = {"workflow", "internal_workflow"}


# Options that the orchestrator may give to all its agents.
_GIVEN = {"model", "params"}


def options(agent: AgentType) -> Json:
    """The JSON Schema of an agent type's own options."""
    (reference,), parts = msgspec.json.schema_components(
        [agent.config], ref_template="#/$defs/{name}"
    )
    found = parts.pop(str(reference["$ref"]).rpartition("/")[2])
    properties = {"params": {"type": "object"}, **found.get("properties", {})}
    for name in properties.keys() & _WORKFLOWS:
        properties[name] = {"description": "A workflow written in place.", "$ref": "#"}
    needed = [name for name in found.get("required", ()) if name not in _GIVEN]
    return {
        **found,
        "required": needed,
        "properties": properties,
        **({"$defs": parts} if parts else {}),
    }
