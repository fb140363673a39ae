"""What a set of cases came to, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence

from orka.value import Json
from orka_support_triage.evals import Result
from orka_support_triage.schema.reading import builtins

COMPLETED, FAILED, REGRESSED = 0, 1, 2


def exit_code(results: Sequence[Result]) -> int:
    """2 if a golden output has changed, 1 if an expectation is not met, else 0."""
    if any(result.regression for result in results):
        return REGRESSED
    return FAILED if any(result.failed for result in results) else COMPLETED


def for_programs(results: Sequence[Result]) -> Json:
    """The report as JSON."""
    counts = {
        said: sum(check.said == said for result in results for check in result.checks)
        for said in ("pass", "fail", "not_checked")
    }
    failed = [result.eval_id for result in results if result.failed]
    return {"cases": builtins(results), "counts": counts, "failed": failed}


def for_people(results: Sequence[Result]) -> str:
    """The report as Markdown: a table, and why for all that did not pass."""
    lines = ["| case | run | status | passed | failed | not checked |", "|---|---|---|---|---|---|"]
    for result in results:
        numbers = [
            sum(check.said == said for check in result.checks)
            for said in ("pass", "fail", "not_checked")
        ]
        told = " | ".join(map(str, (result.eval_id, result.run, result.status, *numbers)))
        lines.append(f"| {told} |")
    for result in results:
        lines += ["", f"**{result.eval_id}**", ""]
        lines += [
            f"- {check.name}: {check.said.replace('_', ' ')} ({check.why})"
            for check in result.checks
            if check.said != "pass"
        ]
    return "\n".join(lines)
