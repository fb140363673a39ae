"""Asking a model and reading its answer: recorded raw, parsed by the ladder, routed on a breach."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from orka.agent.context import Context
from orka.agent.sensor import told
from orka.agent.sensor.bare import as_field
from orka.agent.sensor.contract import Contract
from orka.agent.sensor.ladder import read, read_call, read_object, stopped
from orka.agent.sensor.options import PROVIDER, SAMPLING, VIOLATION, ModelOptions, Route
from orka.agent.sensor.reading import Reading
from orka.agent.sensor.tools import UNKNOWN, Rounds, requested
from orka.errors import AgentError
from orka.value import Json, canonical, digest

Messages = Sequence[Mapping[str, Json]]
# What cannot be mended, since the answer is not there.
_GONE = ("empty", "truncated", "unterminated_reasoning", "refused", "tool")
_SHOWN = 200
_LONGEST = 4000


class Asking(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, beside the messages: how the provider is told (`schema`, `choices`,
    `instructions` in words) and how the reply is read. `tools` are those the model may call."""

    read: Callable[[Mapping[str, Json], float], Reading]
    schema: Json = None
    choices: tuple[str, ...] = ()
    instructions: str = ""
    digest: str = ""
    tools: tuple[str, ...] = ()
    max_tool_rounds: int = 5


async def sense(
    ctx: Context,
    messages: str | Messages,
    options: ModelOptions,
    contract: Contract | None = None,
    *,
    tools: Sequence[str] = (),
    max_tool_rounds: int = 5,
    parse: str = "text",
    text_field: str = "",
) -> Json:
    """Ask the model of `options` and give its text, or the value that keeps `contract`. With
    `parse: auto` an answer that is one JSON object is given as that object. A text without JSON is
    the value of `text_field`, if one is named.

    Raises `AgentError` (`sensor.violation`) after the last answer that breaks it, `tool.unknown`
    for a tool that is not there, `tool.rounds` if it calls tools without end; `EffectFailed`.
    """
    if contract is None:
        asking = Asking(
            read=_auto if parse == "auto" else _plain,
            tools=tuple(tools),
            max_tool_rounds=max_tool_rounds,
        )
    else:
        asking = under_contract(contract, options, tools, max_tool_rounds, text_field)
    reading = await measured(ctx, messages, options, asking)
    return reading.value


def under_contract(
    contract: Contract,
    options: ModelOptions,
    tools: Sequence[str] = (),
    rounds: int = 5,
    text_field: str = "",
) -> Asking:
    """The question whose answer has to keep `contract`."""
    held = Contract.of(contract, coerce=options.coerce)
    native = options.structured in ("schema", "tool") and not tools
    limits = held.min_confidence is not None or held.max_age is not None
    spoken = not native or held.units or limits

    def reader(reply: Mapping[str, Json], now: float) -> Reading:
        found = read(reply["text"], held, reply["finish_reason"], now=now)
        return as_field(reply["text"], text_field, found, held, now) if text_field else found

    return Asking(
        read=reader,
        schema=None if options.structured == "prompt" else held.schema,
        instructions=held.instructions if spoken else "",
        digest=held.digest,
        tools=tuple(tools),
        max_tool_rounds=rounds,
    )


async def measured(
    ctx: Context, messages: str | Messages, options: ModelOptions, asking: Asking
) -> Reading:
    """Ask until an answer can be used or nothing is left to do; each breach and repair is recorded.

    Raises `AgentError` (`sensor.violation`, `tool.unknown`, `tool.rounds`).
    """
    talk = _told(messages, asking.instructions)
    rounds = Rounds(ctx, asking.tools, asking.max_tool_rounds)
    left, asked, broken = options.asked_again, talk, ""
    while True:
        reply = await _ask(ctx, asked, options, asking)
        reading = _read(reply, asking, ctx.now())
        for repair in reading.repairs:
            await ctx.repaired(
                repair.rule, before=repair.before, after=repair.after, where=repair.where
            )
        if reading.tool_calls:
            answers = await rounds.answered(reply, reading.tool_calls)
            if isinstance(answers, list):
                asked = [*asked, *answers]
                continue
            reading = answers
        if reading.extra:
            await ctx.note("extra_values", "the answer held other values", list(reading.extra))
        if reading.message:
            await _breach(ctx, reply, reading, asking, _route(options, reading, left))
        if reading.ok:
            if broken and not reading.message:
                await ctx.repaired("model_repair", before=broken, after=_said(reply))
            return reading
        if not left:
            raise _failed(ctx, reading, reply["text"], asking)
        left -= 1
        broken = _said(reply) if _mended(options, reading) else ""
        asked = _next(talk, asked, reply, reading, options, asking)


