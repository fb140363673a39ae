"""Which files are OrKa 0.9: those without `version: 1` that use a word only 0.9 had."""

from __future__ import annotations

from collections.abc import Iterator

from orka.spec.orka09.words import old_type
from orka.spec.workflow import STRICT
from orka.value import Json

OLD = "0.9"

HEAD = ("queue", "memory_preset", "memory_config", "structured_output_defaults", "satellites")
KEYS = ("queue", "structured_output", "model_url", "llm_model", "llm_url")
PARAMS: tuple[str, ...] = ("decision_key", "routing_map", "structured_output", "model_url")
PARAMS += ("llm_model", "k_beam", "commit_margin", "score_weights", "scoring_mode", "use_priors")
PARAMS += ("safety_threshold", "cost_budget_tokens", "latency_budget_ms", "evaluation_model")
# Options under which other agents are written.
_INSIDE = ("internal_workflow", "workflow")


def spoken(value: Json) -> bool:
    """Whether the file is to be read as one of OrKa 0.9."""
    if not isinstance(value, dict):
        return False
    version = version_of(value)
    return version != STRICT and (version == OLD or _old(value))


def version_of(value: dict[str, Json]) -> str:
    """The language a file declares: "1", "0.9", "" for none; any other as it is written."""
    written = value.get("version")
    if written is None:
        return ""
    text = str(written).strip()
    if text in (STRICT, f"{STRICT}.0"):
        return STRICT
    return OLD if text == OLD or text.startswith(f"{OLD}.") else text


def _old(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    head = value.get("orchestrator")
    if isinstance(head, dict) and any(key in head for key in HEAD):
        return True
    return any(_old_agent(agent) for agent in _maps(value.get("agents")))


def _old_agent(agent: dict[str, Json]) -> bool:
    if old_type(agent.get("type")) or any(key in agent for key in KEYS):
        return True
    params = agent.get("params")
    if isinstance(params, dict) and any(key in params for key in PARAMS):
        return True
    config = agent.get("config")
    if agent.get("type") == "memory" and isinstance(config, dict) and "operation" in config:
        return True
    return any(map(_old_agent, _maps(agent.get("children")))) or any(
        _old(agent.get(key)) for key in _INSIDE
    )


def _maps(value: Json) -> Iterator[dict[str, Json]]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))
