"""Many runs at once have a limit, and a limit of none is a mistake."""

from __future__ import annotations

import pytest

import orka
from orka.errors import ConfigError

FLOW = "orchestrator: {id: t}\nagents: [{id: a, type: wait, seconds: 0}]\n"


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused_before_the_first_run(limit: int) -> None:
    with pytest.raises(ConfigError, match=f"limit.*{limit}"):
        orka.Runtime(store=":memory:").map(FLOW, [1], limit=limit)
