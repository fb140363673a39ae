"""Filters of templates: ours, and those whose meaning in Jinja differs from the engine's."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from orka.agent.fence import fence
from orka.agent.view import MISSING, text_of
from orka.errors import TemplateError
from orka.graph.chain import dotted
from orka.graph.lookup import to_json
from orka.value import Json

_LONGEST = 20_000
_SAID = {
    **dict.fromkeys(("true", "yes", "on", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "off", "0", "0.0"), False),
}
_PATTERN = 500


def safe_get(value: Json, key: Json, default: Json = "unknown") -> Json:
    """The field at a dotted path, or the default for one that is missing or null."""
    found = dotted(value, str(key)) if value is not None else MISSING
    return default if found is MISSING or found is None else found


def truncate(
    value: Json,
    length: int = 100,
    killwords: Json = None,
    end: str = "...",
    leeway: int = 0,
    *,
    suffix: str | None = None,
) -> str:
    """Text cut to `length` characters, the suffix among them."""
    text = "" if value is None else shown(value)
    if isinstance(killwords, str):
        suffix, killwords = killwords, None
    mark = suffix if suffix is not None else end
    if len(text) <= length + leeway:
        return text
    cut = text[: max(0, length - len(mark))]
    if killwords is False:
        cut = cut.rsplit(" ", 1)[0]
    return (cut + mark)[: max(length, 0)]


def format_loop_metadata(value: Json, max_loops: int = 5) -> str:
    """The last rounds of a loop, a line for each."""
    rounds = value if isinstance(value, list) else []
    lines = []
    for at, one in enumerate(rounds[-max_loops:] if max_loops > 0 else [], 1):
        held = one if isinstance(one, Mapping) else {"result": one}
        number = held.get("loop_number", held.get("round", at))
        told = [f"{key}: {shown(item)}" for key, item in held.items() if key != "loop_number"]
        lines.append(f"Loop {number}: " + "; ".join(told))
    return "\n".join(lines)


def to_json_string(value: Json) -> str:
    return to_json(value)


def tojson(value: Json, indent: int | None = None) -> str:
    return to_json(value, indent)


def from_json(value: Json) -> Json:
    """The value that JSON text stands for."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise TemplateError("`from_json` was given text that is not JSON") from None


