"""`router`: reads the output of an earlier node and says which route is taken."""

from __future__ import annotations

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import AgentError, nearest
from orka.value import Json


class RouterOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`routing_map` leads from the text of `decision_key`'s output to the agents that run, one
    after another. `default` is the key taken when none fits."""

    decision_key: str
    routing_map: dict[str, list[str] | str]
    default: str | None = None


def _shape(options: RouterOptions) -> Shape:
    return Shape(
        routes={
            case: (targets,) if isinstance(targets, str) else tuple(targets)
            for case, targets in options.routing_map.items()
        },
        reads=(options.decision_key,),
    )


def _check(options: RouterOptions) -> str:
    if not options.routing_map:
        return "`routing_map` is empty"
    if options.default is not None and options.default not in options.routing_map:
        return f"`default` is {options.default!r}; {nearest(options.default, options.routing_map)}"
    return ""


@agent("router", config=RouterOptions, shape=_shape, check=_check, version="1")
async def router(ctx: Context) -> Json:
    """Choose a route."""
    options: RouterOptions = ctx.config
    value = ctx.outputs.get(options.decision_key)
    if isinstance(value, dict) and "choice" in value:
        value = value["choice"]
    word = str(value).lower() if isinstance(value, bool) else str(value).strip()
    folded = {case.casefold(): case for case in options.routing_map}
    route = word if word in options.routing_map else folded.get(word.casefold(), options.default)
    if route is None:
        raise AgentError(
            f"router {ctx.node!r} has no route for {word!r}, output of {options.decision_key!r}",
            code="router.no_route",
            fix=f"add it to routing_map, or a `default`; routes: {', '.join(options.routing_map)}",
        )
    return {"route": route, "value": value}
