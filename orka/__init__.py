"""OrKa: a YAML-first runtime for agent graphs in which only the model is allowed to be fuzzy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.tool import tool
from orka.errors import EffectFailed, OrkaError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from orka.api import Runtime, check, open_run, replay, resume, run_sync
    from orka.source import Flow, load
    from orka.spec.workflow import Workflow
    from orka.value import Json
    from orka.view.run import Run

__version__ = "1.0.0a1"

_HOMES = {
    "Run": "orka.view.run",
    "Runtime": "orka.api",
    "Workflow": "orka.spec.workflow",
    "check": "orka.api",
    "load": "orka.source",
    "open_run": "orka.api",
    "replay": "orka.api",
    "resume": "orka.api",
    "run_sync": "orka.api",
}

__all__ = [
    "Context",
    "EffectFailed",
    "OrkaError",
    "Run",
    "Runtime",
    "Workflow",
    "__version__",
    "agent",
    "check",
    "load",
    "open_run",
    "replay",
    "resume",
    "run",
    "run_sync",
    "tool",
]


# The room `run` shares its name with the function: bound first, so that the function wins.
import_module("orka.run")


def run(flow: Flow, input: Json = None, **settings: object) -> Coroutine[None, None, Run]:
    """Run a workflow once: `await orka.run(flow, input)`. `settings` are those of `Runtime`."""
    made: Coroutine[None, None, Run] = import_module("orka.api").run(flow, input, **settings)
    return made


def __getattr__(name: str) -> object:
    """Names are imported when first used, so that `import orka` costs next to nothing."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'orka' has no attribute {name!r}")
