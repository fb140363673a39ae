"""Everything a checkout needs, with nothing but Python 3.11: `python3 tasks.py demo|test|…`."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PLUGINS = sorted(each.parent for each in (ROOT / "plugins").glob("*/pyproject.toml"))
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
CASE = "examples/veterinary/cases/border_collie_lameness.json"
FLOW = "examples/veterinary/veterinary.yml"


class StepFailed(SystemExit):
    """A step of the set-up ended badly; the message says which and what to do."""


def demo() -> None:
    """Install what the main job needs; answer the veterinary case with the local model."""
    install("local", "openai")
    step("the local model", "`orka doctor` says more", orka("models", "pull"))
    step("the run", "see the message above", orka("run", FLOW, "--json", CASE))


def test(*arguments: str) -> None:
    """Format, lint, types, then all tests (architecture, docs and examples among them); then the
    plugins' own, installed apart: the core is tested without them."""
    install("dev", "local", "openai")
    tool = [str(BIN / "python"), "-m"]
    step("format", "run `python3 tasks.py format`", [*tool, "ruff", "format", "--check", "."])
    step("lint", "see above", [*tool, "ruff", "check", "."])
    for places in (["orka", "tests"], ["conftest.py", "tasks.py"], ["benchmarks"]):
        step("types", "see above", [*tool, "mypy", *places])
    for plugin in PLUGINS:
        os.environ["MYPYPATH"] = os.pathsep.join((str(plugin), str(plugin / "tests")))
        check = [*tool, "mypy", "--exclude", "build/", str(plugin)]
        step(f"types of {plugin.name}", "see above", check)
    step("the local model", "`orka doctor` says more", orka("models", "pull"))
    workers = ["-n", "2"] if not arguments else []
    step("tests", "see above", [*tool, "pytest", *workers, *arguments])
    if not arguments:
        test_plugins()


def test_plugins() -> None:
    """Each plugin's own tests, with all plugins installed into a folder of their own."""
    target = VENV / "plugins"
    shutil.rmtree(target, ignore_errors=True)
    tool = [str(BIN / "python"), "-m"]
    pip = [*tool, "pip", "--disable-pip-version-check", "-q", "install", "--no-deps"]
    for plugin in PLUGINS:
        put = [*pip, "--no-build-isolation", "--target", str(target), str(plugin)]
        step(f"{plugin.name}", "see the message of pip above", put)
    os.environ["PYTHONPATH"] = str(target)
    for plugin in PLUGINS:
        step(
            f"tests of {plugin.name}", "see above", [*tool, "pytest", "-n", "2", f"{plugin}/tests"]
        )


def bench(*arguments: str) -> None:
    """The table beside the peers (installs them into environments of their own)."""
    install("dev")
    step("benchmarks", "see above", [str(BIN / "python"), "benchmarks/run.py", *arguments])


def guards() -> None:
    """The tables of docs/guards-pii.md and docs/guards-injection.md: the guards beside others."""
    install("dev", "guards")
    for name in ("pii", "injection"):
        measure = [str(BIN / "python"), f"benchmarks/guards/{name}.py", "--write"]
        step(f"the guard {name}", "see above", measure)


def format() -> None:
    """Write the code as the formatter wants it."""
    install("dev", "local", "openai")
    tool = [str(BIN / "python"), "-m", "ruff"]
    step("format", "see above", [*tool, "format", "."])
    step("lint", "see above", [*tool, "check", "--fix", "."])


def orka(*arguments: str) -> list[str]:
    return [str(BIN / "python"), "-m", "orka", *arguments]


def install(*extras: str) -> None:
    """An environment in .venv with OrKa and `extras`; does nothing if it is there already."""
    if sys.version_info < (3, 11):  # noqa: UP036  # the first line a user with another Python meets
        raise StepFailed(f"OrKa needs Python 3.11 or newer, this is {sys.version.split()[0]}")
    wanted = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    marks = [VENV / f".installed-{extra}" for extra in extras]
    if all(mark.is_file() and mark.read_text() == wanted for mark in marks):
        return
    if not (BIN / "python").exists():
        make_venv()
    target = f".[{','.join(extras)}]"
    pip = [str(BIN / "python"), "-m", "pip", "--disable-pip-version-check", "-q"]
    step(
        f"pip install {target}",
        "is the package index reachable? `pip config list` shows which one is asked",
        [*pip, "install", "-e", target],
    )
    for mark in marks:
        mark.write_text(wanted)


def make_venv() -> None:
    print(f"· making a virtual environment in {VENV.name}", flush=True)
    try:
        venv.create(VENV, with_pip=True)
    except (subprocess.CalledProcessError, OSError) as error:
        shutil.rmtree(VENV, ignore_errors=True)
        raise StepFailed(
            f"the virtual environment could not be made ({error}): is the venv module installed? "
            "On Debian: apt install python3-venv"
        ) from None


def step(name: str, advice: str, command: Sequence[str]) -> None:
    """Run one step; stop with its name and what to do if it fails."""
    print(f"· {name}", flush=True)
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code:
        print(f"✗ {name} failed (exit status {code}): {advice}", file=sys.stderr, flush=True)
        raise StepFailed(code)


TASKS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "test": test,
    "bench": bench,
    "guards": guards,
    "format": format,
}


def main(arguments: Sequence[str]) -> None:
    if not arguments or arguments[0] not in TASKS:
        known = "\n".join(f"  {name:8}{task.__doc__}" for name, task in TASKS.items())
        raise StepFailed(f"usage: python3 tasks.py TASK\n{known}")
    TASKS[arguments[0]](*arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
