"""The files of a new plugin, from the templates in `start_plugin`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from string import Template

from orka.errors import InputError
from orka.plugin.manifest import NAME_PATTERN, OFFERED

KINDS = tuple(OFFERED)
_FOLDER = "start_plugin"
_TESTED = ("agent", "tool", "guard")
# Kind -> its group of entry points, and the name of what the template defines.
_GROUPS = {
    "criterion": "criteria",
    "strategy": "strategies",
    "memory": "memories",
}
_DEFINED = {"model": "Echo", "store": "opened", "memory": "opened"}
_SAMPLES = {
    "agent": 'agents:\n  {thing}: {{text: "{{{{ input }}}}"}}',
    "tool": "tools:\n  {thing}: {{text: a text that is long, length: 8}}",
    "guard": "guards:\n  {thing}: {{kind: TICKET}}",
}


def written(name: str, kinds: Sequence[str]) -> dict[str, str]:
    """Path -> text of each file of a plugin that brings one thing of each kind. Raises
    `InputError` for a name that no module can have."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise InputError(
            f"{name!r} cannot be a module's name",
            fix="use small letters, digits and '_', beginning with a letter",
            code="input.plugin_name",
        )
    things = {kind: f"{name}_{kind}" for kind in kinds}
    package = f"orka_{name}"
    known = {
        "name": name,
        "package": package,
        "dist": f"orka-{name.replace('_', '-')}",
        "title": name.replace("_", " ").capitalize(),
        "entries": "".join(_entry(package, kind, thing) for kind, thing in things.items()),
        "offers": "".join(f'    {OFFERED[kind]}=("{thing}",),\n' for kind, thing in things.items()),
        "brought": "".join(f"- the {kind} `{thing}`\n" for kind, thing in things.items()),
        "samples": "\n".join(
            _SAMPLES[kind].format(thing=thing) for kind, thing in things.items() if kind in _SAMPLES
        ),
    }
    files = {
        "pyproject.toml": _filled("pyproject.toml", known),
        "README.md": _filled("README.md", known),
        "samples.yml": _filled("samples.yml", known).rstrip() + "\n",
        f"{package}/__init__.py": _filled("init.py", known),
        f"{package}/manifest.py": _filled("manifest.py", known),
        f"{package}/py.typed": "",
        "tests/test_module.py": _filled("test_module.py", known),
    }
    for kind, thing in things.items():
        files[f"{package}/{kind}.py"] = _filled(f"{kind}.py", {**known, "thing": thing})
        if kind in _TESTED:
            filled = _filled(f"test_{kind}.py", {**known, "thing": thing})
            files[f"tests/test_{kind}.py"] = filled
    return files


def _entry(package: str, kind: str, thing: str) -> str:
    group = _GROUPS.get(kind, f"{kind}s")
    defined = _DEFINED.get(kind, thing)
    return f'\n[project.entry-points."orka.{group}"]\n{thing} = "{package}.{kind}:{defined}"\n'


def _filled(name: str, known: dict[str, str]) -> str:
    source = resources.files("orka.cli").joinpath(_FOLDER, f"{name}.tmpl")
    return Template(source.read_text(encoding="utf-8")).substitute(known)
