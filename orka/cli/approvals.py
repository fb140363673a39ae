"""`orka approvals`: what waits for a person's yes, the bytes it is about, and the answer."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import click

from orka.api import Runtime
from orka.cli import exit, select, words
from orka.cli.conduct import Verb, conduct
from orka.cli.options import Settings, drives, machine, reads, watched
from orka.cli.output import print_json
from orka.cli.session import Begun
from orka.cli.visible import visible
from orka.errors import InputError, nearest
from orka.value import Json, parse
from orka.view.approvals import Approval, answer_to
from orka.view.approvals import approvals as waiting
from orka.view.run import Run

# In front of further lines of a text, so that none can be taken for a row of its own.
_FURTHER = " " * 7 + "| "
_HEAD = ("run", "node", "asked", "why", "who", "until")


@click.group()
def approvals() -> None:
    """See what waits for a person, and say yes or no."""


@approvals.command("list")
@click.argument("run", default="")
@machine()
@reads
def list_(*, run: str, form: str, settings: Settings) -> int:
    """List what waits for a person: in RUN, or in all recorded runs."""
    with settings.reading() as runtime:
        ids = [select.run_id(runtime, run)] if run else list(select.ids(runtime))
        found, damaged = _found(runtime, ids)
    if form == "json":
        print_json([_document(each) for each in found])
    elif found:
        click.echo(words.table(_HEAD, [_cells(each) for each in found]))
    else:
        click.echo("nothing waits for a person", err=True)
    if damaged:
        click.echo(f"\ndamaged: `orka show {damaged[0]}` shows what is intact", err=True)
    return exit.STORE if damaged else exit.COMPLETED


def _found(runtime: Runtime, ids: list[str]) -> tuple[list[Approval], list[str]]:
    """What waits in these runs, and which of them cannot be read."""
    found, damaged = list[Approval](), list[str]()
    for id in ids:
        try:
            found += waiting(runtime.open(id))
        except select.UNREADABLE:
            damaged.append(id)
    return found, damaged


@approvals.command()
@click.argument("run")
@click.argument("node", default="")
@machine()
@reads
def show(*, run: str, node: str, form: str, settings: Settings) -> None:
    """Show what NODE of RUN asks: the very bytes that run after a yes."""
    with settings.reading() as runtime:
        found = _one(runtime.open(select.run_id(runtime, run)), node)
    if form == "json":
        print_json(_document(found))
    else:
        click.echo(_text(found))


def _answers(name: str, *, approved: bool, told: str) -> click.Command:
    """A command that answers with a yes or a no."""

    @approvals.command(name, help=f"Say {told} to what NODE of RUN asks, and let the run go on.")
    @click.argument("run")
    @click.argument("node", default="")
    @click.option("--by", required=True, metavar="NAME", help="Who says so.")
    @click.option("--reason", default="", metavar="TEXT", help="Why.")
    @machine()
    @watched
    @drives
    def answered(
        *,
        run: str,
        node: str,
        by: str,
        reason: str,
        form: str,
        output: Path | None,
        verbose: bool,
        settings: Settings,
    ) -> int:
        verb = _answering(run, node, approved=approved, by=by, reason=reason)
        return conduct(settings, lambda: verb, form=form, verbose=verbose, output=output)

    return answered


approve = _answers("approve", approved=True, told="yes")
deny = _answers("deny", approved=False, told="no")


def _answering(word: str, node: str, *, approved: bool, by: str, reason: str) -> Verb:
    """Read the question, show it, and answer that one: its seal goes with the answer."""

    async def verb(runtime: Runtime, begun: Begun) -> Run:
        run = runtime.open(select.run_id(runtime, word))
        found = _one(run, node)
        if not found.yes_or_no:
            raise InputError(
                f"{found.question!r} does not ask for a yes or a no",
                fix=f"`orka answer {run.id} {found.node} VALUE` answers it",
                code="approval.answer",
            )
        click.echo(f"{'approving' if approved else 'denying'}\n{_text(found)}", err=True)
        begun(run.id)
        answer = answer_to({"seal": found.seal}, approved=approved, by=by, reason=reason)
        return await runtime.answer(run.id, found.question, answer)

    return verb


def _one(run: Run, node: str) -> Approval:
    """The open question of a node; without one, the only there is. Raises `InputError`."""
    found = waiting(run)
    fitting = [each for each in found if node in ("", each.node, each.question, _last(each.node))]
    if len(fitting) == 1:
        return fitting[0]
    names = [each.node if _only(each, found) else each.question for each in found]
    fix = nearest(node, names) if node else f"say which: {', '.join(names)}"
    of = f" of {node!r}" if node else ""
    raise InputError(
        f"run {run.id!r} has {len(fitting) or 'no'} open questions{of}",
        fix=fix if found else f"see `orka show {run.id}`",
        code="input.no_question",
    )


def _only(one: Approval, found: list[Approval]) -> bool:
    return sum(each.node == one.node for each in found) == 1


def _last(path: str) -> str:
    return path.rpartition("/")[2]


def _document(one: Approval) -> Json:
    shown = parse(one.shown) if one.shown else None
    return {**asdict(one), "approvers": list(one.approvers), "value": shown, "expired": _over(one)}


def _over(one: Approval) -> bool:
    return one.expires is not None and time.time() > one.expires


def _cells(one: Approval) -> list[str]:
    return [
        one.run,
        one.node,
        words.short(one.shown or one.prompt),
        words.short(_why(one)),
        ", ".join(one.approvers) or "anybody",
        _until(one),
    ]


def _why(one: Approval) -> str:
    return f"{one.reason}; tainted" if one.tainted and one.reason else one.reason


def _until(one: Approval) -> str:
    if one.expires is None:
        return ""
    return f"{words.moment(one.expires)}{' (over)' if _over(one) else ''}"


def _text(one: Approval) -> str:
    """The page of one question: the bytes first."""
    rows = [
        ("run", f"{one.run}  (workflow {one.workflow})"),
        ("node", one.node),
        ("asked", one.prompt),
        ("tool", one.tool),
        ("bytes", one.shown),
        ("why", one.reason),
        ("rule", one.rule),
        ("tainted", "yes: the run holds text that is only data" if one.tainted else "no"),
        ("who may", ", ".join(one.approvers) or "anybody"),
        ("until", _until(one) or "no limit"),
        ("seal", one.seal),
    ]
    told = ((name, visible(text, _FURTHER)) for name, text in rows if text)
    return "\n".join(f"{name:<8} {text}" for name, text in told)
