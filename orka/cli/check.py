"""`orka check`: everything that can be found before a run, and what a file will do."""

from __future__ import annotations

from collections.abc import Sequence

import click

from orka.api import Runtime
from orka.cli import exit
from orka.cli.explain import plan_of, told
from orka.cli.options import Settings, loads, machine
from orka.cli.output import print_json
from orka.errors import OrkaError
from orka.graph.graph import Graph
from orka.source import load
from orka.spec.workflow import STRICT, Workflow
from orka.value import Json


@click.command()
@click.argument("flows", metavar="FLOW...", nargs=-1, required=True)
@click.option(
    "--explain",
    is_flag=True,
    help="Say what each file will do, and where OrKa 0.9 did something else.",
)
@machine()
@loads
def check(*, flows: Sequence[str], explain: bool, form: str, settings: Settings) -> int:
    """Check workflow files without running them. The exit code is 2 if one of them is not right;
    a warning does not change it."""
    runtime = settings.open()
    code, found = exit.COMPLETED, list[Json]()
    for flow in flows:
        try:
            workflow, graph = _checked(runtime, flow)
        except OrkaError as error:
            code = exit.of_error(error)
            found.append({"flow": flow, "ok": False, "error": _refused(error)})
            if form == "text":
                click.echo(f"{flow}: {error}", err=True)
        else:
            found.append(_found(flow, workflow, graph, explain=explain))
            if form == "text":
                _tell(found[-1])
    if form == "json":
        print_json(found)
    return code


def warned(runtime: Runtime, workflow: Workflow) -> str:
    """How many warnings a file of OrKa 0.9 has, in words; nothing without one."""
    if workflow.dialect == STRICT:
        return ""
    return _count(len(_warnings(workflow, runtime.check(workflow))))


def _count(warnings: int) -> str:
    return f"{warnings} warning{'' if warnings == 1 else 's'}" if warnings else ""


def _checked(runtime: Runtime, flow: str) -> tuple[Workflow, Graph]:
    workflow = load(flow)
    return workflow, runtime.check(workflow)


def _refused(error: OrkaError) -> Json:
    return {"code": error.code, "what": error.what, "where": error.where, "fix": error.fix}


def _found(flow: str, workflow: Workflow, graph: Graph, *, explain: bool) -> dict[str, Json]:
    found: dict[str, Json] = {
        "flow": flow,
        "ok": True,
        "nodes": len(graph.nodes),
        "digest": graph.digest,
        "dialect": workflow.dialect,
        "warnings": _warnings(workflow, graph),
    }
    if explain:
        found["plan"] = plan_of(graph)
        found["differences"] = [
            {"where": note.where, "does": note.does, "old": note.did}
            for note in workflow.notes
            if not note.warning
        ]
    return found


def _warnings(workflow: Workflow, graph: Graph) -> list[Json]:
    noted: list[Json] = [
        {"where": note.where, "what": note.does, "old": note.did}
        for note in workflow.notes
        if note.warning
    ]
    return noted + [
        {"where": finding.where, "what": finding.what, "fix": finding.fix}
        for finding in graph.findings
    ]


def _tell(found: dict[str, Json]) -> None:
    warnings = found["warnings"]
    old = "" if found["dialect"] == STRICT else f", written for OrKa {found['dialect']}"
    count = f", {_count(len(warnings))}" if warnings else ""
    click.echo(
        f"{found['flow']}: ok, {found['nodes']} nodes, digest {found['digest'][:12]}{old}{count}"
    )
    for warning in warnings:
        rest = warning.get("old") or warning.get("fix")
        click.echo(f"  warning: {warning['where']}: {warning['what']}{f' ({rest})' * bool(rest)}")
    if "plan" in found:
        click.echo(told(found["plan"], found["differences"]))
