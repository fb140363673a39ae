"""`loop_validator`: a model judges what a round gave, criterion by criterion; the score is ours."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.judging import JudgeOptions, evaluated, judge_problem, question, rubric_of
from orka.agent.sensor import model_shape
from orka.agent.view import text_of
from orka.errors import AgentError
from orka.score.boolean import Rubric
from orka.value import Json, canonical

_CONTENT = "{content}"
# What a judge of rounds is told of the rounds before, inside a loop.
_ROUNDS = """\
{% if past_loops is defined and past_loops %}Earlier rounds, the last one with what was said in it:
{% for each in past_loops %}\
- round {{ each.loop_number }}, score {{ each.score }}
{% for id, said in (each.result if each.result is defined else {}) | items %}\
{% if said is string or (said is mapping and 'validation_score' not in said) %}\
  {{ id }}: {{ said }}
{% endif %}{% endfor %}{% endfor %}{% endif %}\
{% if score_threshold is defined and score_threshold %}\
The score that is wanted: {{ score_threshold }}{% endif %}"""


class LoopValidatorOptions(JudgeOptions, frozen=True, kw_only=True):
    """`evaluation_target` names the agent whose output is judged; without it, all that led here.
    `prompt` says what is to be judged, before what is shown; `custom_prompt` has `{content}` where
    it stands. `mode` chooses the context where `scoring_context` does not."""

    evaluation_target: str = ""
    prompt: str = ""
    custom_prompt: str = ""
    mode: Literal["loop", "path"] = "loop"
    rounds: str = _ROUNDS


def _shape(options: LoopValidatorOptions) -> Shape:
    target = (options.evaluation_target,) if options.evaluation_target else ()
    return msgspec.structs.replace(model_shape(options), reads=target)


def _check(options: LoopValidatorOptions) -> str:
    if options.custom_prompt and _CONTENT not in options.custom_prompt:
        return "`custom_prompt` has no `{content}`: the place of what is judged"
    return judge_problem(options, _usual(options))


def _usual(options: LoopValidatorOptions) -> str:
    return "graphscout" if options.mode == "path" else "loop_convergence"


@agent(
    "loop_validator",
    config=LoopValidatorOptions,
    templates=("prompt", "rounds"),
    shape=_shape,
    check=_check,
    version="1",
)
async def loop_validator(ctx: Context) -> Json:
    """Give `validation_score`, `overall_assessment` and the criteria. Raises `AgentError` if there
    is nothing to judge."""
    options: LoopValidatorOptions = ctx.config
    rubric = rubric_of(options, _usual(options))
    return await evaluated(ctx, options, rubric, _question(ctx, options, rubric))


def _question(ctx: Context, options: LoopValidatorOptions, rubric: Rubric) -> str:
    content = _content(ctx, options)
    if options.custom_prompt:
        return question(rubric, [options.custom_prompt.replace(_CONTENT, content)])
    asked = ctx.render("prompt") or "Judge what follows."
    return question(rubric, [asked, f"To be judged:\n{content}", ctx.render("rounds")])


def _content(ctx: Context, options: LoopValidatorOptions) -> str:
    target = options.evaluation_target
    if not target:
        return canonical(ctx.upstream or ctx.input).decode()
    if target not in ctx.outputs:
        raise AgentError(
            f"{ctx.node!r} has nothing to judge: {target!r} gave no output",
            code="judge.nothing",
            fix="let `evaluation_target` name an agent that always runs before it",
        )
    return text_of(ctx.outputs[target])
