"""Where workflows come from: files, with the files and priors they name, YAML text, maps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from orka.agent.scoring.priorset import PriorSet, flaw_in
from orka.agent.sensor.contract import Contract
from orka.errors import ConfigError, nearest
from orka.spec.files import named, priors_named, with_files, with_priors
from orka.spec.load import load as load_workflow
from orka.spec.workflow import Workflow
from orka.spec.yaml import Document, read
from orka.spec.yaml import Path as Place
from orka.value import DEEPEST, Json

# The library of priors: data, found by its place.
PRIORS = Path(__file__).parent / "kit" / "criteria" / "priors"
_ENDINGS = (".yml", ".yaml")
Flow = str | Path | Mapping[str, Json] | Workflow


def load(flow: Flow) -> Workflow:
    """A workflow from a file's path, YAML text (with a line break in it), or a mapping.

    Files that agents name (`file:`, `priors:`) are read too: beside the file, or in the current
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
    workflow = _with_priors(workflow, folder)
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


def library() -> tuple[str, ...]:
    """The names of the priors that come with OrKa."""
    return tuple(sorted(path.stem for path in PRIORS.glob("*.yml")))


def priors(name: str) -> PriorSet:
    """A set of priors, of the library or from a file. Raises `ConfigError`."""
    document = _set_named(name, Path(), "")
    return msgspec.convert(document.value, PriorSet)


def _with_priors(workflow: Workflow, folder: Path) -> Workflow:
    """The workflow with the priors it names written in place. Raises `ConfigError`."""
    found: dict[Place, Json] = {}
    inside: dict[Place, Document] = {}
    for written, place in priors_named(workflow):
        items = written if isinstance(written, list) else [written]
        sets: list[Json] = []
        for at, item in enumerate(items):
            here = (*place, at) if written is items else place
            if isinstance(item, str):
                document = _set_named(item, folder, workflow.document.where(here))
                inside[*place, at] = document
                sets.append(document.value)
            else:
                _check_set(item, workflow.document, here)
                sets.append(item)
        if sets != written:
            found[place] = sets
    return with_priors(workflow, found, inside) if found else workflow


def _set_named(name: str, folder: Path, where: str) -> Document:
    """A set of the library, or the file of that name."""
    known = library()
    if name in known:
        path = PRIORS / f"{name}.yml"
    elif name.endswith(_ENDINGS):
        path = folder / name
    else:
        raise ConfigError(
            f"there are no priors {name[:80]!r}",
            where=where,
            fix=f"{nearest(name[:80], known)}; a file of your own ends with .yml",
            code="config.unknown_prior",
        )
    try:
        written = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"file {str(path)!r} of priors cannot be read: {error.strerror}",
            where=where,
            fix="write its path, seen from the folder of this file",
            code="config.missing_file",
        ) from None
    document = read(written, str(path))
    _check_set(document.value, document, ())
    return document


def _check_set(value: Json, document: Document, place: Place) -> None:
    """Raises `ConfigError` (`config.prior`) for what is no set of priors."""
    if (flaw := flaw_in(value)) is not None:
        raise ConfigError(
            f"priors: {flaw.what}",
            where=document.where((*place, *flaw.path)),
            fix=flaw.fix,
            code="config.prior",
        )
