"""What the tests share: envelopes, a model that answers well, and a run through the public door."""

from __future__ import annotations

import json
import os
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
from orka_support_triage.place import USUAL

import orka
from orka.event.event import EffectRequested, Noted, Quarantined, Violation
from orka.testing.scripted import Script, ScriptedModel
from orka.value import Json, digest

PACKAGE = Path(str(resources.files("orka_support_triage").joinpath("")))
FLOW = PACKAGE / "support_triage.yml"
MODEL = "local/qwen2.5-coder-0.5b-instruct"
QUERY = "refund charged twice"
# Files of OrKa 0.9 that are no part of the package; see tests/orka09 of the core.
OLD = "ORKA09_EXAMPLES"
ROOT = Path(__file__).resolve().parents[3]


def old_folder() -> Path | None:
    """Where 0.9's own files of this module are, if they are there."""
    named = os.environ.get(OLD)
    usual = ROOT.parent / "shared" / "reference" / "orka09" / "examples"
    folder = (Path(named) if named else usual).parent / "support_triage"
    return folder if folder.is_dir() else None


def home() -> Path:
    """Where the desk keeps its files."""
    return USUAL


def sample(name: str) -> dict[str, Any]:
    """An envelope of the package, as a value of its own."""
    found: dict[str, Any] = json.loads((PACKAGE / "samples" / f"{name}.json").read_text("utf-8"))
    return found


def with_text(envelope: dict[str, Any], text: str) -> dict[str, Any]:
    envelope["case"]["customer_message"]["text"] = text
    return envelope


def result_id(query: str = QUERY) -> str:
    return f"kb_{digest(query.encode())[:8]}"


def draft(request_id: str, /, **changes: Json) -> dict[str, Json]:
    """A good draft that cites an article; `changes` take the place of fields."""
    cited = {"claim": "30 days", "tool_result_id": result_id(), "item_id": "duplicate-charge"}
    return {
        "request_id": request_id,
        "risk": {"overall": "low", "reasons": ["a charge that can be checked"]},
        "classification": {
            "intent": "refund_request",
            "category": "billing",
            "priority": "normal",
        },
        "action_plan": [{"action": "draft_reply", "details": "answer"}],
        "reply": {"subject": "Your November payment", "body": "We look into the two charges."},
        "citations": [cited],
        **changes,
    }


def replies(request_id: str, /, *, risk: Json = "low", **changes: Json) -> dict[str, list[Json]]:
    """What a model says that does its work."""
    return {
        "intent": ["refund_request"],
        "category": ["billing"],
        "risk": [json.dumps({"overall_risk": risk, "risk_flags": ["billing"]})],
        "lookup_plan": [json.dumps({"query": QUERY})],
        "synthesis": [
            json.dumps(
                {"facts": ["charged twice"], "missing_info": [], "recommended_path": "respond"}
            )
        ],
        "draft": [json.dumps(draft(request_id, **changes))],
    }


def flow(model: str = "scripted") -> str:
    """The workflow of the package with another model."""
    return FLOW.read_text(encoding="utf-8").replace(MODEL, model)


def scripted(said: dict[str, list[Json]]) -> ScriptedModel:
    return ScriptedModel(Script(said))


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """An agent that gives a value, whatever it is."""

    value: Json


@orka.agent("said", config=Said)
async def says(ctx: orka.Context) -> Json:
    """Give the value."""
    return ctx.config.value


def said(id: str, value: Json) -> dict[str, Json]:
    return {"id": id, "type": "said", "value": value}


async def ran(
    written: object, envelope: Json, model: object = None, store: str | Path = ":memory:"
) -> orka.Run:
    """Run a workflow and prove that it replays. `model` is called `scripted`."""
    models: Any = {"scripted": model} if model is not None else {}
    async with orka.Runtime(store=store, models=models, use=[says]) as runtime:
        run = await runtime.run(written, envelope)  # type: ignore[arg-type]  # what tests write
        runtime.replay(run.id)
        return run


def alone(*agents: dict[str, Json]) -> dict[str, Json]:
    """A workflow of these agents, one after another."""
    return {"version": 1, "orchestrator": {"id": "alone"}, "agents": list(agents)}


def noted(run: orka.Run, kind: str) -> list[Noted]:
    return [event for event in run.events if isinstance(event, Noted) and event.kind == kind]


def violations(run: orka.Run) -> list[Violation]:
    return [event for event in run.events if isinstance(event, Violation)]


def quarantined(run: orka.Run) -> list[Quarantined]:
    return [event for event in run.events if isinstance(event, Quarantined)]


def called(run: orka.Run) -> list[str]:
    """The tools that were called, in order."""
    return [
        event.payload["name"]
        for event in run.events
        if isinstance(event, EffectRequested) and event.kind == "tool"
    ]
