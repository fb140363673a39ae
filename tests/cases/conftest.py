"""The cases of `--cases DIR`, or the project's own, less those that cannot be asked yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases.language import MORE, OWN, Case, read
from cases.not_yet import reason


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", metavar="DIR", help="a folder of cases, in place of the project's")


def _cases(config: pytest.Config) -> list[Case]:
    given = config.getoption("--cases", default=None)
    return read(Path(given)) if given else read(OWN) + read(MORE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = _cases(metafunc.config)
        metafunc.parametrize("case", cases, ids=[case.id for case in cases])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out what `not_yet` lists, in the open: pytest counts it as deselected."""
    held = [item for item in items if _reason(item)]
    if held:
        config.hook.pytest_deselected(items=held)
        items[:] = [item for item in items if not _reason(item)]


def _reason(item: pytest.Item) -> str:
    callspec = getattr(item, "callspec", None)
    case = callspec.params.get("case") if callspec else None
    return reason(case) if isinstance(case, Case) else ""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    config = terminalreporter.config
    why: dict[str, list[str]] = {}
    for case in _cases(config):
        if text := reason(case):
            why.setdefault(text, []).append(case.id)
    if why:
        terminalreporter.section(f"cases not asked yet: {sum(map(len, why.values()))}")
    for text, ids in sorted(why.items()):
        told = ids[0] if len(ids) == 1 else f"{ids[0]} … {ids[-1]}"
        terminalreporter.line(f"{len(ids):4}  {text} ({told})")
