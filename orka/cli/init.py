"""`orka init`: a small workflow to start from."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click

from orka.errors import InputError

FILES = ("workflow.yml", "tools.py", "input.json")


@click.command()
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path))
def init(*, folder: Path) -> None:
    """Write a small workflow, a plugin file with its tools, and an input to DIR.

    Nothing that exists is written over.
    """
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise InputError(
            f"{', '.join(there)} would be written over",
            where=str(folder.resolve()),
            fix="name another folder: orka init DIR",
            code="input.exists",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            source = resources.files("orka.cli").joinpath("start", name)
            (folder / name).write_bytes(source.read_bytes())
    except OSError as error:
        raise InputError(
            f"{str(folder)!r} cannot be written to: {error.strerror}", code="input.output_file"
        ) from None
    click.echo(f"wrote {', '.join(FILES)} to {folder}")
    there_first = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"try: {there_first}orka run workflow.yml --json input.json --plugin tools.py")
