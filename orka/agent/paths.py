"""What an agent asks of the paths that can be taken from it, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class PathRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which paths are proposed. `declared`: these and no others. `edges`: an agent -> those that
    may follow it (of the agent itself: those a path may begin with); None: any may follow any.
    A path ends with one of `terminal`, if there are some, and has every agent of `required`.
    `excluded` says of agents why they take no part; `reads` of which others they need the output
    (of those whose output is there already nothing has to be said)."""

    max_depth: int
    max_candidates: int
    declared: tuple[tuple[str, ...], ...] = ()
    edges: Mapping[str, tuple[str, ...]] | None = None
    terminal: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    excluded: Mapping[str, str] = {}
    reads: Mapping[str, tuple[str, ...]] = {}


class Left(msgspec.Struct, frozen=True):
    """Paths that are not proposed: a `reason` to look for, words, how many, and the first few."""

    reason: str
    message: str
    count: int
    paths: tuple[tuple[str, ...], ...]


class Paths(msgspec.Struct, frozen=True):
    """Paths as ids: as they were declared, or the shorter ones first, then in the order of the file
    (of the edges, where there are some). And what was left out. Nothing is scored or chosen."""

    found: tuple[tuple[str, ...], ...]
    left: tuple[Left, ...]
