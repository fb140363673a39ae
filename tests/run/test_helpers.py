"""The helper functions of templates mean what they say, and see what their node may see."""

from __future__ import annotations

import pytest

from orka.event.event import NodeFinished
from orka.graph.compile import compile
from orka.graph.template import Templates
from orka.graph.vocabulary import HELPERS, NAMES
from orka.kit.agents.fork import fork
from orka.kit.agents.join import join
from orka.kit.agents.tool import tool
from orka.run.helpers import FUNCTIONS, Facts
from orka.run.names import Names
from orka.score.execution import facts_of
from orka.spec.load import load
from orka.testing.script import Reply
from orka.value import Json, parse
from run.room import Node, Room, flow

ROUNDS: list[Json] = [
    {"loop_number": 1, "score": 0.4, "insights": "first", "result": {"a": "v1"}},
    {"loop_number": 2, "score": 0.7, "insights": "second", "result": {"a": {"response": "v2"}}},
]
LOOP: dict[str, Json] = {
    "loop_number": 3,
    "past_loops": ROUNDS,
    "past_loops_metadata": {"insights": "first | second"},
    "score_threshold": 0.8,
    "max_loops": 5,
}
OUTPUTS: dict[str, Json] = {
    "a": {"response": "A", "score": 1, "deep": {"n": [1, 2]}},
    "text": "T",
    "empty": "",
    "null": None,
    "reader": {"memories": [{"content": "M1", "metadata": {"agent_type": "critic"}}, "M2"]},
    "radical_progressive": {"response": "P"},
    "ethical_purist": "Q",
    "gate": {"merged": {"x": {"response": "X"}, "y": "Y"}},
}
LOOPED: Json = {
    "result": {"a": {"response": "last"}},
    "loops_completed": 2,
    "final_score": 0.7,
    "threshold_met": False,
    "past_loops": ROUNDS,
}
SETTLED: list[dict[str, Json]] = [
    {"id": "f", "type": "fork", "status": "done", "route": None, "targets": [["a"], ["b", "text"]]},
    {"id": "gate", "type": "join", "status": "done", "route": None, "targets": None, "group": "f"},
    {"id": "r", "type": "router", "status": "done", "route": "yes", "targets": ["a", "text"]},
    {"id": "s", "type": "llm", "status": "skipped", "route": None, "targets": None},
]


