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
        """Raises `RunNotFound`, and `StoreCorrupt` unless all of the run is there."""
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
            except RunNotFound:
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
        """A run of whose beginning nothing can be proven is left out."""
        with self._database.lock:
            if not self._database.exists():
                return []
            named = self._latest(limit, before)
            listed = [self._listed(run, number) for number, run in named]
        return [found for found in listed if found]

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
        if not head.number:
            raise self._unknown(run)
        return self._ask(lambda tables: tables.lines(run, head, start))

    def _proven(self, run: str) -> tuple[Prefix, bool]:
        """What the bytes prove of `run`, and whether that is all of it."""
        head = self._ask(lambda tables: tables.head(run))
        prefix = self._database.salvage().prefix(run, head.number if head else 0)
        if not prefix.lines and head and not head.number:
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
        if number and not self._database.doubtful:
            named = self._ask(lambda tables: tables.latest(limit, number))
            if named is not None:
                return named
        if number == 0 and not self._database.doubtful:
            raise self._unknown(before)
        salvaged = self._database.salvage().runs()
        at = next((at for at, (_, run) in enumerate(salvaged, 1) if run == before), 0)
        return salvaged[at : at + limit]

    def _listed(self, run: str, number: int) -> tuple[str, bytes, bytes] | None:
        bounds = self._ask(lambda tables: tables.bounds(run, number))
        if bounds and not self._database.doubtful:
            return run, *bounds
        other = self._ask(lambda tables: tables.indexed(number)) or run
        for name in (run, other):  # the name itself may be what is damaged
            lines = self._database.salvage().prefix(name, number).lines
            if lines:
                return name, lines[0], lines[-1]
        return None

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


def _damaged(run: str, valid: int) -> StoreCorrupt:
    return StoreCorrupt(
        f"event {valid} of run {run!r} is not what was written; "
        f"the {valid} events before it are intact",
        valid=valid,
        where=f"run {run!r}, event {valid}",
        fix=f"`orka resume {run} --salvage` continues from the last intact event in a new run; "
        "the damaged one is left as it is",
    )
