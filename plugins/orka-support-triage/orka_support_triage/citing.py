"""Citations held against the tool results that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from orka.value import Json
from orka_support_triage.schema.reading import Violation

_SPACE = re.compile(r"\s+")
RESULT = ("result_id", "items")


def results_in(values: Sequence[Json]) -> dict[str, dict[str, Json]]:
    """The tool results among values and the lists and maps in them, by their ids."""
    found: dict[str, dict[str, Json]] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            if isinstance(value.get("result_id"), str) and isinstance(value.get("items"), list):
                found[value["result_id"]] = dict(value)
            else:
                waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def unfounded(
    citations: Sequence[Mapping[str, Json]], results: Mapping[str, Mapping[str, Json]]
) -> Iterator[Violation]:
    """What is wrong with citations: a result that is not there or not trusted, an item that it does
    not hold, a quote that does not stand in it."""
    for at, citation in enumerate(citations):
        where = f"citations[{at}]"
        name, item_id = citation.get("tool_result_id"), citation.get("item_id")
        result = results.get(str(name))
        if result is None:
            yield Violation("citation_result", where, f"there is no tool result {name!r}")
            continue
        if result.get("trust", "trusted") != "trusted":
            yield Violation("citation_untrusted", where, f"tool result {name!r} is not trusted")
        item = next((each for each in result["items"] if each.get("id") == item_id), None)
        if item is None:
            told = f"tool result {name!r} has no item {item_id!r}"
            yield Violation("citation_item", where, told)
        elif (quote := citation.get("quote")) and not _stands(str(quote), item):
            yield Violation("citation_quote", where, f"the quote does not stand in {item_id!r}")


def _stands(quote: str, item: Mapping[str, Json]) -> bool:
    text = " ".join(str(item.get(name, "")) for name in ("title", "snippet"))
    return _even(quote) in _even(text)


def _even(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
