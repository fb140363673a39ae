"""The list of what may be asked: hosts, URL prefixes and networks. Nothing else is."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

import msgspec

from orka.errors import ToolError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_PORTS = {"http": 80, "https": 443}
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_LOOPBACK = (ipaddress.IPv4Network("127.0.0.0/8"), ipaddress.IPv6Network("::1/128"))


class Entry(msgspec.Struct, frozen=True):
    """One line of the list. Empty parts fit anything; no `port` means the scheme's own."""

    host: str = ""
    port: int | None = None
    scheme: str = ""
    path: str = ""


class Allowed(msgspec.Struct, frozen=True):
    """What may be asked, and which addresses that are not public may be reached: those of a listed
    network, and those that a listed host is."""

    entries: tuple[Entry, ...] = ()
    networks: tuple[Network, ...] = ()
    addresses: tuple[Network, ...] = ()

    def check(self, url: Any) -> None:  # Any: a URL of the HTTP library
        """Raises `ToolError` (`tool.not_allowed`) for a URL that no entry lists."""
        host, port = _host(url.raw_host.decode()), url.port or _PORTS.get(url.scheme)
        if url.scheme not in _PORTS or not host:
            raise _arguments(f"{str(url)!r} is no http or https URL")
        if url.userinfo:
            raise _arguments("a URL may not hold a user or password")
        path = url.raw_path.decode().partition("?")[0]
        plain = not any(unquote(part) in (".", "..") for part in path.split("/"))
        if plain and any(_fits(entry, url.scheme, host, port, path) for entry in self.entries):
            return
        if any(_inside(host, network) for network in self.networks) and port in _PORTS.values():
            return
        named = host if port == _PORTS[url.scheme] else f"{host}:{port}"
        raise refused(
            f"{url.scheme}://{named}{path} is not among what may be asked", f"allow {named!r}"
        )

    def reachable(self, address: Address) -> bool:
        """Whether an address that a host stands for may be reached: a public one, or a listed."""
        meant = _meant(address)
        return meant.is_global or any(meant in one for one in (*self.networks, *self.addresses))


def allowed(lines: Sequence[str], parse: Any) -> Allowed:  # Any: the URL type of the HTTP library
    """Read the list. Raises `ToolError` (`tool.arguments`) for a line that is none of its forms."""
    entries: list[Entry] = []
    networks: list[Network] = []
    addresses: list[Network] = []
    for line in (line.strip() for line in lines):
        if (network := _network(line)) is not None and "/" in line:
            networks.append(network)
            continue
        entries.append(_entry(line, parse))
        addresses += _addresses(entries[-1].host)
    return Allowed(tuple(entries), tuple(networks), tuple(addresses))


def refused(what: str, fix: str) -> ToolError:
    return ToolError(what, fix=fix, code="tool.not_allowed", retryable=False)


def _entry(line: str, parse: Any) -> Entry:  # Any: the URL type of the HTTP library
    prefix = "://" in line
    bare = f"[{line}]" if line.count(":") > 1 and not line.startswith("[") else line
    try:
        url = parse(line if prefix else f"http://{bare}")
        host, port = _host(url.raw_host.decode()), url.port
    except (ValueError, TypeError) as error:
        raise _arguments(f"`allow` has {line!r}, which is no host or URL: {error}") from None
    path = url.raw_path.decode() if prefix else ""
    odd = url.userinfo or "?" in path or (not prefix and url.raw_path != b"/")
    if not host or odd or (prefix and url.scheme not in _PORTS):
        raise _arguments(
            f"`allow` has {line!r}; a host, host:port, http(s) URL or network is meant"
        )
    if not prefix and line.endswith(":80"):
        port = 80  # which the URL type leaves out as the scheme's own
    return Entry(host, port, url.scheme if prefix else "", path)


def _fits(entry: Entry, scheme: str, host: str, port: int | None, path: str) -> bool:
    if entry.scheme and entry.scheme != scheme:
        return False
    if port != (entry.port or _PORTS[scheme]):
        return False
    if entry.host.startswith("*."):
        if not host.endswith(entry.host[1:]):
            return False
    elif entry.host != host:
        return False
    folder = entry.path if entry.path.endswith("/") else f"{entry.path}/"
    return path == entry.path or path.startswith(folder)


def _addresses(host: str) -> Sequence[Network]:
    """The addresses that a listed host is."""
    network = _network(host)
    return _LOOPBACK if host == "localhost" else () if network is None else (network,)


def _network(text: str) -> Network | None:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        return None


def _inside(host: str, network: Network) -> bool:
    try:
        return ipaddress.ip_address(host) in network
    except ValueError:
        return False


def _meant(address: Address) -> Address:
    """The address behind one that carries another."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        return inner or address
    return address


def _host(host: str) -> str:
    return host.lower().strip("[]").rstrip(".")


def _arguments(what: str) -> ToolError:
    return ToolError(what, fix="see docs/tools.md", code="tool.arguments", retryable=False)
