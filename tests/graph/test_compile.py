"""What a workflow file means as a graph, and what is found before it runs."""

from __future__ import annotations

import pytest

import orka
from orka.errors import ConfigError, ConfigErrors, OrkaError
from orka.graph.graph import Graph

NODES = [f"{{id: {id}, type: wait, seconds: 0}}" for id in "abcdef"]


def compiled(order: str, *agents: str, strategy: str = "sequential") -> Graph:
    lines = "\n".join(f"  - {agent}" for agent in (*agents, *NODES))
    listed = f", agents: [{order}]" if order else ""
    text = f"orchestrator: {{id: t, strategy: {strategy}{listed}}}\nagents:\n{lines}\n"
    return orka.Runtime(store=":memory:").check(text)


def edges(graph: Graph) -> set[str]:
    found = set()
    for node in graph.nodes:
        for edge in node.out:
            mark = f"[{edge.case}]" if edge.case else "!" if edge.error else ""
            found.add(f"{node.id}{mark}>{graph.nodes[edge.target].id}")
    return found


def problem(order: str, *agents: str, strategy: str = "sequential") -> OrkaError:
    with pytest.raises(OrkaError) as raised:
        compiled(order, *agents, strategy=strategy)
    return raised.value


def test_a_sequence_is_a_chain() -> None:
    assert edges(compiled("a, b, c, d, e, f")) == {"a>b", "b>c", "c>d", "d>e", "e>f"}


def test_a_fork_joins_what_its_branches_end_with() -> None:
    graph = compiled(
        "x, j, d, e, f",
        "{id: x, type: fork, targets: [[a, b], c]}",
        "{id: j, type: join, group: x}",
    )
    assert edges(graph) == {"x>a", "a>b", "x>c", "b>j", "c>j", "j>d", "d>e", "e>f"}


def test_each_route_leads_on_and_an_empty_one_too() -> None:
    router = "{id: r, type: router, decision_key: a, routing_map: {x: [b, c], y: [d], z: []}}"
    graph = compiled("a, r, e, f", router)
    assert edges(graph) == {"a>r", "r[x]>b", "b>c", "r[y]>d", "c>e", "d>e", "r[z]>e", "e>f"}


def test_routes_may_share_their_end() -> None:
    router = "{id: r, type: router, decision_key: a, routing_map: {x: [b, d], y: [c, d]}}"
    assert edges(compiled("a, r, e, f", router)) == {
        "a>r", "r[x]>b", "b>d", "r[y]>c", "c>d", "d>e", "e>f",
    }  # fmt: skip


def test_a_graph_has_only_the_edges_that_are_written() -> None:
    extra = "{id: g, type: wait, seconds: 0, depends_on: [a, b], on_error: c, next: [d, e]}"
    graph = compiled("", extra, strategy="graph")
    assert edges(graph) == {"a>g", "b>g", "g!>c", "g>d", "g>e"}


def test_a_router_that_a_next_leads_to_has_its_routes() -> None:
    router = "{id: r, type: router, decision_key: g, routing_map: {x: [b], y: [c]}}"
    graph = compiled("g", "{id: g, type: wait, seconds: 0, next: r}", router, "{id: h, type: wait, "
                     "seconds: 0, depends_on: [b, c], next: [a, d, e, f]}")  # fmt: skip
    assert edges(graph) >= {"g>r", "r[x]>b", "r[y]>c"}


def test_a_route_back_is_a_cycle_that_names_its_agents() -> None:
    error = problem(
        "g",
        "{id: g, type: wait, seconds: 0, next: k}",
        "{id: k, type: wait, seconds: 0, next: r}",
        "{id: r, type: router, decision_key: k, routing_map: {bad: [g], good: [a, b, c, d, e, f]}}",
    )
    assert error.code == "config.cycle"
    assert all(f"{name} →" in str(error) for name in "gkr")


def test_depends_on_takes_the_place_of_the_one_before() -> None:
    extra = "{id: g, type: wait, seconds: 0, depends_on: a}"
    assert edges(compiled("a, b, g, c, d, e, f", extra)) >= {"a>b", "a>g", "g>c"}


