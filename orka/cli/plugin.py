"""`orka plugin`: write a plugin to start from, and check one."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec

from orka.cli import exit, words
from orka.cli.new_plugin import KINDS, written
from orka.cli.options import machine
from orka.cli.output import print_json
from orka.errors import InputError
from orka.testing import plugin_suite

_MODULE = "module"
_COLOURS = {"pass": "green", "fail": "red", "skip": "yellow"}


@click.group()
def plugin() -> None:
    """Write a plugin, and check one."""


@plugin.command()
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice([_MODULE, *KINDS]),
    default=_MODULE,
    show_default=True,
    help="What it brings; a module begins with an agent, a tool and a guard.",
)
@click.option("--into", metavar="DIR", default=".", help="The folder to write it to.")
def new(*, name: str, kind: str, into: str) -> None:
    """Write a package with the plugin NAME: its manifest, one file per thing, tests that pass.

    Nothing that exists is written over. A dash in the name is an underscore in the module's.
    """
    name = name.replace("-", "_").removeprefix("orka_")
    kinds = ("agent", "tool", "guard") if kind == _MODULE else (kind,)
    files = written(name, kinds)
    folder = Path(into) / f"orka-{name.replace('_', '-')}"
    if folder.exists():
        raise InputError(
            f"{str(folder)!r} exists",
            fix="choose another name, or another folder with --into DIR",
            code="input.exists",
        )
    try:
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{str(folder)!r} cannot be written to: {error.strerror}", code="input.output_file"
        ) from None
    click.echo(f"wrote {len(files)} files to {folder}")
    click.echo(f"try: pip install -e {folder} && orka plugin check {name}")


@plugin.command()
@click.argument("named", metavar="NAME|FILE")
@click.option("--samples", metavar="FILE", help="Options, arguments and texts to try it with.")
@click.option("-v", "--verbose", is_flag=True, help="The checks that were skipped, too.")
@machine()
def check(*, named: str, samples: str | None, verbose: bool, form: str) -> int:
    """Check a plugin file, or an installed module or package, against the contract of plugins.

    Its agents, tools, guards and all else are tried out; the exit code is 1 if a check fails.
    """
    found = _checked(named, samples)
    counts = {word: sum(each.outcome == word for each in found) for word in _COLOURS}
    if form == "json":
        print_json({"counts": counts, "checks": msgspec.to_builtins(found)})
    else:
        rows = [
            (click.style(each.outcome, fg=_COLOURS[each.outcome]), each.kind, each.name, each.told)
            for each in found
            if verbose or each.outcome != "skip"
        ]
        click.echo(words.table(("", "of", "check", ""), rows))
        told = ", ".join(f"{count} {word}" for word, count in counts.items())
        more = " (`-v` lists what was skipped, and why)" if counts["skip"] and not verbose else ""
        click.echo(f"\n{named}: {told}{more}")
    return exit.FAILED if counts["fail"] else exit.COMPLETED


def _checked(named: str, samples: str | None) -> list[plugin_suite.Result]:
    """What each check says. What the plugin writes while it is tried is written to a folder that is
    gone afterwards."""
    plugin = str(Path(named).resolve()) if Path(named).is_file() else named
    given = str(Path(samples).resolve()) if samples else None
    with TemporaryDirectory() as folder, chdir(folder):
        return plugin_suite.results(plugin_suite.subject(plugin, given), plugin_suite.CHECKS)
