"""The file that declares servers, in the form that MCP clients share: `{"mcpServers": {…}}`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from orka.errors import ConfigError, nearest
from orka.value import Json, digest, parse

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_KEYS = ("mcpServers", "servers")


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """One server: a `command` to start, or the `url` of one that runs. `${NAME}` in a value is an
    environment variable. Other keys are those of other clients, and are left alone."""

    command: str = ""
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str = ""
    headers: dict[str, str] = {}
    disabled: bool = False


def declared(source: str | Path | Mapping[str, Json]) -> tuple[dict[str, Declared], str]:
    """The servers of a file (or of what such a file holds), and the digest of what it says.

    Raises `ConfigError` (`config.mcp`)."""
    if isinstance(source, Mapping):
        return _servers(source, "mcp"), ""
    try:
        content = Path(source).read_bytes()
        said = parse(content)
    except OSError as error:
        raise _invalid(str(source), f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise _invalid(str(source), f"is not JSON: {error}") from None
    if not isinstance(said, Mapping):
        raise _invalid(str(source), "is not a map")
    return _servers(said, str(source)), digest(content)[:12]


def _servers(said: Mapping[str, Json], where: str) -> dict[str, Declared]:
    among = next((said[key] for key in _KEYS if key in said), None)
    if not isinstance(among, Mapping):
        raise _invalid(where, "has no map `mcpServers`")
    found = {name: _server(name, server, where) for name, server in among.items()}
    return {name: server for name, server in found.items() if not server.disabled}


def _server(name: str, said: Json, where: str) -> Declared:
    if not re.fullmatch(r"[\w.-]+", name):
        raise _invalid(where, f"names a server {name!r}", "use letters, digits, `_`, `-` and `.`")
    try:
        server = msgspec.convert(said, Declared)
    except msgspec.ValidationError as error:
        raise _invalid(where, f"server {name!r}: {error}") from None
    if bool(server.command) == bool(server.url):
        keys = ("command", "url")
        hint = next((nearest(key, keys) for key in said if key not in keys), "")
        fix = f"give `command` or `url`; {hint}" if "mean" in hint else "give `command` or `url`"
        raise _invalid(where, f"server {name!r} needs one of `command` and `url`", fix)
    return server


def filled(server: Declared, name: str) -> Declared:
    """`server` with its variables put in. Raises `ConfigError` for one that is not set."""

    def put(match: re.Match[str]) -> str:
        value = os.environ.get(match.group(1))
        if value is None:
            raise _invalid(
                f"MCP server {name!r}",
                f"needs the environment variable {match.group(1)}, which is not set",
                f"set {match.group(1)}",
            )
        return value

    def text(value: str) -> str:
        return _VARIABLE.sub(put, value)

    return msgspec.structs.replace(
        server,
        command=text(server.command),
        args=[text(each) for each in server.args],
        env={key: text(value) for key, value in server.env.items()},
        url=text(server.url),
        headers={key: text(value) for key, value in server.headers.items()},
    )


def _invalid(where: str, what: str, fix: str = "see docs/tools.md for the form") -> ConfigError:
    return ConfigError(f"{where} {what}", fix=fix, code="config.mcp")
