"""The input of a run, from the command line, a file, or standard input."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NoReturn

from orka.errors import InputError
from orka.value import Json

STDIN = "-"


def given(text: str | None, json_file: str | None) -> Json:
    """The input of a run; text from standard input without its last line break.

    Raises `InputError` with line and column where it is not JSON.
    """
    if json_file is not None:
        source = "standard input" if json_file == STDIN else json_file
        return parse_json(_decoded(_bytes(json_file), source), source)
    if text == STDIN:
        return _decoded(_bytes(STDIN), "standard input").removesuffix("\n").removesuffix("\r")
    return text


def file_text(path: str) -> str:
    """The text of a file, or of standard input for `-`. Raises `InputError`."""
    return _decoded(_bytes(path), "standard input" if path == STDIN else path)


def parse_json(text: str, source: str) -> Json:
    """Strict JSON: no NaN, no key twice. Raises `InputError` with line and column."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twice)
    except json.JSONDecodeError as error:
        raise _not_json(error.msg, f"{source}, line {error.lineno}, column {error.colno}") from None
    except ValueError as error:
        raise _not_json(str(error), source) from None
    except RecursionError:
        raise _not_json("nested too deeply", source) from None


def _bytes(path: str) -> bytes:
    try:
        if path != STDIN:
            return Path(path).read_bytes()
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("standard input is closed", fix="give the input as an argument")
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(
            f"the input {path!r} cannot be read: {error.strerror}",
            fix="give the path of a file",
            code="input.missing_file",
        ) from None


def _decoded(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"the input is not UTF-8: byte {data[error.start]:#04x} at position {error.start}",
            where=f"{source}, line {line}",
            fix="save it as UTF-8",
            code="input.not_utf8",
        ) from None


def _not_json(what: str, where: str) -> InputError:
    return InputError(
        f"the input is not JSON: {what}",
        where=where,
        fix="correct the file, or give text as INPUT instead of --json",
        code="input.not_json",
    )


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _no_twice(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found
