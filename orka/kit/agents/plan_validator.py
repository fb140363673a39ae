"""`plan_validator`: a model judges a proposed path of agents, criterion by criterion."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.judging import JudgeOptions, evaluated, judge_problem, question, rubric_of
from orka.agent.sensor import model_shape
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.score.plan import proposed
from orka.value import Json, canonical

_USUAL = "graphscout"
_ROUNDS = """\
{% if past_loops is defined and past_loops %}Earlier plans were criticised:
{% for each in past_loops %}- round {{ each.loop_number }}, score {{ each.score }}: \
{{ each.mistakes if each.mistakes is defined else "" }}
{% endfor %}{% endif %}"""


class PlanValidatorOptions(JudgeOptions, frozen=True, kw_only=True):
    """`plan_from` names the agent that proposed the plan; without it, it is looked for. `prompt`
    says what is to be judged; `rounds` what is told of earlier rounds of a loop."""

    plan_from: str = ""
    prompt: str = ""
    rounds: str = _ROUNDS


def _shape(options: PlanValidatorOptions) -> Shape:
    reads = (options.plan_from,) if options.plan_from else ()
    return msgspec.structs.replace(model_shape(options), reads=reads)


@agent(
    "plan_validator",
    config=PlanValidatorOptions,
    templates=("prompt", "rounds"),
    shape=_shape,
    check=lambda options: judge_problem(options, _USUAL),
    version="1",
)
async def plan_validator(ctx: Context) -> Json:
    """Give `validation_score`, `overall_assessment` and the criteria, and the agent whose plan was
    judged as `plan_from`. Raises `AgentError` if nobody proposed one."""
    options: PlanValidatorOptions = ctx.config
    found = proposed(ctx.outputs, options.plan_from)
    if found is None:
        there = ", ".join(ctx.outputs) or "none"
        raise AgentError(
            f"{ctx.node!r} finds no plan to judge; outputs it can see: {there}",
            code="judge.nothing",
            fix="name the agent that proposes it with `plan_from`",
        )
    source, plan = found
    shown = [
        ctx.render("prompt") or "Judge the plan: will this path of agents answer the question?",
        f"Question:\n{_asked(ctx.input)}",
        f"Plan, proposed by {source}:\n{_told(plan)}",
        ctx.render("rounds"),
    ]
    rubric = rubric_of(options, _USUAL)
    return {**await evaluated(ctx, options, rubric, question(rubric, shown)), "plan_from": source}


def _asked(given: Json) -> str:
    held = given.get("input", given) if isinstance(given, Mapping) else given
    return text_of(held)


def _told(plan: Json) -> str:
    return plan if isinstance(plan, str) else canonical(plan).decode()
