"""The `http` tools and agent against a real server on this machine."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
import socket
from collections.abc import Mapping
from email.utils import formatdate
from pathlib import Path
from typing import Any

import httpx2
import pytest
from certificate import signed
from hypothesis import given
from hypothesis import strategies as st
from webserver import Answer, Asked, Server, served

import orka
from orka.errors import ToolError
from orka.kit.tools.http import http, http_listed
from orka.kit.tools.http.allow import allowed
from orka.kit.tools.http.fetch import Request, fetch
from orka.value import Json


def echo(asked: Asked) -> Answer:
    """Says what it was asked, and where to go on when the path says so."""
    if asked.path.startswith("/to/"):
        return Answer(302, headers={"location": asked.path.removeprefix("/to/")})
    if asked.path.startswith("/keep/"):
        return Answer(307, headers={"location": asked.path.removeprefix("/keep/")})
    if asked.path.startswith("/status/"):
        _, _, status, *rest = asked.path.split("/")
        return Answer(int(status), b"so it is", {"retry-after": rest[0]} if rest else {})
    if asked.path == "/large":
        return Answer(body=b"x" * 2000)
    if asked.path == "/bytes":
        return Answer(body=b"\xff\x00", headers={"set-cookie": "a=secret"})
    told = {"method": asked.method, "path": asked.path, "body": asked.body.decode()}
    return Answer(body=json.dumps(told).encode(), headers={"content-type": "application/json"})


def ask(server: Server, path: str, *allow: str, **more: Any) -> Any:  # Any: what a tool answers
    listed = list(allow) or [server.place]
    called: Any = http_listed.call({"url": server.url(path), "allow": listed, **more}, "k")
    return asyncio.run(called)


def refusal(server: Server, path: str, *allow: str, **more: Any) -> ToolError:
    with pytest.raises(ToolError) as caught:
        ask(server, path, *allow, **more)
    return caught.value


def test_the_answer_has_status_headers_body_and_json() -> None:
    with served(echo) as server:
        got = ask(server, "/a?b=1", query={"c": "ü", "d": None}, method="GET")
    assert got["status"] == 200 and got["headers"]["content-type"] == "application/json"
    assert got["json"]["path"] == "/a?b=1&c=%C3%BC" and json.loads(got["body"]) == got["json"]
    assert server.asked[0].headers["host"] == server.place


def test_json_and_body_are_sent() -> None:
    with served(echo) as server:
        assert ask(server, "/", method="POST", json={"a": 1})["json"]["body"] == '{"a":1}'
        assert ask(server, "/", method="PUT", body="text")["json"]["body"] == "text"
        assert server.asked[0].headers["content-type"] == "application/json"
        assert refusal(server, "/", json=1, body="x").code == "tool.arguments"


def test_bytes_come_as_base64_and_cookies_stay_out_of_the_trace() -> None:
    with served(echo) as server:
        got = ask(server, "/bytes")
    assert base64.b64decode(got["body"]) == b"\xff\x00" and got["base64"] is True
    assert "secret" not in json.dumps(got)


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (400, "tool.refused", False),
        (401, "tool.refused", False),
        (404, "tool.refused", False),
        (304, "tool.refused", False),
        (408, "tool.server", True),
        (429, "tool.rate_limited", True),
        (500, "tool.server", True),
        (503, "tool.server", True),
    ],
)
def test_a_status_that_is_no_success_is_an_error(status: int, code: str, retryable: bool) -> None:
    with served(echo) as server:
        error = refusal(server, f"/status/{status}")
    assert (error.code, error.retryable) == (code, retryable)
    assert str(status) in error.what


def test_retry_after_is_kept_as_seconds_or_date() -> None:
    with served(echo) as server:
        assert refusal(server, "/status/429/7").retry_after == 7
        assert refusal(server, "/status/400/7").retry_after is None
    later = {"retry-after": formatdate(4102444800, usegmt=True)}
    with served(lambda asked: Answer(503, headers=later)) as server:
        wait = refusal(server, "/").retry_after
    assert wait is not None and wait > 1_000_000


def test_an_answer_that_is_too_large_is_not_read_to_its_end() -> None:
    with served(echo) as server:
        assert refusal(server, "/large", max_bytes=1000).code == "tool.too_large"
        assert len(ask(server, "/large", max_bytes=2000)["body"]) == 2000


def test_a_server_that_does_not_answer_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        error = refusal(Server(port, []), "/", timeout=0.1)
    assert (error.code, error.retryable) == ("tool.timeout", True)


def test_nobody_at_the_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    error = refusal(Server(port, []), "/")
    assert (error.code, error.retryable) == ("tool.unreachable", True)


def test_what_is_not_listed_is_never_asked() -> None:
    with served(echo) as server:
        other = [f"127.0.0.1:{server.port + 1}", "example.com", f"https://127.0.0.1:{server.port}/"]
        for listed in other:
            assert refusal(server, "/", listed).code == "tool.not_allowed"
        assert server.asked == []


def test_a_prefix_allows_what_is_below_it_and_nothing_beside_it() -> None:
    with served(echo) as server:
        prefix = server.url("/v1")
        assert ask(server, "/v1/items", prefix)["status"] == 200
        assert ask(server, "/v1?x=1", prefix)["status"] == 200
        for path in ("/", "/v2", "/v1x", "/v1/../v2", "/v1/%2e%2e/v2", "/v1/%2E./v2"):
            assert refusal(server, path, prefix).code == "tool.not_allowed"


def test_a_redirect_is_followed_only_to_what_is_listed() -> None:
    with served(echo) as other, served(echo) as server:
        target = other.url("/end")
        assert refusal(server, f"/to/{target}").code == "tool.not_allowed"
        assert other.asked == []
        got = ask(server, f"/to/{target}", server.place, other.place)
        assert got["url"] == target and got["json"]["path"] == "/end"
        assert ask(server, "/to//near")["json"]["path"] == "/near"
        assert refusal(server, "/to/file:///etc/passwd").code == "tool.arguments"


def test_redirects_keep_or_drop_the_body_as_their_status_says() -> None:
    with served(echo) as server:
        got = ask(server, "/to//end", method="POST", json=1)["json"]
        assert (got["method"], got["body"]) == ("GET", "")
        got = ask(server, "/keep//end", method="POST", json=1)["json"]
        assert (got["method"], got["body"]) == ("POST", "1")
        assert "content-type" not in server.asked[1].headers


def test_redirects_end() -> None:
    with served(lambda asked: Answer(302, headers={"location": "/again"})) as server:
        assert refusal(server, "/").code == "tool.refused"
        assert len(server.asked) == 6


def test_secret_headers_come_from_the_environment_and_go_to_one_server_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ORKA_TEST_TOKEN", "Bearer xyz")
    secret = {"secret_headers": {"X-Key": "ORKA_TEST_TOKEN", "Authorization": "ORKA_TEST_TOKEN"}}
    with served(echo) as other, served(echo) as server:
        ask(server, f"/to/{other.url('/')}", server.place, other.place, **secret)
        assert server.asked[0].headers["x-key"] == "Bearer xyz"
        assert not {"x-key", "authorization"} & set(other.asked[0].headers)
        monkeypatch.delenv("ORKA_TEST_TOKEN")
        error = refusal(server, "/", **secret)
    assert error.code == "tool.arguments" and "ORKA_TEST_TOKEN" in error.what


@pytest.mark.parametrize("headers", [{"Host": "x"}, {"a": "b\r\nc: d"}, {"Content-Length": "3"}])
def test_headers_of_the_connection_cannot_be_set(headers: Mapping[str, str]) -> None:
    with served(echo) as server:
        assert refusal(server, "/", headers=headers).code == "tool.arguments"
        assert server.asked == []


@pytest.mark.parametrize("url", ["", "x", "/a", "ftp://127.0.0.1/", "http://", "http://u:p@h/"])
def test_what_is_no_url_is_told(url: str) -> None:
    called: Any = http_listed.call({"url": url, "allow": ["127.0.0.1", "h"]}, "k")
    with pytest.raises(ToolError) as caught:
        asyncio.run(called)
    assert caught.value.code == "tool.arguments"


def test_a_listed_name_that_stands_for_a_private_address_needs_the_address_too() -> None:
    """`localhost.` is a name like any other that is looked up to a private address."""
    with served(echo) as server:
        name = socket.gethostname()
        try:
            private = socket.gethostbyname(name)
        except OSError:
            pytest.skip("this machine does not know its own name")
        if not private.startswith("127."):
            pytest.skip(f"this machine's name stands for {private}")
        place = f"{name}:{server.port}"
        asked: dict[str, Json] = {"url": server.url("/", name), "allow": [place]}
        called: Any = http_listed.call(asked, "k")
        with pytest.raises(ToolError) as caught:
            asyncio.run(called)
        assert caught.value.code == "tool.not_allowed" and "public" in caught.value.what
        called = http_listed.call({**asked, "allow": [place, "127.0.0.0/8"]}, "k")
        assert asyncio.run(called)["status"] == 200


def test_addresses_that_are_not_public_are_known_in_every_disguise() -> None:
    nothing = allowed([], httpx2.URL)
    private = [
        "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0",
        "100.64.0.1", "::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::",
    ]  # fmt: skip
    for text in private:
        assert not nothing.reachable(ipaddress.ip_address(text)), text
    for text in ("8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"):
        assert nothing.reachable(ipaddress.ip_address(text)), text
    assert allowed(["10.0.0.0/8"], httpx2.URL).reachable(ipaddress.ip_address("::ffff:10.0.0.1"))


@pytest.mark.parametrize(
    ("line", "fits", "not_"),
    [
        ("api.example.com", "https://API.example.com./x", "https://example.com/"),
        ("api.example.com", "http://api.example.com/", "http://api.example.com:8080/"),
        ("api.example.com:8443", "https://api.example.com:8443/", "https://api.example.com/"),
        ("api.example.com:80", "http://api.example.com/", "https://api.example.com/"),
        ("*.example.com", "https://a.b.example.com/", "https://example.com/"),
        ("*.example.com", "https://a.example.com/", "https://badexample.com/"),
        ("https://h.example/v1/", "https://h.example/v1/a", "https://h.example/v1"),
        ("https://h.example", "https://h.example/any", "http://h.example/any"),
        ("10.0.0.0/8", "http://10.9.8.7/", "http://11.0.0.1/"),
        ("::1", "http://[::1]/", "http://[::2]/"),
        ("[::1]:8080", "http://[::1]:8080/", "http://[::1]/"),
        ("münchen.example", "https://xn--mnchen-3ya.example/", "https://munchen.example/"),
    ],
)
def test_a_line_of_the_list_fits_what_it_says(line: str, fits: str, not_: str) -> None:
    listed = allowed([line], httpx2.URL)
    listed.check(httpx2.URL(fits))
    with pytest.raises(ToolError) as caught:
        listed.check(httpx2.URL(not_))
    assert caught.value.code == "tool.not_allowed"


@pytest.mark.parametrize("line", ["", "a/b", "ftp://x/", "https://", "https://a/?q=1", "u@h", "*"])
def test_a_line_that_is_none_is_refused(line: str) -> None:
    if line == "*":
        with pytest.raises(ToolError):
            allowed([line], httpx2.URL).check(httpx2.URL("https://a.example/"))
        return
    with pytest.raises(ToolError) as caught:
        allowed([line], httpx2.URL)
    assert caught.value.code == "tool.arguments"


@given(st.from_regex(r"[a-z0-9.-]{1,12}(:[0-9]{1,4})?", fullmatch=True), st.text(max_size=8))
def test_a_host_that_is_not_listed_is_never_let_through(host: str, tail: str) -> None:
    listed = allowed(["api.example.com", "https://h.example/v1"], httpx2.URL)
    try:
        url = httpx2.URL(f"https://{host}/{tail}")
    except (httpx2.InvalidURL, ValueError):
        return
    if url.host.rstrip(".") in ("api.example.com", "h.example"):
        return
    with pytest.raises(ToolError):
        listed.check(url)


def test_a_certificate_is_checked_for_the_name_though_the_address_is_asked(tmp_path: Path) -> None:
    def request(port: int) -> Request:
        return Request(
            method="GET",
            url=f"https://localhost:{port}/x",
            headers={},
            secret={},
            query={},
            content=None,
            timeout=5,
            max_bytes=1000,
            allow=(f"localhost:{port}",),
        )

    mine, trust = signed("localhost", tmp_path)
    with served(echo, mine) as server:
        got: Any = asyncio.run(fetch(request(server.port), trust))
        assert got["json"]["path"] == "/x"
        with pytest.raises(ToolError, match="not trusted") as caught:
            asyncio.run(fetch(request(server.port)))
    assert (caught.value.code, caught.value.retryable) == ("tool.refused", False)
    other, trust = signed("other.example", tmp_path)
    with served(echo, other) as server, pytest.raises(ToolError, match="not trusted"):
        asyncio.run(fetch(request(server.port), trust))


def test_the_tool_asks_only_what_the_operator_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    def call(**args: Json) -> Any:  # Any: what a tool answers
        called: Any = http.call(args, "k")
        return asyncio.run(called)

    with served(echo) as server:
        with pytest.raises(ToolError, match="ORKA_HTTP_ALLOW"):
            call(url=server.url())
        monkeypatch.setenv("ORKA_HTTP_ALLOW", f"example.com, {server.place}")
        assert call(url=server.url("/x"))["json"]["path"] == "/x"
        with pytest.raises(ToolError) as caught:
            http.call({"url": server.url(), "allow": ["*"]}, "k")
    assert caught.value.code == "tool.arguments"


def test_the_agent_asks_and_its_answer_stands_in_the_trace() -> None:
    with served(echo) as server:
        agents = f"""
  - id: a
    type: http
    url: "{server.url("/items")}/{{{{ input }}}}"
    allow: ["{server.place}"]
    method: POST
    json: {{word: "{{{{ input }}}}"}}
