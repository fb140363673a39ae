"""One connection to an endpoint, and what is known about it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from orka.value import Json


@dataclass
class Endpoint:
    """One client of the SDK and what its endpoint is known to refuse. The key is never shown."""

    base_url: str
    client: Any = field(repr=False)
    loop: asyncio.AbstractEventLoop = field(repr=False)
    key: str = field(repr=False)
    key_env: str
    usage: bool = True
    top_logprobs: int = 20

    def concede(self, complaint: str, asked: Mapping[str, Json]) -> bool:
        """Stop asking for something optional that `complaint` is about; False if it is not."""
        if "stream_options" in asked and re.search("stream_options|include_usage", complaint):
            self.usage = False
            return True
        if "logprobs" in asked and "logprobs" in complaint:
            self.top_logprobs = 5 if self.top_logprobs > 5 else 0
            return True
        return False

    @property
    def host(self) -> str:
        """`host:port`."""
        return host_of(self.base_url)


def host_of(base_url: str) -> str:
    """`host:port` and nothing else: a URL may carry a password."""
    parts = urlsplit(base_url)
    return f"{parts.hostname or '?'}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
