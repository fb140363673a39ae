"""`verify_output`: holds what is about to be said against its schema, its sources and rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.reference import OUTPUTS, referred, rooted
from orka.agent.sensor.schema import Problem, Schema
from orka.agent.view import text_of
from orka.errors import AgentError, OrkaError
from orka.kit.guards.verify.citations import Citations, Violation, violations_of
from orka.kit.guards.verify.language import Language, check_languages, language_of
from orka.kit.guards.verify.leaks import Find, finders, found_in
from orka.kit.guards.verify.options import Rules
from orka.value import Json, parse

_SHOWN = 5


class VerifyOutputOptions(Rules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`text` is a template, or `value` a path such as `outputs.draft`: what is verified. `schema`
    is a JSON Schema; `citations` say what may be cited. `body` is where the prose stands in it:
    length and language are of that. `on_violation`: the agent fails, or only reports."""

    text: str = ""
    value: str = ""
    schema: dict[str, Json] | None = None
    citations: Citations | None = None
    body: str = ""
    on_violation: Literal["fail", "report"] = "fail"


def _check(options: VerifyOutputOptions) -> str:
    if bool(options.text) == bool(options.value):
        return "write either `text`, a template, or `value`, a path such as `outputs.draft`"
    sources = options.citations.sources if options.citations else ()
    for path in (*([options.value] if options.value else []), *sources):
        if not rooted(path):
            return f"{path!r} is no path: it begins with `input` or `outputs`"
    try:
        Schema(options.schema or {})
        finders(options)
        check_languages(options.languages)
    except ValueError as error:
        return f"`schema` is none: {error}"
    except OrkaError as error:
        return f"{error.what}; {error.fix}"
    return ""


def _shape(options: VerifyOutputOptions) -> Shape:
    paths = [options.value, *(options.citations.sources if options.citations else ())]
    parts = [path.split(".") for path in paths]
    reads = [keys[1] for keys in parts if keys[0] in OUTPUTS and len(keys) > 1]
    return Shape(reads=tuple(dict.fromkeys(reads)))


@agent(
    "verify_output",
    config=VerifyOutputOptions,
    templates=("text",),
    shape=_shape,
    check=_check,
    version="1",
)
async def verify_output(ctx: Context) -> Json:
    """Give `valid`, the `violations` (code, where, message), the `output` that was verified, and
    its `language`. Raises `AgentError` (`verify.violation`) unless it only reports."""
    options: VerifyOutputOptions = ctx.config
    value = ctx.render("text") if options.text else referred(ctx, options.value)
    value, unread = _read(value, options)
    body = _body(value, options)
    language, other = Language(""), False
    if options.languages:
        language, other = language_of(body, options.languages)
    found = list(unread)
    if not unread:
        found += _of_schema(value, options)
        found += _of_citations(ctx, value, options)
    found += _of_texts(value, "", finders(options))
    found += _of_body(body, options, language if other else None)
    if found and options.on_violation == "fail":
        raise _failed(ctx.node, found)
    return {
        "valid": not found,
        "violations": [msgspec.to_builtins(each) for each in found],
        "output": value,
        "language": language.code or None,
    }


def _read(value: Json, options: VerifyOutputOptions) -> tuple[Json, list[Violation]]:
    """A text that has to be more than that is JSON."""
    wanted = options.schema and options.schema.get("type") != "string"
    if not isinstance(value, str) or not (wanted or options.citations):
        return value, []
    try:
        return parse(value), []
    except ValueError:
        return value, [Violation("schema", "$", "it is text, and no JSON")]


def _of_schema(value: Json, options: VerifyOutputOptions) -> Iterator[Violation]:
    for problem in Schema(options.schema).problems(value) if options.schema else ():
        yield Violation("schema", problem.where, _wanted(problem))


def _wanted(problem: Problem) -> str:
    """What the schema wants, without the value that was found."""
    if problem.rule == "required":
        return "it is required, and missing"
    if problem.types:
        return f"it should be of the type {' or '.join(problem.types)}"
    return f"it breaks the rule {problem.rule!r}"


def _of_citations(ctx: Context, value: Json, options: VerifyOutputOptions) -> Iterator[Violation]:
    if options.citations is None:
        return
    results: list[Json] = []
    for path in options.citations.sources:
        given = referred(ctx, path)
        results += given if isinstance(given, list) else [given]
    yield from violations_of(_field(value, options.citations.field), options.citations, results)


def _of_texts(value: Json, where: str, finders: list[Find]) -> Iterator[Violation]:
    """What must not get out, in any text of a value."""
    if isinstance(value, str):
        for each in found_in(value, finders):
            what = f"{each.kind} at {each.start} to {each.end}"
            yield Violation(each.kind.lower(), where or "$", what)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _of_texts(key, where, finders)
            yield from _of_texts(item, f"{where}.{key}" if where else key, finders)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _of_texts(item, f"{where}[{at}]", finders)


def _of_body(
    body: str, options: VerifyOutputOptions, other: Language | None
) -> Iterator[Violation]:
    where, size = options.body or "$", len(body)
    if size < options.min_length:
        yield Violation("length", where, f"{size} characters, fewer than {options.min_length}")
    if options.max_length and size > options.max_length:
        yield Violation("length", where, f"{size} characters, more than {options.max_length}")
    if other is not None:
        wanted = ", ".join(options.languages)
        yield Violation("language", where, f"it is written in {other.code!r}, not in {wanted}")


def _body(value: Json, options: VerifyOutputOptions) -> str:
    body = _field(value, options.body) if options.body else value
    if body is None:
        return ""
    return body if isinstance(body, str) else text_of(body)


def _field(value: Json, path: str) -> Json:
    """What stands at a dotted path in a value; None if there is nothing."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _failed(node: str, found: list[Violation]) -> AgentError:
    told = "; ".join(f"{each.where}: {each.message}" for each in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return AgentError(
        f"what {node!r} verified does not keep to its rules: {told}{more}",
        fix="let the agent write it again, or set `on_violation: report` and route by `valid`",
        code="verify.violation",
    )
