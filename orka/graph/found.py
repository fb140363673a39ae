"""What the rewriting of a template finds out about it: its chains, names and references."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from orka.agent.view import ITSELF
from orka.errors import TemplateError
from orka.graph.chain import KEY, Chain, Mood, Step
from orka.graph.vocabulary import LOOPED, NAMES, OUTPUT_HELPERS, OUTPUTS, PLAIN


class Found:
    """All of one template. `reads` must be there, `tries` may be missing; `tested` are those that a
    condition of the template asks about."""

    def __init__(self, where: str, *, strict: bool, ids: Collection[str]) -> None:
        self.where, self.strict, self.ids = where, strict, ids
        self.chains: list[Chain] = []
        self.reads: dict[str, None] = {}
        self.tries: dict[str, None] = {}
        self.tested: dict[str, None] = {}
        self.names: dict[str, None] = {}
        self.filters: dict[str, int] = {}
        self.tests: dict[str, int] = {}
        self.locals: set[str] = set()
        self.plain: set[str] = set(PLAIN)
        self.namespaces: set[str] = set()
        self.macros: set[str] = {"caller"}
        self.repeated = 0
        self.loops = 0

    def error(self, what: str, line: int, fix: str = "") -> TemplateError:
        return TemplateError(what, where=f"{self.where}, line {line} of the template", fix=fix)

    def bind(self, name: str, *, plain: bool = False) -> None:
        """A name that the template itself gives a value."""
        self.locals.add(name)
        self.namespaces.discard(name)
        (self.plain.add if plain else self.plain.discard)(name)

    def native(self, name: str) -> bool:
        """True for the engine's own objects: a namespace, and `loop` inside a for."""
        if name == "loop":
            return self.loops > 0 or name not in self.locals
        return name in self.namespaces

    def engine_name(self, name: str) -> str:
        """The engine keeps `loop` for itself; a template may use it as any other name."""
        return "__loop" if name == "loop" and not self.native(name) else name

    def keep(self, chain: Chain) -> int:
        self.chains.append(chain)
        if id := _output_of(chain):
            self.refer(id, chain.mood)
        return len(self.chains) - 1

    def refer(self, id: str, mood: Mood) -> None:
        (self.reads if mood is Mood.HARD else self.tries)[id] = None
        if mood in (Mood.BARE, Mood.TEST):
            self.tested[id] = None

    def within(self, path: str) -> str:
        """The id that a dotted path begins with."""
        parts = path.split(".")
        ids = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        return next((id for id in ids if id in self.ids), parts[0])

    def skip(self, root: str, steps: Sequence[Step]) -> int:
        """How many of a chain's steps are plain lookups: the id of an output is, all of input."""
        if root in OUTPUTS and root not in self.locals:
            return 1
        if self.looped(root, steps) and steps[0].key == "previous_outputs":
            return 2
        name = root.partition("(")[0]
        if name in self.plain or (name != root and name not in OUTPUT_HELPERS and name):
            return -1
        return 0

    def looped(self, root: str, steps: Sequence[Step]) -> bool:
        """`input.input` and the like, which inside loops of 0.9 files are the loop's own data."""
        first = steps[0] if steps else None
        return not self.strict and root == "input" and first is not None and first.key in LOOPED

    def early(self, root: str, steps: Sequence[Step]) -> bool:
        """A name of the context and keys as they are written: nothing has to be computed."""
        own = root in NAMES and root not in self.locals and not self.looped(root, steps)
        return own and all(step.kind == KEY for step in steps)

    def may_be_bare(self, root: str, steps: list[Step]) -> bool:
        """In a strict template a condition may ask for an output, not for a field of one."""
        if not self.strict or not steps:
            return True
        later = steps[1:]
        return root in OUTPUTS and all(step.kind == KEY and step.key in ITSELF for step in later)


def _output_of(chain: Chain) -> str:
    first = chain.steps[0] if chain.steps else None
    named = first is not None and first.kind == KEY and isinstance(first.key, str)
    return str(first.key) if first and named and chain.root in OUTPUTS else ""
