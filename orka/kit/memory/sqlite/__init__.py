"""A memory in one SQLite file, or in the process, with keyword search (FTS5)."""

from orka.kit.memory.sqlite.memory import SqliteMemory

__all__ = ["SqliteMemory"]
