"""Stored decisions of many runs: those of a workflow, of runs, or all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from orka.api import Runtime
from orka.cli.select import UNREADABLE, ids, lost, run_id
from orka.errors import InputError, LedgerError, OrkaError
from orka.source import load
from orka.view.decisions import Recorded, Written, written


class Unread(msgspec.Struct, frozen=True):
    """What cannot be read, and why: a run, or (then `run` and `node` say whose) a decision."""

    name: str
    error: OrkaError
    run: str = ""
    node: str = ""


class Stored(msgspec.Struct, frozen=True):
    """The decisions of some runs, oldest run first, and what of them cannot be read."""

    runs: tuple[str, ...]
    recorded: tuple[Recorded, ...]
    unread: tuple[Unread, ...]


def stored(runtime: Runtime, words: Sequence[str], *, every: bool) -> Stored:
    """The decisions that `words` (workflow files, ids of workflows, runs) mean, or `every` one.

    Raises `RunNotFound` and `InputError` for what means nothing.
    """
    if bool(words) == every:
        raise click.UsageError("give a workflow, runs, or --all (and not both)")
    if not every:
        return _read(runtime, *_meant(runtime, words))
    loss = lost(runtime)
    return _read(runtime, list(ids(runtime)), [Unread("the store", loss)] if loss else [])


def of_workflow(runtime: Runtime, id: str) -> Stored:
    """The decisions of all runs of a workflow; there may be none."""
    workflows, unread = _workflows(runtime)
    return _read(runtime, workflows.get(id, []), unread)


def _read(runtime: Runtime, chosen: Sequence[str], unread: Sequence[Unread]) -> Stored:
    """A decision that is damaged is told by itself; the others of its run are read."""
    found, problems = list[tuple[float, Recorded]](), list(unread)
    for id in chosen:
        try:
            run = runtime.open(id)
            at, made = run.started.at, list(written(run))
        except (*UNREADABLE, OrkaError) as error:
            problems.append(Unread(f"run {id}", _told(error)))
            continue
        for each in made:
            try:
                found.append((at, each.read()))
            except LedgerError as error:
                problems.append(Unread(name_of(each), error, each.run, each.node))
    found.sort(key=lambda pair: (pair[0], pair[1].run, pair[1].seq))
    return Stored(tuple(chosen), tuple(each for _, each in found), tuple(problems))


def name_of(recorded: Recorded | Written) -> str:
    """What a decision is called in tables: its run, its node, the number of its event."""
    return f"{recorded.run} {recorded.node} (event {recorded.seq})"


def nothing(found: Stored) -> InputError:
    """What to say of runs without a decision."""
    count = len(found.runs)
    return InputError(
        f"no decision is stored in {count} run{'' if count == 1 else 's'}",
        fix="an agent of type `graph-scout` records its decisions",
        code="input.no_decision",
    )


def tell_unread(unread: Sequence[Unread]) -> None:
    """What could not be read, to standard error."""
    for each in unread:
        click.echo(f"left out: {each.name}: [{each.error.code}] {each.error.what}", err=True)


def _told(error: Exception) -> OrkaError:
    if isinstance(error, OrkaError):
        return error
    return OrkaError(f"its record cannot be read: {error}", code="store.corrupt")


def _workflows(runtime: Runtime) -> tuple[dict[str, list[str]], list[Unread]]:
    """The runs of each workflow, and those of which nobody can tell."""
    workflows, unread = dict[str, list[str]](), list[Unread]()
    for id in ids(runtime):
        try:
            workflows.setdefault(runtime.open(id).started.workflow, []).append(id)
        except UNREADABLE as error:
            unread.append(Unread(f"run {id}", _told(error)))
    return workflows, unread


def _meant(runtime: Runtime, words: Sequence[str]) -> tuple[list[str], list[Unread]]:
    """The runs, and those of which nobody can tell whether they are meant."""
    workflows, unread = _workflows(runtime)
    chosen, broad = dict[str, None](), False
    for word in words:
        flow = load(word).id if Path(word).is_file() else word
        if flow not in workflows and flow != word:
            raise InputError(
                f"no run of the workflow {flow!r} is stored",
                where=word,
                fix=f"`orka run {word}` makes one; `orka runs` lists what there is",
                code="input.no_run",
            )
        broad = broad or flow in workflows
        chosen.update(dict.fromkeys(workflows.get(flow) or [run_id(runtime, word)]))
    asked = [each for each in unread if each.name.removeprefix("run ") not in chosen]
    return list(chosen), asked if broad else []
