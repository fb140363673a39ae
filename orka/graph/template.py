"""Templates: Jinja in a sandbox, compiled once per graph, rendered once, never re-scanned."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import minijinja

from orka.errors import TemplateError, nearest
from orka.value import Json, plain

FUEL = 5_000_000
CONTEXT = ("input", "previous_outputs", "outputs", "params", "run_id", "node_id")

# The engine's own functions that templates may call; `debug` would show every value.
_FUNCTIONS = ("dict", "namespace", "range")
# Templates read values; methods that would change one in place are refused when compiled.
_MUTATING = re.compile(
    r"\.\s*(append|clear|extend|insert|pop|popitem|remove|reverse|setdefault|sort|update)\s*\("
)
_ALONE = re.compile(r"\s*{{-?((?:(?!}}|{{).)*?)-?}}\s*", re.DOTALL)
_TAG = re.compile(r"{{(.*?)}}|{%(.*?)%}", re.DOTALL)
_SUBSCRIPT = re.compile(r"\b(?:previous_outputs|outputs)\s*\[\s*(['\"])(.+?)\1\s*\]")
# An id with a hyphen after a dot: templates and conditions both read it as a subtraction.
HYPHENATED = re.compile(r"\b(?:previous_outputs|outputs)\.([A-Za-z_]\w*(?:-\w+)+)")


class Templates:
    """One environment for all templates of a graph."""

    def __init__(self) -> None:
        self._env = minijinja.Environment(
            undefined_behavior="strict",
            finalizer=_finalize,
            keep_trailing_newline=True,
            auto_escape_callback=lambda name: False,
        )
        self._env.fuel = FUEL
        self._env.add_filter("tojson", _to_json)
        self._count = 0

    def compile(self, text: str, where: str) -> Template:
        """Raises `TemplateError` for syntax, unknown names and calls that would change a value."""
        self._count += 1
        name = f"t{self._count}"
        for tag in _TAG.finditer(text):
            if found := _MUTATING.search(tag.group(0)):
                raise TemplateError(
                    f"a template calls .{found.group(1)}(), which changes a value",
                    where=where,
                    fix="templates only read; build the value in an agent or a tool",
                )
        try:
            self._env.add_template(name, text)
            names = self._env.undeclared_variables_in_template(name, nested=True)
        except minijinja.TemplateError as error:
            raise _error(error, where) from None
        return Template(self._env, name, text, where, _references(text, names, where))


class Template:
    """A compiled template. `reads` are the ids of the nodes whose outputs it mentions."""

    __slots__ = ("_env", "_expression", "_name", "reads", "text", "where")

    def __init__(
        self,
        env: minijinja.Environment,
        name: str,
        text: str,
        where: str,
        reads: tuple[str, ...],
    ) -> None:
        self._env, self._name = env, name
        self.text, self.where, self.reads = text, where, reads
        alone = _ALONE.fullmatch(text)
        self._expression = alone.group(1) if alone else None

    def render(self, context: Mapping[str, Json]) -> str:
        """Raises `TemplateError` that names the expression, never the values."""
        try:
            return self._env.render_template(self._name, **context)
        except minijinja.TemplateError as error:
            raise _error(error, self.where) from None

    def value(self, context: Mapping[str, Json]) -> Json:
        """Like `render`, but a template that is one expression and nothing else keeps its type."""
        if self._expression is None:
            return self.render(context)
        try:
            found, _ = plain(self._env.eval_expr(self._expression, **context))
        except minijinja.TemplateError as error:
            raise _error(error, self.where) from None
        if found is None:
            self.render(context)  # a value that is missing, not null, raises here
        return found


def constant(text: str) -> bool:
    """True if `text` holds no template syntax at all."""
    return "{{" not in text and "{%" not in text and "{#" not in text


def _references(text: str, names: set[str], where: str) -> tuple[str, ...]:
    for match in HYPHENATED.finditer(text):
        raise TemplateError(
            f"{match.group(0)!r} is read as a subtraction",
            where=where,
            fix=f"write previous_outputs['{match.group(1)}']",
        )
    reads = [match.group(2) for match in _SUBSCRIPT.finditer(text)]
    for name in sorted(names):
        root, _, rest = name.partition(".")
        if root in _FUNCTIONS:
            continue
        if root not in CONTEXT:
            raise TemplateError(
                f"a template uses {root!r}, which is not defined",
                where=where,
                fix=nearest(root, CONTEXT),
            )
        if root in ("previous_outputs", "outputs") and rest:
            reads.append(rest.partition(".")[0])
    return tuple(dict.fromkeys(reads))


def _error(error: minijinja.TemplateError, where: str) -> TemplateError:
    line = f", line {error.line} of the template" if error.line else ""
    return TemplateError(
        f"{error.kind}: {error.detail or error.message}",
        where=f"{where}{line}",
        fix="use `| default(…)` for a value that may be missing"
        if error.kind == "UndefinedError"
        else "",
        code="template.undefined" if error.kind == "UndefinedError" else "",
    )


def _finalize(value: object) -> object:
    if isinstance(value, (Mapping, list, tuple)):
        return _to_json(value)
    return value


def _to_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_items)


def _items(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    return str(value)
