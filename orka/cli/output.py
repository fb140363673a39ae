"""Writing to standard output so that what a machine reads is never spoilt by an old code page."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import click

from orka.cli.visible import visible
from orka.errors import InputError
from orka.value import Json

_OUT, _ERR = 1, 2


def json_text(value: Json, *, ascii_only: bool = False) -> str:
    """Indented JSON in the order given."""
    return json.dumps(value, ensure_ascii=ascii_only, indent=2)


def print_json(value: Json) -> None:
    """One JSON document. Where the stream is not Unicode, characters are written as escapes."""
    click.echo(visible(json_text(value, ascii_only=not unicode_stream())))


def print_value(value: Json) -> None:
    """Text as it is, anything else as JSON."""
    if isinstance(value, str):
        click.echo(value)
    else:
        print_json(value)


def unicode_stream() -> bool:
    """True if standard output can show any character."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


@contextmanager
def aside() -> Iterator[None]:
    """Whatever tools (and programs they start) print meanwhile goes to standard error: standard
    output is for the answer."""
    sys.stdout.flush()
    kept = os.dup(_OUT)
    os.dup2(_ERR, _OUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, _OUT)
        os.close(kept)


def write_file(path: Path, value: Json) -> None:
    """The value as UTF-8. Raises `InputError`."""
    text = value if isinstance(value, str) else json_text(value)
    try:
        path.write_bytes(f"{text}\n".encode())
    except OSError as error:
        raise unwritable(path, error) from None


def check_file(path: Path) -> None:
    """Find out before a run, not after it, that a file cannot be written. Raises `InputError`."""
    existed = path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise unwritable(path, error) from None
    if not existed:
        path.unlink()


def unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{str(path)!r} cannot be written: {error.strerror}",
        fix="give --output another file; what has run is kept and `orka show last` shows it",
        code="input.output_file",
    )
