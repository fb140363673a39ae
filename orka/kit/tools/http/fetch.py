"""One request, to addresses that were checked, following redirects only where it may."""

from __future__ import annotations

import asyncio
import importlib
import ipaddress
import socket
import ssl
from collections.abc import Mapping
from typing import Any

import msgspec

from orka.errors import ToolError
from orka.kit.tools.http.allow import Allowed, allowed, refused
from orka.kit.tools.http.answer import answer_of, checked
from orka.value import Json

REDIRECTS = 5
_GOES_ON = (301, 302, 303, 307, 308)
_KEEPS = (307, 308)
_BODY = ("content-type", "content-length", "content-encoding", "transfer-encoding")
# Headers that a request may not set: they are the connection's.
_OURS = ("host", "connection", "proxy-authorization", *_BODY[1:])
_SECRET = ("authorization", "cookie")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """`secret` headers go to the first server only, and to nobody it sends us on to."""

    method: str
    url: str
    headers: dict[str, str]
    secret: dict[str, str]
    query: dict[str, Json]
    content: bytes | None
    timeout: float
    max_bytes: int
    allow: tuple[str, ...]


async def fetch(request: Request, trust: ssl.SSLContext | None = None) -> Json:
    """The answer: `status`, `url`, `headers`, `body`, `json`. `trust` stands for the certificates
    that the system trusts.

    Raises `ToolError`; its message never holds a header or a query."""
    library = _library()
    listed = allowed(request.allow, lambda text: _url(library, text))
    url = _url(library, request.url)
    if request.query:
        url = url.copy_merge_params(_pairs(request.query))
    try:
        async with (
            asyncio.timeout(request.timeout),
            library.AsyncClient(
                trust_env=False, follow_redirects=False, verify=trust or True
            ) as client,
        ):
            return await _Exchange(
                library, client, request, listed, url, request.method, request.content
            ).end()
    except TimeoutError:
        raise ToolError(
            f"{url.host} did not answer within {request.timeout:g} s",
            fix="raise the request's `timeout`, or set `retries`",
            code="tool.timeout",
        ) from None


class _Exchange(msgspec.Struct):
    """A request on its way: where it is now, and what it still carries."""

    library: Any
    client: Any
    request: Request
    listed: Allowed
    url: Any
    method: str
    content: bytes | None

    async def end(self) -> Json:
        """Ask, and go where the answers lead, as far as that is allowed."""
        first = self.url
        for _ in range(REDIRECTS + 1):
            self.listed.check(self.url)
            got, content = await self._once(
                _headers(self, mine=_origin(self.url) == _origin(first))
            )
            onward = got.headers.get("location")
            if got.status_code not in _GOES_ON or not onward:
                return answer_of(checked(got, self.url, content), self.url, content)
            self.url = self.url.join(_url(self.library, onward, relative=True))
            if got.status_code not in _KEEPS and self.method != "HEAD":
                self.method, self.content = "GET", None
        raise ToolError(
            f"{first.host} sends us on more than {REDIRECTS} times",
            fix="ask the address it ends at",
            code="tool.refused",
            retryable=False,
        )

    async def _once(self, headers: Mapping[str, str]) -> tuple[Any, bytes]:
        """Ask one address after the other until one takes the connection. The name was looked up
        and checked here and is not looked up again: it cannot mean another address by then."""
        failed: Exception | None = None
        for address in await _addresses(self.url, self.listed):
            try:
                return await self._at(address, headers)
            except (self.library.ConnectError, self.library.ConnectTimeout) as error:
                if "CERTIFICATE_VERIFY_FAILED" in str(error):
                    raise _untrusted(self.url, error) from None
                failed = error
            except self.library.HTTPError as error:
                raise _broken(self.url, error) from None
        raise ToolError(
            f"{self.url.host} cannot be reached: {failed}",
            fix="start the server, or correct the address",
            code="tool.unreachable",
        )

    async def _at(self, address: str, headers: Mapping[str, str]) -> tuple[Any, bytes]:
        asked = self.client.build_request(
            self.method,
            self.url.copy_with(host=address),
            headers={**headers, "host": self.url.netloc.decode()},
            content=self.content,
            timeout=self.request.timeout,
            extensions={"sni_hostname": self.url.raw_host.decode()},
        )
        got = await self.client.send(asked, stream=True)
        try:
            return got, await _read(got, self.url, self.request.max_bytes)
        finally:
            await got.aclose()


