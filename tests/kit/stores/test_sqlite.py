"""The SQLite store through its public door: what it creates, what it costs, what it says."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

from orka.errors import Conflict, RunNotFound, StoreCorrupt, StoreError
from orka.kit.stores.sqlite import SqliteStore
from orka.kit.stores.sqlite.log import committed
from orka.kit.stores.sqlite.store import Durability

DIGEST = "0" * 64


def go(place: Path, use: Callable[[SqliteStore], Coroutine[None, None, None]]) -> None:
    async def main() -> None:
        store = SqliteStore(str(place))
        await use(store)
        await store.close()

    asyncio.run(main())


async def one(store: SqliteStore) -> None:
    await store.append("run", 0, [b"0"], {})


def commits(place: Path) -> int:
    return sum(frame.commit for frame in committed(place / "runs.db-wal"))


def test_nothing_is_created_before_the_first_write(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    store = SqliteStore(str(place))
    assert store.runs(5) == []
    assert store.salvage("run") == []
    with pytest.raises(RunNotFound):
        store.read("run")
    with pytest.raises(StoreCorrupt):
        store.blob(DIGEST)
    asyncio.run(store.close())
    assert not (tmp_path / "a").exists()


def test_the_folder_is_kept_out_of_version_control(tmp_path: Path) -> None:
    go(tmp_path / "s", one)
    assert (tmp_path / "s" / ".gitignore").read_text() == "*\n"


def test_an_unknown_run_is_told_with_a_near_name(tmp_path: Path) -> None:
    async def use(store: SqliteStore) -> None:
        for at in range(30):
            await store.append(f"report-{at}", 0, [b"0"], {})
        with pytest.raises(RunNotFound, match="did you mean 'report-17'"):
            store.read("reprt-17")
        with pytest.raises(RunNotFound):
            store.runs(5, "nothing like it")

    go(tmp_path, use)


def test_a_newer_layout_is_refused_and_left_alone(tmp_path: Path) -> None:
    go(tmp_path, one)
    connection = sqlite3.connect(tmp_path / "runs.db")
    mark = connection.execute("pragma application_id").fetchone()[0]
    connection.execute("pragma user_version = 2")
    connection.execute(f"pragma application_id = {mark + 1}")
    connection.close()
    store = SqliteStore(str(tmp_path))
    with pytest.raises(StoreError, match="newer OrKa") as refused:
        store.read("run")
    assert refused.value.code == "store.newer"
    with pytest.raises(StoreError, match="newer OrKa"):
        asyncio.run(store.append("run", 1, [b"1"], {}))
    asyncio.run(store.close())


def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "runs.db")
    connection.execute("create table theirs(x)")
    connection.close()
    before = (tmp_path / "runs.db").read_bytes()
    store = SqliteStore(str(tmp_path))
    with pytest.raises(StoreCorrupt):
        asyncio.run(store.append("run", 0, [b"0"], {}))
    assert (tmp_path / "runs.db").read_bytes() == before


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    store = SqliteStore(str(tmp_path / "file" / "s"))
    with pytest.raises(StoreError) as refused, store.claim("run"):
        pass
    assert refused.value.code == "store.unwritable"
    with pytest.raises(StoreError) as refused:
        asyncio.run(one(store))
    assert refused.value.code == "store.unwritable"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    go(tmp_path / "s", one)
    (tmp_path / "s").chmod(0o500)
    store = SqliteStore(str(tmp_path / "s"))
    assert store.read("run") == [b"0"]
    with pytest.raises(StoreError) as refused:
        asyncio.run(store.append("run", 1, [b"1"], {}))
    assert refused.value.code == "store.unwritable"
    (tmp_path / "s").chmod(0o700)


def test_an_unknown_durability_is_refused() -> None:
    with pytest.raises(StoreError, match="buffered, process, power"):
        SqliteStore(durability="certain")  # type: ignore[arg-type]  # what is tested


def test_a_store_that_stays_locked_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    go(tmp_path, one)
    other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    store = SqliteStore(str(tmp_path), patience=0.02)
    other.execute("begin immediate")
    with pytest.raises(StoreError) as locked:
        asyncio.run(store.append("run", 1, [b"1"], {}))
    assert locked.value.code == "store.locked"
    assert store.read("run") == [b"0"]
    other.execute("rollback")
    other.close()
    asyncio.run(store.append("run", 1, [b"1"], {}))
    assert store.read("run") == [b"0", b"1"]
    asyncio.run(store.close())


@pytest.mark.parametrize("durability", ["process", "power"])
def test_appends_of_one_turn_share_one_commit(durability: Durability, tmp_path: Path) -> None:
    async def main() -> None:
        store = SqliteStore(str(tmp_path), durability)
        await store.append("first", 0, [b"0"], {})
        before = commits(tmp_path)
        outcomes = await asyncio.gather(
            *(store.append(f"run {at}", at == 7, [b"0"], {}) for at in range(50)),
            return_exceptions=True,
        )
        assert [type(each) for each in outcomes if each] == [Conflict]
        assert commits(tmp_path) - before == 1
        await store.close()

    asyncio.run(main())


@pytest.mark.parametrize("durability", ["process", "power"])
def test_a_lone_run_commits_at_once_and_without_a_thread(
    durability: Durability, tmp_path: Path
) -> None:
    async def main() -> None:
        before = set(threading.enumerate())
        store = SqliteStore(str(tmp_path), durability)
        with store.claim("run"):
            for seq in range(20):
                await store.append("run", seq, [b"0"], {})
                assert len(SqliteStore(str(tmp_path)).read("run")) == seq + 1
        assert set(threading.enumerate()) <= before
        await store.close()

    asyncio.run(main())


def test_buffered_appends_share_commits_and_can_be_read(tmp_path: Path) -> None:
    async def main() -> None:
        store, other = SqliteStore(str(tmp_path), "buffered"), SqliteStore(str(tmp_path))
        with store.claim("run"):
            for seq in range(500):
                await store.append("run", seq, [b"%d" % seq], {})
            with pytest.raises(Conflict):
                await store.append("run", 7, [b"late"], {})
            assert commits(tmp_path) <= 5
            assert len(store.read("run")) == 500
            await store.append("run", 500, [b"500"], {})
        assert len(other.read("run")) == 501  # the end of a claim commits
        await store.append("run", 501, [b"501"], {})
        await store.close()
        assert len(other.read("run")) == 502
        await other.close()

    asyncio.run(main())


def test_lines_that_wait_survive_the_loop_they_waited_on(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path))

    async def leave() -> None:
        waiting = asyncio.ensure_future(store.append("run", 0, [b"0"], {}))
        await asyncio.sleep(0)
        waiting.cancel()

    asyncio.run(leave())
    asyncio.run(store.append("run", 1, [b"1"], {}))
    assert store.read("run") == [b"0", b"1"]
    asyncio.run(store.close())


def test_a_log_that_was_begun_anew_is_not_taken_for_damaged(tmp_path: Path) -> None:
    async def main() -> None:
        ours = SqliteStore(str(tmp_path))
        for seq in range(9):
            await ours.append("run", seq, [b"x" * 3_000], {})
        other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
        other.execute("pragma wal_checkpoint(restart)")
        other.execute("begin immediate")
        other.execute("rollback")
        theirs = SqliteStore(str(tmp_path))
        assert len(theirs.read("run")) == 9
        await theirs.append("run", 9, [b"9"], {})
        other.close()
        await ours.close()
        await theirs.close()

    asyncio.run(main())
    assert not list(tmp_path.glob("*.damaged-*"))


def size(place: Path, events: int, payload: int, runs: int = 1) -> int:
    async def use(store: SqliteStore) -> None:
        for seq in range(0, events, 4):
            for run in range(runs):
                lines = [os.urandom(payload) for _ in range(4)]
                await store.append(f"run {run}", seq, lines, {})

    go(place, use)
    assert not (place / "runs.db-wal").exists()
    return (place / "runs.db").stat().st_size


def test_bytes_on_disk_are_linear_and_close_to_the_payload(tmp_path: Path) -> None:
    small, large = size(tmp_path / "250", 250, 1_000), size(tmp_path / "1000", 1_000, 1_000)
    assert large <= 4.3 * small
    assert large <= 1.4 * 1_000 * 1_000


@pytest.mark.parametrize("payload", [100, 400, 1_000])
def test_an_event_costs_few_bytes_besides_its_line(payload: int, tmp_path: Path) -> None:
    assert size(tmp_path / "one", 2_000, payload) <= 2_000 * (payload + 120)
    assert size(tmp_path / "many", 40, payload, 50) <= 40 * 50 * (payload + 300)
