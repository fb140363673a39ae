"""`guards:` of a workflow or an agent: what looks at what comes in, before it is recorded."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.errors import nearest
from orka.spec.form import Form, text
from orka.spec.yaml import Path
from orka.value import Json

# What a guard can look at: the run's input, what comes back from models, tools, memories and
# people, and what the run gives.
PLACES = ("input", "models", "tools", "memory", "people", "output")
# Everything that comes in.
INCOMING = PLACES[:-1]
# The keys of a guard that are not its own options.
GUARD_KEYS = ("use", "on", "reversible", "reveal_to")
_GUARDS = "a list of guards, each a name or a map with 'use'"


class GuardSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One guard as it is written: which one, what it looks at, and its own options, unchecked."""

    use: str
    on: tuple[str, ...] = INCOMING
    reversible: bool = False
    reveal_to: tuple[str, ...] = ()
    options: Mapping[str, Json] = {}
    path: Path = ()


def guards_of(form: Form) -> tuple[GuardSpec, ...]:
    """The guards under the key `guards` of a form; what is wrong goes to its problems."""
    written = form.take("guards", _GUARDS, _one_or_list)
    if written is None:
        return ()
    found = []
    for at, item in enumerate(written):
        path = ("guards", at) if isinstance(form.value["guards"], list) else ("guards",)
        if text(item) is not None:
            found.append(GuardSpec(use=item, path=(*form.path, *path)))
        elif isinstance(item, dict):
            found.append(_guard(form.within(path, item, "a guard")))
        else:
            form.wrong(item, "the name of a guard, or a map with 'use'", *path)
    return tuple(found)


def _guard(form: Form) -> GuardSpec:
    form.require("use", "add 'use:' with the name of a guard")
    given = form.value
    reversible = form.take("reversible", "true or false", _claim) or False
    reveal_to = _words(form, "reveal_to", "the name of a tool")
    if reveal_to and not reversible:
        what = "'reveal_to' names tools that get values back, and no value is kept"
        form.problem("config.guard", what, "add `reversible: true`", "reveal_to")
    return GuardSpec(
        use=form.take("use", "text: the name of a guard", text) or "",
        on=_places(form),
        reversible=reversible,
        reveal_to=reveal_to,
        options={key: item for key, item in given.items() if key not in GUARD_KEYS},
        path=form.path,
    )


def _places(form: Form) -> tuple[str, ...]:
    """What it looks at, in the order of `PLACES`."""
    if "on" not in form.value:
        return INCOMING
    named = _words(form, "on", "one of the places")
    for at, word in enumerate(named):
        if word not in PLACES:
            what = f"a guard cannot look at {word[:80]!r}"
            keys = ("on", at) if isinstance(form.value["on"], list) else ("on",)
            form.problem("config.guard", what, nearest(word[:80], PLACES), *keys)
    if form.value["on"] == []:
        form.problem("config.guard", "'on' is empty: it looks at nothing", "name a place", "on")
    return tuple(place for place in PLACES if place in named)


def _words(form: Form, key: str, expected: str) -> tuple[str, ...]:
    """A word or a list of words, each once."""
    items = form.take(key, f"text or a list of text: {expected}", _one_or_list) or []
    for at, item in enumerate(items):
        if text(item) is None:
            form.wrong(item, f"text: {expected}", key, at)
        elif item in items[:at]:
            what = f"{key!r} lists {item!r} twice"
            form.problem("config.duplicate_id", what, "keep one", key, at)
    return tuple(item for item in items if isinstance(item, str))


def _one_or_list(value: Json) -> list[Json] | None:
    if isinstance(value, list):
        return value
    return [value] if text(value) is not None or isinstance(value, dict) else None


def _claim(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None
