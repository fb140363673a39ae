"""What the process says when it ends: one number for each kind of end."""

from __future__ import annotations

from orka.errors import (
    ConfigError,
    Diverged,
    GuardError,
    InputError,
    LedgerError,
    OrkaError,
    PluginError,
    RunNotFound,
    StoreError,
    TemplateError,
)
from orka.event.event import Status

COMPLETED = 0
FAILED = 1
"""The run failed, or something `orka doctor` looked at is broken."""
USAGE = 2
"""The command line, a workflow file, a plugin or the input is not right; no run was made."""
WAITING = 3
"""The run waits for a person; `orka answer` lets it go on."""
EXHAUSTED = 4
"""The run used up a budget."""
STORE = 5
"""The store is damaged, full, or another process drives the run. Nothing recorded is lost."""
DIVERGED = 6
"""A replay decided something else than what was recorded."""
CANCELLED = 130
"""Ctrl-C, `--timeout`, or a signal; `orka resume` goes on."""
BROKEN_PIPE = 141
"""Whoever read the output has gone away, as in `orka trace last | head`."""

_BY_STATUS: dict[Status, int] = {
    "completed": COMPLETED,
    "failed": FAILED,
    "waiting": WAITING,
    "exhausted": EXHAUSTED,
    "cancelled": CANCELLED,
    "running": FAILED,
}
_USAGE_ERRORS = (ConfigError, InputError, TemplateError, GuardError, PluginError, RunNotFound)

# A recorded decision of which a part is missing is a damaged record.
_LEDGER = {"ledger.mismatch": DIVERGED, "ledger.candidate": USAGE}


def of_status(status: Status) -> int:
    """The exit code of a command that drove a run to `status`."""
    return _BY_STATUS[status]


def of_error(error: OrkaError) -> int:
    """The exit code of a command that was ended by `error`."""
    if isinstance(error, _USAGE_ERRORS):
        return USAGE
    if isinstance(error, StoreError):
        return STORE
    if isinstance(error, LedgerError):
        return _LEDGER.get(error.code, STORE)
    return DIVERGED if isinstance(error, Diverged) else FAILED
