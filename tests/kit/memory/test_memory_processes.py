"""Several processes on one memory, and one that is killed between acting and recording."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import orka
from orka.kit.memory.sqlite import SqliteMemory
from orka.port.memory import Query

FLOW = """
orchestrator: {id: t, agents: [m]}
agents:
  - {id: m, type: memory, operation: write, namespace: n, key_template: k, prompt: tea}
"""
DYING = """
import asyncio, os, signal, sys
import orka
from orka.kit.memory.sqlite import SqliteMemory
class Dying(SqliteMemory):
    def write(self, draft, *, now, once=""):
        super().write(draft, now=now, once=once)
        os.kill(os.getpid(), signal.SIGKILL)
async def main():
    runtime = orka.Runtime(store=sys.argv[1], memory=Dying(sys.argv[1]))
    await runtime.run(sys.argv[2], run_id="r")
asyncio.run(main())
"""
RACE = """
import sys
from orka.kit.memory.sqlite import SqliteMemory
from orka.port.memory import Draft
memory = SqliteMemory(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(100):
    own = Draft(namespace="own", content=f"{sys.argv[2]} {number}")
    memory.write(own, now=1.0)
    memory.write(Draft(namespace="shared", content=f"fact {number}"), now=1.0)
    while True:
        entry = memory.get("count", "k", now=1.0)
        seen, so_far = (entry.version, int(entry.content)) if entry else (0, 0)
        more = Draft(namespace="count", key="k", content=str(so_far + 1), expect=seen)
        if memory.write(more, now=1.0).status != "conflict":
            break
"""


def test_a_write_that_was_not_recorded_is_not_made_twice(tmp_path: Path) -> None:
    died = subprocess.run(
        [sys.executable, "-c", DYING, str(tmp_path), FLOW],
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr

    async def resumed() -> orka.Run:
        async with orka.Runtime(store=tmp_path) as runtime:
            run = await runtime.resume("r")
            runtime.replay("r")
            return run

    run = asyncio.run(resumed())
    assert run.status == "completed"
    assert run.output["outcome"] == "stored", "a second write would have been an update"
    memory = SqliteMemory(str(tmp_path))
    entry = memory.get("n", "k", now=1.0)
    assert entry is not None
    assert entry.version == 1
    memory.close()


def test_processes_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("left", "right")
    ]
    for racer in racers:
        assert racer.stdout and racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        _, errors = racer.communicate(timeout=60)
        assert racer.returncode == 0, errors
    memory = SqliteMemory(str(tmp_path))
    assert memory.stats(now=2.0).by_namespace == {"count": 1, "own": 200, "shared": 100}
    entry = memory.get("count", "k", now=2.0)
    assert entry is not None
    assert entry.content == "200"
    query = Query(namespace="own", text="left", limit=999)
    assert len(memory.search(query, now=2.0).found) == 100
    memory.close()
