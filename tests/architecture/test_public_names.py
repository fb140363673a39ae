"""What `import orka` offers, frozen; and what it costs."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

from packaging.requirements import Requirement

import orka

NAMES = [
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


def test_the_public_names_are_these() -> None:
    assert orka.__all__ == NAMES
    for name in NAMES:
        assert getattr(orka, name) is not None


def test_the_functions_win_over_the_rooms_of_the_same_name() -> None:
    script = (
        "import orka.api, orka.run.scheduler, orka; "
        "assert callable(orka.run) and callable(orka.agent)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_importing_orka_loads_nothing_heavy() -> None:
    script = "import orka, sys; print(' '.join(sorted(sys.modules)))"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(found.stdout.split())
    heavy = {"rich", "click", "minijinja", "jsonschema_rs", "yaml", "openai", "numpy", "asyncio"}
    assert not loaded & heavy


def test_the_version_is_the_package_version() -> None:
    assert orka.__version__ == metadata.version("orka")


def test_the_core_installs_at_most_ten_packages() -> None:
    found: set[str] = set()
    wanted = ["orka"]
    while wanted:
        name = wanted.pop().lower()
        if name in found:
            continue
        found.add(name)
        for line in metadata.requires(name) or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                wanted.append(requirement.name)
    assert len(found) <= 10, sorted(found)
