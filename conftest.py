"""Options of the whole suite."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Properties are about values; how fast a busy machine makes them is no property.
settings.register_profile("orka", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("orka")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--whole",
        action="store_true",
        help="run the large properties whole: 1,000 random graphs instead of 200, and so on",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[WHOLE] = bool(config.getoption("--whole"))


WHOLE = pytest.StashKey[bool]()


@pytest.fixture(scope="session")
def whole(pytestconfig: pytest.Config) -> bool:
    """True if the large properties are to run whole."""
    return pytestconfig.stash[WHOLE]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `block` runs once for each block of 20 seeds; `@pytest.mark.parametrize`
    would run before `--whole` is known."""
    if "block" not in metafunc.fixturenames:
        return
    default, whole = getattr(metafunc.module, "SEEDS", (200, 1000))
    seeds = range(whole if metafunc.config.stash[WHOLE] else default)
    blocks = [seeds[at : at + 20] for at in range(0, len(seeds), 20)]
    metafunc.parametrize("block", blocks, ids=[f"seeds {b.start}-{b.stop - 1}" for b in blocks])
