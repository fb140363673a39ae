"""Checks of the manifest: that it is complete, and honest as far as the source tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from orka.plugin.manifest import OFFERED, WRITE, Manifest
from orka.testing.plugin_suite.check import Skipped, checks, claim, listed
from orka.testing.plugin_suite.loading import imports, sources
from orka.testing.plugin_suite.subject import Subject, Thing

_HOST = re.compile(
    r"(\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?"
)
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*([.+a-z0-9-]*)?")
_NETWORK = ("socket", "http", "urllib.request", "requests", "httpx", "httpx2", "aiohttp", "ftplib")
_PROGRAMS = ("subprocess", "multiprocessing", "pty", "ctypes")
_EVERYTHING = ("**", "/**", "~/**", "*/**", "write:**", "write:/**", "write:~/**")


def has_a_manifest(found: Subject, whole: Thing) -> None:
    fix = "`manifest = Manifest(name=…)`, and in a package an entry point in `orka.modules`"
    claim(found.manifest is not None, f"it has no manifest: {fix}")


def lists_all_it_brings(found: Subject, whole: Thing) -> None:
    listed_there = {*_manifest(found).offered}
    left = [
        f"{each.kind} {each.name!r}"
        for each in found.things
        if (each.kind, each.name) not in listed_there
    ]
    wrong = [error.what for error in found.problems if error.code == "plugin.manifest"]
    claim(not left and not wrong, "; ".join([*wrong, *left]))


def lists_nothing_it_does_not_bring(found: Subject, whole: Thing) -> None:
    there = {(each.kind, each.name) for each in found.things}
    missing = [
        f"{kind} {name!r}" for kind, name in _manifest(found).offered if (kind, name) not in there
    ]
    claim(not missing, f"its manifest lists {', '.join(missing)}, which is not there")


def says_what_it_is_for(found: Subject, whole: Thing) -> None:
    claim(len(_manifest(found).description.split()) >= 2, "its manifest has no description")


def its_manifest_has_a_version(found: Subject, whole: Thing) -> None:
    version = _manifest(found).version
    fits = _VERSION.fullmatch(version) or version == found.registry.files.get(found.file)
    claim(version and fits, f"its version is {version!r}: write numbers with dots")


def is_called_like_its_package(found: Subject, whole: Thing) -> None:
    if not found.package:
        raise Skipped("it is a file")
    wanted = f"orka-{_manifest(found).name.replace('_', '-')}"
    claim(
        found.package.replace("_", "-") == wanted,
        f"its package is {found.package!r}: who misses it is told to install {wanted!r}",
    )


def names_hosts_as_hosts(found: Subject, whole: Thing) -> None:
    wrong = [host for host in _manifest(found).hosts if not _HOST.fullmatch(host)]
    claim(not wrong, f"{listed(wrong)} is no host: write name, *.name or name:port")


def names_files_below_a_folder(found: Subject, whole: Thing) -> None:
    wrong = [
        each
        for each in _manifest(found).files
        if not each.removeprefix(WRITE) or ".." in each.split("/")
    ]
    claim(not wrong, f"{listed(wrong)}: write a path without '..'")


def asks_for_no_more_than_it_needs(found: Subject, whole: Thing) -> None:
    manifest = _manifest(found)
    wide = [host for host in manifest.hosts if host == "*"]
    wide += [each for each in manifest.files if each in _EVERYTHING]
    claim(not wide, f"{listed(wide)} stands for everything: name what it needs")


def uses_models_that_may_exist(found: Subject, whole: Thing) -> None:
    known = {*found.registry.models}
    wrong = [
        each
        for each in _manifest(found).models
        if each != "*" and each.partition("/")[0] not in known
    ]
    claim(
        not wrong, f"{listed(wrong)}: no provider is called so; known: {', '.join(sorted(known))}"
    )


def declares_the_variables_it_reads(found: Subject, whole: Thing) -> None:
    declared = _manifest(found).env
    for path, tree in sources(found):
        for name, line in _variables(tree):
            claim(name in declared, f'{path}:{line} reads {name!r}: add env=("{name}",)')


def declares_hosts_if_it_imports_a_network(found: Subject, whole: Thing) -> None:
    manifest = _manifest(found)
    for path, tree in sources(found):
        for module, line in imports(tree):
            reaching = module in _NETWORK or module.startswith(tuple(f"{n}." for n in _NETWORK))
            claim(
                not reaching or manifest.hosts, f"{path}:{line} imports {module}, without `hosts`"
            )


def declares_programs_if_it_starts_some(found: Subject, whole: Thing) -> None:
    manifest = _manifest(found)
    for path, tree in sources(found):
        for module, line in imports(tree):
            starting = module.partition(".")[0] in _PROGRAMS
            told = f"{path}:{line} imports {module}, without `subprocess`"
            claim(not starting or manifest.subprocess, told)


def uses_each_kind_of_name_once(found: Subject, whole: Thing) -> None:
    manifest = _manifest(found)
    for field in (*OFFERED.values(), "uses_tools", "models", "hosts", "files", "memory", "env"):
        names = getattr(manifest, field)
        claim(len(set(names)) == len(names), f"`{field}` names something twice")


CHECKS = checks(
    "plugin",
    has_a_manifest,
    lists_all_it_brings,
    lists_nothing_it_does_not_bring,
    says_what_it_is_for,
    its_manifest_has_a_version,
    is_called_like_its_package,
    names_hosts_as_hosts,
    names_files_below_a_folder,
    asks_for_no_more_than_it_needs,
    uses_models_that_may_exist,
    declares_the_variables_it_reads,
    declares_hosts_if_it_imports_a_network,
    declares_programs_if_it_starts_some,
    uses_each_kind_of_name_once,
)


def _manifest(found: Subject) -> Manifest:
    if found.manifest is None:
        raise Skipped("it has no manifest that can be read")
    return found.manifest


def _variables(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Variables of the environment that are read by a name written out."""
    for node in ast.walk(tree):
        first: ast.AST | None = None
        if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith("environ"):
            first = node.slice
        elif isinstance(node, ast.Call) and node.args:
            called = ast.unparse(node.func)
            if called.endswith(("environ.get", "getenv")):
                first = node.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value, first.lineno
