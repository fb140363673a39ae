"""`loop`: repeats an inner workflow until a rule ends it; the best round counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from orka.agent.agent import Shape, agent
from orka.agent.context import Context
from orka.errors import ConfigError, EffectFailed, nearest
from orka.score import stop
from orka.score.extract import (
    Extraction,
    Judge,
    Scoring,
    Strategy,
    Verdict,
    pattern_of,
    texts_of,
    verdict,
)
from orka.score.insight import Cognition, learned, quality, summary, trend
from orka.value import Json, canonical, digest

# Rounds that a later round is told of.
_TOLD = 20
# Characters of a text that a violation repeats.
_RAW = 2000
# Failures that end the loop whatever is given for a round that fails.
_FINAL = ("run.", "budget", "store.", "scope.", "replay.", "agent.nondeterministic")
_MEMORY = "loops"


class LoopOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`score_from` names the inner agent whose output is the score. Without anything that says how
    a round is scored, rounds have no score, and the last one counts."""

    internal_workflow: dict[str, Json]
    max_loops: int = 5
    score_threshold: float | None = None
    score_from: str = ""
    score_extraction_pattern: str = ""
    score_extraction_key: str = ""
    score_extraction_config: Extraction = Extraction()
    high_priority_agents: list[str] = []
    scoring: Scoring | None = None
    result_from: str = ""
    fallback_score: float | None = None
    timeout_score: float | None = None
    stop_phrase: str = ""
    stop_from: str = ""
    convergence: stop.Convergence | None = None
    repetition: stop.Repetition | None = None
    budget: stop.Budget | None = None
    past_loops_metadata: dict[str, Json] = {}
    cognitive_extraction: Cognition = Cognition()
    persist_across_runs: bool = False

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """All that were given, the older spellings first."""
        older = []
        if self.score_extraction_pattern:
            older.append(Strategy(type="pattern", patterns=[self.score_extraction_pattern]))
        if self.score_extraction_key:
            older.append(Strategy(type="direct_key", key=self.score_extraction_key))
        return (*older, *self.score_extraction_config.strategies)

    @property
    def scored(self) -> bool:
        """True if something says how a round is scored, or needs its score."""
        asks = self.score_threshold is not None or self.convergence is not None
        ways = self.score_from or self.strategies or self.scoring or self.high_priority_agents
        return bool(asks or ways or self.score_extraction_config.agreement_fallback)


class Round(msgspec.Struct, frozen=True):
    """One round: what its agents gave, its score (None: unknown), what later rounds are told of it,
    and the agent the score came from. An `assumed` score is the fallback for an unreadable one."""

    outputs: dict[str, Json]
    score: float | None
    told: dict[str, Json]
    judge: str = ""
    failure: EffectFailed | None = None
    assumed: bool = False

    @property
    def read(self) -> bool:
        """True if the score was read out of what the round gave."""
        return not (self.failure or self.assumed)


@agent(
    "loop",
    config=LoopOptions,
    templates=("past_loops_metadata",),
    shape=lambda options: Shape(inner={"body": "internal_workflow"}),
    check=lambda options: next(_problems(options), ""),
    version="2",
)
async def loop(ctx: Context) -> Json:
    """Give the best round's outputs as `result`, and what became of all rounds. Raises
    `EffectFailed` for a round that fails, if no score is given for such a round; and if all do."""
    options: LoopOptions = ctx.config
    order = _order(options.internal_workflow)
    past = await _recalled(ctx) if options.persist_across_runs else []
    rounds: list[Round] = []
    stopped = ""
    while not stopped:
        rounds.append(await _round(ctx, order, past, rounds))
        past.append(rounds[-1].told)
        stopped = await _stopped(ctx, rounds)
    if rounds[-1].failure and all(each.failure for each in rounds):
        raise rounds[-1].failure
    if options.persist_across_runs:
        await ctx.memory(
            "write", namespace=_MEMORY, key=_key(ctx), content=_json(past[-_TOLD:]), metadata={}
        )
    return _output(options, order, rounds, stopped)


async def _round(
    ctx: Context, order: Sequence[str], past: Sequence[dict[str, Json]], rounds: Sequence[Round]
) -> Round:
    options: LoopOptions = ctx.config
    names, scores = _names(options, past, rounds), [each.score for each in rounds]
    try:
        outputs = await ctx.graph("body", ctx.input, collect=True, names=names)
    except EffectFailed as error:
        return await _failed(ctx, names, error)
    judged = await _judged(ctx, order, outputs) if options.scored else Verdict()
    assumed = options.scored and judged.score is None and options.fallback_score is not None
    score = options.fallback_score if assumed else judged.score
    found = {
        **learned(options.cognitive_extraction, order, outputs, judged.criteria),
        "reasoning_quality": quality(outputs),
        "convergence_trend": trend(outputs, [*scores, score]),
    }
    if assumed:
        number = names["loop_number"]
        said = {"round": number, "score": score}
        await ctx.note("loop.fallback_score", f"round {number} counts as {score}", said)
    told = _told(ctx, names, score, found, outputs)
    return Round(outputs, score, told, judged.agent, assumed=assumed)


