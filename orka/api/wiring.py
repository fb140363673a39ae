"""What a runtime is made of: plugins, models, limits; and what it is given, checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from orka.errors import ConfigError, InputError
from orka.plugin.registry import Registry
from orka.port.model import Model
from orka.value import Json, plain

# Embedded weights answer one question at a time.
LIMITS = {"local": 1}


def limits_of(given: Mapping[str, int]) -> dict[str, int]:
    for name, most in given.items():
        if most < 1:
            raise ConfigError(f"limits[{name!r}] is {most}", fix="1 or more calls at once")
    return {**LIMITS, **given}


def registry_of(
    plugins: Iterable[str | Path],
    use: Iterable[object],
    models: Mapping[str, Callable[[], Model] | Model],
) -> Registry:
    """What is installed, and what was given."""
    registry = Registry()
    for path in plugins:
        registry.load_file(str(path))
    for thing in use:
        if not registry.add(thing):
            raise ConfigError(f"{thing!r} is neither agent type, tool, criterion nor strategy")
    for name, model in models.items():
        registry.models.put(name, _factory(model), f"python:{name}", "")
    return registry


def names_of(question: str) -> tuple[str, str, str]:
    """What a question can be called: its id, the path of its node, and the node's own id."""
    path = question.rpartition("#")[0]
    return question, path, path.rpartition("/")[2]


def _factory(model: Callable[[], Model] | Model) -> Callable[[], Model]:
    if hasattr(model, "complete") and not isinstance(model, type):
        made: Model = model
        return lambda: made
    return model


def input_of(input: Json) -> Json:
    try:
        given, notes = plain(input)
    except (ValueError, TypeError) as error:
        raise InputError(f"the input is not JSON: {error}", code="input.not_json") from None
    if notes:
        raise InputError(f"the input is not JSON: {'; '.join(notes)}", code="input.not_json")
    return given