@pytest.mark.parametrize(
    ("order", "agents", "code", "names"),
    [
        ("a", [], "config.unreachable", ["b"]),
        ("a, b, c, d, e, f, g", ["{id: g, type: wiat}"], "config.unknown_type", ["wiat", "wait"]),
        ("a, b, c, d, e, f, g", ["{id: g, type: wait}"], "config.missing_key", ["g", "seconds"]),
        (
            "a, b, c, d, e, f, g",
            ["{id: g, type: wait, seconds: soon}"],
            "config.type",
            ["g", "seconds"],
        ),
        (
            "a, b, c, d, e, f, g",
            ["{id: g, type: wait, seconds: 1, depends_on: [h]}", "{id: h, type: wait, seconds: 1, "
             "depends_on: [g]}"],
            "config.cycle",
            ["g", "h", "loop"],
        ),
        (
            "a, r, b, c, d, e, f",
            ["{id: r, type: router, decision_key: aa, routing_map: {x: [b]}}"],
            "config.unknown_agent",
            ["r", "aa"],
        ),
        (
            "a, g, b, c, d, e, f",
            ['{id: g, type: workflow, workflow: {}, input: "{{ previous_outputs.q }}"}'],
            "config.missing_key",
            ["orchestrator"],
        ),
        (
            "a, g, b, c, d, e, f",
            ['{id: g, type: approval, prompt: "{{ previous_outputs.b }}"}'],
            "config.not_upstream",
            ["g", "b", "depends_on"],
        ),
        (
            "a, g, b, c, d, e, f",
            ['{id: g, type: approval, prompt: "{{ previous_outputs.aa }}"}'],
            "config.unknown_reference",
            ["g", "aa"],
        ),
        (
            "a, g, b, c, d, e, f",
            ["{id: g, type: tool, tool: nope}"],
            "config.unknown_tool",
            ["g", "nope", "--plugin"],
        ),
        (
            "a, g, b, c, d, e, f",
            ["{id: g, type: llm, model: opnai/x, prompt: p}"],
            "config.unknown_model",
            ["g", "opnai", "openai"],
        ),
        (
            "a, g, b, c, d, e, f",
            ["{id: g, type: wait, seconds: 0, when: 'previous_outputs.f == 1'}"],
            "config.not_upstream",
            ["g", "f"],
        ),
        (
            "a, g, b, c, d, e, f",
            ["{id: g, type: wait, seconds: 0, when: 'inputs.x == 1'}"],
            "guard.invalid",
            ["inputs", "did you mean 'input'"],
        ),
        (
            "a, kb-s, g, b, c, d, e, f",
            [
                "{id: kb-s, type: wait, seconds: 0}",
                "{id: g, type: wait, seconds: 0, when: 'previous_outputs.kb-s == 1'}",
            ],
            "guard.invalid",
            ["write previous_outputs['kb-s']"],
        ),
        (
            "a, kb-7, g, b, c, d, e, f",
            [
                "{id: kb-7, type: wait, seconds: 0}",
                "{id: g, type: wait, seconds: 0, when: 'outputs.kb-7 == 1'}",
            ],
            "guard.invalid",
            ["write previous_outputs['kb-7']"],
        ),
        (
            "a, x, j, b, c, d, e, f",
            [
                "{id: x, type: fork, targets: [[y]]}",
                "{id: y, type: fork, targets: [[x]]}",
                "{id: j, type: join, group: x}",
            ],
            "config.cycle",
            ["y → x → y", "loop"],
        ),
        (
            "a, x, j, b, c, d, e, f",
            [
                "{id: x, type: fork, targets: [[g, x]]}",
                "{id: g, type: wait, seconds: 0}",
                "{id: j, type: join, group: x}",
            ],
            "config.cycle",
            ["x → g → x"],
        ),
    ],
)  # fmt: skip
def test_mistakes_are_found_before_the_run(
    order: str, agents: list[str], code: str, names: list[str]
) -> None:
    error = problem(order, *agents)
    assert error.code == code
    for name in names:
        assert name in str(error)
    assert "line" in str(error)


def test_a_condition_reads_ids_with_dots_and_subtracts() -> None:
    graph = compiled(
        "a, a.x, g, b, c, d, e, f",
        "{id: a.x, type: wait, seconds: 0}",
        """{id: g, type: wait, seconds: 0, when: "previous_outputs['a.x'] == 1"}""",
    )
    assert "a.x>g" in edges(graph)
    assert compiled(
        "a, g, b, c, d, e, f",
        """{id: g, type: wait, seconds: 0, when: "previous_outputs.a-input.q == 1 and
        'previous_outputs.a-b' != run_id"}""",
    )


def test_all_unknown_keys_of_a_file_are_told_at_once() -> None:
    error = problem(
        "a, b, c, d, e, f, g, h",
        "{id: g, type: wait, secnds: 1, retires: 2}",
        "{id: h, type: wait, seconds: 1, whne: x}",
    )
    assert isinstance(error, ConfigErrors)
    told = [problem.what for problem in error.problems]
    assert len(told) == 3
    assert all(word in what for word, what in zip(("secnds", "retires", "whne"), told, strict=True))


def test_an_inner_workflow_is_checked_with_the_file() -> None:
    inner = "{orchestrator: {id: in, agents: [q]}, agents: [{id: q, type: wait, secs: 1}]}"
    error = problem("g, a, b, c, d, e, f", f"{{id: g, type: loop, internal_workflow: {inner}}}")
    assert "secs" in str(error) and "line 3" in str(error)


def test_the_digest_ignores_spelling_and_comments() -> None:
    runtime = orka.Runtime(store=":memory:")
    one = "orchestrator: {id: t, agents: [a]}\nagents: [{id: a, type: wait, seconds: 1}]\n"
    two = (
        "# why\nagents:\n- seconds: 1\n  type: wait\n  id: a\norchestrator: {agents: [a], id: t}\n"
    )
    assert runtime.check(one).digest == runtime.check(two).digest
    assert runtime.check(one).digest != runtime.check(one.replace("1", "2")).digest


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        orka.load("nowhere.yml")
