"""Where workflows come from: files, with the files they name, YAML text, maps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orka.agent.sensor.contract import Contract
from orka.errors import ConfigError
from orka.spec.files import named, with_files
from orka.spec.load import load as load_workflow
from orka.spec.workflow import Workflow
from orka.value import DEEPEST, Json

Flow = str | Path | Mapping[str, Json] | Workflow


def load(flow: Flow) -> Workflow:
    """A workflow from a file's path, YAML text (with a line break in it), or a mapping.

    Workflow files that agents name (`file:`) are read too: beside the file, or in the current
    folder. Raises `ConfigError` with file, line and column.
    """
    return _load(flow, ())


def _load(flow: Flow, within: tuple[Path, ...]) -> Workflow:
    if isinstance(flow, Workflow):
        return flow
    if isinstance(flow, Mapping):
        return _whole(load_workflow(_written(flow)), Path(), within)
    if isinstance(flow, str) and "\n" in flow:
        return _whole(load_workflow(flow), Path(), within)
    path = Path(flow)
    try:
        written = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"workflow file {str(flow)!r} cannot be read: {error.strerror}",
            fix="give the path of a YAML file",
            code="config.missing_file",
        ) from None
    return _whole(load_workflow(written, str(flow)), path.parent, (*within, path.resolve()))


def _written(value: Json, depth: int = 0) -> Json:
    """A map as a file would say it: a type in it (a pydantic model, a msgspec Struct) is its JSON
    Schema. Raises `ConfigError` for a type that has none."""
    if depth > DEEPEST:
        return value  # too deep to be a workflow, which is told with its place
    if isinstance(value, type):
        return Contract.of(value).schema
    if isinstance(value, Mapping):
        return {key: _written(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_written(item, depth + 1) for item in value]
    return value


def _whole(workflow: Workflow, folder: Path, within: tuple[Path, ...]) -> Workflow:
    """The workflow with the files it names read in. Raises `ConfigError` for one that is not there
    or leads back to itself."""
    found: dict[str, Workflow] = {}
    for name, where in named(workflow):
        path = folder / name
        if path.resolve() in within:
            raise ConfigError(
                f"workflow file {name!r} leads back to itself",
                where=where,
                fix="repeat with an agent of type `loop`",
                code="config.cycle",
            )
        if not path.is_file():
            raise ConfigError(
                f"workflow file {name!r} does not exist in {str(folder)!r}",
                where=where,
                fix="write its path, seen from the folder of this file",
                code="config.missing_file",
            )
        found[name] = _load(path, within)
    return with_files(workflow, found) if found else workflow
