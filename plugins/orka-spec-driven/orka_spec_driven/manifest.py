"""What the module brings, and what it may touch: a model of the user's choice, and one folder."""

from __future__ import annotations

from orka.plugin.manifest import Manifest

from orka_spec_driven.folder import HOME

MANIFEST = Manifest(
    name="spec_driven",
    version="0.1.0",
    description="Plans are drafted, attacked, approved by a person, carried out and reviewed.",
    agents=("plan_state", "critique", "review"),
    tools=("changelog", "workspace_write"),
    models=("*",),
    files=(f"write:{HOME}/**",),
)
