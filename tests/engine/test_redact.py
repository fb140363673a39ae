"""What may not stand in a trace is taken out of errors too."""

from __future__ import annotations

import pytest

from orka.engine.redact import Redactor
from orka.errors import Failure


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("GET https://bob:hunter2@host/a failed", "GET https://[REDACTED]@host/a failed"),
        ("https://host:8080/a@b is fine", "https://host:8080/a@b is fine"),
        ("mail me at a@b.c", "mail me at a@b.c"),
    ],
)
def test_a_password_in_a_url_is_taken_out(said: str, kept: str) -> None:
    assert Redactor(()).failure(Failure(code="x", message=said)).message == kept