def _once(pairs: list[tuple[str, Json]]) -> Json:
    if len(found := dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(word: str) -> Json:
    raise ValueError(f"{word} is no JSON")


def boolean(value: Json) -> bool:
    """true or false, and texts and numbers that say one of them. Raises `TemplateError` for any
    other."""
    word = str(value).strip().casefold()
    if isinstance(value, (bool, str, int, float)) and word in _SAID:
        return _SAID[word]
    raise TemplateError(f"`bool` was given {word[:40]!r}, which is neither true nor false")


def regex_search(value: Json, pattern: str, group: int = 0) -> Json:
    """What a pattern finds first, or null."""
    found = _compiled(pattern).search(_bounded(value))
    try:
        return found.group(group) if found else None
    except IndexError:
        raise TemplateError(f"the pattern {pattern!r} has no group {group}") from None


def regex_replace(value: Json, pattern: str, replacement: str = "", count: int = 0) -> str:
    try:
        return _compiled(pattern).sub(replacement, _bounded(value), count)
    except (re.error, IndexError) as error:
        raise TemplateError(f"{replacement!r} cannot replace: {error}") from None


# A repetition inside one that is repeated itself, or of alternatives, may take for ever.
_SLOW = re.compile(r"[*+}]\)?[*+{]|\([^()]*(?:[*+|]|\{\d+,)[^()]*\)[*+{]|\\[1-9]|\)\)[*+{]")


def _compiled(pattern: str) -> re.Pattern[str]:
    if len(pattern) > _PATTERN or _SLOW.search(pattern):
        raise TemplateError(
            f"the pattern {pattern[:60]!r} could take very long",
            fix="repeat single characters or classes only, not groups that repeat something",
        )
    try:
        return re.compile(pattern)
    except re.error as error:
        raise TemplateError(f"the pattern {pattern!r} cannot be read: {error}") from None


def _bounded(value: Json) -> str:
    text = shown(value)
    if len(text) > _LONGEST:
        raise TemplateError(
            f"a pattern is searched in {len(text):,} characters, more than {_LONGEST:,}",
            fix="cut the text first: `| truncate(…)`",
        )
    return text


def attr(value: Json, name: str) -> Json:
    """A field by its name; nothing else is reached."""
    found = dotted(value, str(name))
    if found is MISSING:
        raise TemplateError(f"attr({name!r}) is missing", code="template.undefined")
    return found


def fields(value: Json, *, attribute: Json, default: Json = MISSING) -> list[Json]:
    """The field of each item, as `map(attribute=…)` gives them; what is missing is an error."""
    found = [dotted(item, str(attribute)) for item in value]
    if default is MISSING and any(item is MISSING for item in found):
        at = next(at for at, item in enumerate(found) if item is MISSING)
        raise TemplateError(
            f"map(attribute={attribute!r}): {attribute} is missing in item {at}",
            fix="use `default=…` for a value that may be missing",
            code="template.undefined",
        )
    return [default if item is MISSING else item for item in found]


def wordcount(value: Json) -> int:
    return len(shown(value).split())


def center(value: Json, width: int = 80) -> str:
    if width > _LONGEST:
        raise TemplateError(f"a template centers in {width} characters")
    return shown(value).center(width)


def lenient_int(value: Json, default: int = 0, base: int = 10) -> int:
    """Jinja's `int`: the default for what is no number."""
    try:
        return int(value, base) if isinstance(value, str) else int(value)
    except (TypeError, ValueError, OverflowError):
        try:
            return int(float(value))
        except (TypeError, ValueError, OverflowError):
            return default


def lenient_round(value: Json, precision: int = 0, method: str = "common") -> Json:
    """Jinja's `round`; what is no number, an unknown score for instance, stays what it is."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if method == "common":
        return round(float(value), precision)
    step = 10.0**precision
    rounded = math.ceil if method == "ceil" else math.floor
    return rounded(value * step) / step


def lenient_default(value: Json, default: Json = "", boolean: bool = False) -> Json:  # noqa: FBT001, FBT002  # as Jinja has it
    """`default` for what is missing and, as a score nobody could read is null, for null too."""
    return default if value is None or (boolean and not value) else value


def lenient_float(value: Json, default: float = 0.0) -> float:
    """Jinja's `float`: the default for what is no number."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return default


def shown(value: Json) -> str:
    """A value as text: text as it is, nothing for null."""
    if isinstance(value, str):
        return value
    if isinstance(value, (Mapping, list, tuple)):
        return to_json(value)
    return "" if value is None else str(value)


def safe_str(value: Json) -> str:
    return shown(value)


def reply(value: Json) -> str:
    """An output as text."""
    return text_of(value)


def fenced(value: Json) -> str:
    """A value as text that a prompt may hold as data: between marks, its content tamed."""
    return fence(shown(value))


def join(value: Json, d: str = "", attribute: Json = None) -> str:
    """Jinja's `join`; maps and lists among the items are JSON, as everywhere they are printed."""
    items = [] if value is None else list(value)
    if attribute is not None:
        items = [dotted(item, str(attribute)) for item in items]
    return str(d).join(_printed(item) for item in items if item is not MISSING)


def _printed(item: Json) -> str:
    return to_json(item) if isinstance(item, (Mapping, list, tuple)) else str(item)


FILTERS: dict[str, Callable[..., Any]] = {  # Any: each takes its own arguments
    "__fields": fields,
    "attr": attr,
    "bool": boolean,
    "center": center,
    "fence": fenced,
    "format_loop_metadata": format_loop_metadata,
    "from_json": from_json,
    "join": join,
    "regex_replace": regex_replace,
    "regex_search": regex_search,
    "safe_get": safe_get,
    "to_json_string": to_json_string,
    "tojson": tojson,
    "truncate": truncate,
    "wordcount": wordcount,
}
# In files of OrKa 0.9 these never fail.
LENIENT: dict[str, Callable[..., Any]] = {  # Any: each takes its own arguments
    "d": lenient_default,
    "default": lenient_default,
    "float": lenient_float,
    "int": lenient_int,
    "round": lenient_round,
}
