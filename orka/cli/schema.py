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
    """Print the JSON Schema of workflow files, with the agent types that are installed.

    Those that cannot be loaded are left out, and told on standard error.
    """
    agents = settings.open().registry.agents
    broken = {name: told for name in agents if (told := agents.problem(name))}
    for name, told in broken.items():
        click.echo(f"left out: {name}: {told}", err=True)
    print_json(json_schema({name: options(agents[name]) for name in agents if name not in broken}))


# Options that hold a workflow of their own.
_WORKFLOWS = {"workflow", "internal_workflow"}


# The option whose sets may be named, and are read in when the file is loaded.
_PRIORS = "priors"


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
    if _PRIORS in properties:
        properties[_PRIORS] = _named(properties[_PRIORS])
    needed = [name for name in found.get("required", ()) if name not in _GIVEN]
    return {
        **found,
        "required": needed,
        "properties": properties,
        **({"$defs": parts} if parts else {}),
    }


def _named(written: Json) -> Json:
    """A list of sets, as files may write it: a name, a set, or a list of both."""
    if "items" not in written:
        return written
    one = {"anyOf": [{"type": "string", "minLength": 1}, written["items"]]}
    return {
        "description": "Names of the library, files, or sets written in place.",
        "anyOf": [*one["anyOf"], {"type": "array", "items": one}],
    }
