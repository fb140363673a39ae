"""A file of OrKa 0.9 with anything anywhere is rewritten or refused, never a crash."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orka.errors import OrkaError
from orka.spec.load import load
from orka.spec.yaml import read
from orka.value import Json, copied

FLOW = """
orchestrator:
  id: f
  queue: q
  strategy: parallel
  memory: {decay: {enabled: true}, config: {a: 1}}
  structured_output_defaults: {enabled: true, schema: {required: [a], types: {a: int}}}
  budgets: {max_tokens: 1}
  agents: [f, j, r, l, v, s, w, o]
agents:
  - {id: f, type: fork, targets: [[a, b], c]}
  - {id: a, type: local_llm, provider: ollama, model: m, model_url: h, prompt: p, depends_on: [f]}
  - {id: b, type: openai-answer, structured_output: {mode: prompt, strict: true}}
  - {id: c, type: openai-classification, prompt: p, params: {options: [x, y]}, system_prompt: s}
  - {id: j, type: join, group: f}
  - {id: r, type: router, params: {decision_key: a, routing_map: {yes: [x, y], no: z}}}
  - {id: x, type: memory, config: {operation: write, top_k: 1}, params: {limit: 2}}
  - {id: y, type: failover, children: [{id: k, type: failing}, {id: d, type: duckduckgo}]}
  - {id: z, type: brain, params: {operation: recall}}
  - id: l
    type: loop
    scoring: {preset: strict}
    score_extraction_config: {strategies: [{type: pattern, patterns: [p]}, {type: other}]}
    internal_workflow:
      orchestrator: {id: i, agents: [g]}
      agents: [{id: g, type: graph-scout, params: {k_beam: 1, model_url: h}}]
  - {id: v, type: plan_validator, llm_model: m, provider: lm_studio, model_url: h}
  - {id: s, type: graphscout, params: {max_depth: 1}}
  - {id: w, type: validate_and_structure, prompt: p, store_structure: {a: string}}
  - {id: o, type: openai-binary, prompt: p, max_tokens: 0}
  - {id: idle, type: anthropic, prompt: p}
"""
STREAM = """
orchestrator:
  {id: s, mode: streaming, executor: e, satellites: [x], executor_invariants: {voice: v}}
agents:
  - {id: e, type: streaming-executor, provider: lm_studio, model_url: h, prompt: p}
  - {id: x, type: satellite-state-writer, role: r, provider: lm_studio, model_url: h, prompt: p}
"""
VALUES: list[Json] = [None, 5, "x", [], {}, ["x"], [[]], {"id": 5}, {"agents": [{}]}]
Path = tuple[str | int, ...]


def paths(value: Json, path: Path = ()) -> Iterator[Path]:
    steps: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        steps = list(value.items())
    elif isinstance(value, list):
        steps = list(enumerate(value))
    for step, item in steps:
        yield (*path, step)
        yield from paths(item, (*path, step))


@pytest.mark.parametrize("text", [FLOW, STREAM], ids=["flow", "stream"])
def test_whatever_stands_anywhere_is_understood_or_refused(text: str) -> None:
    whole = read(text, "f.yml").value
    assert load(whole).dialect == "0.9"
    loaded = 0
    for path in paths(whole):
        for value in VALUES:
            damaged = copied(whole)
            holder = damaged
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = value
            try:
                load(damaged)
                loaded += 1
            except OrkaError as error:
                assert error.what
    assert loaded
