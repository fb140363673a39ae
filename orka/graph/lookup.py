"""What a template's chains find while it is rendered, and what they do not find."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from orka.agent.view import text_of
from orka.errors import TemplateError, nearest
from orka.graph.chain import Chain, Lost, Mood, follow, known, some
from orka.graph.expression_order import in_order
from orka.value import Json

# The most characters that one template may print.
LONGEST = 20_000_000
_NO_REPLY = "No response found for "


class Lookup:
    """Bound to one rendering: the engine calls it for each chain and for what it prints."""

    __slots__ = ("_chains", "_context", "_printed", "_strict", "last", "missing")

    def __init__(
        self, chains: Sequence[Chain], context: Mapping[str, Json], *, strict: bool
    ) -> None:
        self._chains, self._context, self._strict = chains, context, strict
        self._printed = 0
        self.last: Lost | None = None
        self.missing: list[str] = []

    def at(self, number: int, root: Json = None, *arguments: Json) -> Json:
        """The value; if it is missing, an error in a strict template."""
        found = self._find(self._chains[number], root, arguments)
        return self._gone(found) if isinstance(found, Lost) else found

    def maybe(self, number: int, root: Json = None, *arguments: Json) -> tuple[Json, ...]:
        """The value in a tuple, or an empty one, whose first item is undefined to the engine."""
        chain = self._chains[number]
        found = self._find(chain, root, arguments)
        if not isinstance(found, Lost):
            return (found,)
        self.last = found
        if chain.mood is Mood.HARD:
            self._gone(found)
        return ()

    def bare(self, number: int, root: Json = None, *arguments: Json) -> Json:
        """The value, or empty text, which is false."""
        found = self._find(self._chains[number], root, arguments)
        return "" if isinstance(found, Lost) else found

    def show(self, number: int, root: Json = None, *arguments: Json) -> Json:
        """The value as it is printed."""
        chain = self._chains[number]
        found = self._find(chain, root, arguments)
        if not isinstance(found, Lost):
            return self.text(found)
        self._gone(found)
        return f"{_NO_REPLY}{found.key}" if chain.reply else ""

    def lost(self, number: int) -> str:
        """A name that is not there."""
        chain = self._chains[number]
        self._gone(Lost(chain.root, chain.root, (), chain.line))
        return ""

    def ordered(self, left: Json, right: Json, sign: str) -> bool:
        """A comparison by order."""
        return in_order(left, right, sign)

    def text(self, value: Json) -> Json:
        """Maps and lists as JSON; the rest as the engine prints it."""
        if isinstance(value, str):
            shown = value
        elif value is None or isinstance(value, (bool, int, float)):
            return value
        elif isinstance(value, (Mapping, Iterable)):
            shown = to_json(value)
        else:
            raise TemplateError("a template prints something that is no data")
        self._printed += len(shown)
        if self._printed > LONGEST:
            raise too_long()
        return shown

    def _find(self, chain: Chain, root: Json, arguments: Sequence[Json]) -> Json | Lost:
        if not chain.reply:
            return follow(chain, root, arguments)
        held = self._context.get("previous_outputs")
        outputs = held if isinstance(held, Mapping) else {}
        if root in outputs:
            return text_of(outputs[root])
        return Lost(chain.root, str(root), known(outputs), chain.line)

    def _gone(self, lost: Lost) -> Json:
        self.last = lost
        if self._strict:
            raise undefined(lost)
        self.missing.append(lost.text)
        return ""


def undefined(lost: Lost) -> TemplateError:
    close = nearest(lost.key, lost.known) if lost.known else ""
    near = close if close.startswith("did") else f"known: {some(lost.known)}" if lost.known else ""
    fix = "use `| default(…)` for a value that may be missing"
    return TemplateError(
        f"{lost.text} is missing (line {lost.line} of the template)",
        fix=f"{near}; {fix}" if near else fix,
        code="template.undefined",
    )


def too_long() -> TemplateError:
    return TemplateError(
        f"a template prints more than {LONGEST:,} characters",
        fix="print less: a field instead of the whole, `| truncate(…)`, fewer rounds of a loop",
        code="template.too_long",
    )


def to_json(value: object, indent: int | None = None) -> str:
    """JSON with sorted keys, other languages as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_items, sort_keys=True)


def _items(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TemplateError("a template prints something that is no data")
    return list(value)
