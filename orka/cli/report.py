"""How a command that drove a run ends: the answer, or what to do next, and the exit code."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from orka.cli import exit, words
from orka.cli.output import print_json, print_value, write_file
from orka.cli.visible import visible
from orka.errors import OrkaError
from orka.value import Json, canonical
from orka.view.approvals import asks_for_yes
from orka.view.failure import remedies
from orka.view.run import Attempt, Run, Totals

# What a question about a call, or a sealed one, holds beside its prompt.
_ASKED = ("call", "show", "approvers", "expires", "seal")


def document(run: Run) -> Json:
    """The one JSON document of `--format json`."""
    body: dict[str, Json] = {"run": run.id, "status": run.status, "output": run.output}
    if run.failure:
        body["failure"] = msgspec.to_builtins(run.failure)
    if run.questions:
        body["waiting"] = [waiting(question) for question in run.questions]
    return {**body, "seconds": run.seconds, "usage": usage(run.totals)}


def usage(totals: Totals) -> Json:
    """Null is unknown; a run without model calls used and cost nothing."""
    none = 0 if not totals.calls else None
    return {
        "calls": totals.calls,
        "prompt_tokens": none if totals.prompt_tokens is None else totals.prompt_tokens,
        "completion_tokens": none if totals.completion_tokens is None else totals.completion_tokens,
        "cost": None if totals.unknown_cost else (totals.cost or 0.0),
        "currency": totals.currency,
    }


def waiting(question: Attempt) -> Json:
    prompt = question.payload.get("prompt")
    return {
        "node": node_of(question.id),
        "question": question.id,
        "prompt": prompt,
        "schema": question.payload.get("schema"),
        **{key: question.payload[key] for key in _ASKED if key in question.payload},
    }


def refused(error: OrkaError, run_id: str) -> Json:
    """The document when a command was ended by an error. Without a run nothing was recorded; with
    one, the run is whole up to its last event."""
    failure = msgspec.to_builtins(error.failure())
    status = "interrupted" if run_id else "failed"
    return {"run": run_id or None, "status": status, "output": None, "failure": failure}


def node_of(effect: str) -> str:
    """The path of the node behind an effect's id."""
    return effect.rpartition("#")[0]


def finish(run: Run, *, form: str, output: Path | None, live: bool = False) -> int:
    """Write what there is to say, and give the exit code. After a `live` view the answer stands
    apart from it."""
    if live:
        click.echo()
    if output is not None and run.status == "completed":
        write_file(output, run.output)
    if form == "json":
        print_json(document(run))
    elif run.status == "completed":
        print_value(run.output)
    elif run.status == "waiting":
        click.echo(waiting_text(run))
    if run.status not in ("completed", "waiting"):
        click.echo(failure_text(run), err=True)
    elif run.status == "completed":
        sys.stdout.flush()
        click.echo(f"\n{summary(run)}" if live else summary(run), err=True)
    return exit.of_status(run.status)


def waiting_text(run: Run) -> str:
    """Who is asked what, and how to answer."""
    lines = [f"{words.status('waiting')} for a person; run id: {run.id}"]
    for question in run.questions:
        node = node_of(question.id)
        lines += [
            f"  {node}: {visible(str(question.payload.get('prompt')), '  | ')}",
            *_bytes(question),
            f"    {how_to_answer(run.id, question)}",
        ]
    return "\n".join(lines)


def _bytes(question: Attempt) -> list[str]:
    """What a yes is to, byte for byte."""
    shown = question.payload.get("call", question.payload.get("show"))
    return [] if shown is None else [f"    {visible(canonical(shown).decode())}"]


def how_to_answer(run_id: str, question: Attempt) -> str:
    if question.payload.get("call") is not None:
        return f"orka approvals approve {run_id} {node_of(question.id)} --by NAME   (or deny)"
    if asks_for_yes(question.payload):
        return f"orka answer {run_id} {node_of(question.id)} --approve   (or --deny --reason WHY)"
    return f"orka answer {run_id} {node_of(question.id)} VALUE"


def failure_text(run: Run) -> str:
    """The three parts of an error, and the commands that help."""
    lines = [f"run {run.id} {run.status}"]
    if (failure := run.failure) is not None:
        lines.append(f"[{failure.code}] {visible(failure.message)}")
        lines += [f"  where: {failure.where}"] if failure.where else []
    lines += [f"  to do: {remedy}" for remedy in remedies(run)]
    return "\n".join(lines)


def summary(run: Run) -> str:
    """One line: the run's id (its trace), status, time, tokens and cost."""
    facts = [f"run {run.id}", words.status(run.status), words.duration(run.seconds)]
    if run.totals.calls:
        facts += [f"{words.tokens(run.totals)} tokens", f"cost {words.cost(run.totals)}"]
    return "  ".join(facts)
