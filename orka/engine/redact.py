"""Secrets never reach a trace: known values, and what looks like a key in an error's text."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import msgspec

from orka.errors import Failure
from orka.value import Json

_NAMES = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD)", re.IGNORECASE)
# What stands after Authorization, x-api-key, Cookie and the like in a dump of headers.
_NAMED = (
    r"(?<![A-Za-z])[A-Za-z0-9_-]*"
    r"(?:authorization|cookie|api[_-]?key|token(?!s)|secret|passw(?:or)?d|credential)[A-Za-z0-9_-]*"
    r"['\"]?\s*[:=]\s*"
)
_LOOKS = re.compile(
    rf"(?i)(?P<name>{_NAMED})(?:b?'[^']*'|b?\"[^\"]*\"|[^\s,;}}\])]+(?:\s+[A-Za-z0-9._~+/=-]{{8,}})?)"
    r"|\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"
    r"|\bsk-[A-Za-z0-9_-]{12,}"
)
_MARK = "[REDACTED]"
_SHORTEST = 8


def environment_secrets() -> tuple[str, ...]:
    """Values of environment variables whose names say that they are secret; longest first."""
    values = {v for name, v in os.environ.items() if _NAMES.search(name) and len(v) >= _SHORTEST}
    return tuple(sorted(values, key=lambda v: (-len(v), v)))


def _marked(found: re.Match[str]) -> str:
    return (found.group("name") or "") + _MARK


class Redactor:
    """Replaces secrets. Values are searched for known secrets, error texts for look-alikes too."""

    __slots__ = ("_secrets",)

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secrets)

    def value(self, value: Json) -> Json:
        if not self._secrets:
            return value
        if isinstance(value, str):
            return self._known(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return dict(sorted((self._known(k), self.value(item)) for k, item in value.items()))
        return value

    def failure(self, failure: Failure) -> Failure:
        return msgspec.structs.replace(
            failure,
            message=_LOOKS.sub(_marked, self._known(failure.message)),
            fix=self._known(failure.fix),
            where=self._known(failure.where),
        )

    def _known(self, text: str) -> str:
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, _MARK)
        return text
