"""What every plugin must do, as checks that whoever writes one can run.

    found = plugin_suite.subject("my_module", "samples.yml")

    @pytest.mark.parametrize("check", plugin_suite.CHECKS, ids=plugin_suite.name)
    def test_my_plugin(check):
        plugin_suite.meets(found, check)

`orka plugin check` runs the same ones. A check of a kind that the plugin does not bring is skipped.
"""

from __future__ import annotations

from unittest import SkipTest

from orka.testing.plugin_suite import agents, backends, guards, judging, loading, manifests, tools
from orka.testing.plugin_suite.check import Check, Outcome, Result, Skipped, results
from orka.testing.plugin_suite.subject import Samples, Subject, Thing, read_samples, subject

__all__ = [
    "CHECKS",
    "Check",
    "Outcome",
    "Result",
    "Samples",
    "Skipped",
    "Subject",
    "Thing",
    "meets",
    "name",
    "read_samples",
    "results",
    "subject",
]

CHECKS: tuple[Check, ...] = (
    *loading.CHECKS,
    *manifests.CHECKS,
    *agents.CHECKS,
    *tools.CHECKS,
    *guards.CHECKS,
    *judging.CRITERIA,
    *judging.STRATEGY,
    *judging.VIEWS,
    *backends.MODELS,
    *backends.STORES,
    *backends.MEMORIES,
    *backends.COMMAND,
)


def name(check: Check) -> str:
    """A check's name, for test ids."""
    return f"{check.kind} {check.name}"


def meets(found: Subject, check: Check) -> None:
    """Raises `AssertionError` if the plugin does not; `SkipTest` where there is nothing to see."""
    try:
        check(found)
    except Skipped as reason:
        raise SkipTest(str(reason)) from None
