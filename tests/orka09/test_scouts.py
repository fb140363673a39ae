"""The files of OrKa 0.9 with a graph-scout: the path that was chosen is the path that is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

import orka
from orka.score.why import why
from orka.view.decisions import Recorded, decisions
from orka09.answers import judged, plausible
from orka09.conftest import Ran
from orka09.server import Asked, Json, Respond, schema_of

Run = Callable[..., Ran]

# The files, and the agents of each: the scout, what runs its path, and the loop around it.
SCOUTS = {
    "graph_scout_example.yml": ("graph_scout_router", "graph_scout_router_path", ""),
    "graph_scout_validated_loop.yml": ("path_proposer", "path_executor", "path_discovery_loop"),
    "graphscout_validate_then_execute.yml": (
        *("plan_proposer", "path_executor", "path_validation_loop"),
    ),
    "path_executor_demo.yml": ("path_proposal", "execute_path", ""),
    "plan_validator_boolean_scoring.yml": (
        *("graphscout_router", "path_executor", "routing_loop"),
    ),
}
LOOPS = [name for name, (_, _, loop) in SCOUTS.items() if loop]


def scored(asked: Asked, score: Callable[[str], Json]) -> str | None:
    """The judge's answer, with a score for each path; None to any other question."""
    paths = judged(asked)
    told = {label: {"reason": "so it seems", "score": score(label)} for label in paths}
    return json.dumps(told) if paths else None


def alike(asked: Asked) -> str | int:
    return scored(asked, lambda label: 5) or plausible(asked)


def one_liked(asked: Asked) -> str | int:
    """Only the last path of the list is liked."""
    last = next(reversed(judged(asked)), "")
    return scored(asked, lambda label: 10 if label == last else 0) or plausible(asked)


def nonsense(asked: Asked) -> str | int:
    return "I cannot say." if judged(asked) else plausible(asked)


def out_of_range(asked: Asked) -> str | int:
    return scored(asked, lambda label: 1e9) or plausible(asked)


def broken(asked: Asked) -> str | int:
    return 500 if judged(asked) else plausible(asked)


STYLES: list[Respond] = [plausible, alike, one_liked, nonsense, broken]
CASES = [(name, style) for name in SCOUTS for style in STYLES]
CASES.append(("path_executor_demo.yml", out_of_range))


def made(ran: orka.Run, scout: str) -> list[Recorded]:
    found = decisions(ran)
    assert found and all(each.node.rpartition("/")[2] == scout for each in found)
    return found


def chosen(recorded: Recorded) -> list[str]:
    """The path of a decision, which its own factors give again."""
    ledger = recorded.ledger
    told = why(ledger)
    assert ledger.outcome.chosen == ledger.outcome.shortlist[0] == told.lines[0].id
    assert told.sentence.startswith(ledger.outcome.chosen)
    return list(ledger.candidate(ledger.outcome.chosen).path)


def executed(ran: orka.Run, executor: str) -> list[str]:
    """What the agent that runs a path says that it ran, and did run."""
    path: list[str] = ran.outputs[executor]["executed_path"]
    inside = [node for node in ran.nodes if node.scope.startswith(f"{executor}#")]
    assert [node.id for node in inside] == path
    assert all(node.state == "done" for node in inside)
    return path


@pytest.mark.parametrize(
    ("name", "style"), CASES, ids=[f"{name}-{style.__name__}" for name, style in CASES]
)
def test_the_path_that_was_chosen_is_the_path_that_is_run(
    name: str, style: Respond, run: Run
) -> None:
    scout, executor, _ = SCOUTS[name]
    ran, _ = run(name, style)
    assert ran.status == "completed", ran.failure
    *_, last = made(ran, scout)
    assert executed(ran, executor) == chosen(last)
    lost = style in (nonsense, out_of_range, broken)
    assert {each.factors["llm"].__class__.__name__ for each in last.ledger.candidates} == {
        "Abstained" if lost else "Known"
    }


def rounds(passing: Iterator[int]) -> Respond:
    """Each round the judge likes another path, and the validator so many criteria of it."""
    seen = 0

    def respond(asked: Asked) -> str | int:
        nonlocal seen
        if paths := judged(asked):
            seen += 1
            liked = list(paths)[-seen]
            return scored(asked, lambda label: 10 if label == liked else 0) or ""
        schema = schema_of(asked)
        if schema is not None and "validates_inputs" in json.dumps(schema):
            return json.dumps(_passing(schema, next(passing)))
        return plausible(asked)

    return respond


def _passing(schema: Json, count: int) -> Json:
    """An instance of a schema of criteria, of which the first `count` are met."""
    left = iter([True] * count)

    def filled(each: Json) -> Json:
        if "properties" in each:
            return {name: filled(inner) for name, inner in each["properties"].items()}
        return next(left, False) if "boolean" in each.get("type", "") else "because"

    return filled(schema)


@pytest.mark.parametrize("name", LOOPS)
def test_of_several_rounds_the_path_of_the_best_is_run(name: str, run: Run) -> None:
    scout, executor, loop = SCOUTS[name]
    ran, _ = run(name, rounds(iter([0, 3, 1])))
    found, told = made(ran, scout), ran.outputs[loop]
    assert told["loops_completed"] == len(found) > 1 and told["best_iteration"] == 2
    assert len({tuple(chosen(each)) for each in found}) == len(found)
    assert executed(ran, executor) == chosen(found[1])


@pytest.mark.parametrize("name", LOOPS)
def test_a_validator_that_cannot_judge_approves_nothing(name: str, run: Run) -> None:
    def respond(asked: Asked) -> str | int:
        if schema_of(asked) is None or "validates_inputs" not in json.dumps(schema_of(asked)):
            return plausible(asked)
        return "It is a fine plan."

    scout, executor, loop = SCOUTS[name]
    ran, _ = run(name, respond)
    found, told = made(ran, scout), ran.outputs[loop]
    assert not told["threshold_met"] and told["loops_completed"] == len(found) > 1
    assert set(told["scores"]) == {0.2 if "graph_scout" in name else 0.15}
    assert executed(ran, executor) == chosen(found[told["best_iteration"] - 1])
