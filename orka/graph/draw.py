"""A graph as a picture: Mermaid, DOT, or lines and dots for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from orka.graph.graph import BYPASS, Edge, Graph, Node


def mermaid(graph: Graph) -> str:
    """A flowchart; inner workflows are subgraphs."""
    return "\n".join(["flowchart TD", *_mermaid(graph, "n", "    ")])


def _mermaid(graph: Graph, prefix: str, indent: str) -> Iterator[str]:
    for node in graph.nodes:
        yield f'{indent}{prefix}{node.index}["{_html(node.id)}<br/><i>{_html(kind(node))}</i>"]'
    for node in graph.nodes:
        for edge in edges_of(graph, node):
            arrow = "-.->" if edge.error or edge.case is not None else "-->"
            label = f'|"{_html(_label(edge))}"|' if _label(edge) else ""
            yield f"{indent}{prefix}{node.index} {arrow}{label} {prefix}{edge.target}"
    for node in graph.nodes:
        for name, inner in node.inner.items():
            below = f"{prefix}{node.index}_{name}_"
            yield f'{indent}subgraph {below}all["{_html(node.id)}: {_html(name)}"]'
            yield from _mermaid(inner, below, indent + "    ")
            yield f"{indent}end"
            yield f"{indent}{prefix}{node.index} -.- {below}all"


def dot(graph: Graph) -> str:
    """A Graphviz digraph; inner workflows are clusters."""
    head = [f"digraph {_quoted(graph.id)} {{", "    node [shape=box, style=rounded];"]
    return "\n".join([*head, *_dot(graph, "n", "    "), "}"])


def _dot(graph: Graph, prefix: str, indent: str) -> Iterator[str]:
    for node in graph.nodes:
        yield f"{indent}{prefix}{node.index} [label={_quoted(f'{node.id} ({kind(node)})')}];"
    for node in graph.nodes:
        for edge in edges_of(graph, node):
            style = ["style=dashed"] if edge.error or edge.case is not None else []
            label = [f"label={_quoted(_label(edge))}"] if _label(edge) else []
            look = f" [{', '.join([*label, *style])}]" if label or style else ""
            yield f"{indent}{prefix}{node.index} -> {prefix}{edge.target}{look};"
    for node in graph.nodes:
        for name, inner in node.inner.items():
            below = f"{prefix}{node.index}_{name}_"
            yield f"{indent}subgraph cluster_{below} {{"
            yield f"{indent}    label={_quoted(f'{node.id}: {name}')};"
            yield from _dot(inner, below, indent + "    ")
            yield f"{indent}}}"


def text(graph: Graph) -> str:
    """A line for each node, in an order in which they could run; inner workflows follow."""
    return "\n".join(_text(graph))


def _text(graph: Graph) -> Iterator[str]:
    lanes = _Lanes()
    for node in _ordered(graph):
        yield from lanes.rows(node, graph)
    for node in graph.nodes:
        for name, inner in node.inner.items():
            yield ""
            yield f"inside {node.id} ({name}):"
            yield from (f"  {line}".rstrip() for line in _text(inner))


def _ordered(graph: Graph) -> list[Node]:
    """Each node after all that lead to it; a branch is followed to its end before the next."""
    needs = list(graph.needs)
    ready = list(reversed(graph.entrances))
    order = []
    while ready:
        node = graph.nodes[ready.pop()]
        order.append(node)
        for edge in reversed(node.out):
            needs[edge.target] -= 1
            if not needs[edge.target]:
                ready.append(edge.target)
    return order


class _Lanes:
    """The vertical lines that are open between two rows; each leads to a node's index."""

    def __init__(self) -> None:
        self.open: list[int | None] = []

    def rows(self, node: Node, graph: Graph) -> Iterator[str]:
        """The lines that end in `node` meet, the node stands, and its own lines part."""
        ending = [at for at, target in enumerate(self.open) if target == node.index]
        if len(ending) > 1:
            yield self._joint(ending, "╯", "┴")
        column = ending[0] if ending else self._free()
        for at in ending:
            self.open[at] = None
        row = self._bars()
        row[column] = "●"
        yield f"{' '.join(row).rstrip()} {_caption(node, graph)}"
        starting = self._start(edges_of(graph, node), column)
        if len(starting) > 1:
            yield self._joint(starting, "╮", "┬")
        self._shrink()

    def _start(self, edges: Sequence[Edge], column: int) -> list[int]:
        """Open a line for each edge: the first goes straight on, the others to the right."""
        columns: list[int] = []
        for edge in edges:
            at = self._free(column) if columns else column
            self.open[at] = edge.target
            columns.append(at)
        return columns

    def _free(self, after: int = -1) -> int:
        for at in range(after + 1, len(self.open)):
            if self.open[at] is None:
                return at
        self.open.append(None)
        return len(self.open) - 1

    def _joint(self, columns: list[int], corner: str, tee: str) -> str:
        first, last = columns[0], columns[-1]
        row = self._bars()
        for at in range(first, last + 1):
            if at in columns:
                row[at] = "├" if at == first else corner if at == last else tee
            elif row[at] == " ":
                row[at] = "─"
        drawn = ""
        for at, cell in enumerate(row):
            drawn += cell + ("─" if first <= at < last else " ")
        return drawn.rstrip()

    def _bars(self) -> list[str]:
        return [" " if target is None else "│" for target in self.open]

    def _shrink(self) -> None:
        while self.open and self.open[-1] is None:
            self.open.pop()


def _caption(node: Node, graph: Graph) -> str:
    edges = edges_of(graph, node)
    labelled = [f"{_label(e)}: {graph.nodes[e.target].id}" for e in edges if _label(e)]
    condition = [f"when {node.when.text}"] if node.when else []
    notes = "; ".join([*condition, *labelled])
    return f"{node.id} ({kind(node)})" + (f"  {notes}" if notes else "")


def edges_of(graph: Graph, node: Node) -> list[Edge]:
    """The edges that its author wrote. That the failures of a branch lead to a join which
    tolerates them goes without saying: `kind` tells it of the join."""
    return [edge for edge in node.out if not _tolerated(graph, node, edge)]


def _tolerated(graph: Graph, node: Node, edge: Edge) -> bool:
    rule = graph.nodes[edge.target].rule
    return edge.error and edge.case is None and rule is not None and node.index in rule.late


def kind(node: Node) -> str:
    """The type of a node, with the policy of a join that does not wait for all: `join, any`."""
    if node.rule is None:
        return node.type
    count, deadline = node.rule.count, node.rule.deadline
    told = [] if count is None else ["any" if count == 1 else f"quorum {count}"]
    told += [] if deadline is None else [f"deadline {deadline:g} s"]
    return ", ".join([node.type, *(told or ["partial"])])


def _label(edge: Edge) -> str:
    if edge.error:
        return "on error"
    return "skipped" if edge.case == BYPASS else edge.case or ""


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _html(name: str) -> str:
    return name.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
