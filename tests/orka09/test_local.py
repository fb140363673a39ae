"""Files of OrKa 0.9 with a real model, on this machine, behind an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orka.score.factor import Known
from orka09.local import answering
from orka09.server import Respond
from orka09.test_files import Run
from orka09.test_scouts import chosen, executed, made

pytestmark = pytest.mark.local

NAME = "smollm2-135m-instruct"


@pytest.fixture(scope="module")
def model() -> Iterator[Respond]:
    with answering(NAME) as respond:
        yield respond


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("test_template_filters.yml", 3),
        ("simple_memory_preset_demo.yml", 2),
        ("memory_presets_showcase.yml", 3),
        ("stream/live_assist.yaml", 3),
        ("conditional_search_fork_join.yaml", 6),
        ("simple_boolean_loop.yml", 2),
        ("structured_output_defaults_demo.yml", 1),
    ],
)
def test_the_file_runs_with_a_real_model(name: str, calls: int, model: Respond, run: Run) -> None:
    ran, server = run(name, model, "Why is the sky blue?")
    assert ran.status == "completed", ran.failure
    assert len(server.asked) >= calls
    texts = [a.value["text"] for n in ran.nodes for a in n.attempts if a.kind == "llm"]
    assert len(texts) >= calls and any(len(text.split()) > 3 for text in texts)


def test_the_path_that_a_real_model_likes_is_run(model: Respond, run: Run) -> None:
    ran, _ = run("path_executor_demo.yml", model, "Why is the sky blue?")
    assert ran.status == "completed", ran.failure
    (decided,) = made(ran, "path_proposal")
    opinions = [each.factors["llm"] for each in decided.ledger.candidates]
    assert all(isinstance(each, Known) and each.reason for each in opinions)
    assert executed(ran, "execute_path") == chosen(decided)
