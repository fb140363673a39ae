"""Checks of a plugin as a whole: that it loads, and that loading it does nothing else."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from orka.plugin.offers import OURS
from orka.testing.plugin_suite.check import Skipped, checks, claim, listed, same
from orka.testing.plugin_suite.probe import Report
from orka.testing.plugin_suite.subject import Subject, Thing, subject

_SECONDS = 120
_PROBE = "import sys; from orka.testing.plugin_suite.probe import main; main(*sys.argv[1:])"
_PRIVATE = ("orka.kit", "orka.run", "orka.engine", "orka.graph", "orka.cli")
_EXITS = ("exit", "quit", "sys.exit", "os._exit", "os.abort")


def loads_without_an_error(found: Subject, whole: Thing) -> None:
    told = "; ".join(f"[{error.code}] {error.what}" for error in found.problems)
    claim(not found.problems, told)


def brings_something(found: Subject, whole: Thing) -> None:
    claim(found.things, "it brings nothing that could be loaded")


def prints_nothing_while_it_loads(found: Subject, whole: Thing) -> None:
    claim(not (printed := _probed(found).printed), f"it printed {printed[:80]!r}")


def starts_no_thread_while_it_loads(found: Subject, whole: Thing) -> None:
    claim(not (threads := _probed(found).threads), f"it started {listed(threads)}")


def reaches_no_network_while_it_loads(found: Subject, whole: Thing) -> None:
    claim(not (places := _probed(found).network), f"it reached for {listed(places)}")


def writes_no_file_while_it_loads(found: Subject, whole: Thing) -> None:
    claim(not (files := _probed(found).written), f"it wrote {listed(files)}")


def starts_no_program_while_it_loads(found: Subject, whole: Thing) -> None:
    claim(not (started := _probed(found).started), f"it started {listed(started)}")


def leaves_the_process_as_it_was(found: Subject, whole: Thing) -> None:
    changed = [name for name in _probed(found).changed if not name.startswith("orka")]
    claim(not changed, f"loading it changed {', '.join(changed)}")


def leaves_the_core_as_it_was(found: Subject, whole: Thing) -> None:
    changed = [name for name in _probed(found).changed if name.startswith("orka")]
    claim(not changed, f"loading it replaced {', '.join(changed)}")


def leaves_the_traces_of_the_core_byte_identical(found: Subject, whole: Thing) -> None:
    report = _probed(found)
    same(report.after, report.before, "digest of traces of the core with and without it")


def can_be_loaded_twice(found: Subject, whole: Thing) -> None:
    again = subject(found.file or found.name)
    same(
        [(each.kind, each.name) for each in again.things],
        [(each.kind, each.name) for each in found.things],
        "it brought",
    )


def takes_no_name_of_the_core(found: Subject, whole: Thing) -> None:
    for kind, offers in found.registry.kinds.items():
        for name, whose, error in offers.refused:
            claim(whose != found.origin or offers.origin.get(name) != OURS, f"{kind}: {error.what}")
    clashes = [e for e in found.problems if e.code == "plugin.name_clash" and f"{OURS!r}" in e.what]
    claim(not clashes, clashes[0].what if clashes else "")


def takes_no_name_of_another_plugin(found: Subject, whole: Thing) -> None:
    clashes = [e for e in found.problems if e.code == "plugin.name_clash"]
    others = [error for error in clashes if f"{OURS!r}" not in error.what]
    claim(not others, others[0].what if others else "")


def has_a_version(found: Subject, whole: Thing) -> None:
    versions = {found.registry.kinds[each.kind].version[each.name] for each in found.things}
    if not versions:
        raise Skipped("nothing was loaded")
    claim(all(versions), "its package has no version")


def imports_only_what_is_for_plugins(found: Subject, whole: Thing) -> None:
    for path, tree in sources(found):
        for module, line in imports(tree):
            private = module.startswith(tuple(f"{room}." for room in _PRIVATE)) or module in (
                _PRIVATE
            )
            hidden = module.startswith("orka.") and "._" in module
            claim(not private and not hidden, f"{path}:{line} imports {module}, which may change")


def never_ends_the_process(found: Subject, whole: Thing) -> None:
    for path, tree in sources(found):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and not _in_main(tree, node):
                called = ast.unparse(node.func)
                claim(called not in _EXITS, f"{path}:{node.lineno} calls {called}()")


def is_free_of_bare_excepts(found: Subject, whole: Thing) -> None:
    for path, tree in sources(found):
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler):
                told = ast.unparse(node.type) if node.type else ""
                wide = told in ("", "BaseException")
                claim(not wide, f"{path}:{node.lineno} catches what stops a run: name the error")


CHECKS = checks(
    "plugin",
    loads_without_an_error,
    brings_something,
    prints_nothing_while_it_loads,
    starts_no_thread_while_it_loads,
    reaches_no_network_while_it_loads,
    writes_no_file_while_it_loads,
    starts_no_program_while_it_loads,
    leaves_the_process_as_it_was,
    leaves_the_core_as_it_was,
    leaves_the_traces_of_the_core_byte_identical,
    can_be_loaded_twice,
    takes_no_name_of_the_core,
    takes_no_name_of_another_plugin,
    has_a_version,
    imports_only_what_is_for_plugins,
    never_ends_the_process,
    is_free_of_bare_excepts,
)


def _probed(found: Subject) -> Report:
    """What loading it does in a process of its own; asked once. Raises `AssertionError`."""
    if found.report is None:
        found.report = _probe(found)
    return found.report


def _probe(found: Subject) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "report.json"
        named = found.file or found.package
        path = os.pathsep.join(os.path.abspath(each) for each in sys.path)
        command = [sys.executable, "-c", _PROBE, named, str(answer)]
        try:
            done = subprocess.run(
                command,
                env={**(found.environment or os.environ), "PYTHONPATH": path},
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise AssertionError(f"loading it did not end within {_SECONDS} s") from None
        if not answer.exists():
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            raise AssertionError(f"loading it ended the process: {last}")
        return msgspec.json.decode(answer.read_bytes(), type=Report)


def sources(found: Subject) -> Iterator[tuple[str, ast.Module]]:
    if not found.sources:
        raise Skipped("its source cannot be read")
    for path, tree in found.sources.items():
        yield Path(path).name, tree


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module, node.lineno


def _in_main(tree: ast.Module, node: ast.AST) -> bool:
    """Whether a call stands below `if __name__ == "__main__"`, where nobody imports it."""
    for each in tree.body:
        if isinstance(each, ast.If) and "__main__" in ast.unparse(each.test):
            return any(node is inner for inner in ast.walk(each))
    return False
