"""The injection guard, and the agent type `injection_detection`."""

from orka.kit.guards.injection.agent import injection_detection
from orka.kit.guards.injection.guard import InjectionGuard, injection

__all__ = ["InjectionGuard", "injection", "injection_detection"]
