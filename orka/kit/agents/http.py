"""`http`: one request to a server that the file allows."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.value import Json

# The tool behind it, which takes the list as an argument.
_TOOL = "http_listed"


class HttpOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`allow` lists the hosts, URL prefixes and networks that may be asked, redirects included.
    `secret_headers` are header -> environment variable."""

    url: str
    allow: list[str]
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] = "GET"
    headers: dict[str, str] | None = None
    secret_headers: dict[str, str] | None = None
    query: dict[str, Json] | None = None
    json: Json = None
    body: str | None = None
    max_bytes: int = 1_000_000


def _check(options: HttpOptions) -> str:
    if not options.allow:
        return "`allow` is empty: nothing could be asked"
    if options.json is not None and options.body is not None:
        return "`json` and `body` exclude each other"
    return "" if options.max_bytes >= 1 else "`max_bytes` must be 1 or more"


@agent(
    "http",
    config=HttpOptions,
    templates=("url", "headers", "query", "json", "body"),
    shape=lambda options: Shape(tools=(_TOOL,)),
    check=_check,
    version="1",
)
async def http(ctx: Context) -> Json:
    """Give `status`, `url`, `headers`, `body` and `json` of the answer. A status that is no
    success fails the node."""
    options: HttpOptions = ctx.config
    asked: dict[str, Json] = {
        "url": ctx.render("url"),
        "allow": options.allow,
        "method": options.method,
        "max_bytes": options.max_bytes,
    }
    if options.secret_headers:
        asked["secret_headers"] = options.secret_headers
    for name in ("headers", "query", "json", "body"):
        if (value := ctx.render(name)) is not None:
            asked[name] = value
    return await ctx.tool(_TOOL, **asked)
