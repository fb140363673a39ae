"""Workflows that stand in files of their own: `file:` becomes the workflow written in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from orka.spec.load import again
from orka.spec.workflow import STRICT, Workflow
from orka.spec.yaml import Path
from orka.value import Json

# Options that hold a workflow written in place: files may be named inside those too.
_INSIDE = ("workflow", "internal_workflow")


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
    document = msgspec.structs.replace(workflow.document, inside=documents)
    whole = again(msgspec.structs.replace(workflow, document=document), value)
    notes = [note for each in inside.values() for note in each.notes]
    return msgspec.structs.replace(whole, notes=tuple(dict.fromkeys((*whole.notes, *notes))))


def _agents(value: Json, path: Path) -> Iterator[tuple[dict[str, Json], Path]]:
    written = value.get("agents") if isinstance(value, dict) else None
    for at, agent in enumerate(written if isinstance(written, list) else ()):
        if isinstance(agent, dict):
            here = (*path, "agents", at)
            yield agent, here
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
