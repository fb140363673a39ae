"""What `expected` says about a run: one function for each of its keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from cases import prose
from cases.events import contains, is_like
from cases.faults import code, failed_as, must_name
from cases.language import Fields, NotUnderstood, listed
from cases.loops import LOOPS, loops, score_is_not
from cases.observed import Observed, at, same
from orka.event.event import EffectAnswered
from orka.value import Json

Check = Callable[[Observed, Json], None]


def holds(observed: Observed, expected: Json, where: str = "expected") -> None:
    """Every key of `expected` holds. Raises `NotUnderstood` for one that nobody reads."""
    if isinstance(expected, Mapping):
        observed.tolerance = float(expected.get("tolerance", observed.tolerance))
        if expected.get("accept_error") and observed.status == "failed":
            assert code(observed), "the error has no code"
            return
    with Fields(expected, where) as fields:
        for key, value in fields.rest():
            check = CHECKS.get(key)
            if check is None:
                raise NotUnderstood(f"{where} has a key nobody reads: {key!r}")
            check(observed, value)


def _status(observed: Observed, wanted: Json) -> None:
    why = observed.error or (observed.recorded.failure if observed.run else "")
    assert observed.status == wanted, f"the run is {observed.status}, not {wanted}: {why}"


def _executed(observed: Observed, wanted: Json) -> None:
    assert observed.executed == wanted, f"executed: {observed.executed}, not {wanted}"


def _executed_last(observed: Observed, wanted: Json) -> None:
    assert observed.executed[-1:] == [wanted], f"executed: {observed.executed}"


def _not_executed(observed: Observed, wanted: Json) -> None:
    ran = {*observed.calls, *(observed.executed if observed.run else ())}
    assert not ran & set(wanted), f"executed though it should not be: {ran & set(wanted)}"


def _route(observed: Observed, wanted: Json) -> None:
    """The key a router took, or a target of it."""
    for agent, route in wanted.items():
        node = observed.node(agent)
        key = node.value.get("route") if isinstance(node.value, Mapping) else None
        assert str(route) in {str(key), *(node.taken or ())}, (
            f"{agent!r} took {key!r}: {node.taken}"
        )


def _calls(observed: Observed, wanted: Json) -> None:
    found = {agent: observed.calls[agent] for agent in wanted}
    assert found == wanted, f"calls: {found}, not {wanted}"


def _max_calls(observed: Observed, wanted: Json) -> None:
    assert observed.calls.total() <= wanted, f"{observed.calls.total()} calls"


def _tool_calls(observed: Observed, wanted: Json) -> None:
    found = {tool: observed.tool_calls[tool] for tool in wanted}
    assert found == wanted, f"tool calls: {found}, not {wanted}"


def _prompts(observed: Observed, wanted: Json) -> None:
    for agent, text in wanted.items():
        found = observed.prompts(agent)
        assert found, f"{agent!r} never asked"
        told = [tuple(map(_unended, prompts)) for prompts in found]
        assert all(_unended(text) in prompts for prompts in told), f"{agent!r} asked {found!r}"


def _unended(text: Json) -> str:
    """A text without one last line end: a YAML block has one, and nobody writes it in a case."""
    return str(text).removesuffix("\n")


def _prompts_nth(observed: Observed, wanted: Json) -> None:
    for agent, texts in wanted.items():
        found = observed.prompts(agent)
        fits = len(found) == len(texts) and all(t in f for t, f in zip(texts, found, strict=True))
        assert fits, f"{agent!r} asked {found!r}, not {texts!r}"


def _outputs(observed: Observed, wanted: Json) -> None:
    for agent, value in wanted.items():
        node = observed.node(agent)
        assert node.state == "done", f"{agent!r} is {node.state}"
        assert same(node.value, value, observed.tolerance), f"{agent!r} gave {node.value!r}"


def _output(observed: Observed, wanted: Json) -> None:
    found = observed.recorded.output
    assert same(found, wanted, observed.tolerance), f"the output is {found!r}, not {wanted!r}"


def _pending(observed: Observed, wanted: Json) -> None:
    assert sorted(observed.pending) == sorted(listed(wanted)), f"pending: {observed.pending}"


def _failed(observed: Observed, wanted: Json) -> None:
    assert sorted(observed.failed) == sorted(listed(wanted)), f"failed: {observed.failed}"


def _same_key(observed: Observed, wanted: Json) -> None:
    for agent in wanted:
        keys = observed.keys(agent)
        assert len(keys) > 1 and len(set(keys)) == 1, f"{agent!r} called with the keys {keys}"


def _steps_recorded(observed: Observed, wanted: Json) -> None:
    found = {agent: observed.finished(agent) for agent in wanted}
    assert found == wanted, f"recorded: {found}, not {wanted}"


def _warning(observed: Observed, wanted: Json) -> None:
    must_name("\n".join(observed.heard), listed(wanted))


def _max_seconds(observed: Observed, wanted: Json) -> None:
    assert observed.seconds <= wanted, f"took {observed.seconds:.3f} s"


def _max_memory(observed: Observed, wanted: Json) -> None:
    assert observed.memory_mb is not None, "nobody measured the memory"
    assert observed.memory_mb <= wanted, f"took {observed.memory_mb:.0f} MB"


def _absent(observed: Observed, wanted: Json) -> None:
    assert not Path(wanted).exists(), f"{wanted} exists"


def _waited_min(observed: Observed, wanted: Json) -> None:
    assert observed.recorded.seconds >= wanted, f"waited {observed.recorded.seconds} s"


def _waited_max(observed: Observed, wanted: Json) -> None:
    assert observed.recorded.seconds <= wanted, f"waited {observed.recorded.seconds} s"


def _ordering(observed: Observed, wanted: Json) -> None:
    for first, then in wanted:
        assert observed.ended(first) < observed.began(then), (
            f"{then!r} began before {first!r} ended"
        )


def _trace(observed: Observed, wanted: Json) -> None:
    """An event, or outputs that were kept though the run failed."""
    with Fields(wanted, "trace") as fields:
        kept = fields.take("kept_outputs", {})
        rest = dict(fields.rest())
    if rest:
        contains(observed, rest)
    _outputs(observed, kept)


def _events_contain(observed: Observed, wanted: Json) -> None:
    for event in listed(wanted):
        contains(observed, event)


def _last_event(observed: Observed, wanted: Json) -> None:
    last = observed.recorded.events[-1]
    assert is_like(last, wanted), f"the last event is {last!r}"


def _one_end(observed: Observed, wanted: Json) -> None:
    assert (len(observed.ends) == 1) is wanted, f"{len(observed.ends)} ends"


def _strict_json(observed: Observed, wanted: Json) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    try:
        for line in observed.recorded.lines:
            json.loads(line.decode(), parse_constant=refuse)
        strict = True
    except ValueError as error:
        strict = False
        assert not wanted, f"the trace is not strict JSON: {error}"
    assert strict is wanted


def _must_contain(observed: Observed, wanted: Json) -> None:
    must_name("\n".join([observed.trace, *observed.texts]), listed(wanted))


def _must_not_contain(observed: Observed, wanted: Json) -> None:
    for text in (observed.trace, *observed.texts):
        for word in listed(wanted):
            assert str(word) not in text, f"{word!r} stands in:\n{text}"


def _trace_must_not(observed: Observed, wanted: Json) -> None:
    lines = b"\n".join(observed.recorded.lines).decode()
    for word in listed(wanted):
        assert str(word) not in lines, f"{word!r} stands in the trace"


def _path_types(observed: Observed, wanted: Json) -> None:
    outputs = {node.id: node.value for node in observed.nodes}
    for path, words in wanted.items():
        value = at(outputs, path)
        assert prose.is_a(value, str(words)), f"{path} is {value!r}, not {words}"


def _replies(observed: Observed, wanted: Json) -> None:
    """What each agent's model (or tool) answered, in order."""
    for agent, texts in wanted.items():
        found = [
            event.value.get("text", event.value)
            if isinstance(event.value, Mapping)
            else event.value
            for event in observed.recorded.events
            if isinstance(event, EffectAnswered)
            and event.error is None
            and event.id.rpartition("/")[2].partition("#")[0] == agent
        ]
        assert same(found, texts, observed.tolerance), f"{agent!r} got {found!r}, not {texts!r}"


