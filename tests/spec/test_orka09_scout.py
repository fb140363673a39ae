"""Graph-scouts of OrKa 0.9: what becomes of each setting, and of today's words beside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import orka
from orka.errors import ConfigError
from orka.spec.orka09 import scout as scouts
from orka.spec.orka09.words import IGNORED, MEANT
from orka.spec.workflow import Workflow
from orka.value import Json

ASK = "type: openai-answer, prompt: p"
POOL = f"  - {{id: p, {ASK}}}\n  - {{id: q, {ASK}, is_terminal: true}}\n"
AT = "provider: lm_studio, model_url: 'http://h'"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "orka09.md"


def flow(params: str, *, prompt: str = "Choose.", pool: str = POOL) -> Workflow:
    scout = f"  - {{id: s, type: graph-scout, prompt: '{prompt}', params: {{{params}}}}}\n"
    return orka.load(f"orchestrator: {{id: f, queue: q, agents: [s]}}\nagents:\n{scout}{pool}")


def options(workflow: Workflow) -> Json:
    return next(agent for agent in workflow.agents if agent.id == "s").options


def warned(workflow: Workflow) -> list[str]:
    """Warnings about the scout."""
    return [note.does for note in workflow.notes if note.warning and "'s'" in note.where]


# Each setting of the page, with a value that is meant.
VALUES: dict[str, str] = {
    **dict.fromkeys(("k_beam", "max_depth", "ttl_days"), "3"),
    **dict.fromkeys(("require_terminal", "llm_evaluation_enabled", "use_priors"), "true"),
    **dict.fromkeys(("fallback_to_heuristics", "brain_assisted", "log_components"), "true"),
    "score_weights": "{llm: 0.5, prior: 0.5}",
    "scoring_mode": "numeric",
    "safety_profile": "strict",
    "evaluation_model": "local_llm",
    "provider": "lm_studio",
    "model_url": "http://h",
    "optimal_path_length": "[2, 3]",
}
OF_BOOLEAN: tuple[str, ...] = (
    "require_critical",
    "strict_mode",
    "include_nice_to_have",
    "important_threshold",
)
OF_BOOLEAN += ("min_success_rate", "max_acceptable_cost", "max_acceptable_latency")


def rows() -> dict[str, str]:
    """The settings of the page, and what it says of each."""
    table = PAGE.read_text(encoding="utf-8").partition("| setting | does |")[2].partition("\n\n")[0]
    found = re.findall(r"^\| (`.*?`) \| (.*) \|$", table, re.MULTILINE)
    return {name: does for names, does in found for name in re.findall(r"`(\w+)`", names)}


def test_the_page_has_every_setting() -> None:
    known = {*MEANT["graph-scout"], *scouts.IDLE, *IGNORED["graph-scout"]}
    assert known | {"k_beam", "max_depth", "commit_margin", "require_terminal"} <= rows().keys()


@pytest.mark.parametrize(("name", "does"), rows().items())
def test_a_setting_is_warned_about_if_the_page_says_it_has_no_effect(name: str, does: str) -> None:
    value = VALUES.get(name, "true" if name in OF_BOOLEAN[:3] else "0.5")
    mode = "scoring_mode: boolean, " if name in OF_BOOLEAN else ""
    told = warned(flow(f"{mode}{name}: {value}"))
    assert bool(told) is does.startswith("no effect"), told
    assert all(f"'{name}' has no effect" in each for each in told)


@pytest.mark.parametrize(
    ("written", "name", "meant"),
    [
        ("heuristics: [{when: length == 1, weight: 1, message: m}]", "heuristics", None),
        ("weights: {heuristics: 1}", "weights", {"heuristics": 1}),
        ("profile: cheap", "profile", "cheap"),
        ("history: 7", "history", 7),
        ("execute: true", "execute", True),
        ("budget: {tokens: 5}, latency_budget_ms: '9'", "budget", {"latency_ms": 9, "tokens": 5}),
        (f"judge: {{repeat: 3}}, {AT}", "judge", {"on_failure": "abstain", "repeat": 3}),
        ("judge: {repeat: 3}", "model", "openai/default"),
        ("model: local/tiny", "model", "local/tiny"),
        (f"model: tiny, {AT}", "model", "openai/tiny"),
        (f"commit_margin: {{noise: 2}}, {AT}", "judge", {"on_failure": "abstain"}),
        ("commit_margin: '0.3'", "commit_margin", 0.3),
        ("required_agents: [p], max_depth: 1", "required_agents", ["p"]),
        ("scoring_mode: boolean, boolean: {strict: true}", "boolean", {"strict": True}),
    ],
)
def test_todays_words_win(written: str, name: str, meant: Json) -> None:
    workflow = flow(written)
    assert not warned(workflow)
    held = options(workflow)[name]
    assert held == meant if meant is not None else len(held) == 1
    assert ("s_path" in [agent.id for agent in workflow.agents]) is (name != "execute")
    orka.check(workflow)


def test_priors_are_named_and_what_is_forbidden_stays() -> None:
    held = options(flow("priors: support, safety_profile: moderate"))
    assert [each["domain"] for each in held["priors"]] == ["support", "safety"]
    with pytest.raises(ConfigError, match="there are no priors 'suport'"):
        flow("priors: suport")


def test_learning_looks_at_earlier_runs() -> None:
    assert "history" not in options(flow("learn: true"))
    assert options(flow("k_beam: 1"))["history"] == 0


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("score_weights: {llm: 0.5, prior: 0.3, guess: 0.2}", "'guess' has no effect"),
        ("score_weights: {llm: 1}, weights: {prior: 1}", "'score_weights' has no effect beside"),
        ("score_weights: {llm: 1}, scoring_mode: boolean", "in boolean mode"),
        ("strict_mode: true", "without 'scoring_mode: boolean'"),
        ("scoring_mode: guess", "'guess' is no mode"),
        ("safety_profile: paranoid", "known: default, moderate, strict"),
        ("evaluation_model: gpt", "'evaluation_model_name' names the model"),
    ],
)
def test_what_is_written_in_vain_is_warned_about(written: str, words: str) -> None:
    (told,) = warned(flow(written))
    assert words in told


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("score_weights: {llm: 0.5, heuristic: 0.5}", "did you mean 'heuristics'"),
        ("score_weigths: {llm: 1}", "did you mean 'score_weights'"),
        ("commit_margin: wide", "commit_margin"),
        ("score_weights: {guess: 1}", "weights are empty"),
        ("score_weights: [llm]", "no map of factors"),
        ("weights: {llm: 1}, priors: support", "'prior' is measured and has no weight"),
    ],
)
def test_what_cannot_be_meant_is_refused(written: str, words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        orka.check(flow(f"{written}, {AT}"))


@pytest.mark.parametrize(
    "prompt",
    ["REQUIRED_AGENT = [p, q]", "REQUIRED PATH STRUCTURE: p → q", "REQUIRED PATH STRUCTURE: p->q"],
)
def test_required_agents_fit_on_a_path(prompt: str) -> None:
    held = options(flow("max_depth: 1", prompt=prompt))
    assert held["required_agents"] == ["p", "q"] and held["max_depth"] == 2


def test_a_scout_without_candidates_is_warned_about() -> None:
    assert "has no agents to choose from" in warned(flow("k_beam: 1", pool=""))[0]
    assert not warned(flow("k_beam: 1"))


def test_what_is_put_behind_a_scout_is_told_once() -> None:
    notes = [note for note in flow("k_beam: 1").notes if "s_path" in f"{note.does} {note.where}"]
    assert [note.does for note in notes] == ["the path it chooses is run, as agent 's_path'"]
