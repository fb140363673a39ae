"""One exit code for each kind of end."""

from __future__ import annotations

import pytest

from orka.cli import exit
from orka.errors import (
    AgentError,
    ConfigError,
    Conflict,
    Diverged,
    InputError,
    ModelError,
    OrkaError,
    PluginError,
    RunBusy,
    RunNotFound,
    StoreCorrupt,
    StoreError,
)
from orka.event.event import Status


@pytest.mark.parametrize(
    ("status", "code"),
    [("completed", 0), ("failed", 1), ("waiting", 3), ("exhausted", 4), ("cancelled", 130)],
)
def test_each_status_has_a_code(status: Status, code: int) -> None:
    assert exit.of_status(status) == code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (InputError("x"), 2),
        (PluginError("x"), 2),
        (RunNotFound("x"), 2),
        (StoreError("x", code="store.full"), 5),
        (StoreCorrupt("x", valid=0), 5),
        (RunBusy("x"), 5),
        (Conflict("x"), 5),
        (Diverged("x", seq=0), 6),
        (AgentError("x"), 1),
        (ModelError("x"), 1),
    ],
)
def test_each_kind_of_error_has_a_code(error: OrkaError, code: int) -> None:
    assert exit.of_error(error) == code
