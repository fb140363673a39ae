"""`review`: asks about each step before it judges; without answers it does not judge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec
from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.sensor import Contract, ModelOptions, model_problem, model_shape, sense
from orka.agent.view import text_of
from orka.value import Json

from orka_spec_driven.plan import step_ids, told
from orka_spec_driven.record import record_of

_QUESTIONS = "Ask about each step of the plan at least one question whose answer shows it was done."
_ANSWERS = (
    "Answer each question from the report alone. Copy into `quote` the words of the report that "
    "say so; null if it does not say."
)
_VERDICT = (
    "Judge by the answers alone whether the plan was carried out: `accepted`, or `changes` with "
    "the reason."
)
Question = dict[str, Json]
# A word, a number, the name of a file.
# Signs without which a quote says nothing.
_LEAST = 6
_TOKEN = re.compile(r"\w+(?:[./_-]\w+)*")
_JUDGED: Json = {
    "type": "object",
    "required": ["verdict", "reason", "questions", "uncovered"],
    "properties": {
        "verdict": {"enum": ["accepted", "changes", "abstained"]},
        "questions": {"type": "array", "items": {"required": ["step", "question", "answer"]}},
        "uncovered": {"type": "array", "items": {"type": "string"}},
    },
}


class ReviewOptions(ModelOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`of` is the `plan_state` whose plan was carried out, `work` the report about it; a template.
    `answers_model` answers the questions; without it, the model that asks them."""

    of: str
    work: str
    answers_model: str = ""


def _shape(options: ReviewOptions) -> Shape:
    models = [name for name in (options.model, options.answers_model) if name]
    return msgspec.structs.replace(
        model_shape(options), reads=(options.of,), models=tuple(dict.fromkeys(models))
    )


@agent(
    "review",
    config=ReviewOptions,
    templates=("work",),
    shape=_shape,
    check=model_problem,
    version="1",
    gives=_JUDGED,
)
async def review(ctx: Context) -> Json:
    """Give `verdict` (`accepted`, `changes`, or `abstained` if a step has no answered question),
    `reason`, the `questions` with their answers, and the steps that are `uncovered`."""
    options: ReviewOptions = ctx.config
    plan = record_of(ctx, options.of)["plan"]
    work = text_of(ctx.render("work"))
    questions = await _asked(ctx, plan)
    questions = await _answered(ctx, plan, work, questions)
    covered = {each["step"] for each in questions if each["answer"] is not None}
    uncovered = [id for id in step_ids(plan) if id not in covered]
    found: dict[str, Json] = {"questions": questions, "uncovered": uncovered}
    if uncovered:
        reason = f"no question about {', '.join(uncovered)} was answered from the report"
        await ctx.note("review.abstained", reason, {"uncovered": uncovered})
        return {"verdict": "abstained", "reason": reason, **found}
    judged = await sense(ctx, _judging(plan, questions), options, _VERDICTS)
    return {"verdict": judged["verdict"], "reason": judged["reason"], **found}


async def _asked(ctx: Context, plan: Mapping[str, Json]) -> list[Question]:
    prompt = f"{_QUESTIONS}\n\n{told(plan)}"
    said = await sense(ctx, prompt, ctx.config, _questions(plan))
    return [dict(each) for each in said["questions"]]


async def _answered(
    ctx: Context, plan: Mapping[str, Json], work: str, questions: Sequence[Question]
) -> list[Question]:
    """The questions with their answers. An answer counts if its quote stands in the report: what
    does not is a violation, and no answer."""
    options: ReviewOptions = ctx.config
    if not questions:
        return []
    listed = "\n".join(f"{at}. ({q['step']}) {q['question']}" for at, q in enumerate(questions))
    prompt = f"{_ANSWERS}\n\n{told(plan)}\n\nReport:\n{work}\n\nQuestions:\n{listed}"
    asked = msgspec.structs.replace(options, model=options.answers_model or options.model)
    said = await sense(ctx, prompt, asked, _answers(len(questions)))
    given = {each["question"]: each for each in said["answers"]}
    found = []
    for at, question in enumerate(questions):
        answer, quote = _of(given.get(at))
        if quote is not None and not quoted(quote, work):
            where = f"answers.{at}.quote"
            message = f"{quote!r} does not stand in the report"
            await ctx.violation(kind="ungrounded", where=where, message=message, raw=quote)
            answer = quote = None
        found.append({**question, "answer": answer, "quote": quote})
    return found


def quoted(quote: str, text: str) -> bool:
    """True if the words of a quote stand in a text, one after another, whatever is between.
    A word or two that stand in any text are none."""
    words, all = _TOKEN.findall(quote.casefold()), _TOKEN.findall(text.casefold())
    return len("".join(words)) >= _LEAST and f" {' '.join(words)} " in f" {' '.join(all)} "


def _of(given: Mapping[str, Json] | None) -> tuple[str | None, str | None]:
    """An answer with its quote; without a quote there is none."""
    if given is None or given["quote"] is None or not given["quote"].strip():
        return None, None
    return given["answer"], given["quote"]


def _judging(plan: Mapping[str, Json], questions: Sequence[Question]) -> str:
    lines = [f"({q['step']}) {q['question']}\n{q['answer']}" for q in questions if q["answer"]]
    return "\n\n".join([_VERDICT, told(plan), *lines])


def _list(name: str, most: int, properties: Mapping[str, Json]) -> Contract:
    item: Json = {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": dict(properties),
    }
    return Contract.of(
        {
            "type": "object",
            "additionalProperties": False,
            "required": [name],
            "properties": {name: {"type": "array", "maxItems": most, "items": item}},
        }
    )


def _questions(plan: Mapping[str, Json]) -> Contract:
    ids = step_ids(plan)
    question: Json = {"type": "string", "minLength": 3, "maxLength": 200}
    return _list("questions", 3 * len(ids), {"step": {"enum": ids}, "question": question})


def _answers(count: int) -> Contract:
    at: Json = {"type": "integer", "minimum": 0, "maximum": count - 1}
    answer: Json = {"type": "string", "maxLength": 300}
    quote: Json = {"type": ["string", "null"], "maxLength": 300}
    return _list("answers", 2 * count, {"question": at, "answer": answer, "quote": quote})


_VERDICTS = Contract.of(
    {
        "type": "object",
        "additionalProperties": False,
        "required": ["verdict", "reason"],
        "properties": {
            "verdict": {"enum": ["accepted", "changes"]},
            "reason": {"type": "string", "minLength": 3, "maxLength": 300},
        },
    }
)