def said(text: str, *, dialect: str = "1", **names: Json) -> str:
    values = {"input": "hello", "previous_outputs": OUTPUTS, "outputs": OUTPUTS, **names}
    settled = [{"group": None, "error": None, **node} for node in SETTLED]
    facts = Facts(lambda: settled, lambda: [("f", "a")])
    template = Templates(dialect, tuple(OUTPUTS)).compile(text, "here")
    return template.render(Names(values, lambda: 1_764_547_200.0, facts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ get_input() }} {{ get_current_topic() }}", "hello hello"),
        ("{{ get_input_field({'k': 1}, 'k') }}{{ get_input_field('x', 'k', 'D') }}", "1D"),
        ("{{ get_agent_response('a') }} {{ get_agent_response('text') | lower }}", "A t"),
        ("{{ safe_get_response('a') }} {{ safe_get_response('none') }}", "A No response available"),
        ("{{ safe_get_response('empty', 'F') }}{{ safe_get_response('null', 'F') }}", "FF"),
        ("{{ safe_get_response('text', 'F', previous_outputs) }}", "T"),
        ("{{ safe_get_response('a.deep.n.1', 'F') + 1 }}", "3"),
        ("{{ safe_get_response('a.deep.none', 'F') }}", "F"),
        ("{{ safe_get_response('zz', get_agent_response('text')) }}", "T"),
        (
            "{{ get_loop_output('a').score }} {{ get_loop_output('text', previous_outputs) }}",
            "1 {}",
        ),
        ("{{ safe_get(previous_outputs.a, 'deep.n') }} {{ safe_get({}, 'k') }}|", "[1, 2] |"),
        ("{{ safe_get(previous_outputs.zz, 'k', 'D') }}", "D"),
        ("{{ safe_str(none) }}|{{ safe_str([1]) }}", "|[1]"),
        (
            "{{ has_context('a') }} {{ has_context('empty') }} {{ has_context('zz') }}",
            "True False False",
        ),
        ("{{ get_loop_number() }} {{ has_past_loops() }} {{ get_past_loops() }}", "1 False []"),
        ("{{ get_past_loops_metadata() }} {{ get_score_threshold() }}", "{} Unknown"),
        ("{{ get_past_insights() }}", "No past insights available"),
        ("{{ get_past_loop_data('mistakes') }}", "No mistakes available"),
        (
            "{{ get_round_info() }} {{ get_loop_rounds() }} {{ get_final_score() }}",
            "1 Unknown Unknown",
        ),
        (
            "{{ get_loop_status() }} {{ get_debate_evolution() }}",
            "Unknown This is the first round",
        ),
        ("{{ get_fork_responses() }}", '{"a": "A", "text": "T"}'),
        ("{{ get_fork_responses('f') == get_fork_responses() }}", "True"),
        ("{{ get_fork_responses('gate') }}", '{"x": "X", "y": "Y"}'),
        ("{{ joined_results() }}", '[{"response": "X"}, "Y"]'),
        ("{{ format_memory_query('critic') }}", "Critic perspective on: hello"),
        ("{{ format_memory_query('critic', 'tea') }}", "Critic perspective on: tea"),
        ("{{ get_my_past_memory('critic') }}", "M1\nM2"),
        ("{{ get_my_past_memory('poet') }}", "M2"),
        ("{{ get_my_past_decisions('a') }}", "No past decisions available for a"),
        ("{{ get_agent_memory_context('critic', 'a') }}", "M1\nM2"),
        ("{{ get_progressive_response() }} {{ get_purist_response() }}", "P Q"),
        ("{{ get_realist_response() }}", "No realist response available"),
        ("{{ get_conservative_response() }}", "No conservative response available"),
        ("{{ get_collaborative_responses() }}", "Progressive: P\nPurist: Q"),
        ("{{ truncate_text('abcdefgh', 6) }} {{ to_json_string({'a': 1}) }}", 'abc... {"a": 1}'),
        ("{{ format_loop_metadata([{'loop_number': 1, 'score': 2}]) }}", "Loop 1: score: 2"),
        ("{{ now() }}", "2025-12-01T00:00:00+00:00"),
        ("{{ timestamp == now() and current_time == timestamp }}", "True"),
        ("{{ original_input }} {{ payload.input }}", "hello hello"),
    ],
)
def test_each_helper_outside_of_a_loop(text: str, expected: str) -> None:
    assert said(text) == expected
    assert said(text, dialect="0.9") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ get_loop_number() }} {{ loop_number + 1 }} {{ max_loops }}", "3 4 5"),
        ("{{ has_past_loops() }} {{ get_past_loops() | length }}", "True 2"),
        ("{% set last = get_past_loops()[-1] %}{{ last.score }} {{ last.insights }}", "0.7 second"),
        (
            "{% for p in get_past_loops() %}{{ p.loop_number }}:{{ p.score }} {% endfor %}",
            "1:0.4 2:0.7 ",
        ),
        ("{{ past_loops[0].result.a }} {{ past_loops_metadata.insights }}", "v1 first | second"),
        ("{{ get_past_loops_metadata().insights }}", "first | second"),
        ("{{ get_past_insights() }}", "second | first"),
        ("{{ get_past_loop_data('score') }} {{ get_past_loop_data() }}", "0.7 second"),
        ("{{ get_round_info() }} {{ get_loop_rounds() }} {{ get_loop_status() }}", "3 2 running"),
        ("{{ get_final_score() }} {{ get_score_threshold() }}", "0.7 0.8"),
        ("{{ get_my_past_decisions('a') }}", "Round 1: v1\nRound 2: v2"),
        (
            "{{ get_debate_evolution() }}",
            "Round 1: score 0.4, insights first\nRound 2: score 0.7, insights second",
        ),
    ],
)
def test_each_helper_inside_a_loop(text: str, expected: str) -> None:
    assert said(text, **LOOP) == expected


def test_after_a_loop_its_result_is_what_the_helpers_say() -> None:
    text = "{{ get_final_score() }} {{ get_loop_rounds() }} {{ get_loop_status() }}"
    assert said(text, previous_outputs={"l": LOOPED}) == "0.7 2 threshold not met"
    text = "{% set l = get_loop_output('l') %}{{ l.result.a.response }} {{ l.past_loops | length }}"
    assert said(text, previous_outputs={"l": LOOPED}) == "last 2"
    whole = {"l": {"response": LOOPED, "other": 1}}
    assert said("{{ get_loop_output('l').final_score }}", previous_outputs=whole) == "0.7"


def test_the_input_within_the_input_is_the_input() -> None:
    nested = {"input": {"input": "deep", "loop_number": 1}, "previous_outputs": {}}
    assert said("{{ get_input() }}", input=nested) == "deep"
    assert said("{{ get_input() | tojson }}", input={"q": 1}) == '{"q": 1}'


