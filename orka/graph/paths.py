"""Candidate paths: the short sequences of agents that could run next, and why others could not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orka.agent.paths import Left, PathRules, Paths
from orka.graph.graph import Node, found

Path = tuple[str, ...]

# Of the paths left out for one reason, so many are told whole.
_TOLD = 5
# Paths looked at before it ends; more are possible with many agents and a great depth.
_LOOKED_AT = 50_000


def needs(node: Node) -> dict[str, tuple[str, ...]]:
    """Of which outputs the templates of each agent in a node's pool cannot do without."""
    return {
        id: tuple(
            dict.fromkeys(
                read
                for inner in node.inner[id].nodes
                for value in inner.templates.values()
                for template in found(value)
                for read in template.needs
            )
        )
        for id in node.pool
    }


def paths(start: str, agents: Sequence[str], rules: PathRules) -> Paths:
    """The simple paths of at most `max_depth` agents that may be taken from `start`."""
    book = _Book()
    if rules.declared:
        declared = dict.fromkeys(rules.declared)
        kept = [path for path in declared if _allowed(start, path, agents, rules, book)]
    else:
        _stray(start, agents, rules, book)
        kept = list(_searched(start, agents, rules, book))
    for path in kept[rules.max_candidates :]:
        book.note("too_many", f"only {rules.max_candidates} are proposed", path)
    return Paths(tuple(kept[: rules.max_candidates]), book.left)


class _Book:
    """What was left out, by reason."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], list[Path]] = {}
        self._count: dict[tuple[str, str], int] = {}

    def note(self, reason: str, message: str, path: Path) -> None:
        key = (reason, message)
        self._count[key] = self._count.get(key, 0) + 1
        held = self._held.setdefault(key, [])
        if len(held) < _TOLD and path not in held:
            held.append(path)

    @property
    def left(self) -> tuple[Left, ...]:
        return tuple(Left(*key, self._count[key], tuple(held)) for key, held in self._held.items())


def _stray(start: str, agents: Sequence[str], rules: PathRules, book: _Book) -> None:
    """Edges that lead on from what can be on no path."""
    for id in rules.edges or ():
        if id != start and (why := _barred(start, id, agents, rules)):
            book.note(*why, (id,))


def _searched(start: str, agents: Sequence[str], rules: PathRules, book: _Book) -> Iterator[Path]:
    """Breadth first, so that the shorter paths come first."""
    edge: list[Path] = [()]
    looked = 0
    for depth in range(1, rules.max_depth + 1):
        longer: list[Path] = []
        for path in edge:
            following = list(_next(start, path, agents, rules, book))
            if not following and path and not _ends(path, rules):
                book.note("not_terminal", "nothing leads on to one of the terminal agents", path)
            for id in following:
                looked += 1
                if looked > _LOOKED_AT:
                    book.note("too_many", f"{_LOOKED_AT} were looked at: no more are", path)
                    return
                whole = (*path, id)
                ends = _ends(whole, rules)
                if ends and _complete(whole, rules, book):
                    yield whole
                if depth == rules.max_depth and not ends:
                    told = f"it is {depth} long and does not end with one of the terminal agents"
                    book.note("not_terminal", told, whole)
                # What gives the answer is the end, unless the author's edges lead on from it.
                if rules.edges is not None or not (rules.terminal and ends):
                    longer.append(whole)
        edge = longer


def _ends(path: Path, rules: PathRules) -> bool:
    return not rules.terminal or path[-1] in rules.terminal


def _next(
    start: str, path: Path, agents: Sequence[str], rules: PathRules, book: _Book
) -> Iterator[str]:
    """The agents that may follow a path."""
    declared = rules.edges is not None
    if rules.edges is None:
        following: Sequence[str] = agents
    else:
        usual: Sequence[str] = () if path else agents
        following = rules.edges.get(path[-1] if path else start, usual)
    for id in dict.fromkeys(following):
        if id in path:
            if declared:
                book.note("cycle", f"{id!r} would run twice", (*path, id))
        elif why := _barred(start, id, agents, rules) or _blind(path, id, rules):
            book.note(*why, (*path, id))
        else:
            yield id


def _barred(start: str, id: str, agents: Sequence[str], rules: PathRules) -> tuple[str, str] | None:
    """Why an agent may be on no path: a reason, and words."""
    if id == start:
        return "itself", f"{id!r} is the agent that chooses"
    if id not in agents and id not in rules.excluded:
        return "unknown_agent", f"no agent that can be run from here is called {id!r}"
    if id in rules.excluded:
        return "excluded", f"{id!r}: {rules.excluded[id]}"
    return None


def _blind(path: Path, id: str, rules: PathRules) -> tuple[str, str] | None:
    """Why an agent cannot follow a path: it needs what nobody on it gives."""
    for each in rules.reads.get(id, ()):
        if each not in path:
            return "unread", f"{id!r} reads the output of {each!r}, which has not run before it"
    return None


def _complete(path: Path, rules: PathRules, book: _Book) -> bool:
    missing = [id for id in rules.required if id not in path]
    if missing:
        told = f"it lacks the required {', '.join(repr(id) for id in missing)}"
        book.note("lacks_required", told, path)
    return not missing


def _allowed(start: str, path: Path, agents: Sequence[str], rules: PathRules, book: _Book) -> bool:
    """Whether a declared path can be proposed."""
    if not path:
        book.note("empty", "it names no agent", path)
        return False
    for id in path:
        if why := _barred(start, id, agents, rules):
            book.note(*why, path)
            return False
    for at, id in enumerate(path):
        if why := _blind(path[:at], id, rules):
            book.note(*why, path)
            return False
    twice = [id for at, id in enumerate(path) if id in path[:at]]
    if twice:
        book.note("cycle", f"{twice[0]!r} would run twice", path)
    elif len(path) > rules.max_depth:
        told = f"it has {len(path)} agents, more than `max_depth` {rules.max_depth}"
        book.note("too_long", told, path)
    elif not _ends(path, rules):
        book.note("not_terminal", "it does not end with one of the terminal agents", path)
    else:
        return _complete(path, rules, book)
    return False
