"""The live view of a run on a terminal: a row for each node, totals, and then the answer stays."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from orka.cli import words
from orka.event.event import Event, RunStarted
from orka.value import Json
from orka.view.run import Fold, NodeView, Run, totals_of

MARKS = {
    "done": ("✓", "green"),
    "failed": ("✗", "red"),
    "stopped": ("■", "yellow"),
    "skipped": ("·", "dim"),
    "waiting": ("?", "cyan"),
    "running": ("●", "blue"),
}
_ASCII = {"✓": "+", "✗": "x", "■": "#", "·": ".", "●": "*"}
# Below this width the cost of single nodes gives way to their text.
_WIDE = 100
_TAIL = 400


class LiveView:
    """A screen that is drawn anew while the run goes on, and left as a plain table at its end."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._fold, self._run, self._workflow = Fold(), "", ""
        self._began, self._notes, self._open = time.time(), list[str](), False
        self._pieces: defaultdict[str, int] = defaultdict(int)
        self._tails: defaultdict[str, str] = defaultdict(str)
        self._live = Live(
            console=self._console, auto_refresh=False, transient=True, get_renderable=self._frame
        )

    def begun(self, run: str, recorded: Run | None) -> None:
        self._run, self._open = run, True
        for seq, event in enumerate(recorded.events if recorded else ()):
            self.event(run, seq, event)
        self._live.start()

    def event(self, run: str, seq: int, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._workflow, self._began = event.workflow, event.at
        self._fold.add(event)

    def text(self, run: str, effect: str, piece: str) -> None:
        node = effect.rpartition("#")[0]
        self._pieces[node] += 1
        self._tails[node] = (self._tails[node] + piece)[-_TAIL:]

    def note(self, text: str) -> None:
        self._notes.append(text)
        self.refresh()

    def refresh(self) -> None:
        if self._open:
            self._live.refresh()

    def close(self) -> None:
        """Take the moving picture away and leave the table as it was at the end."""
        if self._open:
            self._live.stop()
            self._open = False
            self._console.print(self._frame())

    def _frame(self) -> RenderableType:
        height = self._console.size.height - 5 - len(self._notes)
        rows, hidden = _visible(list(self._fold.nodes.values()), max(height, 3))
        parts: list[RenderableType] = [self._head(), self._table(rows)]
        if hidden:
            parts.insert(1, Text(f"  {hidden} more nodes: orka show {self._run}", style="dim"))
        parts += [Text(note, style="yellow") for note in self._notes]
        if self._open:
            # The last line is short: an echoed ^C must not wrap, or rich loses its place.
            parts.append(Text(f"run {self._run}  Ctrl-C cancels", style="dim"))
        return Group(*parts)

    def _head(self) -> Text:
        fold = self._fold
        totals = totals_of([a for node in fold.nodes.values() for a in node.attempts])
        now = fold.now if fold.end else time.time()
        head = Text(no_wrap=True, overflow="ellipsis")
        head.append(self._workflow or "…", style="bold")
        head.append(f"  {fold.status}", style=words.COLOURS.get(fold.status, ""))
        head.append(f"  {words.duration(now - self._began)}")
        if totals.calls:
            head.append(f"  {words.calls(totals)}  {words.tokens(totals)} tokens")
            head.append(f"  cost {words.cost(totals)}")
        return head

    def _table(self, rows: Sequence[NodeView]) -> Table:
        wide = self._console.width >= _WIDE
        table = Table(box=None, expand=True, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("", width=1, no_wrap=True)
        table.add_column("node", no_wrap=True, max_width=28 if wide else 20)
        for name in ("time", "tokens", "cost") if wide else ("time", "tokens"):
            table.add_column(name, no_wrap=True, justify="right")
        table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis")
        for node in rows:
            table.add_row(*self._row(node, wide=wide))
        return table

    def _row(self, node: NodeView, *, wide: bool) -> list[Text]:
        state = _state(node, self._fold)
        mark, style = MARKS[state]
        if not self._console.encoding.startswith("utf"):
            mark = _ASCII.get(mark, mark)
        totals = totals_of(node.attempts)
        ended = node.ended_at if node.ended_at is not None else time.time()
        tokens = words.tokens(totals) or (
            f"~{self._pieces[node.path]}" if node.path in self._pieces else ""
        )
        skipped = state == "skipped"
        cells = [
            mark,
            node.path,
            "" if skipped else words.duration(ended - node.started_at),
            tokens,
        ]
        cells += [words.cost(totals)] if wide else []
        return [
            Text(cells[0], style=style),
            *(Text(cell, style="dim" if skipped else "") for cell in cells[1:]),
            self._last(node, state),
        ]

    def _last(self, node: NodeView, state: str) -> Text:
        """The end of the text that streams in, or in short what came of the node."""
        width = self._console.width
        if node.failure:
            return Text(words.short(node.failure.message, width), style="red")
        if state == "waiting":
            return Text(words.short(_question(node), width), style="cyan")
        if state == "skipped":
            return Text(node.state.replace("_", " "), style="dim")
        if state == "running":
            tail = " ".join(self._tails[node.path].split())
            return Text(tail[-max(20, width // 3) :], style="dim")
        return Text("" if node.value is None else words.short(node.value, width), style="dim")


def _state(node: NodeView, fold: Fold) -> str:
    state = node.state.partition(" ")[0]
    asked = state == "running" and any(a.kind == "ask" and a.id in fold.open for a in node.attempts)
    return "waiting" if asked else state


def _question(node: NodeView) -> Json:
    return next(a.payload.get("prompt") for a in reversed(node.attempts) if a.kind == "ask")


def _visible(nodes: list[NodeView], height: int) -> tuple[list[NodeView], int]:
    """The rows there is room for: those that are not settled, then the latest."""
    if len(nodes) <= height:
        return nodes, 0
    urgent = [at for at, node in enumerate(nodes) if node.state in ("running", "failed")]
    latest = [at for at in range(len(nodes)) if nodes[at].state not in ("running", "failed")]
    chosen = sorted([*latest[-max(0, height - len(urgent)) or len(latest) :], *urgent][-height:])
    return [nodes[at] for at in chosen], len(nodes) - len(chosen)
