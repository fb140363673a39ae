"""`run_steps`: a run in steps, between which people answer and processes die."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cases.checks import holds
from cases.child import Job, do, stage_of
from cases.language import Case, Fields, NotUnderstood
from cases.log import Log
from cases.observed import Observed
from cases.stage import Stage, listening, played
from orka.errors import OrkaError, StoreCorrupt
from orka.value import Json

# Steps that say how the step before them is cut short.
_CUTS = ("kill_9_during", "cancel_during")
_DRIVES = ("start", "resume", "approve", "reject")
_PATIENCE = 30.0
_TESTS = Path(__file__).parent.parent


def run_steps(case: Case, folder: Path) -> None:
    """Do the steps; look at the run after each."""
    with Fields(case.input, "input") as given:
        job = Job(
            folder=str(folder),
            flow=given.need("workflow"),
            input=given.take("input", "hello"),
            script=given.take("script"),
            verb="start",
        )
        steps = [dict(step) for step in given.need("steps")]
        virtual = bool(given.take("virtual_clock", False))
    with Fields(case.expected, "expected") as expected:
        after, last = expected.take("after", []), expected.take("after_last", {})
        last |= dict(expected.rest())
    if len(after) > len(steps):
        raise NotUnderstood(f"{len(after)} states are expected after {len(steps)} steps")
    player = Player(job, virtual=virtual)

    async def play() -> None:
        for number, step in enumerate(steps):
            then = steps[number + 1] if number + 1 < len(steps) else {}
            await player.step(step, then)
            if number < len(after) and after[number] is not None:
                holds(player.state(), after[number], f"after[{number}]")
        holds(player.state(), last, "after_last")
        await player.leave()

    played(play(), virtual=virtual)


class Player:
    """Does steps. A step that is cut short is done together with the step that says so."""

    def __init__(self, job: Job, *, virtual: bool) -> None:
        self.job, self.virtual = job, virtual
        self.heard: list[str] = []
        self.error: OrkaError | None = None
        self.extra: dict[str, Json] = {}
        self._cut = ""
        self._edited = False
        self._stage: Stage | None = None

    @property
    def stage(self) -> Stage:
        if self._stage is None:
            self._stage = stage_of(self.job, virtual=self.virtual)
        return self._stage

    async def leave(self) -> None:
        """The last run must replay byte for byte."""
        if not self._edited:
            self.stage.prove_run(self.job.run)
        await self._close()

    async def _close(self) -> None:
        if self._stage is not None:
            await self._stage.runtime.close()
        self._stage = None

    def state(self) -> Observed:
        """The run as its trace says now, and all that was called and heard so far."""
        try:
            run = self.stage.runtime.open(self.job.run)
        except OrkaError as error:
            return self.stage.observed(self.job.run, None, error, heard=self.heard)
        observed = self.stage.observed(self.job.run, run, self.error, heard=self.heard)
        observed.extra = self.extra
        return observed

    async def step(self, step: Json, then: Json) -> None:
        """Do one step; `then` is the next one, which may cut it short."""
        with Fields(step, "step") as fields:
            name, self.error = fields.need("do"), None
            if name in _DRIVES:
                await self._drive(self._job(name, fields), then)
            elif name in _CUTS:
                fields.need("agent")
                if self._cut != name:
                    raise NotUnderstood(f"{name} has no step before it to cut short")
                self._cut = ""
            elif name in self._others:
                await self._others[name](self, fields)
            else:
                raise NotUnderstood(f"no step is called {name!r}")

    def _job(self, name: str, fields: Fields) -> Job:
        if name in ("start", "resume"):
            return replace(self.job, verb=name)
        answer = {"approved": name == "approve"}
        answer |= {key: fields.take(key) for key in ("by", "reason") if key in fields}
        return replace(self.job, verb="answer", agent=fields.need("agent"), answer=answer)

    async def _drive(self, job: Job, then: Json) -> None:
        cut = then.get("do", "")
        if cut == "kill_9_during":
            self._cut = cut
            await self._killed(replace(job, hold=then["agent"]))
        elif cut == "truncate_journal" and "after" in then:
            await self._killed(replace(job, last=then["after"]))
        elif cut == "cancel_during":
            self._cut = cut
            await self._done(replace(job, hold=then["agent"]))
        else:
            await self._done(job)

    async def _done(self, job: Job) -> None:
        """Do a job in this process; when it is held, the run is cancelled."""
        runtime = self.stage.runtime
        loop = asyncio.get_running_loop()
        self.stage.doubles.held = lambda run: void(loop.call_soon(runtime.cancel, run, "case"))
        with listening() as heard:
            try:
                await do(job, self.stage)
            except StoreCorrupt as error:
                heard.append(str(error))
                if self._edited:  # what somebody has changed is for a person to look at
                    self.error = error
                else:
                    await self._salvaged(job)
            except OrkaError as error:
                self.error = error
        self.heard += heard

    async def _salvaged(self, job: Job) -> None:
        """What the error of a damaged run says to do: `orka resume RUN --salvage`."""
        name = await self.stage.runtime.salvage(job.run)
        self.job = replace(self.job, run=name)
        await do(replace(job, run=name), self.stage)

    async def _killed(self, job: Job) -> None:
        """Do a job in a process that is killed (SIGKILL) while an agent works, or after its end."""
        await self._close()
        file, log = Path(job.folder) / "job.json", Log(Path(job.folder) / "calls.jsonl")
        file.write_bytes(msgspec.json.encode(job))
        before = log.calls("")
        command = [sys.executable, "-m", "cases.child", str(file)]
        child = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(_TESTS)})
        try:
            if job.hold:
                _await_call(child, job.hold, log, before)
                child.send_signal(signal.SIGKILL)
            code = child.wait(_PATIENCE)
        finally:
            child.kill()
            child.wait()
        assert code == -signal.SIGKILL, f"the process ended by itself, with {code}"

    async def _restart(self, fields: Fields) -> None:
        await self._close()

    async def _truncate(self, fields: Fields) -> None:
        """Cut bytes from the end of the file the store wrote last."""
        fields.take("after")
        await self._close()
        folder = Path(self.job.folder) / "store"
        files = [f for f in folder.glob("runs.db*") if f.suffix != ".db-shm" and f.stat().st_size]
        newest = max(files, key=lambda file: file.stat().st_mtime_ns)
        os.truncate(newest, newest.stat().st_size - int(fields.need("bytes_from_end")))

    async def _edit(self, fields: Fields) -> None:
        """Change what is recorded, as with an editor: the last event, or the last about `agent`."""
        agent, told = fields.take("agent", ""), dict(fields.rest())
        await self._close()
        with closing(sqlite3.connect(Path(self.job.folder) / "store" / "runs.db")) as database:
            rows = database.execute("select key, line from events order by key").fetchall()
            about = [row for row in rows if f'"{agent}'.encode() in row[1]]
            key, line = (about or rows)[-1]
            edited = line[:-1] + b',"edited":' + msgspec.json.encode(told) + b"}"
            database.execute("update events set line = ? where key = ?", (edited, key))
            database.commit()
        self._edited = True

    async def _at_once(self, fields: Fields) -> None:
        """The same approval from several workers, each with a thread and a runtime of its own."""
        times = int(fields.need("times"))
        job = self._job("approve", fields)

        def worker(number: int) -> bool:
            stage = stage_of(job)
            try:
                asyncio.run(do(job, stage))
            except OrkaError:
                return False
            finally:
                asyncio.run(stage.runtime.close())
            return True

        await self._close()
        with ThreadPoolExecutor(times) as threads:
            accepted = sum(threads.map(worker, range(times)))
        self.extra |= {"accepted": accepted, "refused": times - accepted}

    _others: dict[str, Callable[[Player, Fields], Awaitable[None]]] = {  # noqa: RUF012  # constant
        "restart_process": _restart,
        "truncate_journal": _truncate,
        "edit_checkpoint": _edit,
        "approve_concurrently": _at_once,
    }


def _await_call(child: subprocess.Popen[bytes], agent: str, log: Log, before: Counter[str]) -> None:
    until = time.monotonic() + _PATIENCE
    while log.calls("")[agent] == before[agent]:
        assert child.poll() is None, f"the process ended before {agent!r} was called"
        assert time.monotonic() < until, f"{agent!r} was never called"
        time.sleep(0.01)


def void(_: object) -> None:
    """Forget a value that nobody needs."""
