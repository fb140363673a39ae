"""`orka check`, `orka check --explain` and `orka export --orka09`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from orka.cli.main import call
from orka.view.export09 import resolved
from orka09.server import Asked, Json, Served, serving

FLOW = """
orchestrator:
  id: triage
  queue: orka:triage
  agents: [urgent, again]
agents:
  - id: urgent
    type: local_llm
    provider: lm_studio
    model: tiny
    model_url: http://localhost:1234
    temperature: 0.1
    timeout: 9
    queue: q
    prompt: "Is this urgent? {{ get_input() }}"
  - id: again
    type: loop
    max_loops: 2
    score_threshold: 0.9
    score_extraction_config: {strategies: [{type: pattern, patterns: ["SCORE: ([0-9.]+)"]}]}
    internal_workflow:
      orchestrator: {id: inner, agents: [say]}
      agents:
        - id: say
          type: openai-answer
          prompt: "Say it. {{ get_agent_response('urgent') }}"
"""
LONG = "SCORE: 0.5 " + "word " * 60


def respond(asked: Asked) -> str:
    return LONG if "Say it" in asked.prompt else "true"


@pytest.fixture
def folder(tmp_path: Path, environment: pytest.MonkeyPatch) -> Iterator[Path]:
    environment.chdir(tmp_path)
    environment.delenv("ORKA_STORE", raising=False)
    (tmp_path / "old.yml").write_text(FLOW)
    yield tmp_path


@pytest.fixture
def server(environment: pytest.MonkeyPatch) -> Iterator[Served]:
    with serving(respond, stream=False) as served:
        environment.setenv("ORKA_OPENAI_BASE_URL", f"{served.url}/v1")
        yield served


def test_check_warns_and_is_satisfied(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["check", "old.yml"]) == 0
    first, *warnings = capsys.readouterr().out.splitlines()
    assert first.startswith("old.yml: ok, 2 nodes") and "OrKa 0.9, 2 warnings" in first
    assert [("line 4" in warnings[0]), ("line 14" in warnings[1])] == [True, True]
    assert all("'queue' has no effect" in warning for warning in warnings)


def test_a_run_says_how_many_warnings_there_are(
    folder: Path, server: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["run", "old.yml", "x", "--format", "json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["status"] == "completed"
    assert said.err.startswith("old.yml: 2 warnings; `orka check` shows them\n")
    (folder / "clean.yml").write_text("".join(x for x in FLOW.splitlines(True) if "queue" not in x))
    assert call(["run", "clean.yml", "x"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_explain_says_what_runs_and_what_was_different(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(["check", "--explain", "old.yml"]) == 0
    told = capsys.readouterr().out
    assert "urgent (llm) asks openai/tiny at http://localhost:1234/v1" in told
    assert "→ again" in told and "timeout 9" in told
    assert "again (loop)" in told and "max_loops 2" in told and "inside (body):" in told
    assert "say (llm) asks openai/default" in told
    assert "where OrKa 0.9 did something else:" in told and "gave the last round" in told


def test_check_for_programs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.yml").write_text(FLOW.replace("prompt:", "promt:", 1))
    assert call(["check", "--explain", "--format", "json", "old.yml", "bad.yml"]) == 2
    good, bad = json.loads(capsys.readouterr().out)
    assert good["ok"] and good["dialect"] == "0.9" and len(good["warnings"]) == 2
    agents = good["plan"]["agents"]
    assert agents[0]["then"] == [{"to": "again"}] and agents[0]["begins"]
    assert agents[1]["inside"]["body"]["agents"][0]["models"] == ["openai/default"]
    assert {"where", "does", "old"} == set(good["differences"][0])
    assert not bad["ok"] and bad["error"]["code"] == "config.unknown_key"


def exported(folder: Path, capsys: pytest.CaptureFixture[str]) -> Json:
    assert call(["run", "old.yml", "The server burns"]) == 0
    capsys.readouterr()
    assert call(["export", "--orka09", "last"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_old_trace_names_agents_as_the_old_runtime_did(
    folder: Path, server: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = exported(folder, capsys)
    events = [(e["agent_id"], e["event_type"], e.get("parent")) for e in trace["events"]]
    assert events[:2] == [("urgent", "LocalLLMAgent", None), ("again", "LoopNode", None)]
    assert [event[:2] for event in events[2:]] == [("say", "OpenAIAnswerBuilder")] * 2
    assert [event["step"] for event in trace["events"]] == [1, 2, 3, 4]
    assert {"agent_id", "event_type", "timestamp", "run_id", "payload"} <= set(trace["events"][0])
    assert trace["_metadata"]["version"] == "1.2.0"
    assert trace["_metadata"]["total_blobs_stored"] == len(trace["blob_store"]) > 0


def test_blobs_are_named_by_their_content_and_can_be_put_back(
    folder: Path, server: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = exported(folder, capsys)
    for name, blob in trace["blob_store"].items():
        text = json.dumps(blob, sort_keys=True, separators=(",", ":"))
        assert len(text) >= 200 and hashlib.sha256(text.encode()).hexdigest() == name
    whole = [resolved(event["payload"], trace["blob_store"]) for event in trace["events"]]
    assert "blob_reference" not in json.dumps(whole)
    first, loop, say = whole[:3]
    assert (first["response"], first["status"], first["error"]) == ("true", "success", None)
    assert first["formatted_prompt"] == "Is this urgent? The server burns"
    assert first["_metrics"]["tokens"] == 15 and first["_metrics"]["model"] == "tiny"
    assert loop["final_score"] == 0.5 and loop["loops_completed"] == 2
    assert say["result"] == LONG


def test_costs_that_nobody_knows_are_null(
    folder: Path, server: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    costs = exported(folder, capsys)["cost_analysis"]
    assert costs["summary"]["total_tokens"] == 45 and costs["summary"]["total_cost_usd"] is None
    assert costs["summary"]["models_used"] == ["tiny", "default"]
    assert costs["agents"]["say"]["executions"] == 2
    assert costs["by_model"]["tiny"]["total_prompt_tokens"] == 10
    assert costs["by_provider"]["openai"]["executions"] == 3


def test_a_failed_agent_is_an_error_in_the_old_trace(
    folder: Path, capsys: pytest.CaptureFixture[str], environment: pytest.MonkeyPatch
) -> None:
    environment.setenv("ORKA_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert call(["run", "old.yml", "x"]) == 1
    capsys.readouterr()
    assert call(["export", "--orka09", "last", "--output", "trace.json"]) == 0
    trace = json.loads((folder / "trace.json").read_text())
    payload = resolved(trace["events"][0]["payload"], trace["blob_store"])
    assert payload["status"] == "error" and "model.unreachable" in payload["error"]
