"""Whether a tool may be called: judged by the policies around a node, never by what a prompt, a
reply or an argument claims."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orka.agent.approving import ANSWER, refused
from orka.errors import Failure
from orka.event.event import Verdict
from orka.graph.policy import Limit, Path, Policy
from orka.run.scope import Scope
from orka.value import Json

_RANK = {"auto": 0, "ask": 1, "deny": 2}
_SHOWN = 12
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict, the `rule` it follows from (where it stands in the policy) and why, in a sentence.
    If a person is asked: who may answer (none named: anybody), and within how many seconds."""

    verdict: Verdict
    rule: str
    reason: str
    approvers: tuple[str, ...] = ()
    timeout: float | None = None


def policies_around(scope: Scope | None) -> list[Policy]:
    """The policies that hold in a scope, the outermost first."""
    found: list[Policy] = []
    while scope is not None:
        if scope.graph.policy is not None:
            found.append(scope.graph.policy)
        scope = scope.opener
    return found[::-1]


def ruled(
    policies: Sequence[Policy], tool: str, args: Mapping[str, Json], input: Json, *, tainted: bool
) -> Ruling:
    """The strictest of what the policies say. `input` is the run's."""
    rulings = [_ruled(policy, tool, args, input, tainted=tainted) for policy in policies]
    strictest = max(rulings, key=lambda ruling: _RANK[ruling.verdict])
    if strictest.verdict != "ask":
        return strictest
    asking = [policy for policy, r in zip(policies, rulings, strict=True) if r.verdict == "ask"]
    named = [policy.approvers for policy in asking if policy.approvers]
    approvers = tuple(n for n in (named[0] if named else ()) if all(n in each for each in named))
    if named and not approvers:
        told = f"no person may answer for {tool!r} under all the policies around it"
        return Ruling("deny", "approvers", told)
    times = [policy.timeout for policy in asking if policy.timeout is not None]
    timeout = min(times) if times else None
    return Ruling("ask", strictest.rule, strictest.reason, approvers, timeout)


def denial(node: str, tool: str, ruling: Ruling) -> Failure:
    """What an agent sees of a call that is refused."""
    return Failure(
        code="permission.denied",
        message=f"node {node!r} may not call the tool {tool!r}: {ruling.reason}",
        fix=f"see {_rule(ruling)} in the policy of the workflow; give the node an `on_error` edge "
        "to go on without the call",
        retryable=False,
    )


def _rule(ruling: Ruling) -> str:
    return "`allow` and `ask`" if ruling.rule == "unlisted" else f"`{ruling.rule}`"


def refused_by_person(node: str, tool: str, answer: Json) -> Failure:
    """What an agent sees after a no."""
    return Failure(
        code="approval.denied",
        message=refused(f"the call of {tool!r} by {node!r}", answer),
        fix="give the node an `on_error` edge to go on after a no",
        retryable=False,
    )


def mismatch(question: str) -> Failure:
    """What an agent sees if the call it makes is not the one that was put before a person."""
    return Failure(
        code="approval.mismatch",
        message=f"the call is not the one that {question!r} showed to a person",
        fix="if the workflow or its code was changed on purpose, fork the run: people are asked "
        "again there",
        retryable=False,
    )


def question_of(node: str, call: Json, ruling: Ruling, *, tainted: bool) -> Json:
    """The question that stands before a call of a tool: the call is exactly what will run."""
    payload: dict[str, Json] = {
        "prompt": f"May {node} call the tool {call['tool']}?",
        "schema": ANSWER,
        "call": call,
        "rule": ruling.rule,
        "reason": ruling.reason,
        "seal": "",
    }
    if tainted:
        payload["tainted"] = True
    if ruling.approvers:
        payload["approvers"] = list(ruling.approvers)
    if ruling.timeout is not None:
        payload["within"] = ruling.timeout
    return payload


def _ruled(
    policy: Policy, tool: str, args: Mapping[str, Json], input: Json, *, tainted: bool
) -> Ruling:
    refused = (
        _unlisted(policy, tool)
        or _by_input(policy, tool, input)
        or _above(policy.limits.get(tool, ()), tool, args, input)
    )
    if refused is not None:
        return refused
    ruling = _autonomy(policy, tool, args)
    if ruling.verdict == "auto" and tainted and tool not in policy.when_tainted:
        told = f"the run holds quarantined text, and {tool!r} is not among `when_tainted`"
        return Ruling("ask", "when_tainted", told)
    return ruling


def _unlisted(policy: Policy, tool: str) -> Ruling | None:
    found = policy.listed.get(tool)
    if found == "deny":
        return Ruling("deny", "deny", f"the policy denies {tool!r}")
    if found is not None:
        return None
    may = [name for name, listed in policy.listed.items() if listed != "deny"]
    more = ", …" if len(may) > _SHOWN else ""
    known = f"may be called: {', '.join(may[:_SHOWN])}{more}" if may else "no tool may be called"
    return Ruling("deny", "unlisted", f"{tool!r} is in no list of the policy; {known}")


# ---- lists in the input


