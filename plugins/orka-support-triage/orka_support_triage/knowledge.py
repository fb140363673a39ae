"""The knowledge base: articles in Markdown, and a full-text index over them (SQLite FTS5, BM25)."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from orka.value import digest
from orka_support_triage.place import home
from orka_support_triage.schema.record import Item

MOST = 10
# How much more a word counts in the title, in the tags, in the text.
_WEIGHTS = (4.0, 3.0, 1.0)
_WORD = re.compile(r"\w+")
_HEAD = re.compile(r"^(title|tags|updated):[ ]*(.*)$")
# Words that stand in every question, in the languages of the articles.
_STOP = frozenset(
    word
    for words in (
        "a an the and or of to in on for is are was be it i my me you your we our this that with",
        "not how what when why can do does did please have has am at from",
        "der die das und oder ein eine ist ich mein meine sie wie was nicht mit zu den dem",
        "le la les un une des et ou est je mon ma vous comment pas avec de du",
    )
    for word in words.split()
)


class Article(msgspec.Struct, frozen=True):
    """One article. `id` is the name of its file."""

    id: str
    title: str
    tags: str
    updated: str
    text: str


@cache
def articles() -> tuple[Article, ...]:
    """The articles that come with the package, by id."""
    folder = resources.files("orka_support_triage").joinpath("corpus")
    found = [
        _article(each.name.removesuffix(".md"), each.read_text(encoding="utf-8"))
        for each in folder.iterdir()
        if each.name.endswith(".md")
    ]
    return tuple(sorted(found, key=lambda article: article.id))


def _article(id: str, written: str) -> Article:
    head: dict[str, str] = {}
    lines = written.splitlines()
    while lines and (match := _HEAD.match(lines[0])):
        head[match.group(1)] = match.group(2).strip()
        lines.pop(0)
    text = " ".join("\n".join(lines).split())
    return Article(id, head.get("title", id), head.get("tags", ""), head.get("updated", ""), text)


def search(query: str, limit: int = 3, folder: Path | None = None) -> list[Item]:
    """The articles that fit best, the best one first; none for a query without a word that tells
    anything."""
    words = [word for word in _WORD.findall(query.casefold()) if word not in _STOP]
    if not words:
        return []
    asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words[:64]))
    sql = (
        "SELECT id, title, updated, snippet(articles, 3, '', '', ' … ', 64) FROM articles "
        f"WHERE articles MATCH ? ORDER BY bm25(articles, 0, {_WEIGHTS[0]}, {_WEIGHTS[1]}, "
        f"{_WEIGHTS[2]}, 0), id LIMIT ?"
    )
    with closing(sqlite3.connect(_index(folder or home()))) as connection:
        rows = connection.execute(sql, (asked, max(1, min(limit, MOST)))).fetchall()
    return [
        Item(id=id, title=title, snippet=snippet, source=f"kb/{id}", last_updated_at=updated)
        for id, title, updated, snippet in rows
    ]


def _index(folder: Path) -> Path:
    """The index of exactly these articles; made beside, and then put in its place whole."""
    written = "\n".join("\n".join(msgspec.structs.astuple(each)) for each in articles())
    path = folder / f"kb-{digest(written.encode())[:12]}.sqlite"
    if path.exists():
        return path
    handle, name = tempfile.mkstemp(dir=folder, suffix=".tmp")
    os.close(handle)
    with closing(sqlite3.connect(name)) as connection, connection:
        connection.execute(
            "CREATE VIRTUAL TABLE articles USING fts5(id UNINDEXED, title, tags, text, "
            "updated UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')"
        )
        connection.executemany(
            "INSERT INTO articles VALUES (?, ?, ?, ?, ?)",
            [(each.id, each.title, each.tags, each.text, each.updated) for each in articles()],
        )
    os.replace(name, path)
    return path
