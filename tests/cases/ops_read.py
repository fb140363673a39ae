"""`parse_json` and `validate_output`: what a sensor makes of an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cases.faults import must_name
from cases.language import Case, Fields, NotUnderstood, listed
from cases.ops_run import play
from cases.script import script
from orka.agent.sensor import Contract, Reading, Repair, read
from orka.event.event import Repaired, Violation
from orka.value import Json, identical

# Their kind of error -> the kinds of breach it may be; anything, where nothing is said.
_KINDS: dict[str, tuple[str, ...]] = {
    "truncated": ("truncated",),
    "schema": ("schema", "ambiguous"),
    "validation": ("schema", "ambiguous"),
    "tool": ("tool",),
    "permission": ("tool",),
    "empty": ("empty", "syntax"),
    "refused": ("refused",),
    "refusal": ("refused",),
    "content_filter": ("refused",),
    "ambiguous": ("ambiguous",),
    "duplicate_key": ("duplicate_key",),
    "limit": ("too_large", "too_deep"),
    "too_large": ("too_large",),
    "too_deep": ("too_deep",),
    "reasoning": ("unterminated_reasoning",),
    "parse": (),
}
# Their word for why -> ours.
_REASONS = {
    "multiple_values": ("ambiguous",),
    "extra_data": ("ambiguous",),
    "duplicate_keys": ("duplicate_key",),
    "depth": ("too_deep",),
    "nesting": ("too_deep",),
    "max_depth": ("too_deep",),
    "size": ("too_large",),
    "content_filter": ("refused",),
    "refusal": ("refused",),
    "no_json": ("syntax",),
    "no_object": ("syntax",),
    "not_json": ("syntax",),
    "invalid_json": ("syntax",),
    "unterminated_string": ("truncated",),
    "lone_surrogate": ("surrogate",),
}


def parse_json(case: Case, folder: Path) -> None:
    """The ladder from text to value."""
    with Fields(case.input, "input") as given:
        text, schema = given.need("text"), given.take("schema")
        reason, tools = given.take("finish_reason", "stop"), given.take("tools", [])
        mode = given.take("mode", "strict")
    if mode not in ("strict", "partial"):
        raise NotUnderstood(f"no mode is called {mode!r}")
    contract = None if schema is None else Contract.of(schema)
    reading = read(text, contract, reason, tools=tools)
    assert reading.ok or reading.message, "a violation that says nothing"
    expected = dict(case.expected)
    if expected.pop("accept_error", False) and not reading.ok:
        assert not _forbidden(reading, expected.get("must_not"))
        return
    choices = expected.pop("accept_any", None)
    _holds(reading, expected)
    if choices is not None:
        assert any(_fits(reading, choice) for choice in listed(choices)), f"{reading}"


def _fits(reading: Reading, expected: Json) -> bool:
    try:
        _holds(reading, expected)
    except AssertionError:
        return False
    return True


def _holds(reading: Reading, expected: Json) -> None:
    with Fields(expected, "expected") as fields:
        for key, wanted in fields.rest():
            check = _CHECKS.get(key)
            if check is None:
                raise NotUnderstood(f"expected has a key nobody reads: {key!r}")
            check(reading, wanted)


def _value(reading: Reading, wanted: Json) -> None:
    assert reading.ok, f"a violation ({reading.kind}): {reading.message}"
    assert identical(reading.value, wanted), f"the value is {reading.value!r}, not {wanted!r}"


def _error(reading: Reading, wanted: Json) -> None:
    with Fields(wanted, "error") as fields:
        kind, words = fields.need("kind"), fields.take("must_name", [])
        why = fields.take("reason")
    assert not reading.ok, f"the value is {reading.value!r}, not an error"
    if kind not in _KINDS:
        raise NotUnderstood(f"no kind of error is called {kind!r}")
    assert not _KINDS[kind] or reading.kind in _KINDS[kind], f"a violation of kind {reading.kind}"
    told = f"{reading.kind}\n{reading.where}\n{reading.message}"
    given = why is None or any(word in told for word in (why, *_REASONS.get(why, ())))
    assert given, f"the reason {why!r} is not given:\n{told}"
    must_name(told, words)


def _partial(reading: Reading, wanted: Json) -> None:
    found = reading.value if reading.ok else reading.partial
    assert identical(found, wanted), f"the part is {found!r}, not {wanted!r}"


def _complete(reading: Reading, wanted: Json) -> None:
    assert reading.ok is wanted, f"complete is {reading.ok}"


def _repairs(reading: Reading, wanted: Json) -> None:
    """Their names are examples; an empty list means that nothing was changed."""
    assert bool(reading.repairs) is bool(wanted), f"repairs: {reading.repairs}"


def _tool_calls(reading: Reading, wanted: Json) -> None:
    found = [{"name": call.name, "arguments": call.arguments} for call in reading.tool_calls]
    assert identical(found, wanted), f"calls: {found!r}, not {wanted!r}"


def _extra_values(reading: Reading, wanted: Json) -> None:
    found = len(reading.extra) if isinstance(wanted, int) else list(reading.extra)
    assert identical(found, wanted), f"extra values: {reading.extra!r}"


def _must_not(reading: Reading, wanted: Json) -> None:
    assert not _forbidden(reading, wanted), f"the value is {reading.value!r}"


def _forbidden(reading: Reading, values: Json) -> bool:
    return reading.ok and any(identical(reading.value, value) for value in listed(values or []))


_CHECKS: dict[str, Any] = {
    "value": _value,
    "error": _error,
    "partial": _partial,
    "complete": _complete,
    "repairs": _repairs,
    "tool_calls": _tool_calls,
    "extra_values": _extra_values,
    "must_not": _must_not,
}


def validate_output(case: Case, folder: Path) -> None:
    """Both modes, each as a whole run: an `llm` with this `output` and a model that says this."""
    with Fields(case.input, "input") as given:
        value, schema = given.need("value"), given.need("schema")
    with Fields(case.expected, "expected") as fields:
        event, kept = fields.take("trace_event"), fields.take("raw_output_kept", False)
        forbidden = fields.take("must_not")
        modes = {mode: wanted for mode, wanted in fields.rest() if mode in ("strict", "coerce")}
        left = set(case.expected) - {*modes, "trace_event", "raw_output_kept", "must_not"}
    if left:
        raise NotUnderstood(f"expected has keys nobody reads: {', '.join(sorted(left))}")
    for mode, wanted in modes.items():
        here = folder / mode
        here.mkdir()
        _validated(here, value, schema, mode, wanted, forbidden, event=event, kept=kept)


def _validated(
    folder: Path,
    value: Json,
    schema: Json,
    mode: str,
    wanted: Json,
    forbidden: Json,
    *,
    event: str | None,
    kept: bool,
) -> None:
    raw = json.dumps(value)
    flow = {
        "orchestrator": {"id": "case", "model": "scripted", "agents": ["a"]},
        "agents": [
            {"id": "a", "type": "llm", "prompt": "p", "output": schema, "coerce": mode == "coerce"}
        ],
    }
    observed = play(folder, json.dumps(flow), None, script({"a": [raw]}), virtual=True)
    run = observed.recorded
    failed = run.failure is not None
    repairs = tuple(
        Repair(each.rule, each.before, each.after, each.where)
        for each in run.events
        if isinstance(each, Repaired)
    )
    reading = Reading(value=run.output, ok=not failed, repairs=repairs)
    if run.failure is not None:
        events = [each for each in run.events if isinstance(each, Violation)]
        assert events and all(each.route for each in events), "a breach without event or route"
        assert not kept or events[0].raw == raw
        assert event is None or event == "schema_violation"
        reading = Reading(
            ok=False, kind=events[0].kind, message=run.failure.message, where=events[0].where
        )
    elif not identical(run.output, value):
        assert any(isinstance(each, Repaired) for each in run.events), "a silent change"
    _must_not(reading, forbidden)
    _wanted(reading, wanted, failed=failed)


def _wanted(reading: Reading, wanted: Json, *, failed: bool) -> None:
    if isinstance(wanted, Mapping) and wanted.get("accept_error"):
        wanted = {key: item for key, item in wanted.items() if key != "accept_error"}
        if failed:
            return
    if isinstance(wanted, Mapping) and "accept_any" in wanted:
        assert any(_fits(reading, choice) for choice in listed(wanted["accept_any"])), f"{reading}"
        return
    _holds(reading, wanted)
