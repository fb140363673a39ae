"""The public door: load, check, run, resume, fork, replay. Wires the rooms, decides nothing."""

from orka.api.doors import check, open_run, replay, resume, run, run_sync
from orka.api.runtime import HOME, Runtime

__all__ = ["HOME", "Runtime", "check", "open_run", "replay", "resume", "run", "run_sync"]
