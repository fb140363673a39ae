"""Templates: Jinja in a sandbox, compiled once per graph, rendered once, never re-scanned."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from operator import attrgetter

import minijinja

from orka.agent.guard import HYPHENATED
from orka.errors import TemplateError
from orka.graph.chain import Lost, close, follow
from orka.graph.filters import FILTERS, LENIENT
from orka.graph.lookup import LONGEST, Lookup, too_long, undefined
from orka.graph.rewrite import Name, Rewritten, rewritten
from orka.graph.vocabulary import CONDITION as CONTEXT
from orka.graph.vocabulary import FILTER_NAMES, FUNCTIONS, HELPERS, LOOPED, NAMES
from orka.value import Json, plain

__all__ = ["CONTEXT", "HYPHENATED", "Template", "Templates", "constant"]

FUEL = 5_000_000
# The engine's words for rewritten text never reach a reader.
_INNER = re.compile(r"\s*\(?`[^`]*`(?: is undefined)?\)?")


class Templates:
    """One environment for all templates of a graph. `ids` are the outputs they may name, `names`
    what they may name beside what all templates know."""

    def __init__(
        self, dialect: str = "1", ids: Collection[str] = (), names: Collection[str] = ()
    ) -> None:
        self._known = _KNOWN.union(names)
        self._strict, self._ids = dialect == "1", frozenset(ids)
        self._env = minijinja.Environment(
            undefined_behavior="strict" if self._strict else "chainable",
            keep_trailing_newline=True,
            auto_escape_callback=lambda name: False,
        )
        self._env.fuel = FUEL
        for name, filter in (FILTERS if self._strict else FILTERS | LENIENT).items():
            self._env.add_filter(name, filter)
        self._env.remove_global("debug")
        self._count = 0
        self._probed: set[str] = set()

    def compile(self, text: str, where: str) -> Template:
        """Raises `TemplateError` for syntax, unknown names and calls that would change a value."""
        self._count += 1
        name = f"t{self._count}"
        made = rewritten(text, where, strict=self._strict, ids=self._ids)
        names = set[str]() if made.sure else self._added(name, made.text, where)
        for word, line in made.found.filters.items():
            self._exists(f"''|{word}", f"the filter {word!r}", word, line, where)
        for word, line in made.found.tests.items():
            self._exists(f"'' is {word}", f"the test {word!r}", word, line, where)
        used = dict.fromkeys([*sorted(names), *(n for n in made.found.names if n in self._known)])
        unknown = [n for n in used if n not in self._known and not n.startswith("__")]
        if unknown and self._strict:
            raise TemplateError(
                f"a template uses {unknown[0]!r}, which is not defined",
                where=where,
                fix=close(unknown[0], NAMES),
            )
        return Template(
            self._env, name, text, where, made, list(used), unknown, strict=self._strict
        )

    def _added(self, name: str, text: str, where: str) -> set[str]:
        """Give the engine a template; the names that it does not define itself."""
        try:
            self._env.add_template(name, text)
            return self._env.undeclared_variables_in_template(name)
        except minijinja.TemplateError as error:
            raise _error(error, where) from None

    def _exists(self, probe: str, what: str, name: str, line: int, where: str) -> None:
        """Raises `TemplateError` for a filter or test that the engine does not know."""
        if probe in self._probed:
            return
        try:
            self._env.eval_expr(probe)
        except minijinja.TemplateError as error:
            if error.kind in ("UnknownFilter", "UnknownTest"):
                place = f"{where}, line {line} of the template"
                fix = close(name, FILTER_NAMES)
                raise TemplateError(f"{what} does not exist", where=place, fix=fix) from None
        except (TemplateError, TypeError, ValueError):
            pass  # it exists, and wants something else than an empty text
        self._probed.add(probe)


_KNOWN = frozenset((*NAMES, *FUNCTIONS, *HELPERS))


class Template:
    """A compiled template. `reads` are the ids of the nodes whose outputs it needs, `tries` of
    those it can do without; `unknown` are names that nothing has, in files of OrKa 0.9."""

    __slots__ = (
        "_added",
        "_early",
        "_env",
        "_looped",
        "_made",
        "_name",
        "_names",
        "_own",
        "_strict",
        "needs",
        "reads",
        "text",
        "tries",
        "unknown",
        "where",
    )

    def __init__(
        self,
        env: minijinja.Environment,
        name: str,
        text: str,
        where: str,
        made: Rewritten,
        names: list[str],
        unknown: list[str],
        *,
        strict: bool,
    ) -> None:
        self._env, self._name, self._made = env, name, made
        said = made.text + (made.alone.text if made.alone else "")
        self._names = tuple(n for n in names if not n.startswith("__"))
        self._own = tuple((n, method) for n, method in _OWN.items() if f"{n}(" in said)
        self._looped = _LOOPED in said
        chains = enumerate(made.found.chains)
        self._early = tuple((f"__c{number}", chain) for number, chain in chains if chain.early)
        self._strict, self._added = strict, not made.sure
        self.text, self.where, self.unknown = text, where, tuple(unknown)
        found = made.found
        self.reads = tuple(id for id in found.reads if id not in found.tested)
        self.tries = tuple(dict.fromkeys((*found.tries, *found.tested)))
        # What it fails without; templates of OrKa 0.9 print nothing for what is not there.
        self.needs = self.reads if strict else ()

    def render(self, context: Mapping[str, Json], missing: list[str] | None = None) -> str:
        """The text. What is missing is an error that names it, never a value; in files of OrKa 0.9
        it prints nothing and its expression is added to `missing`. Raises `TemplateError`."""
        lookup = self._lookup(context)
        try:
            text = self._simply(context, lookup)
            if text is None:
                self._given_to_engine()
                text = self._env.render_template(self._name, **self._given(context, lookup))
        except minijinja.TemplateError as error:
            raise self._explained(error, lookup) from None
        except TemplateError as error:
            raise self._placed(error) from None
        except _RAISED as error:
            raise self._refused(error) from None
        if len(text) > LONGEST:
            raise self._placed(too_long())
        if missing is not None:
            missing += lookup.missing
        return text

    def value(self, context: Mapping[str, Json], missing: list[str] | None = None) -> Json:
        """Like `render`, but a template that is one expression and nothing else keeps its type."""
        alone = self._made.alone
        if alone is None:
            return self.render(context, missing)
        lookup = self._lookup(context)
        try:
            found, exact = self._exactly(context)
            if not exact:
                given = self._given(context, lookup)
                found, _ = plain(self._env.eval_expr(alone.text.strip(), **given))
        except minijinja.TemplateError as error:
            raise self._explained(error, lookup) from None
        except TemplateError as error:
            raise self._placed(error) from None
        except _RAISED as error:
            raise self._refused(error) from None
        if found is None and not exact:
            text = self.render(context, missing)  # a value that is missing, not null, raises here
            return "" if not text else None
        return found

    def _given_to_engine(self) -> None:
        """One that is simple goes to the engine only when it has to."""
        if not self._added:
            self._env.add_template(self._name, self._made.text)
            self._added = True

    def _simply(self, context: Mapping[str, Json], lookup: Lookup) -> str | None:
        """The text without the engine, if all that has to be done is to put values in."""
        said = list[str]()
        for item in self._made.simple or ():
            if isinstance(item, str):
                said.append(item)
                continue
            root = self._made.found.chains[item].root if isinstance(item, int) else item.text
            if root not in context:
                return None
            value = context[root]
            shown = lookup.show(item, value) if isinstance(item, int) else lookup.text(value)
            said.append(shown if isinstance(shown, str) else str(shown))
        return None if self._made.simple is None else "".join(said)

    def _exactly(self, context: Mapping[str, Json]) -> tuple[Json, bool]:
        """The value of a chain without the engine, which would make 1.0 into 1."""
        simple = self._made.simple
        item = next((item for item in simple or () if not isinstance(item, str)), None)
        chain = self._made.found.chains[item] if isinstance(item, int) else None
        root = item.text if isinstance(item, Name) else chain.root if chain else ""
        if root not in context:
            return None, False
        found = follow(chain, context[root], ()) if chain else context[root]
        return (None, False) if isinstance(found, Lost) else (plain(found)[0], True)

    def _lookup(self, context: Mapping[str, Json]) -> Lookup:
        return Lookup(self._made.found.chains, context, strict=self._strict)

    def _given(self, context: Mapping[str, Json], lookup: Lookup) -> dict[str, Json]:
        """What the template names, and nothing else: nobody pays for what it does not use."""
        given = {name: context[name] for name in self._names if name in context}
        for name, chain in self._early:
            found = follow(chain, context.get(chain.root), ())
            if not isinstance(found, Lost):
                given[name] = found
        for name, method in self._own:
            given[name] = method(lookup)
        if self._looped:
            given[_LOOPED] = _looped(context)
        return given

    def _placed(self, error: TemplateError) -> TemplateError:
        return TemplateError(error.what, where=self.where, fix=error.fix, code=error.code)

    def _refused(self, error: Exception) -> TemplateError:
        """A filter or helper could do nothing with its arguments. Only its types are told."""
        told = f": {error}" if isinstance(error, TypeError) else ""
        what = f"a filter or helper cannot use what it was given: {type(error).__name__}{told}"
        return TemplateError(what, where=self.where)

    def _explained(self, error: minijinja.TemplateError, lookup: Lookup) -> TemplateError:
        """The engine's error in the words of the template."""
        lost = lookup.last
        if lost is not None and (error.kind == "UndefinedError" or _on_missing(error)):
            found = undefined(lost)
            if error.kind != "UndefinedError":
                found.what += f", and {_told(error)}"
            return self._placed(found)
        told = _error(error, self.where)
        if error.kind == "UndefinedError":
            tag = next((text for line, text in self._made.tags if line == error.line), "")
            told.what = f"{tag or 'a value'} is missing"
        told.what += f" (line {error.line} of the template)" if error.line else ""
        told.where = self.where
        return told


