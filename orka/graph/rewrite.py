"""A template's text made ready for the engine: line by line what its author wrote, with fields,
outputs and printing by our rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import pairwise
from typing import NamedTuple

from orka.graph.chain import KEY, Chain, Mood, Step
from orka.graph.expression import Expression, Piece, Place
from orka.graph.found import Found
from orka.graph.tags import Tag, split
from orka.graph.vocabulary import CONTEXT, FUNCTIONS, HELPERS, OUTPUTS

_FOREIGN = ("include", "import", "from", "extends", "block")
_REPEATED = ("for", "macro", "call")
# Printed as it is: the rest is asked how it is printed. Inside loops all text is counted.
_ONCE = "{0} if {0} is string or {0} is number or {0} is undefined else __text({0})"
_EARLY = "{0} if {0} is string or {0} is number else {1}"
_OFTEN = "{0} if {0} is number or {0} is undefined else __text({0})"


class Name(NamedTuple):
    """A name of the context that is printed."""

    text: str


class Rewritten(NamedTuple):
    """`alone`: the expression, if the template is one and nothing else. `simple`: if it is nothing
    but text, chains (by number) and names that are printed; `sure`: it is certain that the engine
    can read it. `tags`: line and text of each tag that prints."""

    text: str
    found: Found
    alone: Piece | None
    simple: tuple[str | int | Name, ...] | None
    tags: tuple[tuple[int, str], ...]
    sure: bool = False


def rewritten(text: str, where: str, *, strict: bool, ids: Collection[str]) -> Rewritten:
    """Raises `TemplateError`."""
    if made := _plainly(text, Found(where, strict=strict, ids=ids)):
        return made
    found = Found(where, strict=strict, ids=ids)
    parts = list(split(text, where))
    for part in parts:
        if isinstance(part, Tag) and part.tokens.text(0) == "macro":
            found.macros.add(part.tokens.text(1))
    pieces: list[str] = []
    printed: list[tuple[int, str]] = []
    alone: Piece | None = None
    simple: list[str | int | Name | None] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            simple.append(None if part.startswith(("{#", "{%")) else part)
        elif part.open.startswith("{%"):
            pieces.append(_statement(part, found))
            simple.append(None)
        else:
            said, alone = _printing(part, found)
            pieces.append(said)
            simple.append(_simply(part, alone, found))
            tokens = part.tokens
            printed.append((part.line, tokens.source(0, len(tokens.all)) if tokens.all else ""))
    only = len(printed) == 1 and not any(
        part.strip() if isinstance(part, str) else part.open.startswith("{%") for part in parts
    )
    plainly = tuple(item for item in simple if item is not None)
    return Rewritten(
        "".join(pieces),
        found,
        alone if only else None,
        plainly if len(plainly) == len(simple) else None,
        tuple(printed),
    )


_PATH = re.compile(r"\{\{ *([a-z_]+(?:\.[A-Za-z_]\w*)*) *\}\}")


def _plainly(text: str, found: Found) -> Rewritten | None:
    """Most templates are text and paths: the same result without reading any expression."""
    said = _PATH.split(text)
    if any("{{" in part or "{%" in part or "{#" in part for part in said[::2]):
        return None
    pieces, simple, printed = [said[0]], list[str | int | Name](), list[tuple[int, str]]()
    piece, line = Piece(""), 1
    for before, path, after in zip(said[::2], said[1::2], said[2::2], strict=False):
        line += before.count("\n")
        root, *keys = path.split(".")
        steps = tuple(
            Step(KEY, key, ".".join((root, *keys[: at + 1]))) for at, key in enumerate(keys)
        )
        unsure = root in OUTPUTS and keys and found.ids and keys[0] not in found.ids
        if root not in CONTEXT or unsure or found.looped(root, steps):
            return None
        found.names[root] = None
        piece = Piece(root, name=root)
        shown = _ONCE.format(root)
        if steps:
            number = found.keep(
                Chain(root, steps, found.skip(root, steps), Mood.HARD, line, early=True)
            )
            call = f"{number}, {root}"
            piece = Piece(f"__at({call})" if found.strict else f"__maybe({call})[0]", number, call)
            shown = _EARLY.format(f"__c{number}", f"__show({call})")
        simple += [before, piece.chain if steps else Name(root)]
        pieces += ["{{ ", shown, " }}", after]
        printed.append((line, path))
    alone = piece if len(printed) == 1 and not (said[0] + said[-1]).strip() else None
    whole = (*simple, said[-1])
    return Rewritten("".join(pieces), found, alone, whole, tuple(printed), sure=True)


def _simply(tag: Tag, piece: Piece, found: Found) -> int | Name | None:
    """What a tag prints, if nothing has to be computed for it."""
    if tag.open != "{{" or tag.close != "}}":
        return None
    if piece.chain < 0:
        return Name(piece.name) if piece.name else None
    return piece.chain if found.chains[piece.chain].early else None


def _printing(tag: Tag, found: Found) -> tuple[str, Piece]:
    expression = Expression(tag.tokens, found)
    piece = expression.whole(len(expression.tokens))
    first = expression.tokens[0].space if expression.tokens else ""
    if piece.chain >= 0:
        shown = f"__show({piece.call})"
        if found.chains[piece.chain].early and not found.repeated:
            shown = _EARLY.format(f"__c{piece.chain}", shown)
    elif piece.name:
        shown = (_OFTEN if found.repeated else _ONCE).format(piece.text)
    elif not piece.text:
        shown = ""
    else:
        text = (first or " ") + piece.text
        set_open = tag.open.replace("{{", "{%")
        shown = (_OFTEN if found.repeated else _ONCE).format("__v")
        return f"{set_open} set __v ={text} %}}{{{{ {shown}{tag.space}{tag.close}", piece
    return f"{tag.open}{first or ' '}{shown}{tag.space}{tag.close}", piece


def _statement(tag: Tag, found: Found) -> str:
    cursor = Expression(tag.tokens, found)
    word = tag.tokens.text(0)
    if word in _FOREIGN:
        raise found.error(
            f"a template uses {word!r}, but there is nothing that it could name",
            tag.line,
            "write the text here, or use a macro",
        )
    text = cursor.verbatim() if cursor.tokens else ""
    text += _STATEMENTS.get(word, _plain)(cursor, found)
    found.repeated += (word in _REPEATED) - (word[3:] in _REPEATED and word.startswith("end"))
    found.loops += (word == "for") - (word == "endfor")
    return f"{tag.open}{text}{tag.space}{tag.close}"


def _plain(cursor: Expression, found: Found) -> str:
    return cursor.text(len(cursor.tokens))


def _condition(cursor: Expression, found: Found) -> str:
    return cursor.text(len(cursor.tokens), Place(condition=True))


def _for(cursor: Expression, found: Found) -> str:
    text, names = _targets(cursor, "in")
    first, end = cursor.at, len(cursor.tokens)
    plain = first < end and cursor.tokens[first].text in found.plain
    rest = cursor.text(end)
    _bind(names, found, plain=plain)
    return text + rest


def _set(cursor: Expression, found: Found) -> str:
    text, names = _targets(cursor, "=")
    first, end = cursor.at, len(cursor.tokens)
    if first < end and cursor.tokens[first].text == "namespace":
        rest = cursor.text(end)
        found.namespaces.update(names)
        return text + rest
    plain = first < end and cursor.tokens[first].text in found.plain
    piece = cursor.whole(end)
    space = cursor.tokens[first].space if first < end else ""
    _bind(names, found, plain=plain)
    return text + space + piece.text


def _macro(cursor: Expression, found: Found) -> str:
    text = cursor.verbatim()
    at = cursor.at
    names = [t.text for t in cursor.tokens[at:] if t.kind == "name"]
    _bind(names, found, plain=False)
    return text + (cursor.group() if at < len(cursor.tokens) else "")


def _call(cursor: Expression, found: Found) -> str:
    text = ""
    if cursor.at < len(cursor.tokens) and cursor.tokens[cursor.at].text == "(":
        close = cursor.tokens[cursor.at :]
        names = [t.text for t in close[: [t.text for t in close].index(")")] if t.kind == "name"]
        _bind(names, found, plain=False)
        text = cursor.group()
    return text + cursor.text(len(cursor.tokens))


def _with(cursor: Expression, found: Found) -> str:
    tokens = cursor.tokens
    names = [token.text for token, after in pairwise(tokens) if after.text == "="]
    _bind(names, found, plain=False)
    return cursor.text(len(tokens))


def _filter(cursor: Expression, found: Found) -> str:
    return cursor.filter() + cursor.text(len(cursor.tokens)) if len(cursor.tokens) > 1 else ""


_STATEMENTS: dict[str, Callable[[Expression, Found], str]] = {
    "if": _condition,
    "elif": _condition,
    "for": _for,
    "set": _set,
    "macro": _macro,
    "call": _call,
    "with": _with,
    "filter": _filter,
}


def _targets(cursor: Expression, sign: str) -> tuple[str, list[str]]:
    """What is given a value, up to and with the sign behind it."""
    text, names = "", list[str]()
    depth = 0
    while cursor.at < len(cursor.tokens):
        token = cursor.tokens[cursor.at]
        cursor.at += 1
        text += token.space + (token.text if token.text != "loop" else "__loop")
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text == sign and not depth:
            break
        if token.kind == "name":
            names.append(token.text)
        if token.text == "|":  # {% set x | upper %}: the text of a block
            names = names[:1]
    return text, names


def _bind(names: list[str], found: Found, *, plain: bool) -> None:
    for name in names:
        if name.startswith("__") or name in (*FUNCTIONS, *HELPERS):
            raise found.error(f"a template gives {name!r} another meaning", 1, "choose a name")
        found.bind(name, plain=plain)