async def _failed(ctx: Context, names: Mapping[str, Json], error: EffectFailed) -> Round:
    """A round that failed, with the score that is given for such a round. Raises it otherwise."""
    options: LoopOptions = ctx.config
    late = error.code.rpartition(".")[2] == "timeout"
    score = options.timeout_score if late and options.timeout_score is not None else None
    score = options.fallback_score if score is None else score
    if score is None or error.code.startswith(_FINAL):
        raise error
    number = names["loop_number"]
    said = {"round": number, "score": score, "code": error.code}
    await ctx.note("loop.round_failed", f"round {number} failed: {error.what}", said)
    empty: dict[str, Json] = {**learned(Cognition(), (), {}, None), "mistakes": error.what}
    empty |= {"reasoning_quality": None, "convergence_trend": "UNKNOWN"}
    return Round({}, score, _told(ctx, names, score, empty, {}), failure=error)


async def _judged(ctx: Context, order: Sequence[str], outputs: Mapping[str, Json]) -> Verdict:
    """The score of a round; one that cannot be read is a violation, and unknown."""
    options: LoopOptions = ctx.config
    found = verdict(_judge(options), order, outputs)
    if found.score is None:
        raw = outputs.get(found.agent)
        text = raw if isinstance(raw, str) else _json(outputs if raw is None else raw)
        message = found.problem or "every criterion is unknown"
        await ctx.violation(
            kind="unreadable_score", where=found.agent, message=message, raw=text[:_RAW]
        )
    elif found.count > 1:
        message = f"{found.count} different scores stand there; the last one, {found.text}, counts"
        await ctx.note("loop.several_scores", message, {"agent": found.agent})
    return found


def _judge(options: LoopOptions) -> Judge:
    return Judge(
        source=options.score_from,
        first=tuple(options.high_priority_agents),
        strategies=options.strategies,
        rubrics=tuple(options.scoring.rubrics()) if options.scoring else (),
        agreement=options.score_extraction_config.agreement_fallback,
    )


async def _stopped(ctx: Context, rounds: Sequence[Round]) -> str:
    """The rule that ends the loop now, if one does; recorded with its reason."""
    options: LoopOptions = ctx.config
    for name, message in _reasons(ctx, rounds):
        if message:
            best = stop.best_of([each.score for each in rounds])
            said = {"rounds": len(rounds), "best": None if best is None else best + 1}
            await ctx.note(f"loop.{name}", message, said)
            return name
    return "max_loops" if len(rounds) >= options.max_loops else ""


def _reasons(ctx: Context, rounds: Sequence[Round]) -> Iterator[tuple[str, str]]:
    options: LoopOptions = ctx.config
    last, read = rounds[-1], [each.score if each.read else None for each in rounds]
    if last.read and stop.met(last.score, options.score_threshold):
        yield "threshold", f"{last.score} reaches {options.score_threshold}"
    if options.stop_phrase:
        asked = [options.stop_from] if options.stop_from else list(last.outputs)
        for id in asked:
            if any(stop.says(text, options.stop_phrase) for text in texts_of(last.outputs.get(id))):
                yield "stop_phrase", f"{id!r} says {options.stop_phrase!r}"
    if (again := options.repetition) and again.source in last.outputs:
        texts = [each.outputs.get(again.source) for each in rounds]
        said = ["\n".join(texts_of(text)) for text in texts if text is not None]
        if (found := stop.repeated(said, again)) is not None:
            least = again.min_novelty
            yield "repetition", f"{again.source!r} repeats itself: novelty {found}, below {least}"
    if options.convergence and stop.converged(read, options.convergence):
        yield "convergence", f"no gain in {options.convergence.rounds} rounds"
    if options.budget:
        yield "budget", stop.spent(options.budget, ctx.spent())


def _names(
    options: LoopOptions, past: Sequence[dict[str, Json]], rounds: Sequence[Round]
) -> dict[str, Json]:
    """What the templates of the next round may name. Of the last round they see all outputs."""
    told = list(past[-_TOLD:])
    if rounds:
        told[-1] = {"result": rounds[-1].outputs, **told[-1]}
    return {
        "loop_number": len(rounds) + 1,
        "max_loops": options.max_loops,
        "score_threshold": options.score_threshold,
        "scoring_context": options.scoring.context if options.scoring else None,
        "past_loops": told,
        "past_loops_metadata": summary(past, list(options.past_loops_metadata)),
    }


def _told(
    ctx: Context,
    names: Mapping[str, Json],
    score: float | None,
    found: Mapping[str, Json],
    outputs: Mapping[str, Json],
) -> dict[str, Json]:
    """What later rounds are told of a round: the author's metadata, or the usual ones. Its
    templates see the outputs of the round."""
    timestamp = datetime.fromtimestamp(ctx.now(), UTC).isoformat()
    usual = {"loop_number": names["loop_number"], "score": score, "timestamp": timestamp}
    if not ctx.config.past_loops_metadata:
        return {**usual, **found}
    seen = {**ctx.outputs, **outputs}
    given = {**names, **usual, **found, "previous_outputs": seen, "outputs": seen}
    written = ctx.render("past_loops_metadata", names=given)
    return {**usual, **written}


