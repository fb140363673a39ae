"""Every error a user can meet: a stable code, what is wrong, where, and what to do about it."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence

import msgspec


class Failure(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A failure as data: what a trace keeps of an error. `effect` is the effect behind it, `also`
    are those of other members of a group that failed with it; `retry_after` the seconds the other
    side asked us to wait."""

    code: str
    message: str
    where: str = ""
    fix: str = ""
    effect: str = ""
    retryable: bool = True
    retry_after: float | None = None
    also: tuple[str, ...] = ()


class OrkaError(Exception):
    """Root of the tree. `str(error)` has the parts a reader needs: what, where, what to do."""

    code = "orka.error"

    def __init__(self, what: str, *, where: str = "", fix: str = "", code: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        self.code = code or type(self).code
        super().__init__(what, where, fix)

    def __str__(self) -> str:
        lines = [f"[{self.code}] {self.what}"]
        lines += [f"  where: {self.where}"] if self.where else []
        lines += [f"  to do: {self.fix}"] if self.fix else []
        return "\n".join(lines)

    def failure(self, *, retryable: bool = False) -> Failure:
        return Failure(
            code=self.code,
            message=self.what,
            where=self.where,
            fix=self.fix,
            retryable=retryable,
        )


class ConfigError(OrkaError):
    """The workflow file, or what it refers to, does not say something that can be run."""

    code = "config.invalid"


class ConfigErrors(ConfigError):
    """Several `problems` of one file, told at once; its code is the first one's."""

    def __init__(self, problems: Sequence[OrkaError]) -> None:
        told = [f"{at}. {problem}".replace("\n", "\n   ") for at, problem in enumerate(problems, 1)]
        super().__init__("\n".join([f"{len(problems)} problems", *told]), code=problems[0].code)
        self.problems = tuple(problems)


class InputError(OrkaError):
    """The input given to a run cannot be read."""

    code = "input.invalid"


class TemplateError(OrkaError):
    """A template cannot be compiled or rendered."""

    code = "template.invalid"


class GuardError(OrkaError):
    """A condition cannot be compiled or has no answer for the values it met."""

    code = "guard.invalid"


class PluginError(OrkaError):
    """A plugin cannot be loaded, or registers something that is not what it says."""

    code = "plugin.invalid"


class ScreenError(OrkaError):
    """A guard could not look at a text, or does not let it pass."""

    code = "screen.failed"


class AgentError(OrkaError):
    """An agent broke the contract agents are written against."""

    code = "agent.contract"


class ForeignAwait(AgentError):
    """An agent awaited something that is not an effect of its context."""

    code = "agent.foreign_await"


class EffectFailed(OrkaError):
    """What an agent sees when an effect it asked for failed for good."""

    code = "effect.failed"

    def __init__(self, cause: Failure) -> None:
        super().__init__(cause.message, where=cause.where, fix=cause.fix, code=cause.code)
        self.cause = cause


class HandlerError(OrkaError):
    """Raised by handlers, models and tools: the outside world said no. `retryable` says if asking
    again can help, `retry_after` how many seconds it asked us to wait."""

    code = "effect.failed"

    def __init__(
        self,
        what: str,
        *,
        where: str = "",
        fix: str = "",
        code: str = "",
        retryable: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(what, where=where, fix=fix, code=code)
        asked = retry_after is not None and 0 <= retry_after < math.inf  # nan is not either
        self.retryable, self.retry_after = retryable, retry_after if asked else None

    def failure(self, *, retryable: bool | None = None) -> Failure:
        found = super().failure(retryable=self.retryable if retryable is None else retryable)
        return msgspec.structs.replace(found, retry_after=self.retry_after)


class ModelError(HandlerError):
    """A model could not be reached, refused, or answered something that is no answer."""

    code = "model.failed"


class ToolError(HandlerError):
    """A tool does not exist, was called with the wrong arguments, or failed."""

    code = "tool.failed"


class RecallError(HandlerError):
    """A memory cannot be opened, read or written, or was asked something that makes no sense."""

    code = "memory.failed"


class StoreError(OrkaError):
    """The store cannot do what was asked; nothing that was recorded is lost."""

    code = "store.failed"


class Conflict(StoreError):
    """Somebody else has written to this run since it was read."""

    code = "store.conflict"


class RunBusy(StoreError):
    """Another process (or another task of this one) is driving the run."""

    code = "store.run_busy"


class RunNotFound(StoreError):
    """No run of that id is in the store."""

    code = "store.run_not_found"


class StoreCorrupt(StoreError):
    """A recorded byte is not what was written. `valid` events before it are intact and kept."""

    code = "store.corrupt"

    def __init__(self, what: str, *, valid: int, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.valid = valid


class Diverged(OrkaError):
    """A replay made a decision that differs from the recorded one."""

    code = "replay.diverged"

    def __init__(self, what: str, *, seq: int, where: str = "", fix: str = "") -> None:
        super().__init__(what, where=where, fix=fix)
        self.seq = seq


class LedgerError(OrkaError):
    """A recorded decision cannot be read whole, or does not hold what was asked of it."""

    code = "ledger.incomplete"


class RunFailed(OrkaError):
    """Raised by `run(...)` callers that ask for the output of a run that has none."""

    code = "run.failed"


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion clause for a misspelt `word`, or the whole list when nothing is close."""
    options = list(known)
    folded = {option.casefold(): option for option in reversed(options)}
    close = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {folded[close[0]]!r}?"
    return f"known: {', '.join(sorted(options))}" if options else "there are none"


def raise_all(problems: Sequence[OrkaError]) -> None:
    """Raise what was gathered: nothing, the one problem, or all of them as `ConfigErrors`."""
    each = [
        one
        for problem in problems
        for one in (problem.problems if isinstance(problem, ConfigErrors) else (problem,))
    ]
    if len(each) == 1:
        raise each[0]
    if each:
        raise ConfigErrors(each)
