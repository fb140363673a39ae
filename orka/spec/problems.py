"""What is wrong with one file, gathered so that all of it is told at once."""

from __future__ import annotations

import msgspec

from orka.errors import ConfigError, ConfigErrors
from orka.spec.text import Mark, place

ENOUGH = 50


class Problem(msgspec.Struct, frozen=True):
    """A `ConfigError` that is not raised yet. `where` replaces the plain place of `mark`."""

    code: str
    what: str
    fix: str
    mark: Mark
    where: str = ""

    def error(self, source: str) -> ConfigError:
        where = self.where or place(source, self.mark)
        return ConfigError(self.what, where=where, fix=self.fix, code=self.code)


class Problems:
    """Grows while a file is read. Nothing read from the file may be used before `settle()`."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: list[Problem] = []

    def add(self, problem: Problem) -> None:
        """Remembers a problem; gives up and raises at the fiftieth."""
        self._found.append(problem)
        if len(self._found) >= ENOUGH:
            self.settle()

    def settle(self) -> None:
        """Raises what was found, in the order of the file; several as one `ConfigErrors`."""
        found = sorted(self._found, key=lambda problem: (problem.mark.line, problem.mark.column))
        errors = [problem.error(self.source) for problem in found]
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ConfigErrors(errors)