# What filters and helpers raise when an argument is of the wrong kind.
_RAISED = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)
_LOOPED = "__looped"
# What rewritten templates call, bound to each rendering.
_OWN: dict[str, Callable[[Lookup], Json]] = {
    "__at": attrgetter("at"),
    "__maybe": attrgetter("maybe"),
    "__bare": attrgetter("bare"),
    "__show": attrgetter("show"),
    "__text": attrgetter("text"),
    "__lost": attrgetter("lost"),
    "__ordered": attrgetter("ordered"),
}


def _looped(context: Mapping[str, Json]) -> Json:
    """What `input` is inside a loop of a 0.9 file: the loop's own data behind its input's keys."""
    held = context.get("input")
    own = held if isinstance(held, Mapping) else {}
    if "loop_number" not in context:
        return held
    data = {name: context[name] for name in LOOPED if name in context}
    if "past_loops" in data:
        seen = data.get("previous_outputs") or {}
        data["previous_outputs"] = {"past_loops": data["past_loops"], **seen}
    return {**data, **own}


def constant(text: str) -> bool:
    """True if `text` holds no template syntax at all."""
    return "{{" not in text and "{%" not in text and "{#" not in text


def _on_missing(error: minijinja.TemplateError) -> bool:
    return "undefined" in (error.detail or "")


def _told(error: minijinja.TemplateError) -> str:
    return _INNER.sub("", error.detail or error.message.partition(" (in ")[0])


def _error(error: minijinja.TemplateError, where: str) -> TemplateError:
    line = f", line {error.line} of the template" if error.line else ""
    fix, told = "", _told(error)
    if error.kind == "UndefinedError":
        fix = "use `| default(…)` for a value that may be missing"
    elif "% operator" in told and "string" in told:
        fix = "there is no `'…' % …` in templates; write `'…' | format(…)` or use `~`"
    elif error.kind == "OutOfFuel":
        fix = "its loops do too much; let a tool do it"
    return TemplateError(
        f"{error.kind}: {told}",
        where=f"{where}{line}",
        fix=fix,
        code="template.undefined" if error.kind == "UndefinedError" else "",
    )
