"""Several processes, and processes that are killed: real ones."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from orka.errors import Conflict, RunBusy
from orka.kit.stores.sqlite import SqliteStore
from orka.kit.stores.sqlite.store import Durability

PREAMBLE = """
import asyncio, os, sys
from orka.errors import *
from orka.kit.stores.sqlite import SqliteStore
store = SqliteStore(sys.argv[1], sys.argv[2])
def line(seq): return b'{"seq":%d,"pad":"%s"}' % (seq, b"x" * (seq * 37 % 1500))
def say(*words): print(*words, flush=True)
"""
HOLD = """
with store.claim("run"):
    say("held")
    sys.stdin.readline()
"""
RACE = """
async def main():
    sys.stdin.readline()
    try:
        with store.claim("run"):
            for seq in range(50):
                await store.append("run", seq, [b"%d by %d" % (seq, os.getpid())], {})
            say("wrote")
            sys.stdin.readline()
    except RunBusy as busy:
        say("busy", busy.what)
asyncio.run(main())
"""
WRITE = """
async def main():
    seq = 0
    with store.claim("run"):
        while True:
            lines = [line(seq + more) for more in range(seq % 4 + 1)]
            await store.append("run", seq, lines, {})
            seq += len(lines)
            say(seq)
asyncio.run(main())
"""
APPEND_TOGETHER = """
async def main():
    sys.stdin.readline()
    async def drive(run):
        for seq in range(20):
            await store.append(run, seq, [line(seq)], {})
    await asyncio.gather(*(drive(f"{os.getpid()} {at}") for at in range(10)))
    await store.close()
asyncio.run(main())
"""


def line(seq: int) -> bytes:
    return b'{"seq":%d,"pad":"%s"}' % (seq, b"x" * (seq * 37 % 1500))


def start(code: str, place: Path, durability: str = "process") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PREAMBLE + code, str(place), durability],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def finish(process: subprocess.Popen[str]) -> str:
    with process:
        return process.communicate("\n")[0]


def test_of_two_processes_exactly_one_writes(tmp_path: Path) -> None:
    rivals = [start(RACE, tmp_path) for _ in range(2)]
    for rival in rivals:
        tell(rival)
    said = [hear(rival) for rival in rivals]
    for rival in rivals:
        finish(rival)
    assert sorted(word.split()[0] for word in said) == ["busy", "wrote"]
    lines = SqliteStore(str(tmp_path)).read("run")
    assert len(lines) == 50
    assert len({line.split()[-1] for line in lines}) == 1


def test_a_claim_names_the_process_that_holds_it(tmp_path: Path) -> None:
    holder = start(HOLD, tmp_path)
    assert hear(holder) == "held"
    with pytest.raises(RunBusy) as busy, SqliteStore(str(tmp_path)).claim("run"):
        pass
    finish(holder)
    if sys.platform == "linux":
        assert str(holder.pid) in busy.value.what


def test_a_claim_ends_with_its_process(tmp_path: Path) -> None:
    holder = start(HOLD, tmp_path)
    assert hear(holder) == "held"
    holder.kill()
    holder.wait()
    with holder, SqliteStore(str(tmp_path)).claim("run"):
        pass


def test_closing_one_store_keeps_the_claims_of_another(tmp_path: Path) -> None:
    ours, other = SqliteStore(str(tmp_path)), SqliteStore(str(tmp_path))
    with ours.claim("run"):
        with other.claim("another"):
            pass
        asyncio.run(other.close())
        rival = start(RACE, tmp_path)
        assert finish(rival).startswith("busy")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_does_not_inherit_claims(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))
    with store.claim("run"):
        child = os.fork()
        if not child:
            try:
                with store.claim("run"):
                    os._exit(1)
            except RunBusy:
                os._exit(0)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert finish(start(RACE, tmp_path)).startswith("busy")


@pytest.mark.parametrize("durability", ["process", "power"])
@pytest.mark.parametrize("acknowledged", [1, 30, 200])
def test_a_killed_writer_loses_nothing_it_was_promised(
    durability: Durability, acknowledged: int, tmp_path: Path
) -> None:
    writer = start(WRITE, tmp_path, durability)
    promised = 0
    while promised < acknowledged:
        promised = int(hear(writer))
    os.kill(writer.pid, signal.SIGKILL)
    rest = writer.communicate()[0].split()
    promised = max([promised, *map(int, rest)])
    store = SqliteStore(str(tmp_path), durability)
    lines = store.read("run")
    assert len(lines) >= promised
    assert lines == [line(seq) for seq in range(len(lines))]
    with store.claim("run"):
        asyncio.run(store.append("run", len(lines), [b"on"], {}))
    asyncio.run(store.close())
    assert sound(tmp_path)


def test_a_killed_buffered_writer_leaves_a_beginning(tmp_path: Path) -> None:
    writer = start(WRITE, tmp_path, "buffered")
    while int(hear(writer)) < 3_000:
        pass
    writer.kill()
    writer.communicate()
    lines = SqliteStore(str(tmp_path)).read("run")
    assert lines == [line(seq) for seq in range(len(lines))]


@pytest.mark.parametrize("durability", ["buffered", "process", "power"])
def test_processes_write_their_runs_side_by_side(durability: str, tmp_path: Path) -> None:
    writers = [start(APPEND_TOGETHER, tmp_path, durability) for _ in range(3)]
    for writer in writers:
        tell(writer)
    for writer in writers:
        finish(writer)
    store = SqliteStore(str(tmp_path))
    found = {run: store.read(run) for run, _, _ in store.runs(100)}
    assert set(found) == {f"{writer.pid} {at}" for writer in writers for at in range(10)}
    assert all(lines == [line(seq) for seq in range(20)] for lines in found.values())
    assert sound(tmp_path)


def test_a_buffered_conflict_is_told(tmp_path: Path) -> None:
    async def main() -> None:
        ours, theirs = SqliteStore(str(tmp_path), "buffered"), SqliteStore(str(tmp_path))
        await ours.append("run", 0, [b"ours"], {})
        await theirs.append("run", 0, [b"theirs"], {})
        with pytest.raises(Conflict):
            ours.read("run")
        assert ours.read("run") == [b"theirs"]
        await ours.close()
        await theirs.close()

    asyncio.run(main())


def sound(place: Path) -> bool:
    connection = sqlite3.connect(place / "runs.db")
    try:
        return bool(connection.execute("pragma integrity_check").fetchone() == ("ok",))
    finally:
        connection.close()


FULL = """
import resource
async def main():
    seq, failed = 0, 0
    blob = b"b" * 100_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    while not failed:
        try:
            await store.append("run", seq, [line(seq), line(seq + 1)], {})
            seq += 2
        except StoreError as error:
            failed, code = seq, error.code
    assert store.read("run") == [line(at) for at in range(failed)], "lost when full"
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    await store.append("run", failed, [line(failed)], {})
    say(code, failed)
    await store.close()
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("durability", ["process", "power"])
def test_a_full_disk_loses_nothing_and_is_told(durability: str, tmp_path: Path) -> None:
    code, length = finish(start(FULL, tmp_path, durability)).split()
    assert code == "store.full"
    lines = SqliteStore(str(tmp_path)).read("run")
    assert lines == [line(seq) for seq in range(int(length) + 1)]
