"""Numbers as a person reads them. An unknown number is a question mark, never a zero."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import click

from orka.cli.visible import visible
from orka.event.event import Status
from orka.value import Json, canonical
from orka.view.run import Totals

UNKNOWN = "?"
COLOURS = {
    "completed": "green",
    "done": "green",
    "failed": "red",
    "cancelled": "yellow",
    "stopped": "yellow",
    "waiting": "cyan",
    "running": "blue",
    "interrupted": "yellow",
    "exhausted": "yellow",
    "damaged": "red",
}


def duration(seconds: float | None) -> str:
    """`0.4 s`, `12 s`, `3 min 5 s`, `2 h 4 min`."""
    if seconds is None:
        return UNKNOWN
    if seconds < 10:
        return f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def calls(totals: Totals) -> str:
    return f"{totals.calls} model call{'' if totals.calls == 1 else 's'}"


def tokens(totals: Totals) -> str:
    """`prompt+completion`, or nothing when no model was called."""
    if not totals.calls:
        return ""
    parts = (totals.prompt_tokens, totals.completion_tokens)
    return "+".join(UNKNOWN if part is None else f"{part:,}" for part in parts)


def cost(totals: Totals) -> str:
    """The cost with its currency; `?` as soon as one call's price is unknown."""
    if not totals.calls:
        return ""
    if totals.unknown_cost:
        known = f"{money(totals.cost, totals.currency)} + " if totals.cost else ""
        return f"{known}{UNKNOWN}"
    return money(totals.cost, totals.currency)


def money(amount: float | None, currency: str) -> str:
    if amount is None:
        return UNKNOWN
    return f"{amount:.4f} {currency}" if amount else f"0 {currency}"


def size(count: int) -> str:
    """Bytes."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def moment(at: float) -> str:
    """Local date and time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def status(word: Status | str) -> str:
    return click.style(word, fg=COLOURS.get(word.partition(" ")[0]))


def value(item: Json) -> str:
    """Text as it is, anything else as one line of JSON."""
    return item if isinstance(item, str) else canonical(item).decode()


def short(item: Json, limit: int = 72) -> str:
    """One line of at most `limit` characters."""
    text = visible(" ".join(value(item).split()))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> str:
    """Aligned columns. `right` names the columns of numbers; styled text keeps its colours."""
    lines = [[click.style(cell, bold=True) for cell in head], *rows]
    widths = [max(len(click.unstyle(line[at])) for line in lines) for at in range(len(head))]
    aligned = set(right.split())
    told = []
    for line in lines:
        cells = []
        for name, cell, width in zip(head, line, widths, strict=True):
            gap = " " * (width - len(click.unstyle(cell)))
            cells.append(gap + cell if name in aligned else cell + gap)
        told.append("  ".join(cells).rstrip())
    return "\n".join(told)


def columns(rows: Sequence[tuple[str, str]]) -> str:
    """Names, and behind them what is said of each."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name.ljust(width)}  {text}" for name, text in rows)


def bare(text: str) -> str:
    """Without colours."""
    return click.unstyle(text)


def pretty(item: Json) -> str:
    """Text as it is, anything else as indented JSON."""
    return item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, indent=2)
