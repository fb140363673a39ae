"""Any byte flipped, the file cut anywhere: located, and the longest valid prefix is kept.

What is guaranteed, and checked here against the bytes alone (with no parser of the store's own):

- nothing but what was written is ever read, and no file that was there is changed by reading;
- a run is read whole, or `StoreCorrupt` says how many leading events are intact, and `salvage`
  gives exactly these;
- in the database file, a flip costs at most the event whose row it hits (and those after it), a
  cut only events whose rows lie beyond it: damage to headers, inner pages, the schema or the
  directory of a page costs none. Rows above 4,061 bytes also rest on the page numbers that chain
  their pages;
- in the log of a store that was not closed, a flip costs at most the commits it hits and a cut
  those beyond it. Where nothing after it is left to show the loss, the run is as it was at an
  earlier commit, as after a power cut.
"""

from __future__ import annotations

import asyncio
import random
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from orka.errors import RunNotFound, StoreCorrupt, StoreError
from orka.kit.stores.sqlite import SqliteStore
from orka.kit.stores.sqlite.log import committed
from orka.value import digest

SEEDS = (100, 2000)
FILES = ("runs.db", "runs.db-wal")
ROW_PREFIX = 20  # bytes of a row before its line, at most


@dataclass
class Recorded:
    """A store's files, and what was put into it."""

    files: dict[str, bytes]
    runs: dict[str, list[bytes]]
    lengths: dict[str, set[int]] = field(default_factory=dict)  # after each commit
    blobs: dict[str, bytes] = field(default_factory=dict)


