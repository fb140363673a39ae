"""The `orka` command itself: finds the subcommand and makes text and a code of all that happens."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from orka import __version__
from orka.cli import brought, exit
from orka.errors import OrkaError, nearest

# name -> the module of `orka.cli` that holds it, and its line in `orka --help`.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("run", "Run a workflow."),
    "runs": ("runs", "List recorded runs, newest first."),
    "show": ("show", "Show what happened in a run."),
    "trace": ("trace", "Print the events of a run."),
    "replay": ("replay", "Replay a run and prove it byte-identical."),
    "resume": ("resume", "Go on with a run that crashed, failed or was cancelled."),
    "answer": ("answer", "Answer what a waiting run asks a person."),
    "approvals": ("approvals", "See what waits for a person, and say yes or no."),
    "fork": ("fork", "Run again from a step, with the recorded answers before it."),
    "diff": ("diff", "Say where two runs part, and why."),
    "why": ("why", "Say why a run decided as it did."),
    "whatif": ("whatif", "Say what other weights or rules would have decided."),
    "flips": ("flips", "Say what would make another candidate lead."),
    "rescore": ("rescore", "Decide all stored decisions again with other weights."),
    "fit": ("fit", "Fit weights to what people say was right."),
    "lint-weights": ("lint_weights", "Look for weights that cannot mean what they say."),
    "export": ("export", "Print a run in another trace format."),
    "sensors": ("sensors", "Count violations and repairs by agent, model and prompt."),
    "check": ("check", "Check workflow files without running them."),
    "schema": ("schema", "Print the JSON Schema of workflow files."),
    "graph": ("graph", "Draw a workflow."),
    "init": ("init", "Write a small workflow to start from."),
    "doctor": ("doctor", "Look for what is broken on this machine."),
    "memory": ("memory", "Look at what agents have kept."),
    "vault": ("vault", "See what is kept of personal data, and forget it."),
    "models": ("models", "List, pull and remove local models."),
    "plugins": ("plugins", "List what is on offer, and from where."),
    "plugin": ("plugin", "Write a plugin, and check one."),
}
_TOOL_THREADS = "orka-tool"


class Unread(Exception):
    """Whoever read standard output has gone. A broken pipe itself click would turn into an exit
    like any other."""


@contextmanager
def _ends() -> Iterator[None]:
    """Tell apart the two ends that click would not: a broken pipe, and a stranger's sys.exit()."""
    try:
        yield
    except BrokenPipeError as error:
        raise Unread from error
    except SystemExit as error:
        raise OrkaError(
            f"a plugin, tool or agent ended the program: SystemExit({error.code!r})",
            fix="take sys.exit() out of it and raise an error; --debug shows where it is",
            code="plugin.exited",
        ) from error


class Commands(click.Group):
    """Subcommands by name; a command's module is imported when it is called, not for `--help`."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # Any: as click has it
    ) -> click.Context:
        with _ends():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # Any: what the command gives back
        if files := ctx.params.get("plugins"):
            ctx.default_map = {name: {"plugins": files} for name in COMMANDS}
        with _ends():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return brought.command(cmd_name, ctx.params.get("plugins", ()))
        module = import_module(f"orka.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, COMMANDS[cmd_name][0])
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            known = [*COMMANDS, *brought.names(ctx.params.get("plugins", ()))]
            if args[0] not in known:
                raise click.UsageError(f"No command {args[0]!r}; {nearest(args[0], known)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])
        if found := brought.names(ctx.params.get("plugins", ())):
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(name, f"from {origin}") for name, origin in found.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 completed, 1 failed, 2 wrong usage, file or input, 3 waiting for a "
    "person, 4 out of budget, 5 store, 6 diverged, 130 cancelled.",
)
@click.version_option(__version__, prog_name="orka")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.option(
    "--plugin",
    "plugins",
    multiple=True,
    is_eager=True,
    metavar="FILE",
    help="A plugin file whose commands are wanted; the command itself gets the file too.",
)
def orka(*, debug: bool, plugins: tuple[str, ...]) -> None:
    """Run agent graphs written in YAML, and ask afterwards why they did what they did."""


def call(args: Sequence[str]) -> int:
    """Run one command line; gives the exit code. `--debug` is understood anywhere."""
    options = args[: args.index("--")] if "--" in args else args
    debug = "--debug" in options
    given = [arg for at, arg in enumerate(args) if arg != "--debug" or at >= len(options)]
    try:
        result = orka.main(given, prog_name="orka", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return exit.CANCELLED
    except OrkaError as error:
        click.echo(str(error), err=True)
        if debug:
            traceback.print_exception(error)
        return exit.of_error(error)
    except (BrokenPipeError, Unread):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit.BROKEN_PIPE
    except Exception as error:  # the last resort: a mistake of ours must still be one clear line
        click.echo(_unexpected(error, given), err=True)
        if debug:
            traceback.print_exception(error)
        return exit.FAILED
    return result if isinstance(result, int) else exit.COMPLETED


def _unexpected(error: Exception, args: Sequence[str]) -> str:
    before = ["", *args]
    words = [arg for arg, last in zip(args, before, strict=False) if last != "--plugin"]
    named = next((word for word in words if not word.startswith("-")), "")
    if named and named not in COMMANDS:
        return f"[plugin.raised] command {named!r} raised {type(error).__name__}: {error}"
    return (
        f"[orka.unexpected] {type(error).__name__}: {error}\n"
        "  to do: this is a mistake in OrKa; please report it, with what --debug shows"
    )


def main() -> NoReturn:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # an old code page must not cost an answer
    code = call(sys.argv[1:])
    if any(thread.name.startswith(_TOOL_THREADS) for thread in threading.enumerate()):
        # Python would wait for a tool's thread, for ever if the tool hangs; all is recorded.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