def _seq(observed: Observed, wanted: Json) -> None:
    numbers = [json.loads(line)["seq"] for line in observed.recorded.lines]
    assert prose.is_sequence(numbers, str(wanted)), f"{numbers} are not {wanted}"


def _totals(observed: Observed, wanted: Json) -> None:
    totals = observed.recorded.totals
    known = {**msgspec.to_builtins(totals), "model_calls": totals.calls}
    prompt, completion = totals.prompt_tokens, totals.completion_tokens
    whole = None if prompt is None or completion is None else prompt + completion
    known["tokens"] = {"input": prompt, "output": completion, "total": whole}
    for key, value in wanted.items():
        if key not in known:
            raise NotUnderstood(f"a run has no total {key!r}")
        assert same(known[key], value, observed.tolerance), f"{key} is {known[key]!r}"


def _accept_any(observed: Observed, wanted: Sequence[Json]) -> None:
    """One of the alternatives is enough."""
    said = []
    for alternative in wanted:
        try:
            return holds(observed, alternative, "accept_any")
        except AssertionError as error:
            said.append(str(error))
    raise AssertionError("none of the alternatives holds:\n" + "\n".join(said))


def _must_not(observed: Observed, wanted: Json) -> None:
    """Results that are wrong whatever else is right: outputs, or keys that must not hold."""
    if isinstance(wanted, list):
        for value in wanted:
            assert not same(observed.recorded.output, value), f"the output is {value!r}"
        return
    for key, value in wanted.items():
        if key in LOOPS:
            score_is_not(observed, key, value)
        elif key in CHECKS:
            assert not _true(observed, key, value), f"{key} is {value!r}"
        else:
            raise NotUnderstood(f"must_not has a key nobody reads: {key!r}")


