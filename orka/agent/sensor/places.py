"""Where something is in a value: dotted paths, as messages name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orka.value import Json

Step = str | int


def dotted(path: Iterable[Step]) -> str:
    """`risk.items[0].level`; `$` for the value as a whole."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "$"


def at(value: Json, path: Sequence[Step]) -> Json:
    """The part of `value` at `path`, which must be there."""
    for step in path:
        value = value[step]
    return value


def replaced_at(value: Json, path: Sequence[Step], new: Json) -> Json:
    """A copy of `value` with the part at `path` replaced; what is not on the way is shared."""
    if not path:
        return new
    step, *rest = path
    copy: Json = dict(value) if isinstance(value, dict) else list(value)
    copy[step] = replaced_at(copy[step] if rest else None, rest, new)
    return copy