def test_execution_artifacts_are_facts() -> None:
    text = "{% set e = get_execution_artifacts(previous_outputs) %}{{ e.nodes_executed }}"
    assert said(text) == '["f", "gate", "r"]'
    text = "{% set e = get_execution_artifacts() %}{{ e.fork_groups.f }} {{ e.router_decisions.r }}"
    assert said(text) == (
        '{"branches": [["a"], ["b", "text"]], "completed_branches": [], "has_join": true} '
        '{"chosen_target": ["a", "text"]}'
    )
    edges = "{{ get_execution_artifacts().graph_structure.edges }}"
    assert said(edges) == '[{"dst": "a", "src": "f"}]'
    whole = parse(said("{{ get_execution_artifacts() }}"))
    assert not {"tool_calls", "structured_outputs"} & set(whole)
    assert facts_of(whole).targets == {"r": ["a", "text"]}


def test_what_a_helper_says_of_a_missing_reply_is_for_print_only() -> None:
    assert said("{{ get_agent_response('zz') }}", dialect="0.9") == "No response found for zz"
    text = "{% set r = get_agent_response('zz') %}{{ 'some' if r else 'none' }}"
    assert said(text, dialect="0.9") == "none"
    assert said("{{ get_agent_response('zz') | default('None', true) }}") == "None"


def test_all_helpers_exist_and_no_others() -> None:
    assert sorted(FUNCTIONS) == sorted(set(HELPERS) - {"now"})
    names = Names({}, lambda: 0.0)
    assert all(helper in names and callable(names[helper]) for helper in HELPERS)
    assert "now" not in Names({}) and "timestamp" not in Names({})
    assert not set(HELPERS) & set(NAMES)


# ---- in a run


def text(id: str, template: str, **more: Json) -> Node:
    return {"id": id, "type": "tool", "tool": "t", "args": {"q": template}, **more}


def asked(room: Room, effect: str) -> Json:
    return room.requests(effect)[0].payload["args"]["q"]


def test_a_node_knows_where_and_when_it_is() -> None:
    names = "run_id == trace_id, node_id, agent_id, workflow_name, now() == timestamp"
    room = Room([tool], [text("a", "{{ [" + names + "] }}")], {"a": ["x"]})
    assert room.start().status == "completed"
    assert asked(room, "a#0") == [True, "a", "a", room.graph.id, True]


def test_what_is_missing_in_an_old_file_stands_in_the_trace() -> None:
    nodes = [text("a", "<{{ previous_outputs.zz.x }}> {{ input.q }}  {{ input.q }}")]
    room = Room([tool], [text("a", "x")], {"a": ["x"]})
    room.graph = compile(load({"version": "0.9", **flow(nodes, agents=["a"])}), room.catalog)
    assert room.start().status == "completed"
    assert asked(room, "a#0") == "<>   "
    (finished,) = [event for event in room.events if isinstance(event, NodeFinished)]
    assert finished.notes == (
        "template 'args': previous_outputs.zz is missing: nothing printed",
        "template 'args': input.q is missing: nothing printed",
    )


def test_an_error_names_agent_option_line_and_expression() -> None:
    room = Room([tool], [text("writer", "a\n{{ input.sumary }}")])
    failure = room.start().end.failure  # type: ignore[union-attr]  # it has ended
    assert failure is not None and failure.code == "template.undefined"
    assert failure.message == "template 'args': input.sumary is missing (line 2 of the template)"
    assert failure.where == "agent 'writer'"


def test_helpers_see_only_what_is_upstream() -> None:
    nodes: list[Node] = [
        {"id": "f", "type": "fork", "targets": [["a"], ["b"]]},
        text("a", "{{ safe_get_response('b', 'none') }} {{ get_execution_artifacts() }}"),
        text("b", "x"),
        {"id": "j", "type": "join", "group": "f"},
        text("z", "{{ get_fork_responses() }} {{ joined_results() }}"),
    ]
    script: dict[str, list[Reply | Json]] = {"a": ["A"], "b": ["B"], "z": ["Z"]}
    room = Room([tool, fork, join], nodes, script)
    assert room.start().status == "completed"
    assert asked(room, "a#0").startswith("none {")
    assert "'b'" not in asked(room, "a#0") and '"nodes_executed": ["f"]' in asked(room, "a#0")
    assert asked(room, "z#0") == '{"a": "A", "b": "B"} ["A", "B"]'
