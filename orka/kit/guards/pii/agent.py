"""`pii_redaction`: takes personal data out of a text or a value, as a node of the graph."""

from __future__ import annotations

from orka.agent.agent import agent
from orka.agent.context import Context
from orka.agent.reference import referred, rooted
from orka.agent.view import text_of
from orka.errors import OrkaError
from orka.kit.guards.pii.guard import PiiGuard
from orka.kit.guards.pii.options import PiiOptions
from orka.value import Json


class RedactionOptions(PiiOptions, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """`text` is a template, or `value` a path such as `input.case` or `outputs.envelope.message`:
    what is screened. The others are those of the guard `pii`."""

    text: str = ""
    value: str = ""


def _check(options: RedactionOptions) -> str:
    if bool(options.text) == bool(options.value):
        return "write either `text`, a template, or `value`, a path such as `input.case`"
    if options.value and not rooted(options.value):
        return f"`value` is {options.value!r}; it begins with `input` or `outputs`"
    try:
        PiiGuard(options)
    except OrkaError as error:
        return f"{error.what}; {error.fix}"
    return ""


@agent("pii_redaction", config=RedactionOptions, templates=("text",), check=_check, version="1")
async def pii_redaction(ctx: Context) -> Json:
    """Give `redacted`, the `counts` by kind, their `total`, and for a text the `findings`, each
    with its kind and where it stood. Raises `AgentError` for a value that is not there."""
    options: RedactionOptions = ctx.config
    screen = PiiGuard(options)
    value = text_of(ctx.render("text")) if options.text else referred(ctx, options.value)
    findings: list[Json] = []
    if isinstance(value, str):
        findings = [
            {"kind": found.kind, "start": found.start, "end": found.end}
            for found in screen.screen(value).findings
        ]
    screened = screen.screen_value(value)
    return {
        "redacted": screened.value,
        "counts": dict(screened.counts),
        "total": sum(screened.counts.values()),
        "findings": findings,
    }
