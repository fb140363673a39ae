"""What agents name and what stands in files of their own: it becomes part of the workflow.

`file:` becomes the workflow written in place, `priors:` the sets of priors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from orka.spec.load import IMPLEMENTATIONS, again
from orka.spec.workflow import STRICT, Workflow
from orka.spec.yaml import Document, Path
from orka.value import Json

# Options that hold a workflow written in place: files may be named inside those too.
_INSIDE = ("workflow", "internal_workflow")
# Who names priors, and where.
_SCOUT, _PRIORS = "graph-scout", "priors"


def named(workflow: Workflow) -> Iterator[tuple[str, str]]:
    """The files that agents of type `workflow` name, and where."""
    for agent, path in _agents(workflow.document.value, ()):
        if agent.get("type") == "workflow" and isinstance(agent.get("file"), str):
            yield agent["file"], workflow.document.where((*path, "file"))


def with_files(workflow: Workflow, found: Mapping[str, Workflow]) -> Workflow:
    """The workflow as if what stands in the files were written in it, with its own dialect. What is
    wrong there, and what is noted of it, is told of its own file."""
    inside: dict[Path, Workflow] = {}
    value = _filled(workflow.document.value, found, (), inside)
    documents = {path: each.document for path, each in inside.items()}
    documents = {**workflow.document.inside, **documents}
    document = msgspec.structs.replace(workflow.document, inside=documents)
    whole = again(msgspec.structs.replace(workflow, document=document), value)
    notes = [note for each in inside.values() for note in each.notes]
    return msgspec.structs.replace(whole, notes=tuple(dict.fromkeys((*whole.notes, *notes))))


def priors_named(workflow: Workflow) -> Iterator[tuple[Json, Path]]:
    """What graph-scouts give as `priors`, and where it stands."""
    for agent, path in _agents(workflow.document.value, ()):
        if _PRIORS in agent and _SCOUT in (agent.get("type"), _implemented(agent)):
            yield agent[_PRIORS], (*path, _PRIORS)


def _implemented(agent: dict[str, Json]) -> str:
    """The type that a router is by its `implementation`."""
    return IMPLEMENTATIONS.get(str(agent.get("implementation")), "")


def with_priors(
    workflow: Workflow, found: Mapping[Path, Json], inside: Mapping[Path, Document]
) -> Workflow:
    """The workflow with the sets themselves where `priors` stood; `inside` says which of them were
    read from which file."""
    value = workflow.document.value
    for path, sets in found.items():
        value = _put(value, path, sets)
    inside = {**workflow.document.inside, **inside}
    document = msgspec.structs.replace(workflow.document, inside=inside)
    return again(msgspec.structs.replace(workflow, document=document), value)


def _put(value: Json, path: Path, new: Json) -> Json:
    """A copy of a value with something else at a path that it has."""
    if not path:
        return new
    head, *rest = path
    if isinstance(value, list):
        return [_put(v, tuple(rest), new) if at == head else v for at, v in enumerate(value)]
    return {key: _put(v, tuple(rest), new) if key == head else v for key, v in value.items()}


def _agents(value: Json, path: Path) -> Iterator[tuple[dict[str, Json], Path]]:
    """The agents of a workflow, with those inside of them."""
    return _listed(value.get("agents") if isinstance(value, dict) else None, (*path, "agents"))


def _listed(written: Json, path: Path) -> Iterator[tuple[dict[str, Json], Path]]:
    for at, agent in enumerate(written if isinstance(written, list) else ()):
        if isinstance(agent, dict):
            here = (*path, at)
            yield agent, here
            yield from _listed(agent.get("children"), (*here, "children"))
            for name in _INSIDE:
                yield from _agents(agent.get(name), (*here, name))


def _filled(
    value: Json, found: Mapping[str, Workflow], path: Path, inside: dict[Path, Workflow]
) -> Json:
    """`inside` is told which workflow stands where."""
    if isinstance(value, list):
        return [_filled(item, found, (*path, at), inside) for at, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    file = value.get("file")
    if value.get("type") == "workflow" and isinstance(file, str) and file in found:
        inner = inside[*path, "workflow"] = found[file]
        version = 1 if inner.dialect == STRICT else inner.dialect
        rest = {key: item for key, item in value.items() if key != "file"}
        return {**rest, "workflow": {**inner.document.value, "version": version}}
    return {key: _filled(item, found, (*path, key), inside) for key, item in value.items()}