def _true(observed: Observed, key: str, value: Json) -> bool:
    try:
        CHECKS[key](observed, value)
    except AssertionError:
        return False
    return True


def _extra(name: str) -> Check:
    """A result that only one operation gives."""

    def check(observed: Observed, wanted: Json) -> None:
        assert name in observed.extra, f"this operation does not say {name!r}"
        found = observed.extra[name]
        assert same(found, wanted, observed.tolerance), f"{name} is {found!r}, not {wanted!r}"

    return check


def _nothing(observed: Observed, wanted: Json) -> None:
    """A key that says how to run or compare, and is read where that is done."""


CHECKS: dict[str, Check] = {
    "accept_any": _accept_any,
    "accept_error": _nothing,
    "accept_first_score": LOOPS["accept_first_score"],
    "accept_scores": LOOPS["accept_scores"],
    "accepted": _extra("accepted"),
    "calls": _calls,
    "calls_live": _extra("calls_live"),
    "error": failed_as,
    "events_contain": _events_contain,
    "exactly_one_end": _one_end,
    "exactly_one_end_each": _one_end,
    "executed": _executed,
    "executed_last": _executed_last,
    "failed": _failed,
    "final_output": _output,
    "last_event": _last_event,
    "loops": loops,
    "max_calls": _max_calls,
    "max_memory_mb": _max_memory,
    "max_seconds": _max_seconds,
    "must_contain": _must_contain,
    "must_not": _must_not,
    "must_not_contain": _must_not_contain,
    "not_executed": _not_executed,
    "ordering": _ordering,
    "output": _output,
    "outputs": _outputs,
    "path_types": _path_types,
    "pending": _pending,
    "prompts": _prompts,
    "prompts_nth": _prompts_nth,
    "refused": _extra("refused"),
    "repeat": _nothing,
    "replies": _replies,
    "route": _route,
    "run_status": _status,
    "same_canonical_trace": _extra("same_canonical_trace"),
    "same_final_output": _extra("same_final_output"),
    "same_idempotency_key": _same_key,
    "same_loop_count": _extra("same_loop_count"),
    "same_result": _extra("same_result"),
    "seq": _seq,
    "side_effect_absent": _absent,
    "status": _status,
    "steps_recorded": _steps_recorded,
    "text": _extra("text"),
    "tolerance": _nothing,
    "tool_calls": _tool_calls,
    "tool_received": _extra("tool_received"),
    "totals": _totals,
    "trace": _trace,
    "trace_is_strict_json": _strict_json,
    "trace_must_not": _trace_must_not,
    "virtual_wait_seconds_max": _waited_max,
    "virtual_wait_seconds_min": _waited_min,
    "warning_must_name": _warning,
}
