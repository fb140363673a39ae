"""The key `modules`: what has to be installed for a workflow to run."""

from __future__ import annotations

from orka.spec.form import Form, listing, text
from orka.value import Json

KEY = "modules"
_EXPECTED = "a list of text: names of modules"


def modules_of(form: Form) -> tuple[str, ...]:
    """The modules that the file names, each once; one may stand without a list."""
    value = form.take(KEY, _EXPECTED, _one_or_more) or ()
    for at, item in enumerate(value):
        if text(item) is None:
            form.wrong(item, "text: the name of a module", KEY, at)
        elif item in value[:at]:
            what = f"{KEY!r} lists {item!r} twice"
            form.problem("config.duplicate_id", what, "keep one", KEY, at)
    return tuple(item for item in value if isinstance(item, str))


def _one_or_more(value: Json) -> list[Json] | None:
    return [value] if text(value) else listing(value)
