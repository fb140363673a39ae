"""Which run is meant: an id, the beginning of one, or `last`."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec

from orka.api import Runtime
from orka.errors import InputError, RunBusy, RunFailed, RunNotFound, StoreCorrupt, nearest
from orka.view.run import Run

LAST = "last"
_PAGE = 200
# What reading a damaged run raises, or one whose chain holds though OrKa never wrote such events.
UNREADABLE = (StoreCorrupt, RunFailed, RunNotFound, msgspec.DecodeError, KeyError)


def run_id(runtime: Runtime, word: str) -> str:
    """The id that `word` stands for.

    Raises `RunNotFound`, `InputError` if several fit, and `StoreCorrupt` if the store has lost
    something that may have been the run that is meant.
    """
    if word == LAST:
        if loss := lost(runtime):
            raise loss
        newest = runtime.store.runs(1)
        if not newest:
            raise RunNotFound("there are no runs yet", fix="`orka run FLOW` makes one")
        return newest[0][0]
    if runtime.store.salvage(word):
        return word
    known = list(ids(runtime))
    fitting = [id for id in known if id.startswith(word)] if word else []
    if len(fitting) > 1 and word not in fitting:
        raise InputError(
            f"{len(fitting)} runs begin with {word!r}",
            fix=f"write more of it: {', '.join(fitting[:5])}",
            code="input.ambiguous_run",
        )
    if not fitting:
        if loss := lost(runtime, word):
            raise loss
        raise RunNotFound(f"no run begins with {word!r}", fix=_fix(word, known))
    return word if word in fitting else fitting[0]


def lost(runtime: Runtime, word: str = "") -> StoreCorrupt | None:
    """What is wrong if the store as a whole is damaged, so that a run may be missing.

    No run is called `word`: of a sound store one hears that there is no such run.
    """
    try:
        runtime.store.read(word)
    except RunNotFound:
        pass
    except StoreCorrupt as damage:
        return damage
    return None


def readable(runtime: Runtime, id: str) -> tuple[Run, StoreCorrupt | None]:
    """A run and None; or the intact part of a damaged one, and the damage.

    Raises `RunNotFound`, and `StoreCorrupt` if nothing is intact.
    """
    try:
        run = runtime.open(id)
        _ = run.events
    except StoreCorrupt as damage:
        if not damage.valid:
            raise
        return runtime.intact(id), damage
    return run, None


def warning(damage: StoreCorrupt) -> str:
    """What to say below the intact part of a damaged run."""
    return f"\nwarning [store.salvage] only part of this run can be read\n{damage}"


def ids(runtime: Runtime) -> Iterator[str]:
    """All runs, newest first."""
    before = ""
    while page := runtime.store.runs(_PAGE, before):
        yield from (id for id, _, _ in page)
        before = page[-1][0]


def status(runtime: Runtime, run: Run) -> str:
    """The run's status; `interrupted` for one that goes on but that nobody drives."""
    if run.status != "running":
        return run.status
    try:
        with runtime.store.claim(run.id):
            return "interrupted"
    except RunBusy:
        return "running"


def seconds(run: Run, status: str) -> float:
    """How long the run has taken; up to now for one that somebody drives."""
    return time.time() - run.started.at if status == "running" else run.seconds


def _fix(word: str, known: list[str]) -> str:
    near = nearest(word, known) if len(known) <= _PAGE else ""
    return near if near.startswith("did") else "`orka runs` lists what there is"
