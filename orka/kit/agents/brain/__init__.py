"""`brain`: learns skills and episodes from what agents did, and recalls them for other tasks."""

from orka.kit.agents.brain.agent import brain

__all__ = ["brain"]