def _output(
    options: LoopOptions, order: Sequence[str], rounds: Sequence[Round], stopped: str
) -> Json:
    known = [each.score if each.read else None for each in rounds]
    best = stop.best_of(known)
    if best is None:
        best = max(index for index, each in enumerate(rounds) if not each.failure)
    outputs, score = rounds[best].outputs, rounds[best].score
    return {
        "result": outputs,
        "best_result": outputs.get(_answer(options, order, rounds[best])),
        "best_iteration": best + 1,
        "last": rounds[-1].outputs,
        "loops_completed": len(rounds),
        "score": score,
        "final_score": score,
        "scores": [each.score for each in rounds],
        "score_threshold": options.score_threshold,
        "threshold_met": stopped == "threshold",
        "stopped": stopped,
        "past_loops": [each.told for each in rounds],
    }


def _answer(options: LoopOptions, order: Sequence[str], best: Round) -> str:
    """The agent whose output is the round's answer: the last one but its judge."""
    if options.result_from:
        return options.result_from
    there = [id for id in reversed(order) if id in best.outputs]
    return next((id for id in there if id != best.judge), best.judge)


async def _recalled(ctx: Context) -> list[dict[str, Json]]:
    """The rounds of earlier runs."""
    found = await ctx.memory("get", namespace=_MEMORY, key=_key(ctx))
    entry = found["entry"]
    return list(msgspec.json.decode(entry["content"])) if entry else []


def _key(ctx: Context) -> str:
    """What is kept belongs to this loop as it is written."""
    written = digest(canonical(ctx.config.internal_workflow))
    return f"{ctx.node}.{written[:16]}"


def _json(value: Json) -> str:
    return canonical(value).decode()


def _order(workflow: Mapping[str, Json]) -> tuple[str, ...]:
    """The inner agents: those that the orchestrator lists last, for they run last when nothing
    else is said; before them those that a branch or route names."""
    listed = _ids(_part(workflow.get("orchestrator"), "agents"))
    every = _ids(workflow.get("agents"))
    return (*(id for id in every if id not in listed), *(id for id in listed if id in every))


def _part(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, Mapping) else None


def _ids(written: Json) -> list[str]:
    """The ids in a list of agents or of their names."""
    each = written if isinstance(written, list) else []
    found = [_part(item, "id") if isinstance(item, Mapping) else item for item in each]
    return [id for id in found if isinstance(id, str)]


def _problems(options: LoopOptions) -> Iterator[str]:
    if options.max_loops < 1:
        yield "`max_loops` must be 1 or more"
    for name in ("score_threshold", "fallback_score", "timeout_score"):
        value = getattr(options, name)
        if value is not None and not 0 <= value <= 1:
            yield f"`{name}` is {value!r}; scores lie between 0 and 1"
    yield from _unknown(options)
    yield from _wrong_rules(options)
    try:
        for strategy in options.strategies:
            yield from _wrong_strategy(strategy)
        if options.scoring:
            options.scoring.rubrics()
        yield from filter(None, [options.cognitive_extraction.problem()])
    except ConfigError as error:
        yield f"{error.what}; {error.fix}" if error.fix else error.what


def _unknown(options: LoopOptions) -> Iterator[str]:
    """Options that name an inner agent that does not exist."""
    known = _order(options.internal_workflow)
    named = [(name, getattr(options, name)) for name in ("score_from", "result_from", "stop_from")]
    named += [("repetition.from", options.repetition.source)] if options.repetition else []
    for name, id in named:
        if id and known and id not in known:
            told = f"`{name}` is {id!r}, which is no agent of `internal_workflow`"
            yield f"{told}; {nearest(id, known)}"


def _wrong_strategy(strategy: Strategy) -> Iterator[str]:
    needed = {"pattern": "patterns", "direct_key": "key", "agent_key": "agents"}
    needed |= {"nested_path": "path", "computed": "weights"}
    name = needed.get(strategy.type)
    if name and not getattr(strategy, name):
        yield f"a score strategy of type {strategy.type!r} needs `{name}`"
    for pattern in strategy.patterns:
        pattern_of(pattern)
    if strategy.type == "computed" and not all(0 < w <= 1e6 for w in strategy.weights.values()):
        yield "the `weights` of a computed score must be more than 0"


def _wrong_rules(options: LoopOptions) -> Iterator[str]:
    if options.stop_from and not options.stop_phrase:
        yield "`stop_from` needs `stop_phrase`"
    if (rule := options.convergence) and (rule.rounds < 1 or not 0 <= rule.min_gain <= 1):
        yield "`convergence` needs `rounds` of 1 or more and a `min_gain` between 0 and 1"
    if (again := options.repetition) and not 0 < again.min_novelty <= 1:
        yield "`repetition` needs a `min_novelty` above 0, and at most 1"
    if budget := options.budget:
        given = [each for each in (budget.tokens, budget.cost, budget.seconds) if each is not None]
        if not given or min(given) <= 0:
            yield "`budget` needs `tokens`, `cost` or `seconds`, more than 0"
