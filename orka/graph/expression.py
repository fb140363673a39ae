"""Expressions inside tags, rewritten: what reads a field asks the typed view of outputs for it."""

from __future__ import annotations

from typing import NamedTuple

from orka.graph.chain import ASKED, GET, GIVEN, KEY, Chain, Mood, Step, close
from orka.graph.expression_order import ordered
from orka.graph.found import Found
from orka.graph.tags import Token, Tokens, literal
from orka.graph.vocabulary import (
    DEFAULTS,
    FUNCTIONS,
    HELPERS,
    KEYWORDS,
    METHODS,
    MUTATING,
    NAMES,
    OUTPUTS,
    PERHAPS,
    PRESENCE,
    READING,
    TOLERANT,
    TRYING,
)

_BRACKETS = ("(", "[", "{")
_KEYWORDS_OF_DEFAULT = ("default_value", "boolean")
_VALUES = ("true", "false", "none", "True", "False", "None")
# How the engine asks for a chain, by what is to happen if it leads nowhere.
_OPENERS = ("", "and", "or", "not", "if", ",", "=", ":")
_ASK = {Mood.SOFT: "__maybe", Mood.TEST: "__maybe", Mood.BARE: "__bare"}


class Place(NamedTuple):
    """Where an expression stands: as a condition; where values may be missing."""

    condition: bool = False
    soft: bool = False


ANYWHERE = Place()


class Piece(NamedTuple):
    """A rewritten operand. `chain`: its number, if it is nothing but that chain; `call`: the
    arguments it is asked with; `name`: it is nothing but that name."""

    text: str
    chain: int = -1
    call: str = ""
    name: str = ""


