"""Traces in one SQLite file: crash-safe, linear in size, and readable even when damaged."""

from orka.kit.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
