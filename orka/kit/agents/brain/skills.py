"""Learning and recalling skills."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import structs

from orka.agent.context import Context
from orka.errors import AgentError
from orka.kit.agents.brain.payload import Payload
from orka.kit.agents.brain.shelf import Shelf
from orka.score.features import Features, adaptations, features
from orka.score.skill import ANTI, Fit, Skill, Transfer, born, fit, identity, used
from orka.score.steps import steps_of
from orka.value import Json

TOP_K, MIN_SCORE = 3, 0.3
GENERAL = "general"


async def learn(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """A procedure, from `steps` or from what the response tells."""
    text = given.text("response")
    steps = steps_of(given.raw("steps"), text)
    if not steps:
        return _nothing("neither `steps` nor steps in the response")
    kind, task = _kind(given), _task(given)
    pattern = "-".join((*kind.patterns[:1], *kind.structures[:1])) or "task"
    domain = _domain(given)
    new = Skill(
        name=given.text("skill_name") or f"procedural:{domain}:{pattern}",
        skill_type="procedural",
        domain=domain,
        task=task,
        goal=kind.goal if kind.kinds else "",
        procedure=steps,
        features=kind,
        confidence=born("procedural", given.share("confidence")),
        tags=(*kind.structures, *kind.patterns, domain),
    )
    return await _learned(given, shelf, new, [kind.fingerprint, task.casefold().split()])


async def learn_recipe(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """Which agents did a task together."""
    agents = given.texts("agents")
    if not agents:
        return _nothing("`agents` is empty")
    pattern, domain = given.text("pattern", "strategy") or "sequential", _domain(given)
    detail = {"pattern": pattern, "agents": list(agents), "total_agents": len(agents)}
    for name, value in (
        ("output_format", given.text("output_format") or None),
        ("latency_ms", given.amount("duration_ms")),
    ):
        detail |= {} if value is None else {name: value}
    new = _assembled(given, "execution_recipe", agents, detail)
    name = given.text("skill_name") or f"recipe:{domain}:{pattern}-{'+'.join(agents[:3])}"
    return await _learned(given, shelf, structs.replace(new, name=name), [pattern, *agents])


async def learn_path(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """Which way through a graph did well."""
    nodes = given.texts("path_nodes", "path", at="→")
    if not nodes:
        return _nothing("`path_nodes` is empty")
    detail: dict[str, Json] = {"path": list(nodes), "score": given.share("score", "confidence")}
    if used_up := given.mapping("budget_used"):
        detail["budget_used"] = used_up
    new = _assembled(given, "graph_path", nodes, detail)
    name = given.text("skill_name") or f"path:{new.domain}:{'→'.join(nodes[:4])}"
    return await _learned(given, shelf, structs.replace(new, name=name), list(nodes))


async def learn_anti(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """What not to do."""
    failed = given.text("what_failed", "response")
    if not failed:
        return _nothing("`what_failed` is empty")
    domain, severity = _domain(given), given.text("severity") or "warning"
    why = given.text("why", "reason")
    slug = "-".join(failed.casefold().split())[:40]
    kind = _kind(given)
    new = Skill(
        name=given.text("skill_name") or f"anti:{domain}:{slug}",
        skill_type=ANTI,
        domain=domain,
        task=given.text("task") or failed[:200],
        features=kind,
        confidence=born(ANTI, None),
        tags=("anti-pattern", severity),
        detail={"what_failed": failed, "why": why or None, "severity": severity},
    )
    return await _learned(given, shelf, new, failed.casefold().split())


async def recall(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """The skills that fit a task best. Anti-patterns are warnings, never the skill to use."""
    target, domain = _kind(given), given.text("domain")
    text = " ".join(part for part in (_task(given), target.goal, domain) if part)
    types, least = given.texts("skill_types"), given.share("min_score")
    fits = [
        (key, skill, found)
        for key, skill in await shelf.skills(given.text("domain_filter"))
        if (not types or skill.skill_type in types)
        and (found := fit(skill, target, text)) is not None
        and found.combined >= (MIN_SCORE if least is None else least)
    ]
    fits.sort(key=lambda each: (-each[2].combined, len(each[2].unknown)))
    best = [each for each in fits if each[1].skill_type != ANTI][: given.count("top_k", TOP_K)]
    warnings = [_warning(skill, found) for _, skill, found in fits if skill.skill_type == ANTI]
    told = {"domain": domain, "task": _task(given), "warnings": warnings}
    if not best:
        nothing = "no skill that fits this task is known"
        return {"response": nothing, "confidence": None, "all_candidates": [], **told}
    key, skill, found = best[0]
    return {
        **told,
        "response": _told(skill),
        "confidence": found.combined,
        "internal_reasoning": found.reasoning,
        **_named(key, skill),
        "combined_score": found.combined,
        "structural_score": found.structural,
        "semantic_score": found.semantic,
        "transfer_score": found.transfer,
        "unknown": list(found.unknown),
        "adaptations": adaptations(skill.features, target),
        "all_candidates": [
            {"skill_id": id, "skill_name": s.name, "score": f.combined, "reasoning": f.reasoning}
            for id, s, f in best
        ],
    }


async def feedback(ctx: Context, given: Payload, shelf: Shelf) -> dict[str, Json]:
    """How the use of a skill went; without `success` it is taken to have gone well.

    Raises `AgentError` for a skill that is not known.
    """
    key, success = given.text("skill_id"), given.truth("success")
    if given.raw("success") is None:
        success = True
    if not key or success is None:
        why = "`success` is neither true nor false" if key else "no skill was used"
        return {"response": f"nothing was rated: {why}", "confidence": None}
    change = partial(_rated, ctx, given, success=success)
    skill = await shelf.change(key, change, renew=success)
    ended = "went well" if success else "failed"
    return {
        "response": f"{skill.name} {ended}; confidence is now {skill.confidence:.2f}",
        "confidence": skill.confidence,
        "skill_id": key,
        "skill_name": skill.name,
        "transfer_count": len(skill.transfers),
        "transfer_success": success,
        "transfer_rate": skill.transfer_rate,
    }


def _rated(ctx: Context, given: Payload, known: Skill | None, *, success: bool) -> Skill:
    if known is None:
        raise AgentError(
            f"no skill has the id {given.text('skill_id')!r}",
            code="brain.unknown_skill",
            fix="pass on `skill_id` of a recall or learn; skills that are not used are forgotten",
        )
    transfer = Transfer(
        success=success,
        at=ctx.now(),
        domain=given.text("domain"),
        task=given.text("task"),
        adaptations=given.mapping("adaptations"),
    )
    return structs.replace(used(known, success=success), transfers=(*known.transfers, transfer))


def _assembled(given: Payload, kind: str, parts: Sequence[str], detail: Json) -> Skill:
    """A skill whose steps are agents or nodes; its name is still to come."""
    quality = given.share("quality", "score", "confidence")
    return Skill(
        name="",
        skill_type=kind,
        domain=_domain(given),
        task=_task(given),
        procedure=tuple(
            {"action": part, "description": part, "order": at} for at, part in enumerate(parts, 1)
        ),
        features=_kind(given),
        confidence=born(kind, quality),
        tags=(kind, *parts),
        detail=detail,
    )


async def _learned(given: Payload, shelf: Shelf, new: Skill, what: Json) -> dict[str, Json]:
    success = given.truth("success")
    own = bool(given.text("skill_name"))
    key = identity(new.skill_type, new.name, new.domain, None if own else what)
    skill = await shelf.change(
        key, partial(_grown, new, success=success), renew=success is not False
    )
    return {
        "learned": True,
        "response": _told(skill),
        "confidence": skill.confidence,
        **_named(key, skill),
        "usage_count": skill.usage_count,
    }


def _grown(new: Skill, known: Skill | None, *, success: bool | None) -> Skill:
    """The new skill, with what is known of the uses of the same one."""
    if known is None:
        if success is None:
            return new
        return structs.replace(new, usage_count=1, success_rate=float(success))
    grown = structs.replace(
        new,
        confidence=known.confidence,
        usage_count=known.usage_count,
        success_rate=known.success_rate,
        transfers=known.transfers,
    )
    if success is None:
        return structs.replace(grown, confidence=max(new.confidence, known.confidence))
    return used(grown, success=success)


def _named(key: str, skill: Skill) -> dict[str, Json]:
    return {
        "skill_id": key,
        "skill_name": skill.name,
        "skill_type": skill.skill_type,
        "skill_steps": [step["description"] for step in skill.procedure],
        "skill_tags": list(skill.tags),
    }


def _told(skill: Skill) -> str:
    if skill.skill_type == ANTI:
        why = skill.detail.get("why")
        return f"avoid: {skill.detail['what_failed']}" + (f" ({why})" if why else "")
    steps = [f"{step['order']}. {step['description']}" for step in skill.procedure]
    return "\n".join([skill.name, *steps])


def _warning(skill: Skill, found: Fit) -> dict[str, Json]:
    return {"skill_name": skill.name, "score": found.combined, **skill.detail}


def _nothing(why: str) -> dict[str, Json]:
    return {"learned": False, "response": f"nothing learned: {why}", "confidence": None}


def _domain(given: Payload) -> str:
    return given.text("domain") or GENERAL


def _task(given: Payload) -> str:
    return given.text("task") or given.text("response")[:200]


def _kind(given: Payload) -> Features:
    told = {name: given.raw(name) for name in ("description", "prompt", "goal", "strategy")}
    told |= {"input_description": given.raw("input_description"), "task": _task(given)}
    return features({**told, "output_format": given.text("output_format", "expected_output")})
