"""`rag` nodes: sources from a memory, an answer from a model."""

from __future__ import annotations

import pytest

import orka
from orka.errors import ConfigError
from orka.event.event import Noted
from orka.testing.clock import clock, run_virtual
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json

FACTS = ("Green tea is brewed at 80 degrees", "Black tea is brewed at 95 degrees", "Cats purr")


def ask(question: str, *replies: str, **options: Json) -> tuple[orka.Run, ScriptedModel]:
    write = {"id": "w", "type": "memory", "operation": "write", "namespace": "facts"}
    writing = {
        "orchestrator": {"id": "w"},
        "agents": [{**write, "user": "{{ input.user }}", "prompt": "{{ input.text }}"}],
    }
    agent = {"id": "r", "type": "rag", "model": "scripted", "namespace": "facts", **options}
    asking = {"orchestrator": {"id": "t", "agents": ["r"]}, "agents": [agent]}
    model = ScriptedModel(Script({"r": list(replies)}))

    async def go() -> orka.Run:
        async with orka.Runtime(
            store=":memory:", models={"scripted": model}, clock=clock
        ) as runtime:
            for text in FACTS:
                await runtime.run(writing, {"text": text, "user": ""})
            await runtime.run(writing, {"text": "Green tea is a secret", "user": "u"})
            run = await runtime.run(asking, question)
            runtime.replay(run.id)
            return run

    return run_virtual(go()), model


def test_the_model_gets_numbered_sources_and_the_answer_names_them() -> None:
    run, model = ask("How is green tea brewed?", "At 80 degrees [1].")
    assert run.output["answer"] == run.output["response"] == "At 80 degrees [1]."
    first, second = run.output["sources"]
    assert (first["content"], first["cited"], first["number"]) == (FACTS[0], True, 1)
    assert (second["content"], second["cited"]) == (FACTS[1], False)
    assert first["score"] == 0.95
    (prompt,) = model.prompts("r")
    assert f"[1] {FACTS[0]}" in prompt
    assert "Question: How is green tea brewed?" in prompt
    assert "secret" not in prompt


def test_below_the_threshold_nothing_is_a_source_and_no_model_is_asked() -> None:
    for options in ({}, {"score_threshold": 0.9}, {"filters": {"lang": "en"}}):
        question = "green tea and coffee and milk" if options else "What is the tallest mountain?"
        run, model = ask(question, **options)
        assert run.status == "completed"
        assert run.output == {"answer": None, "response": None, "sources": []}
        assert not model.calls
        (note,) = run.nodes[0].remarks
        assert isinstance(note, Noted)
        assert note.kind == "rag.no_sources"


def test_a_source_that_does_not_exist_is_told() -> None:
    run, _ = ask("green tea", "So it is [1, 7].", top_k=1)
    assert [source["cited"] for source in run.output["sources"]] == [True]
    (note,) = run.nodes[0].remarks
    assert isinstance(note, Noted)
    assert (note.kind, note.data) == ("rag.unknown_source", [7])


@pytest.mark.parametrize(
    ("options", "named"), [({"top_k": 0}, "top_k"), ({"score_threshold": 7}, "score_threshold")]
)
def test_options_that_make_no_sense_are_told(options: dict[str, Json], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        ask("tea", **options)
