"""Builds one tree of nodes from libyaml's events, within bounds; nothing is ever constructed."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import yaml

from orka.spec import scalar
from orka.spec.node import Entry, Node, scalar_node
from orka.spec.problems import Problem, Problems
from orka.spec.syntax import braces, explain, unknown_tag
from orka.spec.text import Lines, Mark, stand_ins
from orka.value import Json

NODE_LIMIT = 100_000
ALIAS_LIMIT = 10_000
DEPTH_LIMIT = 100
_MERGE = "<<"
_NO_DATA = "keep data out of the workflow: pass it as input, or let a tool read it"


def compose(text: str, source: str) -> Node:
    """The root map of the only document in `text`. Raises `ConfigError`."""
    composer = _Composer(text, source)
    try:
        root = composer.root()
    except yaml.YAMLError as error:
        composer.problems.add(explain(error, composer.lines, composer.last))
    except _FatalError as stop:
        composer.problems.add(stop.problem)
    composer.problems.settle()
    return root


_Tagged = yaml.ScalarEvent | yaml.CollectionStartEvent


def _index(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark is not None else 0


class _FatalError(Exception):
    """A mistake behind which nothing more can be read."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


class _Composer:
    """Goes on after a mistake it can pass over (`problems`), raises at one it cannot."""

    def __init__(self, text: str, source: str) -> None:
        self.lines = Lines(text)
        breaks = stand_ins(text)
        self.restored = {ord(new): chr(old) for old, new in breaks.items()}
        seen = text.translate(breaks) if breaks else text
        self.events: Iterator[yaml.Event] = iter(yaml.parse(seen, Loader=yaml.CSafeLoader))
        self.anchors: dict[str, Node | None] = {}
        self.problems = Problems(source)
        self.written = self.expanded = self.last = 0

    def root(self) -> Node:
        next(self.events)
        if not isinstance(next(self.events), yaml.DocumentStartEvent):
            raise self._empty()
        node = self._node(next(self.events), 1)
        if node.text == "":
            raise self._empty()
        if node.entries is None:
            raise self._no_map(node)
        next(self.events)
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            what, fix = (
                "the file holds several documents",
                "keep one; remove this '---'",
            )
            raise self._stop("config.syntax", what, fix, self._mark(after))
        return node

    def _empty(self) -> _FatalError:
        fix = "begin with 'orchestrator:' and 'agents:'"
        return self._stop("config.syntax", "the file is empty", fix, Mark(line=1, column=1))

    def _no_map(self, node: Node) -> _FatalError:
        fix = "begin with 'orchestrator:' and 'agents:'"
        if node.text is not None and node.text.endswith((".yml", ".yaml")):
            fix = f"{node.text[-80:]!r} is the name of a file: pass what is in it"
        what = f"the file holds {'a list' if node.text is None else 'text'}, not a map"
        return self._stop("config.type", what, fix, node.mark)

    def _node(self, event: yaml.Event, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, depth)
        self._bound(event, depth)
        anchor = event.anchor if isinstance(event, yaml.NodeEvent) else None
        if anchor is not None:
            self.anchors[anchor] = None
        node = self._content(event, depth)
        if anchor is not None:
            self.anchors[anchor] = node
        return node

    def _content(self, event: yaml.Event, depth: int) -> Node:
        match event:
            case yaml.ScalarEvent():
                return self._scalar(event)
            case yaml.SequenceStartEvent():
                return self._list(event, depth)
            case yaml.MappingStartEvent():
                return self._map(event, depth)
        raise AssertionError(f"libyaml gave {event!r} where a value begins")

    def _bound(self, event: yaml.Event, depth: int) -> None:
        self.written += 1
        if self.written > NODE_LIMIT:
            what = f"the file holds more than {NODE_LIMIT:,} values"
            raise self._stop("config.too_large", what, _NO_DATA, self._mark(event))
        if depth > DEPTH_LIMIT:
            what = f"lists and maps are nested more than {DEPTH_LIMIT} deep"
            raise self._stop("config.too_large", what, "flatten them", self._mark(event))

    def _alias(self, event: yaml.AliasEvent, depth: int) -> Node:
        mark, anchor = self._mark(event), event.anchor or ""
        name = anchor[:80]
        if anchor not in self.anchors:
            what = f"the alias '*{name}' has no anchor '&{name}' before it"
            fix = "define the anchor first; quote the value if it is text that begins with '*'"
            raise self._stop("config.alias", what, fix, mark)
        node = self.anchors[anchor]
        if node is None:
            what, fix = f"the alias '*{name}' stands inside its own anchor", "remove it"
            raise self._stop("config.alias", what, fix, mark)
        self.expanded += node.size
        if depth + node.height - 1 > DEPTH_LIMIT:
            what = f"with the alias '*{name}', values are nested more than {DEPTH_LIMIT} deep"
            raise self._stop("config.alias", what, "flatten them", mark)
        if self.expanded > ALIAS_LIMIT:
            what = f"with the alias '*{name}', aliases stand for more than {ALIAS_LIMIT:,} values"
            raise self._stop("config.alias", what, "write fewer aliases", mark)
        return msgspec.structs.replace(node, mark=mark)

    def _scalar(self, event: yaml.ScalarEvent) -> Node:
        mark, text = self._mark(event), event.value
        if self.restored:
            text = text.translate(self.restored)
        value: Json = text
        try:
            if event.tag not in (None, "!"):
                kind = self._core(event, ("null", "bool", "int", "float", "str"))
                value = scalar.tagged(kind, text) if kind else None
            elif event.implicit[0] and event.tag is None:
                value = scalar.plain(text)
        except ValueError as error:
            self._note("config.type", str(error), "put it in quotes if it is text", mark)
        return scalar_node(mark, text, value)

    def _core(self, event: _Tagged, kinds: tuple[str, ...]) -> str:
        """Which of `kinds` the tag names; any other tag is a problem, and ''."""
        tag = event.tag or ""
        kind = tag.removeprefix(scalar.CORE)
        if kind != tag and kind in kinds:
            return kind
        name = tag if kind == tag else f"!!{kind}"
        self.problems.add(unknown_tag(name, self._mark(event)))
        return ""

    def _list(self, start: yaml.SequenceStartEvent, depth: int) -> Node:
        if start.tag not in (None, "!"):
            self._core(start, ("seq",))
        node = Node(mark=self._mark(start))
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            item = self._node(event, depth + 1)
            node.items.append(item)
            node.hold(item)
        return node

    def _map(self, start: yaml.MappingStartEvent, depth: int) -> Node:
        if start.tag not in (None, "!"):
            self._core(start, ("map",))
        entries: dict[str, Entry] = {}
        node = Node(mark=self._mark(start), entries=entries)
        merged: Entry | None = None
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key, mark = self._key(event, depth), self._mark(event)
            entry = Entry(mark=mark, node=self._node(next(self.events), depth + 1))
            is_merge = key == _MERGE and isinstance(event, yaml.ScalarEvent) and event.implicit[0]
            before = merged if is_merge else entries.get(key)
            if before is not None:
                self._duplicate(key, before.mark, mark)
            elif is_merge:
                merged = entry
            else:
                entries[key] = entry
                node.hold(entry.node)
        if merged is not None:
            self._merge(node, merged)
        return node

    def _key(self, event: yaml.Event, depth: int) -> str:
        """The text of a key, as written."""
        mark = self._mark(event)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            raise self._no_key(_index(event), mark)
        node = self._node(event, depth + 1)
        if node.text is None:
            what, fix = (
                "an alias to a list or a map cannot be a key",
                "use text as the key",
            )
            raise self._stop("config.alias", what, fix, mark)
        if node.text == "" and node.value is None:
            what = "there is no key before the ':'"
            self._note("config.syntax", what, "write the key", mark)
        return node.text

    def _no_key(self, at: int, mark: Mark) -> _FatalError:
        for start in (at - 1, at):
            if self.lines.text.startswith("{{", max(start, 0)):
                return _FatalError(braces(self.lines.at(start)))
        what, fix = "a list or a map stands where a key should be", "use text as the key"
        return self._stop("config.syntax", what, fix, mark)

    def _merge(self, node: Node, merged: Entry) -> None:
        """Adds what `<<` names; keys of the map itself, then earlier maps of the list, win."""
        sources = merged.node.items if merged.node.text is None else []
        if merged.node.entries is not None:
            sources = [merged.node]
        if not sources or any(source.entries is None for source in sources):
            what = "'<<' takes a map or a list of maps"
            self._note(
                "config.type",
                what,
                "write '<<: *name' or '<<: [*name, *other]'",
                merged.mark,
            )
        assert node.entries is not None
        for source in sources:
            for key, entry in (source.entries or {}).items():
                if key not in node.entries:
                    node.entries[key] = entry
                    node.hold(entry.node)

    def _duplicate(self, key: str, first: Mark, second: Mark) -> None:
        what = (
            f"the key {key[:80]!r} is written twice: on line {first.line} and on line {second.line}"
        )
        fix = "write '<<: [*name, *other]'" if key == _MERGE else "keep one of them"
        self._note("config.duplicate_key", what, fix, second)

    def _note(self, code: str, what: str, fix: str, mark: Mark) -> None:
        self.problems.add(Problem(code, what, fix, mark))

    def _stop(self, code: str, what: str, fix: str, mark: Mark) -> _FatalError:
        return _FatalError(Problem(code, what, fix, mark))

    def _mark(self, event: yaml.Event) -> Mark:
        self.last = _index(event)
        return self.lines.at(self.last)
