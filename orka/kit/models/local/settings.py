"""What a request may say to a local model, read and checked."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypeVar

import msgspec

from orka.errors import ModelError, nearest
from orka.port.model import ModelRequest
from orka.value import Json

Kind = TypeVar("Kind", bound=msgspec.Struct)

MOST_THREADS = 4


class Sampling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`request.params`. Temperature 0 and a fixed seed: the same question gets the same answer."""

    temperature: float = 0.0
    max_tokens: int = 1024
    top_p: float = 1.0
    seed: int = 0
    stop: str | list[str] | None = None

    @property
    def stops(self) -> Sequence[str]:
        return [self.stop] if isinstance(self.stop, str) else self.stop or []


class Loading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`request.options`: how the model is loaded. 0 threads: as this machine allows."""

    threads: int = 0
    context: int = 4096


def sampling(request: ModelRequest) -> Sampling:
    """The sampling parameters. Raises `ModelError` (`model.refused`) for unknown ones."""
    _known(request.params, Sampling, "params", request)
    found = _convert(request.params, Sampling, "params", request)
    if found.max_tokens < 1:
        raise _refused(f"max_tokens is {found.max_tokens}", "ask for at least 1", request)
    return found


def loading(request: ModelRequest) -> Loading:
    """The options, with the number of threads filled in. Raises `ModelError` (`model.refused`).
    `structured` may say anything but `tool`: whatever has a schema is written by its grammar."""
    options = dict(request.options)
    if options.pop("structured", "auto") == "tool":
        fix = "set `structured: auto`: its answer is written by the schema's grammar"
        raise _refused("a local model has no tools to answer with", fix, request)
    _known(options, Loading, "options", request)
    found = _convert(options, Loading, "options", request)
    return Loading(found.threads if found.threads > 0 else threads(), found.context)


def threads() -> int:
    """`ORKA_LOCAL_THREADS`; else 1 in CI, where other work spins on the cores; else up to 4."""
    told = os.environ.get("ORKA_LOCAL_THREADS", "")
    if told.isdigit() and int(told) > 0:
        return int(told)
    return 1 if os.environ.get("CI") else min(MOST_THREADS, os.cpu_count() or 1)


def _known(
    given: Mapping[str, Json], kind: type[msgspec.Struct], what: str, request: ModelRequest
) -> None:
    for name in given:
        if name not in kind.__struct_fields__:
            raise _refused(
                f"local models have no {what}.{name}",
                nearest(name, kind.__struct_fields__),
                request,
            )


def _convert(given: Mapping[str, Json], kind: type[Kind], what: str, request: ModelRequest) -> Kind:
    try:
        return msgspec.convert(dict(given), kind)
    except msgspec.ValidationError as error:
        raise _refused(f"{what}: {error}", "correct the value", request) from error


def _refused(what: str, fix: str, request: ModelRequest) -> ModelError:
    return ModelError(
        what, where=f"local/{request.name}", fix=fix, code="model.refused", retryable=False
    )