async def _addresses(url: Any, listed: Allowed) -> list[str]:
    loop = asyncio.get_running_loop()
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        found = await loop.getaddrinfo(url.raw_host.decode(), port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ToolError(
            f"the name {url.host!r} is not known: {error.strerror}",
            fix="correct the address",
            code="tool.unreachable",
        ) from None
    every = list(dict.fromkeys(str(place[4][0]).partition("%")[0] for place in found))
    open_ones = [one for one in every if listed.reachable(ipaddress.ip_address(one))]
    if not open_ones:
        raise refused(
            f"{url.host!r} stands for {every[0]}, which is not a public address",
            f"allow {every[0]!r} as well, if it is meant",
        )
    return open_ones


async def _read(got: Any, url: Any, most: int) -> bytes:
    parts, size = list[bytes](), 0
    async for part in got.aiter_bytes():
        size += len(part)
        if size > most:
            raise ToolError(
                f"the answer of {url.host} is larger than {most} bytes",
                fix="raise `max_bytes`, or ask for less",
                code="tool.too_large",
                retryable=False,
            )
        parts.append(part)
    return b"".join(parts)


def _headers(exchange: _Exchange, *, mine: bool) -> dict[str, str]:
    given = {name.lower(): text for name, text in exchange.request.headers.items()}
    if mine:
        given |= {name.lower(): text for name, text in exchange.request.secret.items()}
    else:
        given = {name: text for name, text in given.items() if name not in _SECRET}
    body = exchange.content is not None
    kept = {name: text for name, text in given.items() if body or name not in _BODY}
    return {"accept-encoding": "identity", "user-agent": "orka", **kept}


def check_headers(headers: Mapping[str, str]) -> None:
    """Raises `ToolError` (`tool.arguments`) for a header that is the connection's own, or that
    holds a line break."""
    broken = [name for name, text in headers.items() if not f"{name}{text}".isprintable()]
    if ours := [name for name in headers if name.lower() in _OURS] + broken:
        raise ToolError(
            f"the header {ours[0]!r} cannot be set to this"
            if broken
            else f"{ours[0]!r} is set by us",
            fix="leave it out, and control signs too",
            code="tool.arguments",
            retryable=False,
        )


def _origin(url: Any) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host, url.port


def _pairs(query: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in query.items() if value is not None}


def _url(library: Any, text: str, *, relative: bool = False) -> Any:
    try:
        url = library.URL(text)
        if relative or url.raw_host:
            return url
    except (library.InvalidURL, ValueError, TypeError) as error:
        raise _no_url(text, str(error)) from None
    raise _no_url(text, "it names no host")


def _no_url(text: str, why: str) -> ToolError:
    return ToolError(
        f"{text.partition('?')[0]!r} is no URL: {why}",
        fix="give a whole one, such as https://api.example.com/items",
        code="tool.arguments",
        retryable=False,
    )


def _untrusted(url: Any, error: Exception) -> ToolError:
    return ToolError(
        f"the certificate of {url.host} is not trusted: {error}",
        fix="correct the address, or let the system trust who signed it",
        code="tool.refused",
        retryable=False,
    )


def _broken(url: Any, error: Exception) -> ToolError:
    return ToolError(
        f"{url.host} broke off: {type(error).__name__}: {error}",
        fix="try again; `retries` does so",
        code="tool.unreachable",
    )


def _library() -> Any:
    try:
        return importlib.import_module("httpx2")
    except ImportError as error:
        raise ToolError(
            f"the HTTP client cannot be imported: {error}",
            fix="run `pip install 'orka[http]'`",
            code="tool.not_installed",
            retryable=False,
        ) from error
