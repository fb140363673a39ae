"""Options of the agents: beside the type, or under `params` as files of 0.9 have them."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from orka.errors import AgentError
from orka.value import Json


class Laid(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`params` holds the same options; they count before those beside it. `prompt` and `queue` are
    words of older files and have no effect."""

    params: dict[str, Json] = {}
    prompt: str = ""
    queue: str = ""


L = TypeVar("L", bound=Laid)


def laid(options: L) -> L:
    """The options with those of `params` laid over them. Raises `AgentError` for one that is not
    known, or has the wrong type."""
    if not options.params:
        return options
    given = {name: getattr(options, name) for name in options.__struct_fields__}
    del given["params"]
    try:
        return msgspec.convert({**msgspec.to_builtins(given), **options.params}, type(options))
    except msgspec.ValidationError as error:
        raise AgentError(
            f"`params`: {error}",
            fix=f"options: {', '.join(sorted(given))}",
            code="triage.option",
        ) from None


def problem(options: Laid) -> str:
    """What is wrong with `params`, if anything: for the check before a run."""
    try:
        laid(options)
    except AgentError as error:
        return f"{error.what}; {error.fix}"
    return ""
