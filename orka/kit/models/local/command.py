"""What `orka models` does; the command line finds this object under `models` in `orka.commands`."""

from __future__ import annotations

from pathlib import Path

from orka.kit.models.local import installation, runtime
from orka.kit.models.local import weights as files
from orka.kit.models.local.catalogue import DEFAULT, Progress, weight


class Weights:
    """Model files and the runtime that runs them, on this machine."""

    default = DEFAULT

    def list(self) -> list[files.Installed]:
        """Every model of the catalogue, installed or not."""
        return files.installed()

    def pull(self, name: str = DEFAULT, progress: Progress = files.quiet) -> Path:
        """Make `local/NAME` usable: the runtime first, then the weights. Raises `ModelError`."""
        weight(name)
        installation.ensure_runtime(progress)
        return files.pull(name, progress)

    def remove(self, name: str) -> bool:
        """Delete a model's files; False if there were none."""
        return files.remove(name)

    def status(self) -> runtime.RuntimeStatus:
        """Facts for `orka doctor`."""
        return runtime.runtime_status()


weights = Weights()
