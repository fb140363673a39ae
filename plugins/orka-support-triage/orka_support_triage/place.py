"""Where the desk keeps its files: ORKA_TRIAGE_HOME, else `.orka/triage` in the working folder.

The variable is read when the process starts: the manifest says what may be written."""

from __future__ import annotations

import os
from pathlib import Path

from orka.errors import ToolError

VARIABLE = "ORKA_TRIAGE_HOME"
USUAL = Path(".orka") / "triage"


def named() -> Path:
    """The folder, whether it is there or not."""
    return Path(os.environ.get(VARIABLE) or USUAL)


def home() -> Path:
    """The folder, made if it is not there. Raises `ToolError` if it cannot be."""
    folder = named()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"the folder {str(folder)!r} cannot be made: {error.strerror}",
            fix=f"name another one in {VARIABLE}",
            code="triage.home",
            retryable=False,
        ) from None
    return folder
