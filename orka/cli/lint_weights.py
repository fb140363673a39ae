"""`orka lint-weights`: weights that cannot mean what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from orka.api import Runtime
from orka.cli import exit
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.cli.stored import Stored, Unread, nothing, of_workflow, stored, tell_unread
from orka.score.ledger import Ledger
from orka.score.lint import MEASURED, Finding, lint, lint_setting, unmeasured
from orka.score.setting import DEFAULT_PROFILE, Setting, factors_of, profile_weights
from orka.source import load
from orka.spec.workflow import Workflow
from orka.value import Json

# Options that hold a workflow.
_INSIDE = ("workflow", "internal_workflow")
_SCOUT, _SCOUT_09 = "graph-scout", "GraphScoutAgent"


@click.command("lint-weights")
@click.argument("what", metavar="[FLOW|RUN]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All runs of the store.")
@machine()
@reads
def lint_weights(*, what: Sequence[str], every: bool, form: str, settings: Settings) -> int:
    """Look for odd weights: of each graph-scout in a workflow file, and in the stored decisions of
    its runs; of a workflow by its id; of runs. No model is asked.

    Like the warnings of `orka check`, what is found does not change the exit code: it is 2 for a
    file that is not right, 5 if a record could not be read.
    """
    files = [word for word in what if Path(word).is_file()]
    others = [word for word in what if word not in files]
    found, unread = list[Finding](), list[Unread]()
    with settings.reading() as runtime:
        for file in files:
            found += of_file(runtime, file)
            records = of_workflow(runtime, load(file).id)
            found += [each for each in of_records(records) if each.kind in MEASURED]
            unread += records.unread
        if others or every or not files:
            records = stored(runtime, others, every=every)
            if not records.recorded and not records.unread:
                raise nothing(records)
            found += of_records(records)
            unread += records.unread
    _print(found, form)
    tell_unread(unread)
    return exit.STORE if unread else exit.COMPLETED


def of_records(records: Stored) -> list[Finding]:
    """What is odd about stored decisions, node by node."""
    nodes: dict[str, list[Ledger]] = {}
    for each in records.recorded:
        nodes.setdefault(each.node.rpartition("/")[2], []).append(each.ledger)
    return [_at(node, each) for node, ledgers in nodes.items() for each in lint(ledgers)]


def of_file(runtime: Runtime, file: str) -> list[Finding]:
    """What is odd about the weights in a workflow file. Raises `ConfigError` if it is not right."""
    workflow = load(file)
    runtime.check(workflow)
    return list(_of_scouts(workflow))


def _of_scouts(workflow: Workflow, around: str = "") -> Iterator[Finding]:
    """Of each scout in a workflow, and in those that are written inside it; `around` says where."""
    for agent in workflow.agents:
        where = f"{around}, in it {agent.id!r}" if around else workflow.where(agent.id)
        for name in _INSIDE:
            if isinstance(inner := agent.options.get(name), dict):
                yield from _of_scouts(load(inner), where)
        scout = agent.type == _SCOUT or agent.options.get("implementation") == _SCOUT_09
        if not scout or agent.options.get("scoring_mode") == "boolean":
            continue  # criteria decide there, whatever they weigh
        setting = _setting(agent.options)
        found = lint_setting(setting, budget=bool(agent.options.get("budget")))
        for each in (*found, *_unmeasured(agent.options, setting)):
            yield msgspec.structs.replace(each, where=where)


def _unmeasured(options: Mapping[str, Json], setting: Setting) -> Iterator[Finding]:
    """Factors that have weight, and nothing in the file that measures them."""
    judge = options.get("judge")
    silent = isinstance(judge, dict) and judge.get("mode") == "none"
    missing = {
        "llm": "no model is asked" if silent else "",
        "heuristics": "" if options.get("heuristics") else "there is no rule in `heuristics`",
        "prior": "" if options.get("priors") or options.get("learn") else "there are no `priors`",
    }
    for factor in setting.factors:
        if factor.weight and missing.get(factor.name):
            yield unmeasured(factor, missing[factor.name])


def _setting(options: Mapping[str, Json]) -> Setting:
    """What a scout's options say of weights."""
    weights, profile = options.get("weights"), options.get("profile") or ""
    policies = options.get("policies") or {}
    if weights is None:
        profile = profile or DEFAULT_PROFILE
        weights = profile_weights(profile)
    else:
        profile = ""
    factors = factors_of(weights, policies=policies, known=tuple(weights))
    setting = Setting(factors=factors, profile=profile)
    safer = tuple(options.get("safer") or setting.safer)
    too_close = "safer" if options.get("too_close") == "safer" else setting.too_close
    return msgspec.structs.replace(setting, too_close=too_close, safer=safer)


def _at(node: str, finding: Finding) -> Finding:
    where = f"{node}: {finding.where}" if finding.where else node
    return msgspec.structs.replace(finding, where=where)


def _print(found: Sequence[Finding], form: str) -> None:
    if form == "json":
        print_json([msgspec.to_builtins(each) for each in found])
    elif not found:
        click.echo("nothing odd about the weights")
    for each in found if form == "text" else ():
        click.echo(f"{each.where}: {each.what} ({each.fix})")
