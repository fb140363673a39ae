"""`web_search`: looks something up, through the search client or a SearXNG server."""

from __future__ import annotations

import asyncio
import importlib
import os
from typing import Any, Literal

import msgspec

from orka.agent.tool import tool
from orka.errors import ToolError
from orka.port.retry import retry_after
from orka.value import parse

ENDPOINT = "ORKA_SEARCH_URL"
# How the client says that it found nothing: with the exception it also fails with.
_NOTHING = "No results found."
_LEVELS = {"off": 0, "moderate": 1, "on": 2}
_SPANS = {"d": "day", "w": "week", "m": "month", "y": "year"}
_AGAIN = (408, 425, 429)

Safe = Literal["on", "moderate", "off"]
Span = Literal["d", "w", "m", "y"]


class Result(msgspec.Struct, frozen=True):
    """One thing that was found."""

    title: str
    url: str
    snippet: str


class Search(msgspec.Struct, frozen=True):
    """What is looked for, and how long."""

    query: str
    max_results: int
    region: str
    safesearch: Safe
    timelimit: Span | None
    timeout: float


@tool(name="web_search")
async def web_search(
    query: str,
    max_results: int = 5,
    region: str = "us-en",
    safesearch: Safe = "moderate",
    timelimit: Span | None = None,
    backend: str = "auto",
    timeout: float = 10.0,
) -> list[Result]:
    """Look something up on the web: title, url and snippet of what was found."""
    search = Search(_query(query), max_results, region, safesearch, timelimit, timeout)
    if endpoint := os.environ.get(ENDPOINT, ""):
        return await _ask(endpoint, search)
    client = _library("ddgs").DDGS(timeout=max(1, round(timeout)))
    return await asyncio.to_thread(found, client, _library("ddgs.exceptions"), search, backend)


@tool(name="web_search_at")
async def web_search_at(
    query: str,
    endpoint: str,
    max_results: int = 5,
    region: str = "us-en",
    safesearch: Safe = "moderate",
    timelimit: Span | None = None,
    timeout: float = 10.0,
) -> list[Result]:
    """Ask a SearXNG or compatible server. Not for models: who calls it decides where to ask."""
    return await _ask(
        endpoint, Search(_query(query), max_results, region, safesearch, timelimit, timeout)
    )


def found(client: Any, faults: Any, search: Search, backend: str) -> list[Result]:
    """What the client finds. Raises `ToolError` for its `faults`; finding nothing is none."""
    try:
        hits = client.text(
            search.query,
            region=search.region,
            safesearch=search.safesearch,
            timelimit=search.timelimit,
            max_results=search.max_results,
            backend=backend,
        )
    except faults.TimeoutException as error:
        raise _failed(f"no search engine answered in time: {error}", "tool.timeout") from None
    except faults.RatelimitException as error:
        raise _failed(f"the search engines ask us to wait: {error}", "tool.rate_limited") from None
    except faults.DDGSException as error:
        if str(error) == _NOTHING:
            return []
        raise _failed(f"the search failed: {error}", "tool.server") from None
    return [Result(*(str(hit.get(key) or "") for key in ("title", "href", "body"))) for hit in hits]


async def _ask(endpoint: str, search: Search) -> list[Result]:
    """What a server with SearXNG's JSON form finds."""
    asked = {"q": search.query, "format": "json", "language": _language(search.region)}
    asked["safesearch"] = str(_LEVELS[search.safesearch])
    if search.timelimit:
        asked["time_range"] = _SPANS[search.timelimit]
    library = _library("httpx2")
    _check(library, endpoint)
    try:
        async with library.AsyncClient(timeout=search.timeout) as client:
            got = await client.get(endpoint, params=asked)
    except library.TimeoutException:
        raise _failed(
            f"the search server did not answer within {search.timeout:g} s", "tool.timeout"
        ) from None
    except library.HTTPError as error:
        told = f"the search server cannot be reached: {type(error).__name__}: {error}"
        raise _failed(told, "tool.unreachable") from None
    _accepted(got)
    return _results(got.content)[: search.max_results]


def _check(library: Any, endpoint: str) -> None:
    try:
        url = library.URL(endpoint)
        if url.scheme in ("http", "https") and url.raw_host:
            return
        why = "it needs http:// or https:// and a host"
    except library.InvalidURL as error:
        why = str(error)
    told = f"the search server's address {endpoint.partition('?')[0]!r} is no URL: {why}"
    raise _failed(
        told, "tool.arguments", retryable=False, fix="such as http://localhost:8888/search"
    )


def _accepted(got: Any) -> None:
    status: int = got.status_code
    if 200 <= status < 300:
        return
    again = status >= 500 or status in _AGAIN
    code = "tool.rate_limited" if status == 429 else "tool.server" if again else "tool.refused"
    raise _failed(
        f"the search server answered with status {status}",
        code,
        retryable=again,
        retry_after=retry_after(got.headers),
    )


class _Hit(msgspec.Struct):
    url: str
    title: str = ""
    content: str | None = None


class _Page(msgspec.Struct):
    results: list[_Hit]


def _results(content: bytes) -> list[Result]:
    try:
        page = msgspec.convert(parse(content), _Page)
    except (ValueError, msgspec.ValidationError) as error:
        raise _failed(
            f"the search server answered what is no list of results: {error}",
            "tool.refused",
            retryable=False,
            fix="let it answer `format=json`: SearXNG has it in `search.formats`",
        ) from None
    return [Result(hit.title, hit.url, hit.content or "") for hit in page.results]


def _query(query: str) -> str:
    if query.strip():
        return query.strip()
    raise _failed("the query is empty", "tool.arguments", retryable=False, fix="ask for something")


def _language(region: str) -> str:
    """`us-en` as a language: en-US. A region that is no such pair is passed on as it is."""
    land, dash, tongue = region.partition("-")
    return f"{tongue}-{land.upper()}" if dash and land != "wt" else "all" if dash else region


def _failed(
    what: str,
    code: str,
    *,
    retryable: bool = True,
    retry_after: float | None = None,
    fix: str = "try again later; `retries` does so",
) -> ToolError:
    return ToolError(what, fix=fix, code=code, retryable=retryable, retry_after=retry_after)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ToolError(
            f"the search client cannot be imported: {error}",
            fix="run `pip install 'orka[search]'`",
            code="tool.not_installed",
            retryable=False,
        ) from error
