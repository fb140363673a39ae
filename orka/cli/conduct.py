"""What all commands that drive a run have in common: a screen, a session, an end."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path

from orka.api import Runtime
from orka.cli.options import Settings
from orka.cli.output import aside, check_file, print_json
from orka.cli.report import finish, refused
from orka.cli.screen import Lines, Screen
from orka.cli.session import Begun, Session
from orka.errors import OrkaError
from orka.view.run import Run

Verb = Callable[[Runtime, Begun], Awaitable[Run]]


def conduct(
    settings: Settings,
    prepare: Callable[[], Verb],
    *,
    form: str,
    verbose: bool,
    output: Path | None,
    timeout: float | None = None,
) -> int:
    """Prepare a verb, drive it, say how it ended; gives the exit code.

    With `--format json` standard output gets exactly one document, also when an error is raised.
    """
    session = Session(settings, screen_for(form=form, verbose=verbose), timeout)
    try:
        if output is not None:
            check_file(output)
        with aside() if isinstance(session.screen, Lines) else nullcontext():
            run = session.drive(prepare())
    except OrkaError as error:
        if form == "json":
            print_json(refused(error, session.run_id))
        raise
    live = not isinstance(session.screen, Lines)
    return finish(run, form=form, output=output, live=live)


def screen_for(*, form: str, verbose: bool) -> Screen:
    """The live view on a terminal, lines elsewhere."""
    if form == "json" or not (sys.stdout.isatty() and sys.stderr.isatty()):
        return Lines(verbose=verbose)
    from orka.cli.live import LiveView  # noqa: PLC0415  # rich is heavy and needed here only

    return LiveView()
