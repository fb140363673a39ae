"""The contract of plugins, check by check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from orka.testing import plugin_suite

SAMPLES = Path(__file__).with_name("samples.yml")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Iterator[plugin_suite.Subject]:
    """The module, in a working folder of its own."""
    with pytest.MonkeyPatch.context() as here:
        here.chdir(tmp_path_factory.mktemp("conformance"))
        yield plugin_suite.subject("spec_driven", SAMPLES)


@pytest.mark.parametrize("check", plugin_suite.CHECKS, ids=plugin_suite.name)
def test_the_module_keeps_the_contract(
    module: plugin_suite.Subject, check: plugin_suite.Check
) -> None:
    plugin_suite.meets(module, check)
