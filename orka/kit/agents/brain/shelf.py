"""Where a brain keeps things: two namespaces of the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from orka.agent.context import Context
from orka.errors import AgentError
from orka.score.skill import Skill
from orka.value import Json

ATTEMPTS = 8
# The newest ones that are looked at.
MOST_SKILLS = 500
HOUR = 3600.0


class Shelf:
    """Skills and episodes of one brain and user."""

    def __init__(self, ctx: Context, name: str, user: str) -> None:
        self._ctx = ctx
        self._skills: dict[str, Json] = {"namespace": f"{name}/skills", "user": user}
        self._episodes: dict[str, Json] = {"namespace": f"{name}/episodes", "user": user}

    async def skill(self, key: str) -> Skill | None:
        found = await self._ctx.memory("get", key=key, **self._skills)
        return _skill(found["entry"]) if found["entry"] else None

    async def skills(self, domain: str = "") -> list[tuple[str, Skill]]:
        """Key and skill, the newest first."""
        filters = {"domain": domain} if domain else {}
        asked = {**self._skills, "limit": MOST_SKILLS, "filters": filters}
        found = await self._ctx.memory("search", **asked)
        entries = (match["entry"] for match in found["found"])
        return [(entry["key"], _skill(entry)) for entry in entries]

    async def change(
        self, key: str, change: Callable[[Skill | None], Skill], *, renew: bool = True
    ) -> Skill:
        """Put what `change` makes of the skill in its place, whoever else writes meanwhile. Without
        `renew` it does not live longer for it. Raises `AgentError` if others never let it."""
        for _ in range(ATTEMPTS):
            found = await self._ctx.memory("get", key=key, **self._skills)
            entry, now = found["entry"], found["at"]
            skill = change(_skill(entry) if entry else None)
            life = skill.hours * HOUR
            if entry and not renew and entry["expires_at"] is not None:
                life = entry["expires_at"] - now
            written = await self._ctx.memory(
                "write",
                **self._skills,
                key=key,
                content=f"{skill.name}: {skill.text}",
                metadata={"domain": skill.domain, "skill": msgspec.to_builtins(skill)},
                category=skill.skill_type,
                importance=skill.confidence,
                ttl=max(round(life, 6), 1e-6),
                expect=entry["version"] if entry else 0,
            )
            if written["status"] != "conflict":
                return skill
        raise AgentError(
            f"skill {key!r} was changed by others {ATTEMPTS} times in a row",
            code="brain.conflict",
            fix="run the node again",
        )

    async def keep_episode(self, key: str, text: str, metadata: Mapping[str, Json]) -> None:
        await self._ctx.memory(
            "write", **self._episodes, key=key, content=text, metadata=dict(metadata)
        )

    async def episodes(self, **asked: Json) -> tuple[list[Json], float]:
        """Entries, best or newest first, and when that was."""
        found = await self._ctx.memory("search", **self._episodes, **asked)
        return [match["entry"] for match in found["found"]], found["at"]


def _skill(entry: Mapping[str, Json]) -> Skill:
    return msgspec.convert(entry["metadata"]["skill"], Skill)
