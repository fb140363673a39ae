"""What a runtime is made of: plugins, models, limits; and what it is given, checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from orka.api.guests import Catalog, check_manifests
from orka.engine.outside import Audience
from orka.engine.screen import Screens
from orka.engine.stream import Streams
from orka.engine.vault import Vault
from orka.engine.watchdog import PATIENCE
from orka.errors import ConfigError, InputError
from orka.graph.compile import compile
from orka.graph.graph import Graph
from orka.graph.names import check_names
from orka.graph.outer import Outer
from orka.plugin.registry import FEATURES, Registry
from orka.port.model import Model
from orka.spec.workflow import Workflow
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
    features: Iterable[str] | None = None,
) -> Registry:
    """What is installed, and what was given. Without `features` the environment names them."""
    registry = Registry()
    named = os.environ.get(FEATURES, "").split(",") if features is None else features
    registry.features = tuple(dict.fromkeys(filter(None, (name.strip() for name in named))))
    for path in plugins:
        registry.load_file(str(path))
    for thing in use:
        if not registry.add(thing):
            raise ConfigError(
                f"{thing!r} is neither agent type, tool, guard nor another thing that plugins bring"
            )
    for name, model in models.items():
        registry.models.put(name, _factory(model), f"python:{name}", "")
    return registry


def graph_of(workflow: Workflow, registry: Registry, patience: float = PATIENCE) -> Graph:
    """The compiled workflow, with all that can be found before a run. Strangers' agents have
    `patience` seconds from question to question. Raises `ConfigError`, `PluginError` and their
    kin."""
    for name in registry.features:
        registry.version_of(name)
    known = Outer(
        criteria=registry.criteria,
        strategies=registry.strategies,
        modules=registry.version_of,
        guards=registry.guards,
    )
    graph = compile(workflow, Catalog(registry, patience), known)
    check_names(graph, registry.tools, registry.models)
    check_manifests(graph, registry)
    return graph


def names_of(question: str) -> tuple[str, str, str]:
    """What a question can be called: its id, the path of its node, and the node's own id."""
    path = question.rpartition("#")[0]
    return question, path, path.rpartition("/")[2]


def _factory(model: Callable[[], Model] | Model) -> Callable[[], Model]:
    if hasattr(model, "complete") and not isinstance(model, type):
        made: Model = model
        return lambda: made
    return model


def screens_of(store: object, audience: Audience) -> Screens:
    """The filters of runs, with a vault beside them; in the process, if they are nowhere else."""
    folder = store if isinstance(store, (str, Path)) and str(store) != ":memory:" else None
    return Screens(Vault(folder), Streams(audience.text))


def input_of(input: Json) -> Json:
    try:
        given, notes = plain(input)
    except (ValueError, TypeError) as error:
        raise InputError(f"the input is not JSON: {error}", code="input.not_json") from None
    if notes:
        raise InputError(f"the input is not JSON: {'; '.join(notes)}", code="input.not_json")
    return given
