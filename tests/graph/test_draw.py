"""Pictures of graphs: Mermaid, DOT, and the terminal."""

from __future__ import annotations

from collections.abc import Mapping

from orka.api import Runtime
from orka.graph.draw import dot, mermaid, text
from orka.graph.graph import Graph
from orka.value import Json


def graph(*agents: Mapping[str, Json], **orchestrator: Json) -> Graph:
    flow = {"orchestrator": {"id": "g", **orchestrator}, "agents": list(agents)}
    return Runtime(store=":memory:").check(flow)


def ask(id: str, **more: Json) -> Mapping[str, Json]:
    return {"id": id, "type": "approval", "prompt": "?", **more}


def fork_of_three() -> Graph:
    return graph(
        {"id": "f", "type": "fork", "targets": ["a", ["b", "c"], "d"]},
        *map(ask, "abcd"),
        {"id": "j", "type": "join", "group": "f"},
        ask("z"),
    )


def test_a_chain_is_one_line_of_dots() -> None:
    assert text(graph(ask("a"), ask("b"))) == "● a (approval)\n● b (approval)"


def test_a_fork_parts_and_a_join_meets() -> None:
    drawn = text(fork_of_three()).splitlines()
    assert drawn == [
        "● f (fork)",
        "├─┬─╮",
        "● │ │ a (approval)",
        "│ ● │ b (approval)",
        "│ ● │ c (approval)",
        "│ │ ● d (approval)",
        "├─┴─╯",
        "● j (join)",
        "● z (approval)",
    ]


def test_lines_that_pass_a_meeting_are_kept_apart() -> None:
    drawn = text(
        graph(
            ask("a"),
            ask("b", depends_on=["a"]),
            ask("c", depends_on=["a"]),
            ask("d", depends_on=["a"]),
            ask("e", depends_on=["b", "d"]),
            ask("z", depends_on=["c", "e"]),
            strategy="graph",
        )
    )
    assert "├─│─╯" in drawn
    assert drawn.splitlines()[-1] == "● z (approval)"


def test_two_entrances_stand_side_by_side_until_they_meet() -> None:
    drawn = text(graph(ask("a"), ask("b"), ask("c", depends_on=["a", "b"]), strategy="graph"))
    assert drawn.splitlines() == [
        "● a (approval)",
        "│ ● b (approval)",
        "├─╯",
        "● c (approval)",
    ]


def test_conditions_routes_and_error_edges_are_named() -> None:
    drawn = graph(
        ask("a", on_error="x"),
        {"id": "r", "type": "router", "decision_key": "a", "routing_map": {"yes": "p", "no": "q"}},
        ask("p", when="input == 1"),
        ask("q"),
        ask("x"),
    )
    assert "on error: x" in text(drawn)
    assert "yes: p; no: q" in text(drawn)
    assert "when input == 1" in text(drawn)
    assert '-.->|"yes"|' in mermaid(drawn)
    assert 'label="on error", style=dashed' in dot(drawn)


def test_inner_workflows_are_drawn_inside() -> None:
    inner = {"orchestrator": {"id": "i"}, "agents": [ask("deep")]}
    drawn = graph({"id": "w", "type": "workflow", "workflow": inner})
    assert "inside w (body):\n  ● deep (approval)" in text(drawn)
    assert 'subgraph n0_body_all["w: body"]' in mermaid(drawn)
    assert "subgraph cluster_n0_body_" in dot(drawn)


def test_each_node_and_each_edge_is_drawn_once() -> None:
    drawn = fork_of_three()
    edges = sum(len(node.out) for node in drawn.nodes)
    assert mermaid(drawn).count("-->") == edges == 8
    assert dot(drawn).count(" -> ") == edges
    assert text(drawn).count("●") == len(drawn.nodes)


def test_what_a_join_tolerates_is_told_once_and_not_of_each_agent() -> None:
    drawn = graph(
        {"id": "f", "type": "fork", "targets": [["a", "b"], "c"]},
        *map(ask, "ab"),
        ask("c", on_error="d"),
        ask("d"),
        {"id": "j", "type": "join", "group": "f", "policy": {"quorum": 2, "deadline": "1m"}},
    )
    assert text(drawn).count("on error") == 1
    assert "on error: d" in text(drawn)
    assert "j (join, quorum 2, deadline 60 s)" in text(drawn)
    assert mermaid(drawn).count("on error") == dot(drawn).count("on error") == 1
    assert "<i>join, quorum 2, deadline 60 s</i>" in mermaid(drawn)


def test_a_join_that_takes_what_is_there_says_so() -> None:
    fork = {"id": "f", "type": "fork", "targets": ["a", "b"]}
    join = {"id": "j", "type": "join", "group": "f"}
    kinds = [
        text(graph(fork, ask("a"), ask("b"), {**join, **more})).splitlines()[-1]
        for more in ({"policy": "any"}, {"on_failure": "partial"}, {})
    ]
    assert kinds == ["● j (join, any)", "● j (join, partial)", "● j (join)"]
