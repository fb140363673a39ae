"""`orka sensors`: violations and repairs, by agent, model and prompt."""

from __future__ import annotations

from cli.conftest import Orka, Write

ASK = (
    "{id: a, type: llm, model: scripted, prompt: %s, on_violation: retry, "
    "output: {required: [n], types: {n: integer}}}"
)


def test_violations_and_repairs_are_counted_over_runs(orka: Orka, write: Write) -> None:
    write("one", ASK % "first")
    write("two", ASK % "second")
    orka("run", "one.yml", script={"a": ["{}", "{'n': 1,}"]})
    orka("run", "one.yml", script={"a": ['{"n": 1}']})
    orka("run", "two.yml", script={"a": ["no", '{"n": true}', "never"]})
    lines = orka("sensors", "--all", "--format", "json").json
    assert [line["agent"] for line in lines] == ["a", "a"]
    assert len({line["prompt"] for line in lines}) == 2
    (first,) = [line for line in lines if line["repairs"]]
    assert (first["calls"], first["violations"], first["repairs"]) == (
        3,
        {"schema": 1},
        {"single_quotes": 1, "trailing_comma": 1},
    )
    assert first["rates"] == {"schema": 0.333333}
    (second,) = [line for line in lines if not line["repairs"]]
    assert second["violations"] == {"syntax": 2, "schema": 1}


def test_without_a_run_it_is_the_last_as_a_table(orka: Orka, write: Write) -> None:
    write("one", ASK % "first")
    orka("run", "one.yml", script={"a": ["{}", '{"n": 1}']})
    ended = orka("sensors")
    head, line = ended.out.splitlines()[:2]
    assert "violations" in head and "schema 1 (50%)" in line and "scripted" in line


def test_runs_and_all_exclude_each_other(orka: Orka) -> None:
    assert orka("sensors", "last", "--all").code == 2


def test_a_run_without_a_model_says_so(orka: Orka, write: Write) -> None:
    write("w", "{id: a, type: wait, seconds: 0}")
    orka("run", "w.yml")
    ended = orka("sensors")
    assert (ended.code, ended.out) == (0, "") and "no model" in ended.err
