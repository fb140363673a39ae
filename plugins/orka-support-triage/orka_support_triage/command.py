"""`orka triage-eval`: run cases, and say which expectations are met."""

from __future__ import annotations

import asyncio
import json
from importlib import resources
from pathlib import Path

import click

from orka.api import Runtime
from orka.source import load
from orka.spec.workflow import Workflow
from orka_support_triage.evals import EvalCase, Result, cases_in, checked, envelope_of, seen_in
from orka_support_triage.golden import compared, register
from orka_support_triage.report import exit_code, for_people, for_programs


@click.command()
@click.argument("cases", type=click.Path(path_type=Path), required=False)
@click.option("--flow", type=click.Path(path_type=Path), help="Another workflow file.")
@click.option("--store", default=".orka", envvar="ORKA_STORE", help="The folder runs are kept in.")
@click.option("--golden", type=click.Path(path_type=Path), help="The folder of golden outputs.")
@click.option("--register", "registers", is_flag=True, help="Write the golden outputs down.")
@click.option("--format", "form", type=click.Choice(("markdown", "json")), default="markdown")
def triage_eval(
    *,
    cases: Path | None,
    flow: Path | None,
    store: str,
    golden: Path | None,
    registers: bool,
    form: str,
) -> int:
    """Run the eval cases of a file (those of the package) and report what is met.

    Exit codes: 0 all that was checked is met, 1 something is not, 2 a golden output has changed.
    """
    if registers and golden is None:
        raise click.UsageError("--register needs --golden DIR")
    cases = cases or shipped("samples/eval_cases.json")
    workflow = load(flow or shipped("support_triage.yml"))
    results = asyncio.run(_all(cases, workflow, store, golden, registers=registers))
    if form == "json":
        click.echo(json.dumps(for_programs(results), indent=2))
    else:
        click.echo(for_people(results))
    return exit_code(results)


def shipped(name: str) -> Path:
    """A file of the package."""
    return Path(str(resources.files("orka_support_triage").joinpath(name)))


async def _all(
    cases: Path, workflow: Workflow, store: str, golden: Path | None, *, registers: bool
) -> list[Result]:
    async with Runtime(store=store) as runtime:
        return [
            await evaluated(runtime, workflow, case, cases, golden, registers=registers)
            for case in cases_in(cases)
        ]


async def evaluated(
    runtime: Runtime,
    workflow: Workflow,
    case: EvalCase,
    cases: Path,
    golden: Path | None = None,
    *,
    registers: bool = False,
) -> Result:
    """One case, run and checked. A run that waits for a person is checked as far as it is."""
    envelope = envelope_of(case, cases)
    run = await runtime.run(workflow, envelope)
    seen = seen_in(run)
    checks = checked(case, seen)
    if golden is not None:
        if registers:
            register(golden, case.eval_id, envelope, seen.output)
        checks = (*checks, compared(golden, case.eval_id, envelope, seen.output))
    changed = any(check.name == "golden" and check.said == "fail" for check in checks)
    return Result(
        eval_id=case.eval_id, run=run.id, status=run.status, checks=checks, regression=changed
    )
