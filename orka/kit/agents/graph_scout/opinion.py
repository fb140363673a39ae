"""What the model says of the paths, as readings of the factors that are its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from orka.agent.judging import evaluated, question
from orka.errors import AgentError, EffectFailed
from orka.kit.agents.graph_scout.judge import Question, judged, lost, told
from orka.kit.agents.graph_scout.options import GraphScoutOptions
from orka.kit.agents.graph_scout.setting import RUBRIC, SUITS
from orka.score.boolean import rubric
from orka.score.criterion import Proposal
from orka.score.factor import Abstained, Known, Reading
from orka.score.ledger import Noise
from orka.score.setting import Setting

Readings = Mapping[str, Mapping[str, Reading]]
_LLM = "llm"
_SUITABLE = 0.5


class Opinions(NamedTuple):
    """Readings by the path's name, then the factor; and the noise of the judge, if it has some."""

    readings: Readings
    noise: tuple[Noise, ...] = ()


async def opinions(asked: Question, paths: Sequence[Proposal], setting: Setting) -> Opinions:
    """Ask only what counts. Raises `AgentError` (`scout.judge`)."""
    options: GraphScoutOptions = asked.ctx.config
    if options.scoring_mode == "boolean" and options.asks and options.boolean.rubric:
        found = await asked.ctx.all(*(_answered(asked, each) for each in paths))
        return Opinions({path.name: told for path, told in zip(paths, found, strict=True)})
    wanted = SUITS if options.scoring_mode == "boolean" else _LLM
    if not setting.weights.get(wanted):
        return Opinions({})
    if not options.asks:
        return Opinions({each.name: {_LLM: Abstained("no model is asked")} for each in paths})
    opinion = await judged(asked, paths)
    if wanted == SUITS:
        readings = {name: {SUITS: _suits(held)} for name, held in opinion.readings.items()}
        return Opinions(readings)
    noise = (opinion.noise,) if opinion.noise else ()
    return Opinions({name: {_LLM: held} for name, held in opinion.readings.items()}, noise)


def _suits(held: Reading) -> Reading:
    """The judgement as true or false."""
    if isinstance(held, Abstained):
        return held
    return Known(float(held.value >= _SUITABLE), f"the model gives it {held.value}: {held.reason}")


async def _answered(asked: Question, path: Proposal) -> Mapping[str, Reading]:
    """Each criterion of the rubric, answered by the model; null is unknown."""
    options: GraphScoutOptions = asked.ctx.config
    held = rubric(RUBRIC, options.boolean.rubric or "")
    shown = [f"Task:\n{asked.task}", f"Proposed path of agents:\n{told(path, asked.pool)}"]
    try:
        value = await evaluated(asked.ctx, options, held, question(held, shown))
    except (AgentError, EffectFailed) as error:
        return dict.fromkeys(held.weights, lost(error))
    why = str(value.get("error") or value.get("rationale") or "")
    passed, failed = value["passed_criteria"], value["failed_criteria"]
    return {
        name: Known(float(name in passed), why)
        if name in passed or name in failed
        else Abstained(why or "the model cannot tell")
        for name in held.weights
    }
