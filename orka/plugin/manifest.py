"""What a module says it brings and may touch; the engine holds it to that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

import msgspec

from orka.errors import PluginError

NAME_PATTERN = r"[a-z][a-z0-9_]*"
_NAME = re.compile(NAME_PATTERN)
# Kind of thing -> the field of a manifest that lists those it brings.
OFFERED: Mapping[str, str] = {
    "agent": "agents",
    "tool": "tools",
    "model": "providers",
    "store": "stores",
    "memory": "memories",
    "criterion": "criteria",
    "strategy": "strategies",
    "guard": "guards",
    "view": "views",
    "command": "commands",
}
WRITE = "write:"


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`name` is what a workflow lists under `modules`. What it brings is listed by name: `agents`,
    `tools`, `providers` (of models), `stores`, `memories`, `criteria`, `strategies`, `guards`,
    `views`, `commands`.

    What it may touch: `uses_tools` are the tools its agents may call beside its own, `models` those
    they may ask (`local/*`, `*`), `memory` the namespaces they may read and write; its own tools
    may reach `hosts` (`api.example.com`, `*.example.com:443`), read `files` (`data/*.csv`; those
    that begin with `write:` may be written too; what is not absolute is seen from the working
    folder), and start programs if `subprocess` says so. `env` names the variables it reads.
    """

    name: str
    version: str = ""
    description: str = ""
    agents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    providers: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    views: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    uses_tools: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    subprocess: bool = False

    def offers(self, kind: str) -> tuple[str, ...]:
        """The names of one kind that it brings."""
        names: tuple[str, ...] = getattr(self, OFFERED[kind])
        return names

    @property
    def offered(self) -> list[tuple[str, str]]:
        """All it brings: kind and name."""
        return [(kind, name) for kind in OFFERED for name in self.offers(kind)]


def checked(manifest: object, name: str = "") -> Manifest:
    """The manifest, its fields proven to be of the types they say. Raises `PluginError`
    (`plugin.manifest`)."""
    if not isinstance(manifest, Manifest):
        raise _wrong(f"module {name!r} is no Manifest: {type(manifest).__name__}")
    try:
        found = msgspec.convert(msgspec.to_builtins(manifest), Manifest)
    except (msgspec.ValidationError, TypeError) as error:
        raise _wrong(f"the manifest of {name or manifest.name!r} does not fit: {error}") from None
    if name and found.name != name:
        raise _wrong(f"module {name!r} has the manifest of {found.name!r}", "give both one name")
    if not _NAME.fullmatch(found.name):
        fix = "use small letters, digits and '_', beginning with a letter"
        raise _wrong(f"{found.name!r} cannot be a module's name", fix)
    if doubles := [each for each in found.offered if found.offered.count(each) > 1]:
        kind, twice = doubles[0]
        raise _wrong(f"the manifest of {found.name!r} lists the {kind} {twice!r} twice", "keep one")
    return found


def compare(manifest: Manifest, there: set[tuple[str, str]]) -> None:
    """Raises `PluginError` (`plugin.manifest`) unless what the manifest lists is what is there:
    kinds and names."""
    declared = set(manifest.offered)
    for kind, name in sorted(declared - there):
        raise _wrong(
            f"the manifest of {manifest.name!r} lists the {kind} {name!r}, which it does not bring",
            f"register it, or take it out of `{OFFERED[kind]}`",
        )
    for kind, name in sorted(there - declared):
        raise undeclared_offer(manifest, kind, name)


def undeclared_offer(manifest: Manifest, kind: str, name: str) -> PluginError:
    """What is wrong with a thing that is registered and not listed."""
    return _wrong(
        f"module {manifest.name!r} brings the {kind} {name!r}, which its manifest does not list",
        f"add {name!r} to `{OFFERED[kind]}` of the manifest",
    )


def allows(patterns: tuple[str, ...], name: str) -> bool:
    """Whether one of `patterns` (`*` stands for anything) is `name`."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _wrong(what: str, fix: str = "") -> PluginError:
    fix = fix or "write `manifest = Manifest(name=…, agents=(…), tools=(…))` with tuples of text"
    return PluginError(what, fix=fix, code="plugin.manifest")