"""
        text = f"orchestrator: {{id: t, agents: [a]}}\nagents:{agents}"
        done = orka.run_sync(text, "seven", store=":memory:")
        assert done.output["json"] == {
            "method": "POST",
            "path": "/items/seven",
            "body": '{"word":"seven"}',
        }
        escaped = orka.run_sync(text, "../../admin?x=1#y", store=":memory:")
    assert escaped.status == "completed", escaped.failure


def test_the_agent_retries_as_the_server_asks() -> None:
    answers = iter([Answer(503, headers={"retry-after": "0"}), Answer(body=b"ok")])
    with served(lambda asked: next(answers)) as server:
        agents = f"  - {{id: a, type: http, url: '{server.url()}', allow: ['{server.place}'],"
        text = f"orchestrator: {{id: t, agents: [a]}}\nagents:\n{agents} retries: 1,"
        done = orka.run_sync(text + " backoff: {initial: 0}}\n", store=":memory:")
    assert done.output["body"] == "ok" and len(server.asked) == 2


@pytest.mark.parametrize("more", ["allow: []", "allow: [a], json: 1, body: x"])
def test_options_that_make_no_sense_are_found_before_the_run(more: str) -> None:
    agents = f"  - {{id: a, type: http, url: x, {more}}}\n"
    text = f"orchestrator: {{id: t, agents: [a]}}\nagents:\n{agents}"
    with pytest.raises(orka.OrkaError) as caught:
        orka.check(text)
    assert caught.value.code.startswith("config.")
