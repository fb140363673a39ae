"""Citations, held against the results that they name."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from orka.value import Json


class Citations(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`from` are the paths of what can be cited: results of tools, each a map with an id and
    `items`. `field` is where the citations stand in the value; `required` says that there has to be
    one. The other options name the fields of citations, results and items."""

    from_: tuple[str, ...] | str = msgspec.field(name="from")
    field: str = "citations"
    required: bool = True
    result: str = "tool_result_id"
    item: str = "item_id"
    quote: str = "quote"
    result_id: str = "result_id"
    items: str = "items"
    id: str = "id"

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.from_,) if isinstance(self.from_, str) else self.from_


class Violation(msgspec.Struct, frozen=True):
    """What is wrong, where in the value, and in words that tell nothing that must not get out."""

    code: str
    where: str
    message: str


def violations_of(cited: Json, options: Citations, results: Sequence[Json]) -> Iterator[Violation]:
    """What is wrong with the citations in a value."""
    if cited is None or cited == []:
        if options.required:
            yield Violation("citation_missing", options.field, "nothing is cited")
        return
    if not isinstance(cited, list):
        yield Violation("citation_form", options.field, "it is no list of citations")
        return
    known = {
        str(each[options.result_id]): _items(each, options)
        for each in results
        if isinstance(each, Mapping) and options.result_id in each
    }
    for at, each in enumerate(cited):
        where = f"{options.field}[{at}]"
        if isinstance(each, Mapping):
            yield from _one(each, where, options, known)
        else:
            yield Violation("citation_form", where, "it is no map")


def _one(
    cited: Mapping[str, Json],
    where: str,
    options: Citations,
    known: Mapping[str, Mapping[str, str]],
) -> Iterator[Violation]:
    result, item = _word(cited.get(options.result)), _word(cited.get(options.item))
    if result not in known:
        what = f"no result has the id {result[:80]!r}" if result else "it names no result"
        yield Violation("citation_unknown_result", f"{where}.{options.result}", what)
        return
    items = known[result]
    if item not in items:
        what = (
            f"the result {result[:80]!r} has no item {item[:80]!r}" if item else "it names no item"
        )
        yield Violation("citation_unknown_item", f"{where}.{options.item}", what)
        return
    quote = cited.get(options.quote)
    if quote is None or quote == "":
        return
    if not isinstance(quote, str) or not folded(quote) or folded(quote) not in items[item]:
        what = f"what is quoted does not stand in the item {item[:80]!r}"
        yield Violation("citation_quote", f"{where}.{options.quote}", what)


def _items(result: Mapping[str, Json], options: Citations) -> dict[str, str]:
    """The text of each item of a result, by id."""
    items = result.get(options.items)
    return {
        str(each[options.id]): folded("\n".join(_texts(each)))
        for each in (items if isinstance(items, list) else ())
        if isinstance(each, Mapping) and options.id in each
    }


def folded(text: str) -> str:
    """A text in which spaces and line breaks, and how a letter is composed, make no difference."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _word(value: Json) -> str:
    """An id as text; "" for what can be none."""
    return str(value) if isinstance(value, str) or type(value) is int else ""
