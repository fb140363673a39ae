"""What a brain is given: fields of a map that a model may have written, read with care."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.context import Context
from orka.agent.sensor import read
from orka.agent.view import MISSING, field
from orka.score.number import ascii_form, number_at, score_of_number
from orka.value import Json, parse

_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Payload:
    """Fields by name. One that cannot be read is unknown, and stands in `unread`."""

    def __init__(self, fields: Mapping[str, Json]) -> None:
        self._fields = fields
        self.unread: list[str] = []

    def raw(self, *names: str) -> Json:
        """The first of the fields that is there and not null."""
        for name in names:
            own = self._fields.get(name) if name == "response" else field(self._fields, name)
            if own is not None and own is not MISSING:
                return own
        return None

    def text(self, *names: str) -> str:
        """The first of the fields that is a text and not empty."""
        found = (self.raw(name) for name in names)
        return next((each.strip() for each in found if isinstance(each, str) and each.strip()), "")

    def texts(self, *names: str, at: str = ",") -> tuple[str, ...]:
        """A list of texts, also written as JSON, or as one text with `at` between them."""
        value = self.raw(*names)
        if isinstance(value, str) and value.lstrip().startswith("["):
            try:
                value = parse(value)
            except ValueError:
                self._cannot(names[0], value)
                return ()
        if isinstance(value, str):
            value = value.split(at)
        if not isinstance(value, list):
            return ()
        named = (each.get("id") if isinstance(each, Mapping) else each for each in value)
        return tuple(each.strip() for each in named if isinstance(each, str) and each.strip())

    def share(self, *names: str) -> float | None:
        """A number in [0, 1], also written as a text."""
        value = self.raw(*names)
        if value is None or isinstance(value, bool):
            return None
        if isinstance(value, (int, float)):
            found = score_of_number(value)
        else:
            found = number_at(ascii_form(str(value)), 0)
        if found.value is None:
            self._cannot(names[0], value)
        return found.value

    def count(self, name: str, otherwise: int) -> int:
        """A whole number of 1 or more."""
        value = self.raw(name)
        if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
            value = int(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 1:
            return int(value)
        if value is not None:
            self._cannot(name, value)
        return otherwise

    def amount(self, name: str) -> float | None:
        """A number of 0 or more."""
        value = self.raw(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
            return value
        if value is not None:
            self._cannot(name, value)
        return None

    def truth(self, name: str) -> bool | None:
        """True or false, also written as a text."""
        value = self.raw(name)
        if value is None or isinstance(value, bool):
            return value
        found = _TRUTHS.get(str(value).strip().casefold())
        if found is None:
            self._cannot(name, value)
        return found

    def mapping(self, name: str) -> dict[str, Json]:
        value = self.raw(name)
        return dict(value) if isinstance(value, Mapping) else {}

    def _cannot(self, name: str, value: Json) -> None:
        self.unread.append(f"{name}: {str(value)[:60]!r}")


async def payload_of(ctx: Context, text: str) -> Payload:
    """The map in `text`, with what had to be mended recorded; a text without one is the field
    `response`."""
    reading = read(text)
    if reading.ok and isinstance(reading.value, Mapping):
        for repair in reading.repairs:
            await ctx.repaired(
                repair.rule, before=repair.before, after=repair.after, where=repair.where
            )
        return Payload(reading.value)
    if text.lstrip().startswith("{"):
        await ctx.note("brain.not_json", f"taken as plain text: {reading.message}")
    return Payload({"response": text})
