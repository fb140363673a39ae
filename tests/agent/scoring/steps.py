"""Paths for tests: steps behind `>`, what a step can do joined by `+`, `-` for nothing."""

from __future__ import annotations

from orka.score.criterion import Proposal, Step


def path(written: str, *, tools: str = "", types: str = "") -> Proposal:
    """The path that a text describes; `tools` and `types` of its steps are words in their order."""
    parts = [part.strip() for part in written.split(">")]
    tool = [*(word.strip("-") for word in tools.split()), *[""] * len(parts)]
    kind = [*types.split(), *["llm"] * len(parts)]
    steps = tuple(
        Step(
            id=f"s{at}",
            type=kind[at],
            tool=tool[at],
            model="" if tool[at] else f"m{at % 2}",
            capabilities=() if able == "-" else tuple(able.split("+")),
        )
        for at, able in enumerate(parts)
    )
    return Proposal(path=tuple(step.id for step in steps), steps=steps)
