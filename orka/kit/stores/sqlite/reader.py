"""Reading: through SQL, every line verified; from the bytes of the file where that fails."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar

from orka.errors import RunNotFound, StoreCorrupt, nearest
from orka.kit.stores.sqlite.database import Database
from orka.kit.stores.sqlite.faults import FAULTS, explained, locked
from orka.kit.stores.sqlite.layout import Head
from orka.kit.stores.sqlite.salvage import Prefix
from orka.kit.stores.sqlite.tables import NEWEST, Tables

T = TypeVar("T")
_SUGGEST_FROM = 1_000


class Reader:
    """Reads what `database` holds and never changes it. What it gives is proven or not given."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read(self, run: str, start: int) -> list[bytes]:
        """Raises `StoreCorrupt` unless all of the run is there; `RunNotFound` for a run that was
        never there, if that can be known: what is lost of a damaged file may have held it."""
        with self._database.lock:
            lines = self._lines(run, start)
            if lines is not None:
                return lines
            prefix, whole = self._proven(run)
        if not whole:
            raise _damaged(run, len(prefix.lines))
        return prefix.lines[start:]

    def salvage(self, run: str) -> list[bytes]:
        """The longest beginning of the run that can be proven."""
        with self._database.lock:
            try:
                lines = self._lines(run, 0)
                return self._proven(run)[0].lines if lines is None else lines
            except (RunNotFound, StoreCorrupt):
                return []

    def blob(self, digest: str) -> bytes:
        """Raises `StoreCorrupt` if it is not to be found."""
        with self._database.lock:
            data = self._ask(lambda tables: tables.blob(digest))
            if data is None or sha256(data).hexdigest() != digest:
                data = self._database.salvage().blob(digest)
        if data is None:
            raise StoreCorrupt(
                f"blob {digest[:12]}… is missing or is not what its digest says",
                valid=0,
                where=str(self._database.file),
                fix="`orka resume RUN --salvage` continues from before the event that needs it",
            )
        return data

    def runs(self, limit: int, before: str) -> list[tuple[str, bytes, bytes]]:
        """A run of whose beginning nothing can be proven has two empty lines."""
        with self._database.lock:
            if not self._database.exists():
                return []
            named = self._latest(limit, before)
            return [self._listed(run, number) for number, run in named]

    def _ask(self, question: Callable[[Tables], T]) -> T | None:
        """The answer of the tables, None if SQLite cannot make sense of them."""
        try:
            connection = self._database.reading()
            return question(Tables(connection)) if connection else None
        except FAULTS as error:
            if locked(error):
                raise explained(error, self._database.file) from error
            return None

    def _lines(self, run: str, start: int) -> list[bytes] | None:
        empty = Head(0, 0, 0)
        head = self._ask(lambda tables: tables.head(run)) if self._database.exists() else empty
        if head is None or self._database.doubtful:
            return None
        if head.number:
            return self._ask(lambda tables: tables.lines(run, head, start))
        if self._loss():
            return None
        raise self._unknown(run)

    def _proven(self, run: str) -> tuple[Prefix, bool]:
        """What the bytes prove of `run`, and whether that is all of it."""
        head = self._ask(lambda tables: tables.head(run))
        prefix = self._database.salvage().prefix(run, head.number if head else 0)
        if not prefix.lines and not (head and head.number):
            if loss := self._loss():
                raise _lost(run, loss, str(self._database.file))
            if head:
                raise self._unknown(run)
        if self._database.doubtful:
            return prefix, _furthest(prefix, head) == prefix.end
        if head and head.number and prefix.passes(head.length, head.sum):
            prefix.cut(head.length)  # what lies further on was never committed
            return prefix, True
        return prefix, False

    def _latest(self, limit: int, before: str) -> list[tuple[int, str]]:
        asked = (lambda tables: tables.head(before).number) if before else (lambda _: NEWEST)
        number = self._ask(asked)
        sound = not self._database.doubtful and not self._database.shortage()
        if number and sound:
            named = self._ask(lambda tables: tables.latest(limit, number))
            if named is not None:
                return named
        if number == 0 and sound and not self._loss():
            raise self._unknown(before)
        named = self._database.salvage().named()
        if before:
            at = next((at for at, (_, run) in enumerate(named, 1) if run == before), len(named))
            named = named[at:]
        return named[:limit]

    def _listed(self, run: str, number: int) -> tuple[str, bytes, bytes]:
        bounds = self._ask(lambda tables: tables.bounds(run, number))
        if bounds and not self._database.doubtful:
            return run, *bounds
        other = self._ask(lambda tables: tables.indexed(number)) or run
        for name in (run, other):  # the name itself may be what is damaged
            lines = self._database.salvage().prefix(name, number).lines
            if lines:
                return name, lines[0], lines[-1]
        return run or other, b"", b""

    def _loss(self) -> str:
        """What is wrong with the file as a whole, so that a run may be missing; empty if nothing
        is known to be."""
        if not self._database.exists():
            return ""
        if short := self._database.shortage():
            return "the store's file was cut: {:,} of {:,} bytes are left".format(*short)
        counts = self._ask(lambda tables: tables.counts())
        if counts is None:
            return "the store's file is damaged: SQLite cannot read its list of runs"
        table, index = counts
        if table != index:
            return f"the store's file is damaged: it lists {table} runs, but its index {index}"
        return ""

    def _unknown(self, run: str) -> RunNotFound:
        known = self._ask(lambda tables: tables.latest(_SUGGEST_FROM)) or []
        names = [name for _, name in known]
        hint = nearest(run, names) if len(names) <= 10 else _near(run, names)
        return RunNotFound(
            f"no run {run!r}",
            where=str(self._database.file),
            fix=f"{hint}; `orka runs` lists what there is" if hint else "`orka runs` lists them",
        )


def _near(run: str, names: list[str]) -> str:
    hint = nearest(run, names)
    return hint if hint.startswith("did") else ""


def _furthest(prefix: Prefix, head: Head | None) -> tuple[int, int]:
    known = {(head.length, head.sum)} if head and head.number else set()
    return max(prefix.ends | known, default=(-1, 0))


def _lost(run: str, loss: str, where: str) -> StoreCorrupt:
    return StoreCorrupt(
        f"{loss}; run {run!r} may have been in what is lost" if run else loss,
        valid=0,
        where=where,
        fix="put back a copy of the file if you have one; else `orka runs` lists what is left, and "
        "`orka resume RUN --salvage --into DIR` copies what is intact of a run to another folder",
    )


def _damaged(run: str, valid: int) -> StoreCorrupt:
    return StoreCorrupt(
        f"event {valid} of run {run!r} is not what was written; "
        f"the {valid} events before it are intact",
        valid=valid,
        where=f"run {run!r}, event {valid}",
        fix=f"`orka resume {run} --salvage` continues from the last intact event in a new run; "
        "the damaged one is left as it is",
    )