async def record(place: Path, *, closed: bool) -> Recorded:
    """Six runs, written in turns; `closed` leaves no log."""
    chance = random.Random(closed)
    store = SqliteStore(str(place))
    names = [f"run-{at}" for at in range(6)]
    result = Recorded({}, {run: [] for run in names}, {run: {0} for run in names})
    for turn in range(60):
        run = chance.choice(names)
        length = len(result.runs[run])
        sizes = (100, 400, 1_000, 3_000) if run != "run-5" else (300, 5_000, 9_000)
        lines = [
            b'{"event":"%b","run":"%b","seq":%d}'
            % (chance.randbytes(chance.choice(sizes) // 2).hex().encode(), run.encode(), seq)
            for seq in range(length, length + chance.randint(1, 5))
        ]
        data = chance.randbytes(9_000) if turn % 10 == 0 else b""
        blobs = {digest(data): data} if data else {}
        await store.append(run, length, lines, blobs)
        result.runs[run] += lines
        result.lengths[run].add(length + len(lines))
        result.blobs.update(blobs)
        if turn == 35:
            await store.close()
    if closed:
        await store.close()
    result.files = {name: (place / name).read_bytes() for name in FILES if (place / name).exists()}
    await store.close()
    return result


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return asyncio.run(record(tmp_path_factory.mktemp("closed"), closed=True))


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    recorded = asyncio.run(record(tmp_path_factory.mktemp("left"), closed=False))
    assert len(recorded.files["runs.db-wal"]) > 100_000
    return recorded


class Damaged:
    """A copy of what was recorded with one file damaged."""

    def __init__(
        self,
        place: Path,
        recorded: Recorded,
        name: str,
        data: bytes,
        *,
        repeatedly: bool = False,
    ) -> None:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        self.place, self.recorded, self.repeatedly = place, recorded, repeatedly
        self.files = {**recorded.files, name: data}
        for file, content in self.files.items():
            (place / file).write_bytes(content)

    def read(self) -> dict[str, tuple[int, bool]]:
        """(events, whether that is said to be all) of each run; checks what holds in any case."""
        store = SqliteStore(str(self.place))
        found = {run: self._read(store, run) for run in self.recorded.runs}
        listed = {run: (first, last) for run, first, last in store.runs(100)}
        for run, (valid, _) in found.items():
            lines = self.recorded.runs[run]
            if valid and (run in listed or not self.repeatedly):
                # A listing does not scan: it may end with a line that lies behind a damaged one.
                assert listed[run] in ((lines[0], lines[valid - 1]), (lines[0], lines[-1]))
        asyncio.run(store.close())
        for file, content in self.files.items():
            assert (self.place / file).read_bytes() == content, f"{file} was changed"
        return found

    def _read(self, store: SqliteStore, run: str) -> tuple[int, bool]:
        lines = self.recorded.runs[run]
        try:
            read = store.read(run)
            assert read == lines[: len(read)]
            assert store.read(run, len(read) // 2) == read[len(read) // 2 :]
            valid, whole = len(read), True
        except StoreCorrupt as corrupt:
            valid, whole = corrupt.valid, False
        except RunNotFound:
            valid, whole = 0, True
        assert store.salvage(run) == lines[:valid]
        return valid, whole


@cache
def rows(data: bytes, line: bytes) -> list[range]:
    """Where in the file the rows of `line` are, copies that SQLite left behind included."""
    found, at = [], data.find(line)
    while at >= 0:
        found.append(range(at - ROW_PREFIX, at + len(line)))
        at = data.find(line, at + 1)
    return found


def first_lost(lines: list[bytes], data: bytes, hit: range) -> int:
    """The first event of which no row escaped `hit`."""
    for seq, line in enumerate(lines):
        if all(row.start < hit.stop and hit.start < row.stop for row in rows(data, line)):
            return seq
    return len(lines)


def flipped(data: bytes, at: int, chance: random.Random) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << chance.randrange(8) if chance.random() < 0.5 else chance.randrange(1, 256)
    return bytes(changed)


def anywhere(data: bytes, chance: random.Random) -> int:
    """An offset, headers and the directories of pages more often than their share."""
    if chance.random() < 0.6:
        return chance.randrange(len(data))
    return min(len(data) - 1, chance.randrange(0, len(data), 4096) + chance.randrange(100))


def test_a_flipped_byte_costs_at_most_the_event_it_hits(
    block: range, closed: Recorded, tmp_path: Path
) -> None:
    data = closed.files["runs.db"]
    for seed in block:
        chance = random.Random(seed)
        at = anywhere(data, chance)
        damaged = Damaged(tmp_path / "s", closed, "runs.db", flipped(data, at, chance))
        for run, (valid, whole) in damaged.read().items():
            lines = closed.runs[run]
            if run != "run-5":
                assert valid >= first_lost(lines, data, range(at, at + 1)), (seed, at, run)
            assert not whole or valid == len(lines), (seed, at, run)


def test_a_cut_costs_what_lies_beyond_it(block: range, closed: Recorded, tmp_path: Path) -> None:
    data = closed.files["runs.db"]
    for seed in block:
        at = 1 + anywhere(data[1:], random.Random(seed))
        damaged = Damaged(tmp_path / "s", closed, "runs.db", data[:at])
        for run, (valid, whole) in damaged.read().items():
            lines = closed.runs[run]
            if run != "run-5":
                assert valid == first_lost(lines, data, range(at, len(data))), (seed, at, run)
            assert not whole or valid == len(lines), (seed, at, run)


def test_a_cut_hides_no_run(closed: Recorded, tmp_path: Path) -> None:
    data = closed.files["runs.db"]
    for at in {1, 15, 99, 100, 4096, 8192, 12288, len(data) - 1, *range(50, len(data), 9_973)}:
        damaged = Damaged(tmp_path / "s", closed, "runs.db", data[:at])
        store = SqliteStore(str(damaged.place))
        with pytest.raises(StoreCorrupt) as corrupt:
            store.read("")
        assert corrupt.value.where.endswith("runs.db") and "--salvage" in corrupt.value.fix
        assert at < 100 or f"was cut: {at:,} of {len(data):,} bytes" in str(corrupt.value)
        listed = [run for run, _, _ in store.runs(100)]
        assert set(listed) == (set(closed.runs) if at >= 8192 else set()), at
        if listed:
            rest = [run for run, _, _ in store.runs(100, listed[2])]
            assert rest == listed[3:], at
        for run in closed.runs:
            if not store.salvage(run):
                with pytest.raises(StoreCorrupt):
                    store.read(run)
        asyncio.run(store.close())


def test_a_run_of_which_nothing_is_left_is_still_listed(closed: Recorded, tmp_path: Path) -> None:
    data = bytearray(closed.files["runs.db"])
    for row in rows(bytes(data), closed.runs["run-2"][0]):
        data[row.stop - 10] ^= 1
    damaged = Damaged(tmp_path / "s", closed, "runs.db", bytes(data))
    store = SqliteStore(str(damaged.place))
    assert ("run-2", b"", b"") in store.runs(100)
    with pytest.raises(RunNotFound):  # the list of runs is whole
        store.read("never")
    asyncio.run(store.close())


def test_half_a_checkpoint_is_no_cut(left: Recorded, tmp_path: Path) -> None:
    for name, content in left.files.items():
        (tmp_path / name).write_bytes(content)
    first = next(
        frame for frame in reversed(committed(tmp_path / "runs.db-wal")) if frame.page == 1
    )
    data = left.files["runs.db"]
    assert int.from_bytes(first.image[28:32], "big") * len(first.image) > len(data)
    (tmp_path / "runs.db").write_bytes(first.image + data[len(first.image) :])
    store = SqliteStore(str(tmp_path))
    assert all(store.read(run) == lines for run, lines in left.runs.items())
    with pytest.raises(RunNotFound):
        store.read("never")
    asyncio.run(store.close())


def test_a_cut_below_a_log_is_told(left: Recorded, tmp_path: Path) -> None:
    data = left.files["runs.db"]
    for at in range(1, len(data), 7_919):
        damaged = Damaged(tmp_path / "s", left, "runs.db", data[:at])
        store = SqliteStore(str(damaged.place))
        logged = {frame.page for frame in committed(damaged.place / "runs.db-wal")}
        if at >= 100 and set(range(at // 4096 + 1, len(data) // 4096 + 1)) - logged:
            with pytest.raises(StoreCorrupt):
                store.read("never")
        for run, lines in left.runs.items():
            try:
                assert store.read(run) == lines, at
            except StoreCorrupt as corrupt:
                assert store.salvage(run) == lines[: corrupt.valid]
        asyncio.run(store.close())


def test_a_run_missing_from_one_of_two_lists_is_told(closed: Recorded, tmp_path: Path) -> None:
    data = bytearray(closed.files["runs.db"])
    page = 4096  # the table of runs: one leaf, as the flags of its page say
    assert data[page] == 13 and data[page + 4] == 6
    data[page + 4] = 5  # one cell fewer
    damaged = Damaged(tmp_path / "s", closed, "runs.db", bytes(data))
    store = SqliteStore(str(damaged.place))
    with pytest.raises(StoreCorrupt, match="5 runs"):
        store.read("never")
    for run, lines in closed.runs.items():
        assert store.salvage(run) == lines
    asyncio.run(store.close())


def test_several_flips_never_give_a_wrong_line(
    block: range, left: Recorded, tmp_path: Path
) -> None:
    for seed in block:
        chance = random.Random(seed)
        name = chance.choice(FILES)
        data = left.files[name]
        for _ in range(chance.randint(2, 200)):
            data = flipped(data, anywhere(data, chance), chance)
        Damaged(tmp_path / "s", left, name, data, repeatedly=True).read()


def test_damage_to_the_log_costs_at_most_the_commits_it_hits(
    block: range, left: Recorded, tmp_path: Path
) -> None:
    data = left.files["runs.db-wal"]
    for seed in block:
        chance = random.Random(seed)
        at, cut = anywhere(data, chance), chance.random() < 0.3
        changed = data[:at] if cut else flipped(data, at, chance)
        damaged = Damaged(tmp_path / "s", left, "runs.db-wal", changed)
        for run, (valid, whole) in damaged.read().items():
            settled = first_lost(left.runs[run], left.files["runs.db"], range(0))
            assert valid >= settled, (seed, at, run)
            assert not whole or valid in left.lengths[run], (seed, at, run)
            if not cut and run != "run-5" and at < len(data) - 4 * 4120:
                hit = first_lost(left.runs[run], b"".join(left.files.values()), range(0))
                assert valid >= min(hit, settled), (seed, at, run)


def test_writing_after_damage_to_the_log_keeps_what_was_there(
    block: range, left: Recorded, tmp_path: Path
) -> None:
    data = left.files["runs.db-wal"]
    for seed in block[::4]:
        chance = random.Random(seed)
        changed = flipped(data, anywhere(data, chance), chance)
        damaged = Damaged(tmp_path / "s", left, "runs.db-wal", changed)
        found = damaged.read()
        store = SqliteStore(str(damaged.place))
        asyncio.run(store.append("new", 0, [b"0"], {}))
        for run, (valid, whole) in found.items():
            assert store.salvage(run) == left.runs[run][:valid], (seed, run)
            if whole and valid:
                assert len(store.read(run)) == valid
                asyncio.run(store.append(run, valid, [b"on"], {}))
                assert store.read(run)[valid:] == [b"on"]
        asyncio.run(store.close())
        kept = [path.read_bytes() for path in damaged.place.glob("*.damaged-*")]
        assert all(copy == changed for copy in kept)


def test_a_blob_is_found_unless_its_own_bytes_are_hit(
    block: range, closed: Recorded, tmp_path: Path
) -> None:
    data = closed.files["runs.db"]
    for seed in block:
        chance = random.Random(seed)
        at = chance.randrange(3 * 4096)  # the header, the schema, roots of tables and indices
        damaged = Damaged(tmp_path / "s", closed, "runs.db", flipped(data, at, chance))
        store = SqliteStore(str(damaged.place))
        assert all(store.blob(name) == blob for name, blob in closed.blobs.items())
        asyncio.run(store.close())


def test_a_damaged_blob_is_not_handed_out(closed: Recorded, tmp_path: Path) -> None:
    data = closed.files["runs.db"]
    name, blob = next(iter(closed.blobs.items()))
    at = data.index(blob[:100]) + 50
    changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    damaged = Damaged(tmp_path / "s", closed, "runs.db", changed)
    store = SqliteStore(str(damaged.place))
    with pytest.raises(StoreCorrupt):
        store.blob(name)
    asyncio.run(store.close())


def test_a_file_that_is_none_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_bytes(b"this is no database " * 500)
    store = SqliteStore(str(tmp_path))
    assert store.runs(5) == []
    assert store.salvage("run") == []
    with pytest.raises(StoreCorrupt) as corrupt:
        store.read("run")
    assert corrupt.value.valid == 0
    with pytest.raises(StoreError):
        asyncio.run(store.append("run", 0, [b"0"], {}))
    assert (tmp_path / "runs.db").read_bytes() == b"this is no database " * 500
