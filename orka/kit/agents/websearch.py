"""`websearch`: looks something up on the web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.view import text_of
from orka.errors import AgentError, EffectFailed
from orka.value import Json

# The tools behind it: one that knows where to look, and one that asks an endpoint it is given.
_WEB, _AT = "web_search", "web_search_at"


class WebsearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`prompt` is the query, by default the run's input. `endpoint` is a SearXNG or compatible
    server to ask instead. With `on_failure: empty` a failed search gives no results; with
    `results: texts` each result is one text."""

    prompt: str = "{{ input }}"
    max_results: int = 5
    region: str = "us-en"
    safesearch: Literal["on", "moderate", "off"] = "moderate"
    timelimit: Literal["d", "w", "m", "y"] | None = None
    backend: str = "auto"
    endpoint: str = ""
    on_failure: Literal["fail", "empty"] = "fail"
    results: Literal["maps", "texts"] = "maps"


@agent(
    "websearch",
    config=WebsearchOptions,
    templates=("prompt",),
    shape=lambda options: Shape(tools=(_AT if options.endpoint else _WEB,)),
    check=lambda options: "" if options.max_results >= 1 else "`max_results` must be 1 or more",
    version="1",
)
async def websearch(ctx: Context) -> Json:
    """Give a list of results: `title`, `url` and `snippet` of each, or its text. Fails with
    `websearch.empty_query`, or as the search does."""
    options: WebsearchOptions = ctx.config
    query = text_of(ctx.render("prompt")).strip()
    if not query:
        raise AgentError(
            f"the query of {ctx.node!r} is empty",
            code="websearch.empty_query",
            fix="see what its `prompt` is made of",
        )
    try:
        found = await ctx.tool(_AT if options.endpoint else _WEB, query=query, **_told(options))
    except EffectFailed as error:
        if options.on_failure == "fail":
            raise
        await ctx.note("search_failed", error.what, {"code": error.code, "query": query})
        return []
    return [_text(each) for each in found] if options.results == "texts" else found


def _text(result: Mapping[str, Json]) -> str:
    """A result as one text: what it is called, what it says, and where."""
    said = ": ".join(str(result[key]) for key in ("title", "snippet") if result.get(key))
    return f"{said} ({result['url']})" if result.get("url") else said


def _told(options: WebsearchOptions) -> dict[str, Json]:
    told: dict[str, Json] = {
        "max_results": options.max_results,
        "region": options.region,
        "safesearch": options.safesearch,
    }
    if options.timelimit:
        told["timelimit"] = options.timelimit
    return told | (
        {"endpoint": options.endpoint} if options.endpoint else {"backend": options.backend}
    )
