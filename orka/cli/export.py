"""`orka export`: a recorded run in another trace format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from orka.cli import select
from orka.cli.options import Settings, reads
from orka.cli.output import print_json, write_file
from orka.errors import OrkaError
from orka.spec.text import decode
from orka.spec.yaml import read
from orka.value import Json
from orka.view.export09 import export09
from orka.view.run import Run

_BODIES = ("internal_workflow", "workflow")


@click.command()
@click.argument("run")
@click.option("--orka09", is_flag=True, required=True, help="The trace format of OrKa 0.9.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to a file, in UTF-8.",
)
@reads
def export(*, run: str, orka09: bool, output: Path | None, settings: Settings) -> None:
    """Print RUN (an id, the beginning of one, or `last`) in the trace format of OrKa 0.9."""
    with settings.reading() as runtime:
        recorded = runtime.open(select.run_id(runtime, run))
        trace = export09(recorded, types_of(recorded))
    if output is None:
        print_json(trace)
    else:
        write_file(output, trace)


def types_of(run: Run) -> dict[str, str]:
    """The agent type at each path of the run's workflow, as its author wrote it."""
    if not run.started.flow:
        return {}
    name = run.started.workflow
    try:
        value = read(decode(run.blobs()[run.started.flow], name), name).value
    except OrkaError:
        return {}  # a source that cannot be read any more: the trace is whole without it
    return dict(_types(value, ""))


def _types(value: Json, above: str) -> Iterator[tuple[str, str]]:
    agents = value.get("agents") if isinstance(value, dict) else None
    yield from _listed(agents, above)


def _listed(agents: Json, above: str) -> Iterator[tuple[str, str]]:
    for agent in agents if isinstance(agents, list) else ():
        if not isinstance(agent, dict):
            continue
        path = f"{above}{agent.get('id')}"
        yield path, _type(agent)
        for key in _BODIES:
            yield from _types(agent.get(key), f"{path}/")
        yield from _listed(agent.get("children"), f"{path}/")


def _type(agent: dict[str, Json]) -> str:
    config = agent.get("config")
    written = agent.get("operation") or (isinstance(config, dict) and config.get("operation"))
    return (
        "memory write"
        if (agent.get("type"), written) == ("memory", "write")
        else str(agent.get("type"))
    )
