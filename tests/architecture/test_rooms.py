"""The house rules of docs/architecture.md, read off the code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ROOT / "orka"

# Room -> rooms it may import. `errors` and `value` are open to all.
TABLE: dict[str, set[str]] = {
    "spec": set(),
    "source": {"spec", "agent"},
    "event": set(),
    "score": set(),
    "agent": {"score"},
    "graph": {"spec", "agent"},
    "run": {"graph", "event", "agent", "score"},
    "view": {"event", "score"},
    "evals": {"event", "score", "view", "port"},
    "port": {"event"},
    "engine": {"run", "graph", "event", "port"},
    "plugin": {"agent", "score", "port"},
    "kit": {"agent", "score", "port", "evals"},
}
EVERYTHING_BUT_KIT = {"api", "cli", "server", "testing", "__init__", "__main__"}
PURE = {"spec", "event", "score", "agent", "graph", "run", "view"}
PURE_KIT = {"agents", "criteria"}
IMPURE_MODULES = {"asyncio", "time", "random", "uuid", "os", "pathlib", "socket", "threading"}
BROAD = {
    "orka/run/strand.py",
    "orka/engine/outside.py",
    "orka/plugin/registry.py",
    "orka/cli/main.py",
}

FILES = sorted(HOUSE.rglob("*.py"))


def room_of(path: Path) -> str:
    relative = path.relative_to(HOUSE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module imported anywhere in the file, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_room_imports_only_what_its_row_names(path: Path) -> None:
    room = room_of(path)
    for module in imports(parsed(path)):
        parts = module.split(".")
        if parts[0] != "orka" or len(parts) == 1:
            continue
        target = parts[1]
        if target in ("errors", "value") or target == room:
            if room == "kit" and target == "kit":
                own = path.relative_to(HOUSE).parts[1:3]
                assert tuple(parts[2:4])[: len(own)] == tuple(Path(p).stem for p in own), (
                    f"{path.name} imports {module}: kit files never import each other"
                )
            continue
        if room in EVERYTHING_BUT_KIT:
            assert target != "kit", f"{room} imports {module}: only the plugin door loads kit"
            continue
        assert target in TABLE[room], f"{room} may not import {target} ({module})"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_pure_rooms_do_not_touch_the_world(path: Path) -> None:
    relative = path.relative_to(HOUSE).parts
    pure = room_of(path) in PURE or (relative[0] == "kit" and relative[1] in PURE_KIT)
    if pure:
        touched = {module.split(".")[0] for module in imports(parsed(path))} & IMPURE_MODULES
        assert not touched, f"{path.name} is in a pure room and imports {sorted(touched)}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_broad_excepts_live_in_four_files(path: Path) -> None:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ExceptHandler):
            names = (
                {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
                if node.type
                else {""}
            )
            broad = names & {"Exception", "BaseException", ""}
            assert not broad or str(path.relative_to(ROOT)) in BROAD, f"line {node.lineno}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_are_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = (node.end_lineno or 0) - node.lineno + 1
            assert length <= 40, f"{node.name} has {length} lines"
        if isinstance(node, ast.ClassDef):
            public = [
                item.name
                for item in node.body
                if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))
                and not item.name.startswith("_")
                and not any(
                    getattr(d, "id", getattr(d, "attr", "")) in ("property", "cached_property")
                    for d in item.decorator_list
                )
            ]
            assert len(public) <= 12, f"{node.name} has {len(public)} public methods"


def test_there_is_no_import_cycle() -> None:
    graph = {
        module_name(path): {m for m in imports(parsed(path)) if m.startswith("orka.")}
        for path in FILES
        if path.name != "__init__.py"
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, f"cycle: {' → '.join((*trail[trail.index(name) :], name))}"
        if name in done or name not in graph:
            return
        for target in sorted(graph[name]):
            visit(target, (*trail, name))
        done.add(name)

    for name in graph:
        visit(name, ())


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)
