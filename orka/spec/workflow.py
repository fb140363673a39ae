"""The workflow as its author wrote it: agents, settings, and the place of each in the file."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from orka.spec.guards import GuardSpec
from orka.spec.note import Note
from orka.spec.policy import Policy
from orka.spec.yaml import Document, Path
from orka.value import Json

STRICT = "1"


class Backoff(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds to wait before a retry: `initial`, times `factor` each time, never above `limit`."""

    initial: float = 0.5
    factor: float = 2.0
    limit: float = 30.0


class AgentSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One agent of the file. `next` is None if the author did not write it, `()` if it is empty.

    `capabilities` and `description` say what it can do and is for: words for whoever chooses among
    agents. `guards` look at what its effects bring in. `options` are the keys that belong to the
    agent's type, unchecked; `path` is where it stands.
    """

    id: str
    type: str
    next: tuple[str, ...] | None = None
    depends_on: tuple[str, ...] = ()
    when: str | None = None
    on_error: str | None = None
    writes: str | None = None
    retries: int = 0
    backoff: Backoff = Backoff()
    timeout: float | None = None
    capabilities: tuple[str, ...] = ()
    description: str = ""
    guards: tuple[GuardSpec, ...] = ()
    options: Mapping[str, Json] = {}
    path: Path = ()


class Workflow(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow file (or one written inside an agent, at `path`), checked for shape and names.

    `dialect` is "1", or "0.9" for a file written for OrKa 0.9; `notes` then say what it will do
    where that may surprise.
    """

    id: str
    strategy: str
    order: tuple[str, ...]
    agents: tuple[AgentSpec, ...]
    timeout: float | None = None
    max_concurrency: int = 0
    defaults: Mapping[str, Json] = {}
    guards: tuple[GuardSpec, ...] = ()
    policy: Policy | None = None
    modules: tuple[str, ...] = ()
    source: str
    document: Document
    text: str
    path: Path = ()
    dialect: str = STRICT
    notes: tuple[Note, ...] = ()

    def where(self, agent_id: str, *keys: str | int) -> str:
        """The place of `keys` within an agent, for people: `a.yml, line 2, column 5 (agent 'x')`.

        An id that no agent has leaves the agent out: `keys` then start at the workflow itself.
        """
        for agent in self.agents:
            if agent.id == agent_id:
                return f"{self.document.where((*agent.path, *keys))} (agent {agent_id!r})"
        return self.document.where((*self.path, *keys))
