"""`orka answer`: tell a waiting run what a person says."""

from __future__ import annotations

from pathlib import Path

import click

from orka.api import Runtime
from orka.api.wiring import names_of
from orka.cli import select
from orka.cli.conduct import conduct
from orka.cli.options import Settings, drives, machine, watched
from orka.cli.session import Begun
from orka.value import Json, parse
from orka.view.run import Run


@click.command()
@click.argument("run")
@click.argument("node")
@click.argument("value", required=False)
@click.option("--approve/--deny", "approved", default=None, help="A yes or a no to an approval.")
@click.option("--by", default="", metavar="NAME", help="Who says so.")
@click.option("--reason", default="", metavar="TEXT", help="Why.")
@machine()
@watched
@drives
def answer(
    *,
    run: str,
    node: str,
    value: str | None,
    approved: bool | None,
    by: str,
    reason: str,
    form: str,
    output: Path | None,
    verbose: bool,
    settings: Settings,
) -> int:
    """Answer what NODE of the waiting RUN asks, with VALUE (JSON or text) or with --approve or
    --deny, and let the run go on."""
    said = _said(value, approved=approved, by=by, reason=reason)

    async def verb(runtime: Runtime, begun: Begun) -> Run:
        id = select.run_id(runtime, run)
        begun(id)
        seal = _seal(runtime.open(id), node) if value is None else ""
        return await runtime.answer(id, node, {**said, "seal": seal} if seal else said)

    return conduct(settings, lambda: verb, form=form, verbose=verbose, output=output)


def _seal(run: Run, node: str) -> str:
    """The seal of the one question that `node` has open; empty if it has none."""
    asked = [each for each in run.questions if node in names_of(each.id)]
    return str(asked[0].payload.get("seal", "")) if len(asked) == 1 else ""


def _said(value: str | None, *, approved: bool | None, by: str, reason: str) -> Json:
    if (value is None) == (approved is None):
        raise click.UsageError("give VALUE, --approve or --deny: exactly one of them")
    if value is None:
        notes = {"by": by, "reason": reason}
        return {"approved": approved, **{key: text for key, text in notes.items() if text}}
    if by or reason:
        raise click.UsageError("--by and --reason go with --approve or --deny")
    try:
        return parse(value)
    except ValueError:
        return value
