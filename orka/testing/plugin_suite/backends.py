"""Checks of stores, memories, providers of models, and commands."""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from orka.cli.main import COMMANDS
from orka.port.memory import Draft, Memory, Query
from orka.port.store import Store
from orka.testing import store_suite
from orka.testing.plugin_suite.check import Check, checks, claim, safely, same, short
from orka.testing.plugin_suite.subject import Subject, Thing

_NOW = 1_700_000_000.0


# ---- stores: those that every store must pass


def _of_store(check: store_suite.Check) -> Check:
    def look(found: Subject, store: Thing) -> None:
        def opened(place: Path) -> Store:
            made: Store = store.value(str(place))
            return made

        with tempfile.TemporaryDirectory() as folder:
            safely(asyncio.run, check(opened, Path(folder)))

    return Check("store", check.__name__.replace("_", " "), look)


STORES = tuple(_of_store(check) for check in store_suite.CHECKS)


# ---- memories


def gives_back_what_was_written(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        written = _write(it, "tea is hot", key="a")
        entry = it.get("n", "a", now=_NOW)
        claim(entry is not None and entry.content == "tea is hot", f"it gave {short(entry)}")
        claim(written.status == "stored" and written.version == 1, f"it said {short(written)}")


def finds_what_was_written_by_its_words(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        _write(it, "tea is hot", key="a")
        _write(it, "snow is cold", key="b")
        hits = it.search(Query(namespace="n", text="tea"), now=_NOW).found
        claim(hits and hits[0].entry.content == "tea is hot", f"it found {short(hits)}")


def keeps_namespaces_and_users_apart(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        _write(it, "one", key="a")
        it.write(Draft(namespace="n", content="two", key="a", user="u"), now=_NOW)
        claim(it.get("other", "a", now=_NOW) is None, "another namespace sees it")
        mine, theirs = it.get("n", "a", now=_NOW), it.get("n", "a", user="u", now=_NOW)
        same([e and e.content for e in (mine, theirs)], ["one", "two"], "of two users")


def counts_versions_and_refuses_what_came_between(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        _write(it, "one", key="a")
        claim(_write(it, "two", key="a").version == 2, "an update is no second version")
        late = it.write(Draft(namespace="n", content="x", key="a", expect=1), now=_NOW)
        claim(late.status == "conflict", f"an old writer was told {late.status!r}")


def changes_once_for_one_effect(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        draft = Draft(namespace="n", content="one", key="a")
        first = it.write(draft, now=_NOW, once="run/x#0")
        again = it.write(draft, now=_NOW + 5, once="run/x#0")
        same(again, first, "its answer to the same effect")


def forgets_what_has_expired(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        it.write(Draft(namespace="n", content="soon gone", key="a", ttl=10.0), now=_NOW)
        claim(it.get("n", "a", now=_NOW + 9) is not None, "it is gone before its time")
        claim(it.get("n", "a", now=_NOW + 10) is None, "it is there after its time")
        claim(it.expire(_NOW + 11) == 1, "`expire` did not take it out")


def deletes_what_it_is_told_to(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        _write(it, "one", key="a")
        claim(it.delete("n", "a", now=_NOW), "it says there was nothing")
        claim(not it.delete("n", "a", now=_NOW), "it deletes twice")


def counts_what_it_holds(found: Subject, memory: Thing) -> None:
    with _opened(memory) as it:
        _write(it, "one", key="a")
        stats = it.stats(now=_NOW)
        claim(stats.total == 1 and stats.by_namespace == {"n": 1}, f"it said {short(stats)}")


MEMORIES = checks(
    "memory",
    gives_back_what_was_written,
    finds_what_was_written_by_its_words,
    keeps_namespaces_and_users_apart,
    counts_versions_and_refuses_what_came_between,
    changes_once_for_one_effect,
    forgets_what_has_expired,
    deletes_what_it_is_told_to,
    counts_what_it_holds,
)


@contextmanager
def _opened(memory: Thing) -> Iterator[Memory]:
    with tempfile.TemporaryDirectory() as folder:
        it: Memory = _Careful(safely(memory.value, folder))  # type: ignore[assignment]  # it stands for one
        try:
            yield it
        finally:
            it.close()


class _Careful:
    """A memory whose errors are told as what they are: the plugin's."""

    def __init__(self, memory: object) -> None:
        self._memory = memory

    def __getattr__(self, name: str) -> Callable[..., Any]:  # Any: as the memory has it
        method = safely(getattr, self._memory, name)
        return lambda *args, **named: safely(lambda: method(*args, **named))


def _write(memory: Memory, text: str, key: str) -> Any:  # Any: told by the checks
    return memory.write(Draft(namespace="n", content=text, key=key), now=_NOW)


# ---- providers of models


def is_made_without_arguments(found: Subject, model: Thing) -> None:
    safely(model.value)


def completes_as_a_coroutine(found: Subject, model: Thing) -> None:
    complete = getattr(safely(model.value), "complete", None)
    claim(inspect.iscoroutinefunction(complete), "its `complete` is no async method")


def takes_a_request_a_call_and_an_emitter(found: Subject, model: Thing) -> None:
    complete = getattr(safely(model.value), "complete", None)
    claim(complete is not None, "it has no `complete`")
    try:
        inspect.signature(complete).bind("request", "call", "emit")  # type: ignore[arg-type]  # told above
    except TypeError as error:
        raise AssertionError(f"its `complete` cannot be called: {error}") from None


def closes_as_a_coroutine_if_it_closes(found: Subject, model: Thing) -> None:
    close = getattr(safely(model.value), "close", None)
    claim(close is None or inspect.iscoroutinefunction(close), "its `close` is not async")


MODELS = checks(
    "model",
    is_made_without_arguments,
    completes_as_a_coroutine,
    takes_a_request_a_call_and_an_emitter,
    closes_as_a_coroutine_if_it_closes,
)


# ---- commands


def is_a_click_command(found: Subject, command: Thing) -> None:
    claim(isinstance(command.value, click.Command), f"it is {short(command.value)}")


def takes_no_name_of_a_command_of_the_core(found: Subject, command: Thing) -> None:
    claim(command.name not in COMMANDS, f"`orka {command.name}` is a command of the core")


def explains_itself_with_help(found: Subject, command: Thing) -> None:
    told = _help(command)
    claim("Usage:" in told, f"--help prints {short(told)}")


def says_what_it_does(found: Subject, command: Thing) -> None:
    is_a_click_command(found, command)
    claim(command.value.help, "it has no docstring: `--help` says nothing")


def refuses_options_nobody_reads(found: Subject, command: Thing) -> None:
    is_a_click_command(found, command)
    done = CliRunner().invoke(command.value, ["--no-such-option"])
    claim(done.exit_code == 2, f"an unknown option gives exit code {done.exit_code}")


COMMAND = checks(
    "command",
    is_a_click_command,
    takes_no_name_of_a_command_of_the_core,
    explains_itself_with_help,
    says_what_it_does,
    refuses_options_nobody_reads,
)


def _help(command: Thing) -> str:
    claim(isinstance(command.value, click.Command), "it is no click command")
    return CliRunner().invoke(command.value, ["--help"]).output
