"""OrKa: a YAML-first runtime for agent graphs in which only the model is allowed to be fuzzy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orka.agent.agent import agent
    from orka.agent.context import Context
    from orka.agent.tool import tool
    from orka.api import (
        Runtime,
        check,
        load,
        open_run,
        replay,
        resume,
        run,
        run_sync,
    )
    from orka.errors import EffectFailed, OrkaError
    from orka.spec.workflow import Workflow
    from orka.view.run import Run

__version__ = "1.0.0a1"

_HOMES = {
    "Context": "orka.agent.context",
    "EffectFailed": "orka.errors",
    "OrkaError": "orka.errors",
    "Run": "orka.view.run",
    "Runtime": "orka.api",
    "Workflow": "orka.spec.workflow",
    "agent": "orka.agent.agent",
    "check": "orka.api",
    "load": "orka.api",
    "open_run": "orka.api",
    "replay": "orka.api",
    "resume": "orka.api",
    "run": "orka.api",
    "run_sync": "orka.api",
    "tool": "orka.agent.tool",
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


def __getattr__(name: str) -> object:
    """Names are imported when first used, so that `import orka` costs next to nothing."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'orka' has no attribute {name!r}")
