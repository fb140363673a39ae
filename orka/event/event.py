"""The closed union of events. Facts come from outside and carry the clock `at` (seconds since the
epoch); decisions follow from facts by pure code and carry none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from orka.errors import Failure
from orka.value import Json

Status = Literal["running", "waiting", "completed", "failed", "cancelled", "exhausted"]
# What a policy says of a call: it runs, a person is asked first, or it is refused.
Verdict = Literal["auto", "ask", "deny"]


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


class _Fact(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag_field="type",
    tag=_snake,
):
    at: float


class _Decision(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    gc=False,
    tag_field="type",
    tag=_snake,
):
    pass


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where a forked run comes from: `run`, and the first of its events that is not kept."""

    run: str
    seq: int


class RunStarted(_Fact, frozen=True):
    """`flow` and `graph` are digests: of the workflow's source (a blob) and of the compiled graph.
    `components` maps what takes part (agent types, plugins) to versions; `rules` numbers the way
    the scheduler decides. `screened` says what filters found in the input, by guard."""

    run: str
    workflow: str
    graph: str
    input: Json
    rules: int
    flow: str = ""
    components: Mapping[str, str] = {}
    origin: Origin | None = None
    screened: Mapping[str, Json] | None = None


class RunResumed(_Fact, frozen=True):
    """Somebody drives the run again: after a crash, or after it ended without success."""


class EffectAnswered(_Fact, frozen=True):
    """What came back for one attempt: a value or an error. `spent` is what it took. `notes` say
    say what changed to make the value JSON. `reused` names the run and event it was copied from.
    `screened` says what filters found in the question and the answer, by guard."""

    id: str
    attempt: int = 1
    value: Json = None
    error: Failure | None = None
    spent: Mapping[str, Json] | None = None
    notes: tuple[str, ...] = ()
    reused: Origin | None = None
    screened: Mapping[str, Json] | None = None


class DeadlinePassed(_Fact, frozen=True):
    """A scope (the run itself: "") used up its time, or a join waits no longer for its branches
    (then `scope` is the join's path)."""

    scope: str = ""


class CancelAsked(_Fact, frozen=True):
    """Somebody wants the run to stop."""

    reason: str = ""


class ScopeOpened(_Decision, frozen=True):
    """An inner workflow began (or goes on, after a resume) for the effect of the same id."""

    scope: str
    graph: str


class NodeStarted(_Decision, frozen=True):
    """A node's agent runs."""

    node: str
    scope: str = ""


class NodeSkipped(_Decision, frozen=True):
    """A node will not run: no path to it was taken, its condition was false, or a join of its
    branch has gone on without it."""

    node: str
    scope: str = ""
    reason: Literal["dead_path", "when", "late"] = "dead_path"


class EffectRequested(_Decision, frozen=True):
    """An agent asked for an effect. `retried` counts the retries in a row before this attempt;
    `wait` is the back-off before it and `timeout` its limit, in seconds. `answer` names the effect
    of an earlier try of the same work that has answered it: nothing is performed."""

    id: str
    kind: str
    payload: Json = None
    attempt: int = 1
    retried: int = 0
    wait: float = 0.0
    timeout: float | None = None
    answer: str = ""


class Violation(_Decision, frozen=True):
    """A reading broke its contract: of what `kind` the breach is, what (`message`), where in it,
    the raw text, the schema's digest, and the `route` its author declared for it."""

    node: str
    effect: str
    where: str
    message: str
    raw: str
    schema: str
    scope: str = ""
    kind: str = ""
    route: str = ""


class Repaired(_Decision, frozen=True):
    """A reading was changed to meet its contract: by which `rule`, the text or value `before` and
    `after`."""

    node: str
    effect: str
    rule: str
    before: Json
    after: Json
    where: str = ""
    scope: str = ""


class Noted(_Decision, frozen=True):
    """An agent says why it went on as it did: a `kind` to look for, words, and data."""

    node: str
    effect: str
    kind: str
    message: str
    data: Json = None
    scope: str = ""


class Decided(_Decision, frozen=True):
    """An agent chose among candidates. `value` is all that the choice was made of, so that it can
    be made again from this alone."""

    node: str
    effect: str
    value: Json
    scope: str = ""


class Quarantined(_Decision, frozen=True):
    """An agent says that `texts` may be looked at only as data: in a prompt they have to stand in
    a fence. From then on the run is tainted."""

    node: str
    effect: str
    texts: tuple[str, ...]
    why: str = ""
    scope: str = ""


class Gated(_Decision, frozen=True):
    """A policy judged a call of a tool: by which `rule` (where it stands in the policy), and why.
    `effect` is the call, whether it is asked for or not."""

    node: str
    effect: str
    tool: str
    verdict: Verdict
    rule: str
    reason: str
    scope: str = ""


class NodeFinished(_Decision, frozen=True):
    """An agent returned a value. `taken` lists the nodes its edges lead to; None means all of them.
    A value that is an effect's answer as it came is not stored again: `answer` names the effect."""

    node: str
    scope: str = ""
    value: Json = None
    taken: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    answer: str = ""


class NodeFailed(_Decision, frozen=True):
    """An agent raised. `taken` lists its `on_error` edges."""

    node: str
    failure: Failure
    scope: str = ""
    taken: tuple[str, ...] = ()


class NodeStopped(_Decision, frozen=True):
    """A node was still running when its scope ended, or when a call of it had to be judged again
    after a crash."""

    node: str
    scope: str = ""


class NodeReopened(_Decision, frozen=True):
    """A failed or stopped node runs again; answers it already has are kept."""

    node: str
    scope: str = ""


class ScopeClosed(_Decision, frozen=True):
    """An inner workflow ended, with a value or a failure."""

    scope: str
    value: Json = None
    failure: Failure | None = None


class RunFinished(_Decision, frozen=True):
    """The run's end."""

    status: Status
    value: Json = None
    failure: Failure | None = None


Fact = RunStarted | RunResumed | EffectAnswered | DeadlinePassed | CancelAsked
Decision = (
    ScopeOpened
    | NodeStarted
    | NodeSkipped
    | EffectRequested
    | Violation
    | Repaired
    | Noted
    | Decided
    | Quarantined
    | Gated
    | NodeFinished
    | NodeFailed
    | NodeStopped
    | NodeReopened
    | ScopeClosed
    | RunFinished
)
Event = Fact | Decision
FACTS = (RunStarted, RunResumed, EffectAnswered, DeadlinePassed, CancelAsked)
