"""`graph-scout`: proposes paths, has them judged and scored, decides, and may run the choice."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.agent.scoring.boolean import checked
from orka.agent.scoring.heuristics import heuristics
from orka.agent.scoring.prior import priors
from orka.agent.scoring.spend import estimates, fared, gate, spend
from orka.agent.sensor import model_shape
from orka.agent.view import text_of
from orka.kit.agents.graph_scout.judge import Question
from orka.kit.agents.graph_scout.opinion import Readings, opinions
from orka.kit.agents.graph_scout.options import GraphScoutOptions
from orka.kit.agents.graph_scout.problem import problem
from orka.kit.agents.graph_scout.propose import proposed
from orka.kit.agents.graph_scout.setting import checks_of, setting_of
from orka.kit.agents.graph_scout.then import carried_out
from orka.score.criterion import Criterion, Proposal, State
from orka.score.evaluator import Gate, SmartPathEvaluator
from orka.score.factor import PENALTIES
from orka.score.ledger import Ledger
from orka.score.strategy import STRATEGIES
from orka.value import Json, canonical, digest

Pool = Mapping[str, Json]


def _shape(options: GraphScoutOptions) -> Shape:
    own = model_shape(options) if options.asks else Shape()
    return msgspec.structs.replace(
        own,
        pool=True,
        answers=options.execute,
        criteria=tuple(options.criteria),
        strategies=() if options.strategy in STRATEGIES else (options.strategy,),
        named=options.named,
    )


@agent(
    "graph-scout",
    config=GraphScoutOptions,
    templates=("prompt", "domain", "tenant"),
    shape=_shape,
    check=problem,
    version="2",
)
async def graph_scout(ctx: Context) -> Json:
    """Give `decision` (commit_next, commit_path, shortlist, human_gate, fallback), `target`,
    `path`, the `shortlist`, `scores`, `margin`, `status` and `reasoning`; the whole decision is in
    the trace (`orka why`). With `execute` also `executed_path`, `results` and `response`.

    Fails with `scout.no_path` if there is nothing to choose from and no
    `fallback`, `scout.stopped`, `scout.judge`, `scout.answer`, `path.failed`."""
    task = text_of(ctx.render("prompt"))
    ledger = await _decided(ctx, task)
    return await carried_out(ctx, ledger, task)


async def _decided(ctx: Context, task: str) -> Ledger:
    """Propose, measure, score, decide; on the record."""
    options: GraphScoutOptions = ctx.config
    pool = ctx.pool
    paths, pruned = proposed(ctx, pool)
    about = {name: text_of(ctx.render(name)) for name in ("domain", "tenant")}
    setting = setting_of(options, ctx.criteria)
    past = await _past(ctx, paths, about)
    asked = Question(ctx, options, options.judge, task, pool)
    said = await opinions(asked, paths, setting)
    criteria, gates = _measures(ctx, setting.weights, past.get("currency", "USD"))
    state = _state(ctx, paths, said.readings, past, about)
    return await ctx.rank(
        SmartPathEvaluator(setting, criteria, gates, {**STRATEGIES, **ctx.strategies}),
        state,
        pruned=pruned,
        noise=said.noise,
        context={**about, "task": digest(canonical(task))[:32]},
    )


async def _past(
    ctx: Context, paths: list[Proposal], about: Mapping[str, str]
) -> Mapping[str, Json]:
    """What earlier runs tell; nothing, unless the author wants to know."""
    options: GraphScoutOptions = ctx.config
    if not options.history or not paths:
        return {}
    agents = dict.fromkeys(id for each in paths for id in each.path)
    told: Mapping[str, Json] = await ctx.history(
        list(agents),
        [each.path for each in paths],
        tenant=about["tenant"],
        domain=about["domain"],
        runs=options.history,
    )
    return told


def _state(
    ctx: Context,
    paths: list[Proposal],
    readings: Readings,
    past: Mapping[str, Json],
    about: Mapping[str, str],
) -> State:
    options: GraphScoutOptions = ctx.config
    return State(
        candidates=paths,
        readings=readings,
        estimates=estimates(paths, ctx.pool, options.estimates, past),
        history=fared(paths, past),
        names=about,
        input=ctx.input,
        outputs=ctx.outputs,
    )


def _measures(
    ctx: Context, weights: Mapping[str, float], currency: str
) -> tuple[list[Criterion], list[Gate]]:
    """The criteria that have weight, and what excludes a path whatever its score."""
    options: GraphScoutOptions = ctx.config
    weighed = [name for name in PENALTIES if weights.get(name)]
    numeric = options.scoring_mode == "numeric"
    gates = [gate(options.budget, currency, weighed if numeric else PENALTIES)]
    found = list(ctx.criteria.values())
    prior, forbidden = priors(options.priors, learn=options.learn)
    gates.append(forbidden)
    if numeric:
        found += [heuristics(options.heuristics), prior, *spend(options.budget)]
    else:
        found += checked(checks_of(options.boolean), options.boolean.limits)
    return [each for each in found if each.name in weights], gates
