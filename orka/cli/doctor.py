"""`orka doctor`: what is broken on this machine, and what to do about it."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import click
import msgspec

from orka.api import Runtime
from orka.cli import exit, select, words
from orka.cli.models import weights
from orka.cli.options import Settings, machine, reads
from orka.cli.output import print_json
from orka.errors import OrkaError

OLDEST = (3, 11)
NEEDED = ("msgspec", "PyYAML", "minijinja", "jsonschema-rs", "click", "rich")
EXTRA = {"openai": "OpenAI and what speaks like it", "numpy": "embedded models"}
ENOUGH = 500_000_000
RUNS = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """`fix` says what to do; without one all is well. `broken` counts, a remark does not."""

    what: str
    state: str
    fix: str = ""
    broken: bool = False


@click.command()
@machine()
@reads
def doctor(*, form: str, settings: Settings) -> int:
    """Look at Python, packages, the store, disk space and local models.

    The exit code is 1 if something is broken.
    """
    found = list(findings(settings))
    if form == "json":
        print_json([msgspec.to_builtins(finding) for finding in found])
    else:
        for finding in found:
            click.echo(_told(finding))
    return exit.FAILED if any(finding.broken for finding in found) else exit.COMPLETED


def findings(settings: Settings) -> Iterator[Finding]:
    """Everything that was looked at."""
    yield _python()
    yield from _packages()
    yield from _store(settings)
    yield _space(settings.store)
    yield _models()


def _python() -> Finding:
    state = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    old = sys.version_info < OLDEST
    return Finding("python", state, "install Python 3.11 or later" if old else "", broken=old)


def _packages() -> Iterator[Finding]:
    for name in ("orka", *NEEDED):
        version = _version(name)
        fix = "" if version else "install OrKa again: pip install orka"
        yield Finding(name, version or "missing", fix, broken=not version)
    for name, purpose in EXTRA.items():
        version = _version(name)
        yield Finding(name, version or f"not installed (for {purpose})")


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _store(settings: Settings) -> Iterator[Finding]:
    folder = Path(settings.store)
    if settings.store == ":memory:":
        yield Finding("store", "in memory, ends with the process")
        return
    yield _writable(folder)
    if not folder.exists():
        return
    try:
        yield from _runs(settings)
    except OrkaError as error:
        yield Finding("runs", error.what, error.fix or "see `orka runs`", broken=True)


def _writable(folder: Path) -> Finding:
    place = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        if not place.is_dir():
            raise NotADirectoryError(20, "not a folder")
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        fix = "make it writable, or choose another with --store DIR"
        return Finding("store", f"{folder} cannot be written: {error.strerror}", fix, broken=True)
    return Finding("store", f"{folder} is writable" if folder.exists() else f"{folder} (none yet)")


def _runs(settings: Settings) -> Iterator[Finding]:
    """Read the latest runs whole: every link of their chains, every blob."""
    with settings.reading() as runtime:
        latest = [id for id, _, _ in runtime.store.runs(RUNS)]
        damaged = [finding for id in latest if (finding := _damage(runtime, id))]
        loss = select.lost(runtime)
    if loss:
        yield Finding("runs.db", loss.what, loss.fix, broken=True)
    yield from damaged
    yield Finding("runs", f"the latest {len(latest)} were read, {len(damaged)} are damaged")


def _damage(runtime: Runtime, id: str) -> Finding | None:
    try:
        run = runtime.open(id)
        _ = run.started, run.events, run.status
    except select.UNREADABLE as error:
        what = error.what if isinstance(error, OrkaError) else f"is no trace of OrKa: {error!r}"
        fix = f"`orka show {id}` shows what is intact, `orka resume {id} --salvage` goes on"
        return Finding(f"run {id}", what, fix, broken=True)
    return None


def _space(store: str) -> Finding:
    place = next(
        path for path in (Path(store).absolute(), *Path(store).absolute().parents) if path.exists()
    )
    free = shutil.disk_usage(place).free
    low = free < ENOUGH
    fix = "make room: a full disk stops runs (they can be resumed)" if low else ""
    return Finding("disk", f"{words.size(free)} free", fix, broken=low)


def _models() -> Finding:
    try:
        status = weights().status()
    except OrkaError as error:
        return Finding("local models", error.what, error.fix)
    if not status.found:
        return Finding("local models", "nothing here runs them yet", "orka models pull")
    runtime = f"{status.kind} runtime {status.build}".rstrip()
    if not status.models:
        return Finding("local models", f"{runtime}, no weights", "orka models pull")
    return Finding("local models", f"{runtime}; {', '.join(status.models)}")


def _told(finding: Finding) -> str:
    mark, colour = ("broken", "red") if finding.broken else ("ok", "green")
    if finding.fix and not finding.broken:
        mark, colour = "note", "yellow"
    line = f"{click.style(f'{mark:<7}', fg=colour)} {finding.what}: {finding.state}"
    return f"{line}\n        to do: {finding.fix}" if finding.fix else line