async def _ask(
    ctx: Context, talk: Messages, options: ModelOptions, asking: Asking
) -> Mapping[str, Json]:
    provider = options.given(PROVIDER)
    by_hand = options.structured in ("tool", "json") and asking.schema is not None
    if by_hand or (asking.tools and options.structured == "prompt"):
        provider["structured"] = options.structured
    reply: Mapping[str, Json] = await ctx.llm(
        talk,
        model=options.model,
        schema=asking.schema,
        choices=asking.choices,
        params=options.given(SAMPLING),
        options=provider,
        tools=asking.tools,
    )
    return reply


def _read(reply: Mapping[str, Json], asking: Asking, now: float) -> Reading:
    """The calls of tools in a reply, or what it says."""
    if not asking.tools:
        return asking.read(reply, now)
    if reply.get("tool_calls"):
        return requested(reply["tool_calls"], asking.tools)
    fits = asking.read(reply, now)
    if fits.kind == "truncated" or (fits.ok and asking.digest):
        return fits
    called = read_call(reply["text"], asking.tools)
    if called is None:
        return fits
    return called


def _plain(reply: Mapping[str, Json], _: float) -> Reading:
    """A text as it is; one that was cut off or refused is marked and kept."""
    text: str = reply["text"]
    problem = stopped(text, reply["finish_reason"])
    if problem is None:
        return Reading(value=text)
    return Reading(value=text, kind=problem.kind, message=problem.message)


def _auto(reply: Mapping[str, Json], now: float) -> Reading:
    plain = _plain(reply, now)
    return plain if plain.message else read_object(reply["text"])


async def _breach(
    ctx: Context, reply: Mapping[str, Json], reading: Reading, asking: Asking, route: str
) -> None:
    await ctx.violation(
        message=reading.message,
        raw=_said(reply),
        kind=reading.kind,
        where=reading.where,
        schema=asking.digest,
        route=route,
    )


def _said(reply: Mapping[str, Json]) -> str:
    """The raw text of a reply; without one, the calls of tools in it."""
    text: str = reply["text"]
    calls = reply.get("tool_calls")
    return text or (canonical(calls).decode() if calls else "")


def _mended(options: ModelOptions, reading: Reading) -> bool:
    """Whether a breach is shown to the model to be mended."""
    return options.on_violation == "repair" and reading.kind not in _GONE


def _route(options: ModelOptions, reading: Reading, left: int) -> str:
    """Where a breach leads, as the event tells it."""
    if reading.ok:
        return "kept"
    if left:
        return "repair" if _mended(options, reading) else "retry"
    return options.on_violation.route if isinstance(options.on_violation, Route) else "fail"


def _next(
    talk: Messages,
    asked: Messages,
    reply: Mapping[str, Json],
    reading: Reading,
    options: ModelOptions,
    asking: Asking,
) -> Messages:
    """The question after a breach: the answer with what is wrong with it, or the raw text alone."""
    raw = _said(reply)
    if _mended(options, reading):
        return [{"role": "user", "content": told.mend(raw, reading.message, asking.instructions)}]
    kept = asked if asked[: len(talk)] == talk and len(asked) > len(talk) and asking.tools else talk
    answer = {"role": "assistant", "content": raw.strip()[:_LONGEST] or "(nothing)"}
    return [*kept, answer, {"role": "user", "content": told.again(reading.message)}]


def _told(messages: str | Messages, instructions: str) -> Messages:
    """The messages, with what is asked of the answer at the end of the last one."""
    talk = [{"role": "user", "content": messages}] if isinstance(messages, str) else list(messages)
    if not instructions:
        return talk
    last = talk[-1]
    return [*talk[:-1], {**last, "content": f"{last['content']}\n\n{instructions}"}]


def _failed(ctx: Context, reading: Reading, raw: str, asking: Asking) -> AgentError:
    if reading.kind == "tool":
        return AgentError(
            f"the model of {ctx.node!r} called a tool that cannot be called: {reading.message}",
            where=f"node {ctx.node!r}",
            fix=f"offer the tool in `tools` (now: {', '.join(asking.tools)}), name them in the "
            "prompt, or set `violation_retries`",
            code=UNKNOWN,
        )
    where = f" at {reading.where}" if reading.where else ""
    said = raw if len(raw) <= _SHOWN else raw[:_SHOWN] + "…"
    return AgentError(
        f"the answer of {ctx.node!r} breaks its contract{where} ({reading.kind}): "
        f"{reading.message}; it said {said!r}",
        where=f"node {ctx.node!r}",
        fix="see the raw text with `orka show`; loosen the contract, change the prompt, "
        "or set `on_violation`",
        code=VIOLATION,
    )


def digest_of(value: Json) -> str:
    """The digest of what an answer is held to, as violations name it."""
    return digest(canonical(value))
