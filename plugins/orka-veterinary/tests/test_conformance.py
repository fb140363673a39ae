"""The contract of plugins, check by check."""

from __future__ import annotations

from pathlib import Path

import pytest
from orka.testing import plugin_suite

SAMPLES = Path(__file__).with_name("samples.yml")


@pytest.fixture(scope="module")
def module() -> plugin_suite.Subject:
    return plugin_suite.subject("veterinary", SAMPLES)


@pytest.mark.parametrize("check", plugin_suite.CHECKS, ids=plugin_suite.name)
def test_the_module_keeps_the_contract(
    module: plugin_suite.Subject, check: plugin_suite.Check
) -> None:
    plugin_suite.meets(module, check)
