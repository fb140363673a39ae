"""A text without any JSON, read as the one field that its contract is about."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.sensor.contract import Contract
from orka.agent.sensor.fragments import fragments
from orka.agent.sensor.ladder import read, text_of_parts
from orka.agent.sensor.reading import Reading, Repair
from orka.value import Json, canonical

# Breaches of an answer that was read to its end and holds no object.
_WITHOUT = ("syntax", "schema", "ambiguous")


def as_field(text: Json, field: str, found: Reading, contract: Contract, now: float) -> Reading:
    """`found`, or what `text` gives as the value of `field`, if it holds no object of its own. The
    change is among the repairs."""
    if found.ok or found.kind not in _WITHOUT:
        return found
    parts = fragments(text_of_parts(text))
    plain = parts.prose.strip()
    if not plain or parts.unclosed or any(isinstance(each.value, Mapping) for each in parts.found):
        return found
    value = {field: plain}
    reading = read(canonical(value).decode(), contract, now=now)
    if not reading.ok:
        return found
    repair = Repair("text_as_field", plain, value, field)
    return msgspec.structs.replace(reading, repairs=(repair, *reading.repairs))
