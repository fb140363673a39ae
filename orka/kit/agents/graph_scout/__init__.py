"""`graph-scout`: proposes paths, has them judged and scored, decides, and may run the choice."""

from orka.kit.agents.graph_scout.agent import graph_scout

__all__ = ["graph_scout"]
