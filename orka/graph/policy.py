"""A policy, compiled: one look-up by tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from orka.spec.policy import LISTS
from orka.spec.policy import Policy as Written
from orka.value import Json

Path = tuple[str, ...]
Listed = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Limit:
    """Bounds of the argument `name`. `max_by` leads into the input of the run."""

    name: str
    auto_max: float | None
    max: float | None
    max_by: Path


@dataclass(frozen=True, slots=True)
class Policy:
    """Who may do what, outside of any prompt. `listed` says in which list a tool stands; a tool in
    none is refused. `timeout` are the seconds a person has; no `approvers`: anybody may answer."""

    listed: Mapping[str, Listed]
    limits: Mapping[str, tuple[Limit, ...]] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    allowed_by: Path = ()
    blocked_by: Path = ()
    exempt: frozenset[str] = frozenset()
    timeout: float | None = None
    approvers: tuple[str, ...] = ()
    when_tainted: frozenset[str] = frozenset()


def policy_of(written: Written | None) -> Policy | None:
    """The policy that a workflow states; None if it states none."""
    if written is None:
        return None
    listed: dict[str, Listed] = {}
    for name in LISTS:
        listed |= dict.fromkeys(getattr(written, name), name)
    return Policy(
        listed=listed,
        limits={
            tool: tuple(
                Limit(name, limit.auto_max, limit.max, _path(limit.max_by))
                for name, limit in arguments.items()
            )
            for tool, arguments in written.limits.items()
        },
        actions=written.actions,
        allowed_by=_path(written.allowed_by),
        blocked_by=_path(written.blocked_by),
        exempt=frozenset(written.exempt),
        timeout=written.approval_timeout,
        approvers=written.approvers,
        when_tainted=frozenset(written.when_tainted),
    )


def spelt(written: Written | None) -> dict[str, Json]:
    """What a policy adds to the digest of a graph: nothing, if there is none."""
    return {} if written is None else {"policy": msgspec.to_builtins(written)}


def _path(text: str) -> Path:
    return tuple(text.split(".")) if text else ()
