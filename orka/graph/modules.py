"""The modules that a workflow names: they must be there before anything else is looked at."""

from __future__ import annotations

from collections.abc import Callable

from orka.errors import PluginError
from orka.spec.modules import KEY
from orka.spec.workflow import Workflow

# The version of a module by its name. Raises `PluginError` for one that is not there.
Versions = Callable[[str], str]


def modules_of(workflow: Workflow, versions: Versions | None) -> dict[str, str]:
    """`module:NAME` -> version. Raises `PluginError` with the place of the name; without
    `versions` nobody knows what is there."""
    found: dict[str, str] = {}
    for at, name in enumerate(workflow.modules):
        try:
            found[f"module:{name}"] = versions(name) if versions else ""
        except PluginError as error:
            places = ((*workflow.path, KEY, at), (*workflow.path, KEY))
            known = next((each for each in places if workflow.document.mark(each)), places[-1])
            error.where = error.where or workflow.document.where(known)
            raise
    return found
