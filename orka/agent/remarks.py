"""What an agent states about its work. Each remark is awaited, and recorded as an event."""

from __future__ import annotations

from collections.abc import Sequence

from orka.agent.effect import Remark
from orka.value import Json


class Remarks:
    """The remarks of a context."""

    __slots__ = ()

    def violation(
        self,
        *,
        message: str,
        raw: str,
        kind: str = "",
        where: str = "",
        schema: str = "",
        route: str = "",
        effect: str = "",
    ) -> Remark:
        """Record that a reading broke its contract. `effect`: the last one asked, if not given."""
        fields = {"where": where, "message": message, "raw": raw, "schema": schema}
        return Remark("violation", effect, {**fields, "kind": kind, "route": route})

    def repaired(self, rule: str, *, before: Json, after: Json, where: str = "") -> Remark:
        """Record that a reading was changed by a rule, never silently."""
        fields = {"rule": rule, "before": before, "after": after, "where": where}
        return Remark("repaired", "", fields)

    def note(self, kind: str, message: str, data: Json = None) -> Remark:
        """Record why the agent goes on as it does: a child that was given up, a rule that ended a
        loop."""
        return Remark("noted", "", {"kind": kind, "message": message, "data": data})

    def decided(self, value: Json) -> Remark:
        """Record a choice among candidates, with all that it was made of."""
        return Remark("decided", "", {"value": value})

    def quarantine(self, texts: Sequence[str], why: str) -> Remark:
        """Record that `texts` may be looked at only as data: from now on the run is tainted, and no
        prompt may hold them outside a fence (`| fence`)."""
        given = [texts] if isinstance(texts, str) else list(texts)
        return Remark("quarantined", "", {"texts": given, "why": str(why)})
