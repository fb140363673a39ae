"""What kind of task a text describes: structures, patterns, shapes; and how alike two tasks are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from orka.score.novelty import words
from orka.score.number import PLACES
from orka.value import Json, canonical, digest

_STRUCTURES = {
    "decomposition": "break down, split, decompose, divide, part, component",
    "sequential": "then, step by step, first, next, after, sequence, pipeline",
    "parallel": "simultaneously, parallel, concurrent, fork, at the same time",
    "aggregation": "combine, merge, aggregate, join, collect, summarize",
    "comparison": "compare, versus, difference, contrast, better, worse",
    "transformation": "convert, transform, translate, map, rewrite, format",
    "filtering": "filter, select, extract, pick, remove, exclude, subset",
    "routing": "route, direct, if, decide, branch, choose, switch",
    "iteration": "repeat, loop, iterate, until, converge, refine",
    "validation": "validate, verify, check, confirm, ensure, test, assess",
}
_PATTERNS = {
    "analysis": "analyze, analyse, understand, examine, investigate, diagnose, break down, study",
    "synthesis": "synthesize, combine, integrate, build, compose, create from",
    "evaluation": "evaluate, judge, assess, rate, score, quality, review",
    "generation": "generate, create, write, produce, draft, compose",
    "classification": "classify, categorize, label, sort, type, group",
    "extraction": "extract, find, locate, identify, pull out, retrieve",
    "reasoning": "reason, deduce, conclude, infer, logic, because, therefore",
    "planning": "plan, schedule, organize, prioritize, strategy, roadmap",
    "optimization": "optimize, improve, enhance, best, efficient, faster",
    "abstraction": "abstract, generalize, pattern, principle, concept",
}
_OUTPUTS = {"json": "structured", "structured": "structured", "list": "list", "array": "list"}
_OUTPUTS |= {"boolean": "boolean", "number": "numeric", "numeric": "numeric", "text": "text"}
LONG_TEXT = 1000
# What the score of likeness is made of.
_KIND, _INPUT, _OUTPUT = 0.7, 0.15, 0.15


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """Of one task. A shape that is not known is empty."""

    structures: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    input_shape: str = ""
    output_shape: str = ""

    @property
    def kinds(self) -> frozenset[str]:
        """Structures and patterns together."""
        return frozenset((*(f"s:{s}" for s in self.structures), *(f"p:{p}" for p in self.patterns)))

    @property
    def fingerprint(self) -> str:
        """Sixteen hex digits, the same for tasks of the same kind."""
        return digest(canonical(self))[:16]

    @property
    def goal(self) -> str:
        """The task in general words."""
        doing = " and ".join(self.patterns) or "work"
        return f"{doing} by {', '.join(self.structures)}" if self.structures else doing


def features(task: Mapping[str, Json]) -> Features:
    """Of a task told in `task`, `description`, `input_description`, `prompt` and `goal`. Key words
    are matched as words ("if" is not in "specific"), with their endings."""
    names = ("task", "description", "input_description", "prompt", "goal")
    text = " ".join(value for name in names if isinstance(value := task.get(name), str))
    strategy = task.get("strategy")
    named = strategy if strategy in ("parallel", "sequential") else ""
    return Features(
        structures=tuple(n for n, found in _SIGNS.items() if found.search(text) or n == named),
        patterns=tuple(n for n, found in _DOINGS.items() if found.search(text)),
        input_shape=_input_shape(task.get("input", task.get("input_description"))),
        output_shape=_OUTPUTS.get(str(task.get("output_format", "")).casefold(), ""),
    )


def structural(one: Features, other: Features) -> float | None:
    """How alike two tasks are in kind and shape, in [0, 1]. A shape that is unknown of one of them
    adds nothing; None if no kind is known of both."""
    kinds, others = one.kinds, other.kinds
    if not kinds or not others:
        return None
    return weighed(
        [
            (_KIND, len(kinds & others) / len(kinds | others)),
            (_INPUT, _same(one.input_shape, other.input_shape)),
            (_OUTPUT, _same(one.output_shape, other.output_shape)),
        ]
    )


def verbal(one: str, other: str) -> float | None:
    """The share of words two texts have in common; None if one has no words."""
    mine, theirs = words(one), words(other)
    if not mine or not theirs:
        return None
    return round(len(mine & theirs) / len(mine | theirs), PLACES)


def covered(asked: str, text: str) -> float | None:
    """The share of the words of `asked` that are in `text`; None if it has no words."""
    mine = words(asked)
    return round(len(mine & words(text)) / len(mine), PLACES) if mine else None


def weighed(parts: Sequence[tuple[float, float | None]]) -> float | None:
    """The sum of what is known, by weight: not knowing adds nothing. None if nothing is known."""
    known = [weight * value for weight, value in parts if value is not None]
    return round(sum(known), PLACES) if known else None


def adaptations(source: Features, target: Features) -> dict[str, Json]:
    """What a procedure for `source` has to change to do for `target`."""
    changes: dict[str, Json] = {}
    for name in ("input", "output"):
        before, after = getattr(source, f"{name}_shape"), getattr(target, f"{name}_shape")
        if before and after and before != after:
            told = f"the {name} is {after}, not {before}"
            changes[f"{name}_adaptation"] = {"from": before, "to": after, "suggestion": told}
    if added := [name for name in target.structures if name not in source.structures]:
        changes["add_structures"] = added
    if removed := [name for name in source.structures if name not in target.structures]:
        changes["remove_structures"] = removed
    return changes


def _same(shape: str, other: str) -> float | None:
    return float(shape == other) if shape and other else None


def _input_shape(given: Json) -> str:
    if isinstance(given, (list, tuple)):
        return "list"
    if isinstance(given, Mapping):
        return "structured"
    if isinstance(given, str) and given:
        return "long_text" if len(given) > LONG_TEXT else "single_text"
    return ""


def _pattern(listed: str) -> re.Pattern[str]:
    """Any of the words, whole, with the endings of a plural or a verb."""
    forms = []
    for word in listed.split(", "):
        stem, last = re.escape(word[:-1]), word[-1]
        if last == "e":
            forms.append(rf"{stem}(?:e|es|ed|er|ers|ing)")
        elif last == "y":
            forms.append(rf"{stem}(?:y|ying|ies|ied)")
        else:
            doubled = f"{re.escape(last)}?"
            forms.append(rf"{re.escape(word)}(?:s|es|er|ers|{doubled}ed|{doubled}ing)?")
    return re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE)


_SIGNS = {name: _pattern(listed) for name, listed in _STRUCTURES.items()}
_DOINGS = {name: _pattern(listed) for name, listed in _PATTERNS.items()}
