"""What every store must do, as checks that whoever writes a store can run.

    @pytest.mark.parametrize("check", store_suite.CHECKS, ids=store_suite.name)
    def test_my_store(check, tmp_path):
        asyncio.run(check(lambda place: MyStore(place), tmp_path))

A check opens stores itself, as often as it likes. Stores opened at one place must share what they
hold; one that ends with the process runs `CHECKS` without those in `DURABLE`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path

from orka.errors import Conflict, RunBusy, RunNotFound, StoreCorrupt
from orka.port.store import Store

Open = Callable[[Path], Store]
Check = Callable[[Open, Path], Coroutine[None, None, None]]

_NAMES = ("a", "b/c", "ü – 運行", "it's; drop", "x" * 300, "A", "a ")
_BYTES = (bytes(range(256)), b"{}", b"\0\0", "ü".encode(), b"y" * 5_000, b"z" * 100_000)


async def gives_back_what_was_appended(open_store: Open, place: Path) -> None:
    store = open_store(place)
    await store.append("run", 0, _BYTES[:2], {})
    await store.append("run", 2, _BYTES[2:], {})
    _equal(store.read("run"), list(_BYTES))
    _equal(store.salvage("run"), list(_BYTES))
    await store.close()


async def reads_from_any_event(open_store: Open, place: Path) -> None:
    store = open_store(place)
    await store.append("run", 0, _BYTES, {})
    for start in range(len(_BYTES) + 3):
        _equal(store.read("run", start), list(_BYTES[start:]))
    await store.close()


async def keeps_runs_of_any_name_apart(open_store: Open, place: Path) -> None:
    store = open_store(place)
    for name in _NAMES:
        await store.append(name, 0, [name.encode()], {})
    for name in _NAMES:
        await store.append(name, 1, [b"more"], {})
        _equal(store.read(name), [name.encode(), b"more"])
    await store.close()


async def refuses_an_append_to_a_run_that_is_longer(open_store: Open, place: Path) -> None:
    store = open_store(place)
    await store.append("run", 0, [b"0", b"1"], {})
    for expected in (0, 1):
        await _conflicts(store, "run", expected)
    _equal(store.read("run"), [b"0", b"1"])
    await store.append("run", 2, [b"2"], {})
    _equal(store.read("run"), [b"0", b"1", b"2"])
    await store.close()


async def refuses_an_append_that_would_leave_a_gap(open_store: Open, place: Path) -> None:
    store = open_store(place)
    await _conflicts(store, "new", 1)
    await store.append("run", 0, [b"0"], {})
    await _conflicts(store, "run", 2)
    _equal(store.read("run"), [b"0"])
    _equal([run for run, _, _ in store.runs(10)], ["run"])
    await store.close()


async def lets_one_of_several_writers_win(open_store: Open, place: Path) -> None:
    store = open_store(place)
    await store.append("run", 0, [b"0"], {})
    rivals = [[b"%d" % rival] * (rival + 1) for rival in range(5)]
    outcomes = await asyncio.gather(
        *(store.append("run", 1, lines, {}) for lines in rivals), return_exceptions=True
    )
    winners = [lines for lines, outcome in zip(rivals, outcomes, strict=True) if outcome is None]
    lost = [outcome for outcome in outcomes if outcome is not None]
    _true(len(winners) == 1, f"{len(winners)} of 5 writers of the same event won")
    _true(all(isinstance(each, Conflict) for each in lost), f"not all are conflicts: {lost}")
    _equal(store.read("run"), [b"0", *winners[0]])
    await store.close()


async def one_refused_append_does_not_harm_others(open_store: Open, place: Path) -> None:
    store = open_store(place)
    appends = [store.append(f"run {at}", at % 2, [b"x", b"y"], {}) for at in range(20)]
    outcomes = await asyncio.gather(*appends, return_exceptions=True)
    for at, outcome in enumerate(outcomes):
        _equal(type(outcome), Conflict if at % 2 else type(None))
        if outcome is None:
            _equal(store.read(f"run {at}"), [b"x", b"y"])
    await store.close()


async def a_cancelled_append_is_not_taken_back(open_store: Open, place: Path) -> None:
    store = open_store(place)
    await store.append("run", 0, [b"0"], {})
    waiting = asyncio.ensure_future(store.append("run", 1, [b"1", b"2"], {}))
    await asyncio.sleep(0)
    waiting.cancel()
    await store.append("run", 3, [b"3"], {})
    with suppress(asyncio.CancelledError):
        await waiting
    _equal(store.read("run"), [b"0", b"1", b"2", b"3"])
    await store.close()


async def says_that_a_run_is_unknown(open_store: Open, place: Path) -> None:
    store = open_store(place)
    _equal(store.salvage("run"), [])
    _equal(store.runs(5), [])
    _raises(RunNotFound, lambda: store.read("run"), "a run that was never written can be read")
    await store.append("run", 0, [b"0"], {})
    _raises(RunNotFound, lambda: store.read("ruin"), "a run that was never written can be read")
    await store.close()


async def lists_runs_newest_first(open_store: Open, place: Path) -> None:
    store = open_store(place)
    for at in range(7):
        await store.append(f"run {at}", 0, [b"first %d" % at], {})
    await store.append("run 0", 1, [b"between", b"last"], {})
    newest = [(f"run {at}", b"first %d" % at, b"first %d" % at) for at in range(6, 0, -1)]
    newest.append(("run 0", b"first 0", b"last"))
    _equal(store.runs(100), newest)
    _equal(store.runs(3), newest[:3])
    _equal(store.runs(3, "run 4"), newest[3:6])
    _equal(store.runs(3, "run 0"), [])
    await store.close()


async def keeps_blobs_by_their_digest(open_store: Open, place: Path) -> None:
    store = open_store(place)
    blobs = {sha256(data).hexdigest(): data for data in (*_BYTES, b"", b"b" * 3_000_000)}
    with_line, alone = dict(list(blobs.items())[:3]), dict(list(blobs.items())[3:])
    await store.append("run", 0, [b"0"], with_line)
    await store.keep(alone)
    await store.keep(alone)
    for digest, data in blobs.items():
        _equal(store.blob(digest), data)
    missing = sha256(b"missing").hexdigest()
    _raises(StoreCorrupt, lambda: store.blob(missing), "a blob that was never kept is there")
    await store.close()


async def hands_out_lists_of_the_caller(open_store: Open, place: Path) -> None:
    store = open_store(place)
    given = [b"0", b"1"]
    await store.append("run", 0, given, {})
    given.append(b"2")
    store.read("run").clear()
    store.salvage("run").clear()
    _equal(store.read("run"), [b"0", b"1"])
    await store.close()


async def lets_one_claim_a_run(open_store: Open, place: Path) -> None:
    store = open_store(place)
    with store.claim("run"):
        _raises(RunBusy, lambda: _claim(store, "run"), "a claimed run can be claimed again")
        _claim(store, "other")
        _raises(RunBusy, lambda: _claim(store, "run"), "a refused claim frees the run")
    with suppress(KeyError), store.claim("run"):
        raise KeyError("a driver that fails")
    _claim(store, "run")
    await store.close()


async def holds_a_thousand_claims(open_store: Open, place: Path) -> None:
    store = open_store(place)
    with ExitStack() as claims:
        for at in range(1_000):
            claims.enter_context(store.claim(f"run {at}"))
        await asyncio.gather(*(store.append(f"run {at}", 0, [b"0"], {}) for at in range(1_000)))
        _raises(RunBusy, lambda: _claim(store, "run 500"), "a claimed run can be claimed again")
    _equal(len(store.runs(2_000)), 1_000)
    await store.close()


async def finds_everything_after_it_was_closed(open_store: Open, place: Path) -> None:
    store, data = open_store(place), b"d" * 10_000
    await store.append("run", 0, _BYTES, {sha256(data).hexdigest(): data})
    await store.append("later", 0, [b"0"], {})
    await store.close()
    store = open_store(place)
    _equal(store.read("run"), list(_BYTES))
    _equal(store.blob(sha256(data).hexdigest()), data)
    _equal([run for run, _, _ in store.runs(5)], ["later", "run"])
    await store.append("run", len(_BYTES), [b"on"], {})
    _equal(store.read("run", len(_BYTES)), [b"on"])
    await store.close()


async def is_shared_by_two_that_open_it(open_store: Open, place: Path) -> None:
    ours, theirs = open_store(place), open_store(place)
    with ours.claim("run"):
        await ours.append("run", 0, [b"0"], {})
        _raises(RunBusy, lambda: _claim(theirs, "run"), "a run claimed elsewhere can be claimed")
    with theirs.claim("run"):
        _equal(theirs.read("run"), [b"0"])
        await theirs.append("run", 1, [b"1"], {})
    await _conflicts(ours, "run", 1)
    await ours.append("run", 2, [b"2"], {})
    _equal(ours.read("run"), [b"0", b"1", b"2"])
    await ours.close()
    _equal(theirs.read("run"), [b"0", b"1", b"2"])
    await theirs.close()


DURABLE: tuple[Check, ...] = (finds_everything_after_it_was_closed, is_shared_by_two_that_open_it)
CHECKS: tuple[Check, ...] = (
    gives_back_what_was_appended,
    reads_from_any_event,
    keeps_runs_of_any_name_apart,
    refuses_an_append_to_a_run_that_is_longer,
    refuses_an_append_that_would_leave_a_gap,
    lets_one_of_several_writers_win,
    one_refused_append_does_not_harm_others,
    a_cancelled_append_is_not_taken_back,
    says_that_a_run_is_unknown,
    lists_runs_newest_first,
    keeps_blobs_by_their_digest,
    hands_out_lists_of_the_caller,
    lets_one_claim_a_run,
    holds_a_thousand_claims,
    *DURABLE,
)


def name(check: Check) -> str:
    """A check's name, for test ids."""
    return check.__name__


def _equal(found: object, wanted: object) -> None:
    if found != wanted:
        raise AssertionError(f"found {_short(found)}, not {_short(wanted)}")


def _true(claim: object, otherwise: str) -> None:
    if not claim:
        raise AssertionError(otherwise)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}… ({len(text)} characters)"


def _raises(kind: type[Exception], action: Callable[[], object], otherwise: str) -> None:
    try:
        action()
    except kind:
        return
    raise AssertionError(otherwise)


async def _conflicts(store: Store, run: str, expected: int) -> None:
    try:
        await store.append(run, expected, [b"intruder"], {})
    except Conflict:
        return
    raise AssertionError(f"an append after {expected} events of {run!r} was not refused")


def _claim(store: Store, run: str) -> None:
    with store.claim(run):
        pass
