"""Running pip and npm as a user would, and saying plainly what they answered."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from orka.errors import ModelError

PATIENCE = 3600.0


def run(command: Sequence[str], *, what: str, fix: str, env: Mapping[str, str] = {}) -> str:
    """Run `command` and give its output. Raises `ModelError` (`model.setup`) that says `what`
    failed, with the last words of the command, and what to do."""
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise failed(f"{what}: no end after {PATIENCE:.0f} s", fix) from None
    except OSError as error:
        raise failed(f"{what}: {command[0]} cannot be started ({error.strerror})", fix) from error
    if done.returncode:
        raise failed(f"{what}: {_last_words(done.stderr or done.stdout)}", fix)
    return done.stdout


def pip(arguments: Sequence[str], *, what: str, fix: str, env: Mapping[str, str] = {}) -> str:
    """Run this Python's pip; it writes nothing outside the folders named in `arguments`."""
    if find_spec("pip") is None:
        raise failed(f"{what}: this Python has no pip", f"run {sys.executable} -m ensurepip")
    quiet = ["--disable-pip-version-check", "--no-input", "--no-cache-dir"]
    return run([sys.executable, "-m", "pip", *arguments, *quiet], what=what, fix=fix, env=env)


def missing(*tools: str) -> list[str]:
    """Those of `tools` that are not on PATH; `a|b` is there if either is."""
    return [tool for tool in tools if not any(shutil.which(name) for name in tool.split("|"))]


def failed(what: str, fix: str) -> ModelError:
    """A step of a pull or an installation that did not work; trying again may help."""
    return ModelError(what, where="local models", fix=fix, code="model.setup", retryable=False)


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower()] or lines
    return " / ".join(told[-2:])[:400] if told else "it said nothing"
