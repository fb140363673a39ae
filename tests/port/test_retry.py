"""Retry-After: seconds, or a date."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from orka.errors import ModelError
from orka.port.retry import retry_after


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("3", 3.0), (" 0.5 ", 0.5), ("", None), ("soon", None), ("-1", None), ("inf", None),
     ("nan", None), ("٣", None), ("1e3", None)],
)  # fmt: skip
def test_seconds(said: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": said}) == seconds


def test_a_date_is_measured_from_the_servers_own() -> None:
    headers = {"retry-after": formatdate(1030, usegmt=True), "date": formatdate(1000, usegmt=True)}
    assert retry_after(headers) == 30
    assert retry_after({**headers, "date": formatdate(2000, usegmt=True)}) == 0
    later = retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert later is not None and 90 < later <= 100


@pytest.mark.parametrize("asked", [float("inf"), float("nan"), -1.0])
def test_an_error_that_asks_for_no_time_there_is_asks_for_none(asked: float) -> None:
    error = ModelError("busy", fix="", code="model.busy", retryable=True, retry_after=asked)
    assert error.retry_after is None
