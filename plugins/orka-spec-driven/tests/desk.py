"""The workflow at a desk of its own: a scripted model, and the replies it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orka
from orka.event.event import EffectRequested
from orka.port.model import Usage
from orka.testing.scripted import Reply, ScriptedModel, scripted
from orka.value import Json

import orka_spec_driven

FLOW = Path(orka_spec_driven.__file__).parent / "spec_driven.yml"
LOCAL = "local/qwen2.5-coder-0.5b-instruct"
PLAN: Json = {
    "goal": "Write a page about tea",
    "steps": [
        {"id": "s1", "does": "Write an outline"},
        {"id": "s2", "does": "Write the page"},
    ],
    "risks": ["it may become too long"],
}
BETTER: Json = {**PLAN, "risks": ["it may become too long", "sources may be wrong"]}
YES: Json = {"approved": True, "by": "pia"}
NO: Json = {"approved": False, "by": "pia", "reason": "too vague"}


def written(plan: Json) -> Json:
    """A plan as the planner of the workflow writes it: its steps are texts."""
    return {**plan, "steps": [step["does"] for step in plan["steps"]]}


def objection(problem: str, step: str = "s1", severity: str = "major") -> Json:
    return {"step": step, "severity": severity, "problem": problem}


def attack(*objections: Json, tokens: int = 100) -> Reply:
    """A round of the architect that takes so many tokens."""
    usage = Usage(prompt_tokens=tokens - 20, completion_tokens=20)
    return Reply(value={"objections": list(objections)}, usage=usage)


def call(name: str, **arguments: Json) -> Json:
    """A model's call of a tool."""
    return {"name": name, "arguments": arguments}


QUESTIONS: Json = {
    "questions": [
        {"step": "s1", "question": "Where is the outline?"},
        {"step": "s2", "question": "Where is the page?"},
    ]
}
ANSWERS: Json = {
    "answers": [
        {"question": 0, "answer": "In outline.txt", "quote": "Wrote outline.txt"},
        {"question": 1, "answer": "In page.txt", "quote": "wrote page.txt"},
    ]
}
ACCEPTED: Json = {"verdict": "accepted", "reason": "both files are there"}
REPLIES: Mapping[str, Sequence[Json]] = {
    "planner": [written(PLAN)],
    "attack": [attack(objection("There is no source for the facts", "s2")), attack()],
    "revise": [written(BETTER)],
    "work": [
        call("workspace_write", path="outline.txt", text="leaf, water, cup"),
        "Wrote outline.txt with three parts.",
        call("workspace_write", path="page.txt", text="Tea is a leaf in hot water."),
        "Then wrote page.txt in full.",
    ],
    "check": [QUESTIONS, ANSWERS, ACCEPTED],
}


def model(**replies: Sequence[Json]) -> ScriptedModel:
    return scripted({**REPLIES, **replies})


def flow() -> str:
    """The workflow of the package, with the scripted model."""
    return FLOW.read_text(encoding="utf-8").replace(LOCAL, "scripted")


async def done(
    answer: Json, given: ScriptedModel, workflow: str = "", use: Sequence[object] = ()
) -> orka.Run:
    """A run that is answered and replayed."""
    models = {"scripted": given}
    async with orka.Runtime(store=":memory:", models=models, use=use) as runtime:
        run = await runtime.run(workflow or flow(), "Write a page about tea", run_id="tea")
        if run.status == "waiting":
            seal = run.questions[0].payload["seal"]
            run = await runtime.answer(run.id, "sign_off", {**answer, "seal": seal})
        runtime.replay(run.id)
        return run


def asked(run: orka.Run, node: str) -> list[Json]:
    """What a node asked models, in order."""
    requests = [e for e in run.events if isinstance(e, EffectRequested) and e.kind == "llm"]
    return [each.payload for each in requests if each.id.startswith(f"{node}#")]


def value(run: orka.Run, node: str) -> Json:
    return next(each.value for each in run.nodes if each.path == node)
