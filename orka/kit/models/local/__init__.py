"""Language models in this process, on llama.cpp: nothing to start, no key, the same answer twice.

Importing this is light; llama.cpp comes in when a model is first asked something.
"""

from orka.kit.models.local.catalogue import CATALOGUE, DEFAULT, Progress, Step, Weight
from orka.kit.models.local.command import Weights, weights
from orka.kit.models.local.installation import ensure_runtime
from orka.kit.models.local.model import LocalModel
from orka.kit.models.local.runtime import RuntimeStatus, runtime_status
from orka.kit.models.local.weights import Installed, installed, pull, remove

__all__ = [
    "CATALOGUE",
    "DEFAULT",
    "Installed",
    "LocalModel",
    "Progress",
    "RuntimeStatus",
    "Step",
    "Weight",
    "Weights",
    "ensure_runtime",
    "installed",
    "pull",
    "remove",
    "runtime_status",
    "weights",
]
