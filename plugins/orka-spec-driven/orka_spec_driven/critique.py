"""`critique`: attacks a plan in rounds, within a budget, until it has nothing new to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import msgspec
from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, model_problem, model_shape, sense
from orka.value import Json

from orka_spec_driven.likeness import fresh
from orka_spec_driven.plan import step_ids, told
from orka_spec_driven.record import record_of

Stopped = Literal["satisfied", "repetition", "budget", "rounds"]
# What an objection to the plan as a whole names as its step.
_WHOLE = "plan"
_ASK = (
    "Attack this plan: what will fail, what is left out, what cannot be undone. Name the step of "
    f"each objection, or {_WHOLE!r} for the whole. Raise only what is new; an empty list is an "
    "answer too."
)
_FOUND: Json = {
    "type": "object",
    "required": ["objections", "rounds", "tokens", "stopped"],
    "properties": {
        "objections": {"type": "array", "items": {"required": ["step", "severity", "problem"]}},
        "rounds": {"type": "integer"},
        "stopped": {"enum": list(get_args(Stopped))},
    },
}
# Tokens that an answer needs at least.
_SHORTEST = 32


class CritiqueOptions(ModelOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`of` is the `plan_state` whose plan is attacked; `prompt`, a template, says by what. At most
    `max_rounds` rounds and `budget_tokens` tokens; objections that share `repeats_at` of their
    words are the same."""

    of: str
    prompt: str = ""
    max_rounds: int = 4
    budget_tokens: int = 6000
    repeats_at: float = 0.6


class Attack(msgspec.Struct, frozen=True):
    """What the rounds so far have brought."""

    objections: tuple[Mapping[str, Json], ...] = ()
    rounds: int = 0
    tokens: int | None = 0
    last: int = 0
    stopped: Stopped | None = None
    why: str = ""


def _shape(options: CritiqueOptions) -> Shape:
    return msgspec.structs.replace(model_shape(options), reads=(options.of,))


def _check(options: CritiqueOptions) -> str:
    if options.max_rounds < 1 or options.budget_tokens < _SHORTEST:
        return f"`max_rounds` must be 1 or more, and `budget_tokens` {_SHORTEST} or more"
    if not 0 < options.repeats_at <= 1:
        return f"`repeats_at` is {options.repeats_at:g}; it lies above 0, and at most at 1"
    return model_problem(options)


@agent(
    "critique",
    config=CritiqueOptions,
    templates=("prompt",),
    shape=_shape,
    check=_check,
    version="1",
    gives=_FOUND,
)
async def critique(ctx: Context) -> Json:
    """Give the `objections`, each once, and `rounds`, `tokens`, `stopped` (`satisfied`,
    `repetition`, `budget`, `rounds`). Fails with `plan.forged`, or as a sensor."""
    options: CritiqueOptions = ctx.config
    plan = record_of(ctx, options.of)["plan"]
    attack = Attack()
    while attack.stopped is None:
        attack = await _round(ctx, plan, attack)
    said = {"rounds": attack.rounds, "tokens": attack.tokens}
    await ctx.note(f"critique.{attack.stopped}", attack.why, said)
    objections = [dict(each) for each in attack.objections]
    return {"objections": objections, **said, "stopped": attack.stopped}


async def _round(ctx: Context, plan: Mapping[str, Json], attack: Attack) -> Attack:
    options: CritiqueOptions = ctx.config
    prompt = _prompt(plan, attack.objections, ctx.render("prompt"))
    said = await sense(ctx, prompt, _within(options, attack), _contract(plan))
    new = fresh(said["objections"], attack.objections, options.repeats_at)
    used = ctx.spent()["tokens"]
    after = Attack(
        objections=(*attack.objections, *new),
        rounds=attack.rounds + 1,
        tokens=used,
        last=(used or 0) - (attack.tokens or 0),
    )
    stopped, why = _stops(options, after, said["objections"], new)
    return msgspec.structs.replace(after, stopped=stopped, why=why)


def _stops(
    options: CritiqueOptions, attack: Attack, raised: Sequence[Json], new: Sequence[Json]
) -> tuple[Stopped | None, str]:
    """The rule that ends the attack after a round, if one does, and why in words."""
    limit = options.budget_tokens
    if not raised:
        return "satisfied", f"round {attack.rounds} has no objection"
    if not new:
        return "repetition", f"round {attack.rounds} only says again what was said"
    if attack.tokens is None:
        return "budget", f"nobody counted the tokens, so {limit} cannot be kept"
    if _room(options, attack) < _SHORTEST:
        left = max(limit - attack.tokens, 0)
        return "budget", f"{left} of {limit} tokens are left; the last round took {attack.last}"
    if attack.rounds >= options.max_rounds:
        return "rounds", f"{attack.rounds} rounds are over"
    return None, ""


def _within(options: CritiqueOptions, attack: Attack) -> CritiqueOptions:
    """The options of the next round: it may not write more than there is room for."""
    room = _room(options, attack)
    most = room if options.max_tokens is None else min(room, options.max_tokens)
    return msgspec.structs.replace(options, max_tokens=most)


def _room(options: CritiqueOptions, attack: Attack) -> int:
    """The tokens that the next answer may have. Its question repeats the last one with what was
    answered, so it takes about what the last round took."""
    return options.budget_tokens - (attack.tokens or 0) - attack.last


def _prompt(plan: Mapping[str, Json], before: Sequence[Mapping[str, Json]], focus: str) -> str:
    parts = [_ASK, focus.strip(), told(plan)]
    if before:
        said = "\n".join(f"- {each['step']}: {each['problem']}" for each in before)
        parts.append(f"Raised already:\n{said}")
    return "\n\n".join(part for part in parts if part)


def _contract(plan: Mapping[str, Json]) -> Contract:
    objection: Json = {
        "type": "object",
        "additionalProperties": False,
        "required": ["step", "severity", "problem"],
        "properties": {
            "step": {"enum": [*step_ids(plan), _WHOLE]},
            "severity": {"enum": ["blocker", "major", "minor"]},
            "problem": {"type": "string", "minLength": 3, "maxLength": 300},
        },
    }
    return Contract.of(
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["objections"],
            "properties": {"objections": {"type": "array", "maxItems": 5, "items": objection}},
        }
    )
