"""A skill: a procedure that was learned, how sure we are of it, and how well it fits a task."""

from __future__ import annotations

from math import log2

import msgspec
from msgspec import structs

from orka.score.features import Features, structural, verbal, weighed
from orka.score.number import PLACES
from orka.value import Json, canonical, digest

PRIOR = 0.5
WEIGHTS = {"structural": 0.35, "semantic": 0.25, "transfer": 0.25, "confidence": 0.15}
WEEK_HOURS = 168.0
ANTI = "anti_pattern"
# Below both, a skill has nothing to do with the task.
_UNRELATED_WORDS, _UNRELATED_KIND = 0.1, 0.6
_BIRTH = {"graph_path": 0.8, "execution_recipe": 0.7, "procedural": 0.7}


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a skill for another task."""

    success: bool
    at: float
    domain: str = ""
    task: str = ""
    adaptations: Json = None


class Skill(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`success_rate` is None before the first use whose end is known. `detail` is what a recipe, a
    path or an anti-pattern has beside its steps."""

    name: str
    skill_type: str
    domain: str
    task: str = ""
    goal: str = ""
    procedure: tuple[dict[str, Json], ...] = ()
    features: Features = Features()
    confidence: float = PRIOR
    usage_count: int = 0
    success_rate: float | None = None
    tags: tuple[str, ...] = ()
    detail: dict[str, Json] = {}
    transfers: tuple[Transfer, ...] = ()

    @property
    def text(self) -> str:
        """What the skill is about, in words."""
        return " ".join(part for part in (self.task, self.goal, self.domain) if part)

    @property
    def transfer_rate(self) -> float | None:
        """The share of transfers that went well; None if there was none."""
        done = [transfer.success for transfer in self.transfers]
        return round(sum(done) / len(done), PLACES) if done else None

    @property
    def hours(self) -> float:
        """How long it is kept after it was last of use."""
        return WEEK_HOURS * (1 + log2(max(1, self.usage_count))) * (0.5 + self.confidence)


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """How well a skill fits a task. `combined` is the sum, by weight, of the components that are
    known; `unknown` names the others, which add nothing."""

    combined: float
    structural: float | None
    semantic: float | None
    transfer: float | None
    confidence: float
    unknown: tuple[str, ...]

    @property
    def reasoning(self) -> str:
        known = [
            f"{name} {value:.2f}" for name in WEIGHTS if (value := getattr(self, name)) is not None
        ]
        missing = f"; unknown: {', '.join(self.unknown)}" if self.unknown else ""
        return ", ".join(known) + missing


def identity(skill_type: str, name: str, domain: str, what: Json = None) -> str:
    """The key of a skill: the same type, name and domain (and, for a name that was not given, what
    it is about) are the same skill. Nothing else ever is."""
    return f"{skill_type}-{digest(canonical([skill_type, name, domain, what]))[:16]}"


def born(kind: str, quality: float | None) -> float:
    """The confidence in a new skill: 0.5 if nothing is known of its quality."""
    if kind == ANTI:
        return 0.9
    if quality is None:
        return PRIOR
    most = _BIRTH.get(kind, 0.7)
    return round(min(most, quality if kind == "graph_path" else PRIOR + quality * 0.2), PLACES)


def used(skill: Skill, *, success: bool) -> Skill:
    """The skill after one more use."""
    count = skill.usage_count + 1
    before = (skill.success_rate or 0.0) * skill.usage_count
    sure = skill.confidence
    sure = sure + 0.05 * (1 - sure) if success else sure - 0.1 * sure
    return structs.replace(
        skill,
        usage_count=count,
        success_rate=round((before + success) / count, PLACES),
        confidence=round(sure, PLACES),
    )


def fit(skill: Skill, target: Features, text: str) -> Fit | None:
    """How well `skill` fits a task told in `text`; None if it has nothing to do with it."""
    kind, words = structural(skill.features, target), verbal(skill.text, text)
    if (words or 0.0) < _UNRELATED_WORDS and (kind or 0.0) < _UNRELATED_KIND:
        return None
    parts = {
        "structural": kind,
        "semantic": words,
        "transfer": skill.transfer_rate,
        "confidence": skill.confidence,
    }
    combined = weighed([(WEIGHTS[name], value) for name, value in parts.items()])
    return Fit(
        combined=combined or 0.0,
        structural=kind,
        semantic=words,
        transfer=skill.transfer_rate,
        confidence=skill.confidence,
        unknown=tuple(name for name, value in parts.items() if value is None),
    )
