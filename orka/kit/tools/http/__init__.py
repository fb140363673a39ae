"""The tools `http` and `http_listed`: requests to servers that were allowed by name."""

from orka.kit.tools.http.tools import http, http_listed

__all__ = ["http", "http_listed"]
