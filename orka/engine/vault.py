"""The vault: values that placeholders stand for, beside the runs and never in a trace."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from orka.errors import ScreenError
from orka.port.placeholders import Placeholders

FILE = "vault.db"
_SCHEMA = (
    "create table if not exists kept(run text not null, label text not null, value text,"
    " primary key(run, label)) without rowid",
    "create table if not exists counted(run text not null, kind text not null, last int not null,"
    " primary key(run, kind)) without rowid",
)
# Runs whose placeholders are held in memory.
_HELD = 256
_WAIT = 10.0


class Kept(msgspec.Struct, frozen=True):
    """What is kept of a run: its placeholders, and those of them whose values are gone."""

    run: str
    labels: tuple[str, ...]
    forgotten: tuple[str, ...] = ()


@dataclass(slots=True)
class _Held:
    """The placeholders of a run, and the numbers that the file knows to be taken."""

    placeholders: Placeholders
    last: Mapping[str, int]


class Vault:
    """Keeps values by run and placeholder, in a file that only its owner may read, or (without a
    `folder`) in the process. The file is opened when it is first needed.

    Raises `ScreenError` (`vault.failed`) if it cannot be read or written.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._lock = threading.RLock()
        self._opened: sqlite3.Connection | None = None
        self._held: OrderedDict[str, _Held] = OrderedDict()

    def placeholders(self, run: str) -> Placeholders:
        """Those of a run, to label further values with."""
        with self._lock:
            if run not in self._held:
                self._held[run] = self._read(run)
                if len(self._held) > _HELD:
                    self._held.popitem(last=False)
            self._held.move_to_end(run)
            return self._held[run].placeholders

    def keep(self, run: str, placeholders: Placeholders) -> bool:
        """Write what was labelled. False if somebody else has given numbers away meanwhile: the
        placeholders have to be asked for anew, and the text labelled again."""
        with self._lock:
            held = self._held.get(run)
            if held is None or held.placeholders is not placeholders:
                return False
            last = placeholders.last
            if last == held.last:  # whatever is labelled takes a number
                return True
            made = {
                label: value
                for label, value in placeholders.values.items()
                if _number(label) > held.last.get(_kind(label), 0)
            }
            if self._insert(run, made, last, held.last):
                held.last = last
                return True
            del self._held[run]
            return False

    def values(self, run: str, labels: Iterable[str]) -> dict[str, str | None]:
        """The values of those labels that are a run's; None for one that is forgotten."""
        with self._lock, self._failing() as db:
            found = {}
            for label in labels:
                row = db.execute(
                    "select value from kept where run = ? and label = ?", (run, label)
                ).fetchone()
                if row is not None:
                    found[label] = row[0]
            return found

    def last(self, run: str) -> Mapping[str, int]:
        """The highest number of each kind that is taken in a run."""
        with self._lock:
            if not self._there():
                return {}
            with self._failing() as db:
                return _last(db, run)

    def inherit(self, run: str, origin: str) -> None:
        """Give a fork what its origin has."""
        if not self._there():
            return
        with self._lock, self._failing() as db, db:
            db.execute("begin immediate")
            db.execute(
                "insert or ignore into kept select ?, label, value from kept where run = ?",
                (run, origin),
            )
            db.execute(
                "insert or ignore into counted select ?, kind, last from counted where run = ?",
                (run, origin),
            )

    def kept(self, run: str = "") -> list[Kept]:
        """What is kept, by run; of one run only, if it is named."""
        if not self._there():
            return []
        found: dict[str, tuple[list[str], list[str]]] = {}
        with self._lock, self._failing() as db:
            where, given = ("where run = ?", (run,)) if run else ("", ())
            order = "order by run, length(label), label"
            for id, label, gone in db.execute(
                f"select run, label, value is null from kept {where} {order}", given
            ):
                labels, forgotten = found.setdefault(id, ([], []))
                labels.append(label)
                if gone:
                    forgotten.append(label)
        return [Kept(id, tuple(each), tuple(gone)) for id, (each, gone) in found.items()]

    def forget(self, run: str) -> int:
        """Overwrite the values of a run; gives how many. Its placeholders stay taken."""
        if not self._there():
            return 0
        with self._lock, self._failing() as db:
            self._held.pop(run, None)
            with db:
                gone = db.execute(
                    "update kept set value = null where run = ? and value is not null", (run,)
                ).rowcount
            db.execute("vacuum")
            return gone

    def close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _read(self, run: str) -> _Held:
        with self._failing() as db:
            last = _last(db, run)
            rows = db.execute(
                "select label, value from kept where run = ? and value is not null", (run,)
            )
            return _Held(Placeholders(dict(rows.fetchall()), last), last)

    def _insert(
        self, run: str, made: Mapping[str, str], last: Mapping[str, int], known: Mapping[str, int]
    ) -> bool:
        """False, and nothing is written, if the file says more than what was `known`."""
        with self._failing() as db, db:
            db.execute("begin immediate")
            if _last(db, run) != known:
                return False
            db.executemany(
                "insert into kept values(?, ?, ?)",
                [(run, label, value) for label, value in made.items()],
            )
            db.executemany(
                "insert or replace into counted values(?, ?, ?)",
                [(run, kind, number) for kind, number in last.items()],
            )
            return True

    def _there(self) -> bool:
        """False if nothing was ever kept: then no file is made."""
        return self._opened is not None or (
            self._folder is not None and (self._folder / FILE).exists()
        )

    def _failing(self) -> _Failing:
        return _Failing(self)

    def connection(self) -> sqlite3.Connection:
        if self._opened is None:
            place = ":memory:"
            if self._folder is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
                place = str(self._folder / FILE)
                os.close(os.open(place, os.O_RDWR | os.O_CREAT, 0o600))
            self._opened = sqlite3.connect(
                place, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            self._opened.execute("pragma secure_delete = on")
            for line in _SCHEMA:
                self._opened.execute(line)
        return self._opened


class _Failing:
    """The connection, for the length of a `with`; its errors are told as ours."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def __enter__(self) -> sqlite3.Connection:
        try:
            return self._vault.connection()
        except (sqlite3.Error, OSError) as error:
            raise _failed(error) from error

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise _failed(error) from error


def _last(db: sqlite3.Connection, run: str) -> dict[str, int]:
    return dict(db.execute("select kind, last from counted where run = ?", (run,)).fetchall())


def _kind(label: str) -> str:
    return label[1:].rpartition("_")[0]


def _number(label: str) -> int:
    return int(label.rpartition("_")[2].rstrip("]"))


def _failed(error: Exception) -> ScreenError:
    return ScreenError(
        f"the vault cannot be read or written: {error}",
        fix=f"look at {FILE} beside the runs: rights, room on the disk, damage",
        code="vault.failed",
    )