class Expression:
    """A cursor over the tokens of one tag. Raises `TemplateError` for what cannot be meant."""

    def __init__(self, tokens: Tokens, found: Found) -> None:
        self._all, self.found, self.at = tokens, found, 0
        self.tokens, self._partner = tokens.all, tokens.partner
        self._text, self._source = tokens.text, tokens.source

    def whole(self, end: int, place: Place = ANYWHERE) -> Piece:
        """The expression up to `end`; with its chain or name if it is nothing else."""
        pieces, marks = list[str](), list[str]()
        only: Piece | None = None
        before, operand, inside = "", True, place
        while self.at < end:
            token = self.tokens[self.at]
            if token.text in _KEYWORDS_OF_DEFAULT and self._peek(1) == "=" and place.soft:
                self.at += 2  # the engine has no words for them
                continue
            if operand and self._begins(token):
                piece = self._operand(end, before, inside)
                only = piece if not pieces else None
                pieces.append(token.space + piece.text)
                marks.append("")
                operand, before = False, "value"
                continue
            only = None
            pieces.append(self._other(end))
            marks.append(token.text)
            if token.text in ("if", "else", ","):
                inside = Place(token.text == "if" or place.condition, place.soft)
            operand = token.text not in ("|", "is", *_VALUES)
            before = token.text
        said = ordered(pieces, marks) if self.found.strict else pieces
        return only or Piece("".join(said).lstrip())

    def text(self, end: int, place: Place = ANYWHERE) -> str:
        """The same as text, with the space in front of it."""
        space = self.tokens[self.at].space if self.at < end else ""
        return space + self.whole(end, place).text

    def group(self, place: Place = ANYWHERE) -> str:
        """From an opening bracket to behind the closing one."""
        close = self._partner[self.at]
        opened = self.tokens[self.at]
        self.at += 1
        inside = self.text(close, place)
        self.at = close + 1
        return f"{opened.text}{inside}{self.tokens[close].space}{self.tokens[close].text}"

    def verbatim(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token.space + token.text

    def filter(self) -> str:
        """A filter's name and arguments."""
        name = self.tokens[self.at].text
        self.found.filters.setdefault(name, self.tokens[self.at].line)
        text = self.verbatim()
        if name == "map" and self.found.strict and self._peek(1) == "attribute":
            text = text.replace(name, "__fields")  # the engine gives nothing for what is missing
        if self._peek(0) == "(":
            soft = name in DEFAULTS
            self._attribute(name)
            text += self.tokens[self.at].space + self.group(Place(soft=soft))
        return text

    # ---- signs and words between operands

    def _other(self, end: int) -> str:
        token = self.tokens[self.at]
        text = self.verbatim()
        if self.at >= end:
            return text
        if token.text == "|" and self.tokens[self.at].kind == "name":
            return text + self.filter()
        if token.text == "is":
            if self._peek(0) == "not":
                text += self.verbatim()
            if self.at < end and self.tokens[self.at].kind == "name":
                self.found.tests.setdefault(self._peek(0), token.line)
                text += self.verbatim()
                text += self.group() if self._peek(0) == "(" else ""
        return text

    def _begins(self, token: Token) -> bool:
        if token.kind == "name":
            return token.text not in KEYWORDS
        return token.kind in ("text", "number") or token.text in _BRACKETS

    # ---- operands

    def _operand(self, end: int, before: str, place: Place) -> Piece:
        start = self.at
        token = self.tokens[start]
        if token.text.startswith("__"):
            raise self.found.error(f"a template uses {token.text!r}", token.line, "choose a name")
        if token.kind != "name":
            inside = token.text in _BRACKETS
            text = self.group(self._inner(end, before, place)) if inside else token.text
            self.at += not inside
            return self._steps(start, Piece(text), end, before, place)
        self.found.names[token.text] = None
        if self._peek(1) == "(" and not self.found.native(token.text):
            return self._steps(start, self._call(end, before, place), end, before, place)
        self.at += 1
        if self.found.native(token.text):
            return Piece(token.text + self._native())
        named = Piece(self.found.engine_name(token.text), name=token.text)
        return self._steps(start, named, end, before, place)

    def _inner(self, end: int, before: str, place: Place) -> Place:
        """Brackets around a value stand where the value does."""
        after = self._partner[self.at] + 1
        mood = self._mood(after, end, before, place)
        return Place(mood is Mood.BARE, mood in (Mood.SOFT, Mood.TEST))

    def _native(self) -> str:
        """The engine's own objects: the `loop` of a for, a namespace."""
        text = ""
        while self.at < len(self.tokens):
            if self._peek(0) == "." and self.at + 1 < len(self.tokens):
                text += self.verbatim() + self.verbatim()
            elif self._peek(0) in ("[", "("):
                text += self.group()
            else:
                break
        return text

    def _call(self, end: int, before: str, place: Place) -> Piece:
        token = self.tokens[self.at]
        name, found = token.text, self.found
        known = name in FUNCTIONS or name in HELPERS or name in found.macros
        if name in found.locals or not known:
            what = f"a template calls {name!r}, which is not defined"
            raise found.error(what, token.line, close(name, (*FUNCTIONS, *HELPERS)))
        self.at += 1
        after = self._partner[self.at] + 1
        mood = self._mood(after, end, before, place)
        if name in (*READING, *TRYING):
            self._reads(name, Mood.SOFT if name in TRYING else mood)
        if name == "get_agent_response":
            start = self.at - 1
            arguments = self.group()
            text = self._source(start, self.at)
            if self._peek(0) in (".", "["):
                mood = Mood.SOFT
            number = found.keep(Chain(text, (), 0, mood, token.line, reply=True))
            first = arguments[1:-1].strip()
            return self._asked(number, mood, first or "none", start)
        return Piece(name + self.group(Place(soft=name in TOLERANT)))

    def _reads(self, name: str, mood: Mood) -> None:
        first = self.tokens[self.at + 1]
        if first.kind == "text" and self._peek(2) in (",", ")"):
            id = literal(first.text)
            self.found.refer(self.found.within(id) if name in TRYING else id, mood)

    def _asked(self, number: int, mood: Mood, call: str, start: int) -> Piece:
        """The text that asks for a chain, with as many lines as its author gave it."""
        lines = self._all.lines(start, self.at)
        call = f"{number}, {call}" + "\n" * max(0, lines - call.count("\n"))
        ask = _ASK.get(mood, "__at" if self.found.strict else "__maybe")
        asked = f"{ask}({call})" + "[0]" * (ask == "__maybe")
        if self.found.chains[number].early:
            known = f"__c{number}"
            asked = f"({known} if {known} is defined else {asked})"
        return Piece(asked, number, call)

    # ---- steps behind an operand: .key, [key], .get(key), .method(…)

    def _steps(self, start: int, root: Piece, end: int, before: str, place: Place) -> Piece:
        steps: list[Step] = []
        call = [root.text]
        while self.at < end:
            sign = self._peek(0)
            name = self._name(steps, root) if sign == "." else ""
            if name and self._peek(0) == "(" and name != "get":
                root = self._method(start, root, steps, call, name)
                steps, call = [], [root.text]
            elif name and self._peek(0) == "(":
                steps.append(self._get(start, call))
            elif name:
                key = int(name) if name.isdecimal() else name
                steps.append(Step(KEY, key, self._source(start, self.at)))
            elif sign == "[" and self._all.holds(":", self.at):
                text = self._flush(start, root, steps, call, Mood.HARD).text + self.group()
                root, steps, call = Piece(text), [], [text]
            elif sign == "[":
                steps.append(self._subscript(start, call))
            elif sign == "(":
                line = self.tokens[self.at].line
                what = f"a template calls {self._source(start, self.at)!r}, which is no function"
                raise self.found.error(what, line)
            else:
                break
        mood = self._mood(self.at, end, before, place)
        if root.name and not steps:
            return self._alone(root, mood, start)
        return self._flush(start, root, steps, call, mood)

    def _flush(
        self, start: int, root: Piece, steps: list[Step], call: list[str], mood: Mood
    ) -> Piece:
        if not steps:
            return root
        found = self.found
        name = root.name or self._root(start, steps)
        if mood is Mood.BARE and not found.may_be_bare(name, steps):
            mood = Mood.HARD
        line = self.tokens[start].line
        early = found.early(root.name, steps)
        chain = Chain(name, tuple(steps), found.skip(name, steps), mood, line, early=early)
        number = found.keep(chain)
        if found.looped(root.name, steps):
            call = ["__looped", *call[1:]]
        return self._asked(number, mood, ", ".join(call), start)

    def _root(self, start: int, steps: list[Step]) -> str:
        """What stands before the first step, as written; a call keeps its bracket."""
        return self._source(start, start + 1) + ("(" if self._text(start + 1) == "(" else "")

    def _alone(self, root: Piece, mood: Mood, start: int) -> Piece:
        """A name without steps: one that may be missing says so itself."""
        found, name = self.found, root.name
        sure = name not in PERHAPS and (found.strict or name in NAMES)
        own = name in found.locals or name in found.macros
        if sure or own or self._peek(0) == "=":
            return root
        if mood in (Mood.SOFT, Mood.TEST):
            return Piece(name)
        if mood is Mood.BARE:
            return Piece(f"({name} if {name} is defined else '')")
        line = self.tokens[start].line
        number = found.keep(Chain(name, (), 0, mood, line))
        return Piece(f"({name} if {name} is defined else __lost({number}))")

    def _name(self, steps: list[Step], root: Piece) -> str:
        """The key behind a dot; behind `previous_outputs.` also an id with hyphens."""
        token = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
        if token is None or token.kind not in ("name", "number"):
            raise self.found.error("a template ends at a dot", self.tokens[self.at].line)
        if not steps and root.name in OUTPUTS:
            return self._hyphenated()
        self.at += 2
        return self.tokens[self.at - 1].text

    def _hyphenated(self) -> str:
        """An id as it stands behind the dot, with hyphens; with dots if there is no other."""
        self.at += 2
        begin, stop = self.at - 1, self.at
        while stop < len(self.tokens) and not self.tokens[stop].space:
            if self.tokens[stop].text not in ("-", ".") and self.tokens[stop].kind == "sign":
                break
            stop += 1
        words = [token.text for token in self.tokens[begin:stop]]
        plain = words.index(".") if "." in words else len(words)
        shortest = 0 if plain == 1 else 1
        for length in (*range(plain, shortest, -1), *range(len(words), plain, -1)):
            if "".join(words[:length]) in self.found.ids:
                self.at = begin + length
                return "".join(words[:length])
        if plain == 1 or words[1] != "-":
            return words[0]
        id = "".join(words[:plain])
        if self.found.strict:
            raise self.found.error(
                f"'previous_outputs.{id}' is read as a subtraction",
                self.tokens[begin].line,
                f"write previous_outputs['{id}']",
            )
        self.at = begin + plain
        return id

    def _method(
        self, start: int, root: Piece, steps: list[Step], call: list[str], name: str
    ) -> Piece:
        line = self.tokens[self.at].line
        if name in MUTATING:
            raise self.found.error(
                f"a template calls .{name}(), which changes a value",
                line,
                "templates only read; build the value in an agent or a tool",
            )
        if name not in METHODS:
            fix = close(name, METHODS)
            raise self.found.error(f"a template calls .{name}(), which does not exist", line, fix)
        owner = self._flush(start, root, steps, call, Mood.HARD).text
        return Piece(f"{owner}.{name}{self.group()}")

    def _get(self, start: int, call: list[str]) -> Step:
        kind = GIVEN if self._all.holds(",", self.at) else GET
        call.append(self.group(Place(soft=True))[1:-1].strip() or "none")
        return Step(kind, None, self._source(start, self.at))

    def _subscript(self, start: int, call: list[str]) -> Step:
        close = self._partner[self.at]
        inside = self.tokens[self.at + 1 : close]
        if len(inside) == 1 and inside[0].kind in ("text", "number"):
            self.at = close + 1
            word = inside[0].text
            if inside[0].kind == "text":
                return Step(KEY, literal(word), self._source(start, self.at))
            if word.isdecimal():
                return Step(KEY, int(word), self._source(start, self.at))
            call.append(word)
            return Step(ASKED, None, self._source(start, self.at))
        call.append(self.group()[1:-1])
        return Step(ASKED, None, self._source(start, self.at))

    # ---- what stands around

    def _mood(self, after: int, end: int, before: str, place: Place) -> Mood:
        following = self._text(after) if after < end else ""
        if following == "|" and self._text(after + 1) in DEFAULTS:
            return Mood.SOFT
        if following == "is":
            test = after + 2 if self._text(after + 1) == "not" else after + 1
            return Mood.TEST if self._text(test) in PRESENCE else Mood.HARD
        if place.soft:
            return Mood.SOFT
        alone = before in _OPENERS and following in ("", "and", "or", "else")
        asked = place.condition or following in ("and", "or") or before == "not"
        return Mood.BARE if alone and asked else Mood.HARD

    def _attribute(self, name: str) -> None:
        """Filters that take the name of a field take it as it is written, not from data."""
        at, close = self.at + 1, self._partner[self.at]
        named = name in ("selectattr", "rejectattr", "groupby", "attr")
        while at < close:
            key = self._text(at) == "attribute" and self._text(at + 1) == "="
            if key or (named and at == self.at + 1):
                value = self.tokens[at + 2 if key else at]
                after = self._text(at + 3 if key else at + 1)
                path = literal(value.text) if value.kind == "text" else ""
                fits = value.kind == "number" or (path and "__" not in path and path[0] != "_")
                if not fits or after not in (",", ")"):
                    raise self.found.error(
                        f"the filter {name!r} needs the name of a field, as text", value.line
                    )
            at = self._partner.get(at, at) + 1

    def _peek(self, ahead: int) -> str:
        return self._text(self.at + ahead)
