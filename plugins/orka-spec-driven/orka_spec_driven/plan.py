"""A plan: what it is for, its steps by id, its risks."""

from __future__ import annotations

from collections.abc import Mapping

from orka.agent.sensor import Contract
from orka.agent.view import field
from orka.errors import AgentError
from orka.value import Json, canonical

_TEXT: Json = {"type": "string", "minLength": 3, "maxLength": 400}
SCHEMA: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["goal", "steps", "risks"],
    "properties": {
        "goal": _TEXT,
        "steps": {
            "type": "array",
            "minItems": 1,
            "maxItems": 20,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["id", "does"],
                "properties": {
                    "id": {"type": "string", "minLength": 1, "maxLength": 30},
                    "does": _TEXT,
                },
            },
        },
        "risks": {"type": "array", "maxItems": 20, "items": _TEXT},
    },
}
_CONTRACT = Contract.of(SCHEMA)


def plan_in(value: Json, node: str) -> dict[str, Json]:
    """The plan that `node` gave, each step with its id. Raises `AgentError` (`plan.invalid`)."""
    plan = value
    if isinstance(value, Mapping) and "steps" not in value:
        plan = field(value, "result")
    plan = _numbered(plan)
    problem = _CONTRACT.judge(plan).message
    ids = [] if problem else step_ids(plan)
    twice = [id for at, id in enumerate(ids) if id in ids[:at]]
    if problem or twice:
        raise AgentError(
            f"{node!r} gave no plan: {problem or f'step {twice[0]!r} is there twice'}",
            where=f"node {node!r}",
            fix="hold the planner to the schema in orka_spec_driven/plan.py, with `output`",
            code="plan.invalid",
        )
    return {name: plan[name] for name in ("goal", "steps", "risks")}


def _numbered(plan: Json) -> Json:
    """The plan with steps that have ids: those that are texts alone are s1, s2 and so on."""
    steps = plan.get("steps") if isinstance(plan, Mapping) else None
    if not isinstance(steps, list) or not all(isinstance(step, str) for step in steps):
        return plan
    return {**plan, "steps": [{"id": f"s{at}", "does": s} for at, s in enumerate(steps, 1)]}


def step_ids(plan: Mapping[str, Json]) -> list[str]:
    return [step["id"] for step in plan["steps"]]


def told(plan: Mapping[str, Json]) -> str:
    """A plan in words, for a prompt."""
    lines = [f"Goal: {plan['goal']}"]
    lines += [f"Step {step['id']}: {step['does']}" for step in plan["steps"]]
    lines += [f"Risk: {risk}" for risk in plan["risks"]]
    return "\n".join(lines)


def same(one: Json, other: Json) -> bool:
    return canonical(one) == canonical(other)
