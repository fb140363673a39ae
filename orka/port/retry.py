"""When a server may be asked again, as it says itself."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, 10.2.3): a number, or a date, which is measured
    from the server's own Date if it says one. None for none, and for one that cannot be read."""
    said = headers.get("retry-after", "").strip()
    if said.replace(".", "", 1).isdecimal() and said.isascii():
        return float(said)
    due = _seconds(said)
    if due is None:
        return None
    now = _seconds(headers.get("date", ""))
    return max(0.0, due - (time.time() if now is None else now))


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
