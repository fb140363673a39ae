"""`router`: reads the last output of an earlier node and says which route is taken."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from orka.agent.agent import Decision, Shape, agent
from orka.agent.context import Context
from orka.agent.guard import Guard
from orka.agent.view import MISSING, field, text_of
from orka.errors import AgentError, GuardError, nearest
from orka.value import Json

_YES = re.compile(r"\b(true|yes)\b", re.IGNORECASE)
_NO = re.compile(r"\b(false|no)\b", re.IGNORECASE)
_NAMES = ("value", "input", "previous_outputs", "outputs")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")
# A whole number as floats are written.
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
_BOOLEANS = {"true": True, "false": False}


class Route(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where it goes `next` (an agent, or several one after another) if `condition` holds."""

    condition: str
    next: list[str] | str


class RouterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`routing_key` is a field (or a path) of `decision_key`'s output; without it the output itself
    decides. `routing_map` leads from its text to the agents that run, one after another; `routes`
    are conditions over `value`, the first that holds is taken. `default` is what is taken when none
    fits: a key of the map, or the id of an agent. `unmatched: continue` lets the path go on
    instead; `match: words` also finds yes or no inside a sentence."""

    decision_key: str
    routing_key: str = ""
    routing_map: dict[str, list[str] | str] = {}
    routes: list[Route] = []
    default: str | None = None
    unmatched: Literal["fail", "continue"] = "fail"
    match: Literal["exact", "words"] = "exact"


def _cases(options: RouterOptions) -> dict[str, tuple[str, ...]]:
    """Case -> targets. The case of a condition is its first target, or its number if that is taken
    by another."""
    cases = {case: _targets(targets) for case, targets in options.routing_map.items()}
    for number, route in enumerate(options.routes):
        cases[_case(options, number)] = _targets(route.next)
    if options.default is not None and options.default not in cases:
        cases[options.default] = (options.default,)
    if options.unmatched == "continue":
        cases.setdefault("", ())
    return cases


def _case(options: RouterOptions, number: int) -> str:
    firsts = [(_targets(route.next) or ("",))[0] for route in options.routes]
    first = firsts[number]
    return first if firsts.count(first) == 1 and first else f"route {number + 1}"


def _targets(written: list[str] | str) -> tuple[str, ...]:
    return (written,) if isinstance(written, str) else tuple(written)


def _shape(options: RouterOptions) -> Shape:
    decision = Decision(
        source=options.decision_key,
        path=options.routing_key,
        cases=tuple(options.routing_map),
        conditions=tuple(route.condition for route in options.routes),
        fallback=options.default is not None or options.unmatched == "continue",
    )
    return Shape(routes=_cases(options), reads=(options.decision_key,), decision=decision)


def _check(options: RouterOptions) -> str:
    if bool(options.routing_map) == bool(options.routes):
        return "write either `routing_map` or `routes`, with at least one route"
    if options.default is not None and options.unmatched == "continue":
        return "`default` and `unmatched: continue` exclude each other"
    for route in options.routes:
        try:
            guard = Guard(route.condition)
        except GuardError as error:
            return f"{error.what}; {error.fix}"
        for root, *_ in guard.names:
            if root not in _NAMES:
                known = nearest(root, _NAMES)
                return f"condition {route.condition!r} uses {root!r}, which is not defined; {known}"
    return ""


@agent("router", config=RouterOptions, shape=_shape, check=_check, version="2")
async def router(ctx: Context) -> Json:
    """Choose a route."""
    options: RouterOptions = ctx.config
    value = _value(ctx, options)
    route = _matched(ctx, options, value)
    if route is None:
        route = options.default
    if route is None and options.unmatched == "continue":
        await ctx.note("unmatched", f"{_shown(value)} fits no route; the path goes on", value)
        route = ""
    if route is None:
        routes = options.routing_map or [route.condition for route in options.routes]
        raise AgentError(
            f"router {ctx.node!r} has no route for {_shown(value)}, output of "
            f"{options.decision_key!r}",
            code="router.no_route",
            fix=f"add it, or a `default`; routes: {', '.join(routes)}",
        )
    return {"route": route, "value": value}


def _value(ctx: Context, options: RouterOptions) -> Json:
    """What decides. Raises `AgentError` for an output or a field that is not there."""
    value: Json = ctx.outputs.get(options.decision_key, MISSING)
    if value is MISSING:
        if options.default is not None or options.unmatched == "continue":
            return None
        raise AgentError(
            f"router {ctx.node!r} reads {options.decision_key!r}, which gave no output",
            code="router.no_value",
            fix="it was skipped; add a `default` for that",
        )
    for key in options.routing_key.split(".") if options.routing_key else ():
        found = field(value, key)
        if found is MISSING:
            known = ", ".join(value) if isinstance(value, dict) else "none: it is no map"
            raise AgentError(
                f"router {ctx.node!r} reads {options.routing_key!r} of {options.decision_key!r}, "
                f"which has no field {key!r}",
                code="router.no_value",
                fix=f"fields: {known}; give {options.decision_key!r} an `output` contract",
            )
        value = found
    return value if options.routing_key else _deciding(value)


def _deciding(value: Json) -> Json:
    """What decides of a whole output: a choice, a response, a result."""
    while isinstance(value, dict):
        name = next((key for key in ("choice", "response", "result") if key in value), None)
        if name is None:
            return value
        value = value[name]
    return value


def _matched(ctx: Context, options: RouterOptions, value: Json) -> str | None:
    if options.routes:
        names = {"input": ctx.input, "outputs": ctx.outputs, "previous_outputs": ctx.outputs}
        for number, route in enumerate(options.routes):
            if Guard(route.condition)({**names, "value": _as_compared(value, route.condition)}):
                return _case(options, number)
        return None
    word = text_of(value).strip()
    if word in options.routing_map:
        return word
    fitting = [case for case in options.routing_map if _label(case) == _label(word)]
    if len({_targets(options.routing_map[case]) for case in fitting}) == 1:
        return fitting[0]
    if fitting or options.match == "exact":
        return None
    return _by_words(options, word)


def _label(text: str) -> str:
    """What two words must have in common to be the same label: 2.0 is 2, and Yes is yes."""
    word = text.strip().casefold()
    whole = _WHOLE.fullmatch(word)
    return whole.group(1) if whole else word


def _by_words(options: RouterOptions, word: str) -> str | None:
    """The route for yes or no, if the text says exactly one of them."""
    folded = {_label(case): case for case in options.routing_map}
    said = (bool(_YES.search(word)), bool(_NO.search(word)))
    wanted = {(True, False): _TRUE, (False, True): _FALSE}.get(said, ())
    return next((folded[case] for case in wanted if case in folded), None)


def _as_compared(value: Json, condition: str) -> Json:
    """The value as what it is compared with: a text that is a number, as models give it, is that
    number, "true" is true, and beside texts alone a number or a truth value is its text."""
    tree = ast.parse(condition.strip(), mode="eval").body
    if any(isinstance(node, ast.Call) for node in ast.walk(tree)):
        return value  # len(value) is about the text
    constants = list(_constants(tree))
    texts = [each for each in constants if isinstance(each, str)]
    others = [each for each in constants if not isinstance(each, str)]
    if isinstance(value, str):
        word = value.strip()
        if word in texts or (texts and not others):
            return word
        flags = any(isinstance(each, bool) for each in others)
        return (
            _BOOLEANS[word.casefold()] if flags and word.casefold() in _BOOLEANS else _number(word)
        )
    if isinstance(value, (bool, int, float)) and texts and not others:
        word = text_of(value)
        return next((each for each in texts if _label(each) == _label(word)), word)
    return value


def _constants(node: ast.AST) -> Iterator[Json]:
    """The literals of a condition, but those that name a field."""
    if isinstance(node, ast.Constant):
        yield node.value
    elif isinstance(node, ast.Name):
        yield from [_BOOLEANS[node.id]] if node.id in _BOOLEANS else []
    elif isinstance(node, ast.Subscript):
        yield from _constants(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _constants(child)


def _number(word: str) -> Json:
    try:
        return msgspec.json.decode(word, type=int | float)
    except msgspec.DecodeError:
        return word


def _shown(value: Json) -> str:
    return repr(text_of(value)[:200])
