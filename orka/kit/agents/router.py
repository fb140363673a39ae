"""`router`: reads the last output of an earlier node and says which route is taken."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from orka.agent.agent import Decision, Shape, agent
from orka.agent.compared import as_compared, label
from orka.agent.context import Context
from orka.agent.guard import Guard
from orka.agent.view import MISSING, field, text_of
from orka.errors import AgentError, GuardError, nearest
from orka.value import Json

_YES = re.compile(r"\b(true|yes)\b", re.IGNORECASE)
_NO = re.compile(r"\b(false|no)\b", re.IGNORECASE)
_NAMES = ("value", "input", "previous_outputs", "outputs")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


class Route(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where it goes `next` (an agent, or several one after another) if `condition` holds."""

    condition: str
    next: list[str] | str


class RouterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`routing_key` is a field (or a path) of `decision_key`'s output; without it the output itself
    decides. `routing_map` leads from its text to the agents that run, one after another; `routes`
    are conditions over `value`, the first that holds is taken. `default` is what is taken when none
    fits, or nothing is there to decide by: a key of the map, an agent, or agents that run one after
    another; a key `default` of the map says the same. `unmatched: continue` lets the path go on
    instead; `match: words` also finds yes or no inside a sentence."""

    decision_key: str
    routing_key: str = ""
    routing_map: dict[str, list[str] | str] = {}
    routes: list[Route] = []
    default: list[str] | str | None = None
    unmatched: Literal["fail", "continue"] = "fail"
    match: Literal["exact", "words"] = "exact"


def _cases(options: RouterOptions) -> dict[str, tuple[str, ...]]:
    """Case -> targets. The case of a condition is its first target, or its number if that is taken
    by another."""
    cases = {case: _targets(targets) for case, targets in options.routing_map.items()}
    for number, route in enumerate(options.routes):
        cases[_case(options, number)] = _targets(route.next)
    if options.default is not None:
        cases.setdefault(_default(options), _targets(options.default))
    if options.unmatched == "continue":
        cases.setdefault("", ())
    return cases


def _default(options: RouterOptions) -> str:
    """The case that is taken when none fits; empty if there is none."""
    if isinstance(options.default, list):
        return "default" if "default" not in options.routing_map else "(default)"
    if options.default is None:
        named = "default" in options.routing_map and options.unmatched == "fail"
        return "default" if named else ""
    return options.default


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
        cases=tuple(case for case in options.routing_map if case != _default(options)),
        conditions=tuple(route.condition for route in options.routes),
        fallback=bool(_default(options)) or options.unmatched == "continue",
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
    value, lack = _value(ctx, options)
    tolerant = bool(_default(options)) or options.unmatched == "continue"
    if lack and not tolerant:
        raise lack
    route = None if lack else _matched(ctx, options, value)
    why = lack.what if lack else f"{_shown(value)} fits no route"
    if route is None and _default(options):
        route = _default(options)
        await ctx.note("default", f"{why}; the default {route!r} is taken", value)
    elif route is None and tolerant:
        route = ""
        await ctx.note("unmatched", f"{why}; the path goes on", value)
    if route is None:
        routes = options.routing_map or [route.condition for route in options.routes]
        raise AgentError(
            f"router {ctx.node!r} has no route for {_shown(value)}, output of "
            f"{options.decision_key!r}",
            code="router.no_route",
            fix=f"add it, or a `default`; routes: {', '.join(routes)}",
        )
    return {"route": route, "value": value}


def _value(ctx: Context, options: RouterOptions) -> tuple[Json, AgentError | None]:
    """What decides; or what is wrong with it: an output or a field that is not there."""
    value: Json = ctx.outputs.get(options.decision_key, MISSING)
    if value is MISSING:
        return None, AgentError(
            f"router {ctx.node!r} reads {options.decision_key!r}, which gave no output",
            code="router.no_value",
            fix="it was skipped; add a `default` for that",
        )
    for key in options.routing_key.split(".") if options.routing_key else ():
        found = field(value, key)
        if found is MISSING:
            known = ", ".join(value) if isinstance(value, dict) else "none: it is no map"
            return None, AgentError(
                f"router {ctx.node!r} reads {options.routing_key!r} of {options.decision_key!r}, "
                f"which has no field {key!r}",
                code="router.no_value",
                fix=f"fields: {known}; give {options.decision_key!r} an `output` contract",
            )
        value = found
    return (value if options.routing_key else _deciding(value)), None


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
            if Guard(route.condition)({**names, "value": as_compared(value, route.condition)}):
                return _case(options, number)
        return None
    word = text_of(value).strip()
    if word in options.routing_map:
        return word
    fitting = [case for case in options.routing_map if label(case) == label(word)]
    if len({_targets(options.routing_map[case]) for case in fitting}) == 1:
        return fitting[0]
    if fitting or options.match == "exact":
        return None
    return _by_words(options, word)


def _by_words(options: RouterOptions, word: str) -> str | None:
    """The route for yes or no, if the text says exactly one of them."""
    folded = {label(case): case for case in options.routing_map}
    said = (bool(_YES.search(word)), bool(_NO.search(word)))
    wanted = {(True, False): _TRUE, (False, True): _FALSE}.get(said, ())
    return next((folded[case] for case in wanted if case in folded), None)


def _shown(value: Json) -> str:
    return repr(text_of(value)[:200])
