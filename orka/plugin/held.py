"""What an agent of a module asks for, beside what its manifest says it may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from orka.errors import PluginError
from orka.plugin.manifest import Manifest, allows
from orka.plugin.registry import Registry
from orka.value import Json


class Held:
    """Holds agents to the manifests of their modules. Agents of no module, and of modules without a
    manifest, may ask what they like."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def forbids(self, node: str, type: str, kind: str, payload: Json) -> PluginError | None:
        """Why an agent of this type may not ask for this effect; None if it may."""
        manifest = self._registry.manifest_of("agent", type)
        if manifest is None or not isinstance(payload, Mapping):
            return None
        return next(_asked(manifest, node, kind, payload), None)

    def foresees(
        self, node: str, type: str, tools: tuple[str, ...], models: tuple[str, ...]
    ) -> PluginError | None:
        """The same for what a node will ask by name, before a run."""
        manifest = self._registry.manifest_of("agent", type)
        if manifest is None:
            return None
        return next(_named(manifest, node, tools, models), None)


def _asked(
    manifest: Manifest, node: str, kind: str, payload: Mapping[str, Json]
) -> Iterator[PluginError]:
    match kind:
        case "tool":
            yield from _named(manifest, node, (str(payload.get("name")),), ())
        case "llm":
            offered = tuple(map(str, payload.get("tools") or ()))
            yield from _named(manifest, node, offered, (str(payload.get("model")),))
        case "memory":
            name = payload.get("namespace") or "*"
            if not allows(manifest.memory, str(name)):
                told = "all namespaces" if name == "*" else f"the namespace {name!r}"
                yield _undeclared(manifest, node, f"{told} of memories", "memory", str(name))


def _named(
    manifest: Manifest, node: str, tools: tuple[str, ...], models: tuple[str, ...]
) -> Iterator[PluginError]:
    for tool in tools:
        if not allows((*manifest.tools, *manifest.uses_tools), tool):
            yield _undeclared(manifest, node, f"the tool {tool!r}", "uses_tools", tool)
    for model in models:
        provider = model.partition("/")[0]
        if not allows(manifest.models, model) and provider not in manifest.models:
            yield _undeclared(manifest, node, f"the model {model!r}", "models", model)


def _undeclared(manifest: Manifest, node: str, what: str, field: str, name: str) -> PluginError:
    return PluginError(
        f"agent {node!r} of module {manifest.name!r} asks for {what}, which its manifest does not "
        "name",
        fix=f'add to the manifest of {manifest.name!r}: {field}=("{name}",)',
        code="plugin.undeclared",
    )
