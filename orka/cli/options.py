"""Options that several commands share, and the runtime they describe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from orka.api import HOME, Runtime
from orka.engine.outside import Watcher
from orka.engine.prices import Prices, read_prices, shipped_prices
from orka.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])  # Any: click passes what options say
DURABILITIES = ("buffered", "process", "power")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says about the runtime."""

    store: str = HOME
    plugins: tuple[str, ...] = ()
    durability: str = ""
    prices: str = ""
    mcp: str = ""

    def open(self, watchers: Iterable[Watcher] = ()) -> Runtime:
        """Raises `ConfigError`, `PluginError`, `StoreError`."""
        return Runtime(
            store=self.store,
            durability=self.durability,
            plugins=self.plugins,
            mcp=self.mcp or None,
            prices=_prices(self.prices) if self.prices else None,
            watchers=watchers,
        )

    @contextmanager
    def reading(self) -> Iterator[Runtime]:
        """A runtime for a command that drives nothing; it is closed at the end."""
        runtime = self.open()
        try:
            yield runtime
        finally:
            asyncio.run(runtime.close())


def _prices(path: str) -> Prices:
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"the price table {path!r} cannot be read: {error}",
            fix="give a TOML file in UTF-8",
            code="config.prices",
        ) from None
    return shipped_prices().merged(read_prices(text, path))


def reads(command: Command) -> Command:
    """Give a command `--store`, `--plugin` and `--mcp` as one `settings`."""
    return _settings(command, [_STORE, _PLUGIN, _MCP])


def drives(command: Command) -> Command:
    """Give a command all options of a runtime as one `settings`."""
    return _settings(command, [_STORE, _PLUGIN, _MCP, _DURABILITY, _PRICES])


def loads(command: Command) -> Command:
    """Give a command that needs no store `--plugin` and `--mcp` as `settings`."""
    return _settings(command, [_PLUGIN, _MCP])


def machine(words: tuple[str, ...] = ("text", "json")) -> Callable[[Command], Command]:
    """`--format`, the first word being what is used without it."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(words),
        default=words[0],
        show_default=True,
        help="What is written to standard output.",
    )


_Decorator = Callable[[Command], Command]
_STORE: _Decorator[Any] = click.option(  # Any: decorates whatever it is put on
    "--store",
    envvar="ORKA_STORE",
    default=HOME,
    show_default=True,
    metavar="DIR",
    help="The folder runs are kept in, or :memory: (ORKA_STORE).",
)
_PLUGIN: _Decorator[Any] = click.option(  # Any: see above
    "--plugin",
    "plugins",
    multiple=True,
    metavar="FILE",
    help="A Python file with agent types, tools, criteria, strategies. May be repeated.",
)
_MCP: _Decorator[Any] = click.option(  # Any: see above
    "--mcp",
    default="",
    metavar="FILE",
    help="A JSON file that declares MCP servers; their tools are called mcp:SERVER/TOOL.",
)
_DURABILITY: _Decorator[Any] = click.option(  # Any: see above
    "--durability",
    type=click.Choice(DURABILITIES),
    metavar="WORD",
    help="What a lost power supply may cost: buffered (the last 50 ms, even of a killed process), "
    "process (the last events; the default), power (nothing).",
)
_PRICES: _Decorator[Any] = click.option(  # Any: see above
    "--prices", default="", metavar="FILE", help="A price table laid over the one that is shipped."
)


def _settings(command: Command, options: Iterable[_Decorator[Any]]) -> Command:
    @wraps(command)
    def called(
        *args: Any,  # Any: what click passes on
        store: str = ":memory:",
        plugins: tuple[str, ...] = (),
        durability: str | None = None,
        prices: str = "",
        mcp: str = "",
        **rest: Any,  # Any: what click passes on
    ) -> Any:  # Any: what the command gives back
        given = Settings(store, plugins, durability or "", prices, mcp)
        return command(*args, settings=given, **rest)

    decorated: Any = called  # Any: the wrapper stands for the command
    for option in options:
        decorated = option(decorated)
    return decorated  # type: ignore[no-any-return]  # a command, with options on it


def watched(command: Command) -> Command:
    """Give a command that drives a run `--output` and `-v`."""
    for option in (_OUTPUT, _VERBOSE):
        command = option(command)
    return command


_OUTPUT: _Decorator[Any] = click.option(  # Any: decorates whatever it is put on
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the answer to a file as well, in UTF-8.",
)
_VERBOSE: _Decorator[Any] = click.option(  # Any: see above
    "-v", "--verbose", is_flag=True, help="Show each question and each answer."
)
