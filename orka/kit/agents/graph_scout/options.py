"""The options of a graph-scout: which paths, how they are scored, how it decides, what then."""

from __future__ import annotations

from typing import Literal

import msgspec

from orka.agent.following import OnFailure
from orka.agent.scoring.boolean import Check
from orka.agent.scoring.heuristics import Rule
from orka.agent.scoring.prior import PriorSet
from orka.agent.scoring.spend import Budget, Declared
from orka.agent.sensor import ModelOptions
from orka.kit.agents.graph_scout.judge import Judge
from orka.value import Json


class NoiseMargin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A margin in standard deviations of the judge's noise."""

    noise: float


class OtherAgent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The agent that decides when it is too close."""

    agent: str


class Boolean(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a path passes: each critical criterion is true, at least `important_threshold` of the
    important ones, with `strict` the nice ones too. `checks` are the criteria, in place of the
    usual ones; `rubric` lets the model answer those of 0.9 with the weights of that preset.
    `limits` are names that checks compare with."""

    require_critical: bool = True
    important_threshold: float = 0.8
    strict: bool = False
    checks: list[Check] = []
    rubric: Literal["strict", "moderate", "lenient"] | None = None
    limits: dict[str, float] = msgspec.field(default_factory=dict)


class GraphScoutOptions(ModelOptions, frozen=True, kw_only=True):
    """`prompt` is the task, by default the run's input; `model` judges, if there is one.

    Paths: of at most `max_depth` agents of the pool, or those of `paths`; `edges` says which agent
    may follow which. With `require_terminal` a path ends with one of `terminal_agents`, or, if none
    are named, with one that has the capability `answer_emit` or `response_generation`, or with the
    last one that asks a model. At most `max_candidates` are proposed.

    Scores: `weights` by factor, or those of a `profile`; `policies` say what counts for not
    knowing. `heuristics`, `priors` and `criteria` (names of plugins) measure; `estimates` and the
    last `history` runs tell cost and latency, on the scale of the `budget`. `domain` and `tenant`
    are for priors and history; `learn` lets history correct the priors.

    Decision: by `strategy`; a lead below `commit_margin` is `too_close`. The shortlist has at most
    `k_beam`. `fallback` is the agent for the case that there is nothing to choose from. With
    `execute` the choice is run, and `on_failure` the shortlist after it.
    """

    model: str = ""
    temperature: float | None = 0.0
    prompt: str = "{{ input }}"
    paths: tuple[tuple[str, ...], ...] = ()
    edges: dict[str, tuple[str, ...]] | None = None
    max_depth: int = 2
    max_candidates: int = 24
    require_terminal: bool = False
    terminal_agents: tuple[str, ...] = ()
    required_agents: tuple[str, ...] = ()
    exclude: tuple[str, ...] | dict[str, str] = ()

    profile: str = ""
    weights: Json = None
    policies: dict[str, str] = msgspec.field(default_factory=dict)
    judge: Judge = Judge()
    heuristics: tuple[Rule, ...] = ()
    priors: tuple[PriorSet, ...] = ()
    learn: bool = False
    criteria: tuple[str, ...] = ()
    budget: Budget = Budget()
    estimates: dict[str, Declared] = msgspec.field(default_factory=dict)
    history: int = 50
    domain: str = ""
    tenant: str = ""
    scoring_mode: Literal["numeric", "boolean"] = "numeric"
    boolean: Boolean = Boolean()

    strategy: str = "margin"
    commit_margin: float | NoiseMargin = 0.05
    too_close: Literal["shortlist", "ask", "safer"] | OtherAgent = "shortlist"
    safer: tuple[str, ...] = ("prior", "cost", "latency")
    k_beam: int = 3
    fallback: str = ""
    execute: bool = False
    on_failure: OnFailure = "continue"

    @property
    def margin(self) -> tuple[float, Literal["score", "noise"]]:
        """The margin and its unit."""
        held = self.commit_margin
        return (held.noise, "noise") if isinstance(held, NoiseMargin) else (held, "score")

    @property
    def undecided(self) -> str:
        """`too_close` as a setting tells it."""
        held = self.too_close
        return f"agent:{held.agent}" if isinstance(held, OtherAgent) else held

    @property
    def decider(self) -> str:
        """The agent that decides when it is too close, if one does."""
        return self.too_close.agent if isinstance(self.too_close, OtherAgent) else ""

    @property
    def named(self) -> dict[str, tuple[str, ...]]:
        """Option -> the agents of the pool that it names. Declared paths and edges may name others:
        those are pruned, and recorded."""
        return {
            "terminal_agents": self.terminal_agents,
            "required_agents": self.required_agents,
            "exclude": tuple(self.exclude),
            "estimates": tuple(self.estimates),
            "fallback": (self.fallback,) if self.fallback else (),
            "too_close": (self.decider,) if self.decider else (),
        }

    @property
    def excluded(self) -> dict[str, str]:
        """Agents that take no part, each with the reason."""
        held = self.exclude
        return held if isinstance(held, dict) else dict.fromkeys(held, "excluded by its author")

    @property
    def asks(self) -> bool:
        """Whether a model judges."""
        return bool(self.model) and self.judge.mode != "none"
