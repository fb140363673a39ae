"""`orka memory`: what agents have kept, beside the runs."""

from __future__ import annotations

import time

import click
import msgspec

from orka.cli import words
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.port.memory import Match, Query

_HEAD = ("key", "score", "written", "gone", "content")


@click.group()
def memory() -> None:
    """Look at what agents have kept, and take out what is gone."""


@memory.command()
@click.option("--namespace", default="", help="Only this one.")
@machine()
@reads
def stats(*, namespace: str, form: str, settings: Settings) -> None:
    """Count entries by namespace, type and category."""
    with settings.reading() as runtime:
        found = runtime.memory.memory.stats(now=time.time(), namespace=namespace)
    if form == "json":
        print_json(msgspec.to_builtins(found))
        return
    counts = (
        ("namespace", found.by_namespace),
        ("type", found.by_type),
        ("category", found.by_category),
    )
    rows = [(what, name, str(n)) for what, each in counts for name, n in each.items()]
    total = [("", "all", str(found.total)), ("", "gone, not yet taken out", str(found.expired))]
    click.echo(words.table(("by", "name", "entries"), [*rows, *total], right="entries"))


@memory.command()
@click.argument("query", default="")
@click.option("--namespace", default="default", show_default=True, help="Where to look.")
@click.option("--user", default="", help="Whose entries; without it, those of no user.")
@click.option("--limit", type=click.IntRange(1), default=10, show_default=True, help="How many.")
@machine()
@reads
def search(
    *, query: str, namespace: str, user: str, limit: int, form: str, settings: Settings
) -> None:
    """Find entries by the words of QUERY; without one, the newest."""
    asked = Query(namespace=namespace, user=user, text=query or None, limit=limit)
    with settings.reading() as runtime:
        found = runtime.memory.memory.search(asked, now=time.time()).found
    if form == "json":
        print_json(msgspec.to_builtins(found))
    elif found:
        click.echo(words.table(_HEAD, [_cells(match) for match in found], right="score"))
    else:
        click.echo(f"nothing found in namespace {namespace!r}", err=True)


@memory.command()
@machine()
@reads
def cleanup(*, form: str, settings: Settings) -> None:
    """Take out the entries whose time is over. No reader sees them any more anyway."""
    with settings.reading() as runtime:
        removed = runtime.memory.memory.expire(time.time())
    if form == "json":
        print_json({"removed": removed})
    else:
        click.echo(f"{removed} taken out")


def _cells(match: Match) -> tuple[str, ...]:
    entry = match.entry
    return (
        entry.key,
        "" if match.score is None else f"{match.score:.2f}",
        words.moment(entry.updated_at),
        "" if entry.expires_at is None else words.moment(entry.expires_at),
        words.short(entry.content),
    )
