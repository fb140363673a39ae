"""The search tools and agent: against a server on this machine, and a stand-in for the client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from ddgs import exceptions
from webserver import Answer, Asked, served

import orka
from orka.errors import ToolError
from orka.event.event import Noted
from orka.kit.tools.websearch import Result, Search, found, web_search, web_search_at
from orka.value import Json

SEARCH = Search("owls", 2, "us-en", "moderate", None, 1.0)
FAULTS: Any = SimpleNamespace(
    DDGSException=type("DDGSException", (Exception,), {}),
)
FAULTS.TimeoutException = type("TimeoutException", (FAULTS.DDGSException,), {})
FAULTS.RatelimitException = type("RatelimitException", (FAULTS.DDGSException,), {})


def searx(asked: Asked) -> Answer:
    """Finds three things about whatever is asked."""
    query = parse_qs(urlsplit(asked.path).query)
    hits = [
        {"title": f"{query['q'][0]} {n}", "url": f"https://x.example/{n}", "content": "so"}
        for n in range(3)
    ]
    return Answer(body=json.dumps({"query": query, "results": hits}).encode())


def call(tool: Any, **args: Json) -> Any:  # Any: what a tool answers
    return asyncio.run(tool.call(args, "k"))


def flow(more: str = "") -> str:
    return (
        "orchestrator: {id: t, agents: [a]}\n"
        f"agents:\n  - {{id: a, type: websearch, prompt: 'owls of {{{{ input }}}}'{more}}}\n"
    )


def test_results_have_title_url_and_snippet() -> None:
    with served(searx) as server:
        got = call(web_search_at, query="owls", endpoint=server.url("/search"), max_results=2)
    assert got[0] == Result("owls 0", "https://x.example/0", "so") and len(got) == 2


def test_the_server_is_told_what_is_asked() -> None:
    with served(searx) as server:
        more: dict[str, Json] = {"region": "de-de", "safesearch": "on", "timelimit": "w"}
        call(web_search_at, query=" owls ", endpoint=server.url("/search"), **more)
    query = {
        key: value[0] for key, value in parse_qs(server.asked[0].path.partition("?")[2]).items()
    }
    assert query == {
        "q": "owls",
        "format": "json",
        "language": "de-DE",
        "safesearch": "2",
        "time_range": "week",
    }


def test_the_environment_names_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(searx) as server:
        monkeypatch.setenv("ORKA_SEARCH_URL", server.url("/search"))
        assert len(call(web_search, query="owls", max_results=3)) == 3


@pytest.mark.parametrize(
    ("answer", "code", "retryable"),
    [
        (Answer(429, headers={"retry-after": "3"}), "tool.rate_limited", True),
        (Answer(503), "tool.server", True),
        (Answer(403), "tool.refused", False),
        (Answer(302, headers={"location": "http://127.0.0.1:1/"}), "tool.refused", False),
        (Answer(body=b"<html>"), "tool.refused", False),
        (Answer(body=b'{"results": [{"title": "no url"}]}'), "tool.refused", False),
        (Answer(body=b"[]"), "tool.refused", False),
    ],
)
def test_a_server_that_gives_no_results_fails(answer: Answer, code: str, retryable: bool) -> None:
    with served(lambda asked: answer) as server, pytest.raises(ToolError) as caught:
        call(web_search_at, query="owls", endpoint=server.url())
    assert (caught.value.code, caught.value.retryable) == (code, retryable)
    assert caught.value.retry_after == (3 if "retry-after" in answer.headers else None)


@pytest.mark.parametrize(("endpoint", "code"), [("http://127.0.0.1:1/", "tool.unreachable"),
                                                ("nowhere", "tool.arguments"),
                                                ("http://", "tool.arguments")])  # fmt: skip
def test_an_endpoint_nobody_is_at(endpoint: str, code: str) -> None:
    with pytest.raises(ToolError) as caught:
        call(web_search_at, query="owls", endpoint=endpoint)
    assert caught.value.code == code


def test_an_empty_query_is_an_error() -> None:
    with pytest.raises(ToolError) as caught:
        call(web_search_at, query=" \n", endpoint="http://127.0.0.1:1/")
    assert caught.value.code == "tool.arguments"


class Client:
    """A search client that does as it is told."""

    def __init__(self, answer: Callable[[], Json]) -> None:
        self.answer = answer
        self.asked: list[tuple[str, Mapping[str, object]]] = []

    def text(self, query: str, **search: object) -> Json:
        self.asked.append((query, search))
        return self.answer()


def raising(error: Exception) -> Callable[[], Json]:
    def answer() -> Json:
        raise error

    return answer


def test_what_the_client_finds_is_typed() -> None:
    client = Client(lambda: [{"title": "Owl", "href": "https://o.example", "body": None}])
    assert found(client, FAULTS, SEARCH, "auto") == [Result("Owl", "https://o.example", "")]
    query, search = client.asked[0]
    assert query == "owls" and search["max_results"] == 2 and search["backend"] == "auto"


def test_finding_nothing_is_no_failure_and_failing_is_no_result() -> None:
    nothing = Client(raising(FAULTS.DDGSException("No results found.")))
    assert found(nothing, FAULTS, SEARCH, "auto") == []
    for error, code in [
        (FAULTS.DDGSException("ConnectError: no route"), "tool.server"),
        (FAULTS.TimeoutException("timed out"), "tool.timeout"),
        (FAULTS.RatelimitException("202"), "tool.rate_limited"),
    ]:
        with pytest.raises(ToolError) as caught:
            found(Client(raising(error)), FAULTS, SEARCH, "auto")
        assert (caught.value.code, caught.value.retryable) == (code, True)


def test_the_clients_words_are_the_ones_we_know() -> None:
    """The stand-in above is true to the client that is installed."""
    assert issubclass(exceptions.TimeoutException, exceptions.DDGSException)
    assert issubclass(exceptions.RatelimitException, exceptions.DDGSException)
    source = Path(exceptions.__file__).with_name("ddgs.py").read_text()
    assert "No results found." in source
    for word in ("region", "safesearch", "timelimit", "max_results", "backend"):
        assert word in source


def test_the_agent_gives_a_list_of_maps() -> None:
    with served(searx) as server:
        done = orka.run_sync(
            flow(f", endpoint: '{server.url('/search')}', max_results: 1"), "Rome", store=":memory:"
        )
    hit = {"title": "owls of Rome 0", "url": "https://x.example/0", "snippet": "so"}
    assert done.output == [hit]


def test_each_result_may_be_one_text() -> None:
    with served(searx) as server:
        more = f", endpoint: '{server.url('/search')}', max_results: 1, results: texts"
        done = orka.run_sync(flow(more), "Rome", store=":memory:")
    assert done.output == ["owls of Rome 0: so (https://x.example/0)"]


def test_the_agent_fails_or_goes_on_empty_and_says_so() -> None:
    with served(lambda asked: Answer(403)) as server:
        endpoint = f", endpoint: '{server.url()}'"
        failed = orka.run_sync(flow(endpoint), "Rome", store=":memory:")
        empty = orka.run_sync(flow(endpoint + ", on_failure: empty"), "Rome", store=":memory:")
    assert failed.failure and failed.failure.code == "tool.refused"
    assert empty.status == "completed" and empty.output == []
    (remark,) = empty.nodes[0].remarks
    assert isinstance(remark, Noted) and remark.kind == "search_failed"
    assert "403" in remark.message


def test_the_agent_asks_nothing_for_an_empty_query() -> None:
    text = flow(", on_failure: empty").replace("owls of {{ input }}", "{{ input }}")
    failed = orka.run_sync(text, "  ", store=":memory:")
    assert failed.failure and failed.failure.code == "websearch.empty_query"
