"""`python -m cases.child JOB`: one step of a case, in a process that can be killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import msgspec

from cases.script import script
from cases.stage import Stage
from cases.words import in_our_words
from orka.event.event import Event, NodeFinished
from orka.value import Json
from orka.view.approvals import answer_to

RUN = "case"


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What the process does: start the run, go on with it, or answer `agent` and go on.

    It works for ever when `hold` begins to work; it kills itself when `last` has ended, its end
    being stored.
    """

    folder: str
    flow: Json
    input: Json
    script: Json
    verb: str
    run: str = RUN
    agent: str = ""
    answer: Json = None
    hold: str = ""
    last: str = ""


class _Killer:
    """Watches for the end of an agent and kills the process at once."""

    def __init__(self, last: str) -> None:
        self._last = last

    def event(self, run: str, seq: int, event: Event) -> None:
        if isinstance(event, NodeFinished) and event.node == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def text(self, run: str, effect: str, piece: str) -> None:
        pass


def stage_of(job: Job, *, virtual: bool = False) -> Stage:
    """The stage a job is done on; any number of processes and threads may have one."""
    folder = Path(job.folder)
    return Stage(
        folder,
        script(job.script),
        [job.flow],
        store=str(folder / "store"),
        virtual=virtual,
        shared=True,
        watchers=(_Killer(job.last),) if job.last else (),
    )


async def do(job: Job, stage: Stage) -> None:
    """Raises whatever the runtime raises."""
    stage.doubles.hold = job.hold
    match job.verb:
        case "start":
            await stage.runtime.run(in_our_words(job.flow), job.input, run_id=job.run)
        case "resume":
            await stage.runtime.resume(job.run)
        case _:
            question, payload = _question(stage, job)
            await stage.runtime.answer(job.run, question, answer_to(payload, **job.answer))


def _question(stage: Stage, job: Job) -> tuple[str, Json]:
    """The open question of an agent, wherever it stands, and what a person reads in it; else its
    name, which is refused."""
    asked = stage.runtime.open(job.run).questions
    mine = [each for each in asked if each.id.rpartition("/")[2].partition("#")[0] == job.agent]
    return (mine[0].id, mine[0].payload) if len(mine) == 1 else (job.agent, None)


def main(path: str) -> None:
    job = msgspec.json.decode(Path(path).read_bytes(), type=Job)
    stage = stage_of(job)
    stage.doubles.held = lambda run: None
    asyncio.run(do(job, stage))


if __name__ == "__main__":
    main(sys.argv[1])
