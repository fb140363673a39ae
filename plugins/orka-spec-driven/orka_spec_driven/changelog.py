"""`changelog`: a record per session that only ever grows. Each line names the one before it."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from orka.agent.tool import tool
from orka.errors import ToolError
from orka.value import Json, canonical, digest, parse

from orka_spec_driven.folder import place

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_FIRST = ""
# A session belongs to a run, and a run to one process; its tools run in threads.
_WRITING = threading.Lock()


@tool(idempotent=True, gives={"type": "object", "required": ["file", "line", "digest"]})
def changelog(session: str, entry: dict[str, Any], effect_key: str, at: str = "") -> Json:
    """Append an entry to the record of a session. A second call for the same effect adds nothing.
    Refuses to go on with a record that somebody has changed."""
    if not _SESSION.fullmatch(session):
        raise ToolError(
            f"{session!r} is no name of a session",
            fix="use letters, digits, '_', '-' and '.'",
            code="changelog.session",
            retryable=False,
        )
    path = place("changelog", f"{session}.jsonl")
    with _WRITING:
        lines = _read(path)
        known = [line["key"] for line in lines]
        if effect_key in known:
            return _told(path, lines, known.index(effect_key))
        last = _digest(lines[-1]) if lines else _FIRST
        line = {"key": effect_key, "at": at, "entry": entry, "previous": last}
        _append(path, canonical(line) + b"\n")
        return _told(path, [*lines, line], len(lines))


def _read(path: Path) -> list[dict[str, Json]]:
    """The lines of a record, proven to follow one another."""
    data = path.read_bytes() if path.exists() else b""
    lines: list[dict[str, Json]] = []
    for number, written in enumerate(data.splitlines(), 1):
        try:
            line = parse(written)
            whole = line["previous"] == (_digest(lines[-1]) if lines else _FIRST) and line["key"]
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            raise _altered(path, number)
        lines.append(line)
    if data and not data.endswith(b"\n"):
        raise _altered(path, len(lines))
    return lines


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _told(path: Path, lines: Sequence[Json], at: int) -> dict[str, Json]:
    number, name = at + 1, f"{path.parent.name}/{path.name}"
    return {"file": name, "line": number, "digest": _digest(lines[at])}


def _digest(line: Json) -> str:
    return digest(canonical(line))


def _altered(path: Path, number: int) -> ToolError:
    return ToolError(
        f"line {number} of {path.name!r} is not what was written",
        fix="bring the file back, or move it away and begin another",
        code="changelog.altered",
        retryable=False,
    )
