"""What libyaml complains about, in plain words: what is wrong, the line, and what to write."""

from __future__ import annotations

import re
from collections.abc import Sequence

import yaml

from orka.spec.problems import Problem
from orka.spec.text import Lines, Mark

_BRACES = re.compile(r"(?:^\s*|[:?,\[{-]\s+)\{[{%#]")
# A blank in the indentation or behind a sign of YAML; a quote where a value begins.
_BLANK = re.compile(r"(?:^[ ]*|[:,?-])([\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000])")
_CURLY = re.compile(r"[:,\[{-]\s*([\u201c\u201d\u201e\u2018\u2019])")
_QUOTE = "put the whole value in quotes, or under '|' on lines of its own"

# part of libyaml's message → what is wrong, what to do. {0} is where the surrounding thing began,
# {1} the character found.
_PLAIN_WORDS = (
    ("maximum nesting depth", "lists and maps are nested too deep", "flatten them"),
    (
        "did not find expected key",
        "this does not fit what begins on {0}: wrong indentation, or text behind a finished value",
        "align it with the keys it belongs to; " + _QUOTE + " if it is text",
    ),
    (
        "did not find expected '-' indicator",
        "the list that begins on {0} is followed by something that is no item of it",
        "begin it with '- ' at the same indentation, or move it to where its key belongs",
    ),
    (
        "',' or ']'",
        "the '[' on {0} is not closed, or a ',' is missing",
        "add ']' or ','",
    ),
    (
        "',' or '}'",
        "the '{{' on {0} is not closed, or a ',' is missing",
        "add '}}' or ','; " + _QUOTE + " if it is text",
    ),
    (
        "hexdecimal number",
        "a '\\x', '\\u' or '\\U' escape needs 2, 4 or 8 hexadecimal digits",
        "complete it, or write '\\\\' for a backslash",
    ),
    ("unexpected ':'", "a ':' stands where it ends nothing", _QUOTE + " if it is text"),
    ("mapping keys are not allowed", "a '? ' begins a key, and none can stand here", _QUOTE),
    ("node content", "a key or a value is missing, or something is not closed", "complete it"),
    ("unexpected end of stream", "the quote on {0} is never closed", "close it"),
    (
        "unexpected document indicator",
        "the quote on {0} is not closed before '---'",
        "close it",
    ),
    (
        "could not find expected ':'",
        "a line within {0} has no ':' behind its key",
        "add ': '",
    ),
    (
        "cannot start any token",
        "unquoted text cannot begin with {1!r}",
        _QUOTE,
    ),
    (
        "unknown escape character",
        "in double quotes a '\\' begins an escape, and this is none",
        "write '\\\\' for a backslash, or use single quotes",
    ),
    (
        "Unicode character escape",
        "this '\\u' escape is not a character",
        "write the character itself; one outside the basic plane is written \\U0001f600",
    ),
    (
        "block sequence entries are not allowed",
        "a list item '- ' cannot stand here",
        "begin the list on the line after its key; quote text that begins with '- '",
    ),
    (
        "block mapping",
        "a key cannot stand here",
        "begin the map on the line after its key, indented",
    ),
    ("directive", "a line that begins with '%' is a YAML directive", "remove the line"),
    (
        "did not find expected <document start>",
        "there is something before or behind the document",
        "a file holds one map: check the indentation of its first line",
    ),
    ("anchor", "'&' and '*' begin an anchor and an alias", _QUOTE + " if it is text"),
    ("alias", "'&' and '*' begin an anchor and an alias", _QUOTE + " if it is text"),
    (
        "block scalar",
        "what follows '|' or '>' is not a text block",
        "indent it under its key",
    ),
)


def braces(mark: Mark) -> Problem:
    """The problem with a template that YAML takes for a map."""
    what = "YAML reads unquoted '{{' as a map, not as a template"
    return Problem("config.syntax", what, 'quote the whole value: prompt: "{{ input }}"', mark)


def unknown_tag(tag: str, mark: Mark) -> Problem:
    """The problem with a tag that would construct something."""
    what = f"the tag {tag[:80]!r} is not allowed: a workflow file holds values only"
    fix = "remove the tag; quote the value if the text begins with '!'"
    return Problem("config.tag", what, fix, mark)


def explain(error: yaml.YAMLError, lines: Lines, last: int) -> Problem:
    """What libyaml raised, as a problem that a reader understands. `last` is the position of the
    last value that could be read."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        fix = "open the file in an editor that knows YAML"
        what = f"this is not YAML: {error}"
        return Problem("config.syntax", what, fix, Mark(line=1, column=1))
    at = error.problem_mark.index
    began = at if error.context_mark is None else error.context_mark.index
    said = f"{error.problem or ''} {error.context or ''}".strip()
    return (
        _tab(said, lines, at)
        or _strange(lines, (at, began))
        or _template(lines, at)
        or _template(lines, began)
        or _template(lines, last)
        or _tag(said, lines, began)
        or _colon(said, lines, at)
        or _translated(said, lines, began, at)
    )


def _tab(said: str, lines: Lines, at: int) -> Problem | None:
    line = lines.around(at)
    indent = line[: len(line) - len(line.lstrip())]
    if "\t" not in indent and "tab character" not in said:
        return None
    mark = Mark(line=lines.at(at).line, column=indent.find("\t") + 1 or 1)
    what = "a tab stands in the indentation"
    return Problem("config.syntax", what, "indent with spaces", mark)


def _strange(lines: Lines, places: Sequence[int]) -> Problem | None:
    """Characters that look like YAML's own and are text to it."""
    for at in places:
        line = lines.around(at)
        start = at - lines.at(at).column + 1
        for found, what, fix in (
            (_BLANK.search(line), "a blank that YAML does not take for a space", "write spaces"),
            (_CURLY.search(line), "a curly quote, which quotes nothing,", "write straight quotes"),
        ):
            if found:
                mark = lines.at(start + found.start(1))
                what = f"{what} stands here: U+{ord(found[1]):04X}"
                return Problem("config.syntax", what, fix, mark)
    return None


def _template(lines: Lines, at: int) -> Problem | None:
    found = _BRACES.search(lines.around(at))
    if found is None or found.end() > lines.at(at).column + 1:
        return None
    return braces(Mark(line=lines.at(at).line, column=found.end() - 1))


def _tag(said: str, lines: Lines, began: int) -> Problem | None:
    written = re.match(r"!\S*", lines.text[began : began + 200])
    if written is None or "tag" not in said:
        return None
    return unknown_tag(written[0], lines.at(began))


def _colon(said: str, lines: Lines, at: int) -> Problem | None:
    if "mapping values are not allowed" not in said:
        return None
    mark = lines.at(at)
    if ":" in lines.around(at)[: mark.column - 1]:
        what, fix = "text that holds a ': ' is not in quotes", _QUOTE
    else:
        what = "this key does not fit what stands before it"
        fix = "align it with the keys it belongs to; close what the line before left open"
    return Problem("config.syntax", what, fix, mark)


def _translated(said: str, lines: Lines, began: int, at: int) -> Problem:
    what, fix = f"this is not YAML: {said}", "check the line and the one before"
    for part, words, remedy in _PLAIN_WORDS:
        if part in said:
            found = lines.text[at : at + 1]
            what = words.format(f"line {lines.at(began).line}", found)
            fix = remedy.format()
            break
    return Problem("config.syntax", what, fix, lines.at(at))
