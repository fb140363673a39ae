"""Tools of the research example: a search over a small library, and a reader."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import orka
from orka.errors import ToolError

LIBRARY = Path(__file__).parent / "library"


def _notes() -> list[tuple[str, str, str, str]]:
    """Of each note: its id, title, abstract, and the text after it (empty: it is not here)."""
    found = []
    for path in sorted(LIBRARY.glob("*.md")):
        head, _, text = path.read_text(encoding="utf-8").partition("\n\n")
        title, _, abstract = head.partition("\n")
        short = abstract.removeprefix("Abstract: ").strip()
        found.append((path.stem, title.removeprefix("# "), short, text.strip()))
    return found


@orka.tool
def search_library(question: str) -> list[dict[str, str]]:
    """Find notes by the words of a question, the best first: id, title and abstract of each."""
    words = re.findall(r"\w{4,}", question.lower())
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table note using fts5(id, title, abstract, text, tokenize=porter)")
    base.executemany("insert into note values (?, ?, ?, ?)", _notes())
    asked = " OR ".join(f'"{word}"' for word in words) or '"nothing"'
    rows = base.execute(
        "select id, title, abstract from note where note match ? order by rank limit 2", (asked,)
    ).fetchall()
    base.close()
    if not rows:
        raise ToolError(f"nothing in the library speaks of {question!r}")
    return [dict(zip(("id", "title", "abstract"), row, strict=True)) for row in rows]


@orka.tool
def read_note(id: str) -> str:
    """The whole text of a note. Some are known by their abstract only."""
    text = next((note[3] for note in _notes() if note[0] == id), "")
    if not text:
        raise ToolError(f"the text of note {id!r} is not here, only its abstract")
    return text
