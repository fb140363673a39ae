"""Thousands of malformed answers: each is valid under its schema or a violation with a route, no
exception is left uncaught, and nothing is changed unsaid."""

from __future__ import annotations

import json
from collections.abc import Iterator

import jsonschema_rs
from malformed import SCHEMA, Answer, malformed

import orka
from orka.agent.sensor import Contract, Reading, Repair, read
from orka.event.event import Repaired, Violation
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Reply, Script, ScriptedModel
from orka.value import Json, identical

COUNT = 2000
STRICT, COERCED = Contract.of(SCHEMA), Contract.of(SCHEMA, coerce=True)
VALID = jsonschema_rs.validator_for(SCHEMA)


def strictly(text: str) -> Iterator[Json]:
    """Every value that a plain JSON parser finds in a text, wherever one begins."""
    decoder = json.JSONDecoder(strict=True)
    for at, letter in enumerate(text):
        if letter in "{[":
            try:
                yield decoder.raw_decode(text, at)[0]
            except (ValueError, RecursionError):
                continue


def silent(answer: Answer, reading: Reading) -> bool:
    """Whether a value came out that no strict parser sees in the text with its repairs made."""
    values = list(strictly(mended(answer.text, reading)))
    for repair in reading.repairs:
        if repair.rule == "double_encoded":
            values.append(repair.after)
        elif not repair.where.startswith("offset"):
            values = [changed for value in values for changed in applied(value, repair)]
    return not any(identical(reading.value, value) for value in values)


def mended(text: str, reading: Reading) -> str:
    """The text with each repair made where it says: what stood there, and what stands there now."""
    parts, at = [], 0
    for repair in sorted(reading.repairs, key=lambda each: (_offset(each), -len(str(each.before)))):
        start = _offset(repair)
        if start < at or repair.rule in ("double_encoded", "coerced", "default"):
            continue  # inside of one that was made already, or not in the text
        assert text.startswith(repair.before, start), repair
        parts += [text[at:start], repair.after]
        at = start + len(repair.before)
    return "".join([*parts, text[at:]])


def _offset(repair: Repair) -> int:
    kind, _, offset = repair.where.partition(" ")
    return int(offset) if kind == "offset" else 0


def applied(value: Json, repair: Repair) -> Iterator[Json]:
    """A value with one field changed, if it was what the repair says it was."""
    field, _, index = repair.where.partition("[")
    if not isinstance(value, dict):
        return
    changed = json.loads(json.dumps(value))
    holder: Json = changed[field] if index and field in changed else changed
    key: Json = int(index.rstrip("]")) if index else field
    try:
        before = holder[key]
    except (KeyError, IndexError, TypeError):
        return
    if identical(before, repair.before):
        holder[key] = repair.after
        yield changed


def test_each_malformed_answer_is_valid_or_a_violation_and_no_change_is_silent() -> None:
    kinds: set[str] = set()
    for seed in range(COUNT):
        answer = malformed(seed)
        for contract in (STRICT, COERCED):
            reading = read(answer.text, contract, answer.finish)
            kinds.add(reading.kind or "value")
            if not reading.ok:
                assert reading.kind and reading.message, seed
                assert reading.value is None, seed
                continue
            assert VALID.is_valid(reading.value), f"seed {seed}: {reading.value!r}"
            assert not silent(answer, reading), f"seed {seed}: {answer.text!r} -> {reading}"
    assert {"value", "schema", "syntax", "truncated", "ambiguous", "empty"} <= kinds


def flow(way: Json) -> str:
    """A workflow that holds its answer to the schema; `sorry` is there for who leads to it."""
    asking = {"id": "a", "type": "llm", "prompt": "p", "output": SCHEMA, "on_violation": way}
    waits = ["end", "sorry"] if isinstance(way, dict) else ["end"]
    agents = [asking, *({"id": id, "type": "wait", "seconds": 0} for id in waits)]
    order = {"id": "t", "model": "scripted", "agents": ["a", "end"]}
    return json.dumps({"orchestrator": order, "agents": agents}) + "\n"


WAYS: tuple[Json, ...] = ("fail", "retry", "repair", {"route": "sorry"})


def test_in_a_run_each_breach_is_an_event_with_the_route_its_author_declared(
    whole: bool,
) -> None:
    model = ScriptedModel(Script({}))

    async def go() -> None:
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock
        ) as runtime:
            for seed in range(COUNT if whole else 120):
                way = WAYS[seed % len(WAYS)]
                answer = malformed(seed)
                text = answer.text.encode("utf-8", "replace").decode()
                reply = Reply(text=text, finish_reason=answer.finish)
                model.script = Script({"a": [reply] * 3})
                run = await runtime.run(flow(way), seed)
                judged(run, way, text)
                runtime.replay(run.id)

    run_virtual(go())


def judged(run: orka.Run, way: Json, text: str) -> None:
    """One run: completed with a valid value, or failed (or routed) with its breaches on record."""
    breaches = [event for event in run.events if isinstance(event, Violation)]
    repairs = [event for event in run.events if isinstance(event, Repaired)]
    node = next(node for node in run.nodes if node.id == "a")
    if node.state == "done":
        assert VALID.is_valid(node.value)
        told = tuple(Repair(each.rule, each.before, each.after, each.where) for each in repairs)
        assert not silent(Answer(text, None), Reading(value=node.value, repairs=told))
        return
    assert node.failure and node.failure.code == "sensor.violation", node.failure
    assert breaches and all(breach.route and breach.kind for breach in breaches)
    assert all(breach.raw == text for breach in breaches)
    assert len(breaches) == (3 if way in ("retry", "repair") else 1)
    routed = isinstance(way, dict)
    assert run.status == ("completed" if routed else "failed")
    assert breaches[-1].route == ("sorry" if routed else "fail")
