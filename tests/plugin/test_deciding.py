"""Criteria and strategies come in as plugins, and what they do wrong is told by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import orka
from orka.agent.agent import Shape
from orka.cli.node import node_text
from orka.cli.plugins import plugins
from orka.errors import AgentError, ConfigError, PluginError
from orka.event.event import Decided, EffectRequested
from orka.plugin.registry import Registry
from orka.score.criterion import Criterion, Proposal, State, criterion
from orka.score.evaluator import SmartPathEvaluator
from orka.score.factor import Abstained
from orka.score.ledger import Ledger
from orka.score.setting import Setting, factors_of
from orka.score.strategy import STRATEGIES, Choice, Situation, Strategy, commit, strategy
from orka.value import Json, canonical

FILE = """
from orka.score.criterion import criterion
from orka.score.strategy import commit, strategy

@criterion("short")
def short(candidate, state):
    return 1 / len(candidate.path)

@strategy("second")
def second(situation):
    return commit(situation, 1)
"""


class Options(msgspec.Struct, frozen=True):
    weights: Mapping[str, float]
    strategy: str = "margin"
    paths: Sequence[Sequence[str]] = (("a",), ("a", "b"))


def _shape(options: Options) -> Shape:
    return Shape(criteria=tuple(options.weights), strategies=(options.strategy,))


@orka.agent("choose", config=Options, shape=_shape)
async def choose(ctx: orka.Context) -> Json:
    """Choose a path by what its options name."""
    factors = factors_of(ctx.config.weights, known=tuple(ctx.criteria))
    setting = Setting(factors=factors, strategy=ctx.config.strategy)
    evaluator = SmartPathEvaluator(setting, list(ctx.criteria.values()), (), ctx.strategies)
    paths = [Proposal(path=tuple(path)) for path in ctx.config.paths]
    ledger = await ctx.rank(evaluator, State(candidates=paths))
    return ledger.outcome.chosen


class Body(msgspec.Struct, frozen=True):
    workflow: Json


@orka.agent("opens", config=Body, shape=lambda options: Shape(inner={"body": "workflow"}))
async def opens(ctx: orka.Context) -> Json:
    return await ctx.graph("body", None)


def flow(**options: Json) -> dict[str, Json]:
    node = {"id": "c", "type": "choose", "weights": {"short": 1.0}, **options}
    return {"orchestrator": {"id": "w"}, "agents": [node]}


def short(candidate: Proposal, state: State) -> object:
    return 1 / len(candidate.path)


SHORT = criterion("short")(short)


def ran(*use: object, **options: Json) -> orka.Run:
    return orka.run_sync(flow(**options), use=[choose, *use], store=":memory:")


def ledger(run: orka.Run) -> Ledger:
    (event,) = [event for event in run.events if isinstance(event, Decided)]
    return Ledger.read(event.value)


# ---- where they come from


def test_a_file_brings_its_criteria_and_strategies_with_its_version(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    registry = Registry()
    registry.load_file(str(path))
    version = registry.files[str(path)]
    assert registry.criteria["short"].version == version
    assert registry.strategies["second"].version == version
    assert registry.criteria.origin["short"] == str(path)
    assert [*registry.strategies] == sorted([*STRATEGIES, "second"])


def test_what_decides_is_part_of_what_a_run_was_made_with(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    written = flow(strategy="second")
    node = {"id": "o", "type": "opens", "workflow": written}
    inner = {"orchestrator": {"id": "x"}, "agents": [node]}
    for each in (written, inner):
        runtime = orka.Runtime(store=":memory:", plugins=[path], use=[choose, opens])
        components = runtime.check(each).components
        version = runtime.registry.files[str(path)]
        assert components["criterion:short"] == components["strategy:second"] == version
    assert "strategy:margin" not in runtime.check(flow()).components


def test_the_command_lists_them(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    told = CliRunner().invoke(plugins, ["--plugin", str(path)]).output
    assert [line.split()[:2] for line in told.splitlines() if "mine.py" in line] == [
        ["criterion", "short"],
        ["strategy", "second"],
    ]


@pytest.mark.parametrize(
    ("thing", "code", "named"),
    [
        (Criterion("short", lambda candidate: 1.0), "plugin.signature", "(candidate, state)"),  # type: ignore[arg-type,misc]  # wrong on purpose
        (Criterion("short", lambda *, candidate, state: 1.0), "plugin.signature", "short"),  # type: ignore[arg-type,misc]  # wrong on purpose
        (Strategy("mine", lambda: Choice(decision="fallback")), "plugin.signature", "(situation)"),  # type: ignore[arg-type,misc]  # wrong on purpose
        (strategy("margin")(commit), "plugin.name_clash", "margin"),
    ],
)
def test_one_that_cannot_be_called_or_named_so_is_refused(
    thing: object, code: str, named: str
) -> None:
    with pytest.raises(PluginError) as raised:
        Registry().add(thing)
    assert raised.value.code == code
    assert named in str(raised.value)


def test_one_that_is_async_is_refused() -> None:
    async def later(candidate: Proposal, state: State) -> object:
        return 1.0

    with pytest.raises(PluginError, match="is async"):
        Registry().add(criterion("later")(later))


@pytest.mark.parametrize(
    ("options", "code", "near"),
    [
        ({"weights": {"shorrt": 1}}, "config.unknown_criterion", "short"),
        ({"strategy": "strikt"}, "config.unknown_strategy", "strict"),
    ],
)
def test_a_name_that_does_not_exist_is_told_with_its_line(
    tmp_path: Path, options: dict[str, Json], code: str, near: str
) -> None:
    path = tmp_path / "flow.yml"
    path.write_bytes(canonical(flow(**options)).replace(b'"weights"', b'\n"weights"'))
    with pytest.raises(ConfigError) as raised:
        orka.Runtime(store=":memory:", use=[choose, SHORT]).check(orka.load(path))
    assert raised.value.code == code
    assert "flow.yml, line" in raised.value.where
    assert f"{near!r}" in raised.value.fix


# ---- what they do


def test_a_decision_is_recorded_whole_and_replays() -> None:
    run = ran(SHORT)
    assert run.output == "a"
    assert [each.factors["short"].value for each in ledger(run).candidates] == [1.0, 0.5]  # type: ignore[union-attr]  # they are known
    assert [remark for remark in run.nodes[0].remarks if isinstance(remark, Decided)]
    assert "decided" in node_text(run, "c")
    again = SmartPathEvaluator(ledger(run).setting, [SHORT]).evaluate(
        State(candidates=[Proposal(path=("a",)), Proposal(path=("a", "b"))])
    )
    assert again == ledger(run)


class Odd(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (ValueError("no idea"), "short raised ValueError: no idea"),
        (OSError("no file"), "short raised OSError: no file"),
        (SystemExit(3), "short raised SystemExit: 3"),
        (Odd(), "short raised Odd"),
    ],
)
def test_a_criterion_that_raises_anything_abstains(error: BaseException, cause: str) -> None:
    def raises(candidate: Proposal, state: State) -> object:
        raise error

    run = ran(criterion("short")(raises))
    assert {each.factors["short"] for each in ledger(run).candidates} == {Abstained(cause)}


def test_a_strategy_that_raises_fails_its_agent_by_name() -> None:
    def raises(situation: Situation) -> Choice:
        raise KeyError("gone")

    run = ran(SHORT, strategy("mine")(raises), strategy="mine")
    assert run.failure and run.failure.code == "strategy.raised"
    assert "'mine' raised KeyError: 'gone'" in run.failure.message


NO_CHOICES = [
    None,
    Choice(decision="commit_next", chosen="nobody"),
    Choice(decision="commit_next"),
    Choice(decision="commit_next", chosen="a"),
    Choice(decision="shortlist", chosen="a", shortlist=("a → b", "a")),
    Choice(decision="shortlist", chosen="a", shortlist=("a", "a")),
    Choice(decision="human_gate"),
    Choice(decision="human_gate", chosen="a", shortlist=("a",)),
    Choice(decision="fallback", shortlist=("a",)),
    Choice(decision="go", chosen="a", shortlist=("a",)),  # type: ignore[arg-type]  # on purpose
    Choice(decision="commit_next", chosen="a", shortlist=("a",), reason=5),  # type: ignore[arg-type]  # on purpose
]


@pytest.mark.parametrize("choice", NO_CHOICES)
def test_a_strategy_that_chooses_what_is_not_there_fails_its_agent(choice: Choice) -> None:
    run = ran(SHORT, strategy("mine")(lambda situation: choice), strategy="mine")
    assert run.failure and run.failure.code == "strategy.choice"
    with pytest.raises(AgentError, match="mine"):
        registry = Registry()
        registry.add(strategy("mine")(lambda situation: choice))
        setting = Setting(factors=factors_of({"short": 1.0}, known=["short"]), strategy="mine")
        SmartPathEvaluator(setting, [SHORT], (), registry.strategies).evaluate(
            State(candidates=[Proposal(path=("a",))])
        )
    with pytest.raises(AgentError, match="strategy 'mine'"):
        bare = {"mine": strategy("mine")(lambda situation: choice)}
        SmartPathEvaluator(setting, [SHORT], (), bare).evaluate(
            State(candidates=[Proposal(path=("a",)), Proposal(path=("a", "b"))])
        )


def test_a_decision_that_is_no_json_cannot_be_recorded() -> None:
    @orka.agent("mute")
    async def mute(ctx: orka.Context) -> Json:
        try:
            await ctx.decided({"by": object()})
        except orka.OrkaError as error:
            return error.code
        return None

    nodes = [{"id": "m", "type": "mute"}]
    written = {"orchestrator": {"id": "w"}, "agents": nodes}
    run = orka.run_sync(written, use=[mute], store=":memory:")
    assert run.output == "agent.not_json"
    assert not [event for event in run.events if isinstance(event, Decided)]


def test_history_is_asked_as_an_effect() -> None:
    @orka.agent("recalls")
    async def recalls(ctx: orka.Context) -> Json:
        return await ctx.history(["a", "b"], [("a", "b")], tenant="t", runs=7)

    written = {"orchestrator": {"id": "w"}, "agents": [{"id": "r", "type": "recalls"}]}
    run = orka.run_sync(written, use=[recalls], store=":memory:")
    (asked,) = [event for event in run.events if isinstance(event, EffectRequested)]
    assert (asked.kind, asked.payload) == (
        "history",
        {"agents": ["a", "b"], "paths": [["a", "b"]], "tenant": "t", "domain": "", "runs": 7},
    )
