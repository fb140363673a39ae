"""`orka resume`: let a recorded run go on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from orka.api import Runtime
from orka.cli import select
from orka.cli.conduct import conduct
from orka.cli.exit import COMPLETED
from orka.cli.options import Settings, drives, machine, watched
from orka.cli.session import Begun
from orka.view.run import Run


@click.command()
@click.argument("run")
@click.option(
    "--salvage",
    is_flag=True,
    help="Of a damaged run: go on in a new run from the last intact event.",
)
@click.option(
    "--into",
    metavar="DIR",
    help="With --salvage: copy to this folder, for a store that cannot be written any more.",
)
@machine()
@watched
@drives
def resume(
    *,
    run: str,
    salvage: bool,
    into: str | None,
    form: str,
    output: Path | None,
    verbose: bool,
    settings: Settings,
) -> int:
    """Go on with RUN (an id, the beginning of one, or `last`) where its trace ends.

    What has been answered is not asked again.
    """

    if into and not salvage:
        raise click.UsageError("--into goes with --salvage")
    if into:
        id = asyncio.run(_copied(settings, run, into))
        click.echo(f"{id} is in {into}; go on with: orka resume {id} --store {into}")
        return COMPLETED

    async def verb(runtime: Runtime, begun: Begun) -> Run:
        id = select.run_id(runtime, run)
        if salvage:
            id = await runtime.salvage(id)
        begun(id)
        return await runtime.resume(id)

    return conduct(settings, lambda: verb, form=form, verbose=verbose, output=output)


async def _copied(settings: Settings, run: str, into: str) -> str:
    async with settings.open() as runtime:
        return await runtime.salvage(select.run_id(runtime, run), into)
