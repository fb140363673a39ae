"""`policy`: which tools a workflow may call, which of them a person is asked about, and who."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.spec.form import Form, above, at_least, listing, mapping, text
from orka.value import Json

LISTS = ("allow", "ask", "deny")
_A_NUMBER = "a number, 0 or more"
_A_PATH = "text: a path into the input, like `permissions.allowed_actions`"


class Limit(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bounds of one argument of a tool: up to `auto_max` nobody is asked, above `max`, or above
    what the input says at `max_by`, it is refused."""

    auto_max: float | None = None
    max: float | None = None
    max_by: str = ""


class Policy(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the author wrote. `actions` says what a tool is called in the lists of the input that
    `allowed_by` and `blocked_by` lead to; those `exempt` are no actions, and need not be among
    the allowed ones. `approval_timeout` are seconds."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    limits: Mapping[str, Mapping[str, Limit]] = {}
    actions: Mapping[str, str] = {}
    allowed_by: str = ""
    blocked_by: str = ""
    exempt: tuple[str, ...] = ()
    approval_timeout: float | None = None
    approvers: tuple[str, ...] = ()
    when_tainted: tuple[str, ...] = ()


def policy_of(head: Form) -> Policy | None:
    """The `policy` of an orchestrator; None if it has none. Problems are added to the form."""
    value = head.take("policy", "a map", mapping)
    if value is None:
        return None
    form = head.within(("policy",), value, "the policy")
    form.only(Policy.__struct_fields__)
    lists = {name: _tools(form, name) for name in LISTS}
    _disjoint(form, lists)
    return Policy(
        **lists,
        limits=_limits(form, lists["deny"]),
        actions=_actions(form),
        allowed_by=_path(form, "allowed_by"),
        blocked_by=_path(form, "blocked_by"),
        approval_timeout=form.take("approval_timeout", "a number of seconds above 0", above(0)),
        approvers=_names(form, "approvers", "who may answer"),
        exempt=_not_denied(form, "exempt", lists["deny"]),
        when_tainted=_not_denied(form, "when_tainted", lists["deny"]),
    )


def _names(form: Form, key: str, what: str) -> tuple[str, ...]:
    """The texts listed at `key`, each once; an empty list says nothing and is refused."""
    value = form.take(key, f"a list of text: {what}", listing) or []
    for at, item in enumerate(value):
        if text(item) is None:
            form.wrong(item, f"text: {what}", key, at)
        elif item in value[:at]:
            told = f"{key!r} of {form.owner} lists {item!r} twice"
            form.problem("config.duplicate_id", told, "keep one", key, at)
    if key == "approvers" and form.value.get(key) == []:
        fix = "name who may answer, or remove the key to let anybody answer"
        form.problem("config.missing_key", "'approvers' of the policy is empty", fix, key)
    return tuple(item for item in value if isinstance(item, str))


def _tools(form: Form, key: str) -> tuple[str, ...]:
    return _names(form, key, "names of tools")


def _disjoint(form: Form, lists: Mapping[str, tuple[str, ...]]) -> None:
    """A tool in two lists would be allowed by one and not by the other."""
    first: dict[str, str] = {}
    for name, tools in lists.items():
        for at, tool in enumerate(tools):
            other = first.setdefault(tool, name)
            if other != name:
                told = f"the policy lists {tool!r} under {other!r} and under {name!r}"
                fix = f"keep it under one of them ({form.where(other)})"
                form.problem("config.policy", told, fix, name, at)


def _not_denied(form: Form, key: str, denied: tuple[str, ...]) -> tuple[str, ...]:
    tools = _tools(form, key)
    for at, tool in enumerate(tools):
        if tool in denied:
            told = f"{key!r} lists {tool!r}, which the policy denies"
            form.problem("config.policy", told, "remove it from one of them", key, at)
    return tools


def _actions(form: Form) -> dict[str, str]:
    value = form.take("actions", "a map of tools to names of actions", mapping) or {}
    for tool, name in value.items():
        if text(name) is None:
            form.wrong(name, "text: what the input calls this tool", "actions", tool)
    return {tool: name for tool, name in value.items() if isinstance(name, str)}


def _path(form: Form, key: str) -> str:
    path = form.take(key, _A_PATH, text) or ""
    return _checked(form, path, key)


def _checked(form: Form, path: str, *keys: str | int) -> str:
    if path and not all(part.strip() for part in path.split(".")):
        form.problem("config.policy", f"{path!r} is no path", f"write {_A_PATH}", *keys)
    return path


def _limits(form: Form, denied: tuple[str, ...]) -> dict[str, dict[str, Limit]]:
    value = form.take("limits", "a map of tools to limits of their arguments", mapping) or {}
    found: dict[str, dict[str, Limit]] = {}
    for tool, arguments in value.items():
        if tool in denied:
            told = f"the policy has limits for {tool!r}, which it denies"
            form.problem("config.policy", told, "remove one of them", "limits", tool)
        if not isinstance(arguments, dict) or not arguments:
            form.wrong(arguments, "a map of arguments to limits", "limits", tool)
            continue
        found[tool] = {
            name: _limit(form, limit, ("limits", tool, name)) for name, limit in arguments.items()
        }
    return found


def _limit(form: Form, value: Json, keys: tuple[str, ...]) -> Limit:
    if not isinstance(value, dict) or not value:
        form.wrong(value, "a map with auto_max, max or max_by", *keys)
        return Limit()
    inside = form.within(keys, value, f"the limit of {keys[-1]!r}")
    inside.only(Limit.__struct_fields__)
    auto_max = inside.take("auto_max", _A_NUMBER, at_least(0))
    most = inside.take("max", _A_NUMBER, at_least(0))
    if auto_max is not None and most is not None and auto_max > most:
        told = f"auto_max of {keys[-1]!r} is above its max: {auto_max:g} and {most:g}"
        inside.problem("config.policy", told, "lower auto_max or raise max", "auto_max")
    by = inside.take("max_by", _A_PATH, text) or ""
    return Limit(auto_max, most, _checked(inside, by, "max_by"))


def policy_schema() -> Json:
    """The JSON Schema of a policy."""

    def names(description: str) -> Json:
        items = {"type": "string", "minLength": 1}
        kind = {"type": "array", "items": items, "uniqueItems": True}
        return {"description": description, **kind}

    path = {"type": "string", "minLength": 1}
    number = {"type": "number", "minimum": 0}
    return {
        "description": "Which tools may be called, and which of them a person is asked about.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "allow": names("Tools that run at once."),
            "ask": names("Tools that a person is asked about first."),
            "deny": names("Tools that never run; so do those in no list."),
            "limits": _limits_schema(number, path),
            "actions": {
                "description": "What a tool is called in the lists of the input.",
                "type": "object",
                "additionalProperties": {"type": "string", "minLength": 1},
            },
            "allowed_by": {"description": "Where the input lists what is allowed.", **path},
            "blocked_by": {"description": "Where the input lists what is blocked.", **path},
            "exempt": names("Tools that `allowed_by` need not name."),
            "approval_timeout": {
                "description": "Seconds after which a question to a person is closed.",
                "type": "number",
                "exclusiveMinimum": 0,
            },
            "approvers": {**names("Who may answer."), "minItems": 1},
            "when_tainted": names("Tools that still run at once after a quarantine."),
        },
    }


def _limits_schema(number: Json, path: Json) -> Json:
    limit = {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {
            "auto_max": {"description": "Up to this nobody is asked.", **number},
            "max": {"description": "Above this it is refused.", **number},
            "max_by": {"description": "Where the input says above what it is refused.", **path},
        },
    }
    arguments = {"type": "object", "additionalProperties": limit, "minProperties": 1}
    return {
        "description": "Limits of arguments, by tool and argument.",
        "type": "object",
        "additionalProperties": arguments,
    }