def _by_input(policy: Policy, tool: str, input: Json) -> Ruling | None:
    """Refused by what the input allows or blocks. What cannot be read there allows only
    what is exempt."""
    action, exempt = policy.actions.get(tool, tool), tool in policy.exempt
    if policy.blocked_by:
        blocked = _names_at(input, policy.blocked_by)
        if blocked is None and exempt:
            return None
        if blocked is None:
            return _unreadable("blocked_by", policy.blocked_by)
        if _folded(action) in map(_folded, blocked):
            told = f"the input blocks {action!r} ({'.'.join(policy.blocked_by)})"
            return Ruling("deny", "blocked_by", told)
    if policy.allowed_by and not exempt:
        allowed = _names_at(input, policy.allowed_by)
        if allowed is None:
            return _unreadable("allowed_by", policy.allowed_by)
        if action not in allowed:
            told = f"the input does not allow {action!r} ({'.'.join(policy.allowed_by)})"
            return Ruling("deny", "allowed_by", told)
    return None


def _unreadable(rule: str, path: Path) -> Ruling:
    told = f"the input has no list of names at {'.'.join(path)!r}, and unknown is not allowed"
    return Ruling("deny", rule, told)


def _names_at(input: Json, path: Path) -> list[str] | None:
    found = _at(input, path)
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        return None
    return found


def _at(input: Json, path: Path) -> Json:
    for key in path:
        if not isinstance(input, dict) or key not in input:
            return _MISSING
        input = input[key]
    return input


def _folded(action: str) -> str:
    """Without what is only a way of writing it: case, spaces, what cannot be seen."""
    folded = unicodedata.normalize("NFKC", action).casefold()
    return "".join(char for char in folded if char.isprintable() and not char.isspace())


# ---- limits


def _above(
    limits: Sequence[Limit], tool: str, args: Mapping[str, Json], input: Json
) -> Ruling | None:
    """Refused because an argument is above what anybody may approve."""
    for limit in limits:
        rule = f"limits.{tool}.{limit.name}"
        value = _size(_argument(args, limit.name))
        if limit.max is not None and not _within(value, limit.max):
            told = f"{limit.name!r} is {_told(value)}, and nobody may lift {_told(limit.max)}"
            return Ruling("deny", f"{rule}.max", told)
        if not limit.max_by:
            continue
        most, path = _at(input, limit.max_by), ".".join(limit.max_by)
        if _number(most) is None:
            told = f"the input has no number at {path!r}, and an unknown limit allows nothing"
            return Ruling("deny", f"{rule}.max_by", told)
        if not _within(value, most):
            told = f"{limit.name!r} is {_told(value)}, and the input allows {_told(most)} ({path})"
            return Ruling("deny", f"{rule}.max_by", told)
    return None


def _argument(args: Mapping[str, Json], name: str) -> Json:
    """The argument of that name; `payment.amount` is a field of one. None, if it is not there."""
    if name in args or "." not in name:
        return args.get(name)
    found = _at(dict(args), tuple(name.split(".")))
    return None if found is _MISSING else found


def _within(value: float | None, most: float) -> bool:
    return value is None or value <= most


def _autonomy(policy: Policy, tool: str, args: Mapping[str, Json]) -> Ruling:
    """Whether a person is asked. Only a number that lies within its limit spares the question."""
    listed, bounded = policy.listed[tool], False
    for limit in policy.limits.get(tool, ()):
        rule, most = f"limits.{tool}.{limit.name}", limit.auto_max
        rule, bounded = (f"{rule}.auto_max", True) if most is not None else (rule, bounded)
        value = _number(_argument(args, limit.name))
        if value is None:
            told = f"{limit.name!r} is no number of 0 or more, and only one spares the question"
            return Ruling("ask", rule, told)
        if most is not None and value > most:
            told = (
                f"{limit.name!r} is {_told(value)}, above the {_told(most)} that need no question"
            )
            return Ruling("ask", rule, told)
    if bounded:
        told = f"every limited argument of {tool!r} is within its `auto_max`"
        return Ruling("auto", f"limits.{tool}", told)
    if listed == "ask":
        return Ruling("ask", "ask", f"the policy asks a person about {tool!r}")
    return Ruling("auto", "allow", f"the policy allows {tool!r}")


def _number(value: Json) -> float | None:
    """A finite number, 0 or more; a text or a boolean is none."""
    if type(value) not in (int, float) or not value >= 0:
        return None
    number: float = value
    return number if type(value) is int or math.isfinite(value) else None


def _size(value: Json) -> float | None:
    """How large an argument is, for a limit that nobody may lift: a text counts as what it says,
    and what cannot be compared ("5,000", a list) as not a number, which lies within no limit. None:
    nothing that could be too large."""
    if isinstance(value, (list, dict)):
        return math.nan if value else None
    if not isinstance(value, str):
        return _number(value)
    try:
        return float(value)
    except ValueError:
        return math.nan if value.strip() else None


def _told(value: float | None) -> str:
    try:
        return "no number" if value is None or math.isnan(value) else f"{value:.12g}"
    except OverflowError:  # a whole number beyond all floats
        return "more than 1e308"
